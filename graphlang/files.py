"""Write files whole or not at all, open only regular files, and recognise formats by file names."""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, BinaryIO, Final, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterator


PART = ".part"  #: suffix of an incomplete file; it remains if the process is killed
_SQLITE = b"SQLite format 3\0"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NAME = 100  # characters of the target's name in that of the temporary file: file systems allow 255 bytes


class OutputError(OSError):
    """A file is not written, to keep its content; the message is one line for the user."""


class NothingToWriteError(OutputError):
    """There is no content to write, and the old file is kept."""


@contextmanager
def open_replacement(target: Path) -> Iterator[IO[bytes]]:
    """Open a file that replaces ``target`` if the block ends without an exception.

    Until then it is beside the target. A link is followed; a pipe or device is written directly. Raise an OSError if
    the target cannot be written or is a circular link, an OutputError if it is a database.

    >>> folder = Path(tempfile.mkdtemp())
    >>> with open_replacement(folder / "a.txt") as file:
    ...     _ = file.write(b"whole")
    >>> (folder / "a.txt").read_bytes(), len(list(folder.iterdir()))
    (b'whole', 1)
    """
    if target.exists() and not target.is_file():  # before links are followed: /dev/stdout has no path
        with add_file_name(target), target.open("wb") as file:
            yield file
        return
    refuse_database(target)
    target = _resolve_links(target)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:_NAME]}.", suffix=PART, dir=target.parent)
    except OSError as error:  # with the name of the target, not of the temporary file
        raise OSError(error.errno, error.strerror, str(target)) from error
    unfinished = Path(name)
    try:
        with add_file_name(target), os.fdopen(handle, "wb") as file:
            yield file
        unfinished.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_read_umask())
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink()
        raise


#: Formats of lines, which are compressed as a whole; archives are compressed record by record.
COMPRESSIBLE: Final = ("csv", "tsv", "jsonl", "txt")
#: Endings of names of compressed files.
_COMPRESSED: Final = (".gz", ".zst")


def remove_compression(name: str | PurePath) -> PurePath:
    """Return the name of a file without the ending of a compression.

    >>> remove_compression("texts.jsonl.zst").name, remove_compression("pages.csv").name
    ('texts.jsonl', 'pages.csv')
    """
    path = PurePath(name)
    return path.with_suffix("") if path.suffix.lower() in _COMPRESSED else path


@contextmanager
def open_packed(target: Path) -> Iterator[IO[bytes]]:
    """Open a file as `open_replacement` does, and compress it if its name ends in ``.gz`` or ``.zst``."""
    ending = target.suffix.lower()
    with open_replacement(target) as file:
        if ending == ".gz":
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        elif ending == ".zst":
            import zstandard  # noqa: PLC0415 - few files are compressed

            with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as stream:
                yield cast("IO[bytes]", stream)
        else:
            yield file


@contextmanager
def add_file_name(target: Path) -> Iterator[None]:
    """Add the name of the target to an error without room: the system does not name the file of a write."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in _FULL:
            raise OSError(error.errno, os.strerror(error.errno), str(target)) from error
        raise


def refuse_unwritable(target: Path) -> None:
    """Refuse a target that `open_replacement` could not write, before hours are spent on its content.

    Raise an OSError if its folder is missing or not writable, or it is a folder, a socket or a circular link; an
    OutputError if it is a database.
    """
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if target.is_socket():  # a socket cannot be opened as a file
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), str(target))
    if target.exists() and not target.is_file():
        return
    folder = _resolve_links(target).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    refuse_database(target)


def _resolve_links(target: Path) -> Path:
    """Resolve links. In a circle, `pathlib` ends with a RuntimeError, or from Python 3.13 on without any error."""
    resolved = Path(os.path.realpath(target))
    if resolved.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(target))
    return resolved


def refuse_database(target: Path) -> None:
    """Refuse a target that is a database of SQLite (OutputError): a collection cannot be restored."""
    if not target.is_file():
        return
    with target.open("rb") as file:
        if file.read(len(_SQLITE)) == _SQLITE:
            raise OutputError(f"cannot write to {target}: it is a database")


def refuse_empty(target: Path) -> None:
    """Raise a NothingToWriteError if an empty output would replace a file that is not empty."""
    if target.is_file() and target.stat().st_size:
        raise NothingToWriteError(f"{target} is left as it is: there is nothing to write")


def _read_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


#: Upper limit in bytes for lists, gold files and the like; larger ones are a mistake.
MAX_BYTES = 1 << 30


def open_regular(path: str | Path, *, max_bytes: int | None = None) -> BinaryIO:
    """Open a regular file of at most `max_bytes` bytes for reading; links are followed.

    Raise an OSError with the path as ``filename`` if it cannot be opened, is no regular file, or is larger.

    >>> open_regular("/dev/null")
    Traceback (most recent call last):
    OSError: [Errno 22] no regular file (a pipe, a device or the like): '/dev/null'
    """
    # Without waiting: a pipe would not open before something writes to it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check_status(os.fstat(descriptor), str(path), max_bytes)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _check_status(status: os.stat_result, path: str, max_bytes: int | None) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "no regular file (a pipe, a device or the like)", path)
    if max_bytes is not None and status.st_size > max_bytes:
        raise OSError(errno.EINVAL, f"larger than {max_bytes:,} bytes", path)


def open_text(
    path: str | Path, *, encoding: str = "utf-8", errors: str = "strict", newline: str | None = None
) -> TextIO:
    """Open a regular file of at most `MAX_BYTES` bytes as text, see `open_regular` and `io.TextIOWrapper`."""
    return io.TextIOWrapper(open_regular(path, max_bytes=MAX_BYTES), encoding=encoding, errors=errors, newline=newline)


def read_regular(path: str | Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Read a regular file of at most `max_bytes` bytes, see `open_regular`."""
    with open_regular(path, max_bytes=max_bytes) as file:
        return file.read(max_bytes)


#: Suffixes that imply a format, supported or not: nothing else is written to such a file.
_PROMISES: Final = frozenset(
    {"csv", "tsv", "json", "jsonl", "ndjson", "parquet", "arrow", "feather", "gexf", "graphml", "cdxj", "html", "xml"}
    | {"xls", "xlsx", "ods", "db", "sqlite", "gz", "bz2", "xz", "zip", "zst"}
)


def find_promised_format(name: str | PurePath) -> str:
    """Return the format that a file name implies; empty if it implies none.

    >>> [find_promised_format(name) for name in ("pages.CSV", "out/pages.xlsx", "pages.lst", "-")]
    ['csv', 'xlsx', '', '']
    """
    ending = PurePath(name).suffix.lower().lstrip(".")
    return ending if ending in _PROMISES else ""
