"""Files that were read before: with other options, by an older version, and how they are read again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from graphlang.db import open_existing
from graphlang.db.errors import OldReadingWarning

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


def aged(db: Path) -> Path:
    """Make a database what an early version would have left, which knew nothing of places and main content."""
    with closing(sqlite3.connect(db)) as connection:
        for view in ("capture_languages", "history_captures", "language_shares"):
            connection.execute(f"DROP VIEW {view}")
        for table in ("history_links", "history_declarations", "history", "page_shares"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'history'")
        for column in ("options", "readings", "lacks"):
            connection.execute(f"ALTER TABLE sources DROP COLUMN {column}")
        connection.execute("ALTER TABLE captures DROP COLUMN reading")
        connection.execute("ALTER TABLE texts DROP COLUMN rest")
        connection.execute("UPDATE links SET place = NULL")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name >= '0011'")
        connection.execute("UPDATE _sqlite_migrations SET applied_at = '2020' WHERE name = '0001_first'")
        connection.execute("PRAGMA user_version=10")
        connection.commit()
    return db


@pytest.mark.filterwarnings("default::graphlang.db.errors.OldReadingWarning")
def test_the_next_verb_and_info_say_what_an_upgraded_database_lacks(
    graphlang: Call, museum: Path, tmp_path: Path
) -> None:
    db = tmp_path / "crawl.db"
    graphlang("run", museum, "--db", db, "--workers", 1)
    aged(db)
    result = graphlang("sites", db)
    assert result.exit_code == 0
    assert result.stderr == (
        f"Warning: {db}: {museum} was read by an older version, without link positions (short pages that stand in lists"
        " of translations are told by them); main content (without it menus and banners count as text); paragraphs"
        " (without them each text is exported as one line):"
        f" graphlang ingest {db} FILES --again\n"
    )
    assert graphlang("sites", db).stderr == ""
    rows = [line.split("\t") for line in graphlang("info", db, "--format", "tsv").stdout.splitlines()]
    assert [row[1:] for row in rows if row[0] == "files to read again with --again"] == [
        ["link positions: short pages that stand in lists of translations are told by them", "1"],
        ["main content: without it menus and banners count as text", "1"],
        ["paragraphs: without them each text is exported as one line", "1"],
    ]
    assert graphlang("ingest", db, museum, "--workers", 1, "--again").exit_code == 0
    assert "to read again" not in graphlang("info", db).stdout
    assert ask(db, "SELECT COUNT(*) FROM links WHERE place IS NULL") == [(0,)]


def test_libraries_are_warned(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    graphlang("ingest", db, museum, "--workers", 1)
    with pytest.warns(OldReadingWarning, match="without link positions"):
        open_existing(aged(db)).close()
    open_existing(db).close()
