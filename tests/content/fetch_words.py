"""Words that are common on the web, for languages that are taken for one another: as many for each of a group.

    python tests/content/fetch_words.py DATA FOLDER

Fetches the packages of Tesseract's models that `GROUPS` needs (``apt-get download``; FOLDER/packages keeps them), takes
the common words out, and writes FOLDER/words/CODE/dictionary.txt and `TABLE`, which has the packages, their versions
and SHA-256, and those of the texts. `make model` learns from them (``graphlang train --messages``).

Each of a group has as many words as the poorest: text of a kind that only one of them has teaches the kind, not the
language. Words that the lists of many languages have stay where the language's own text in DATA has them. No text gets
into the repository.
"""

from __future__ import annotations

import csv
import hashlib
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from package_words import dictionary_lines, word_graph
from package_words.packages import Package, Packages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TABLE: Final = Path(__file__).parent / "package_words" / "SOURCES.tsv"
FILE: Final = "dictionary.txt"
SOURCE: Final = "common words of Tesseract"
LICENCE: Final = "Apache-2.0"
COLUMNS: Final = ("code", "file", "source", "licence", "lines", "bytes", "sha256", "packages")
MOST: Final = 100_000  # bytes of a language
#: Languages of which Tesseract has many common words, and its names of them; those of a line get as many. Without
#: Tagalog: it took Cebuano, of which there are few.
GROUPS: Final = (
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
    *({code: name} for code, name in (("qu", "que"), ("sw", "swa"), ("eo", "epo"))),
)
#: Languages whose lists only show which words many languages have: with words of its own, one of them gains what the
#: others lose.
OTHERS: Final = {"bs": "bos", "hr": "hrv", "sr-Latn": "srp-latn", "sl": "slv", dictionary_lines.ENGLISH: "eng"}


def find_words(name: str, packages: Packages) -> tuple[list[str], Package]:
    """The common words of a language by Tesseract's name of it, and the package that has them.

    Raises:
        SystemExit: the archive has no such package.
    """
    package = packages.get(f"tesseract-ocr-{name}")
    if package is None:
        raise SystemExit(f"tesseract-ocr-{name}: no such package")
    files = sorted(package.folder.rglob("*.traineddata"))
    words = {word.strip("|") for path in files for word in word_graph.words(path.read_bytes())}
    return word_graph.common(words), package


def lines(data: Path, packages: Packages) -> Iterator[tuple[str, list[str], Package]]:
    """Code, lines of words and package, for each language of `GROUPS`."""
    names = OTHERS | {code: name for group in GROUPS for code, name in group.items()}
    every = {code: find_words(name, packages) for code, name in names.items()}
    known = {code: dictionary_lines.known_words(_read_training_lines(data, code)) for code in names}
    kept = dictionary_lines.native({code: words for code, (words, _) in every.items()}, known)
    for group in GROUPS:
        least = min(len(kept[code]) for code in group)
        for code in group:
            yield code, dictionary_lines.spread(dictionary_lines.lines(kept[code], least), MOST), every[code][1]


def _read_training_lines(data: Path, code: str) -> Iterator[str]:
    for part in ("train", "train-software"):
        for path in sorted((data / part / code).glob("*.txt")):
            yield from path.read_text(encoding="utf-8").splitlines()


def write(words: Path, code: str, own: Sequence[str]) -> tuple[str, ...]:
    """Write the words of a language; lines, bytes and SHA-256."""
    content = "".join(f"{line}\n" for line in own).encode()
    path = words / code / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return str(len(own)), str(len(content)), hashlib.sha256(content).hexdigest()


def main(data: Path, folder: Path) -> None:
    """Write words and table."""
    words = folder / "words"
    shutil.rmtree(words, ignore_errors=True)  # what is no longer asked for must not stay
    rows = [
        (code, FILE, SOURCE, LICENCE, *write(words, code, own), package.told())
        for code, own, package in lines(data, Packages(folder / "packages"))
    ]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
        table.writerows([COLUMNS, *sorted(rows)])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
