"""Training data of the shipped content models, by kind of text, licence and amount."""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.codes import languages

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

FILE: Final = Path(__file__).parent.parent / "data" / "nfc-sources.tsv"
#: Of each label of `nfc`: training text and accuracy on lines kept out (``tests/content/make_languages.py``).
LANGUAGES_FILE: Final = FILE.with_name("nfc-languages.tsv")

#: The first words of a source's name -> kind of text; a source that is not here is named by itself.
_KINDS: Final = {
    "Blockly": "messages of programs",
    "Firefox": "messages of programs",
    "Kolibri": "messages of programs",
    "LibreOffice": "messages of programs",
    "MediaWiki": "messages of programs",
    "Tux": "messages of programs",
    "UD_": "treebanks",
    "african-storybook": "stories",
    "afriqa": "questions",
    "afrisenti": "tweets",
    "arsarcasm": "tweets",
    "bible": "Bible",
    "common words": "common words of the web",
    "common-voice": "sentences to be read aloud",
    "cordi": "transcribed speech",
    "ctcpc": "sentences of Cantonese",
    "doda": "chat",
    "ebible": "Bible",
    "elotl": "parallel text of Mexico",
    "fassa": "texts of Ladin",
    "flores": "sentences of Wikipedia",
    "gatitos": "word lists",
    "giellalt-admin": "texts of administrations",
    "giellalt-blogs": "blogs",
    "giellalt-facta": "books",
    "giellalt-ficti": "books",
    "giellalt-laws": "laws",
    "giellalt-news": "news",
    "giellalt-speccorp": "books",
    "giellalt-wikipedia": "Wikipedia",
    "globalvoices": "news",
    "hkcancor": "transcribed speech",
    "icorpus": "news",
    "ijwi": "news",
    "kurdish-interdialect": "news",
    "kurdishlid": "news",
    "lafand": "news",
    "lsdc": "literature",
    "magahi-stories": "stories",
    "malaysian-majoriti": "news",
    "malaysian-school": "school essays",
    "masakhane": "news",
    "moedict": "example sentences of dictionaries",
    "mozilla-www": "messages of programs",
    "noah-blick": "news",
    "noah-blogs": "blogs",
    "noah-schobinger": "books",
    "noah-swatch": "reports",
    "noah-wiki": "Wikipedia",
    "nusa-alinea": "paragraphs",
    "nusa-kalimat": "sentences of social media",
    "nusax": "sentences of social media",
    "oldi-seed": "sentences of Wikipedia",
    "parlasent": "parliament",
    "persoarabiclid": "news",
    "pilar": "web sites",
    "pratham": "stories",
    "sadilar": "books",
    "shami": "chat",
    "storybooks": "stories",
    "tatoeba": "everyday sentences",
    "tico19": "translations on health",
    "udhr": "Universal Declaration of Human Rights",
    "umsab": "tweets",
    "vardial": "literature",
    "wikipedia-2022": "Wikipedia",
    "wikipedia-app": "messages of programs",
    "wikisource": "literature",
    "words": "words with their frequency",
    "xquad": "paragraphs of Wikipedia",
}
#: Folders of the table that each shipped model read; the Makefile has the commands.
_READ: Final = {
    "nfc": frozenset(("train", "train-more", "train-software", "reference", "words")),
    "nfc-2004": frozenset(("train",)),
    "nfc-2004-11": frozenset(
        f"train/{code}" for code in ("da", "de", "en", "es", "fi", "fr", "it", "nl", "nb", "pt", "sv")
    ),
    "byte-trigrams": frozenset(("train",)),
}


_LONGEST = 40  # characters of a licence on a card


class TrainingSource(NamedTuple):
    """Training data of one kind under one licence."""

    kind: str
    licence: str
    files: int
    languages: int  #: folders; word lists have one file each
    amount: int  #: in `unit`
    unit: str


def find_text_kind(source: str) -> str:
    """Return the kind of text of a source.

    >>> find_text_kind("udhr eric-muller/udhr@f93dd61"), find_text_kind("UD_Irish-IDT"), find_text_kind("a novel")
    ('Universal Declaration of Human Rights', 'treebanks', 'a novel')
    """
    return next((kind for start, kind in _KINDS.items() if source.startswith(start)), source)


@cache
def read_label_facts() -> dict[str, dict[str, str]]:
    """Read `LANGUAGES_FILE`, by label."""
    with LANGUAGES_FILE.open(encoding="utf-8", newline="") as table:
        return {row["label"]: row for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)}


@cache
def read_label_licences() -> dict[str, frozenset[str]]:
    """Read the licences of the training texts of each label of `nfc`.

    >>> sorted(read_label_licences()["aau"])
    ['CC BY-NC-ND 4.0']
    """
    licences: defaultdict[str, set[str]] = defaultdict(set)
    with FILE.open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            path = Path(row["file"])
            code = path.stem if path.parts[0] == "reference" else path.parts[1]
            if label := languages.label(code):
                licences[label].add(row["licence"])
    return {label: frozenset(names) for label, names in licences.items()}


@cache
def list_training_text(name: str) -> tuple[TrainingSource, ...]:
    """List the training data of a content method, largest first; a method without a shipped model has none."""
    if name not in _READ:
        return ()
    with FILE.open(encoding="utf-8", newline="") as table:
        return sum_sources(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE), _READ[name])


def sum_sources(rows: Iterable[Mapping[str, str]], folders: Collection[str]) -> tuple[TrainingSource, ...]:
    """Sum the files of some folders, or folders of one language, by kind and licence, largest first.

    Rows have `file`, `source`, `licence` and `bytes`, as in the table of sources.
    """
    files: defaultdict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for row in rows:
        folder, _, rest = row["file"].partition("/")
        language = rest.rpartition("/")[0] if folder != "reference" else rest
        if folder in folders or f"{folder}/{language}" in folders:
            licence = row["licence"].replace("CC BY-SA ", "CC-BY-SA-")  # written in both ways by the sources
            if len(licence) > _LONGEST:  # the table has the note in brackets
                licence = licence.partition(" (")[0]
            files[find_text_kind(row["source"]), licence].append((language, int(row["bytes"])))
    sources = []
    for (kind, licence), sizes in files.items():
        languages = {language for language, _ in sizes}
        amount = sum(size for _, size in sizes)
        sources.append(TrainingSource(kind, licence, len(sizes), len(languages), amount, "bytes"))
    return tuple(sorted(sources, key=lambda source: (-source.amount, source.kind, source.licence)))
