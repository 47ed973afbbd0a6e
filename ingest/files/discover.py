"""Files and folders as the user names them -> what is read, in an order that does not depend on the machine."""

from __future__ import annotations

import glob
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from graphlang.ingest.formats.wget_mirror import looks_mirrored

if TYPE_CHECKING:
    from collections.abc import Iterable

_FORMATS = (".warc", ".arc", ".wet", ".wat", ".jsonl", ".ndjson", ".store")
_COMPRESSIONS = ("", ".gz", ".zst", ".lz4")
#: Names that are taken from a folder. A file that is named itself is taken whatever it is called.
SUFFIXES = (".wacz", *(format_ + compression for format_ in _FORMATS for compression in _COMPRESSIONS))


def expand(paths: Iterable[str | Path]) -> list[Path]:
    """Return the archive files that the paths mean.

    Files are taken as they are. In folders archives are looked for at any depth, by their names; a folder without any
    that wget mirrored is itself what is read. What is no file or folder, but holds ``*``, ``?`` or ``[``, is a pattern,
    in which ``**`` stands for any folders.

    Files come in the order in which they were named, those of one folder or pattern sorted by path; none comes twice.

    Args:
        paths: files, folders and patterns.

    Raises:
        FileNotFoundError: a path that does not exist, a pattern that nothing matches, or a folder that holds nothing to
            read.
        OSError: a folder that may not be entered: what is in it would be missing.
    """
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        reason = "no archive and no mirrored page in this folder"
        if path.exists():
            inside = _of(path)
        else:
            # A pattern may be absolute, which pathlib's does not allow.
            matching = sorted(glob.glob(str(given), recursive=True)) if glob.has_magic(str(given)) else []  # noqa: PTH207
            inside = [file for one in matching for file in _of(Path(one))]
            reason = "no such file or folder"
        if not inside:
            raise FileNotFoundError(2, reason, str(given))
        found.update(dict.fromkeys(inside))
    return list(found)


def _of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    inside = [
        Path(folder, name)
        for folder, _, names in os.walk(path, onerror=_raise)
        for name in names
        if name.lower().endswith(SUFFIXES) and Path(folder, name).is_file()
    ]
    if not inside and looks_mirrored(path):
        return [path]
    return sorted(inside, key=lambda one: one.as_posix())


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
