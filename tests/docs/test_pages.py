"""Commands and Python on the pages run, links lead to files, and generated pages are up to date.

Blocks of ``shell`` are not run: they take long.
"""

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


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def scripts(page: Path) -> list[list[str]]:
    """Return the command lines that run the shell commands of a page, and then its Python."""
    commands = blocks(page, "sh")
    python = [block for block in blocks(page, "python") if not block.startswith(">>>")]
    shell = [["bash", "-c", "\n".join(["set -eu", *commands])]] if commands else []
    return shell + ([[sys.executable, "-P", "-c", "\n".join(python)]] if python else [])


def pages_with(condition: Callable[[Path], object]) -> pytest.MarkDecorator:
    pages = [page for page in PAGES if condition(page)]
    return pytest.mark.parametrize("page", pages, ids=lambda page: page.relative_to(DOCS).as_posix())


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the example crawl."""
    path = tmp_path_factory.mktemp("docs") / "crawl.db"
    gl.open(path).run(ROOT / "examples" / "crawl.warc.gz")
    return path


@pytest.fixture
def environment(
    example: Path,
    tmp_path: Path,
    write_warc: Callable[[Path, list[tuple[str, bytes]]], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, str]:
    """The environment of a reader, in a folder with the example crawl, its labels, its database and an archive."""
    shutil.copy(example, tmp_path / "crawl.db")
    (tmp_path / "crawl.warc.gz").symlink_to(ROOT / "examples" / "crawl.warc.gz")
    (tmp_path / "gold.tsv").symlink_to(ROOT / "examples" / "crawl.gold.tsv")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    write_warc(tmp_path / "more.warc.gz", [("http://more.example/", b"<p>Der Nebel liegt noch im Tal.")])
    monkeypatch.chdir(tmp_path)
    programs = tmp_path / ".bin"
    programs.mkdir()
    for name in ("graphlang", "sqlite_utils"):
        program = programs / name.replace("_", "-")
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m {name} "$@"\n')
        program.chmod(0o755)
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


@pages_with(lambda page: ">>>" in page.read_text(encoding="utf-8"))
def test_doctests_on_the_pages(page: Path) -> None:
    # doctest would take the fences of code for expected output.
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    failures: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=failures.append)
    assert not failures, "".join(failures)


@pages_with(scripts)
def test_commands_on_the_pages_run(page: Path, environment: dict[str, str]) -> None:
    for script in scripts(page):
        done = subprocess.run(script, env=environment, capture_output=True, check=False)
        if missing := re.search(r"No module named '(pandas|duckdb|polars|pyarrow)'", done.stderr.decode()):
            pytest.skip(f"{missing[1]} is not installed")
        assert done.returncode == 0, done.stderr.decode()[-2000:]


def test_the_site_has_every_page_once() -> None:
    yaml = pytest.importorskip("yaml")
    site = runpy.run_path(str(DOCS / "site.py"))
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    def flatten(nav: object) -> list[str]:
        entries = nav.values() if isinstance(nav, dict) else nav
        return [nav] if isinstance(nav, str) else [page for entry in entries for page in flatten(entry)]  # type: ignore[union-attr]

    pages = [page.relative_to(DOCS).as_posix() for page in PAGES]
    assert sorted(flatten(settings["nav"])) == sorted([*pages, *site["ELSEWHERE"].values()])
    assert [source for source in site["ELSEWHERE"] if not (ROOT / source).exists()] == []


def test_links_on_the_site_lead_to_its_pages() -> None:
    rewrite_links = runpy.run_path(str(DOCS / "site.py"))["rewrite_links"]
    text = (
        "[a](../../db/SCHEMA.md#links) [b](trust.md) [c](https://a.example/x.md) [`d`](../../setup.py) [e](../../a.py)"
    )
    expected = "[a](../columns.md#links) [b](trust.md) [c](https://a.example/x.md) `d` `a.py`"
    assert rewrite_links(text, "docs/howto/texts.md") == expected
    assert rewrite_links("[walk](examples/README.md)", "CONTRIBUTING.md") == "[walk](walk.md)"


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as web sites make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.lower().strip())) for heading in headings}


def test_links_between_pages_lead_somewhere() -> None:
    missing = []
    for page in (*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"))):
        for link, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([\w-]*))?\)", page.read_text(encoding="utf-8")):
            target = page.parent / link if link else page
            if "://" in link:
                continue
            if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
                missing.append(f"{page.relative_to(ROOT)}: {link}#{anchor}")
    assert missing == []


def test_output_in_the_tutorial_is_that_of_the_walk() -> None:
    walk = (ROOT / "examples" / "README.md").read_text(encoding="utf-8").splitlines()
    lines = [line for block in blocks(DOCS / "tutorial.md", "text") for line in block.splitlines()]
    assert len(lines) > 3
    assert [line for line in lines if line not in walk] == []


def test_the_page_of_languages_is_that_of_the_model() -> None:
    script = runpy.run_path(str(DOCS / "known_languages.py"))
    assert (DOCS / "languages.md").read_text(encoding="utf-8") == script["page"](), "run: make docs"


def test_the_page_of_lists_has_the_meaning_of_every_column() -> None:
    script = runpy.run_path(str(DOCS / "lists.py"))
    for verb, row in script["LISTS"].items():
        meanings = script["meanings"](row)
        assert tuple(meanings) == row._fields, verb
        assert [name for name, meaning in meanings.items() if not meaning] == [], f"{row}: a comment '#: ' is missing"
        name, *options = verb.split()
        known = {option for parameter in cli.commands[name].params for option in parameter.opts}
        assert {option for option in options if option.startswith("--")} <= known, verb
    assert (DOCS / "lists.md").read_text(encoding="utf-8") == script["page"](), "run: make docs"


def test_every_export_is_on_its_page_and_in_the_help() -> None:
    page = (DOCS / "howto" / "exports.md").read_text(encoding="utf-8")
    table = page.split("| `--what` |")[1].split("\n\n")[0]
    cells = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)} == set(WHAT), "docs/howto/exports.md"
    words = re.findall(r"[\w-]+", cli.commands["export"].help or "")
    assert [name for name in WHAT if name not in words] == []
