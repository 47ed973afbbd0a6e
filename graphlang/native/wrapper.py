"""Read the header of a kernel, and write the Python module that calls it.

C can say how many elements an array parameter has (``const int64_t ids[pages + links]``) and that a kernel does not
change it (``const``). cffi drops both: `write_cdef` gives it pointers, and `write_wrapper` writes the checks as Python.
The module ``NAME.py`` beside the compiled ``_NAME`` has a typed function for each kernel, a number for each constant
and a function for each struct. The build runs this file by its path, so it imports nothing that has to be installed.
"""

from __future__ import annotations

import re
import textwrap
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
_FAULT = "graphlang_fault"
_PREFIX, _CONSTANT = "graphlang_", "GRAPHLANG_"
_WIDTH = 120  # columns of a line

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
    """A header declares something that the wrapper cannot call."""


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
    text: str  #: its declaration in the header, on one line

    @property
    def sizes(self) -> dict[str, tuple[Parameter, int]]:
        """Map each parameter that is a dimension of arrays to the array that gives it, and the axis.

        Required arrays go before optional ones, and arrays of one dimension before others.

        >>> [prototype] = parse_prototypes("int f(int64_t n, const float x[n]);")
        >>> prototype.sizes["n"][0].name, prototype.sizes["n"][1]
        ('x', 0)
        """
        scalars = {parameter.name for parameter in self.parameters if not parameter.is_pointer}
        sources: dict[str, tuple[Parameter, int]] = {}
        for array in sorted(self.parameters, key=lambda array: (array.is_optional, len(array.dimensions))):
            for axis, dimension in enumerate(array.dimensions):
                if dimension in scalars:
                    sources.setdefault(dimension, (array, axis))
        return sources

    @property
    def arrays(self) -> list[Parameter]:
        """The parameters that are arrays."""
        return [parameter for parameter in self.parameters if parameter.dimensions]


def cut_statements(header: str) -> list[str]:
    r"""Cut a header into statements, each on one line, without comments and preprocessor directives.

    >>> cut_statements("#include <x.h>\nenum { A, /* not B */\n C };\nint f(int a);")
    ['enum { A, C }', 'int f(int a)']
    """
    text = _DIRECTIVE.sub("", _COMMENT.sub(" ", header))
    listed, depth, begin = [], 0, 0
    for mark in _MARK.finditer(text):
        depth += (mark[0] == "{") - (mark[0] == "}")
        if mark[0] == ";" and not depth:
            listed.append(" ".join(text[begin : mark.start()].split()))
            begin = mark.end()
    if unfinished := text[begin:].strip():
        raise DeclarationError(f"a statement without an end: {unfinished[:60]!r}")
    return listed


def parse_prototypes(header: str) -> list[Prototype]:
    """Parse the kernels that a header declares.

    >>> header = "int64_t graphlang_sum(int64_t n, int64_t m, const float x[n * m], OPTIONAL double y[1]);"
    >>> [sum_] = parse_prototypes(header)
    >>> sum_.result, [(parameter.name, parameter.dimensions, parameter.is_const) for parameter in sum_.parameters]
    ('int64_t', [('n', (), False), ('m', (), False), ('x', ('n', 'm'), True), ('y', ('1',), False)])
    >>> parse_prototypes("void f(float *x);")
    Traceback (most recent call last):
      ...
    graphlang.native.wrapper.DeclarationError: f: say how many elements x has: float x[...]
    """
    kernels = []
    for statement in cut_statements(header):
        if statement.startswith(("typedef ", "enum ", "struct ")) or not (match := _PROTOTYPE.fullmatch(statement)):
            continue
        listed = match["parameters"]
        parameters = (
            () if listed == "void" else tuple(_parse_parameter(match["name"], text) for text in listed.split(","))
        )
        kernels.append(Prototype(match["name"], match["result"], parameters, statement))
    return kernels


def write_cdef(header: str) -> str:
    """Write the statements as cffi reads them, with arrays as pointers.

    >>> print(write_cdef("typedef struct a b; int f(int64_t n, OPTIONAL const float x[n]);"))
    typedef struct a b;
    int f(int64_t n, const float *x);
    """
    plain = {kernel.text: _write_plain(kernel) for kernel in parse_prototypes(header)}
    return "\n".join(plain.get(statement, statement) + ";" for statement in cut_statements(header))


