"""All that is wrong with a collection: schema, file, types, numbers, references, and what runs say of themselves.

Everything is read, in time that grows with the file. What every opening asks (`graphlang.db.soundness`) comes first; of
a file whose schema is not ours nothing else is looked at, because nothing of a foreign schema is ever run.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.db import soundness
from graphlang.db.errors import StoreError, in_a_line
from graphlang.db.runs.find import any_run, is_missing
from graphlang.db.runs.linked_answers import BLOCK, CELL
from graphlang.db.runs.read_answers import count_answers
from graphlang.db.schema import shape
from graphlang.db.schema.migrations import VERSION
from graphlang.db.transaction import one_moment
from graphlang.db.write.choose_capture import Keep
from graphlang.interrupts import pass_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.db.schema.shape import Declared

#: What SQLite's own check is asked for, at most.
_LINES: Final = 100
_READ: Final = 10_000
#: What a value of a declared type is by `typeof`.
_STORED: Final = {"INTEGER": ("integer",), "REAL": ("real", "integer"), "TEXT": ("text",), "BLOB": ("blob",)}
_GREAT: Final = (1 << 62) - 1
#: By table and column, between what the numbers are.
RANGES: Final = {
    ("sources", "bytes"): (0, _GREAT),
    ("sources", "position"): (0, _GREAT),
    ("sources", "finished"): (0, 1),
    ("captures", "length"): (0, soundness.MOST),
    ("captures", "size"): (0, _GREAT),
    ("captures", "captures"): (1, soundness.MOST),
    ("texts", "main"): (0, soundness.MOST),
    ("links", "nofollow"): (0, 1),
    ("links", "place"): (0, soundness.MOST),
    ("history", "length"): (0, soundness.MOST),
    ("history", "size"): (0, _GREAT),
    ("history", "whole"): (0, 1),
    ("history", "main"): (0, soundness.MOST),
    ("history_links", "nofollow"): (0, 1),
    ("history_links", "place"): (0, soundness.MOST),
    ("runs", "pages"): (0, soundness.MOST),
    ("runs", "rounds"): (0, soundness.MOST),
    ("runs", "linked"): (0, 1),
    ("runs", "converged"): (0, 1),
    ("predictions", "confidence"): (0, 1.001),
    ("predictions", "runner_up_confidence"): (0, 1.001),
    ("predictions", "characters"): (0, soundness.MOST),
    ("scores", "rank"): (1, 1000),
    ("scores", "score"): (0, 1.001),
    ("page_shares", "rank"): (1, 5),
    ("page_shares", "share"): (0, 1.001),
    ("linked_answers", "block"): (0, soundness.MOST),
}
#: By table and column, the words that there are.
WORDS: Final = {
    ("sources", "keep"): tuple(map(str, Keep)),
    ("captures", "parts"): ("both", "text", "links", "joined"),
    ("history", "parts"): ("both", "text", "links", "joined"),
    ("removed", "kind"): ("url", "host"),
    ("runs", "kind"): ("content", "url", "vote", "propagation"),
}
CELLS: Final = BLOCK * CELL  #: bytes of a row of answers for URLs that were only linked to


class Finding(NamedTuple):
    """Something that is wrong."""

    table: str  #: ``file`` or ``schema`` where it is none of a table
    row: str  #: its key; empty where it is the table as a whole
    what: str  #: is wrong, in words


def findings(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Say all that is wrong, one thing a row.

    Args:
        connection: to a file that may be any, as `graphlang.db.connection.inspect` opens it.

    Yields:
        What is wrong; nothing, where the collection is sound.
    """
    with one_moment(connection):
        yield from _findings(connection)


