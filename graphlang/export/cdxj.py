"""CDXJ: the index of captures that pywb and other replay tools read, with the languages of each capture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from graphlang.codes import languages
from graphlang.export.archive_records import lengths
from graphlang.maps import shares
from graphlang.maps.selection import content_run
from graphlang.printing.as_json import json_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from graphlang.maps.selection import Selection

#: A second language counts from this probability.
SECOND: Final = 0.2
_WWW: Final = re.compile(r"^www\d*\.")
_PORTS: Final = {"http": "80", "https": "443"}
_SAFE: Final = frozenset(b"!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~") | frozenset(range(48, 58)) | frozenset(range(97, 123))
_SESSION: Final = re.compile(
    r"(?:^|(?<=&))(?:jsessionid=[0-9a-z]{32}|phpsessid=[0-9a-z]{32}|sid=[0-9a-z]{32}|aspsessionid[a-z]{8}=[a-z]{24}"
    r"|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
_DIGITS: Final = 14
_UNESCAPED: Final = 8  # times that a URL may be escaped over and over


class Made(NamedTuple):
    """What was written."""

    lines: int
    without_length: int  #: lines of records whose length could not be told
    missing: list[str]  #: archives that are not where they were


def sort_key(url: str) -> str:
    """A URL in the form by which CDX indexes are sorted and searched: host reversed, the rest in lower case.

    What differs between ways to write the same address is dropped: the scheme, ``www``, usual ports, the order of
    parameters, session ids, an empty query, a slash at the end.

    >>> sort_key("http://www.Example.org:80/A/b%43/?y=2&x=1"), sort_key("https://example.org")
    ('org,example)/a/bc?x=1&y=2', 'org,example)/')
    """
    scheme, _, rest = url.partition("://")
    authority, slash, tail = rest.partition("/")
    if not slash and "?" in authority:
        authority, _, query = authority.partition("?")
        tail = f"?{query}"
    host, _, port = authority.rpartition("@")[2].partition(":")
    host = _WWW.sub("", host.lower())
    parts = host.split(".")
    name = host if all(part.isdigit() for part in parts) else ",".join(reversed(parts))
    where = f"{name}:{port}" if port and port != _PORTS.get(scheme.lower()) else name
    path, _, query = tail.partition("#")[0].partition("?")
    folded = re.sub("/{2,}", "/", f"/{_escaped(path)}")
    path = folded.rstrip("/") or "/"
    parameters = _SESSION.sub("", _escaped(query)).rstrip("&").split("&")
    query = "&".join(sorted(parameters, key=lambda one: one.split("=", 1)))
    return f"{where}){path}" + (f"?{query}" if query else "")


def _escaped(part: str) -> str:
    """Lower case, with percent signs only where they must be."""
    raw = part.encode("utf-8", "surrogatepass")
    for _ in range(_UNESCAPED):
        before, raw = raw, unquote_to_bytes(raw)
        if raw == before:
            break
    raw = raw.lower()
    return "".join(chr(byte) if byte in _SAFE else f"%{byte:02x}" for byte in raw)


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
    found = [code for code, _ in shares.ranked(language, parts)]
    if len(found) == 1 and runner_up not in (None, languages.UND, languages.ZXX) and (second or 0) >= SECOND:
        found.append(str(runner_up))
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
    for source in connection.execute("SELECT id, name FROM sources ORDER BY id").fetchall():
        made = _add(connection, source, _found(source[1], db), selection, made)
    connection.execute("COMMIT")
    for (line,) in connection.execute("SELECT line FROM temp.cdxj ORDER BY line"):
        file.write(line)
    connection.execute("DROP TABLE temp.cdxj")
    return made


def _found(name: str, db: Path) -> Path | None:
    return next((path for path in (Path(name), db.parent / name) if path.is_file()), None)


def _add(
    connection: sqlite3.Connection, source: tuple[int, str], path: Path | None, selection: Selection, made: Made
) -> Made:
    number, name = source
    chosen, values = selection.source()
    query = (
        "SELECT captures.offset, captures.date, captures.digest, pages.url, pages.mime,"
        f" pages.status, pages.language, pages.runner_up, pages.runner_up_confidence, {shares.SHARES},"
        " captures.revisit_of IS NOT NULL, pages.charset"
        f" FROM {chosen} AS pages JOIN captures ON captures.page = pages.page"
        " WHERE captures.source = :source ORDER BY captures.offset"
    )
    rows = connection.execute(query, values | {"source": number, "own": content_run(connection)})
    lines = without = 0
    batch: list[tuple[bytes]] = []
    for row, length in _with_lengths(rows, path):
        batch.append((_line(row, length, Path(name).name).encode("utf-8", "replace"),))
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
            yield row[0]

    for _, length in lengths(path, offsets()):
        yield waiting.pop(), length


def _line(row: tuple[Any, ...], length: int | None, filename: str) -> str:
    offset, date, digest, url, mime, status, language, runner_up, second, parts, revisit, charset = row
    stamp = "".join(re.findall(r"\d", date))[:_DIGITS]
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
    return f"{sort_key(url)} {stamp or '0' * _DIGITS} {json_text(known)}\n"
