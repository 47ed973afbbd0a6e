"""Arrow without pandas: it imports pandas when it is first given a list, to learn that this is no series of pandas.

That takes each process half a second, and no task has a series. Who asks for one (``to_pandas``) still gets it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class _Hidden:
    """Finds nothing where pandas is looked for."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Refuse pandas, and leave all else to others.

        Args:
            name: of a module.
            path: of its package.
            target: that is loaded again.

        Raises:
            ModuleNotFoundError: it is pandas.
        """
        del path, target
        if name == "pandas":
            raise ModuleNotFoundError(name)
        return None


def without_pandas() -> None:
    """Let Arrow look for pandas now, and find none; where it is there already it stays."""
    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _Hidden)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_Hidden)
