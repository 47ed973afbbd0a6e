"""Raw records: the interface between `formats/`, which cuts a file into them, and `page`, which parses them."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from graphlang.db.records import Page, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

Item: TypeAlias = Page | Problem
Faults: TypeAlias = tuple[tuple[str, str], ...]  #: kind and reason of each Problem
Pieces: TypeAlias = Generator[bytes, None, Faults]  #: yields bytes, and returns their faults


class Remainder:
    """The bytes of a block that are not read yet: a record may be larger than memory. They can be read once.

    >>> def pieces():
    ...     yield b"abc"
    ...     yield b"de"
    ...     return (("truncated", "3 of the record's bytes are missing"),)
    >>> remainder = Remainder(pieces())
    >>> remainder.read(2), remainder.is_over, list(remainder), remainder.finish()
    (b'ab', False, [b'c', b'de'], (('truncated', "3 of the record's bytes are missing"),))
    """

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._next_piece = b""
        self._faults: Faults | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield all remaining pieces."""
        while piece := self._take():
            yield piece

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes, or all that remain."""
        parts = []
        while size and (piece := self._take()):
            parts.append(piece[:size])
            self._next_piece = piece[size:]
            size -= len(parts[-1])
        return b"".join(parts)

    @property
    def is_over(self) -> bool:
        """Return True if all bytes are read."""
        self._next_piece = self._take()
        return not self._next_piece

    def finish(self) -> Faults:
        """Skip the remaining pieces; return the faults of all of them."""
        for _ in self:
            pass
        return self._faults or ()

    def _take(self) -> bytes:
        while not self._next_piece and self._faults is None:
            try:
                self._next_piece = next(self._pieces)
            except StopIteration as end:
                self._faults = end.value
        piece, self._next_piece = self._next_piece, b""
        return piece


class RawRecord(NamedTuple):
    """One raw record, or (without header) a stretch of the file that is no record."""

    offset: int  #: in the file: of the record, or of the gzip member that it starts in
    head: bytes  #: the record's header with its line ends
    block: bytes  #: what follows the header, at most ``Limits.max_payload`` bytes
    faults: Faults = ()  #: of the record and of its bytes
    item: Item | None = None  #: of formats that hold pages rather than records: the page; all else is empty
    remainder: Remainder | None = None  #: what follows ``block``, with ``Limits.whole``; read it before the next record
    #: of an ordinary HTTP answer, see `graphlang.ingest.payload.http.split_answer`
    answer: tuple[bytes, int, int] | None = None


class RecordStream(Protocol):
    """A file, or a byte range of it, that is being read."""

    @property
    def bytes_read(self) -> int:
        """Return the offset reached in the stored file."""

    @property
    def ended(self) -> int | None:
        """Return where the next byte range begins; None at the end of the file."""

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records, and stretches that are none, in the order of the file."""


class Grammar(Protocol):
    """The rules of a format for the engine (`graphlang.ingest.formats.records`)."""

    name: str  #: for the reasons of Problems
    end: bytes  #: what follows every block, if no text holds it; else nothing

    def starts(self, data: bytes, at: int) -> bool:
        """Return whether a record starts at this place.

        Args:
            data: decompressed bytes.
            at: index of a byte.
        """

    def find(self, data: bytes, at: int) -> int:
        """Return the index of the next start of a record amid damage, or -1; stricter than `starts`, and fast.

        Args:
            data: decompressed bytes.
            at: index where the search begins.
        """

    def find_header_end(self, data: bytes, at: int) -> int:
        """Return the index after the header of the record that starts at ``at``, or -1 if the header is incomplete.

        Args:
            data: decompressed bytes.
            at: index where the record starts.
        """

    def read_length(self, head: bytes) -> int | None:
        """Return the length of the block that the header claims; None if it claims none."""
