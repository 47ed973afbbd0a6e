"""The picture of the architecture is that of the code, and the pages that it names are there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_the_picture_is_made_from_the_imports() -> None:
    made = runpy.run_path(str(DOCS / "picture.py"))
    page = made["PAGE"].read_text(encoding="utf-8")
    assert made["written"](page) == page, "run: make docs"
    assert ("analysis", "graph") in made["edges"]()
    assert ("graph", "db") not in made["edges"]()


def test_the_page_is_short_and_names_files_that_exist() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    assert page.count("\n") <= 300
    paths = re.findall(r"`((?:ingest|db|graphlang|tests|docs)/[\w/]+(?:\.\w+)?)`", page)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
