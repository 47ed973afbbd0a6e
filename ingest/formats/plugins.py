"""Readers that other packages add, by the entry point group ``graphlang.readers``.

Asking the standard library for entry points imports a parser of e-mail headers and reads the metadata of everything
that is installed, in every process that parses. So it is asked only where some package names the group at all.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Any

GROUP = "graphlang.readers"
_METADATA = (".dist-info", ".egg-info")


@cache
def added() -> tuple[tuple[str, Any], ...]:
    """Return the readers of other packages, each with its name, by name."""
    if not any(_names_group(folder) for folder in sys.path):
        return ()
    from importlib.metadata import entry_points  # noqa: PLC0415

    return tuple(sorted((one.name, one.load()) for one in entry_points(group=GROUP)))


def _names_group(folder: str) -> bool:
    """Tell whether a package of a folder of the path may add a reader; what is no folder may hold anything."""
    try:
        with os.scandir(folder or ".") as entries:
            found = [entry.path for entry in entries if entry.name.endswith(_METADATA)]
    except NotADirectoryError:
        return True
    except OSError:
        return False
    for path in found:
        try:
            with open(os.path.join(path, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123 - hundreds of them
                if GROUP.encode() in file.read():
                    return True
        except OSError:
            continue
    return False
