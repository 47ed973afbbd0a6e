"""The archives of a job, their digests, and the pieces in which they are read: files, or byte ranges of large ones."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.cluster.storage import Location, find_local_path, is_address
from graphlang.db import InputError
from graphlang.db.write.sources import digest_content
from graphlang.ingest import discover_files
from graphlang.ingest.files.byte_ranges import LENGTH, is_splittable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

#: Bytes of a byte range at most, a multiple of `LENGTH`: half a minute's work.
_LARGEST: Final = 64 << 20
#: Pieces that each core is to have, so that none waits long for others.
_PER_CORE: Final = 4
_READ: Final = 1 << 20  # bytes of an archive behind an address that are hashed at once


class Archive(NamedTuple):
    """A file, or a folder that wget mirrored."""

    number: int  #: in the order of reading
    name: str  #: path or address
    size: int  #: bytes; 0 of a folder
    remote: bool = False  #: behind an address; else every executor sees it under its path

    @property
    def text(self) -> str:
        r"""The name as text; bytes that are not UTF-8 are written out, as in a database.

        >>> Archive(0, "/data/caf\udce9.warc", 9).text
        '/data/caf\\xe9.warc'
        """
        return self.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


class Piece(NamedTuple):
    """A byte range of an archive, or a whole archive, that is read without a break."""

    archive: Archive
    begin: int
    stop: int | None  #: None: to the end of the file
    first: bool  #: whether a record begins at `begin`; else the first one behind it is searched


def find_archives(paths: Sequence[str]) -> list[Archive]:
    """Return the archives that paths and addresses mean, in the order of reading.

    Files, folders and patterns have the same path on every executor, and are read in the order of `graphlang ingest`;
    addresses are read in the order of their names. Raise an InputError if a path does not exist or holds nothing to
    read, or if local paths and addresses are mixed.
    """
    remote = [is_address(path) for path in paths]
    if not any(remote):
        return _find_local_archives(paths)
    if not all(remote):
        raise InputError("name either local files or addresses, not both")
    try:
        locations = sorted({location for path in paths for location in _find_matching(path)})
    except OSError as error:
        raise InputError(f"cannot read {', '.join(paths)}: {find_reason(error)}") from error
    if not locations:
        raise InputError(f"cannot read {', '.join(paths)}: there is nothing")
    return [
        Archive(number, location.address, location.size(), remote=True) for number, location in enumerate(locations)
    ]


def _find_matching(address: str) -> list[Location]:
    """Return the files that an address means: one, those of a folder, or those of a pattern."""
    start, _, rest = address.partition("://")
    root, *parts = rest.rstrip("/").split("/")
    matches = [Location(f"{start}://{root}")]
    for pattern in parts:
        if set(pattern) & set("*?["):
            matches = [match for folder in matches for match in folder.children() if fnmatchcase(match.name, pattern)]
        else:
            matches = [match / pattern for match in matches]
    matches = [match for match in matches if match.exists()]
    if not matches:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), address)
    return [file for match in matches for file in (match.files("") if match.is_folder() else [match])]


def _find_local_archives(paths: Iterable[str]) -> list[Archive]:
    try:
        files = discover_files(find_local_path(path) for path in paths).files
    except OSError as error:
        msg = f"cannot read {error.filename or ''}: {error.strerror or error}".replace(" :", ":")
        raise InputError(msg) from error
    return [Archive(number, str(path.absolute()), _measure_size(path)) for number, path in enumerate(files)]


def _measure_size(path: Path) -> int:
    try:
        return 0 if path.is_dir() else path.stat().st_size
    except OSError:
        return 0  # reading it reports what is wrong


def cut_archives(archives: Sequence[Archive], cores: int) -> list[list[Piece]]:
    """Return what each task reads: byte ranges of archives that can be cut, and whole archives.

    Tasks have about as many bytes each, in the order of reading. With 0 cores no archive is cut.
    """
    if not cores:
        return [[Piece(archive, 0, None, first=True)] for archive in archives]
    total = sum(archive.size for archive in archives)
    length = min(_LARGEST, max(LENGTH, total // (cores * _PER_CORE) // LENGTH * LENGTH))
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
    if archive.remote or archive.size <= 2 * length or not _is_splittable(Path(archive.name)):
        return [Piece(archive, 0, None, first=True)]
    return [
        Piece(archive, begin, begin + length if begin + length < archive.size else None, first=begin == 0)
        for begin in range(0, archive.size, length)
    ]


def _is_splittable(path: Path) -> bool:
    try:
        with path.open("rb", buffering=0) as file:
            return is_splittable(file)
    except OSError:
        return False


def find_misread(ranges: Iterable[Mapping[str, Any]]) -> set[int]:
    """Return the numbers of archives that have to be read again as a whole.

    The start of a byte range is first a guess, which an archive within an archive can deceive. Each range has to begin
    where the one before it ended. A range has ``source``, ``begin``, ``found`` (where its first record begins, -1
    none), ``ended`` (where the next one begins, None at the end of the file) and ``stop``.
    """
    wrong = set()
    source, expected = -1, None
    for row in sorted(ranges, key=lambda row: (row["source"], row["begin"])):
        if row["source"] != source:
            source, expected = row["source"], 0
        covered = expected is None or expected >= row["stop"]  # by the byte range before
        if row["found"] < 0 and covered:
            continue
        if covered or row["found"] != expected:
            wrong.add(source)
        expected = row["ended"]
    return wrong


def digest_row(archive: Archive) -> tuple[int, str, str, int]:
    """Return the row of `graphlang.cluster.tables.SOURCES` of an archive.

    The digest of an archive that cannot be read is that of its name; reading it reports what is wrong.
    """
    try:
        digest, size = _digest_remote(archive.name) if archive.remote else digest_content(Path(archive.name))
    except OSError:
        name = f"unread:{archive.name}".encode("utf-8", "surrogateescape")
        return (archive.number, archive.text, hashlib.sha256(name).hexdigest(), 0)
    return (archive.number, archive.text, digest, size)


def _digest_remote(address: str) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with Location(address).open_input() as file:
        while data := file.read(_READ):
            digest.update(data)
            size += len(data)
    return digest.hexdigest(), size


@contextmanager
def local_file(archive: Archive) -> Iterator[Path]:
    """Yield the path of an archive; one behind an address is copied to this machine's disk, since readers seek."""
    if not archive.remote:
        yield Path(archive.name)
        return
    name = archive.name.rpartition("/")[2]
    with tempfile.TemporaryDirectory(prefix="graphlang-") as folder:
        # Of the name only the end: it is a hint for damaged files, and must not lead elsewhere.
        path = Path(folder, f"archive{''.join(Path(name).suffixes[-2:])[:20]}")
        Location(archive.name).download(path)
        yield path


def find_reason(error: OSError) -> str:
    """Return the reason of an error in the words of the operating system, where it has any."""
    if isinstance(error, FileNotFoundError):  # Arrow's names the file again
        return os.strerror(errno.ENOENT)
    return error.strerror or str(error).partition("\n")[0]
