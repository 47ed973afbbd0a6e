"""Labelled URLs and running text from files, under our codes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from graphlang import languages


class Labelled(NamedTuple):
    """One labelled URL."""

    language: str  #: ISO 639-3 code
    source: str  #: which list it comes from
    url: str


def read_urls(path: str | Path) -> list[Labelled]:
    """The rows of a tab-separated file whose header names at least ``lang`` and ``url``; unknown codes are left out.

    Raises:
        OSError: it cannot be read.
        ValueError: a column is missing.
    """
    lines = Path(path).read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    columns = lines[0].rstrip("\r").split("\t")
    if not {"lang", "url"} <= set(columns):
        raise ValueError(f"{path}: the first line must name the columns lang and url")
    lang, url = columns.index("lang"), columns.index("url")
    source = columns.index("source") if "source" in columns else None
    rows = []
    for line in lines[1:]:
        cells = line.rstrip("\r").split("\t")
        if len(cells) != len(columns):
            continue
        code = languages.code(cells[lang])
        if code is not None and code != languages.UND:
            rows.append(Labelled(code, cells[source] if source is not None else "", cells[url]))
    return rows


def read_text(folder: str | Path, longest: int = 2_000_000) -> dict[str, list[str]]:
    """The lines of ``folder/<code>/*.txt`` by ISO 639-3 code; the scripts of a language are put together.

    Args:
        folder: One sub-folder for each language tag.
        longest: Characters of one file that are read.

    Raises:
        OSError: the folder cannot be read.
    """
    lines: dict[str, list[str]] = {}
    for place in sorted(Path(folder).iterdir()):
        code = languages.code(place.name) if place.is_dir() else None
        if code is None:
            continue
        for file in sorted(place.glob("*.txt")):
            with file.open(encoding="utf-8", errors="replace") as text:
                lines.setdefault(code, []).extend(text.read(longest).split("\n"))
    return lines
