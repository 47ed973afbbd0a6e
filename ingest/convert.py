"""Convert WARC and ARC files to store files, and back: every record, byte for byte."""

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

from graphlang.files import open_replacement, refuse_empty
from graphlang.ingest.formats.arc import Arc
from graphlang.ingest.formats.detect import open_records
from graphlang.ingest.formats.observatory_store import write_record
from graphlang.ingest.limits import Limits
from graphlang.ingest.payload.http import decode_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from graphlang.ingest.raw import Faults, RawRecord, Remainder

_LENGTH = re.compile(rb"(\ncontent-length[ \t]*:[ \t]*)\d{1,18}", re.IGNORECASE)
_PIECE = 1 << 18
_MAX_URL = 300  # characters of a URL in a fault
#: No line of a WARC header may hold them: one could end the line and begin another field.
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")


class Conversion(NamedTuple):
    """The result of a conversion."""

    records: int  #: written
    faults: list[tuple[int, str, str]]  #: of the source: offset, kind and reason


def convert_to_store(
    source: Path, target: Path, limits: Limits | None = None, *, progress: Callable[[int], None] = lambda _bytes: None
) -> Conversion:
    """Write the records of an archive of any format, of all types, to a store file.

    Bytes of a record beyond ``max_payload`` are copied piece by piece, in bounded memory; of the limits only
    ``max_ratio`` and ``max_payload`` count. The target is replaced at the end, and does not change if anything fails.
    ``progress`` gets the number of bytes of the source that are read. Raise an OSError if the source cannot be read or
    the target not written, or the source has no record and the target exists.
    """
    with open_replacement(target) as file:

        def write(raw: RawRecord) -> Faults:
            write_record(file, raw.head, raw.block, raw.remainder or (), folder=target.resolve().parent)
            return ()

        return _copy_records(source, target, limits, write, progress)


def convert_to_warc(
    source: Path, target: Path, limits: Limits | None = None, *, progress: Callable[[int], None] = lambda _bytes: None
) -> Conversion:
    """Write the records of a store file, or of any other archive, to a WARC file, compressed if its name ends in .gz.

    Records from WARC keep their header; those from ARC get one. Control characters in the URL of such a record, such as
    a line end, are percent-encoded, and are a fault. Arguments and errors are those of `convert_to_store`.
    """
    compressed = target.name.lower().endswith(".gz")
    with open_replacement(target) as file:

        def write(raw: RawRecord) -> Faults:
            if raw.remainder is not None:
                return _write_long(file, raw, raw.remainder, target.resolve().parent, compressed=compressed)
            size, digest = len(raw.block), hashlib.sha256(raw.head + raw.block)
            header, faults = _make_header(raw, size, digest.hexdigest())
            record = header + raw.block + b"\r\n\r\n"
            file.write(gzip.compress(record, mtime=0) if compressed else record)
            return faults

        return _copy_records(source, target, limits, write, progress)


def _write_long(file: IO[bytes], raw: RawRecord, remainder: Remainder, folder: Path, *, compressed: bool) -> Faults:
    """Write a record of unknown length by way of a temporary file: the header, which has the length, comes first."""
    size, digest = 0, hashlib.sha256(raw.head)
    with TemporaryFile(dir=folder) as stored:
        with gzip.GzipFile(fileobj=stored, mode="wb", compresslevel=1) as packed:  # long records compress well
            for piece in chain((raw.block,), remainder):
                size += len(piece)
                digest.update(piece)
                packed.write(piece)
        stored.seek(0)
        header, faults = _make_header(raw, size, digest.hexdigest())
        with gzip.GzipFile(fileobj=stored, mode="rb") as block:
            pieces = chain((header,), iter(lambda: block.read(_PIECE), b""), (b"\r\n\r\n",))
            for piece in _compress(pieces) if compressed else pieces:
                file.write(piece)
    return faults


def _compress(pieces: Iterable[bytes]) -> Iterable[bytes]:
    deflate = zlib.compressobj(9, wbits=31)
    yield from map(deflate.compress, pieces)
    yield deflate.flush()


def _copy_records(
    source: Path,
    target: Path,
    limits: Limits | None,
    write: Callable[[RawRecord], Faults],
    progress: Callable[[int], None],
) -> Conversion:
    records = 0
    faults: list[tuple[int, str, str]] = []
    with open_records(source, replace(limits or Limits(), whole=True)) as reader:
        for raw in reader:
            record_faults = raw.faults
            if raw.item is not None:
                faults.append(
                    (raw.offset, "not-a-record", "a page that was extracted, without the record it came from")
                )
            if raw.head:
                record_faults += write(raw)
                records += 1
            record_faults += raw.remainder.finish() if raw.remainder is not None else ()
            faults += [(raw.offset, kind, reason) for kind, reason in record_faults]
            progress(reader.bytes_read)
    if not records:
        refuse_empty(target)
    return Conversion(records, faults)


def _make_header(raw: RawRecord, size: int, digest: str) -> tuple[bytes, Faults]:
    """Return a WARC header for a record with a block of ``size`` bytes, and the faults of the header that it had.

    The id of the record follows from the digest of header and block, so that the same record has the same id.
    """
    if raw.head[:5].upper() == b"WARC/":
        return _LENGTH.sub(lambda match: match[1] + str(size).encode(), raw.head, count=1), ()
    written, date, mime = Arc.fields(raw.head) or (b"", "", b"")
    url = _CONTROL.sub(lambda control: b"%%%02X" % control[0][0], written)
    written_as = decode_value(url)[:_MAX_URL]
    reason = f"a URL with control characters, which no WARC header may hold, is written as {written_as}"
    faults: Faults = () if url == written else (("bad-header", reason),)
    kind, content = "resource", decode_value(_CONTROL.sub(b"", mime)) or "application/octet-stream"
    if url.startswith(b"filedesc:"):
        kind, content = "warcinfo", "application/octet-stream"
    elif raw.block.startswith(b"HTTP/"):
        kind, content = "response", "application/http; msgtype=response"
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, digest)}>",
        f"WARC-Target-URI: {decode_value(url)}" if kind != "warcinfo" else "",
        f"WARC-Date: {date}" if date else "",
        f"Content-Type: {content}",
        f"Content-Length: {size}",
    ]
    return ("\r\n".join(line for line in lines if line) + "\r\n\r\n").encode(), faults
