"""Docstrings match the code; those that users and scientists read describe every argument and exception.

Full sections are asked of the names of docs/library.md, of protocols that plug-ins implement, and of the modules in
KERNELS. Elsewhere a sentence is enough, but no docstring may describe an argument that does not exist. Overloads,
properties and the verbs of the command line (their options have help texts) are left out. A method that overrides one
of our base classes is described there.
"""

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import graphlang

ROOT = Path(__file__).parents[1]
ROOMS = ("graphlang", "db", "ingest")
#: Modules of functions that scientists call, and those of `STAGES` in theirs.
KERNELS = ("graphlang/evaluation/metrics.py", "graphlang/graph/vote.py")
STAGES = {("graphlang/graph/propagation/inference.py", name) for name in ("propagate", "learn", "run_rounds", "read")}
ENTRY = re.compile(r"^ {4}\*{0,2}([\w.]+)(?: \([^)]*\))?:", re.MULTILINE)
EXEMPT = re.compile(r"(^|\.)(overload|property|cached_property|setter|command|group)\b")
#: Rooms that are no public API: one sentence a function is enough.
INTERNAL = ("graphlang/cli/", "graphlang/arguments.py", "graphlang/collection/page_filter.py")
Functions = (ast.FunctionDef, ast.AsyncFunctionDef)


class Function(NamedTuple):
    """A function, and the docstring that describes its arguments."""

    file: str
    name: str  # with the classes that it is in
    bases: tuple[str, ...]  # of its class, by name
    node: ast.FunctionDef | ast.AsyncFunctionDef
    docstring: str

    def __str__(self) -> str:
        return f"{self.file}:{self.node.lineno} {self.name}"

    @property
    def arguments(self) -> list[str]:
        args = self.node.args
        every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        return [arg.arg for arg in every if arg is not None and arg.arg not in {"self", "cls"}]

    @property
    def is_called(self) -> bool:
        """Whether other modules call it with arguments."""
        decorated = any(EXEMPT.search(ast.unparse(decorator)) for decorator in self.node.decorator_list)
        private = any(part.startswith("_") and part != "__init__" for part in self.name.split("."))
        return not decorated and not private and not self.file.startswith(INTERNAL)

    def needs_sections(self, api: set[tuple[str, str]]) -> bool:
        """Whether its arguments and exceptions are to be described."""
        read = (self.file, self.name) in api | STAGES or "Protocol" in self.bases or self.file in KERNELS
        return read and self.is_called

    def described(self, section: str) -> list[str]:
        """The names that a section of the docstring has an entry for."""
        body = re.search(rf"^{section}:\n((?:(?: .*)?\n)*)", f"{self.docstring}\n", re.MULTILINE)
        return [name.rpartition(".")[2] for name in ENTRY.findall(body[1])] if body else []

    def raised(self) -> list[str]:
        """Exceptions that the function itself raises by name, not those of functions within it."""
        names, waiting = set(), list(self.node.body)
        while waiting:
            node: ast.AST = waiting.pop()
            if isinstance(node, (*Functions, ast.ClassDef, ast.Lambda)):
                continue
            if isinstance(node, ast.Raise) and isinstance(node.exc, (ast.Call, ast.Name, ast.Attribute)):
                name = ast.unparse(node.exc.func if isinstance(node.exc, ast.Call) else node.exc).rpartition(".")[2]
                names |= {name} if name[0].isupper() else set()
            waiting += ast.iter_child_nodes(node)
        return sorted(names)


def functions(source: str, file: str) -> list[Function]:
    listed: list[Function] = []

    def visit(body: list[ast.stmt], inside: str, parent: ast.ClassDef | None) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                visit(node.body, f"{inside}{node.name}.", node)
            elif isinstance(node, Functions):
                # The class describes the arguments of __init__.
                described = parent if parent is not None and node.name == "__init__" else node
                bases = parent.bases if parent is not None else []
                names = tuple(ast.unparse(base).rpartition(".")[2] for base in bases)
                listed.append(Function(file, inside + node.name, names, node, ast.get_docstring(described) or ""))
            elif isinstance(node, ast.If):
                visit([*node.body, *node.orelse], inside, parent)

    visit(ast.parse(source).body, "", None)
    return listed


