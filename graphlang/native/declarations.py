"""What the header of a kernel declares: cffi reads it as C, and the binding reads what C says and cffi drops.

C can say how many elements an array parameter has (``const int64_t ids[pages + links]``) and that a kernel does not
change it (``const``). cffi knows neither, so both are read here. The build of the package runs this file by its path:
it imports nothing that would have to be installed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

#: Numbers of arrays: how C calls them -> how Python's buffers do, the first being the usual one.
NUMBERS = {
    "char": ("c", "B"),
    "int8_t": ("b",),
    "uint8_t": ("B", "c"),
    "int16_t": ("h",),
    "uint16_t": ("H",),
    "int32_t": ("i",),
    "uint32_t": ("I",),
    "int64_t": ("q", "l"),
    "uint64_t": ("Q", "L"),
    "float": ("f",),
    "double": ("d",),
}
FAULT = "graphlang_fault"

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)
_MARK = re.compile("[;{}]")
_PROTOTYPE = re.compile(r"(?P<result>[\w ]+?\**) ?(?P<name>\w+)\((?P<parameters>.*)\)")
_PARAMETER = re.compile(
    r"(?P<optional>OPTIONAL )?(?P<const>const )?(?P<type>\w+) ?(?P<pointer>\*?) ?(?P<name>\w+)(?:\[(?P<size>[^]]+)\])?"
)
_SIZE = re.compile(r"[\w +*()-]+")
_WORD = re.compile(r"\b[A-Za-z_]\w*")


class DeclarationError(ValueError):
    """A header says something that the binding does not take."""


class Parameter(NamedTuple):
    """A parameter of a kernel."""

    name: str
    type: str  #: without const and star
    is_const: bool
    is_optional: bool
    is_pointer: bool
    dimensions: tuple[str, ...]  #: of an array, as C writes them; a product is an array of as many dimensions


class Prototype(NamedTuple):
    """A kernel."""

    name: str
    result: str  #: its type, as C writes it
    parameters: tuple[Parameter, ...]
    text: str  #: as it stands in the header, on one line

    @property
    def sizes(self) -> dict[str, tuple[Parameter, int]]:
        """Parameters that arrays give, as one of their dimensions -> an array that does, and which dimension.

        An array that is always there goes before an optional one, and one of a single dimension before others.

        >>> one, = prototypes("int f(int64_t n, const float x[n]);")
        >>> one.sizes["n"][0].name, one.sizes["n"][1]
        ('x', 0)
        """
        scalars = {one.name for one in self.parameters if not one.is_pointer}
        found: dict[str, tuple[Parameter, int]] = {}
        for one in sorted(self.parameters, key=lambda one: (one.is_optional, len(one.dimensions))):
            for axis, dimension in enumerate(one.dimensions):
                if dimension in scalars:
                    found.setdefault(dimension, (one, axis))
        return found


def statements(header: str) -> list[str]:
    r"""The statements of a header, each on one line, without comments and lines for the preprocessor.

    Args:
        header: the text of a header in C.

    Raises:
        DeclarationError: the last statement has no semicolon.

    >>> statements("#include <x.h>\nenum { A, /* not B */\n C };\nint f(int a);")
    ['enum { A, C }', 'int f(int a)']
    """
    text = _DIRECTIVE.sub("", _COMMENT.sub(" ", header))
    found, depth, begin = [], 0, 0
    for mark in _MARK.finditer(text):
        depth += (mark[0] == "{") - (mark[0] == "}")
        if mark[0] == ";" and not depth:
            found.append(" ".join(text[begin : mark.start()].split()))
            begin = mark.end()
    if rest := text[begin:].strip():
        raise DeclarationError(f"a statement without an end: {rest[:60]!r}")
    return found


def prototypes(header: str) -> list[Prototype]:
    """The kernels that a header declares.

    Raises:
        DeclarationError: a parameter is of a kind that the binding does not take, or an array has no size.

    >>> [one] = prototypes("int64_t graphlang_sum(int64_t n, int64_t m, const float x[n * m], OPTIONAL double out[1]);")
    >>> one.result, [(parameter.name, parameter.dimensions, parameter.is_const) for parameter in one.parameters]
    ('int64_t', [('n', (), False), ('m', (), False), ('x', ('n', 'm'), True), ('out', ('1',), False)])
    >>> prototypes("void f(float *x);")
    Traceback (most recent call last):
      ...
    graphlang.native.declarations.DeclarationError: f: say how many elements x has: float x[...]
    """
    found = []
    for statement in statements(header):
        if statement.startswith(("typedef ", "enum ", "struct ")) or not (match := _PROTOTYPE.fullmatch(statement)):
            continue
        listed = match["parameters"]
        parameters = () if listed == "void" else tuple(_parameter(match["name"], one) for one in listed.split(","))
        found.append(Prototype(match["name"], match["result"], parameters, statement))
    return found


def cdef(header: str) -> str:
    """What cffi reads: the statements with arrays as pointers.

    >>> print(cdef("typedef struct a b; int f(int64_t n, OPTIONAL const float x[n]);"))
    typedef struct a b;
    int f(int64_t n, const float *x);
    """
    made = {one.text: _plain(one) for one in prototypes(header)}
    return "\n".join(made.get(one, one) + ";" for one in statements(header))


def names(size: str) -> list[str]:
    """The names in the size of an array.

    >>> names("2 * (pages + LINKS)")
    ['pages', 'LINKS']
    """
    return _WORD.findall(size)


def _parameter(kernel: str, text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text.strip())
    if match is None:
        raise DeclarationError(f"{kernel}: {text.strip()!r} is no parameter that the binding takes")
    size, is_number = match["size"], match["type"] in NUMBERS
    if is_number and match["pointer"]:
        raise DeclarationError(
            f"{kernel}: say how many elements {match['name']} has: {match['type']} {match['name']}[...]"
        )
    if size is not None and not (is_number and _SIZE.fullmatch(size)):
        raise DeclarationError(f"{kernel}: {text.strip()!r} is no array that the binding takes")
    return Parameter(
        match["name"],
        match["type"],
        match["const"] is not None,
        match["optional"] is not None,
        bool(match["pointer"]) or size is not None,
        _factors(size) if size is not None else (),
    )


def _factors(size: str) -> tuple[str, ...]:
    """The factors of a product: a * (b + c) is an array of two dimensions."""
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(size):
        depth += (letter == "(") - (letter == ")")
        if not depth and letter in "+-":
            return (size.strip(),)
        if not depth and letter == "*":
            found.append(size[begin:at].strip())
            begin = at + 1
    return (*found, size[begin:].strip())


def _plain(kernel: Prototype) -> str:
    listed = (f"{'const ' * one.is_const}{one.type} {'*' * one.is_pointer}{one.name}" for one in kernel.parameters)
    return f"{kernel.result} {kernel.name}({', '.join(listed) or 'void'})"
