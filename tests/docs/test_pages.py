"""What the pages show is what comes out: Python in them is run as doctests, commands on the example crawl."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MARKDOWN = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_python_on_the_pages_gives_what_stands_there(page: Path) -> None:
    # Fences of code would be taken for output that is expected.
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert "".join(said) == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_commands_on_the_pages_run(page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if not blocks:
        return
    (tmp_path / "crawl.warc.gz").symlink_to(ROOT / "examples" / "crawl.warc.gz")
    (tmp_path / "gold.tsv").symlink_to(ROOT / "examples" / "crawl.gold.tsv")
    bin_ = tmp_path / ".bin"
    bin_.mkdir()
    (bin_ / "graphlang").write_text(f'#!/bin/sh\nexec {sys.executable} -P -m graphlang "$@"\n')
    (bin_ / "graphlang").chmod(0o755)
    script = "\n".join(["set -eu", *blocks])
    path = f"{bin_}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[\w-]*)?\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []
