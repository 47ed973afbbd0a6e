"""Open what the user named only where it is a regular file: pipes and devices may never end, or never begin."""

from __future__ import annotations

import errno
import io
import os
import stat
from typing import TYPE_CHECKING, BinaryIO, TextIO

if TYPE_CHECKING:
    from pathlib import Path

#: Bytes of a list, a gold file and the like; larger ones are a mistake.
MOST = 1 << 30


def open_regular(path: str | Path, *, most: int | None = None) -> BinaryIO:
    """Open a regular file for reading.

    Args:
        path: links are followed.
        most: bytes that it may have; None for any number.

    Raises:
        OSError: it cannot be opened, is a folder, a pipe, a device or a socket, or is larger; ``filename`` is the path.

    >>> open_regular("/dev/null")
    Traceback (most recent call last):
    OSError: [Errno 22] no regular file (a pipe, a device or the like): '/dev/null'
    """
    # Without waiting: a pipe would not open before somebody writes to it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check(os.fstat(descriptor), str(path), most)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check(status: os.stat_result, path: str, most: int | None) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "no regular file (a pipe, a device or the like)", path)
    if most is not None and status.st_size > most:
        raise OSError(errno.EINVAL, f"larger than {most:,} bytes", path)


def open_text(
    path: str | Path, *, encoding: str = "utf-8", errors: str = "strict", newline: str | None = None
) -> TextIO:
    """Open a regular file of at most ``MOST`` bytes as text, see `open_regular`.

    Args:
        path: links are followed.
        encoding: as of `io.TextIOWrapper`.
        errors: as of `io.TextIOWrapper`.
        newline: as of `io.TextIOWrapper`; None: every line end is read as a line feed.

    Raises:
        OSError: as of `open_regular`.
    """
    return io.TextIOWrapper(open_regular(path, most=MOST), encoding=encoding, errors=errors, newline=newline)


def read_regular(path: str | Path, *, most: int = MOST) -> bytes:
    """The bytes of a regular file, see `open_regular`.

    Args:
        path: links are followed.
        most: bytes that it may have.

    Raises:
        OSError: as of `open_regular`.
    """
    with open_regular(path, most=most) as file:
        return file.read(most)
