"""Pages about the project are short, name files that exist, and have today's figures, version and picture."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import graphlang

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = ROOT / "tests" / "benchmarks" / "RESULTS.md"
FIGURE = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)+")  # 99.8 and 11,716, but no years


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("README.md", 120),
        ("CHANGELOG.md", 200),
        ("docs/architecture.md", 120),
        ("tests/benchmarks/RESULTS.md", 199),
        ("tests/benchmarks/TRIED.md", 300),
    ],
)
def test_pages_are_short(name: str, lines: int) -> None:
    page = (ROOT / name).read_text(encoding="utf-8").splitlines()
    assert len(page) <= lines
    assert [line for line in page if len(line) > 140] == []


def test_the_figures_of_the_readme_are_those_of_the_results() -> None:
    figures = FIGURE.findall(README.split("\n## Results\n")[1].split("\n## ")[0])
    assert len(figures) > 20
    assert set(figures) <= set(FIGURE.findall(RESULTS.read_text(encoding="utf-8")))


def test_the_two_commands_of_the_readme_are_targets_of_make() -> None:
    commands = re.findall(r"^    make (\w+)", README.split("\n## Two commands\n")[1].split("\n## ")[0], re.MULTILINE)
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert commands == ["demo", "test"]
    assert set(commands) <= set(targets)


def test_the_picture_of_the_architecture_is_that_of_the_imports() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "picture.py"))
    page = script["PAGE"].read_text(encoding="utf-8")
    assert script["redraw"](page) == page, "run: make docs"
    assert ("analysis", "graph") in script["edges"]()
    assert ("graph", "db") not in script["edges"]()


@pytest.mark.parametrize("name", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_pages_for_contributors_name_files_that_exist(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:ingest|db|graphlang|tests|docs)/[\w/]+(?:\.\w+)?)`", page)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_version_is_the_same_everywhere() -> None:
    command = [sys.executable, "-P", "-m", "graphlang", "--version"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == f"graphlang, version {graphlang.__version__}\n"
    assert metadata.version("graphlang") == graphlang.__version__, "run: make .venv/installed"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {graphlang.__version__}\n" in citation
