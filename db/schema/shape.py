"""Whether a file's tables, views and indexes are those that our migrations make, or such as users may have beside.

A file from a stranger may have a view that never ends, a trigger that fills the disk, a column that computes: whatever
is not ours is found by its text, before anything of it is run.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db.schema.beside import STATISTICS, Item, beside
from graphlang.db.schema.migrations import LEDGER, URL_INDEX, apply_step
from graphlang.db.schema.steps import STEPS
from graphlang.db.schema.steps.execute import SET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Rows of a schema, and characters of one of them, that are looked at; ours has far fewer.
_MOST, _LONGEST = 500, 1 << 16
_QUOTED = re.compile(r'"(\w+)"|\[(\w+)\]|`(\w+)`', re.ASCII)
_BLANKS = re.compile(r"[ \t\n\f\r]+")  # those of SQLite
_NAME = 60  # characters of a foreign name that are shown


class Difference(NamedTuple):
    """Something that is not as our migrations make it."""

    kind: str
    name: str
    foreign: bool  #: whether it is there and should not be; else it lacks, or is another than ours
    words: str  #: what is said of the file


class Column(NamedTuple):
    """A column as it is declared."""

    name: str
    type: str  #: ``INTEGER``, ``REAL``, ``TEXT`` or ``BLOB``
    required: bool  #: whether it is never empty


class Declared(NamedTuple):
    """A table as it is declared."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]  #: columns of the primary key
    references: tuple[tuple[str, str, str], ...]  #: column, the table that it points to, the column there

    @property
    def texts(self) -> frozenset[str]:
        """Names of the columns that hold text."""
        return frozenset(column.name for column in self.columns if column.type == "TEXT")


def steps_taken(connection: sqlite3.Connection) -> list[str] | None:
    """Names of the migrations that a file has had, in their order; None where it keeps no list of them.

    Args:
        connection: to a file that may be any.

    Raises:
        sqlite3.DatabaseError: its schema is damaged.
    """
    there = "SELECT 1 FROM sqlite_schema WHERE (type, name) = ('table', '_sqlite_migrations')"
    try:
        found = connection.execute(there).fetchone()
    except UnicodeDecodeError as error:  # of SQLite's own message, which quotes the damage
        raise sqlite3.DatabaseError("malformed database schema") from error
    if not found:
        return None
    rows = connection.execute(
        "SELECT SUBSTR(name, 1, 100) FROM _sqlite_migrations WHERE migration_set = ? ORDER BY rowid LIMIT ?",
        (SET, _MOST),
    )
    return [str(name) for (name,) in rows]


@cache
def expected(steps: int | None) -> frozenset[Item]:
    """What the first migrations make.

    Args:
        steps: how many of them; None for a file that has nothing yet.
    """
    if steps is None:
        return frozenset()
    with closing(in_memory(steps)) as connection:
        return frozenset(_items(connection))


