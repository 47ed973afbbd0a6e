"""The schema, its documentation and the numbers that the code shares with it agree."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils

from graphlang.db import LinkKind, StoreError, create, open_existing
from graphlang.db.remove import _OF_A_PAGE
from graphlang.db.runs.drop import _TABLES
from graphlang.db.schema.column_docs import TABLES
from graphlang.db.schema.markdown import markdown
from graphlang.db.schema.migrations import APPLICATION_ID, migrations
from graphlang.db.schema.shape import declared
from graphlang.db.schema.steps import STEPS


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def test_every_table_view_and_column_is_documented_and_nothing_else(tmp_path: Path) -> None:
    connection = create(tmp_path / "new.db")
    names = {
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
        if not name.startswith(("_sqlite", "sqlite_"))
    }
    assert names == set(TABLES), "document it in db/schema/column_docs.py"
    for name in names:
        documented = list(TABLES[name].columns)
        assert _columns(connection, name) == documented, f"document the columns of {name} in db/schema/column_docs.py"
    for table in declared(len(STEPS)):
        assert table.key, f"{table.name} needs a primary key: 'check' names rows by it"
    connection.close()


def _referring(connection: sqlite3.Connection, parent: str) -> set[tuple[str, str]]:
    """The tables and columns that hold ids of a table."""
    return {
        (table, row[3])
        for table in TABLES
        for row in connection.execute(f"PRAGMA foreign_key_list({table})")
        if row[2] == parent
    }


def test_all_that_refers_to_a_page_or_a_run_goes_with_it(tmp_path: Path) -> None:
    connection = create(tmp_path / "new.db")
    of_a_page = {(table, column) for table, columns in _OF_A_PAGE for column in columns}
    # A revisit loses what it was lent; links of a capture go with the capture.
    by_itself = {("captures", "original"), ("history_links", "target")}
    assert _referring(connection, "pages") == of_a_page | by_itself, "name it in db/remove.py: takedowns are complete"
    # The chosen run is not dropped, and a capture's run is one that is finished.
    assert _referring(connection, "runs") == {(table, "run") for table in (*_TABLES, "chosen", "history")}, (
        "name it in db/runs/drop.py: nothing is left of a run that was stopped"
    )
    connection.close()


def test_the_schema_page_is_up_to_date() -> None:
    page = Path(__file__).parents[2] / "db" / "SCHEMA.md"
    assert page.read_text(encoding="utf-8") == markdown(), "run: make docs"


def test_link_kinds_in_the_table_are_those_of_the_code(tmp_path: Path) -> None:
    connection = create(tmp_path / "new.db")
    assert dict(connection.execute("SELECT id, name FROM link_kinds")) == {
        kind.value: kind.name.lower() for kind in LinkKind
    }
    connection.close()


def _dump(path: Path) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        made = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
        ledger = connection.execute("SELECT id, migration_set, name FROM _sqlite_migrations ORDER BY id").fetchall()
        return [*made, *ledger]


def test_a_new_file_is_what_the_migrations_of_sqlite_utils_would_make_of_it(tmp_path: Path) -> None:
    create(tmp_path / "new.db").close()
    theirs = sqlite_utils.Database(tmp_path / "theirs.db")
    migrations().apply(theirs)
    theirs.close()
    assert _dump(tmp_path / "new.db") == _dump(tmp_path / "theirs.db")
    database = sqlite_utils.Database(tmp_path / "new.db")
    assert not migrations().pending(database)
    database.close()


@pytest.mark.parametrize("older", [False, True])
def test_a_step_that_fails_leaves_nothing_and_is_made_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, older: bool
) -> None:
    path, sound = tmp_path / "a.db", dict(STEPS)
    if older:
        database = sqlite_utils.Database(path)
        migrations().apply(database, stop_before="0005_places_of_links")
        database.execute(f"PRAGMA application_id={APPLICATION_ID}")
        database.execute("PRAGMA user_version=4")
        database.close()
    monkeypatch.setitem(STEPS, "0005_places_of_links", STEPS["0005_places_of_links"] + "NO SQL;\n")
    with pytest.raises(StoreError, match=r"cannot write .*syntax error"):
        create(path)
    with closing(sqlite3.connect(path)) as connection:
        assert "place" not in _columns(connection, "links")
        assert connection.execute("PRAGMA user_version").fetchone() == (4 if older else 0,)
    monkeypatch.setitem(STEPS, "0005_places_of_links", sound["0005_places_of_links"])
    with closing(create(path)) as connection:
        assert "place" in _columns(connection, "links")
        ledger = connection.execute("SELECT name FROM _sqlite_migrations ORDER BY id").fetchall()
        assert [name for (name,) in ledger] == list(STEPS)


def test_an_older_file_with_tables_and_views_of_a_users_own_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database = sqlite_utils.Database(path)
    migrations().apply(database, stop_before="0006_runs_with_owners")
    database.execute(f"PRAGMA application_id={APPLICATION_ID}")
    database.execute("PRAGMA user_version=5")
    database.execute("CREATE TABLE notes (run INTEGER REFERENCES runs (id), words TEXT)")
    database.execute("CREATE INDEX by_words ON notes (words)")
    database.execute("CREATE VIEW my_runs AS SELECT id, words FROM runs JOIN notes ON notes.run = runs.id")
    database.execute("CREATE VIEW my_pages AS SELECT url, language FROM page_languages")
    database.close()
    with closing(create(path)) as connection:
        assert connection.execute("SELECT * FROM my_runs").fetchall() == []
        assert connection.execute("SELECT * FROM my_pages").fetchall() == []
        there = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
        assert {"notes", "by_words", "my_runs", "my_pages"} <= there
    with closing(open_existing(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(STEPS),)


def test_a_name_that_a_later_version_takes_is_told_before_anything_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database = sqlite_utils.Database(path)
    migrations().apply(database, stop_before="0010_corrections")
    database.execute(f"PRAGMA application_id={APPLICATION_ID}")
    database.execute("PRAGMA user_version=9")
    database.execute("CREATE TABLE corrections (words TEXT)")
    database.close()
    with pytest.raises(StoreError, match="has a table corrections, which graphlang does not make"):
        create(path)


def test_stored_runs_get_the_names_that_methods_and_options_have_now(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database = sqlite_utils.Database(path)
    migrations().apply(database, stop_before="0008_label_spreading")
    database.execute(f"PRAGMA application_id={APPLICATION_ID}")
    database.execute("PRAGMA user_version=7")
    rows = (
        ("content", "harmonic", '{"listed": 1}'),  # a method of another kind that happens to be called so
        ("propagation", "harmonic", "{}"),
        ("propagation", "propagation", '{"degree": 6.0, "listed": 0.5, "settled": 200, "signals": {"url": 1.0}}'),
    )
    for kind, method, parameters in rows:
        database.execute(
            "INSERT INTO runs (kind, method, parameters, seeds, collection, version, started)"
            " VALUES (?, ?, ?, '[]', '', '', '')",
            (kind, method, parameters),
        )
    database.conn.commit()
    database.close()
    with closing(create(path)) as connection:
        found = connection.execute("SELECT kind, method, parameters FROM runs ORDER BY id").fetchall()
    assert found == [
        ("content", "harmonic", '{"listed": 1}'),
        ("propagation", "label-spreading", "{}"),
        (
            "propagation",
            "propagation",
            '{"clamp_length": 200, "degree": 6.0, "link_order": 0.5, "signals": {"url": 1.0}}',
        ),
    ]


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
    schema = made.execute("SELECT name, sql FROM sqlite_schema WHERE tbl_name NOT GLOB '_sqlite*'").fetchall()
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
    with pytest.raises(StoreError, match="something else"):
        create(path)
    assert path.read_bytes() == before


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    connection = create(path)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreError, match=r"newer graphlang \(schema 999"):
        open_existing(path)
    with pytest.raises(StoreError, match="please upgrade"):
        create(path)


def test_a_schema_with_another_step_is_refused_and_both_are_named(tmp_path: Path) -> None:
    """Two developers had each added a step of one number: "a newer graphlang (schema 17; this one knows 17)"."""
    path = tmp_path / "other.db"
    with closing(create(path)) as connection:
        connection.execute("UPDATE _sqlite_migrations SET name = '0005_mine' WHERE name = '0005_places_of_links'")
    told = "was made by another graphlang, whose schema has '0005_mine' where this one has 0005_places_of_links"
    for ask in (open_existing, create):
        with pytest.raises(StoreError, match=told):
            ask(path)


def test_steps_are_numbered_and_named_by_their_files() -> None:
    folder = Path(__file__).parents[2] / "db" / "schema" / "steps"
    numbered: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.py")):
        if (found := re.match(r'"""Step (\d{4}): ', path.read_text(encoding="utf-8"))) is not None:
            numbered.setdefault(found[1], []).append(path.stem)
    shared = {number: names for number, names in numbered.items() if len(names) > 1}
    assert not shared, "two files are one step: the one that was pushed later is the next"
    assert list(STEPS) == [f"{number}_{name}" for number, (name,) in sorted(numbered.items())]
    assert sorted(numbered) == [f"{number:04}" for number in range(1, len(STEPS) + 1)]


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
