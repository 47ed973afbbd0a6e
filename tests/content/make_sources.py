"""Makes ``graphlang/data/nfc-sources.tsv``: what the shipped models that read text were made of.

    python tests/content/make_sources.py DATA

A line for each file that `make content-models` reads: its path below DATA (of words out of packages, below the folder
that ``fetch_words.py`` writes), where it comes from, its licence, its bytes and the SHA-256 of them. The texts
themselves are other people's and are not in this repository; from the named sources (Debian, PyPI, npm, and the
repositories with their commits) they can be fetched again, and compared.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from pathlib import Path
from typing import Final

import fetch_words
import make_corpus
import make_further

FILE: Final = Path(__file__).parents[2] / "graphlang" / "data" / "nfc-sources.tsv"
COLUMNS: Final = ("file", "source", "licence", "bytes", "sha256")
LISTS: Final = ("words and their frequencies in subtitles (FrequencyWords)", "CC-BY-SA-4.0")


def rows(data: Path) -> list[tuple[str, str, str, str, str]]:
    """The lines of the table, by path."""
    found: list[tuple[str, str, str, str, str]] = []
    for folder in ("train", "train-software"):
        told: dict[tuple[str, str], tuple[str, str]] = {}
        with (data / folder / "SOURCES.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                source = f"{row['source']} {row['repo']}" if "repo" in row else row["source"]
                told[row.get("code", row.get("folder", "")), row["file"]] = source.strip(), row["licence"]
        texts = sorted((data / folder).glob("*/*.txt"))
        if untold := [path for path in texts if (path.parent.name, path.name) not in told]:
            sys.exit(f"{untold[0]} has no line in {data / folder / 'SOURCES.tsv'}, which says whose it is")
        found += [_row(data, path, *told[path.parent.name, path.name]) for path in texts]
    found += [_row(data, path, *LISTS) for path in sorted((data / "reference" / "freqwords").glob("*.txt"))]
    with fetch_words.TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            source = f"{row['source']} ({row['packages']})"
            found.append((f"words/{row['code']}/{row['file']}", source, row["licence"], row["bytes"], row["sha256"]))
    return found + _more(data)


def _more(data: Path) -> list[tuple[str, str, str, str, str]]:
    """Rows of the files in the archive of further text that the corpus gets."""
    with (data / "train-more-SOURCES.tsv").open(encoding="utf-8", newline="") as file:
        sources = {
            (row["code"], row["file"]): (f"{row['source']} {row['repo']}", row["licence"])
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    rows = []
    files = make_corpus.chosen_files(data) | make_further.read_files(data)
    for (code, source), content in sorted(files.items()):
        digest = hashlib.sha256(content).hexdigest()
        name = f"{source}.txt"
        rows.append((f"train-more/{code}/{name}", *sources[code, name], str(len(content)), digest))
    return rows


def _row(data: Path, path: Path, source: str, licence: str) -> tuple[str, str, str, str, str]:
    content = path.read_bytes()
    name = path.relative_to(data).as_posix()
    return name, source, licence, str(len(content)), hashlib.sha256(content).hexdigest()


def table(data: Path) -> str:
    """The whole file."""
    return "".join("\t".join(row) + "\n" for row in (COLUMNS, *rows(data)))


if __name__ == "__main__":
    FILE.write_text(table(Path(sys.argv[1])), encoding="utf-8")
