"""Finds the compiled parts of this package."""

from __future__ import annotations

import ctypes
from importlib.util import find_spec


def load(name: str) -> ctypes.CDLL:
    """Load a compiled part.

    Raises:
        ImportError: it was not built.
    """
    spec = find_spec(f"graphlang.db.{name}")
    if spec is None or spec.origin is None:
        raise ImportError("graphlang was installed without its compiled parts: install it again")
    return ctypes.CDLL(spec.origin)
