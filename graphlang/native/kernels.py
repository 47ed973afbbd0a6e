r"""Check the arrays that kernels get, and raise their errors: the common part of the modules that `wrapper` writes.

>>> from graphlang.db.native import ids
>>> out = bytearray(12)
>>> ids.ids_authorities(b"http://a.b/", out), bytes(out[:4])
(4, b'a.b\x00')
>>> ids.ids_authorities(b"http://a.b/", bytearray(3))
Traceback (most recent call last):
  ...
graphlang.native.kernels.KernelError: out has shape (3,), expected (size + 1,) = (12,)

An array is any object with a buffer: of numpy, of Python's `array`, bytes. A parameter that is the size of an array is
never passed: it is taken from the array, and every other array is compared with it. The array is kept alive during the
call, a number is never taken for an address, and while a kernel runs other threads of Python run too (cffi releases the
lock of the interpreter). A handle is for one thread at a time.
"""

from __future__ import annotations

from array import array
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NoReturn

from _cffi_backend import buffer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from _typeshed import ReadableBuffer, WriteableBuffer
    from numpy.typing import NDArray

    # Before Python 3.12 numpy's arrays do not declare that they have a buffer.
    InputArray: TypeAlias = ReadableBuffer | NDArray[Any]
    OutputArray: TypeAlias = WriteableBuffer | NDArray[Any]

#: Formats of buffers, by numpy's names.
_NAMES: Final = {
    "c": "bytes",
    "b": "int8",
    "B": "uint8",
    "h": "int16",
    "H": "uint16",
    "i": "int32",
    "I": "uint32",
    "q": "int64",
    "l": "int64",
    "Q": "uint64",
    "L": "uint64",
    "e": "float16",
    "f": "float32",
    "d": "float64",
    "?": "bool",
}


class KernelError(ValueError):
    """A kernel refused an argument: an array of another shape or kind, or a number out of range."""


def load(module: str) -> tuple[Any, Any]:
    """Return ``ffi`` and ``lib`` of a compiled module."""
    try:
        native: Any = import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{module} is missing: graphlang compiles the KERNELS of graphlang/native/build.py when it is installed",
            name=module,
        ) from error
    return native.ffi, native.lib


def make_array_taker(
    ffi: Any, number: str, formats: str, *, writable: bool = False
) -> Callable[[Any, str], tuple[Any, tuple[int, ...]]]:
    """Make a function that checks an array of a C type, and returns it as cffi takes it, with its shape.

    `ffi` is that of the compiled module, `number` the type in C. `formats` are the buffer formats of such numbers;
    errors name the first one. With `writable` the kernel writes to the array.
    """
    kind, hold = ffi.typeof(f"{number}[]"), ffi.from_buffer
    expected = _NAMES[formats[0]]
    accepted = frozenset((*formats, *("?" if number == "uint8_t" and not writable else "")))
    takes_bytes = "B" in formats and not writable
    # Arrays that are flat and of the right kind by their type or type code alone: nearly all that pages are read with,
    # twenty of them a page. A view of each would take as long as some of the kernels.
    flat: frozenset[object] = frozenset((*formats, *((bytearray,) if "B" in formats else ())))

    def take(values: Any, name: str) -> tuple[Any, tuple[int, ...]]:
        if takes_bytes and type(values) is bytes:
            return values, (len(values),)
        if (values.typecode if type(values) is array else type(values)) in flat:
            held = hold(kind, values)  # from here on no other thread can make it shorter
            return held, (len(held),)
        try:
            view = memoryview(values)
        except (TypeError, ValueError, BufferError):
            raise KernelError(f"{name} is {type(values).__name__}, expected an array of {expected}") from None
        shape, problem = view.shape or (), _describe_problem(view, accepted, expected, writable=writable)
        # An error keeps the variables of its frames, and Python before 3.12.7 crashes when the collector breaks a
        # cycle with a view that is held (python/cpython#77894).
        del view
        if problem:
            raise KernelError(f"{name} is {problem}")
        return hold(kind, values), shape

    return take


def _describe_problem(view: memoryview, accepted: frozenset[str], expected: str, *, writable: bool) -> str:
    if view.format not in accepted:
        return f"{_NAMES.get(view.format, view.format)}, expected {expected}"
    if not view.c_contiguous:
        return "not contiguous"
    if view.readonly and writable:
        return "read-only, and the kernel writes to it"
    return "" if view.ndim else "a single number, expected an array"


def refuse_shape(
    name: str, shape: tuple[int, ...], dimensions: str, expected: tuple[int, ...] | None = None
) -> NoReturn:
    """Raise the error for an array whose shape does not fit that of others."""
    raise KernelError(f"{name} has shape {shape}, expected {dimensions}{'' if expected is None else f' = {expected}'}")


def make_failure(ffi: Any, lib: Any, name: str, code: int, fault: Any = None) -> Exception:
    """Return the error for the negative code that a kernel returned; `fault` has the number that it refused."""
    if code == lib.GRAPHLANG_NO_MEMORY:
        return MemoryError()
    if fault is not None and fault.array:
        place = f"{ffi.string(fault.array).decode()}[{fault.index}]"
        if code == lib.GRAPHLANG_OUT_OF_RANGE:
            return KernelError(f"{place} = {fault.value} is outside {fault.least}..{fault.most}")
        if code == lib.GRAPHLANG_NOT_FINITE:
            return KernelError(f"{place} is not a finite number")
    if code == lib.GRAPHLANG_WRONG_SIZE:
        return KernelError(f"{name}: sizes of arrays do not fit their content")
    return KernelError(f"{name} failed with {code}")


def copy_bytes(begin: Any, size: int) -> bytes:
    """Copy the bytes behind a pointer that a kernel wrote to a struct; a KernelError where it is NULL."""
    if not size:
        return b""
    if not begin:
        raise KernelError(f"{size} bytes of nothing")
    result: bytes = buffer(begin, size)[:]
    return result


def decode_bytes(begin: Any, size: int) -> str:
    """Decode the UTF-8 behind a pointer that a kernel wrote to a struct; a KernelError where it is NULL."""
    if not size:
        return ""
    if not begin:
        raise KernelError(f"{size} bytes of nothing")
    return str(buffer(begin, size), "utf-8", "replace")
