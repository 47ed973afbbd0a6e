"""Which reader a file gets: told by its content, and by its name only where the content is damaged.

Other packages can add readers under the entry point group ``graphlang.readers``; they are loaded only where a user asks
for them (`graphlang.plugins`). An entry point names a function that takes the first bytes of a file (decompressed, at
most 64 KB) and its name. It returns None, or a function that takes the open file, as it is stored, and yields Page and
Problem records of `graphlang.db.records` in the order of the file:

    def reader(head: bytes, name: str) -> Callable[[BinaryIO], Iterator[Page | Problem]] | None

They are asked before our own, in the order of their names. What they yield must not depend on anything but the file, so
that reading can be stopped and taken up again.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, Protocol

from graphlang.ingest.files.decompress import Source
from graphlang.ingest.formats.added_page import checked
from graphlang.ingest.formats.record_reader import GRAMMARS, RecordReader, Within
from graphlang.ingest.formats.records import RawRecord
from graphlang.plugins import FAILURES, READERS, found, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphlang.ingest.files.byte_ranges import ByteRange
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.page import Item

_SNIFFED = 1 << 16


class Records(Protocol):
    """A file, or a byte range of it, that is being read."""

    @property
    def bytes_read(self) -> int:
        """Offset in the file, as it is stored, that was reached."""

    @property
    def ended(self) -> int | None:
        """Where the next byte range begins; None at the end of the file."""

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records, and what is none, in the order of the file."""


class _Added:
    """What a reader of another package yields."""

    ended: int | None = None

    def __init__(self, file: BinaryIO, read: Callable[[BinaryIO], Iterator[Item]], name: str, limits: Limits) -> None:
        self._file = file
        self._read = read
        self._name = name
        self._limits = limits

    @property
    def bytes_read(self) -> int:
        return self._file.tell()

    def __iter__(self) -> Iterator[RawRecord]:
        try:
            for yielded in self._read(self._file):
                item = checked(yielded, self._limits)
                yield RawRecord(item.offset or 0, b"", b"", item=item)
        except OSError:
            raise
        except FAILURES as error:  # the other files are innocent
            reason = f"the reader {self._name} failed: {type(error).__name__}: {error}"[:500]
            yield RawRecord(0, b"", b"", (("failed", reason),))


def _fail(error: BaseException, file: BinaryIO) -> NoReturn:
    del file
    raise error


@contextmanager
def open_records(path: Path, limits: Limits, *, begin: int = 0, stop: int | None = None) -> Iterator[Records]:
    """Open a file, or a folder that holds a mirror.

    Args:
        path: where it is.
        limits: bounds of a record.
        begin: see `graphlang.ingest.formats.record_reader.RecordReader`; not 0 only for archives.
        stop: the same.

    Raises:
        OSError: it cannot be opened, or, while records are taken, read.
    """
    if not begin and path.is_dir():
        from graphlang.ingest.formats.wget_mirror import Mirror  # noqa: PLC0415

        yield Mirror(path, limits)
        return
    with path.open("rb", buffering=0) as file:
        yield (
            _reader(file, path.name, limits, stop)
            if not begin
            else RecordReader(file, path.name, limits, begin=begin, stop=stop)
        )


@contextmanager
def open_range(byte_range: ByteRange, limits: Limits, begin: int) -> Iterator[Records]:
    """Open a byte range of a file, or of an archive within one; offsets are those in the file.

    Args:
        byte_range: which one.
        limits: bounds of a record.
        begin: where to start, counted from the first byte of the archive that the byte range is of.

    Raises:
        OSError: as with `open_records`.
    """
    if byte_range.size < 0:
        with open_records(byte_range.path, limits, begin=begin, stop=byte_range.stop) as reader:
            yield reader
        return
    with byte_range.opened() as file:
        yield Within(RecordReader(file, byte_range.name, limits, begin=begin, stop=byte_range.stop), byte_range.base)


def _reader(file: BinaryIO, name: str, limits: Limits, stop: int | None) -> Records:
    stored = file.read(_SNIFFED)
    head = b"".join(chunk.data for chunk, _ in zip(_chunks(file), range(2), strict=False))[:_SNIFFED]
    file.seek(0)
    for added, entry in found(READERS).items():
        choose = load(entry)
        try:
            read = choose(head, name)
        except FAILURES as error:  # the other files are innocent
            read = partial(_fail, error)
        if read is not None:
            return _Added(file, read, added, limits)
    if any(
        grammar.starts(head, 0) and not grammar.find(head, 0) for grammar in GRAMMARS
    ):  # nearly always; the other readers need not be imported
        return RecordReader(file, name, limits, stop=stop)
    return _rarer(file, stored, head, limits) or RecordReader(file, name, limits, stop=stop)


def _rarer(file: BinaryIO, stored: bytes, head: bytes, limits: Limits) -> Records | None:
    import zipfile  # noqa: PLC0415

    from graphlang.ingest.formats.jsonl import Jsonl  # noqa: PLC0415
    from graphlang.ingest.formats.observatory_store import COOKIE, Store  # noqa: PLC0415
    from graphlang.ingest.formats.wacz import MAGIC, Wacz  # noqa: PLC0415

    packed = stored.startswith(MAGIC)
    # A store file whose first bytes are damaged may begin like anything, and a WACZ may hold a store file.
    if COOKIE in stored and not (packed and zipfile.is_zipfile(file)):
        return Store(file, limits)
    if packed:
        return Wacz(file, limits)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return Jsonl(file, limits)
    return None


def _chunks(file: BinaryIO) -> Iterator[Any]:
    file.seek(0)
    return Source(file).chunks()
