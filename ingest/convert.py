"""WARC and ARC files -> store files, and back: every record, byte for byte."""

from __future__ import annotations

import gzip
import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from graphlang.ingest.formats.arc import Arc
from graphlang.ingest.formats.detect import open_records
from graphlang.ingest.formats.observatory_store import write_record
from graphlang.ingest.limits import Limits
from graphlang.ingest.payload.http_response import text
from graphlang.whole_file import refuse_empty, replacing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from graphlang.ingest.formats.records import Raw

_LENGTH = re.compile(rb"(\ncontent-length[ \t]*:[ \t]*)\d{1,18}", re.IGNORECASE)
_LIMITS = Limits(max_payload=1 << 30)  # a record is to be copied whole, whatever it is


class Converted(NamedTuple):
    """What a conversion did."""

    records: int  #: that were written
    faults: list[tuple[int, str, str]]  #: offset, kind and reason of each thing that was wrong with the source


def to_store(source: Path, target: Path, *, progress: Callable[[int], None] = lambda _done: None) -> Converted:
    """Write the records of an archive, of all types, to a store file.

    Args:
        source: any archive that can be read.
        target: is replaced when all is written, and left as it was if anything fails.
        progress: told how many bytes of the source are done.

    Raises:
        OSError: the source cannot be read, or the target not written; the source has no record and there is a target.
    """
    with replacing(target) as file:
        return _copied(source, target, lambda raw: write_record(file, raw.head, raw.block), progress)


def to_warc(source: Path, target: Path, *, progress: Callable[[int], None] = lambda _done: None) -> Converted:
    """Write the records of a store file, or of any other archive, to a WARC file, compressed if its name ends in .gz.

    Records that came from WARC have the header that they had; those that came from ARC get one.

    Args:
        source: the store file.
        target: as in `to_store`.
        progress: as in `to_store`.

    Raises:
        OSError: the source cannot be read, or the target not written.
    """
    compressed = target.name.lower().endswith(".gz")
    with replacing(target) as file:

        def write(raw: Raw) -> None:
            record = _header(raw) + raw.block + b"\r\n\r\n"
            file.write(gzip.compress(record, mtime=0) if compressed else record)

        return _copied(source, target, write, progress)


def _copied(source: Path, target: Path, write: Callable[[Raw], None], progress: Callable[[int], None]) -> Converted:
    records = 0
    faults: list[tuple[int, str, str]] = []
    with open_records(source, _LIMITS) as reader:
        for raw in reader:
            faults += [(raw.offset, kind, reason) for kind, reason in raw.faults]
            if raw.item is not None:
                faults.append(
                    (raw.offset, "not-a-record", "a page that was extracted, without the record it came from")
                )
            if raw.head:
                write(raw)
                records += 1
            progress(reader.bytes_read)
    if not records:
        refuse_empty(target)
    return Converted(records, faults)


def _header(raw: Raw) -> bytes:
    """Return the record's WARC header, with the length that the block has."""
    if raw.head[:5].upper() == b"WARC/":
        return _LENGTH.sub(lambda found: found[1] + str(len(raw.block)).encode(), raw.head, count=1)
    found = Arc.fields(raw.head)
    url, date, mime = found or (b"", "", b"")
    kind, content = "resource", text(mime) or "application/octet-stream"
    if url.startswith(b"filedesc:"):
        kind, content = "warcinfo", "application/octet-stream"
    elif raw.block.startswith(b"HTTP/"):
        kind, content = "response", "application/http; msgtype=response"
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, hashlib.sha256(raw.head + raw.block).hexdigest())}>",
        f"WARC-Target-URI: {text(url)}" if kind != "warcinfo" else "",
        f"WARC-Date: {date}" if date else "",
        f"Content-Type: {content}",
        f"Content-Length: {len(raw.block)}",
    ]
    return ("\r\n".join(line for line in lines if line) + "\r\n\r\n").encode()
