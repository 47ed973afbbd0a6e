"""Docstrings say what a caller must know: every argument, every exception raised here, and nothing that is not there.

Excepted are functions that nobody calls with arguments of their own: overloads, properties, and the verbs of the
command line, whose options have help texts. A method that overrides one of a base class of ours is described there.
"""

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("graphlang", "db", "ingest")
#: Rooms whose functions need one sentence, and what a caller cannot see: only the public API describes its arguments.
ONE_SENTENCE = ("graphlang/cluster/", "graphlang/graph/partitioned/")
PUBLIC = ("graphlang/cluster/frames.py", "graphlang/cluster/maps.py")
ENTRY = re.compile(r"^ {4}\*{0,2}([\w.]+)(?: \([^)]*\))?:", re.MULTILINE)
EXEMPT = re.compile(r"(^|\.)(overload|property|cached_property|setter|command|group)\b")
Functions = (ast.FunctionDef, ast.AsyncFunctionDef)


class Function(NamedTuple):
    """A function, and the docstring that describes its arguments."""

    where: str  # file and line
    name: str  # with the classes that it is in
    bases: tuple[str, ...]  # of its class, by name
    node: ast.FunctionDef | ast.AsyncFunctionDef
    docstring: str

    @property
    def arguments(self) -> list[str]:
        given = self.node.args
        every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
        return [one.arg for one in every if one is not None and one.arg not in {"self", "cls"}]

    @property
    def public(self) -> bool:
        """Whether others call it; verbs and the like are not called with arguments."""
        decorated = any(EXEMPT.search(ast.unparse(one)) for one in self.node.decorator_list)
        private = any(part.startswith("_") and part != "__init__" for part in self.name.split("."))
        internal = self.where.startswith(ONE_SENTENCE) and not self.where.startswith(PUBLIC)
        return not decorated and not private and not internal

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
    found: list[Function] = []

    def look(body: list[ast.stmt], inside: str, of: ast.ClassDef | None) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                look(node.body, f"{inside}{node.name}.", node)
            elif isinstance(node, Functions):
                # The class says what the arguments of __init__ are.
                described = of if of is not None and node.name == "__init__" else node
                bases = tuple(ast.unparse(base).rpartition(".")[2] for base in of.bases) if of is not None else ()
                docstring = ast.get_docstring(described) or ""
                found.append(Function(f"{file}:{node.lineno}", inside + node.name, bases, node, docstring))
            elif isinstance(node, ast.If):
                look([*node.body, *node.orelse], inside, of)

    look(ast.parse(source).body, "", None)
    return found


def entries(one: Function, every: list[Function], section: str) -> set[str]:
    """The names that a section of a docstring has, or that of the method that this one overrides."""
    names, method = set(one.described(section)), one.name.rpartition(".")[2]
    for other in every:
        if other.name in {f"{base}.{method}" for base in one.bases}:
            names |= entries(other, every, section)
    return names


def undescribed(every: list[Function]) -> list[str]:
    return [
        f"{one.where} {one.name}: {argument} is not described"
        for one in every
        if one.public and len(one.arguments) > 1
        for argument in sorted(set(one.arguments) - entries(one, every, "Args"), key=one.arguments.index)
    ]


def invented(every: list[Function]) -> list[str]:
    return [
        f"{one.where} {one.name}: there is no argument {name}"
        for one in every
        for name in one.described("Args")
        if name not in one.arguments
    ]


def unsaid(every: list[Function]) -> list[str]:
    return [
        f"{one.where} {one.name}: {name} is raised and not described"
        for one in every
        if one.public and (raised := one.raised())
        for name in sorted(set(raised) - entries(one, every, "Raises"))
    ]


@pytest.fixture(scope="module")
def program() -> list[Function]:
    files = {path.resolve() for room in ROOMS for path in (ROOT / room).rglob("*.py")}  # graphlang/db may be a link
    return [one for path in sorted(files) for one in functions(path.read_text("utf-8"), str(path.relative_to(ROOT)))]


@pytest.mark.parametrize("rule", [undescribed, invented, unsaid])
def test_docstrings_say_what_is_there(program: list[Function], rule: Callable[[list[Function]], list[str]]) -> None:
    assert "\n".join(rule(program)) == ""


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
    assert undescribed(every) == [
        "x.py:9 Base.__init__: two is not described",
        "x.py:34 public: rest is not described",
    ]
    assert invented(every) == ["x.py:34 public: there is no argument third"]
    assert unsaid(every) == ["x.py:34 public: BadParameter is raised and not described"]
