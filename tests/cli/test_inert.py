"""What comes from a crawl, a database or a file's name does nothing to the terminal, whatever the verb."""

from __future__ import annotations

import ast
import csv
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from graphlang.printing import CONTROL

Call = Callable[..., Result]
BAD = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\u061c\u200f\u2028\r"
ROOT = Path(__file__).parents[2]
MAIN = "from graphlang.cli import main; main()"


@pytest.fixture
def hostile(make_collection: Callable[..., Path], written: Callable[..., Any]) -> Path:
    """A collection in which every text holds control characters or markup."""
    db = make_collection(
        [
            written(
                f"http://a.example/{BAD}", "deu", own="deu", title=f"=1+1{BAD}", text=f"Wort {BAD}" * 9, links=(1,)
            ),
            written("http://b.example/", "deu", own="deu", charset=f"utf{BAD}", mime=f"text/html{BAD}", links=(0,)),
        ]
    )
    connection = sqlite3.connect(db)
    with connection:
        connection.execute("UPDATE sources SET name = ?", (f"crawl{BAD}.warc.gz",))
        connection.execute(
            "INSERT INTO problems (source, offset, url, kind, reason) VALUES (1, 7, ?, 'damaged', ?)",
            (f"http://c.example/{BAD}", f"bytes {BAD}"),
        )
        connection.execute("INSERT INTO declarations VALUES (1, 'html-lang', ?)", (f"x{BAD}",))
    connection.close()
    return db


LISTING = [
    ("pages",),
    ("problems",),
    ("sites",),
    ("languages",),
    ("runs",),
    ("info",),
    ("info", "--encodings"),
    ("frontier", "--want", "deu"),
    ("corrections",),
    ("language-graph", "--what", "sites"),
    ("compare", "1", "2"),
]


@pytest.mark.parametrize("verb", LISTING)
@pytest.mark.parametrize("format_", ["table", "tsv", "jsonl"])
def test_no_listing_verb_lets_it_through(graphlang: Call, hostile: Path, verb: tuple[str, ...], format_: str) -> None:
    if verb[0] == "language-graph":
        format_ = {"tsv": "json", "jsonl": "json"}.get(format_, format_)
    result = graphlang(verb[0], hostile, *verb[1:], "--format", format_)
    assert result.exit_code == 0
    assert re.fullmatch(r"(no (URLs|corrections|rows)\n)?", result.stderr)
    assert "owned" in result.stdout or verb[0] not in {"pages", "problems"}
    assert not CONTROL.search(result.stdout.replace("\n", "").replace("\t", "" if format_ == "tsv" else "\t"))


def test_explain_texts_and_errors_do_not_either(graphlang: Call, hostile: Path, tmp_path: Path) -> None:
    url = f"http://a.example/{BAD}"
    for arguments in (
        ("explain", hostile, url),
        ("explain", hostile, url, "--format", "json"),
        ("explain", hostile, f"http://gone.example/{BAD}"),
        ("texts", hostile),
        ("correct", hostile, url, "--language", f"x{BAD}", "--by", "me"),
        ("pages", f"{tmp_path}/no{BAD}.db"),
        ("identify", f"{tmp_path}/no{BAD}.txt"),
        ("run", f"{tmp_path}/no{BAD}.warc", "--db", tmp_path / "new.db"),
        ("ingest", hostile, f"{tmp_path}/no{BAD}.warc", "--log-format", "json"),
        ("convert", f"{tmp_path}/no{BAD}.warc", tmp_path / "b.store"),
        ("tree", f"de{BAD}"),
        ("pages", hostile, f"--no-such-option{BAD}"),
        (f"no-such-verb{BAD}",),
    ):
        result = graphlang(*arguments)
        assert result.output, arguments
        assert not CONTROL.search(result.output.replace("\n", "")), arguments