def public_api() -> set[tuple[str, str]]:
    """File and qualified name of the functions and methods behind ``graphlang.__all__``."""
    names = set()
    for name in graphlang.__all__:
        item = getattr(graphlang, name)
        owners = [owner for owner in item.__mro__ if owner is not object] if isinstance(item, type) else [item]
        for owner in owners:
            module = getattr(owner, "__module__", "")
            file = module.replace("graphlang.db", "db").replace("graphlang.ingest", "ingest").replace(".", "/") + ".py"
            if isinstance(owner, type):
                names |= {(file, f"{owner.__qualname__}.{attribute}") for attribute in vars(owner)}
            elif callable(owner):
                names.add((file, owner.__qualname__))
    return names


def entries(function: Function, every: list[Function], section: str) -> set[str]:
    """The names that a section of a docstring has, or that of the method that this one overrides."""
    names, method = set(function.described(section)), function.name.rpartition(".")[2]
    for other in every:
        if other.name in {f"{base}.{method}" for base in function.bases}:
            names |= entries(other, every, section)
    return names


def missing_arguments(every: list[Function], api: set[tuple[str, str]]) -> list[str]:
    return [
        f"{function}: {argument} is not described"
        for function in every
        if function.needs_sections(api) and len(function.arguments) > 1
        for argument in sorted(set(function.arguments) - entries(function, every, "Args"), key=function.arguments.index)
    ]


def missing_errors(every: list[Function], api: set[tuple[str, str]]) -> list[str]:
    return [
        f"{function}: {name} is raised and not described"
        for function in every
        if function.needs_sections(api) and (raised := function.raised())
        for name in sorted(set(raised) - entries(function, every, "Raises"))
    ]


def invented_arguments(every: list[Function], _: set[tuple[str, str]]) -> list[str]:
    return [
        f"{function}: there is no argument {name}"
        for function in every
        for name in function.described("Args")
        if name not in function.arguments
    ]


@pytest.fixture(scope="module")
def program() -> list[Function]:
    files = {path.resolve() for room in ROOMS for path in (ROOT / room).rglob("*.py")}  # graphlang/db may be a link
    return [
        function
        for path in sorted(files)
        for function in functions(path.read_text("utf-8"), str(path.relative_to(ROOT)))
    ]


@pytest.mark.parametrize("rule", [missing_arguments, missing_errors, invented_arguments])
def test_docstrings_match_the_code(
    program: list[Function], rule: Callable[[list[Function], set[tuple[str, str]]], list[str]]
) -> None:
    assert "\n".join(rule(program, public_api())) == ""


def test_the_public_api_and_the_kernels_are_in_the_program(program: list[Function]) -> None:
    names = {(function.file, function.name) for function in program}
    api = public_api() & names
    assert {name.rpartition(".")[2] for _, name in api} >= {"identify", "classify", "propagate", "to_pandas"}
    assert set(KERNELS) <= {file for file, _ in names}, "a kernel has moved: change KERNELS"
    assert names >= STAGES, "a stage has moved: change STAGES"


EXAMPLE = '''
class Base:
    """A base.

    Args:
        one: described here.
    """

    def __init__(self, one: int, two: int) -> None:
        """two: not here."""

    def find(self, data: bytes, at: int) -> int:
        """Find.

        Args:
            data: where.
            at: from here on.

        Raises:
            ValueError: not there.
        """
        raise ValueError("no")

class Heir(Base):
    def find(self, data: bytes, at: int) -> int:
        """See there."""
        def inner() -> None:
            raise KeyError
        return 0

    @property
    def both(self, one: int, two: int) -> int: ...

def public(one: int, *rest: int, **others: int) -> None:
    """Public.

    Args:
        one: described, with
            more: than one line.
        **others: described.
        third: is no argument.
    """
    if one:
        raise click.BadParameter("no")

def _private(one: int, two: int) -> None: ...
'''


def test_the_rules_find_what_breaks_them() -> None:
    every = functions(EXAMPLE, "x.py")
    api = {("x.py", name) for name in ("Base.__init__", "Base.find", "Heir.find", "Heir.both", "public", "_private")}
    assert missing_arguments(every, api) == [
        "x.py:9 Base.__init__: two is not described",
        "x.py:34 public: rest is not described",
    ]
    assert missing_arguments(every, set()) == []
    assert invented_arguments(every, set()) == ["x.py:34 public: there is no argument third"]
    assert missing_errors(every, api) == ["x.py:34 public: BadParameter is raised and not described"]


def test_protocols_need_full_sections() -> None:
    every = functions("class Reader(Protocol):\n    def read(self, data: bytes, at: int) -> int: ...\n", "x.py")
    assert len(missing_arguments(every, set())) == 2
