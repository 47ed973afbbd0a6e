"""Files and folders as the user names them -> archive files, in an order that does not depend on the machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_FORMATS = (".warc", ".arc")
_COMPRESSIONS = ("", ".gz", ".zst", ".lz4")
#: Names that are taken from a folder. A file that is named itself is taken whatever it is called.
SUFFIXES = tuple(format_ + compression for format_ in _FORMATS for compression in _COMPRESSIONS)


def expand(paths: Iterable[str | Path]) -> list[Path]:
    """Return the archive files that the paths mean: files as they are, folders searched at any depth.

    Files come in the order in which they were named, those of one folder sorted by path; none comes twice.

    Args:
        paths: files and folders.

    Raises:
        FileNotFoundError: a path that does not exist.
    """
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            inside = (one for one in path.rglob("*") if one.name.lower().endswith(SUFFIXES) and one.is_file())
            found.update(dict.fromkeys(sorted(inside, key=lambda one: one.as_posix())))
        elif path.exists():
            found[path] = None
        else:
            raise FileNotFoundError(f"no such file or folder: {path}")
    return list(found)
