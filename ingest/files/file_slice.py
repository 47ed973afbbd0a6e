"""Open a range of bytes within a file as a file: an archive that is stored uncompressed in a WACZ."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Buffer


class FileSlice(io.RawIOBase):
    """Read ``size`` bytes of a file from ``begin`` on; the position of the file itself is neither used nor moved.

    The file needs a file descriptor, or is a `FileSlice` itself.
    """

    def __init__(self, file: BinaryIO, begin: int, size: int) -> None:
        super().__init__()
        self._number = file.fileno()
        self.begin: int = begin + (file.begin if isinstance(file, FileSlice) else 0)
        self._at = 0
        self.size = size

    def fileno(self) -> int:
        """Return the descriptor of the file that this is a part of."""
        return self._number

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def peek(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes at an offset of the part; outside of the part there are none."""
        if not 0 <= offset < self.size:
            return b""
        return os.pread(self._number, min(count, self.size - offset), self.begin + offset)

    def readinto(self, buffer: Buffer, /) -> int:
        """Fill a buffer; return the number of bytes, 0 at the end of the part."""
        view = memoryview(buffer).cast("B")
        data = self.peek(self._at, len(view))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move within the part as `io.IOBase.seek` does, never before its beginning; return the new position."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        """Return the position in the part."""
        return self._at


def read_signature(path: Path) -> tuple[object, ...]:
    """Return what changes if a file is written to, replaced or removed; for a folder, the signatures of its files."""
    if path.is_dir():
        return tuple((str(file), *read_signature(file)) for file in sorted(path.rglob("*")) if not file.is_dir())
    try:
        status = path.stat()
    except OSError as error:
        return (error.errno,)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def peek(file: BinaryIO | FileSlice, offset: int, count: int) -> bytes:
    """Return up to ``count`` bytes at an offset of a file, or of a part of one, without moving in it."""
    return file.peek(offset, count) if isinstance(file, FileSlice) else os.pread(file.fileno(), count, offset)


def measure_size(file: BinaryIO | FileSlice) -> int:
    """Return the number of bytes of a file, or of a part of one."""
    return file.size if isinstance(file, FileSlice) else os.fstat(file.fileno()).st_size
