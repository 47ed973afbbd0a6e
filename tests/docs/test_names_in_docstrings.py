"""Names in docstrings exist: `module.name` and `Class.name`, also after a move or a rename."""

import ast
import re
from collections import defaultdict
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOTTED = re.compile(r"`{1,2}([A-Za-z_]\w*(?:\.\w+)+)`{1,2}")
FILES = {"c", "css", "gz", "h", "html", "js", "md", "py"}  # endings of file names
ENTRY_POINTS = {"graphlang.methods", "graphlang.readers"}
OPTIONAL = {"pandas", "polars", "pyarrow", "pyspark"}  # packages that need not be installed


def names_within(node: ast.AST) -> set[str]:
    names = set()
    for child in ast.walk(node):
        if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(child.name)
        elif isinstance(child, ast.alias):
            names.add(child.asname or child.name)
        elif isinstance(child, (ast.Name, ast.Attribute)) and isinstance(child.ctx, ast.Store):
            names.add(child.id if isinstance(child, ast.Name) else child.attr)
    return names


def add_module(tree: ast.Module, module: str, members: dict[str, set[str]], bases: dict[str, set[str]]) -> None:
    """Add the names of a module and of each of its classes, and the base classes of these."""
    members[module] |= names_within(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            members[node.name] |= names_within(node)
            bases[node.name] |= {base.id for base in node.bases if isinstance(base, ast.Name)} - {node.name}


def inherit(members: dict[str, set[str]], bases: dict[str, set[str]]) -> None:
    """Add to each class the names of its base classes, and of theirs."""
    changed = True
    while changed:
        changed = False
        for name, parents in bases.items():
            inherited = set().union(*(members.get(parent, set()) for parent in parents)) - members[name]
            members[name] |= inherited
            changed |= bool(inherited)


def missing(docstring: str, members: dict[str, set[str]]) -> list[str]:
    """Return names of our modules and classes, or that look like a class of a module, that do not exist."""
    names = []
    for name in DOTTED.findall(docstring):
        parts = name.split(".")
        if parts[-1] in FILES or parts[0] in OPTIONAL or name in ENTRY_POINTS:
            continue
        if parts[0] in members:
            exists = all(member in members[owner] for owner, member in pairwise(parts) if owner in members)
        else:
            exists = not parts[-1][0].isupper() or find_spec(parts[0]) is not None
        names += [] if exists else [name]
    return names


def test_names_in_docstrings_exist() -> None:
    members: dict[str, set[str]] = defaultdict(set)
    bases: dict[str, set[str]] = defaultdict(set)
    docstrings = []
    for path in sorted(
        {path.resolve() for room in ("graphlang", "db", "ingest") for path in (ROOT / room).rglob("*.py")}
    ):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = path.parent if path.stem == "__init__" else path.with_suffix("")
        add_module(tree, module.name, members, bases)
        members[module.parent.name].add(module.name)
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        docstrings += [(path, ast.get_docstring(node) or "") for node in ast.walk(tree) if isinstance(node, documented)]
    members["graphlang"] |= {"db", "ingest"}  # two folders beside the package
    inherit(members, bases)
    lost = [f"{path.relative_to(ROOT)}: {name}" for path, text in docstrings for name in missing(text, members)]
    assert "\n".join(lost) == "", "a docstring names `a.b`, but module or class a has no b"


def test_a_missing_name_is_found() -> None:
    members = {"vocabulary": {"Vocabulary"}, "Vocabulary": {"size"}}
    text = (
        "`vocabulary.Vocabulary.size`, ``vocabulary.h``, `pathlib.Path`, `co.uk`; `vocabulary.Table`, `ngrams.Table`."
    )
    assert missing(text, members) == ["vocabulary.Table", "ngrams.Table"]


def test_classes_inherit_names() -> None:
    members: dict[str, set[str]] = defaultdict(set)
    bases: dict[str, set[str]] = defaultdict(set)
    tree = ast.parse("class A:\n    def a(self): ...\nclass B(A):\n    b = 1\nclass C(B): ...\n")
    add_module(tree, "letters", members, bases)
    inherit(members, bases)
    assert members["C"] - {"A", "B", "C"} == {"a", "b"}
    assert missing("`C.a`, `C.b`, `A.b`", members) == ["A.b"]
