"""Expand files, folders and patterns to the archives in them, in an order that does not depend on the machine.

A file that the user names is always read, and is a problem if it is no archive. In a folder a file counts as
an archive by its first bytes, or by its name: the first bytes may be damaged. Readers of other packages are not asked.

A folder may come from anywhere, and a symbolic link in it may lead to any file of this machine: links in folders are
followed only with ``--follow-links``. A link that the user names is followed.
"""

from __future__ import annotations

import errno
import glob
import os
import re
import shutil
import stat
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from graphlang.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LINK = "symbolic link"  #: why a file of a folder is skipped
NO_ARCHIVE = "no archive"
NO_FILE = "no regular file"
SAVED = "a saved page in the folder of a mirror"
INDEX = "an index or a log"
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])", re.IGNORECASE)
_FORMATS = (".warc", ".arc", ".wet", ".wat", ".jsonl", ".ndjson", ".store", ".mht", ".mhtml", ".har")
_HTML_SUFFIXES = (".html", ".htm", ".xhtml")
_INDEX_SUFFIXES = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz", ".idx", ".log", ".log.gz")
_COMPRESSIONS = ("", ".gz", ".zst", ".lz4", ".bz2", ".xz")
#: Names of files that are read whatever their first bytes are.
SUFFIXES = (".wacz", *(format_ + compression for format_ in _FORMATS for compression in _COMPRESSIONS))
_SNIFFED = 1 << 16
_TAR_MAGIC_AT = 257
_ARCHIVE_IN_TAR = re.compile(rb"\.(?:w?arc|wet|wat|wacz|jsonl|ndjson)(?:\.\w{2,4})?\0", re.IGNORECASE)
_ZIP = b"PK\x03\x04"
_WACZ_FOLDER = b"archive/"  # in the name of an entry, which the directory at the end of the zip file repeats
_URL_FIELD = re.compile(
    rb'"(?:url|uri|u|source|source_?url|page_url|link|warc_url|warc-target-uri)"\s*:', re.IGNORECASE
)
_TEXT_FIELD = re.compile(
    rb'"(?:text|content|raw_content|plain_text|maintext|raw_text|p|markdown|body|html|raw_html|links)"\s*:',
    re.IGNORECASE,
)


class SkippedFile(NamedTuple):
    """A file or folder within a folder, or one that matches a pattern, that is not read."""

    path: Path
    reason: (
        str  #: `LINK`, `NO_ARCHIVE`, `NO_FILE`, `INDEX`, `SAVED`, or the system's error message if it cannot be opened
    )


class ArchiveFiles(NamedTuple):
    """The archives among the paths of a user."""

    files: list[Path]  #: to be read, in order
    skipped: list[SkippedFile]  #: sorted


def expand_paths(paths: Iterable[str | Path], *, follow_links: bool = False) -> list[Path]:
    """Return the archives among files, folders and patterns; see `discover_files` for their order and for errors."""
    return discover_files(paths, follow_links=follow_links).files


def discover_files(paths: Iterable[str | Path], *, follow_links: bool = False) -> ArchiveFiles:
    """Find the archives among files, folders and patterns.

    A file is an archive. A folder is searched at any depth; one without archives that wget mirrored is itself read. A
    path that does not exist, but holds ``*``, ``?`` or ``[``, is a pattern, in which ``**`` matches any folders.

    Files keep the order of the paths; those of one folder or pattern are sorted. No file comes twice. ``follow_links``
    follows symbolic links within folders, and those that match a pattern.

    Raise a FileNotFoundError for a path that does not exist, an empty one, a pattern without matches, or a folder
    without archives; an OSError for a folder that may not be entered, or a stream, which cannot be read twice.
    """
    files: dict[Path, None] = {}
    skipped: dict[SkippedFile, None] = {}
    for name in paths:
        path = Path(name)
        if not str(name):  # as a path it would be the working folder
            raise FileNotFoundError(2, "an empty name is not a file or folder", str(name))
        if path.is_file() and is_kernel_file(path.stat()):
            raise OSError(errno.EINVAL, "a file of the kernel, and no archive", str(name))
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError(errno.ESPIPE, "a stream, and a file is read twice: pass it to standard input (-)", str(name))
        if path.exists():
            archives = _search_folder(path, follow_links=follow_links)
            reason = "no archive and no mirrored page in this folder"
        else:
            archives = _match_pattern(str(name), follow_links=follow_links)
            reason = "no such file or folder"
        if not archives.files:
            raise _make_missing_error(str(name), reason, archives.skipped)
        files.update(dict.fromkeys(archives.files))
        skipped.update(dict.fromkeys(archives.skipped))
    return ArchiveFiles(list(files), [file for file in skipped if file.path not in files])