def _findings(connection: sqlite3.Connection) -> Iterator[Finding]:
    try:
        taken = shape.steps_taken(connection)
        steps = None if taken is None else min(len(taken), VERSION)
        foreign = [Finding("schema", one.name, one.words) for one in shape.differences(connection, steps)]
        outlines = [fault.removesuffix(soundness.MORE) for fault in soundness.faults(connection)]
    except sqlite3.DatabaseError as error:
        yield _unread("file", error)
        return
    said = {one.what for one in foreign}
    yield from (Finding("file", "", fault) for fault in outlines if fault not in said)
    yield from (one._replace(row=in_a_line(ValueError(one.row[:60]))) for one in foreign)
    if foreign or not steps:
        return
    try:
        yield from _by_sqlite(connection, steps)
    except sqlite3.DatabaseError as error:
        yield _unread("file", error)
    for table in shape.declared(steps):
        try:
            yield from of_table(connection, table)
        except sqlite3.DatabaseError as error:
            yield _unread(table.name, error)
            if str(error) == "interrupted":
                return
    try:
        yield from _of_runs(connection)
    except sqlite3.DatabaseError as error:
        yield _unread("runs", error)


def _unread(table: str, error: sqlite3.DatabaseError) -> Finding:
    pass_on()  # nothing is wrong with a file because its reader was stopped
    return Finding(table, "", in_a_line(error))


def of_users(connection: sqlite3.Connection) -> list[str]:
    """Tables, views and indexes of a user's own, such as ``table notes``: they may be there, and nobody reads them.

    Args:
        connection: to a file that may be any, as `graphlang.db.connection.inspect` opens it.
    """
    try:
        taken = shape.steps_taken(connection)
        found = [] if taken is None else shape.of_users(connection, min(len(taken), VERSION))
    except sqlite3.DatabaseError:
        return []  # `findings` say what is wrong
    return [f"{one.kind} {one.name}" for one in found if one.sql]


def of_table(connection: sqlite3.Connection, table: Declared) -> Iterator[Finding]:
    """What is wrong with the rows of a table: types, texts, ranges, references.

    Args:
        connection: to a file whose schema is ours.
        table: which.

    Yields:
        One thing a row.
    """
    yield from _types(connection, table)
    yield from _texts(connection, table)
    for column in table.columns:
        if (table.name, column.name) in RANGES:
            least, most = RANGES[table.name, column.name]
            where = f"NOT {column.name} BETWEEN {least} AND {most} AND typeof({column.name}) IN ('integer', 'real')"
            yield from _rows(connection, table, column.name, where, f"outside {least} to {most}")
        if (table.name, column.name) in WORDS:
            words = WORDS[table.name, column.name]
            where = f"{column.name} NOT IN {words}"
            yield from _rows(connection, table, column.name, where, f"none of {', '.join(words)}")
    for column_name, parent, of_parent in table.references:
        where = f"{column_name} IS NOT NULL AND {column_name} NOT IN (SELECT {of_parent} FROM {parent})"
        yield from _rows(connection, table, column_name, where, f"none of {parent}")
    if table.name == "linked_answers":
        yield from _rows(connection, table, "LENGTH(cells)", f"LENGTH(cells) <> {CELLS}", f"not {CELLS} bytes")
    if table.name == "links":
        yield from _rows(connection, table, "target", "source = target", "the page itself")
    if table.name == "pages":
        twice = "url IN (SELECT url FROM pages GROUP BY url HAVING COUNT(*) > 1)"
        yield from _rows(connection, table, "url", twice, "there twice")


def _by_sqlite(connection: sqlite3.Connection, steps: int) -> Iterator[Finding]:
    # The check works out what tables compute and demand of their rows: where users have some, ours alone are checked.
    alone = shape.of_users(connection, steps)
    for part in (table.name for table in shape.declared(steps)) if alone else (_LINES,):
        for (line,) in connection.execute(f"PRAGMA integrity_check({part})").fetchall():
            if line != "ok":
                yield Finding("file", "", in_a_line(ValueError(line)))


