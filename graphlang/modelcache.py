"""Cache the large arrays of a shipped model, unpacked, in a file for later starts.

Unpacking a model file takes longer than reading the unpacked arrays: half of the time that `graphlang identify` takes
for one line. So the first start writes them to the user's cache folder, and later starts read them from there. Mapping
the file into memory would start faster still, but the system maps it in small pages, which slows long texts.

The file's name is a hash of the model file's identity (device, inode, size and times) and of the size and time of each
module that computes the arrays, so that another model or version does not find them. The hash of the model file is
cached too, so that the file need not be read whole. A file is ignored if it belongs to another user, is writable by
others, is incomplete or has a wrong checksum. If the folder is not writable, nothing is cached. ``GRAPHLANG_CACHE``
names another folder; ``no`` disables the cache.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from graphlang.files import open_regular
from graphlang.modelfile import CachedTables, load_zlib

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from io import BufferedReader

    from numpy.typing import NDArray

VARIABLE: Final = "GRAPHLANG_CACHE"
OFF: Final = "no"
_MAGIC: Final = b"graphlang arrays"
_SIZE: Final = struct.Struct("<Q")
_LONGEST: Final = 1 << 16  # bytes of a header
_PAGE: Final = 4096  # arrays begin at a multiple, so that their rows are aligned
_SUFFIX: Final = ".arrays"
_MOST_BYTES: Final = 1 << 30  # of a file
_WRITTEN_FOR: Final = 3600.0  # seconds, an upper limit: it takes less than one
_MOST: Final = 4  # files to keep, the last used ones: environments may have different models


def find_folder() -> Path | None:
    """Return the folder of the cache; None if it is disabled."""
    folder = os.environ.get(VARIABLE)
    if folder == OFF:
        return None
    if folder:
        return Path(folder)
    if sys.platform == "darwin":
        base = "~/Library/Caches"
    elif sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not Path(base).is_absolute():  # the specification of base directories ignores it
            base = "~/.cache"
    try:
        return Path(base).expanduser() / "graphlang"
    except RuntimeError:  # a user without a home
        return None


def find_tables(identity: str, makers: Iterable[Path]) -> CachedTables | None:
    """Return the cached tables of a model file by its identity; None if there are none, or they are not valid.

    `makers` are the files of the modules that compute the arrays.
    """
    where = _find_path(identity, makers)
    if where is None:
        return None
    try:
        with open_regular(where, max_bytes=_MOST_BYTES) as file:
            status = os.fstat(file.fileno())
            if not _is_own(status):
                return None
            data = _allocate_aligned(status.st_size)
            if cast("BufferedReader", file).readinto(data.data) != len(data):
                return None
            _mark_used(file.fileno())
    except OSError:  # there is none, or it cannot be read
        return None
    data.flags.writeable = False
    return _parse_tables(data)


def store_tables(
    identity: str,
    makers: Iterable[Path],
    arrays: Mapping[str, NDArray[Any]],
    instead_of: Iterable[str],
    *,
    digest: str,
) -> bool:
    """Cache the tables of a model for the next start; return False if the cache is disabled or cannot be written.

    `makers` are the files of the modules that compute the arrays. The arrays of the model file in `instead_of` are not
    needed beside the cached ones. `digest` is the SHA-256 of that file.
    """
    where = _find_path(identity, makers)
    if where is None:
        return False
    if find_tables(identity, makers) is not None:  # another process was faster
        return True
    from graphlang.files import open_replacement  # noqa: PLC0415 - rarely needed

    entries, at, checksum = {}, 0, _crc32(digest.encode())
    for name, array in arrays.items():
        entries[name] = (array.dtype.str, list(array.shape), at)
        at += -(-array.nbytes // _PAGE) * _PAGE
        checksum = _crc32(bytes(-array.nbytes % _PAGE), _crc32(np.ascontiguousarray(array).reshape(-1).data, checksum))
    content = {"arrays": entries, "instead_of": sorted(instead_of), "bytes": at, "crc32": checksum, "digest": digest}
    header = json.dumps(content).encode()
    begin = -(-(len(_MAGIC) + _SIZE.size + len(header)) // _PAGE) * _PAGE
    try:
        where.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open_replacement(where) as file:
            file.write((_MAGIC + _SIZE.pack(len(header)) + header).ljust(begin, b"\0"))
            for array in arrays.values():
                file.write(np.ascontiguousarray(array).data)
                file.write(bytes(-array.nbytes % _PAGE))
            file.flush()
            os.fsync(file.fileno())  # so that after a power failure the name never has less content
        _clear(where)
    except OSError:  # no space, or no permission: the next start computes the arrays again
        return False
    return True


def _find_path(identity: str, makers: Iterable[Path]) -> Path | None:
    where = find_folder()
    if where is None:
        return None
    name = hashlib.sha256(f"{identity} {sys.byteorder}".encode())
    try:
        for maker in makers:
            status = maker.stat()
            name.update(f" {status.st_size} {status.st_mtime_ns}".encode())
    except OSError:  # in a zip, or gone
        return None
    return where / f"{name.hexdigest()[:32]}{_SUFFIX}"


def _crc32(data: Any, before: int = 0) -> int:
    """Return the checksum of bytes that follow others; it takes 9 milliseconds for all tables if isal is installed."""
    return int(load_zlib().crc32(data, before)) if len(data) else before


def _is_own(status: os.stat_result) -> bool:
    """Return True if a file belongs to this user and no one else may write to it."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH)


