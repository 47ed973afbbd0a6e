"""CDXJ: the index of captures that pywb and other replay tools read, with the languages of each capture."""

from __future__ import annotations

import os
import re
import zlib
from contextlib import closing
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from graphlang.codes import languages
from graphlang.db.write.sources import list_paths
from graphlang.maps import shares
from graphlang.maps.pages import write_captures_sql
from graphlang.printing import format_json

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from graphlang.maps.selection import Selection


#: A second language counts from this probability.
SECOND: Final = 0.2
_NO_LANGUAGE: Final = (languages.UND, languages.ZXX)
_NO_DIGIT: Final = re.compile(r"[^0-9]+")
_FIRST: Final = "00000101000000"  #: completes a date that has only a year, a month or a day
_UNDATED: Final = "0" * 14
_MARKS: Final = str.maketrans("", "", "-:TZ")


class CdxjCounts(NamedTuple):
    """Counts of an index that was written."""

    lines: int
    without_length: int  #: lines of records whose length is unknown
    missing: list[str]  #: archives that do not exist any more


def rank_codes(language: str, runner_up: str | None, second: float | None, parts: str = shares.NONE) -> str:
    """Return up to three ISO 639-3 codes by rank, separated by commas; empty without a language.

    These are the languages of the page; for a page in one language its answer, and a likely second language.

    >>> rank_codes("deu", "nld", 0.3), rank_codes("deu", "nld", 0.1), rank_codes("und", "nld", 0.3)
    ('deu,nld', 'deu', '')
    >>> rank_codes("cym", "bre", 0.3, '[["eng",0.5],["cym",0.5]]')
    'cym,eng'
    """
    if parts == shares.NONE:  # of most pages
        ranking = [] if language in _NO_LANGUAGE else [language]
    else:
        ranking = [code for code, _ in shares.rank_shares(language, parts)]
    if len(ranking) == 1 and (second or 0) >= SECOND and runner_up is not None and runner_up not in _NO_LANGUAGE:
        ranking.append(runner_up)
    return ",".join(dict.fromkeys(ranking))


def write_cdxj(connection: sqlite3.Connection, db: Path, selection: Selection, file: IO[bytes]) -> CdxjCounts:
    """Write the index, sorted by its bytes, as pywb requires.

    The lengths of records are measured in the archives; if an archive is missing, they are left out.
    """
    connection.execute("PRAGMA temp_store=FILE")
    connection.execute("DROP TABLE IF EXISTS temp.cdxj")
    connection.execute("CREATE TEMP TABLE cdxj (line BLOB)")
    index = CdxjCounts(0, 0, [])
    connection.execute("BEGIN")
    names = dict(connection.execute("SELECT id, name FROM sources"))
    for source, rows in groupby(_read_rows(connection, selection), key=itemgetter(0)):
        index = _index_archive(connection, names[source], _find_archive(names[source], db), rows, index)
    connection.execute("COMMIT")
    for (line,) in connection.execute("SELECT line FROM temp.cdxj ORDER BY line"):
        file.write(line)
    connection.execute("DROP TABLE temp.cdxj")
    return index


def _find_archive(name: str, db: Path) -> Path | None:
    paths = [candidate for path in list_paths(name) for candidate in (path, db.parent / path)]
    return next((candidate for candidate in paths if os.path.isfile(candidate)), None)  # noqa: PTH113 - no name is an error to it


def _read_rows(connection: sqlite3.Connection, selection: Selection) -> Iterator[tuple[Any, ...]]:
    """Yield captures in order of their records, so that each archive is read once."""
    chosen, values = write_captures_sql(connection, selection, bare=True)
    query = (
        "SELECT pages.source, pages.offset, pages.date, pages.digest, pages.url, pages.mime, pages.status,"
        f" pages.language, pages.runner_up, pages.runner_up_confidence, {shares.write_shares_sql('pages.text_run')},"
        f" pages.revisit, pages.charset FROM {chosen} AS pages ORDER BY pages.source, pages.offset"
    )
    yield from connection.execute(query, values)