def _make_missing_error(name: str, reason: str, skipped: list[SkippedFile]) -> FileNotFoundError:
    if _ADDRESS.match(name):
        # A path has no two slashes in a row; the user wrote them.
        written = _ADDRESS.sub(r"\1://", name, count=1)
        return FileNotFoundError(2, "an address: graphlang fetches nothing, it reads files on this machine", written)
    links = sum(file.reason == LINK for file in skipped)
    if links:
        reason += (
            f" but {links} symbolic link{'s' * (links > 1)}: --follow-links follows {'them' if links > 1 else 'it'}"
        )
    return FileNotFoundError(2, reason, name)


def _match_pattern(pattern: str, *, follow_links: bool) -> ArchiveFiles:
    # A pattern may be absolute, which pathlib's does not allow.
    matches = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else []  # noqa: PTH207
    files: list[Path] = []
    skipped: list[SkippedFile] = []
    for path in map(Path, matches):
        if not follow_links and _has_link(path, pattern):
            skipped.append(SkippedFile(path, LINK))
            continue
        inside = _search_folder(path, follow_links=follow_links)
        files += inside.files
        skipped += inside.skipped
    return ArchiveFiles(files, skipped)


def _has_link(path: Path, pattern: str) -> bool:
    """Return whether a part of the path that the pattern leaves open is a symbolic link."""
    pattern_parts = Path(pattern).parts
    fixed = next((i for i, name in enumerate(pattern_parts) if glob.has_magic(name)), len(pattern_parts))
    parts = path.parts
    return any(Path(*parts[:end]).is_symlink() for end in range(fixed + 1, len(parts) + 1))


def _search_folder(path: Path, *, follow_links: bool) -> ArchiveFiles:
    if not path.is_dir():
        return ArchiveFiles([path], [])
    from graphlang.ingest.formats.wget_mirror import find_mirrored_url, looks_mirrored  # noqa: PLC0415 - only folders

    files: list[Path] = []
    skipped: list[SkippedFile] = []
    folder = path.resolve().name
    for file, is_link in _walk_folder(path, follow_links=follow_links):
        reason = LINK if is_link and not follow_links else _find_skip_reason(file)
        if reason == SAVED and find_mirrored_url((folder, *file.relative_to(path).parts)) is None:
            reason = ""  # else the path names the URL
        if reason:
            skipped.append(SkippedFile(file, reason))
        else:
            files.append(file)
    if not files and looks_mirrored(path):
        return ArchiveFiles([path], [file for file in sorted(skipped) if file.reason == LINK])
    return ArchiveFiles(sorted(files, key=lambda file: file.as_posix()), sorted(skipped))


def _walk_folder(path: Path, *, follow_links: bool) -> Iterator[tuple[Path, bool]]:
    """Yield files at any depth of a folder, and links to folders that are not followed; and whether each is a link."""
    entered = set()
    for folder, folders, names in os.walk(path, onerror=_raise, followlinks=follow_links):
        status = os.stat(folder)  # noqa: PTH116 - os.walk gives strings
        if (status.st_dev, status.st_ino) in entered:  # links may lead back
            folders.clear()
            continue
        entered.add((status.st_dev, status.st_ino))
        for name in names:
            file = Path(folder, name)
            yield file, file.is_symlink()
        if not follow_links:
            yield from ((file, True) for name in folders if (file := Path(folder, name)).is_symlink())


def _raise(error: OSError) -> None:
    raise error