def test_texts_that_are_exact_in_a_pipe_are_inert_on_a_terminal(
    graphlang: Call, hostile: Path, on_terminal: Callable[..., str]
) -> None:
    given = ("texts", hostile, "--format", "txt")
    shown = on_terminal(*given)
    assert "Wort \\x1b]0;owned" in shown
    assert not CONTROL.search(shown.replace("\n", ""))
    assert "Wort \x1b]0;owned" in graphlang(*given).stdout


def test_csv_is_exact_in_pipes_and_safe_for_people(
    graphlang: Call, hostile: Path, tmp_path: Path, on_terminal: Callable[..., str]
) -> None:
    given = ("problems", hostile, "--format", "csv")
    with sqlite3.connect(hostile) as connection:
        connection.execute("UPDATE problems SET reason = '=1+1'")
    connection.close()
    exact = list(csv.DictReader(graphlang(*given).stdout.splitlines(keepends=True)))
    assert [(row["url"], row["reason"]) for row in exact] == [(f"http://c.example/{BAD}", "=1+1")]
    assert '"=1+1"' not in graphlang(*given, "--csv-safe").stdout
    assert "'=1+1" in graphlang(*given, "--csv-safe").stdout
    for name, option, expected in (
        ("a.csv", (), "'=1+1"),
        ("A.CSV", (), "'=1+1"),
        ("b.csv", ("--csv-exact",), "=1+1"),
        ("c.txt", (), "=1+1"),
        ("d.txt", ("--csv-safe",), "'=1+1"),
    ):
        graphlang(*given, *option, "-o", tmp_path / name)
        with (tmp_path / name).open(newline="", encoding="utf-8") as file:
            assert [row["reason"] for row in csv.DictReader(file)] == [expected], name
    shown = on_terminal(*given)
    assert "'=1+1" in shown
    assert not CONTROL.search(shown.replace("\n", ""))


def test_a_name_that_is_no_utf8_is_told(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9\x1b[2J.warc")
    command = [sys.executable, "-P", "-c", MAIN, "ingest", str(tmp_path / "a.db"), str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, check=False)
    words = rb"caf\udce9\x1b[2J.warc: no such file or folder"
    assert (done.returncode, done.stderr.strip().endswith(words)) == (2, True), done.stderr


def test_letters_that_the_terminal_has_not_are_escapes() -> None:
    command = [sys.executable, "-P", "-c", MAIN, "languages", "--known", "--method", "nfc-2004"]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.splitlines()[1].startswith(b"----")  # the rule is of letters that the charset has
    assert rb"K\u02bciche\u02bc" in done.stdout


@pytest.mark.parametrize("format_", ["jsonl", "csv", "tsv"])
def test_programs_read_utf8_in_any_locale(format_: str) -> None:
    command = [sys.executable, "-P", "-c", MAIN, "languages", "--known", "--method", "nfc-2004", "--format", format_]
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "K\u02bciche\u02bc" in done.stdout.decode()


def test_so_do_readers_of_json() -> None:
    command = [sys.executable, "-P", "-c", MAIN, "methods", "heliport", "--json"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "K. Lind\u00e9n" in done.stdout.decode()


def test_verbs_write_by_one_module_only() -> None:
    """A verb that prints without it would not escape the control characters of a crawl."""
    ways = {"echo", "secho", "print", "dumps", "dump", "writer", "DictWriter"}
    allowed = {"output.py", "log.py", "table.py", "pager.py"}
    for path in sorted((ROOT / "graphlang" / "cli").rglob("*.py")):
        if path.name in allowed:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            name = getattr(called, "attr", None) or getattr(called, "id", None)
            assert name not in ways, f"{path}:{getattr(node, 'lineno', 0)} calls {name}"
            stream = isinstance(node, ast.Attribute) and node.attr == "stdout" and path.name != "main.py"
            assert not stream, f"{path}:{getattr(node, 'lineno', 0)} writes to standard output by itself"
