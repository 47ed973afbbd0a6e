"""The docstring of every room names files to open, and the names in it exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"(?<!`)`([^`]+)`(?!`)")  # double backticks are for names outside the room
LEAST = 2  # files of the room that its docstring names


def rooms() -> list[Path]:
    found = {
        path.resolve().parent for room in ("graphlang", "db", "ingest") for path in (ROOT / room).rglob("__init__.py")
    }
    return sorted(found)


def entries(room: Path) -> set[str]:
    """Return modules by name, headers by file name, and folders with a slash."""
    found = {path.stem for path in room.glob("*.py") if path.name != "__init__.py"}
    found |= {path.name for path in room.iterdir() if path.suffix in {".h", ".html", ".css", ".js"}}
    return found | {f"{path.name}/" for path in room.iterdir() if (path / "__init__.py").is_file()}


def defined(module: Path) -> set[str]:
    """Return the names that a module defines or imports."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    found = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    found |= {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return found | {
        alias.asname or alias.name for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) for alias in one.names
    }


def full(name: str) -> bool:
    """Tell whether a module has this full name."""
    parts = name.split(".")[1:]
    base = ROOT / "graphlang" if parts[0] not in {"db", "ingest"} else ROOT
    return base.joinpath(*parts).with_suffix(".py").is_file() or base.joinpath(*parts, "__init__.py").is_file()


def wrong(room: Path, docstring: str) -> list[str]:
    """Return what is missing from the docstring of a room, and names that do not exist."""
    there, named = entries(room), set(NAME.findall(docstring))
    missing = []
    if len(named & there) < min(LEAST, len(there)):
        missing.append(f"names of files: it has {', '.join(sorted(there))}")
    for name in sorted(named - there - defined(room / "__init__.py")):
        module, _, attribute = name.partition(".")
        if name.startswith("graphlang."):
            found = full(name)
        else:
            found = f"{module}" in there and attribute in defined(room / f"{module}.py")
        if not found:
            missing.append(f"`{name}`, which is not there")
    return missing


def test_the_docstring_of_a_room_names_files() -> None:
    faults = {}
    for room in rooms():
        docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
        if missing := wrong(room, docstring):
            faults[str(room.relative_to(ROOT))] = missing
    assert faults == {}


def test_what_is_missing_is_found(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("LIST = 1\n")
    (tmp_path / "one.py").write_text("class Thing: ...\n")
    (tmp_path / "two.py").write_text("")
    (tmp_path / "kernel.h").write_text("")
    good = "``words`` make a `one.Thing` and a `LIST`. Open `one`, `two` or `kernel.h`; see `graphlang.native`."
    assert wrong(tmp_path, good) == []
    bad = "Open `one`, `three`, `one.Other`, `two/` or `graphlang.nowhere`."
    assert wrong(tmp_path, bad) == [
        "names of files: it has kernel.h, one, two",
        "`graphlang.nowhere`, which is not there",
        "`one.Other`, which is not there",
        "`three`, which is not there",
        "`two/`, which is not there",
    ]
