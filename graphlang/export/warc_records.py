"""WARC records that say the language of pages: a sidecar of metadata records, and texts as in WET.

The original archive is never written to. Common Crawl's WET has the field ``WARC-Identified-Content-Language`` with up
to three ISO 639-3 codes; so do these records.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final

from graphlang import __version__
from graphlang.export.cdxj import codes
from graphlang.export.warc_writer import RecordWriter
from graphlang.maps import captures, shares

if TYPE_CHECKING:
    import sqlite3

    from graphlang.export.tables import Table
    from graphlang.maps.selection import Selection

_FIELD: Final = "WARC-Identified-Content-Language"
#: Fields of a metadata record.
_SAID: Final = (
    *("language", "script", "confidence", "runner-up", "runner-up-confidence", "method", "shares", "payload-digest"),
)


def _begin(file: IO[bytes], what: str, *, compressed: bool) -> RecordWriter:
    """Write the first record, which says what the file is."""
    info = {
        "software": f"graphlang/{__version__}",
        "format": "WARC File Format 1.1",
        "description": f"languages of web pages: {what}",
    }
    writer = RecordWriter(file, compressed=compressed)
    writer.about_the_file(info)
    return writer


def write_metadata(
    connection: sqlite3.Connection, selection: Selection, file: IO[bytes], *, compressed: bool = True
) -> int:
    """Write a metadata record for each capture that counts: language, script, confidence, method, runner-up.

    Args:
        connection: a collection.
        selection: which pages count.
        file: is left open.
        compressed: gzip, a member a record.

    Returns:
        The number of metadata records.
    """
    what = "metadata records; the pages are in the archives that they refer to"
    writer = _begin(file, what, compressed=compressed)
    source, values = captures.source(connection, selection)
    rows = connection.execute(
        f"SELECT url, date, digest, {shares.of_run('pages.text_run')}, language, script, confidence, runner_up,"
        f" runner_up_confidence, method FROM {source} AS pages ORDER BY page, date, capture",
        values,
    )
    written = 0
    for url, date, digest, parts, *said in rows:
        language, script, confidence, runner_up, second, method = said
        told = (
            *(language, script, confidence, runner_up, second, method),
            shares.in_words(shares.ranked(language, parts))[1] if parts != shares.NONE else None,
            (digest if ":" in digest else f"sha1:{digest}") if digest else None,  # another algorithm is named
        )
        body = "".join([f"{name}: {value}\r\n" for name, value in zip(_SAID, told, strict=True) if value is not None])
        refers = (
            ("WARC-Refers-To-Target-URI", url),
            ("WARC-Refers-To-Date", date),
            (_FIELD, codes(language, runner_up, second, parts)),
        )
        about = url, date, digest
        writer.about_a_page("metadata", about, refers, "application/warc-fields", body.encode("utf-8", "replace"))
        written += 1
    writer.flush()
    return written


def write_wet(table: Table, file: IO[bytes], *, compressed: bool = True) -> int:
    """Write a conversion record for each text, as in Common Crawl's WET: title and whole text, a paragraph a line.

    Args:
        table: what `graphlang.export.texts.texts` gives with ``codes``; where it has no whole texts, the main content
            is written.
        file: is left open.
        compressed: gzip, a member a record.

    Returns:
        The number of conversion records.
    """
    writer = _begin(file, "conversion records with the text of pages", compressed=compressed)
    at = {name: place for place, name in enumerate(table.columns)}
    body = at.get("text", at["main"])
    written = 0
    for row in table.rows:
        text = f"{row[at['title']]}\n{row[body]}" if row[at["title"]] else row[body]
        about = row[at["url"]], row[at["date"]], row[at["digest"]]
        said = ((_FIELD, row[at["codes"]]),)
        writer.about_a_page("conversion", about, said, "text/plain", text.encode("utf-8", "replace"))
        written += 1
    writer.flush()
    return written
