"""The version stands in one place, and where it is repeated it is the same."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import graphlang

ROOT = Path(__file__).parents[2]


def test_the_package_was_installed_with_it() -> None:
    assert metadata.version("graphlang") == graphlang.__version__, "run: make .venv/installed"


def test_the_citation_names_the_version() -> None:
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None
    assert cited[1] == graphlang.__version__, "CITATION.cff is to name the version of graphlang/__init__.py"


def test_the_package_and_the_program_know_it() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "graphlang", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"graphlang, version {graphlang.__version__}\n"
