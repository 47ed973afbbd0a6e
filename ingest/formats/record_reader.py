"""Read the raw records of a WARC or ARC file, or of a byte range of it.

The format follows from the content, and from the file name only if the content is damaged.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING, BinaryIO

from graphlang.ingest.files.decompress import ByteSource, Chunk
from graphlang.ingest.formats.arc import Arc
from graphlang.ingest.formats.records import End, PlainMembers, read_raw_records
from graphlang.ingest.formats.warc import Warc
from graphlang.ingest.raw import Grammar, RawRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.ingest.limits import Limits

_SNIFFED = 1 << 16  # bytes in which a damaged archive must have a record, to be recognised as one
#: The first line of a CDX file; a line with a reversed host and a date; or two lines like headers of ARC records.
_INDEX = re.compile(
    rb"(?: ?CDX [ A-Za-z]{1,99}\r?\n|!(?:meta|context|id|keys)\b|[\w-]+(?:,[\w-]+)*(?::\d+)?\)/\S{0,8192} \d{14} "
    rb"|(?:https?|ftp|dns)://?\S{1,8192} [\d.:a-fA-F]{3,45} \d{14} [^\r\n]{1,2048}(?<! 0)\r?\n"
    rb"(?:https?|ftp|dns)://?\S{1,8192} [\d.:a-fA-F]{3,45} \d{14} )"
)
GRAMMARS: tuple[Grammar, ...] = (Warc(), Arc())


class RecordReader:
    """Read one file, or a byte range of it.

    A byte range ends before the first record at or after ``stop``; in a compressed file, before the first gzip member
    or frame there that begins with a record. No record crosses that place. So the byte ranges of a file, each begun
    where the one before it ended, give the same records as the whole file.

    ``name`` decides the format of a damaged archive. ``begin`` is 0, or `ended` of another reader of the same file.
    ``stop`` is where to end, if a record starts there, else at the next that does; None for the end of the file.
    ``room`` is the number of bytes that may be unpacked in all; None for as many as the file's size allows.
    """

    def __init__(
        self,
        file: BinaryIO,
        name: str,
        limits: Limits,
        *,
        begin: int = 0,
        stop: int | None = None,
        room: int | None = None,
    ) -> None:
        self._source = ByteSource(file, begin, max_ratio=limits.max_ratio, room=room)
        self._name = name.lower()
        self._limits = limits
        self._begin = begin
        self._stop = stop
        self.ended: int | None = None  #: where the next byte range begins; None at the end of the file

    @property
    def bytes_read(self) -> int:
        """Return the offset reached in the stored file."""
        return self._source.position

    @property
    def unpacked(self) -> int:
        """Bytes unpacked so far; 0 for a file that is not compressed."""
        return self._source.unpacked

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records; a file that is no archive yields one without header, with a fault."""
        chunks = self._source.read_chunks()
        first = list(islice(chunks, 2))
        reported = False
        if not any(chunk.data for chunk in first):
            reason = next((chunk.fault for chunk in first if chunk.fault), "the file is empty")
            if not first or all(not chunk.fault for chunk in first):
                yield RawRecord(0, b"", b"", (("not-an-archive", "the file is empty"),))
                return
            yield RawRecord(0, b"", b"", (("damaged", reason),))
            first, reported = [], True
        head = b"".join(chunk.data for chunk in first)
        if not self._begin and is_index(head):
            yield RawRecord(0, b"", b"", (("not-an-archive", "an index (CDX), not an archive"),))
            return
        grammar = _choose_grammar(head, self._name)
        if grammar is None:
            yield RawRecord(
                0, b"", b"", (("not-an-archive", "unknown format: 'graphlang ingest --help' lists the formats"),)
            )
            return
        chunks = chain(first, chunks)
        packed = bool(self._source.compression)
        end = None if self._stop is None or packed else End(self._stop)
        if self._stop is not None and packed:
            chunks = self._read_until(chunks, self._stop, grammar)
        members = 2 if self._begin and packed else 0
        plain = PlainMembers(self._limits) if packed and isinstance(grammar, Warc) else None
        records = read_raw_records(chunks, grammar, self._limits, self._source, members=members, end=end, plain=plain)
        first_record = next(records, None)
        if end is not None:
            self.ended = end.reached
        if first_record is None and not reported and not self._begin and self.ended is None:
            yield RawRecord(0, b"", b"", (("not-an-archive", f"no {grammar.name} record in the file"),))
        if first_record is not None:
            yield first_record
            yield from records
        if end is not None:
            self.ended = end.reached

    def _read_until(self, chunks: Iterator[Chunk], stop: int, grammar: Grammar) -> Iterator[Chunk]:
        for chunk in chunks:
            # The condition that ends a run of records in `graphlang.ingest.formats.records`.
            if chunk.offset >= stop and chunk.fresh and grammar.starts(chunk.data, 0):
                self.ended = chunk.offset
                return
            yield chunk


class Within:
    """Read an archive that begins at an offset of another file; offsets are those in that file."""

    def __init__(self, reader: RecordReader, begin: int) -> None:
        self._reader = reader
        self._begin = begin

    @property
    def bytes_read(self) -> int:
        """Offset in the file that was reached."""
        return self._begin + self._reader.bytes_read

    @property
    def ended(self) -> int | None:
        """Return where the next byte range begins, in the archive; None at its end."""
        return self._reader.ended

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records."""
        for raw in self._reader:
            yield raw._replace(offset=self._begin + raw.offset)


def is_index(head: bytes) -> bool:
    r"""Return whether a file is an index of archives (CDX, CDXJ): its lines name records, and no block follows them.

    >>> is_index(b" CDX N b a m s k r M S V g\n"), is_index(b'com,example)/ 20210304050607 {"mime": "text/html"}\n')
    (True, True)
    """
    return _INDEX.match(head) is not None


def _choose_grammar(head: bytes, name: str) -> Grammar | None:
    """Choose the format by the first bytes, else by the first record after damage, else by the name."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    for grammar in GRAMMARS:
        if grammar.starts(start, 0):
            return grammar
    for grammar in GRAMMARS:
        if grammar.find(head[:_SNIFFED], 0) >= 0:
            return grammar
    return next((grammar for grammar in GRAMMARS if f".{grammar.name.lower()}" in name), None)
