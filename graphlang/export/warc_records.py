"""WARC records that say the language of pages: a sidecar of metadata records, and texts as in WET.

The original archive is never written to. Common Crawl's WET has the field ``WARC-Identified-Content-Language`` with up
to three ISO 639-3 codes; so do these records.
"""

from __future__ import annotations

import io
import json
from typing import IO, TYPE_CHECKING, Any, Final
from uuid import NAMESPACE_URL, uuid5

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from graphlang import __version__
from graphlang.export.cdxj import codes
from graphlang.maps import shares
from graphlang.maps.selection import content_run

if TYPE_CHECKING:
    import sqlite3

    from graphlang.export.tables import Table
    from graphlang.maps.selection import Selection

_FIELD: Final = "WARC-Identified-Content-Language"
_UNKNOWN: Final = "1970-01-01T00:00:00Z"  # WARC wants a date


def _warcinfo(writer: WARCWriter, what: str) -> None:
    info = {
        "software": f"graphlang/{__version__}",
        "format": "WARC File Format 1.1",
        "description": f"languages of web pages: {what}",
    }
    record = writer.create_warcinfo_record("languages.warc.gz", info)
    record.rec_headers.replace_header("WARC-Date", _UNKNOWN)
    record.rec_headers.replace_header("WARC-Record-ID", f"<urn:uuid:{uuid5(NAMESPACE_URL, json.dumps(info))}>")
    writer.write_record(record)


def _header(value: str) -> str:
    return "".join(" " if character in "\r\n" else character for character in value)


def _write(
    writer: WARCWriter, kind: str, about: tuple[str, str], said: dict[str, str], body: tuple[str, bytes]
) -> None:
    (url, date), (mime, block) = about, body
    fields = [
        ("WARC-Type", kind),
        ("WARC-Target-URI", _header(url)),
        ("WARC-Date", date or _UNKNOWN),
        ("WARC-Record-ID", f"<urn:uuid:{uuid5(NAMESPACE_URL, f'{kind} {date} {url}')}>"),
        *((name, _header(value)) for name, value in said.items() if value),
        ("Content-Type", mime),
        ("Content-Length", str(len(block))),
    ]
    record = writer.create_warc_record(
        url,
        kind,
        payload=io.BytesIO(block),
        length=len(block),
        warc_headers=StatusAndHeaders("", fields, protocol="WARC/1.1"),
    )
    writer.write_record(record)


def write_metadata(connection: sqlite3.Connection, selection: Selection, file: IO[bytes]) -> int:
    """Write a metadata record for each fetched page that counts: language, script, confidence, method, runner-up.

    Args:
        connection: a collection.
        selection: which pages count.
        file: is left open; gzip, a member a record.

    Returns:
        The number of metadata records.
    """
    writer = WARCWriter(file, gzip=True, warc_version="1.1")
    _warcinfo(writer, "metadata records; the pages are in the archives that they refer to")
    source, values = selection.source()
    rows = connection.execute(
        f"SELECT url, date, {shares.SHARES}, language, script, confidence, runner_up, runner_up_confidence, method"
        f" FROM {source} AS pages WHERE fetched ORDER BY page",
        values | {"own": content_run(connection)},
    )
    written = 0
    for url, date, parts, *said in rows:
        language, script, confidence, runner_up, second, method = said
        about: dict[str, Any] = {
            "language": language,
            "script": script,
            "confidence": confidence,
            "runner-up": runner_up,
            "runner-up-confidence": second,
            "method": method,
            "shares": shares.in_words(shares.ranked(language, parts))[1] if parts != shares.NONE else None,
        }
        body = "".join(f"{name}: {value}\r\n" for name, value in about.items() if value is not None).encode()
        refers = {
            "WARC-Refers-To-Target-URI": url,
            "WARC-Refers-To-Date": date,
            _FIELD: codes(language, runner_up, second, parts),
        }
        _write(writer, "metadata", (url, date), refers, ("application/warc-fields", body))
        written += 1
    return written


def write_wet(table: Table, file: IO[bytes]) -> int:
    """Write a conversion record for each text, as in Common Crawl's WET: title and whole text, a paragraph a line.

    Args:
        table: what `graphlang.export.texts.texts` gives; where it has no whole texts, the main content is written.
        file: is left open; gzip, a member a record.

    Returns:
        The number of conversion records.
    """
    writer = WARCWriter(file, gzip=True, warc_version="1.1")
    _warcinfo(writer, "conversion records with the text of pages")
    at = {name: place for place, name in enumerate(table.columns)}
    body = at.get("text", at["main"])
    written = 0
    for row in table.rows:
        text = f"{row[at['title']]}\n{row[body]}" if row[at["title"]] else row[body]
        said = {_FIELD: codes(row[at["language"]], None, None)}
        url, date = row[at["url"]], row[at["date"]]
        _write(writer, "conversion", (url, date), said, ("text/plain", text.encode("utf-8", "replace")))
        written += 1
    return written