def _parse_parameter(kernel: str, text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text.strip())
    if match is None:
        raise DeclarationError(f"{kernel}: {text.strip()!r} is no parameter that the wrapper takes")
    size, is_number = match["size"], match["type"] in NUMBERS
    if is_number and match["pointer"]:
        raise DeclarationError(
            f"{kernel}: say how many elements {match['name']} has: {match['type']} {match['name']}[...]"
        )
    if size is not None and not (is_number and _SIZE.fullmatch(size)):
        raise DeclarationError(f"{kernel}: {text.strip()!r} is no array that the wrapper takes")
    return Parameter(
        match["name"],
        match["type"],
        match["const"] is not None,
        match["optional"] is not None,
        bool(match["pointer"]) or size is not None,
        _split_factors(size) if size is not None else (),
    )


def _split_factors(size: str) -> tuple[str, ...]:
    """Split a product into its factors: a * (b + c) is an array of two dimensions."""
    factors, depth, begin = [], 0, 0
    for at, letter in enumerate(size):
        depth += (letter == "(") - (letter == ")")
        if not depth and letter in "+-":
            return (size.strip(),)
        if not depth and letter == "*":
            factors.append(size[begin:at].strip())
            begin = at + 1
    return (*factors, size[begin:].strip())


def _write_plain(kernel: Prototype) -> str:
    listed = (f"{'const ' * item.is_const}{item.type} {'*' * item.is_pointer}{item.name}" for item in kernel.parameters)
    return f"{kernel.result} {kernel.name}({', '.join(listed) or 'void'})"


def write_wrapper(header: str, path: str, module: str) -> str:
    """Write the source of the Python module that calls the kernels of a header.

    `path` is that of the header from the top folder, `module` the full name of the compiled module.
    """
    kernels = parse_prototypes(header)
    types = {
        ("read" if array.is_const else "write", array.type): array for kernel in kernels for array in kernel.arrays
    }
    takers = [
        f'{verb}_{number.removesuffix("_t")} = make_array_taker(ffi, "{number}", "{"".join(NUMBERS[number])}"'
        f"{', writable=True' * (verb == 'write')})"
        for verb, number in sorted(types)
    ]
    listed = cut_statements(header)
    names = [name.split("=")[0].strip() for text in listed if text.startswith("enum ") for name in _list_members(text)]
    constants = [f"{name.removeprefix(_CONSTANT)}: int = lib.{name}" for name in names]
    structs = [text.rpartition(" ")[2].removeprefix(_PREFIX) for text in listed if text.startswith("typedef struct {")]
    frees = {
        kernel.parameters[0].type: kernel.name
        for kernel in kernels
        if kernel.name.endswith("_free") and len(kernel.parameters) == 1
    }
    functions = [
        *(_write_struct(name) for name in structs),
        *(_write_function(kernel, names, frees) for kernel in kernels if kernel.name not in frees.values()),
    ]
    code = "\n".join((*takers, "load(", *functions))
    helpers = [name for name in ("load", "make_array_taker", "make_failure", "refuse_shape") if f"{name}(" in code]
    types_used = [name for name in ("InputArray", "OutputArray") if name in code]
    typed = f"if TYPE_CHECKING:\n    from graphlang.native.kernels import {', '.join(types_used)}"
    parts = [
        f'"""Call the kernels of {path}. Written by `graphlang.native.wrapper` when the package is built."""',
        "from __future__ import annotations",
        f"from typing import {'TYPE_CHECKING, ' * bool(types_used)}Any",
        f"from graphlang.native.kernels import {', '.join(helpers)}",
        typed * bool(types_used),
        f'ffi, lib = load("{module}")' + "\nNULL: Any = ffi.NULL" * ("NULL" in code),
        "\n".join(constants),
        "\n".join(takers),
    ]
    return "\n\n".join(filter(None, parts)) + "\n\n\n" + "\n\n\n".join(functions) + "\n"


def _list_members(enum: str) -> list[str]:
    return [member for member in enum[enum.index("{") + 1 : enum.rindex("}")].split(",") if member.strip()]


def _write_struct(name: str) -> str:
    return f'''def new_{name}() -> Any:
    """Return a new ``{_PREFIX}{name}``, all zeros, for a kernel to fill."""
    return ffi.new("{_PREFIX}{name} *")'''


