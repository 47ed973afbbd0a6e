"""Folders of tables: on a disk that every executor sees, or behind an address that Arrow opens."""

from __future__ import annotations

import re
import shutil
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from graphlang.db import InputError
from graphlang.files import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

WORK: Final = "work"  #: what a job needs on its way, within the folder that it writes
_ADDRESS: Final = re.compile(r"(?P<scheme>[a-zA-Z][a-zA-Z0-9+.-]+)://(?P<host>[^/]*)(?P<path>.*)", re.DOTALL)
_SCHEMES: Final = {"s3a": "s3", "s3n": "s3"}  # Hadoop's names for what Arrow calls s3
_MOVE_FOLDERS: Final = frozenset({"local", "hdfs"})  # other file systems move files only


def is_address(path: str) -> bool:
    """True for an address such as one of HDFS or S3, False for a path of this machine.

    >>> is_address("hdfs://name/crawl"), is_address("s3a://bucket/a.warc.gz"), is_address("file:/a"), is_address("a:b")
    (True, True, False, False)
    """
    return bool(_ADDRESS.match(path)) and not path.lower().startswith("file:")


def find_local_path(path: str) -> str:
    """Return the path of a ``file:`` address; any other path unchanged.

    >>> find_local_path("file:///data/a%20b"), find_local_path("data/a")
    ('/data/a b', 'data/a')
    """
    return unquote(urlsplit(path).path) if path.lower().startswith("file:/") else path


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A file or folder, as the driver and every executor name it."""

    address: str

    @classmethod
    def of(cls, path: str) -> Location:
        """Make a location of a path or an address as users spell it."""
        if is_address(path):
            return cls(path.rstrip("/"))
        return cls(str(Path(find_local_path(path)).absolute()))

    def __truediv__(self, name: str) -> Location:
        return Location(f"{self.address.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.address.rpartition("/")[2]

    @property
    def parent(self) -> Location:
        """The folder that it is in."""
        return Location(self.address.rpartition("/")[0] or "/")

    @property
    def for_spark(self) -> str:
        """The address as Spark takes it, which reads patterns."""
        address = self.address if is_address(self.address) else f"file://{self.address}"
        return re.sub(r"[\[\]{}*?\\]", r"\\\g<0>", address)

    @property
    def for_spark_to_write(self) -> str:
        """The address as Spark takes it where it writes."""
        return self.address if is_address(self.address) else f"file://{self.address}"

    def exists(self) -> bool:
        """True if there is a file or folder of this name."""
        return bool(self._info().type != fs.FileType.NotFound)

    def is_folder(self) -> bool:
        """True if there is a folder of this name."""
        return bool(self._info().type == fs.FileType.Directory)

    def size(self) -> int:
        """Return the bytes of a file; 0 for a folder."""
        return int(self._info().size or 0)

    def children(self) -> list[Location]:
        """Return what lies in the folder, by name; nothing if there is no such folder."""
        return sorted(self / info.base_name for info in self._list_files(recursive=False))

    def files(self, ending: str) -> list[Location]:
        """Return the files of a table by name, without hidden ones."""
        return [child for child in self.children() if child.name.endswith(ending) and child.name[0] not in "_."]

    def make(self) -> None:
        """Make the folder, and those that it is in."""
        system, path = self._open()
        system.create_dir(path, recursive=True)

    def delete(self) -> None:
        """Delete the file, or the folder with all in it, if there is one."""
        system, path = self._open()
        with suppress(FileNotFoundError):
            (system.delete_dir if self.is_folder() else system.delete_file)(path)

    def move(self, target: Location) -> None:
        """Give it another name on the same file system."""
        system, path = self._open()
        goal = target._open()[1]
        if system.type_name in _MOVE_FOLDERS or not self.is_folder():
            system.move(path, goal)
            return
        if target.exists():
            raise FileExistsError(f"{target.address} exists")
        for info in self._list_files(recursive=True):
            if info.type == fs.FileType.File:
                moved = goal + info.path[len(path) :]
                system.create_dir(moved.rpartition("/")[0], recursive=True)
                system.move(info.path, moved)
        system.delete_dir(path)

    def open_input(self) -> Any:
        """Open the file to read anywhere in it; a local one is mapped into memory."""
        system, path = self._open()
        return system.open_input_file(path)

    def open_output(self) -> Any:
        """Open the file to write it from the start."""
        system, path = self._open()
        return system.open_output_stream(path, compression=None)

    def read(self) -> bytes:
        """Return the bytes of the file."""
        with self.open_input() as file:
            return bytes(file.read())

    def write(self, data: bytes) -> None:
        """Write the file; it gets its name when it is complete."""
        unfinished = Location(f"{self.address}.{uuid.uuid4().hex}")
        with unfinished.open_output() as file:
            file.write(data)
        unfinished.move(self)

    def download(self, path: Path) -> None:
        """Copy the file to a path of this machine."""
        system, source = self._open()
        with system.open_input_stream(source, compression=None) as file, path.open("wb") as out:
            shutil.copyfileobj(file, out, 1 << 20)

    def read_modified(self) -> int:
        """Return when it was last changed, in nanoseconds; 0 where the file system does not know."""
        return int(self._info().mtime_ns or 0)

    def _info(self) -> Any:
        system, path = self._open()
        return system.get_file_info(path)

    def _list_files(self, *, recursive: bool) -> list[Any]:
        system, path = self._open()
        return list(system.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=recursive)))

    def _open(self) -> tuple[Any, str]:
        """Return the file system and the path there."""
        parts = _ADDRESS.match(self.address)
        if parts is None:
            return _open_file_system("", "")[0], self.address
        scheme = parts["scheme"].lower()
        system, base = _open_file_system(_SCHEMES.get(scheme, scheme), parts["host"])
        return system, f"{base.rstrip('/')}{parts['path']}"


@lru_cache(maxsize=64)
def _open_file_system(scheme: str, host: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path of its root there; without a scheme that of this machine."""
    if not scheme:
        return fs.LocalFileSystem(use_mmap=True), ""
    try:
        system, path = fs.FileSystem.from_uri(f"{scheme}://{host}")
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"cannot open {scheme}://{host}: {str(error).partition(chr(10))[0]}") from error
    return system, path


