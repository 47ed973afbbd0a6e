"""Labelled URLs and running text from files, under our codes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from graphlang.codes import languages
from graphlang.files import open_text, read_regular


class Labelled(NamedTuple):
    """One labelled URL."""

    language: str  #: ISO 639-3 code
    source: str  #: which list it comes from
    url: str


def read_urls(path: str | Path) -> list[Labelled]:
    """The labelled URLs of a file or a folder; those of unknown codes are left out.

    A file is tab-separated, and its header names at least ``url`` and ``lang`` (or ``language``). A folder has a
    sub-folder for each language, named by any usual code, with ``.txt`` files of one URL a line.

    Raises:
        OSError: it cannot be read.
        ValueError: a column is missing.
    """
    return _folder(Path(path)) if Path(path).is_dir() else _table(Path(path))


def _table(path: Path) -> list[Labelled]:
    lines = read_regular(path).decode("utf-8", "surrogateescape").split("\n")
    columns = lines[0].removeprefix("\ufeff").rstrip("\r").split("\t")
    named = "lang" if "lang" in columns else "language"
    if not {named, "url"} <= set(columns):
        raise ValueError("the first line must name the columns lang (or language) and url")
    lang, url = columns.index(named), columns.index("url")
    source = columns.index("source") if "source" in columns else None
    rows = []
    for line in lines[1:]:
        cells = line.rstrip("\r").split("\t")
        if len(cells) != len(columns):
            continue
        code = _code(cells[lang])
        if code is not None:
            rows.append(Labelled(code, cells[source] if source is not None else "", cells[url]))
    return rows


def _folder(path: Path) -> list[Labelled]:
    rows = []
    for place in sorted(path.iterdir()):
        code = _code(place.name) if place.is_dir() else None
        if code is None:
            continue
        for file in sorted(place.glob("*.txt")):
            lines = read_regular(file).decode("utf-8", "surrogateescape").split("\n")
            rows += [Labelled(code, file.stem, url) for line in lines if (url := line.strip())]
    return rows


def _code(tag: str) -> str | None:
    code = languages.code(tag)
    return code if code not in (languages.UND, languages.ZXX) else None


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
            with open_text(file, errors="replace") as text:
                lines.setdefault(code, []).extend(text.read(longest).split("\n"))
    return lines
