r"""Calls kernels with arrays: the one place where types, shapes and lifetimes of arrays are checked.

>>> kernels, out = Kernels("graphlang.db.native._ids"), bytearray(12)
>>> kernels.ids_authorities(b"http://a.b/", out), bytes(out[:4])
(4, b'a.b\x00')
>>> kernels.ids_authorities(b"http://a.b/", bytearray(3))
Traceback (most recent call last):
  ...
graphlang.native.kernels.KernelError: out has shape (3,), expected (size + 1,) = (12,)

An array is anything that has a buffer: of numpy, of Python's `array`, bytes. A parameter that is the size of an array
is never passed: it is taken from the array, and every other array is held against it. The array lives as long as the
call, a number is never taken for an address, and while a kernel runs other threads of Python run too (cffi releases the
lock of the interpreter). A handle is for one thread at a time.
"""

from __future__ import annotations

from array import array
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from graphlang.native.declarations import FAULT, NUMBERS, Parameter, Prototype, names, prototypes

if TYPE_CHECKING:
    from collections.abc import Callable

_PREFIX: Final = "graphlang_"
# Arrays up to which the source of a call has lines of its own for each, as the kernels that every page calls have.
# Others take each array by a call: a few microseconds more, and half of the time to make the function.
_FEW: Final = 7
#: Formats of buffers, as numpy calls them.
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
    """A kernel was given something that it does not take: an array of another shape or kind, or a wrong number."""


