"""What the pages show is what comes out: Python in them is run as doctests, commands on the example crawl."""

from __future__ import annotations

import doctest
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import graphlang as gl
from graphlang.cli import cli
from graphlang.export.to_file import WHAT

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MARKDOWN = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example crawl, read and inferred."""
    path = tmp_path_factory.mktemp("docs") / "crawl.db"
    gl.open(path).run(ROOT / "examples" / "crawl.warc.gz")
    return path


@pytest.fixture
def folder(
    read: Path,
    tmp_path: Path,
    write_warc: Callable[[Path, list[tuple[str, bytes]]], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Where a reader of the pages is: with the example crawl, its labels, its database, and one more archive."""
    shutil.copy(read, tmp_path / "crawl.db")
    (tmp_path / "crawl.warc.gz").symlink_to(ROOT / "examples" / "crawl.warc.gz")
    (tmp_path / "gold.tsv").symlink_to(ROOT / "examples" / "crawl.gold.tsv")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    write_warc(tmp_path / "more.warc.gz", [("http://more.example/", b"<p>Der Nebel liegt noch im Tal.")])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_python_on_the_pages_gives_what_stands_there(page: Path) -> None:
    # Fences of code would be taken for output that is expected.
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not said, "".join(said)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_commands_and_then_python_on_the_pages_run(page: Path, request: pytest.FixtureRequest) -> None:
    commands = blocks(page, "sh")
    python = [block for block in blocks(page, "python") if not block.startswith(">>>")]
    if not commands and not python:
        return
    folder: Path = request.getfixturevalue("folder")
    programs = folder / ".bin"
    programs.mkdir()
    for name in ("graphlang", "sqlite_utils"):
        program = programs / name.replace("_", "-")
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m {name} "$@"\n')
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    for script in (["bash", "-c", "\n".join(["set -eu", *commands])], [sys.executable, "-P", "-c", "\n".join(python)]):
        if script[-1]:
            done = subprocess.run(script, env=environment, capture_output=True, check=False)
            if missing := re.search(r"No module named '(pandas|duckdb|polars|pyarrow)'", done.stderr.decode()):
                pytest.skip(f"{missing[1]} is not installed")
            assert done.returncode == 0, done.stderr.decode()[-2000:]


def test_the_site_has_every_page_once() -> None:
    yaml = pytest.importorskip("yaml")
    site = runpy.run_path(str(DOCS / "site.py"))
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    def listed(nav: object) -> list[str]:
        parts = nav.values() if isinstance(nav, dict) else nav
        return [nav] if isinstance(nav, str) else [one for part in parts for one in listed(part)]  # type: ignore[union-attr]

    pages = [page.relative_to(DOCS).as_posix() for page in PAGES]
    assert sorted(listed(settings["nav"])) == sorted([*pages, *site["ELSEWHERE"].values()])
    assert [source for source in site["ELSEWHERE"] if not (ROOT / source).exists()] == []


def test_links_on_the_site_lead_to_its_pages() -> None:
    rewrite_links = runpy.run_path(str(DOCS / "site.py"))["rewrite_links"]
    text = (
        "[a](../../db/SCHEMA.md#links) [b](trust.md) [c](https://a.example/x.md) [`d`](../../setup.py) [e](../../a.py)"
    )
    expected = "[a](../columns.md#links) [b](trust.md) [c](https://a.example/x.md) `d` `a.py`"
    assert rewrite_links(text, "docs/howto/texts.md") == expected
    assert rewrite_links("[walk](examples/README.md)", "CONTRIBUTING.md") == "[walk](walk.md)"


def test_the_page_of_languages_is_what_the_model_knows() -> None:
    made = runpy.run_path(str(DOCS / "known_languages.py"))
    assert (DOCS / "languages.md").read_text(encoding="utf-8") == made["page"](), "run: make docs"


def test_the_page_of_lists_has_every_column_and_what_it_means() -> None:
    made = runpy.run_path(str(DOCS / "lists.py"))
    for verb, row in made["LISTS"].items():
        meanings = made["meanings"](row)
        assert tuple(meanings) == row._fields, verb
        assert [name for name, meaning in meanings.items() if not meaning] == [], f"{row}: say it behind '#: '"
        name, *options = verb.split()
        known = {option for one in cli.commands[name].params for option in one.opts}
        assert {one for one in options if one.startswith("--")} <= known, verb
    assert (DOCS / "lists.md").read_text(encoding="utf-8") == made["page"](), "run: make docs"


def test_every_export_is_on_its_page_and_in_the_help() -> None:
    page = (DOCS / "howto" / "exports.md").read_text(encoding="utf-8")
    table = page.split("| `--what` |")[1].split("\n\n")[0]
    cells = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)} == set(WHAT), "docs/howto/exports.md"
    told = re.findall(r"[\w-]+", cli.commands["export"].help or "")
    assert [name for name in WHAT if name not in told] == []


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[\w-]*)?\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []
