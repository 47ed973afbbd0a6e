"""Kernels in C: where they are, and how arrays are handed to them.

They are plain C without Python's headers, and know nothing of Python's objects: whoever calls checks types and sizes
first, and a kernel checks what depends on the content of an array. While one runs, other threads of Python run too.
"""

from __future__ import annotations

import ctypes
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

_LETTERS = {"p": ctypes.c_void_p, "i": ctypes.c_int64, "u": ctypes.c_uint64, "d": ctypes.c_double}


class KernelError(RuntimeError):
    """A kernel was given arrays that do not fit together: a fault of ours."""


class Library:
    """A module of kernels.

    Args:
        module: Full name of the extension module.
        path: Its file, where it is another than the installed one.

    Raises:
        ImportError: it is not there; it is built when the package is installed.
    """

    def __init__(self, module: str, path: str | None = None) -> None:
        if path is None:
            found = importlib.util.find_spec(module)
            if found is None or found.origin is None:
                raise ImportError(f"{module} is missing: it is compiled when graphlang is installed", name=module)
            path = found.origin
        self._library = ctypes.CDLL(path)

    def function(self, name: str, arguments: str) -> Callable[..., int]:
        """A kernel that returns a whole number.

        Args:
            name: The function.
            arguments: A letter each: p for a pointer, i for a whole number (u: not negative), d for a float.
        """
        found: Any = getattr(self._library, name)
        found.argtypes = [_LETTERS[letter] for letter in arguments]
        found.restype = ctypes.c_int64
        return found  # type: ignore[no-any-return]


def pointer(array: NDArray[Any], kind: type[np.generic]) -> int:
    """Where the elements of an array begin.

    Raises:
        KernelError: they are of another kind than the kernel takes, or not one beside the other.
    """
    if array.dtype != kind or not array.flags.c_contiguous:
        raise KernelError(f"an array of {array.dtype} where a kernel needs {kind.__name__}, one beside the other")
    return array.ctypes.data


def checked(answer: int) -> int:
    """What a kernel returned. Raises KernelError where that says that its arrays do not fit together."""
    if answer < 0:
        raise KernelError("arrays that do not fit together")
    return answer
