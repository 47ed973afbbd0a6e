"""WARC and ARC files -> store files, and back: every record, byte for byte."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from dataclasses import replace
from itertools import chain
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from graphlang.files import refuse_empty, replacing
from graphlang.ingest.formats.arc import Arc
from graphlang.ingest.formats.detect import open_records
from graphlang.ingest.formats.observatory_store import write_record
from graphlang.ingest.limits import Limits
from graphlang.ingest.payload.http_response import text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from graphlang.ingest.formats.records import RawRecord
    from graphlang.ingest.formats.rest import Faults, Rest

_LENGTH = re.compile(rb"(\ncontent-length[ \t]*:[ \t]*)\d{1,18}", re.IGNORECASE)
_PIECE = 1 << 18
_MAX_TOLD = 300  # characters of a URL
#: What no line of a WARC header may hold: it could end the line, and what follows would be a field of its own.
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")


class Converted(NamedTuple):
    """What a conversion did."""

    records: int  #: that were written
    faults: list[tuple[int, str, str]]  #: offset, kind and reason of each thing that was wrong with the source


def to_store(
    source: Path, target: Path, limits: Limits | None = None, *, progress: Callable[[int], None] = lambda _done: None
) -> Converted:
    """Write the records of an archive, of all types, to a store file.

    What of a record is beyond ``max_payload`` is written as it is read; memory does not grow with it.

    Args:
        source: any archive that can be read.
        target: is replaced when all is written, and left as it was if anything fails.
        limits: ``max_ratio``, and ``max_payload`` as above.
        progress: told how many bytes of the source are done.

    Raises:
        OSError: the source cannot be read, or the target not written; the source has no record and there is a target.
    """
    with replacing(target) as file:

        def write(raw: RawRecord) -> Faults:
            write_record(file, raw.head, raw.block, raw.rest or (), folder=target.resolve().parent)
            return ()

        return _copied(source, target, limits, write, progress)


def to_warc(
    source: Path, target: Path, limits: Limits | None = None, *, progress: Callable[[int], None] = lambda _done: None
) -> Converted:
    """Write the records of a store file, or of any other archive, to a WARC file, compressed if its name ends in .gz.

    Records that came from WARC have the header that they had; those that came from ARC get one. Where the URL of such a
    record has control characters, a line end say, they are percent-encoded, and a fault tells it.

    Args:
        source: the store file.
        target: as in `to_store`.
        limits: as in `to_store`.
        progress: as in `to_store`.

    Raises:
        OSError: the source cannot be read, or the target not written.
    """
    compressed = target.name.lower().endswith(".gz")
    with replacing(target) as file:

        def write(raw: RawRecord) -> Faults:
            if raw.rest is not None:
                return _write_long(file, raw, raw.rest, target.resolve().parent, compressed=compressed)
            size, digest = len(raw.block), hashlib.sha256(raw.head + raw.block)
            header, faults = _header(raw, size, digest.hexdigest())
            record = header + raw.block + b"\r\n\r\n"
            file.write(gzip.compress(record, mtime=0) if compressed else record)
            return faults

        return _copied(source, target, limits, write, progress)


def _write_long(file: IO[bytes], raw: RawRecord, rest: Rest, folder: Path, *, compressed: bool) -> Faults:
    """Write a record whose length is known only when all of it was read: until then it lies in a temporary file."""
    size, digest = 0, hashlib.sha256(raw.head)
    with TemporaryFile(dir=folder) as stored:
        with gzip.GzipFile(fileobj=stored, mode="wb", compresslevel=1) as packed:  # what unpacks to a lot packs well
            for piece in chain((raw.block,), rest):
                size += len(piece)
                digest.update(piece)
                packed.write(piece)
        stored.seek(0)
        header, faults = _header(raw, size, digest.hexdigest())
        with gzip.GzipFile(fileobj=stored, mode="rb") as block:
            pieces = chain((header,), iter(lambda: block.read(_PIECE), b""), (b"\r\n\r\n",))
            for piece in _packed(pieces) if compressed else pieces:
                file.write(piece)
    return faults


def _packed(pieces: Iterable[bytes]) -> Iterable[bytes]:
    deflate = zlib.compressobj(9, wbits=31)
    yield from map(deflate.compress, pieces)
    yield deflate.flush()


def _copied(
    source: Path,
    target: Path,
    limits: Limits | None,
    write: Callable[[RawRecord], Faults],
    progress: Callable[[int], None],
) -> Converted:
    records = 0
    faults: list[tuple[int, str, str]] = []
    with open_records(source, replace(limits or Limits(), whole=True)) as reader:
        for raw in reader:
            told = raw.faults
            if raw.item is not None:
                faults.append(
                    (raw.offset, "not-a-record", "a page that was extracted, without the record it came from")
                )
            if raw.head:
                told += write(raw)
                records += 1
            told += raw.rest.finish() if raw.rest is not None else ()
            faults += [(raw.offset, kind, reason) for kind, reason in told]
            progress(reader.bytes_read)
    if not records:
        refuse_empty(target)
    return Converted(records, faults)


def _header(raw: RawRecord, size: int, digest: str) -> tuple[bytes, Faults]:
    """Return the record's WARC header, and what is wrong with the one that it had.

    Args:
        raw: the record.
        size: of its block.
        digest: of header and block: records that are the same have the same id.
    """
    if raw.head[:5].upper() == b"WARC/":
        return _LENGTH.sub(lambda found: found[1] + str(size).encode(), raw.head, count=1), ()
    found = Arc.fields(raw.head)
    written, date, mime = found or (b"", "", b"")
    url = _CONTROL.sub(lambda control: b"%%%02X" % control[0][0], written)
    reason = f"a URL with control characters, which no WARC header may hold, is written as {text(url)[:_MAX_TOLD]}"
    faults: Faults = () if url == written else (("bad-header", reason),)
    kind, content = "resource", text(_CONTROL.sub(b"", mime)) or "application/octet-stream"
    if url.startswith(b"filedesc:"):
        kind, content = "warcinfo", "application/octet-stream"
    elif raw.block.startswith(b"HTTP/"):
        kind, content = "response", "application/http; msgtype=response"
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, digest)}>",
        f"WARC-Target-URI: {text(url)}" if kind != "warcinfo" else "",
        f"WARC-Date: {date}" if date else "",
        f"Content-Type: {content}",
        f"Content-Length: {size}",
    ]
    return ("\r\n".join(line for line in lines if line) + "\r\n\r\n").encode(), faults
