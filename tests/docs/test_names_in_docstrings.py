"""What docstrings refer to is there: `module.name` and `Class.name`, also after somebody has moved or renamed it."""

import ast
import re
from collections import defaultdict
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOTTED = re.compile(r"`{1,2}([A-Za-z_]\w*(?:\.\w+)+)`{1,2}")
FILES = {"c", "css", "gz", "h", "html", "js", "md", "py"}  # names of files have dots as well
ENTRY_POINTS = {"graphlang.methods", "graphlang.readers"}
OTHERS = {"pandas", "polars", "pyarrow", "pyspark"}  # which need not be installed


def names(tree: ast.Module) -> dict[str, set[str]]:
    """What is in a module, under "", and in each of its classes."""
    found: dict[str, set[str]] = {"": _within(tree)}
    found |= {one.name: _within(one) for one in ast.walk(tree) if isinstance(one, ast.ClassDef)}
    return found


def _within(node: ast.AST) -> set[str]:
    found = set()
    for one in ast.walk(node):
        if isinstance(one, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(one.name)
        elif isinstance(one, ast.alias):
            found.add(one.asname or one.name)
        elif isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Store):
            found.add(one.id if isinstance(one, ast.Name) else one.attr)
    return found


def bases(tree: ast.Module) -> dict[str, set[str]]:
    """The classes of a module, and the names of those that each is built on."""
    classes = [one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)]
    return {one.name: {base.id for base in one.bases if isinstance(base, ast.Name)} - {one.name} for one in classes}


def inherit(there: dict[str, set[str]], built_on: dict[str, set[str]]) -> None:
    """Give each class the names of those that it is built on, and of those that these are built on."""
    while grown := {
        name: gained
        for name, its in built_on.items()
        if (gained := set().union(*(there.get(base, set()) for base in its)) - there[name])
    }:
        for name, gained in grown.items():
            there[name] |= gained


def missing(docstring: str, there: dict[str, set[str]]) -> list[str]:
    """Names of a docstring whose first part is ours, or looks like a module with a class, and that are not there."""
    found = []
    for name in DOTTED.findall(docstring):
        parts = name.split(".")
        if parts[-1] in FILES or parts[0] in OTHERS or name in ENTRY_POINTS:
            continue
        if parts[0] in there:
            pairs = [(one, other) for one, other in pairwise(parts) if one in there]
            lost = any(other not in there[one] for one, other in pairs)
        else:
            lost = parts[-1][0].isupper() and find_spec(parts[0]) is None
        found += [name] if lost else []
    return found


def test_names_in_docstrings_are_there() -> None:
    there: dict[str, set[str]] = defaultdict(set)
    built_on: dict[str, set[str]] = defaultdict(set)
    docstrings = []
    for path in sorted(
        {path.resolve() for room in ("graphlang", "db", "ingest") for path in (ROOT / room).rglob("*.py")}
    ):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = path.parent if path.stem == "__init__" else path.with_suffix("")
        for owner, its in names(tree).items():
            there[owner or module.name] |= its
        there[module.parent.name].add(module.name)
        for name, its in bases(tree).items():
            built_on[name] |= its
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        docstrings += [(path, ast.get_docstring(node) or "") for node in ast.walk(tree) if isinstance(node, documented)]
    there["graphlang"] |= {"db", "ingest"}  # two folders beside the package
    inherit(there, built_on)
    lost = [f"{path.relative_to(ROOT)}: {name}" for path, text in docstrings for name in missing(text, there)]
    told = "a docstring says `a.b`, and our module or class a has no b (where a is a table of SQL, say it otherwise)"
    assert "\n".join(lost) == "", told


def test_a_name_that_is_lost_is_found() -> None:
    there = {"vocabulary": {"Vocabulary"}, "Vocabulary": {"size"}}
    text = (
        "`vocabulary.Vocabulary.size`, ``vocabulary.h``, `pathlib.Path`, `co.uk`; `vocabulary.Table`, `ngrams.Table`."
    )
    assert missing(text, there) == ["vocabulary.Table", "ngrams.Table"]


def test_a_class_has_the_names_of_those_that_it_is_built_on() -> None:
    tree = ast.parse("class A:\n    def a(self): ...\nclass B(A):\n    b = 1\nclass C(B): ...\n")
    there = names(tree)
    inherit(there, bases(tree))
    assert there["C"] - {"A", "B", "C"} == {"a", "b"}
    assert missing("`C.a`, `C.b`, `A.b`", there) == ["A.b"]