def _mark_used(descriptor: int) -> None:
    """Set the time of an open file, by which `_clear` chooses, to now, if the system allows it."""
    if os.utime in os.supports_fd:
        with suppress(OSError):
            os.utime(descriptor)


def _allocate_aligned(size: int) -> NDArray[np.uint8]:
    """Allocate memory that begins at a page. numpy requests large pages, which speed up random look-ups in tables."""
    room = np.empty(size + _PAGE, np.uint8)
    begin = -room.ctypes.data % _PAGE
    return room[begin : begin + size]


def _parse_tables(data: NDArray[np.uint8]) -> CachedTables | None:
    head = data[: len(_MAGIC) + _SIZE.size + _LONGEST].tobytes()
    begin = len(_MAGIC) + _SIZE.size
    if not head.startswith(_MAGIC) or len(head) < begin:
        return None
    (size,) = _SIZE.unpack(head[len(_MAGIC) : begin])
    if size > _LONGEST or begin + size > len(head):
        return None
    try:
        header = json.loads(head[begin : begin + size])
        first = -(-(begin + size) // _PAGE) * _PAGE
        digest = str(header["digest"])
        checksum = _crc32(data[first:].data, _crc32(digest.encode()))
        if len(data) != first + header["bytes"] or checksum != header["crc32"]:
            return None
        arrays = {
            name: np.frombuffer(data, kind, math.prod(shape), first + at).reshape(shape)
            for name, (kind, shape, at) in header["arrays"].items()
        }
        return CachedTables(arrays, frozenset(header["instead_of"]), digest)
    except (ValueError, KeyError, TypeError):
        return None


def _clear(newest: Path) -> None:
    """Remove all but a few caches of earlier versions, and unfinished files of killed processes."""
    from graphlang.files import PART  # noqa: PLC0415 - rarely needed

    old_files = [path for path in newest.parent.glob(f"*{_SUFFIX}") if path != newest]
    old_files.sort(key=lambda path: path.stat().st_mtime_ns)
    abandoned = time.time() - _WRITTEN_FOR
    parts = newest.parent.glob(f".*{_SUFFIX}.*{PART}")
    old_files = old_files[: max(len(old_files) - _MOST + 1, 0)] + [
        path for path in parts if path.stat().st_mtime < abandoned
    ]
    for path in old_files:
        path.unlink(missing_ok=True)  # another process may remove it too