def _write_function(kernel: Prototype, constants: list[str], frees: dict[str, str]) -> str:
    """Write the function that checks the arguments of a kernel and calls it."""
    name, sizes = kernel.name.removeprefix(_PREFIX), kernel.sizes
    fault = next((item.name for item in kernel.parameters if item.type == _FAULT), None)
    free = frees.get(kernel.result.removesuffix("*").strip())
    lines = _write_docstring(kernel.text)
    for array in kernel.arrays:
        call = f'{"read" if array.is_const else "write"}_{array.type.removesuffix("_t")}({array.name}, "{array.name}")'
        absent = f"(NULL, None) if {array.name} is None else " * array.is_optional
        lines.append(f"{array.name}, {array.name}_shape = {absent}{call}")
    lines += _rank_checks(sizes)
    lines += [f"{size} = {_write_size(kernel.arrays, size, *source)}" for size, source in sizes.items()]
    sources = {array.name for array, _ in sizes.values()}
    for array in sorted(kernel.arrays, key=lambda array: (array.name not in sources, len(array.dimensions))):
        lines += _write_shape_check(array, constants, is_source=array.name in sources)
    if fault is not None:
        lines.append(f'{fault} = ffi.new("{_FAULT} *")')
    if free is not None:
        result = "Any"
        lines += _call(kernel, "handle = ")
        lines += ["if not handle:", "    raise MemoryError", f"return ffi.gc(handle, lib.{free})"]
    elif kernel.result in {"int", "int32_t", "int64_t"}:
        result = "int"
        error = f'make_failure(ffi, lib, "{name}", status{f", {fault}" if fault else ""})'
        lines += [*_call(kernel, "status: int = "), "if status < 0:", f"    raise {error}", "return status"]
    elif kernel.result == "void":
        result = "None"
        lines += _call(kernel)
    else:
        result = {"float": "float", "double": "float"}.get(kernel.result, "int" if "int" in kernel.result else "Any")
        lines += [*_call(kernel, f"result: {result} = "), "return result"]
    parameters = [
        f"{item.name}: {_write_annotation(item)}"
        for item in kernel.parameters
        if item.name not in sizes and item.type != _FAULT
    ]
    signature = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(signature) > _WIDTH:
        signature = "\n".join((f"def {name}(", *(f"    {parameter}," for parameter in parameters), f") -> {result}:"))
    return "\n".join((signature, *(f"    {line}" if line else "" for line in lines)))


def _write_docstring(prototype: str) -> list[str]:
    text = f'"""Call ``{prototype}``."""'
    if len(text) <= _WIDTH - 4:
        return [text]
    return ['"""Call this kernel:', "", *(f"    {line}" for line in textwrap.wrap(prototype, _WIDTH - 8)), '"""']


def _call(kernel: Prototype, begin: str = "") -> list[str]:
    """Write the call of a kernel, its arguments on lines of their own where one line is too short."""
    arguments = ", ".join(parameter.name for parameter in kernel.parameters)
    line = f"{begin}lib.{kernel.name}({arguments})"
    if len(line) <= _WIDTH - 4:
        return [line]
    return [f"{begin}lib.{kernel.name}(", *(f"    {line}" for line in textwrap.wrap(arguments, _WIDTH - 8)), ")"]


def _write_annotation(parameter: Parameter) -> str:
    if parameter.dimensions:
        return f"{'InputArray' if parameter.is_const else 'OutputArray'}{' | None' * parameter.is_optional}"
    if parameter.is_pointer:
        return "Any"
    return "float" if parameter.type in {"float", "double"} else "int"


def _rank_checks(sizes: dict[str, tuple[Parameter, int]]) -> list[str]:
    """Refuse arrays that give a size by a later dimension than the first, where they lack that dimension."""
    several = {array.name: array for array, _ in sizes.values() if len(array.dimensions) > 1}
    lines = []
    for name, array in several.items():
        present = f"{name}_shape is not None and " * array.is_optional
        lines += [
            f"if {present}len({name}_shape) != {len(array.dimensions)}:",
            f'    refuse_shape("{name}", {name}_shape, "({", ".join(array.dimensions)})")',
        ]
    return lines


def _write_shape_check(array: Parameter, constants: list[str], *, is_source: bool) -> list[str]:
    dimensions = [
        _WORD.sub(lambda word: word[0].removeprefix(_CONSTANT) if word[0] in constants else word[0], dimension)
        for dimension in array.dimensions
    ]
    end = "," * (len(dimensions) == 1)
    shape, text = f"({', '.join(dimensions)}{end})", f"({', '.join(array.dimensions)}{end})"
    wrong = f"{array.name}_shape != {shape}"
    if len(dimensions) > 1 and not is_source:  # the array may be flat
        wrong += f" and {array.name}_shape != ({' * '.join(dimensions)},)"
    present = f"{array.name}_shape is not None and " * array.is_optional
    return [f"if {present}{wrong}:", f'    refuse_shape("{array.name}", {array.name}_shape, "{text}", {shape})']


def _write_size(arrays: list[Parameter], size: str, source: Parameter, axis: int) -> str:
    """Take a size from an array: of optional ones the first that is there, and 0 where all are None."""
    if not source.is_optional:
        return f"{source.name}_shape[{axis}]"
    chain = "".join(
        f"{array.name}_shape[{array.dimensions.index(size)}] if {array.name}_shape is not None else "
        for array in arrays
        if size in array.dimensions
    )
    return f"{chain}0"
