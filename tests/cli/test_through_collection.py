"""Each verb with a database calls the library: it opens a `Collection`, and nothing of `graphlang.db` by itself."""

import ast
from pathlib import Path

import graphlang.cli
from graphlang.cli import cli
from graphlang.cli.main import GROUPS

MODULES = sorted(Path(graphlang.cli.__file__).parent.glob("*.py"))
#: `check` is about files that a Collection refuses to open.
WITHOUT = {"check"}
OPENING = {"open_crawl", "open_answered"}


def list_names(function: ast.FunctionDef) -> set[str]:
    """All names in a function: what it calls, or hands on to be called."""
    return {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}


def verbs_with_a_database() -> dict[str, set[str]]:
    """By verb the names in it, and in the functions of its module that it names."""
    verbs = {name.replace("-", "_"): name for _, group in GROUPS.values() for name in group}
    found = {}
    for path in MODULES:
        functions = {
            node.name: node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
        }
        for name, node in functions.items():
            decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
            if path.stem == "on_spark" or not decorators & {"options.database", "options.new_database"}:
                continue
            its = list_names(node)
            found[verbs[name]] = its.union(*(list_names(functions[other]) for other in its & set(functions)))
    return found


def test_a_verb_with_a_database_opens_a_collection() -> None:
    found = verbs_with_a_database()
    assert len(found) >= 25
    assert set(found) <= set(cli.commands)
    assert {verb for verb, names in found.items() if not names & OPENING} == WITHOUT


def test_no_verb_opens_a_database_by_itself() -> None:
    opening = {path.stem for path in MODULES if "graphlang.db.connection" in path.read_text("utf-8")}
    assert opening == {"manage", "failures"}  # `check`, and an error that damage of the file may explain
    assert not [path for path in MODULES if "open_existing" in path.read_text("utf-8")]
