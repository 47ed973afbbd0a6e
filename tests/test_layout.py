"""What holds the parts apart: who may import whom, who may print, and what the wheel installs."""

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = {"graphlang": "graphlang", "db": "graphlang.db", "ingest": "graphlang.ingest"}

#: Package -> what of ours it may import besides itself.
ALLOWED = {
    "graphlang.native": (),
    "graphlang.db": ("graphlang.interrupts", "graphlang.native"),
    "graphlang.ingest": (
        "graphlang.arguments",
        "graphlang.db.records",
        "graphlang.native",
        "graphlang.plugins",
        "graphlang.public_suffix",
        "graphlang.regular_file",
        "graphlang.whole_file",
    ),
    "graphlang.content": (
        "graphlang.codes",
        "graphlang.modelcache",
        "graphlang.modelfile",
        "graphlang.native",
        "graphlang.numerics",
        "graphlang.plugins",
        "graphlang.regular_file",
    ),
    "graphlang.arguments": (),
    "graphlang.plugins": (),
    "graphlang.regular_file": (),
    "graphlang.urls": (
        "graphlang.codes",
        "graphlang.modelfile",
        "graphlang.native",
        "graphlang.numerics",
        "graphlang.public_suffix",
        "graphlang.regular_file",
    ),
    "graphlang.graph": ("graphlang.codes", "graphlang.native", "graphlang.numerics"),
    "graphlang.codes": (),
    "graphlang.interrupts": (),
    "graphlang.maps": (
        "graphlang.codes",
        "graphlang.db",
        "graphlang.graph.propagation.options",
        "graphlang.method_cards.sources",
        "graphlang.printing.counted",
    ),
    "graphlang.printing.counted": (),
    "graphlang.evaluation.metrics": (),
    "graphlang.numerics": (),
    "graphlang.public_suffix": (),
    "graphlang.visible": (),
    "graphlang.modelcache": ("graphlang.modelfile", "graphlang.regular_file", "graphlang.whole_file"),
    "graphlang.modelfile": ("graphlang.regular_file", "graphlang.whole_file"),
    "graphlang.whole_file": (),
}


def modules() -> list[tuple[str, Path]]:
    found = []
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found.append((".".join((package, *(part for part in parts if part != "__init__"))), path))
    return found


def imports(name: str, path: Path) -> set[str]:
    """Full names of our modules that a module imports, relative imports resolved, those for types included."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            # What is imported may be a module itself: from graphlang.db import runs.
            found.update(f"{module}.{alias.name}" for alias in node.names)
    return found


@pytest.mark.parametrize(("name", "path"), modules(), ids=lambda value: value if isinstance(value, str) else "")
def test_imports_keep_to_the_rules(name: str, path: Path) -> None:
    for imported in imports(name, path):
        top = imported.split(".")[0]
        assert top not in {"db", "ingest"}, f"{name} imports {imported}: a user's own {top}.py would shadow it"
    for package, allowed in ALLOWED.items():
        if name == package or name.startswith(package + "."):
            for imported in imports(name, path):
                if imported.split(".")[0] == "graphlang":
                    own = imported == package or imported.startswith(package + ".")
                    may = any(imported == one or imported.startswith(one + ".") for one in allowed)
                    assert own or may, f"{name} may not import {imported}: ALLOWED says who may"


@pytest.mark.parametrize(("name", "path"), modules(), ids=lambda value: value if isinstance(value, str) else "")
def test_no_room_imports_the_command_line(name: str, path: Path) -> None:
    if not f"{name}.".startswith("graphlang.cli.") and not name.endswith(".__main__"):
        assert not [one for one in imports(name, path) if f"{one}.".startswith("graphlang.cli.")]


#: Modules that are the main program of a process of their own, and end it.
PROGRAMS = {"graphlang.ingest.workers.worker", "graphlang.ingest.workers.fork"}


@pytest.mark.parametrize(("name", "path"), modules(), ids=lambda value: value if isinstance(value, str) else "")
def test_only_the_command_line_prints_or_exits(name: str, path: Path) -> None:
    if name.startswith("graphlang.cli") or name in PROGRAMS:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in {"print", "exit", "quit", "sys.exit", "os._exit"}, f"{name}:{node.lineno} {called}"


def test_the_rules_are_held_by_something_that_can_fail(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("from ..content import nfc\nimport db\n")
    assert imports("graphlang.graph.bad", bad) == {"graphlang.content.nfc", "db"}


def test_the_wheel_installs_one_top_level_name_and_the_models(tmp_path: Path) -> None:
    source = tmp_path / "source"  # a copy: building in the checkout would leave, and pick up, a stale build folder
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source / file)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(source)],
        env=os.environ | {"GRAPHLANG_KERNELS": "db/native/ids.c"},  # one instead of all: names are the point here
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"graphlang"}
    built = {name for name in names if name.endswith(".py")}
    assert built == {name.replace(".", "/") + suffix for name, suffix in _expected()}
    data = {path.name for path in (ROOT / "graphlang" / "data").iterdir() if path.is_file()}
    assert {Path(name).name for name in names if name.startswith("graphlang/data/")} == data


def _expected() -> list[tuple[str, str]]:
    return [(name, "/__init__.py" if path.name == "__init__.py" else ".py") for name, path in modules()]
