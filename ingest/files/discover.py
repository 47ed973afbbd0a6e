"""Files and folders as the user names them -> what is read, in an order that does not depend on the machine.

What a folder holds was named by somebody else: a symbolic link in it may lead to any file of this machine, so that none
is followed unless the user says so. A link that the user names is.
"""

from __future__ import annotations

import errno
import glob
import os
import re
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from graphlang.ingest.formats.recognise import is_readable
from graphlang.ingest.formats.wget_mirror import looks_mirrored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LINK = "symbolic link"  #: why a file of a folder is passed over
NO_ARCHIVE = "no archive"
NO_FILE = "no regular file"
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])", re.IGNORECASE)


class Passed(NamedTuple):
    """A file or folder within a folder, or one that matches a pattern, that is not read."""

    path: Path
    reason: str  #: `LINK`, `NO_ARCHIVE`, `NO_FILE`, or what the system says where it cannot be opened


class Found(NamedTuple):
    """What the user named."""

    files: list[Path]  #: that are read, in their order
    passed: list[Passed]  #: what was passed over, sorted


def expand(paths: Iterable[str | Path], *, follow_links: bool = False) -> list[Path]:
    """Return the archive files that the paths mean, see `find`.

    Args:
        paths: files, folders and patterns.
        follow_links: whether symbolic links within folders are followed.

    Raises:
        OSError: as of `find`.
    """
    return find(paths, follow_links=follow_links).files


def find(paths: Iterable[str | Path], *, follow_links: bool = False) -> Found:
    """Find the archive files that the paths mean.

    Files are taken as they are. In folders archives are looked for at any depth, by their first bytes, or their names
    (see `graphlang.ingest.formats.recognise`); a folder without any that wget mirrored is itself what is read. What is
    no file or folder, but holds ``*``, ``?`` or ``[``, is a pattern, in which ``**`` stands for any folders.

    Files come in the order in which they were named, those of one folder or pattern sorted by path; none comes twice.

    Args:
        paths: files, folders and patterns.
        follow_links: whether symbolic links within folders are followed, and those that match a pattern.

    Raises:
        FileNotFoundError: a path that does not exist, an empty one, a pattern that nothing matches, or a folder that
            holds nothing to read.
        OSError: a folder that may not be entered: what is in it would be missing; or a stream was named, which cannot
            be read twice.
    """
    found: dict[Path, None] = {}
    passed: dict[Passed, None] = {}
    for given in paths:
        path = Path(given)
        if not str(given):  # as a path it would be the working folder
            raise FileNotFoundError(2, "an empty name is not a file or folder", str(given))
        if path.exists() and not path.is_file() and not path.is_dir():
            raise OSError(errno.ESPIPE, "a stream, and a file is read twice: pass it to standard input (-)", str(given))
        if path.exists():
            one = _of(path, follow_links=follow_links)
            reason = "no archive and no mirrored page in this folder"
        else:
            one = _matching(str(given), follow_links=follow_links)
            reason = "no such file or folder"
        if not one.files:
            raise _nothing(str(given), reason, one.passed)
        found.update(dict.fromkeys(one.files))
        passed.update(dict.fromkeys(one.passed))
    return Found(list(found), [one for one in passed if one.path not in found])


def _nothing(given: str, reason: str, passed: list[Passed]) -> FileNotFoundError:
    if _ADDRESS.match(given):
        # A path has no two slashes in a row; the user wrote them.
        written = _ADDRESS.sub(r"\1://", given, count=1)
        return FileNotFoundError(2, "an address: graphlang fetches nothing, it reads files on this machine", written)
    links = sum(one.reason == LINK for one in passed)
    if links:
        reason += (
            f" but {links} symbolic link{'s' * (links > 1)}: --follow-links follows {'them' if links > 1 else 'it'}"
        )
    return FileNotFoundError(2, reason, given)


def _matching(pattern: str, *, follow_links: bool) -> Found:
    # A pattern may be absolute, which pathlib's does not allow.
    matching = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else []  # noqa: PTH207
    files: list[Path] = []
    passed: list[Passed] = []
    for one in map(Path, matching):
        if not follow_links and _leads_away(one, pattern):
            passed.append(Passed(one, LINK))
            continue
        inside = _of(one, follow_links=follow_links)
        files += inside.files
        passed += inside.passed
    return Found(files, passed)


def _leads_away(path: Path, pattern: str) -> bool:
    """Whether a part of the path that the pattern leaves open is a symbolic link."""
    given = Path(pattern).parts
    named = next((place for place, part in enumerate(given) if glob.has_magic(part)), len(given))
    parts = path.parts
    return any(Path(*parts[:end]).is_symlink() for end in range(named + 1, len(parts) + 1))


def _of(path: Path, *, follow_links: bool) -> Found:
    if not path.is_dir():
        return Found([path], [])
    files: list[Path] = []
    passed: list[Passed] = []
    for one, is_link in _within(path, follow_links=follow_links):
        reason = LINK if is_link and not follow_links else _unfit(one)
        if reason:
            passed.append(Passed(one, reason))
        else:
            files.append(one)
    if not files and looks_mirrored(path):
        return Found([path], [one for one in sorted(passed) if one.reason == LINK])
    return Found(sorted(files, key=lambda one: one.as_posix()), sorted(passed))


def _within(path: Path, *, follow_links: bool) -> Iterator[tuple[Path, bool]]:
    """Yield whatever lies within a folder at any depth but folders, and links to folders that are not followed."""
    entered = set()
    for folder, folders, names in os.walk(path, onerror=_raise, followlinks=follow_links):
        status = os.stat(folder)  # noqa: PTH116 - os.walk gives strings
        if (status.st_dev, status.st_ino) in entered:  # links may lead back
            folders.clear()
            continue
        entered.add((status.st_dev, status.st_ino))
        for name in names:
            one = Path(folder, name)
            yield one, one.is_symlink()
        if not follow_links:
            yield from ((one, True) for name in folders if (one := Path(folder, name)).is_symlink())


def _unfit(path: Path) -> str:
    """Why a file is not read; nothing where it is."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return NO_FILE
        return "" if is_readable(path) else NO_ARCHIVE
    except OSError as error:
        return error.strerror or str(error)


def _raise(error: OSError) -> None:
    raise error


def listed(lines: Iterable[str]) -> list[str]:
    r"""Return the paths of a list, one a line; empty lines and those that begin with ``#`` are passed over.

    Relative paths are left as they are: they count from where the user is.

    >>> listed(["# monday\n", "a.warc.gz\n", "\n"])
    ['a.warc.gz']
    """
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def received(stream: BinaryIO, folder: Path) -> Path:
    """Copy a stream, such as standard input, to a new file of a folder; returns where it is.

    Reading an archive goes back where it is damaged, and its digest is taken before it is read: a pipe allows neither.

    Args:
        stream: read to its end.
        folder: there must be no file called ``standard-input`` in it.

    Raises:
        OSError: there is no room for it.
    """
    path = folder / "standard-input"
    with path.open("xb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)
    return path