@contextmanager
def replacing(
    path: str, *, key: str, overwrite: bool = False, resume: bool = False, lost: tuple[type[Exception], ...] = ()
) -> Iterator[Location]:
    """Yield a folder for tables that gets its name when the block ends without an exception.

    It lies beside the target until then, so that the target is always complete. Its name has `key`, a digest of all
    that the tables depend on, and a mark: two jobs never write to the same folder. After an error it stays, for
    `resume`, which takes the folder that an earlier job with the same key left, and which must have ended. After an
    error in `lost`, which another try would meet again, nothing stays. With `overwrite` an old target stays until the
    new one is complete.

    Raise an OutputError if the target exists or cannot be replaced, or there is nothing to resume.
    """
    target = Location.of(path)
    mark = uuid.uuid4().hex[:12]
    unfinished = Location(f"{target.address}.{key}.{mark}.part")
    if resume:
        _claim(target, key, unfinished)
    try:
        yield unfinished
    except lost:
        unfinished.delete()
        raise
    refuse_existing(target, overwrite=overwrite)
    (unfinished / WORK).delete()
    _put(unfinished, target, Location(f"{target.address}.{mark}.former"))


def refuse_existing(target: Location, *, overwrite: bool) -> None:
    """Refuse a target that exists, unless it may be replaced."""
    if target.exists() and not overwrite:
        raise OutputError(f"{target.address} exists; name another folder, or replace it with --overwrite")


def _claim(target: Location, key: str, unfinished: Location) -> None:
    """Rename the newest folder that a job with this key left."""
    start = f"{target.name}.{key}."
    candidates = [
        child for child in target.parent.children() if child.name.startswith(start) and child.name.endswith(".part")
    ]
    try:
        max(candidates, key=Location.read_modified).move(unfinished)
    except (ValueError, OSError) as error:  # there is none, or another job took it
        raise OutputError(
            f"there is nothing to resume beside {target.address}: no job of the same archives and options left tables;"
            " repeat the command without --resume"
        ) from error


def _put(unfinished: Location, target: Location, former: Location) -> None:
    """Give the new folder the name of the target, and delete the folder that had it."""
    replaced = target.exists()
    try:
        if replaced:
            target.move(former)
    except OSError as error:
        raise OutputError(f"cannot replace {target.address}: {error}") from error
    try:
        unfinished.move(target)
    except OSError as error:
        if target.exists():
            raise _overtaken(target, unfinished) from error
        if replaced:
            former.move(target)
        raise OutputError(f"cannot write {target.address}: {error}") from error
    if replaced:
        former.delete()
    inside = target / unfinished.name  # where HDFS moves it if a folder of that name exists by now
    if inside.exists():
        inside.move(unfinished)
        raise _overtaken(target, unfinished)


def _overtaken(target: Location, unfinished: Location) -> OutputError:
    return OutputError(
        f"{target.address} was written by another job meanwhile; this one's tables are in {unfinished.address}"
    )
