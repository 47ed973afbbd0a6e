"""CDXJ: the index of captures that pywb and other replay tools read, with the languages of each capture."""

from __future__ import annotations

import os
import re
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.db.write.sources import paths_of
from graphlang.export.archive_records import lengths
from graphlang.export.sort_key import sort_key
from graphlang.maps import captures, shares
from graphlang.printing.as_json import json_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from graphlang.maps.selection import Selection

#: A second language counts from this probability.
SECOND: Final = 0.2
_NOT_ONE: Final = (languages.UND, languages.ZXX)
_NO_DIGIT: Final = re.compile(r"[^0-9]+")
_FIRST: Final = "00000101000000"  #: what a date lacks that says no more than a year, a month or a day
_UNDATED: Final = "0" * 14
_MARKS: Final = str.maketrans("", "", "-:TZ")


class Made(NamedTuple):
    """What was written."""

    lines: int
    without_length: int  #: lines of records whose length could not be told
    missing: list[str]  #: archives that are not where they were


def codes(language: str, runner_up: str | None, second: float | None, parts: str = shares.NONE) -> str:
    """Up to three ISO 639-3 codes by rank, with commas between; empty where no language was found.

    These are the languages of the page; of a page in one language its answer, and the second best where that is likely.

    Args:
        language: the page's answer.
        runner_up: the second best; None where there is none.
        second: its probability, 0 to 1; None where there is none.
        parts: shares of the page in several languages, as `graphlang.maps.shares.SHARES` has them.

    >>> codes("deu", "nld", 0.3), codes("deu", "nld", 0.1), codes("und", "nld", 0.3)
    ('deu,nld', 'deu', '')
    >>> codes("cym", "bre", 0.3, '[["eng",0.5],["cym",0.5]]')
    'cym,eng'
    """
    if parts == shares.NONE:  # of most pages
        found = [] if language in _NOT_ONE else [language]
    else:
        found = [code for code, _ in shares.ranked(language, parts)]
    if len(found) == 1 and (second or 0) >= SECOND and runner_up is not None and runner_up not in _NOT_ONE:
        found.append(runner_up)
    return ",".join(dict.fromkeys(found))


def write_cdxj(connection: sqlite3.Connection, db: Path, selection: Selection, file: IO[bytes]) -> Made:
    """Write the index, sorted by its bytes, as pywb wants it.

    The records' lengths are measured in the archives, where these are still to be found; else there is none.

    Args:
        connection: the collection; sorting uses a temporary table, never the collection itself.
        db: its path: archives with relative names are looked for beside it as well.
        selection: which pages count.
        file: is left open.
    """
    connection.execute("PRAGMA temp_store=FILE")
    connection.execute("DROP TABLE IF EXISTS temp.cdxj")
    connection.execute("CREATE TEMP TABLE cdxj (line BLOB)")
    made = Made(0, 0, [])
    connection.execute("BEGIN")
    names = dict(connection.execute("SELECT id, name FROM sources"))
    for source, rows in groupby(_rows(connection, selection), key=itemgetter(0)):
        made = _add(connection, names[source], _found(names[source], db), rows, made)
    connection.execute("COMMIT")
    for (line,) in connection.execute("SELECT line FROM temp.cdxj ORDER BY line"):
        file.write(line)
    connection.execute("DROP TABLE temp.cdxj")
    return made


def _found(name: str, db: Path) -> Path | None:
    paths = [path for one in paths_of(name) for path in (one, db.parent / one)]
    return next((path for path in paths if os.path.isfile(path)), None)  # noqa: PTH113 - no name is an error to it


def _rows(connection: sqlite3.Connection, selection: Selection) -> Iterator[tuple[Any, ...]]:
    """The captures in the order of their records: of one file after the other, so that each is read once."""
    chosen, values = captures.source(connection, selection, bare=True)
    query = (
        "SELECT pages.source, pages.offset, pages.date, pages.digest, pages.url, pages.mime, pages.status,"
        f" pages.language, pages.runner_up, pages.runner_up_confidence, {shares.of_run('pages.text_run')},"
        f" pages.revisit, pages.charset FROM {chosen} AS pages ORDER BY pages.source, pages.offset"
    )
    yield from connection.execute(query, values)


def _add(
    connection: sqlite3.Connection, name: str, path: Path | None, rows: Iterable[tuple[Any, ...]], made: Made
) -> Made:
    lines, without, filename = 0, 0, Path(name).name
    batch: list[tuple[bytes]] = []
    for row, length in _with_lengths(rows, path):
        batch.append((_line(row, length, filename).encode("utf-8", "replace"),))
        lines += 1
        without += length is None
        if len(batch) == _BATCH:
            connection.executemany("INSERT INTO temp.cdxj VALUES (?)", batch)
            batch.clear()
    connection.executemany("INSERT INTO temp.cdxj VALUES (?)", batch)
    missing = [*made.missing, name] if path is None and lines else made.missing
    return Made(made.lines + lines, made.without_length + without, missing)


_BATCH: Final = 10_000


def _with_lengths(rows: Iterable[tuple[Any, ...]], path: Path | None) -> Iterator[tuple[tuple[Any, ...], int | None]]:
    if path is None:
        yield from ((row, None) for row in rows)
        return
    waiting: list[tuple[Any, ...]] = []

    def offsets() -> Iterator[int]:
        for row in rows:
            waiting.append(row)
            yield row[1]

    for _, length in lengths(path, offsets()):
        yield waiting.pop(), length


def _line(row: tuple[Any, ...], length: int | None, filename: str) -> str:
    _, offset, date, digest, url, mime, status, language, runner_up, second, parts, revisit, charset = row
    fields = {
        "url": url,
        "mime": "warc/revisit" if revisit else mime or "unk",
        "status": None if status is None else str(status),
        "digest": digest or None,
        "length": None if length is None else str(length),
        "offset": str(offset),
        "filename": filename,
        "charset": charset,
        "languages": codes(language, runner_up, second, parts) or None,
    }
    known = {name: value for name, value in fields.items() if value is not None}
    texts = "".join(known.values())
    if texts.isprintable() and '"' not in texts and "\\" not in texts:  # nothing is escaped
        members = ", ".join([f'"{name}": "{value}"' for name, value in known.items()])
        return f"{sort_key(url)} {_stamp(date)} {{{members}}}\n"
    return f"{sort_key(url)} {_stamp(date)} {json_text(known)}\n"


def _stamp(date: str) -> str:
    """Fourteen digits."""
    digits = date.translate(_MARKS)
    if len(digits) == len(_FIRST) and digits.isascii() and digits.isdecimal():
        return digits
    digits = _NO_DIGIT.sub("", date)[: len(_FIRST)]
    return digits + _FIRST[len(digits) :] if digits else _UNDATED
