"""What the shipped content models were trained on, by kind of text, licence and amount."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

FILE: Final = Path(__file__).parent.parent / "data" / "nfc-sources.tsv"

#: The first words of a source's name -> kind of text; a source that is not here is named by itself.
_KINDS: Final = {
    "Blockly": "messages of programs",
    "Firefox": "messages of programs",
    "Kolibri": "messages of programs",
    "LibreOffice": "messages of programs",
    "MediaWiki": "messages of programs",
    "Tux": "messages of programs",
    "UD_": "treebanks",
    "afrisenti": "tweets",
    "bible": "Bible",
    "common words": "common words of the web",
    "common-voice": "sentences to be read aloud",
    "ebible": "Bible",
    "flores": "sentences of Wikipedia",
    "mozilla-www": "messages of programs",
    "tatoeba": "everyday sentences",
    "tico19": "translations on health",
    "umsab": "tweets",
    "udhr": "Universal Declaration of Human Rights",
    "wikipedia-app": "messages of programs",
    "words": "words with their frequency",
    "xquad": "paragraphs of Wikipedia",
}
#: Folders of the table that each shipped model read; the Makefile has the commands.
_READ: Final = {
    "nfc": frozenset(("train", "train-more", "train-software", "reference", "words")),
    "nfc-2004": frozenset(("train",)),
    "byte-trigrams": frozenset(("train",)),
}


class Trained(NamedTuple):
    """Training data of one kind under one licence."""

    kind: str
    licence: str
    files: int
    languages: int  #: folders; word lists have one file each
    amount: int  #: in `unit`
    unit: str


def kind_of(source: str) -> str:
    """The kind of text of a source.

    >>> kind_of("udhr eric-muller/udhr@f93dd61"), kind_of("UD_Irish-IDT UniversalDependencies"), kind_of("a novel")
    ('Universal Declaration of Human Rights', 'treebanks', 'a novel')
    """
    return next((kind for start, kind in _KINDS.items() if source.startswith(start)), source)


@cache
def training_text(name: str) -> tuple[Trained, ...]:
    """What a shipped content model was trained on, the most first.

    Args:
        name: Of the method; one without a shipped model has nothing.
    """
    if name not in _READ:
        return ()
    with FILE.open(encoding="utf-8", newline="") as table:
        return summed(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE), _READ[name])


def summed(rows: Iterable[Mapping[str, str]], folders: Collection[str]) -> tuple[Trained, ...]:
    """Files summed up by kind and licence, the most first.

    Args:
        rows: With `file`, `source`, `licence` and `bytes`, as in the table of sources.
        folders: Where files count.
    """
    files: defaultdict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for row in rows:
        folder, _, rest = row["file"].partition("/")
        if folder in folders:
            language = rest.rpartition("/")[0] if folder != "reference" else rest
            licence = row["licence"].replace("CC BY-SA ", "CC-BY-SA-")  # written in both ways by the sources
            files[kind_of(row["source"]), licence].append((language, int(row["bytes"])))
    found = [
        Trained(kind, licence, len(of), len({language for language, _ in of}), sum(size for _, size in of), "bytes")
        for (kind, licence), of in files.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.amount, one.kind, one.licence)))