def is_kernel_file(status: os.stat_result) -> bool:
    """Return whether a file is one of ``/proc`` or ``/sys``, such as ``/proc/kmsg``: reading it may never end."""
    return status.st_dev in _find_kernel_devices()


@cache
def _find_kernel_devices() -> frozenset[int]:
    """Return the devices of the kernel's own file systems, as far as they are mounted at their usual places."""
    mounted = [Path(folder) for folder in ("/proc", "/sys") if os.path.ismount(folder)]
    return frozenset(folder.stat().st_dev for folder in mounted)


def _find_skip_reason(path: Path) -> str:
    """Return why a file is not read; an empty string if it is."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or is_kernel_file(status):
            return NO_FILE
        return _find_content_reason(path)
    except OSError as error:
        return error.strerror or str(error)


def _find_content_reason(path: Path) -> str:
    if _is_readable(path):
        return ""
    if path.name.lower().endswith(_INDEX_SUFFIXES):
        return INDEX
    with open_regular(path) as file:
        head = file.read(_SNIFFED)
    from graphlang.ingest.formats.record_reader import is_index  # noqa: PLC0415 - only files of folders are recognised
    from graphlang.ingest.formats.saved_html import find_url  # noqa: PLC0415

    if path.suffix.lower() in _HTML_SUFFIXES and find_url(head) is not None:
        return SAVED
    return INDEX if is_index(head) else NO_ARCHIVE


def _is_readable(path: Path) -> bool:
    """Return whether a regular file is an archive, or a list of pages."""
    if path.name.lower().endswith(_INDEX_SUFFIXES):
        return False
    if path.name.lower().endswith(SUFFIXES):
        return True
    from graphlang.ingest.files.decompress import ByteSource  # noqa: PLC0415 - as above
    from graphlang.ingest.formats.observatory_store import COOKIE  # noqa: PLC0415
    from graphlang.ingest.formats.record_reader import is_index  # noqa: PLC0415

    with open_regular(path) as file:
        stored = file.read(_SNIFFED)
        if stored.startswith(_ZIP):
            return _WACZ_FOLDER in stored or _WACZ_FOLDER in _read_end(file)
        if stored.startswith(COOKIE):
            return True
        if stored.startswith(b"ustar", _TAR_MAGIC_AT):
            return _ARCHIVE_IN_TAR.search(stored) is not None
        file.seek(0)
        source = ByteSource(file)
        # Most files of a folder are no archives, and short: what is not compressed is not read a second time.
        head = next((chunk.data for chunk in source.read_chunks()), b"")[:_SNIFFED] if source.compression else stored
    return not is_index(head) and (_is_archive(head.lstrip(b"\r\n")) or _lists_pages(head))


def _read_end(file: BinaryIO) -> bytes:
    file.seek(max(0, file.seek(0, 2) - _SNIFFED))
    return file.read(_SNIFFED)


def _is_archive(head: bytes) -> bool:
    from graphlang.ingest.formats.record_reader import GRAMMARS  # noqa: PLC0415 - as above

    return any(grammar.starts(head, 0) and grammar.find(head, 0) == 0 for grammar in GRAMMARS)


def _lists_pages(head: bytes) -> bool:
    """Return whether the first line is a page: other files of JSON lie beside archives, too."""
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n[").partition(b"\n")[0]
    return line.startswith(b"{") and bool(_URL_FIELD.search(line)) and bool(_TEXT_FIELD.search(line))


def read_list(lines: Iterable[str]) -> list[str]:
    r"""Return the paths of a list, one a line; empty lines and lines that begin with ``#`` are skipped.

    Relative paths do not change: they count from the working folder.

    >>> read_list(["# monday\n", "a.warc.gz\n", "\n"])
    ['a.warc.gz']
    """
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def save_stream(stream: BinaryIO, folder: Path) -> Path:
    """Copy a stream, such as standard input, to the new file ``standard-input`` of a folder; return its path.

    Its digest is taken before an archive is read, and reading goes back at damage: a pipe allows neither.
    """
    path = folder / "standard-input"
    with path.open("xb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)
    return path
