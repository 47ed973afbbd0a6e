"""URLs that are newer than the shown run are und: verbs mention it, and name the command that answers them."""

from __future__ import annotations

import csv
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]

GROWN = "Results are out of date (run 3). Update them: graphlang propagate DB --update"
CORRECTED = "out of date (run 3): pages were corrected since, and most unfetched URLs are und. Update them:"
CLOSED = "most unfetched URLs are und: run 3 has no answers for them, and"


def ask_nobody(db: Path) -> None:
    """Take the answers for URLs that were only linked to away, as in a collection too large for the first list."""
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("DELETE FROM linked_answers WHERE run = 3")
        connection.execute("UPDATE runs SET linked = 0 WHERE id = 3")


@pytest.fixture
def db(run_museum: Callable[[Path], Path], tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    run_museum(path)
    return path


VERBS = (
    ("pages",),
    ("sites",),
    ("languages",),
    ("texts",),
    ("info",),
    ("language-graph",),
    ("frontier", "--want", "de"),
    ("report", "-o", "report.html"),
    ("export", "--what", "pages", "-o", "pages.csv"),
)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_files_that_were_read_since(
    graphlang: Call, db: Path, write_warc: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...]
) -> None:
    monkeypatch.chdir(db.parent)
    assert "out of date" not in graphlang(verb[0], db, *verb[1:]).stderr
    graphlang("ingest", db, write_warc(db.parent / "more.warc.gz", [("http://more.example/", b"<p>Ein Haus am See.")]))
    result = graphlang(verb[0], db, *verb[1:])
    assert GROWN in result.stderr
    assert result.exit_code == 0
    graphlang("propagate", db, "--update")
    assert "out of date" not in graphlang(verb[0], db, *verb[1:]).stderr


def test_without_a_database_it_is_that_of_the_folder(
    graphlang: Call, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a verb with two arguments, and of one that needs none."""
    monkeypatch.chdir(db.parent)
    assert "no such database: none.db" in graphlang("explain", "none.db", "musee.example").stderr
    assert (
        graphlang("explain", "musee.example").stdout == graphlang("explain", "crawl.db", "musee.example").stdout != ""
    )
    assert "Missing argument 'URL'" in graphlang("explain", "crawl.db").stderr
    assert graphlang("languages").stdout == graphlang("languages", "crawl.db").stdout != ""
    db.rename(db.with_name("other.db"))
    assert "Missing argument 'URL'" in graphlang("explain", "musee.example").stderr


def test_a_report_says_itself_what_its_run_has_not_seen(
    graphlang: Call, db: Path, write_warc: Callable[..., Path], tmp_path: Path
) -> None:
    """It is passed on without what stood on the terminal; and a long page was short for want of a run."""
    words = "The collection has changed since run 3, which is shown here"
    output = tmp_path / "report.html"
    graphlang("report", db, "-o", output)
    assert words not in output.read_text("utf-8")
    long = b"<p>Ein Haus am See, und hinter dem Haus ein Garten voller alter Apfelbaeume."  # 73 letters and blanks
    pages = [("http://more.example/", long), ("http://more.example/2", b"<p>Ein Haus am See.")]
    graphlang("ingest", db, write_warc(tmp_path / "more.warc.gz", pages))
    graphlang("report", db, "-o", output)
    assert words in output.read_text("utf-8")
    table = csv.DictReader(graphlang("sites", db, "--format", "csv").stdout.splitlines())
    assert [(row["language"], row["pages"], row["short"]) for row in table if row["site"] == "more.example"] == [
        ("und", "2", "1")
    ]


def test_files_that_were_read_again_and_are_the_same(graphlang: Call, db: Path, museum: Path) -> None:
    graphlang("ingest", db, museum, "--again")
    assert GROWN in graphlang("languages", db).stderr
    graphlang("propagate", db, "--update")  # finds that run 3 has read the same, and chooses it again
    assert graphlang("languages", db).stderr == ""
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("SELECT run FROM chosen").fetchone() == (3,)


def test_pages_that_were_corrected_before_anybody_asked(graphlang: Call, db: Path) -> None:
    graphlang("correct", db, "http://museum.example/", "--language", "de", "--by", "Asha")
    ask_nobody(db)
    assert CORRECTED in graphlang("pages", db, "--all").stderr
    assert CORRECTED not in graphlang("pages", db).stderr
    result = graphlang("frontier", db, "--want", "de")  # it gave all URLs a chance of 0
    assert (result.exit_code, result.stdout) == (3, "")
    assert "run 3 has no answers for URLs that were only linked to" in result.stderr


def test_a_database_that_cannot_be_written(graphlang: Call, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask_nobody(db)
    monkeypatch.setattr("os.access", lambda *asked: asked[1] != os.W_OK)  # root may write everywhere
    assert CLOSED in graphlang("pages", db, "--unfetched").stderr
    assert CLOSED not in graphlang("pages", db, "--unfetched").stderr  # they were worked out, for it could be written