def in_memory(steps: int) -> sqlite3.Connection:
    """An empty collection as the first migrations make it.

    Args:
        steps: how many of them.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for step in (LEDGER, *list(STEPS.values())[:steps]):
        apply_step(connection, step)
    return connection


@cache
def declared(steps: int) -> tuple[Declared, ...]:
    """Our tables, those before others that others point to.

    Args:
        steps: how many migrations a file has had.
    """
    with closing(in_memory(steps)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = []
        for name in names:
            if name.startswith(("sqlite_", "_sqlite_")):
                continue
            columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
            key = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
            references = connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
            found.append(
                Declared(
                    name,
                    tuple(Column(column[1], column[2], bool(column[3] or column[5])) for column in columns),
                    tuple(key),
                    tuple((row[3], row[2], row[4]) for row in references),
                )
            )
    return tuple(sorted(found, key=lambda table: (_depth(table.name, found), table.name)))


def _depth(name: str, tables: Sequence[Declared]) -> int:
    (table,) = (one for one in tables if one.name == name)
    return 1 + max((_depth(parent, tables) for _, parent, _ in table.references), default=0)


def counted(steps: int) -> frozenset[str]:
    """Tables whose ids SQLite gives out, each once.

    Args:
        steps: how many migrations a file has had.
    """
    return frozenset(item.name for item in expected(steps) if " AUTOINCREMENT" in item.sql)


def differences(connection: sqlite3.Connection, steps: int | None) -> Iterator[Difference]:
    """What is foreign, lacks, or is another than ours.

    Args:
        connection: to a file that may be any; nothing of its schema is run.
        steps: how many migrations it has had; None where it keeps no list of them.
    """
    ours = {(item.kind, item.name): item for item in expected(steps)}
    there = set()
    items = _items(connection)
    if len(items) > _MOST:
        words = f"has more than {_MOST} tables, views, indexes and triggers"
        yield Difference(items[-1].kind, items[-1].name, foreign=True, words=words)
        return
    may = frozenset(_beside(items, steps))
    for item in items:
        if item in may:
            continue
        key = item.kind, item.name
        wanted = ours.get(key, _MAY.get(key))
        if wanted is None or key in there:
            words = f"has a {_shown(item.kind)} {_shown(item.name)}, which graphlang does not make"
            yield Difference(item.kind, item.name, foreign=True, words=words)
        elif item != wanted:
            words = f"has a {item.kind} {item.name} that is not as graphlang makes it"
            yield Difference(item.kind, item.name, foreign=False, words=words)
        there.add(key)
    # Indexes that SQLite makes of itself lack where their table does.
    for kind, name in sorted(ours.keys() - there, key=lambda key: (key[1].startswith("sqlite_"), key)):
        yield Difference(kind, name, foreign=False, words=f"lacks the {kind} {name}")


def of_users(connection: sqlite3.Connection, steps: int | None) -> list[Item]:
    """Tables, views and indexes of users, which may be there; in the order in which they were made.

    Args:
        connection: to a file that may be any; nothing of its schema is run.
        steps: how many migrations it has had; None where it keeps no list of them.
    """
    return list(_beside(_items(connection), steps))


def _beside(items: list[Item], steps: int | None) -> Iterator[Item]:
    known = {(item.kind, item.name) for item in expected(steps)} | {*_MAY}
    if steps is None or all((item.kind, item.name) in known for item in items):
        return iter(())
    # Also the names that a later step takes: the file has to have them free when it is brought up to date.
    ours = {item.name.lower() for count in {steps, len(STEPS)} for item in expected(count)}
    return beside(items, ours | {name for _, name in _MAY})


def _items(connection: sqlite3.Connection) -> list[Item]:
    rows = connection.execute(
        "SELECT type, name, tbl_name, SUBSTR(COALESCE(sql, ''), 1, ?) FROM sqlite_schema LIMIT ?",
        (_LONGEST, _MOST + 1),
    )
    return [Item(str(kind), str(name), str(table), _uniform(str(sql))) for kind, name, table, sql in rows.fetchall()]


def _uniform(sql: str) -> str:
    r"""One spelling of what means the same: versions of SQLite and of sqlite-utils quote names in their own ways.

    >>> _uniform('CREATE TABLE "runs" (\n  [id] INTEGER)'), _uniform("CREATE INDEX IF NOT EXISTS i ON t (a)")
    ('CREATE TABLE runs (id INTEGER)', 'CREATE INDEX i ON t (a)')
    """
    plain = _QUOTED.sub(lambda found: found[1] or found[2] or found[3], _BLANKS.sub(" ", sql).strip())
    return plain.replace(" IF NOT EXISTS ", " ", 1).replace("( ", "(").replace(" )", ")").rstrip("; ")


def _shown(name: str) -> str:
    return ascii(name if len(name) <= _NAME else f"{name[:_NAME]}...").strip("'\"")


#: What may be there or not: the index is absent while much is read, the table comes and goes with what needs it.
_MAY = {
    ("index", "pages_url"): Item("index", "pages_url", "pages", _uniform(URL_INDEX)),
    ("table", "sqlite_sequence"): Item(
        "table", "sqlite_sequence", "sqlite_sequence", "CREATE TABLE sqlite_sequence(name,seq)"
    ),
    **{("table", name): Item("table", name, name, sql) for name, sql in STATISTICS.items()},
}
