"""What holds the parts apart: who may import whom, who may print, and what the wheel installs."""

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

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
        "graphlang.files",
    ),
    "graphlang.content": (
        "graphlang.codes",
        "graphlang.modelcache",
        "graphlang.modelfile",
        "graphlang.native",
        "graphlang.numerics",
        "graphlang.plugins",
        "graphlang.files",
    ),
    "graphlang.arguments": (),
    "graphlang.plugins": (),
    "graphlang.files": (),
    "graphlang.urls": (
        "graphlang.codes",
        "graphlang.modelfile",
        "graphlang.native",
        "graphlang.numerics",
        "graphlang.public_suffix",
        "graphlang.files",
    ),
    "graphlang.papers": (
        "graphlang.codes",
        "graphlang.content",
        "graphlang.modelfile",
        "graphlang.native",
        "graphlang.numerics",
        "graphlang.urls",
    ),
    "graphlang.training": (
        "graphlang.codes",
        "graphlang.content",
        "graphlang.modelfile",
        "graphlang.numerics",
        "graphlang.papers",
        "graphlang.files",
        "graphlang.urls",
    ),
    "graphlang.graph": ("graphlang.codes", "graphlang.native", "graphlang.numerics"),
    "graphlang.codes": (),
    "graphlang.interrupts": (),
    "graphlang.maps": (
        "graphlang.codes",
        "graphlang.db",
        "graphlang.graph.options",
        "graphlang.method_cards.sources",
        "graphlang.printing",
    ),
    "graphlang.evaluation.metrics": (),
    "graphlang.numerics": (),
    "graphlang.public_suffix": (),
    "graphlang.printing": (),
    "graphlang.modelcache": ("graphlang.modelfile", "graphlang.files"),
    "graphlang.modelfile": ("graphlang.files",),
}


def modules() -> list[tuple[str, Path]]:
    """The full name and the file of each module."""
    listed = []
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            listed.append((".".join((package, *(part for part in parts if part != "__init__"))), path))
    return listed


@cache
def parse(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(name: str, path: Path) -> set[str]:
    """Full names of our modules that a module imports, relative imports resolved, those for types included."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    names: set[str] = set()
    for node in parse(path):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            # What is imported may be a module itself: from graphlang.db import runs.
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return names


def is_within(name: str, packages: Iterable[str]) -> bool:
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


def test_imports_keep_to_the_rules() -> None:
    broken = []
    for name, path in modules():
        imported = imports(name, path)
        shadowed = {other for other in imported if is_within(other, ("db", "ingest"))}
        broken += [f"{name} imports {other}: a user's own module of that name would shadow it" for other in shadowed]
        ours = {other for other in imported if is_within(other, ("graphlang",))}
        for package, allowed in ALLOWED.items():
            if is_within(name, (package,)):
                forbidden = {other for other in ours if not is_within(other, (package, *allowed))}
                broken += [f"{name} may not import {other}: see ALLOWED" for other in forbidden]
    assert not broken, "\n".join(sorted(broken))


def test_no_room_imports_the_command_line() -> None:
    command_line = ("graphlang.cli",)
    broken = [
        f"{name} imports {other}"
        for name, path in modules()
        if not is_within(name, command_line) and not name.endswith(".__main__")
        for other in imports(name, path)
        if is_within(other, command_line)
    ]
    assert not broken, "\n".join(sorted(broken))


#: Modules that are the main program of a process of their own, and end it.
PROGRAMS = {"graphlang.ingest.workers.worker", "graphlang.ingest.workers.process"}


def test_only_the_command_line_prints_or_exits() -> None:
    broken = [
        f"{name}:{node.lineno} {called}"
        for name, path in modules()
        if not name.startswith("graphlang.cli") and name not in PROGRAMS
        for node in parse(path)
        if isinstance(node, ast.Call)
        and (called := ast.unparse(node.func)) in {"print", "exit", "quit", "sys.exit", "os._exit"}
    ]
    assert not broken, "\n".join(broken)


def test_the_rules_are_held_by_something_that_can_fail(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("from ..content import nfc\nimport db\n")
    assert imports("graphlang.graph.bad", bad) == {"graphlang.content.nfc", "db"}
    assert is_within("graphlang.db.lock", ("graphlang.db",))
    assert not is_within("graphlang.dbx", ("graphlang.db",))


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
    written = {"graphlang/db/native/ids.py"}  # of the one file of kernels
    assert built == {name.replace(".", "/") + suffix for name, suffix in _expected()} | written
    assert "graphlang/db/schema.sql" in names
    data = {path.name for path in (ROOT / "graphlang" / "data").iterdir() if path.is_file()}
    assert {Path(name).name for name in names if name.startswith("graphlang/data/")} == data


def _expected() -> list[tuple[str, str]]:
    return [(name, "/__init__.py" if path.name == "__init__.py" else ".py") for name, path in modules()]