def _index_archive(
    connection: sqlite3.Connection, name: str, path: Path | None, rows: Iterable[tuple[Any, ...]], index: CdxjCounts
) -> CdxjCounts:
    lines, without, filename = 0, 0, Path(name).name
    batch: list[tuple[bytes]] = []
    for row, length in _add_lengths(rows, path):
        batch.append((_format_line(row, length, filename).encode("utf-8", "replace"),))
        lines += 1
        without += length is None
        if len(batch) == _BATCH:
            connection.executemany("INSERT INTO temp.cdxj VALUES (?)", batch)
            batch.clear()
    connection.executemany("INSERT INTO temp.cdxj VALUES (?)", batch)
    missing = [*index.missing, name] if path is None and lines else index.missing
    return CdxjCounts(index.lines + lines, index.without_length + without, missing)


_BATCH: Final = 10_000


def _add_lengths(rows: Iterable[tuple[Any, ...]], path: Path | None) -> Iterator[tuple[tuple[Any, ...], int | None]]:
    if path is None:
        yield from ((row, None) for row in rows)
        return
    waiting: list[tuple[Any, ...]] = []

    def iterate_offsets() -> Iterator[int]:
        for row in rows:
            waiting.append(row)
            yield row[1]

    for _, length in measure_records(path, iterate_offsets()):
        yield waiting.pop(), length


def _format_line(row: tuple[Any, ...], length: int | None, filename: str) -> str:
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
        "languages": rank_codes(language, runner_up, second, parts) or None,
    }
    values = {name: value for name, value in fields.items() if value is not None}
    texts = "".join(values.values())
    if texts.isprintable() and '"' not in texts and "\\" not in texts:  # nothing is escaped
        members = ", ".join([f'"{name}": "{value}"' for name, value in values.items()])
        return f"{make_sort_key(url)} {_format_stamp(date)} {{{members}}}\n"
    return f"{make_sort_key(url)} {_format_stamp(date)} {format_json(values)}\n"


def _format_stamp(date: str) -> str:
    """Return a date as fourteen digits."""
    digits = date.translate(_MARKS)
    if len(digits) == len(_FIRST) and digits.isascii() and digits.isdecimal():
        return digits
    digits = _NO_DIGIT.sub("", date)[: len(_FIRST)]
    return digits + _FIRST[len(digits) :] if digits else _UNDATED


_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 16
_HEADER: Final = 1 << 20
_LENGTH: Final = re.compile(rb"\ncontent-length[ \t]*:[ \t]*(\d{1,15})", re.IGNORECASE)
_MOST: Final = 1 << 30  # bytes that one record may unpack to


def measure_records(path: Path, offsets: Iterable[int]) -> Iterator[tuple[int, int | None]]:
    """Yield (offset, length in bytes) of the records at some ascending offsets.

    The length is that of the gzip member, or of the uncompressed WARC record with its header and the two empty lines
    after it. It is None for another compression, uncompressed ARC, several records in one member, and damage.
    """
    with closing(path.open("rb")) as file:
        before = None
        for offset in offsets:
            length = None if offset == before else _measure_record(file, offset)
            before = offset
            yield offset, length


def _measure_record(file: IO[bytes], offset: int) -> int | None:
    file.seek(offset)
    first = file.read(_CHUNK)
    if first.startswith(_GZIP):
        return _measure_member(file, first)
    if first.startswith(b"WARC/"):
        return _measure_plain_record(file, first)
    return None


def _measure_member(file: IO[bytes], chunk: bytes) -> int | None:
    unpack = zlib.decompressobj(wbits=31)
    read = unpacked = 0
    while chunk:
        read += len(chunk)
        while chunk and not unpack.eof:
            try:
                unpacked += len(unpack.decompress(chunk, _CHUNK * 16))
            except zlib.error:
                return None
            if unpacked > _MOST:
                return None
            chunk = unpack.unconsumed_tail
        if unpack.eof:
            return read - len(unpack.unused_data)
        chunk = file.read(_CHUNK)
    return None


def _measure_plain_record(file: IO[bytes], head: bytes) -> int | None:
    while (end := head.find(b"\r\n\r\n")) < 0 and len(head) < _HEADER:
        chunk = file.read(_CHUNK)
        if not chunk:
            return None
        head += chunk
    match = _LENGTH.search(head, 0, max(end, 0) + 2)
    return end + 4 + int(match[1]) + 4 if end >= 0 and match else None


