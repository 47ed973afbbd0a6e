"""The schema, its documentation and the numbers that the code shares with it agree."""

import hashlib
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from graphlang.db import LinkKind, StoreError, create, open_existing
from graphlang.db.remove import PAGE_COLUMNS
from graphlang.db.runs.lifecycle import ANSWER_TABLES
from graphlang.db.schema import VERSION, format_documentation, read_documentation


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def test_every_table_view_and_column_is_documented_and_nothing_else(tmp_path: Path) -> None:
    connection = create(tmp_path / "new.db")
    names = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
        if not name.startswith(("_sqlite", "sqlite_"))
    }
    assert names == set(read_documentation()), "write a comment before it in db/schema.sql"
    for name, table in read_documentation().items():
        assert _columns(connection, name) == list(table.columns), f"write a comment on each column of {name}"
        assert table.purpose
        assert all(table.columns.values())
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence'"
    ):
        keys = [row[5] for row in connection.execute(f"PRAGMA table_info({name})")]
        assert any(keys), f"{name} needs a primary key: 'check' names rows by it"
    connection.close()


def _referring(connection: sqlite3.Connection, parent: str) -> set[tuple[str, str]]:
    """The tables and columns that hold ids of a table."""
    return {
        (table, row[3])
        for table in read_documentation()
        for row in connection.execute(f"PRAGMA foreign_key_list({table})")
        if row[2] == parent
    }


def test_all_that_refers_to_a_page_or_a_run_goes_with_it(tmp_path: Path) -> None:
    connection = create(tmp_path / "new.db")
    of_a_page = {(table, column) for table, columns in PAGE_COLUMNS for column in columns}
    # A revisit loses what it was lent; links of a capture go with the capture.
    by_itself = {("captures", "original"), ("history_links", "target")}
    assert _referring(connection, "pages") == of_a_page | by_itself, "name it in db/remove.py: takedowns are complete"
    # The chosen run is not dropped, and a capture's run is one that is finished.
    assert _referring(connection, "runs") == {(table, "run") for table in (*ANSWER_TABLES, "chosen", "history")}, (
        "name it in db/runs/lifecycle.py: nothing is left of a run that was stopped"
    )
    connection.close()


def test_the_schema_page_is_up_to_date() -> None:
    page = Path(__file__).parents[2] / "db" / "SCHEMA.md"
    assert page.read_text(encoding="utf-8") == format_documentation(), "run: make docs"


def test_link_kinds_in_the_table_are_those_of_the_code(tmp_path: Path) -> None:
    connection = create(tmp_path / "new.db")
    assert dict(connection.execute("SELECT id, name FROM link_kinds")) == {
        kind.value: kind.name.lower() for kind in LinkKind
    }
    connection.close()


def test_opening_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "twice.db"
    create(path).close()
    first = path.read_bytes()
    create(path).close()
    assert path.read_bytes() == first


KILLED_AT_EACH_STATEMENT = """
import os, sqlite3, sys
from pathlib import Path
from graphlang.db import connection

def create(path, last):
    left = last

    def count(_statement):
        nonlocal left
        left -= 1
        if not left:
            os._exit(9)

    plain = sqlite3.connect

    def connect(*arguments, **options):
        made = plain(*arguments, **options)
        made.set_trace_callback(count)
        return made

    connection.sqlite3.connect = connect
    connection.create(path).close()
    os._exit(0)

statements = 0
while True:
    statements += 1
    path = Path(sys.argv[1]) / f"{statements}.db"
    child = os.fork()
    if not child:
        create(path, statements)
    if not os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        break
    made = connection.create(path)
    schema = made.execute("SELECT name, sql FROM sqlite_schema").fetchall()
    made.close()
    print(statements, len(schema), hash(tuple(sorted(map(str, schema)))))
"""


def test_killed_at_each_statement_of_its_making_and_made_again(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", KILLED_AT_EACH_STATEMENT, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    made = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert len(made) > 20
    assert len({schema for _, schema in made}) == 1, done.stdout


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("only some notes, but long enough that SQLite looks at the header of the file" * 20)
    with pytest.raises(StoreError, match="not a graphlang database"):
        create(path)
    with pytest.raises(StoreError, match="not a graphlang database"):
        open_existing(path)


def test_somebody_elses_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE pages (id)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program made this SQLite file"):
        create(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [0, 17, 999])
def test_another_schema_is_refused_in_one_line_and_left_alone(tmp_path: Path, version: int) -> None:
    path = tmp_path / "other.db"
    with closing(create(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    for opened in (open_existing, create):
        with pytest.raises(StoreError) as error:
            opened(path)
        assert str(error.value) == (
            f"{path} has schema {version}, and this graphlang reads schema {VERSION}:"
            " read the archives again into a new database, or use the version that made it"
        )
    assert path.read_bytes() == before


def test_a_schema_that_changes_has_another_version(tmp_path: Path) -> None:
    """A table was added, and an older file was said to lack it instead of being too old."""
    with closing(create(tmp_path / "new.db")) as connection:
        stored = "".join(
            sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY 1")
        )
    digest = hashlib.sha256(stored.encode()).hexdigest()[:16]
    assert (VERSION, digest) == (3, "97522633103fb9e9"), "raise VERSION in db/schema.py, then write both here"


def test_comments_are_not_stored(tmp_path: Path) -> None:
    with closing(create(tmp_path / "new.db")) as connection:
        stored = "".join(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql NOT NULL"))
    assert "CREATE TABLE sources" in stored
    assert "--" not in stored


def test_missing_file_and_missing_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such database"):
        open_existing(tmp_path / "none.db")
    with pytest.raises(StoreError, match="does not exist"):
        create(tmp_path / "no" / "such" / "folder.db")


def test_an_empty_file_becomes_a_collection(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    create(path).close()
    open_existing(path).close()


def test_read_only_connections_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "read.db"
    create(path).close()
    connection = open_existing(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("INSERT INTO hosts VALUES (1, 'a', 'a', '', '')")
    connection.close()
