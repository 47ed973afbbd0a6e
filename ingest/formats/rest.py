"""What of a record is more than is kept in memory: handed out piece by piece, once."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Faults = tuple[tuple[str, str], ...]  #: kind and reason of each Problem
Pieces = Generator[bytes, None, Faults]  #: yields bytes, and returns what was wrong with them


class Rest:
    """The bytes of a block that were not read yet.

    Args:
        pieces: where they come from.

    >>> def pieces():
    ...     yield b"abc"
    ...     yield b"de"
    ...     return (("truncated", "3 of the record's bytes are missing"),)
    >>> rest = Rest(pieces())
    >>> rest.read(2), rest.is_over, list(rest), rest.finish()
    (b'ab', False, [b'c', b'de'], (('truncated', "3 of the record's bytes are missing"),))
    """

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._held = b""
        self._faults: Faults | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield what is left."""
        while piece := self._next():
            yield piece

    def read(self, size: int) -> bytes:
        """Return as many bytes, or as many as there are.

        Args:
            size: 0 or more.
        """
        parts = []
        while size and (piece := self._next()):
            parts.append(piece[:size])
            self._held = piece[size:]
            size -= len(parts[-1])
        return b"".join(parts)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        self._held = self._next()
        return not self._held

    def finish(self) -> Faults:
        """Pass over what is left; returns what was wrong with all of it."""
        for _ in self:
            pass
        return self._faults or ()

    def _next(self) -> bytes:
        while not self._held and self._faults is None:
            try:
                self._held = next(self._pieces)
            except StopIteration as end:
                self._faults = end.value
        piece, self._held = self._held, b""
        return piece