class Kernels:
    """The kernels of an extension module, each a function by its name in C without ``graphlang_``.

    A kernel that fails raises: KernelError for what it was given, MemoryError where there is not enough. A kernel that
    makes a handle has it freed when nothing refers to it any more.

    Args:
        module: Full name of the extension module.
        few: Arrays up to which the source of a call has lines of its own for each.

    Raises:
        ImportError: it is not there; it is built when the package is installed.
    """

    def __init__(self, module: str, *, few: int = _FEW) -> None:
        try:
            native: Any = import_module(module)
        except ModuleNotFoundError as error:
            raise ImportError(
                f"{module} is missing: what KERNELS of graphlang/native/build.py names is compiled when graphlang is"
                " installed",
                name=module,
            ) from error
        self._ffi, self._library = native.ffi, native.lib
        self._buffer = native.ffi.buffer
        declared = _declared_by(self._ffi.string(self._library.graphlang_declarations()).decode())
        freeing = {
            one.parameters[0].type: one.name
            for one in declared
            if one.name.endswith("_free") and len(one.parameters) == 1
        }
        self._module, self._few = module, few
        self._declared = {
            one.name.removeprefix(_PREFIX): (one, freeing.get(one.result.removesuffix("*").strip()))
            for one in declared
            if one.name not in freeing.values()
        }

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A kernel, made when it is first asked for: a verb calls few of them, and each takes half a millisecond."""
        known = self.__dict__.get("_declared", {}).get(name)
        if known is None:
            raise AttributeError(f"{self.__dict__.get('_module')} has no kernel {name}", name=name, obj=self)
        prototype, freeing = known
        made = self._function(prototype, None if freeing is None else getattr(self._library, freeing))
        setattr(self, name, made)
        return made

    def struct(self, name: str) -> Any:
        """A new struct that the header declares, all zeros, for a kernel to fill.

        Args:
            name: Without ``graphlang_``.
        """
        return self._ffi.new(f"{_PREFIX}{name} *")

    def constant(self, name: str) -> int:
        """What a name of an enum stands for."""
        value: int = getattr(self._library, name)
        return value

    def copied(self, begin: Any, size: int) -> bytes:
        """The bytes that a kernel left somewhere, copied.

        Args:
            begin: A pointer out of a struct.
            size: How many.

        Raises:
            KernelError: the pointer is NULL, and the size is not 0.
        """
        if not size:
            return b""
        if not begin:
            raise KernelError(f"{size} bytes of nothing")
        copied: bytes = self._buffer(begin, size)[:]
        return copied

    def decoded(self, begin: Any, size: int) -> str:
        """The characters in UTF-8 that a kernel left somewhere; what is no UTF-8 becomes a replacement character.

        Args:
            begin: A pointer out of a struct.
            size: How many bytes.

        Raises:
            KernelError: the pointer is NULL, and the size is not 0.
        """
        if not size:
            return ""
        if not begin:
            raise KernelError(f"{size} bytes of nothing")
        return str(self._buffer(begin, size), "utf-8", "replace")

    def _function(self, prototype: Prototype, free: Any) -> Callable[..., Any]:
        """What checks the arguments of a kernel and calls it: made once, as source, for a call to take little time."""
        ffi = self._ffi
        known = {one.name for one in prototype.parameters}
        scope: dict[str, Any] = {
            "call": getattr(self._library, prototype.name),
            "of": ffi.from_buffer,
            "array": array,
            "NULL": ffi.NULL,
            "refuse_shape": _refuse_shape,
            "failed": self._failed,
            "new_fault": lambda: ffi.new(f"{FAULT} *"),
            "owned": lambda made: ffi.gc(made, free),
        }
        for one in prototype.parameters:
            if one.dimensions:
                scope[f"kind_{one.name}"] = ffi.typeof(f"{one.type}[]")
                scope[f"view_{one.name}"], scope[f"flat_{one.name}"] = _viewer(one), _flat(one)
                scope[f"take_{one.name}"] = _taker(
                    scope[f"kind_{one.name}"], scope[f"view_{one.name}"], ffi.from_buffer, is_optional=one.is_optional
                )
                for name in names(" ".join(one.dimensions)):
                    if name not in known:
                        scope[name] = self.constant(name)
        source = _source(prototype, is_handle=free is not None, few=self._few)
        exec(compile(source, f"<{prototype.name}>", "exec"), scope)  # noqa: S102  made of our own header alone
        made: Callable[..., Any] = scope["kernel"]
        made.__name__ = made.__qualname__ = prototype.name.removeprefix(_PREFIX)
        made.__doc__ = f"In C: ``{prototype.text}``."
        return made

    def _failed(self, name: str, code: int, fault: Any) -> Exception:
        """The error for what a kernel returned."""
        library = self._library
        if code == library.GRAPHLANG_NO_MEMORY:
            return MemoryError()
        if fault is not None and fault.array:
            array = self._ffi.string(fault.array).decode()
            if code == library.GRAPHLANG_OUT_OF_RANGE:
                return KernelError(f"{array}[{fault.index}] = {fault.value} is outside {fault.least}..{fault.most}")
            if code == library.GRAPHLANG_NOT_FINITE:
                return KernelError(f"{array}[{fault.index}] is not a finite number")
        if code == library.GRAPHLANG_WRONG_SIZE:
            return KernelError(f"{name}: sizes of arrays do not fit their content")
        return KernelError(f"{name} failed with {code}")


@cache
def _declared_by(header: str) -> tuple[Prototype, ...]:
    """Its prototypes; several of our modules use the same kernels, and it takes a millisecond to read them."""
    return tuple(prototypes(header))


def _flat(parameter: Parameter) -> frozenset[type | str]:
    """Kinds of arrays that are of one dimension and of the right kind by their type alone, or by their type code.

    They are most of what is passed while pages are read, twenty of them a page, and a view of each would take as long
    as some of the kernels.
    """
    formats = NUMBERS[parameter.type]
    of_bytes: tuple[type, ...] = (bytearray, bytes) if parameter.is_const else (bytearray,)
    return frozenset((*(of_bytes if "B" in formats else ()), *formats))


def _viewer(parameter: Parameter) -> Callable[[Any], memoryview]:
    """What gives the view of an array, if it is of the right kind, in one piece and, if need be, may be changed."""
    name, is_const = parameter.name, parameter.is_const
    formats = frozenset(NUMBERS[parameter.type] + (("?",) if is_const and parameter.type == "uint8_t" else ()))
    expected = _NAMES[NUMBERS[parameter.type][0]]

    def view(given: Any) -> memoryview:
        try:
            seen = memoryview(given)
        except (TypeError, ValueError, BufferError):
            raise KernelError(f"{name} is {type(given).__name__}, expected an array of {expected}") from None
        if seen.format not in formats:
            raise KernelError(f"{name} is {_NAMES.get(seen.format, seen.format)}, expected {expected}")
        if not seen.c_contiguous:
            raise KernelError(f"{name} is not contiguous")
        if seen.readonly and not is_const:
            raise KernelError(f"{name} is read-only, and the kernel writes to it")
        if not seen.ndim:
            raise KernelError(f"{name} is a single number, expected an array")
        return seen

    return view


def _taker(
    kind: Any, view: Callable[[Any], memoryview], held: Callable[[Any, Any], Any], *, is_optional: bool
) -> Callable[[Any], tuple[Any, tuple[int, ...] | None]]:
    """What gives an array as a kernel takes it, and its shape; None twice where an optional one is not there."""

    def take(given: Any) -> tuple[Any, tuple[int, ...] | None]:
        if is_optional and given is None:
            return None, None
        seen = view(given)
        return held(kind, given), seen.shape

    return take


def _refuse_shape(name: str, shape: tuple[int, ...], dimensions: str, expected: tuple[int, ...] | None = None) -> None:
    spelt = f"{dimensions} = {expected}" if expected is not None else dimensions
    raise KernelError(f"{name} has shape {shape}, expected {spelt}")


def _source(prototype: Prototype, *, is_handle: bool, few: int = _FEW) -> str:
    """The source of a function that checks and calls.

    >>> one, = prototypes("int graphlang_sum(int64_t n, const float x[n], OPTIONAL double y[1]);")
    >>> print(_source(one, is_handle=False))
    def kernel(x, y):
        if (x.typecode if type(x) is array else type(x)) in flat_x: x = of(kind_x, x); shape_x = (len(x),)
        else: seen = view_x(x); shape_x = seen.shape; x = of(kind_x, x)
        if y is None: shape_y = None
        elif (y.typecode if type(y) is array else type(y)) in flat_y: y = of(kind_y, y); shape_y = (len(y),)
        else: seen = view_y(y); shape_y = seen.shape; y = of(kind_y, y)
        n = shape_x[0]
        if shape_x != (n,): refuse_shape('x', shape_x, '(n,)', (n,))
        if y is not None and shape_y != (1,): refuse_shape('y', shape_y, '(1,)', (1,))
        done = call(n, x, NULL if y is None else y)
        if done < 0: raise failed('sum', done, None)
        return done
    """
    short, sizes = prototype.name.removeprefix(_PREFIX), prototype.sizes
    arrays = [one for one in prototype.parameters if one.dimensions]
    given = [one.name for one in prototype.parameters if one.name not in sizes and one.type != FAULT]
    lines = []
    for one in arrays:
        name = one.name
        if len(arrays) > few:
            lines.append(f"{name}, shape_{name} = take_{name}({name})")
            continue
        kind = f"({name}.typecode if type({name}) is array else type({name}))"
        if one.is_optional:
            lines.append(f"if {name} is None: shape_{name} = None")
        is_bytes = one.is_const and "B" in NUMBERS[one.type]
        if is_bytes:  # cffi takes them as they are, and nobody can change them
            lines.append(f"{'el' * one.is_optional}if type({name}) is bytes: shape_{name} = (len({name}),)")
        held = f"{name} = of(kind_{name}, {name})"  # from here on nobody can make it shorter
        lines.append(
            f"{'el' * (one.is_optional or is_bytes)}if {kind} in flat_{name}: {held}; shape_{name} = (len({name}),)"
        )
        # The array itself is held, and not its view: an error keeps what its frames have, and Python before 3.12.7 dies
        # when the collector breaks a loop with a view that is held (python/cpython#77894).
        lines.append(f"else: seen = view_{name}({name}); shape_{name} = seen.shape; {held}")
    lines += _ranks(sizes)
    lines += [f"{size} = {_size(arrays, size, *source)}" for size, source in sizes.items()]
    giving = {source.name for source, _ in sizes.values()}
    for one in sorted(arrays, key=lambda one: (one.name not in giving, len(one.dimensions))):
        shape = f"({', '.join(one.dimensions)}{',' * (len(one.dimensions) == 1)})"
        wrong = f"shape_{one.name} != {shape}"
        if len(one.dimensions) > 1 and one.name not in giving:
            wrong += f" and shape_{one.name} != ({' * '.join(one.dimensions)},)"
        absent = f"{one.name} is not None and " if one.is_optional else ""
        lines.append(f"if {absent}{wrong}: refuse_shape({one.name!r}, shape_{one.name}, {shape!r}, {shape})")
    fault = next((one.name for one in prototype.parameters if one.type == FAULT), None)
    if fault is not None:
        lines.append(f"{fault} = new_fault()")
    called = f"call({', '.join(map(_handed, prototype.parameters))})"
    if is_handle:
        lines += [f"made = {called}", "if not made: raise MemoryError", "return owned(made)"]
    elif prototype.result in {"int", "int32_t", "int64_t"}:
        lines += [f"done = {called}", f"if done < 0: raise failed({short!r}, done, {fault})", "return done"]
    else:
        lines.append(f"return {called}")
    return "\n    ".join((f"def kernel({', '.join(given)}):", *lines))


def _ranks(sizes: dict[str, tuple[Parameter, int]]) -> list[str]:
    """Lines that refuse arrays that give a size by another dimension than the first, where they lack that one."""
    several = {one.name: one for one, _ in sizes.values() if len(one.dimensions) > 1}
    return [
        f"if {f'{name} is not None and ' * one.is_optional}len(shape_{name}) != {len(one.dimensions)}: "
        f"refuse_shape({name!r}, shape_{name}, '({', '.join(one.dimensions)})')"
        for name, one in several.items()
    ]


def _size(arrays: list[Parameter], size: str, source: Parameter, axis: int) -> str:
    """Where a size is taken from: of optional arrays the first that is there, and 0 where none is."""
    if not source.is_optional:
        return f"shape_{source.name}[{axis}]"
    chain = "".join(
        f"shape_{one.name}[{one.dimensions.index(size)}] if {one.name} is not None else "
        for one in arrays
        if size in one.dimensions
    )
    return f"{chain}0"


def _handed(parameter: Parameter) -> str:
    return f"NULL if {parameter.name} is None else {parameter.name}" if parameter.is_optional else parameter.name
