"""A range of bytes within a file, as a file of its own: an archive that lies uncompressed in a WACZ."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from typing_extensions import Buffer


class FileSlice(io.RawIOBase):
    """Reads a part of a file, never beyond it; the file's own position is neither used nor moved.

    Args:
        file: an open file of the operating system's, or a part of one.
        begin: offset of the part.
        size: its bytes.
    """

    def __init__(self, file: BinaryIO, begin: int, size: int) -> None:
        super().__init__()
        self._number = file.fileno()
        self.begin: int = begin + (file.begin if isinstance(file, FileSlice) else 0)
        self._at = 0
        self.size = size

    def fileno(self) -> int:
        """Return the number of the file that this is a part of."""
        return self._number

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def peek(self, offset: int, count: int) -> bytes:
        """Return bytes from any place of the part.

        Args:
            offset: from the part's first byte; outside of the part there are no bytes.
            count: at most so many bytes.
        """
        if not 0 <= offset < self.size:
            return b""
        return os.pread(self._number, min(count, self.size - offset), self.begin + offset)

    def readinto(self, buffer: Buffer, /) -> int:
        """Read as much as fits; 0 at the end of the part."""
        view = memoryview(buffer).cast("B")
        data = self.peek(self._at, len(view))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move to a place of the part.

        Args:
            offset: bytes, which may be negative; a place before the part becomes its beginning.
            whence: as of `io.IOBase.seek`: counted from the beginning, from here, or from the end.

        Returns:
            The place that was reached, in bytes from the part's first.
        """
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        """Return the place that was reached."""
        return self._at


def peek(file: BinaryIO | FileSlice, offset: int, count: int) -> bytes:
    """Return bytes from any place of a file, or of a part of one, without moving in it.

    Args:
        file: open, and one of the operating system's.
        offset: in bytes.
        count: at most so many bytes.
    """
    return file.peek(offset, count) if isinstance(file, FileSlice) else os.pread(file.fileno(), count, offset)


def size_of(file: BinaryIO | FileSlice) -> int:
    """Return the bytes of a file, or of a part of one."""
    return file.size if isinstance(file, FileSlice) else os.fstat(file.fileno()).st_size
