"""Files that were read before: with other options, and how they are read again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]


def ask(db: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(query).fetchall()


LENGTHS = "SELECT LENGTH(text) FROM texts ORDER BY page"


def test_other_options_are_said_and_again_reads_with_them(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    assert graphlang("run", museum, "--db", db, "--workers", 1, "--text-limit", 20, "--keep", "last").exit_code == 0
    short = ask(db, LENGTHS)
    assert max(short) == (20,)
    result = graphlang("ingest", db, museum, "--workers", 1, "--bytes")
    assert result.stderr.splitlines()[1] == (
        f"read with other options: {museum} (--text-limit 20, now 10000; --bytes off, now on; --keep last, now all):"
        " --again reads with the options given now"
    )
    assert ask(db, LENGTHS) == short
    assert graphlang("ingest", db, museum, "--workers", 1, "--again").exit_code == 0
    assert max(ask(db, LENGTHS)) > (200,)
    assert "other options" not in graphlang("ingest", db, museum, "--workers", 1).stderr
    assert ask(db, "SELECT COUNT(*), SUM(captures) FROM captures") == [(5, 5)]


def test_what_was_read_again_is_identified_again(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    graphlang("run", museum, "--db", db, "--workers", 1, "--text-limit", 1)
    characters = "SELECT MAX(characters) FROM page_languages"
    before = ask(db, characters)
    assert graphlang("run", museum, "--db", db, "--workers", 1, "--again").exit_code == 0
    assert ask(db, characters) > before
    assert ask(db, "SELECT language FROM page_languages ORDER BY page LIMIT 1") == [("deu",)]
