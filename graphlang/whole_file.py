"""Write a file whole or not at all: what stood there before stays until the new one is complete."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = 100  # characters of the target's name in that of the part: file systems take 255 bytes


class OutputError(OSError):
    """A file is not written, to keep what stands there; the words are for the user, in one line."""


class NothingToWriteError(OutputError):
    """There is nothing to write, and what stands there is kept."""


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of ``target`` when the block ends without an exception.

    It lies beside the target until then. A link is followed; what is no regular file (a pipe, a device) is written to
    as it is.

    Raises:
        OSError: the target cannot be written.

    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "a.txt") as file:
    ...     _ = file.write(b"whole")
    >>> (folder / "a.txt").read_bytes(), len(list(folder.iterdir()))
    (b'whole', 1)
    """
    if target.exists() and not target.is_file():  # before links are followed: /dev/stdout is one to what has no path
        with target.open("wb") as file:
            yield file
        return
    target = target.resolve()
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:_NAME]}.", suffix=".part", dir=target.parent)
    except OSError as error:  # in words of what the user named, not of the part beside it
        raise OSError(error.errno, error.strerror, str(target)) from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        part.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        part.replace(target)
    except BaseException:
        part.unlink()
        raise


def refuse_empty(target: Path) -> None:
    """Refuse to put nothing in the place of something.

    Raises:
        NothingToWriteError: there is a file that is not empty.
    """
    if target.is_file() and target.stat().st_size:
        raise NothingToWriteError(f"{target} is left as it is: there is nothing to write")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
