"""The archives that the user names, and the pieces in which they are read: files, or byte ranges of large ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from graphlang.db import InputError
from graphlang.ingest import find
from graphlang.ingest.files.byte_ranges import LENGTH, can_be_cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Bytes of a byte range at most, a multiple of `LENGTH`: half a minute's work.
_LARGEST: Final = 64 << 20
#: Pieces that each core is to have, so that none waits long for the others.
_A_CORE: Final = 4
_ADDRESS: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:/")


class Archive(NamedTuple):
    """A file, or a folder that wget mirrored."""

    number: int  #: in the order of reading
    name: str  #: as it was given
    size: int  #: bytes; 0 of a folder
    remote: bool = False  #: whether Spark has to bring it; else every executor sees it under its path

    @property
    def text(self) -> str:
        r"""The name as text: of a file's name that is no UTF-8 each such byte is written out, as in a database.

        >>> Archive(0, "/data/caf\udce9.warc", 9).text
        '/data/caf\\xe9.warc'
        """
        return self.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class Piece(NamedTuple):
    """What is read without a break."""

    archive: Archive
    begin: int
    stop: int | None  #: None: to the end of the file
    first: bool  #: whether a record begins at `begin`; else the first one behind it is looked for


def is_remote(path: str) -> bool:
    """Whether a path is an address that only Spark can read, such as one of HDFS or S3.

    Args:
        path: as the user gave it.

    >>> is_remote("hdfs://name/crawl"), is_remote("s3a://bucket/a.warc.gz"), is_remote("file:/data/a"), is_remote("a:b")
    (True, True, False, False)
    """
    return bool(_ADDRESS.match(path)) and not path.lower().startswith("file:")


def local(path: str) -> str:
    """The path that a ``file:`` address means; any other path as it is.

    Args:
        path: as the user gave it.

    >>> local("file:///data/a%20b"), local("data/a")
    ('/data/a b', 'data/a')
    """
    return unquote(urlsplit(path).path) if path.lower().startswith("file:/") else path


def listed(paths: Iterable[str]) -> list[Archive]:
    """The archives that local paths mean, in the order in which `graphlang ingest` reads them.

    Args:
        paths: files, folders and patterns that every executor sees under the same path.

    Raises:
        InputError: one does not exist, or holds nothing to read.
    """
    try:
        files = find(local(path) for path in paths).files
    except OSError as error:
        msg = f"cannot read {error.filename or ''}: {error.strerror or error}".replace(" :", ":")
        raise InputError(msg) from error
    return [Archive(number, str(path.absolute()), _size(path)) for number, path in enumerate(files)]


def _size(path: Path) -> int:
    try:
        return 0 if path.is_dir() else path.stat().st_size
    except OSError:
        return 0  # whoever opens it tells what is wrong


def pieces(archives: Sequence[Archive], cores: int) -> list[list[Piece]]:
    """What each task reads: byte ranges of archives that can be cut, and all others whole.

    Args:
        archives: local ones.
        cores: that read at the same time; 0: no archive is cut.

    Returns:
        The pieces of each task, in the order of reading. Tasks have about as many bytes each.
    """
    if not cores:
        return [[Piece(archive, 0, None, first=True)] for archive in archives]
    total = sum(archive.size for archive in archives)
    length = min(_LARGEST, max(LENGTH, total // (cores * _A_CORE) // LENGTH * LENGTH))
    tasks: list[list[Piece]] = []
    room = 0
    for archive in archives:
        for piece in _cut(archive, length):
            size = max(1, min(archive.size, piece.stop or archive.size) - piece.begin)
            if size > room or not tasks:
                tasks.append([])
                room = length
            tasks[-1].append(piece)
            room -= size
    return tasks


def _cut(archive: Archive, length: int) -> list[Piece]:
    if archive.size <= 2 * length or not _can_be_cut(Path(archive.name)):
        return [Piece(archive, 0, None, first=True)]
    return [
        Piece(archive, begin, begin + length if begin + length < archive.size else None, first=begin == 0)
        for begin in range(0, archive.size, length)
    ]


def _can_be_cut(path: Path) -> bool:
    try:
        with path.open("rb", buffering=0) as file:
            return can_be_cut(file)
    except OSError:
        return False