_WWW: Final = re.compile(r"www\d*\.")
_END: Final = re.compile("[/?#]")
_PORTS: Final = {"http": "80", "https": "443"}
_SAFE: Final = frozenset(b"!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~") | frozenset(range(48, 58)) | frozenset(range(97, 123))
_PLAIN: Final = re.compile(r"[!\"$&'()*+,\-./:;<=>?@[\\\]^_`{|}~0-9A-Za-z]*")  #: unchanged except for its case
#: The last match of each is dropped from a query.
_SESSIONS: Final = tuple(
    re.compile(f"{session}(?:&|$)")
    for session in (
        *("jsessionid=[0-9a-z]{32}", "phpsessid=[0-9a-z]{32}", "sid=[0-9a-z]{32}", "aspsessionid[a-z]{8}=[a-z]{24}"),
        "cfid=(?:(?!cfid=)[^&])+&cftoken=[^&]+",
    )
)
#: Sessions in the path of ASP.NET.
_FOLDERS: Final = (
    re.compile(r"(?<=/)\((?:[a-z]\([0-9a-z]{24}\))+\)/(?=[^?]+\.aspx)"),
    re.compile(r"(?<=/)\([0-9a-z]{24}\)/(?=[^?]+\.aspx)"),
)
_UNESCAPED: Final = 8  # times that a URL may be escaped


def make_sort_key(url: str) -> str:
    """Return the sort key of a URL: host reversed, the rest in lower case.

    Spellings of one address have one key: the scheme, ``www``, usual ports, the order of parameters, session ids, an
    empty query and a final slash do not count.

    >>> make_sort_key("http://www.Example.org:80/A/b%43/?y=2&x=1"), make_sort_key("https://example.org")
    ('org,example)/a/bc?x=1&y=2', 'org,example)/')
    """
    scheme, _, rest = url.partition("://")
    authority, slash, tail = rest.partition("/")
    if "?" in authority or "#" in authority or not slash:
        end = _END.search(rest)
        authority, tail = (rest, "") if end is None else (rest[: end.start()], rest[end.start() :])
    else:
        tail = f"/{tail}"
    path, _, query = tail.partition("#")[0].partition("?")
    return f"{_reverse_site(scheme, authority)}){_normalise_path(path)}{_sort_query(query)}"


@lru_cache(maxsize=4096)  # pages of a site mostly follow each other
def _reverse_site(scheme: str, authority: str) -> str:
    address = authority.rpartition("@")[2].lower()
    host, bracket, port = address.partition("]")
    if not bracket:
        host, _, port = address.partition(":")
    host = host.lstrip("[").replace("..", ".").strip(".")
    www = _WWW.match(host)
    name = ",".join(reversed(host[www.end() if www else 0 :].split(".")))
    port = port.lstrip(":")
    return f"{name}:{port}" if port and port != _PORTS.get(scheme.lower()) else name


def _normalise_path(path: str) -> str:
    folded = _escape(path)
    if "//" in folded or "/." in folded or not folded.startswith("/"):
        folded = _remove_dot_folders(folded)
    if ".aspx" in folded:
        for pattern in _FOLDERS:
            folded = _drop_last(pattern, folded)
    return folded.removesuffix("/") or "/"


def _remove_dot_folders(path: str) -> str:
    """Remove empty folders, and ``.`` and ``..``."""
    folders: list[str] = []
    for folder in path.split("/")[1:]:
        if folder == ".." and folders:
            folders.pop()
        elif folder != ".":
            folders.append(folder)
    return "/" + "".join(f"{folder}/" for folder in folders[:-1] if folder) + (folders[-1] if folders else "")


def _sort_query(query: str) -> str:
    if not query:
        return ""
    escaped = _escape(query)
    if "id" in escaped:
        for pattern in _SESSIONS:
            escaped = _drop_last(pattern, escaped)
    ordered = "&".join(sorted(escaped.split("&"), key=lambda parameter: parameter.split("=", 1)))
    return f"?{ordered}" if ordered else ""


def _drop_last(pattern: re.Pattern[str], text: str) -> str:
    last = None
    for last in pattern.finditer(text):  # noqa: B007 - only the last one counts
        pass
    return text if last is None else text[: last.start()] + text[last.end() :]


def _escape(text: str) -> str:
    """Return lower case, with percent-encoding only where it is required."""
    if _PLAIN.fullmatch(text):
        return text.lower()
    raw = text.encode("utf-8", "surrogatepass")
    for _ in range(_UNESCAPED):
        before, raw = raw, unquote_to_bytes(raw)
        if raw == before:
            break
    raw = raw.lower()
    return "".join(chr(byte) if byte in _SAFE else f"%{byte:02x}" for byte in raw)
