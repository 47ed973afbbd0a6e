"""The version stands in one place, and where it is repeated it is the same."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def version() -> str:
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return found


def test_the_citation_names_the_version() -> None:
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None
    assert cited[1] == version()


def test_the_package_and_the_program_know_it() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "graphlang", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"graphlang, version {version()}\n"