def _types(connection: sqlite3.Connection, table: Declared) -> Iterator[Finding]:
    may = {
        column.name: (*_STORED.get(column.type, ("text", "integer")), *(() if column.required else ("null",)))
        for column in table.columns
    }
    fits = " AND ".join(f"typeof({name}) IN {(*kinds, '')}" for name, kinds in may.items())
    kinds = ", ".join(f"typeof({name})" for name in may)
    cursor = connection.execute(f"SELECT {', '.join(table.key)}, {kinds} FROM {table.name} WHERE NOT ({fits})")
    while rows := cursor.fetchmany(_READ):
        for row in rows:
            for name, kind in zip(may, row[len(table.key) :], strict=True):
                if kind not in may[name]:
                    yield Finding(table.name, _key(table, row), f"{name} is of the type {kind}")


def _texts(connection: sqlite3.Connection, table: Declared) -> Iterator[Finding]:
    """Texts that are no UTF-8, which SQLite never looks at."""
    names = [column.name for column in table.columns if column.type == "TEXT"]
    if not names:
        return
    blobs = ", ".join(f"CAST({name} AS BLOB)" for name in names)
    keys = ", ".join(f"CAST({name} AS BLOB)" if name in names else name for name in table.key)
    cursor = connection.execute(f"SELECT {keys}, {blobs} FROM {table.name}")
    while rows := cursor.fetchmany(_READ // 10):
        for row in rows:
            for name, value in zip(names, row[len(table.key) :], strict=True):
                if value is not None and not _is_utf8(value):
                    yield Finding(table.name, _key(table, row), f"{name} is no UTF-8")


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _rows(connection: sqlite3.Connection, table: Declared, column: str, where: str, wrong: str) -> Iterator[Finding]:
    keys = ", ".join(f"CAST({name} AS BLOB)" if name in table.texts else name for name in table.key)
    shown = f"SUBSTR(CAST({column} AS BLOB), 1, 60)"
    cursor = connection.execute(f"SELECT {keys}, {shown} FROM {table.name} WHERE {where}")
    while rows := cursor.fetchmany(_READ):
        for row in rows:
            value = row[-1].decode("utf-8", "backslashreplace") if isinstance(row[-1], bytes) else str(row[-1])
            yield Finding(table.name, _key(table, row), f"{column} is {in_a_line(ValueError(value))}, {wrong}")


def _key(table: Declared, row: tuple[object, ...]) -> str:
    parts = []
    for name, value in zip(table.key, row[: len(table.key)], strict=True):
        shown = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
        parts.append(f"{name} {in_a_line(ValueError(shown[:60]))}")
    return ", ".join(parts)


def _of_runs(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Runs that cannot be told or started from, that count wrong, and answers that point nowhere."""
    labels = {label for (label,) in connection.execute("SELECT id FROM labels")}
    for (number,) in connection.execute("SELECT id FROM runs ORDER BY id").fetchall():
        name = f"id {number}"
        try:
            run = any_run(connection, number)
        except StoreError as error:
            yield Finding("runs", name, str(error).removesuffix(soundness.MORE))
            continue
        if run.kind in {"vote", "propagation"} and not run.seeds:
            yield Finding("runs", name, "seeds is [], and a run of this kind starts from another")
        gone = [seed for seed in run.seeds if is_missing(connection, seed)]
        yield from (Finding("runs", name, f"seeds name the run {seed}, which there is not") for seed in gone)
        answered, strange = count_answers(connection, number, labels)
        if strange:
            yield Finding("linked_answers", f"run {number}", f"{strange} answers with a label that there is not")
        if run.finished is not None and run.pages != answered:
            yield Finding("runs", name, f"pages is {run.pages}, and it has {answered} answers")
    row = connection.execute("SELECT run FROM chosen").fetchone()
    if row is not None and connection.execute("SELECT finished FROM runs WHERE id = ?", row).fetchone() == (None,):
        yield Finding("chosen", "id 1", f"run is {row[0]}, which is not finished")
