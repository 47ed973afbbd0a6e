"""What of an unsound collection can be kept: copied row by row into a new one, cleaned, and put in the old one's place.

Nothing of a foreign schema is run and no damaged page is written to: tables that are ours are read, and a new file is
made by our migrations, which keeps types, required values and keys by itself. So what is foreign is gone, what lacks is
there, and indexes are as their tables say.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.db import lock, soundness
from graphlang.db.check import CELLS, RANGES, WORDS, findings
from graphlang.db.connection import create, inspect, open_existing
from graphlang.db.errors import StoreError, in_a_line
from graphlang.db.runs.drop import forget_run
from graphlang.db.runs.find import any_run, is_missing
from graphlang.db.runs.read_answers import count_answers
from graphlang.db.runs.run import AT
from graphlang.db.schema import shape
from graphlang.db.schema.migrations import URL_INDEX
from graphlang.db.schema.steps import STEPS
from graphlang.interrupts import pass_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphlang.db.schema.shape import Declared
    from graphlang.db.write.writer import Site

_READ: Final = 1_000
_SUFFIX: Final = "-repair"  #: of the new file, while it is made
_LEAST_BYTES: Final = 4  #: of a row in the file
_KEPT: Final = ("_sqlite_migrations", "sqlite_sequence", "link_kinds")  #: that are made anew


class Repair(NamedTuple):
    """Something that was put right."""

    table: str  #: where
    what: str  #: what was done, in words


def repair(path: Path, site: Callable[[str], Site], *, patience: float | None = 0.0) -> list[Repair]:
    """Put right what can be.

    Args:
        path: of the collection.
        site: from a URL to the row of its host, for pages whose host is gone.
        patience: seconds to wait for another writer; None waits for as long as it takes.

    Returns:
        What was done, in words.

    Raises:
        LockedError: another process is writing to the collection.
        StoreError: it is no SQLite file, a newer version made it, or the new file cannot be written.
    """
    with closing(inspect(path)) as held:
        if (stranger := soundness.another(held)) is not None:
            msg = f"{path} {stranger}"
            raise StoreError(msg)
        if next(findings(held), None) is None:
            return []
    taken = lock.acquire(path, "repairing", patience=patience)
    fresh = path.with_name(f"{path.name}{_SUFFIX}")
    try:
        _clear(fresh)
        with closing(inspect(path)) as old, closing(create(fresh, verb="repairing")) as new:
            done = _made_anew(old, new, site)
            new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with closing(inspect(fresh)) as new:
            left = next(findings(new), None)
        if left is not None:
            msg = f"{path} cannot be repaired: {left.table} ({left.row}): {left.what}"
            raise StoreError(msg)
        _replace(fresh, path)
    finally:
        _clear(fresh)
        taken.release()
    open_existing(path).close()
    return done


def _clear(fresh: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        fresh.with_name(f"{fresh.name}{suffix}").unlink(missing_ok=True)


def _replace(fresh: Path, path: Path) -> None:
    """Put the new file in the place of the old one; whoever is reading the old one goes on with that.

    Its log goes first: it would be played into the new file.
    """
    fresh.chmod(path.stat().st_mode & 0o7777)
    for suffix in ("-wal", "-shm", "-journal"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
    fresh.replace(path)


def _made_anew(old: sqlite3.Connection, new: sqlite3.Connection, site: Callable[[str], Site]) -> list[Repair]:
    done = _of_schema(old)
    (size,) = old.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
    there = {name for (name,) in old.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    tables = [table for table in shape.declared(len(STEPS)) if table.name not in _KEPT]
    new.execute("BEGIN IMMEDIATE")
    for table in tables:
        if table.name in there:
            done += _copied(old, new, table, size // _LEAST_BYTES + 1)
    done += _hosts(new, site)
    done += _sources(new)
    while dropped := [one for table in tables for one in _cleaned(new, table)]:
        done += dropped
    done += _runs(new)
    done += _history(new)
    new.execute("COMMIT")
    new.execute(URL_INDEX)
    return list(dict.fromkeys(done)) or [Repair("file", "written anew")]


def _of_schema(old: sqlite3.Connection) -> list[Repair]:
    try:
        taken = shape.steps_taken(old)
        steps = None if taken is None else min(len(taken), len(STEPS))
        found = list(shape.differences(old, steps))
        theirs = shape.of_users(old, steps)
    except sqlite3.DatabaseError as error:
        pass_on()
        msg = f"the schema cannot be read: {in_a_line(error)}"
        raise StoreError(msg) from error
    return [
        Repair("schema", f"{one.kind} {ascii(one.name)[1:-1][:60]}: {'dropped' if one.foreign else 'made anew'}")
        for one in found
        if not one.name.startswith("sqlite_autoindex")
    ] + [Repair("schema", f"{one.kind} {ascii(one.name)[1:-1]}, a user's own: dropped") for one in theirs if one.sql]


def _copied(old: sqlite3.Connection, new: sqlite3.Connection, table: Declared, most: int) -> Iterator[Repair]:
    """Copy the rows of a table that its declaration allows."""
    held = {row[1] for row in old.execute(f"PRAGMA table_info({table.name})")}
    columns = [column for column in table.columns if column.name in held]
    names = ", ".join(column.name for column in columns)
    marks = ", ".join("?" * len(columns))
    insert = f"INSERT INTO {table.name} ({names}) VALUES ({marks})"
    fits = [_fits(table, column.name, column.type, required=column.required) for column in columns]
    told: Counter[str] = Counter()
    read = 0
    for row in _rows(old, table, [column.name for column in columns], told):
        read += 1
        if read > most:
            told["more rows than the file has room for: left out"] += 1
            break
        values = tuple(value if kind != "text" or not _decodes(value) else value.decode() for value, kind in row)
        pairs = zip(columns, fits, values, strict=True)
        wrong = next((column.name for column, fit, value in pairs if not fit(value)), None)
        if wrong is not None:
            told[f"left out, for {wrong} is not as declared"] += 1
            continue
        try:
            new.execute(insert, values)
        except sqlite3.IntegrityError:
            told["left out, for they are there twice or lack a value"] += 1
    yield from (Repair(table.name, f"{_counted(count)} {words}") for words, count in told.items())


def _rows(
    old: sqlite3.Connection, table: Declared, columns: list[str], told: Counter[str]
) -> Iterator[list[tuple[Any, str]]]:
    """Rows as pairs of value and type, texts as bytes, for SQLite does not hand over what is no UTF-8.

    What cannot be read is passed over where ids tell what follows.
    """
    parts = ", ".join(
        f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE {name} END, typeof({name})" for name in columns
    )
    by_id = table.columns[0].type == "INTEGER" and table.key == (table.columns[0].name,)
    after: int | None = None
    while True:
        where = f" WHERE rowid > {after} ORDER BY rowid" if by_id and after is not None else ""
        try:
            cursor = old.execute(f"SELECT {parts} FROM {table.name}{where}")
            for row in cursor:
                if by_id:
                    after = row[0]
                yield list(zip(row[::2], row[1::2], strict=True))
        except sqlite3.DatabaseError as error:
            pass_on()  # no row is lost because the reader was stopped
            told[f"left out, for they cannot be read ({in_a_line(error)})"] += 1
            following = _next(old, table, after) if by_id else None
            if following is None:
                return
            after = following
        else:
            return


def _next(old: sqlite3.Connection, table: Declared, after: int | None) -> int | None:
    with suppress(sqlite3.DatabaseError):
        least = -(1 << 63) if after is None else after
        (found,) = old.execute(f"SELECT MIN(rowid) FROM {table.name} WHERE rowid > ?", (least,)).fetchone()
        return None if found is None else int(found)
    pass_on()
    return None


def _decodes(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _fits(table: Declared, name: str, kind: str, *, required: bool) -> Callable[[Any], bool]:
    kinds: tuple[type, ...] = {"INTEGER": (int,), "REAL": (float, int), "TEXT": (str,), "BLOB": (bytes,)}[kind]
    least, most = RANGES.get((table.name, name), (-soundness.LARGEST, soundness.LARGEST))
    if (table.name, name) == ("labels", "id"):
        least, most = 1, soundness.MOST_LABELS
    elif name in table.key and kind == "INTEGER":
        least, most = max(least, 0 if name == "block" else 1), min(most, soundness.MOST)

    def fits(value: Any) -> bool:
        if value is None or not isinstance(value, kinds):
            return value is None and not required
        if (table.name, name) in WORDS:
            return value in WORDS[table.name, name]
        if isinstance(value, (int, float)):
            return least <= value <= most
        return name != "cells" or (isinstance(value, bytes) and len(value) == CELLS)

    return fits


def _hosts(new: sqlite3.Connection, site: Callable[[str], Site]) -> Iterator[Repair]:
    """Pages whose host is gone get that of their URL; ids beyond what there can be are given anew."""
    rows = new.execute("SELECT id, url FROM pages WHERE host NOT IN (SELECT id FROM hosts)").fetchall()
    for page, url in rows:
        its = site(url)
        known = new.execute("SELECT id FROM hosts WHERE host = ?", (its.host,)).fetchone()
        if known is None:
            cursor = new.execute("INSERT INTO hosts (host, domain, suffix, tld) VALUES (?, ?, ?, ?)", its)
            known = (cursor.lastrowid,)
        new.execute("UPDATE pages SET host = ? WHERE id = ?", (known[0], page))
    if rows:
        yield Repair("pages", f"{_counted(len(rows))} given the host of their URL")
    for table in ("pages", "hosts"):
        yield from _numbered(new, table)


def _counted(rows: int) -> str:
    return f"{rows:,} row{'' if rows == 1 else 's'}"


def _numbered(new: sqlite3.Connection, table: str) -> Iterator[Repair]:
    """Ids that are greater than so few rows can have are followed by those that can."""
    (count,) = new.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
    bound = soundness.most_ids(count)
    far = [row for (row,) in new.execute(f"SELECT id FROM {table} WHERE id > ? ORDER BY id", (bound,))]
    (last,) = new.execute(f"SELECT COALESCE(MAX(id), 0) FROM {table} WHERE id <= ?", (bound,)).fetchone()
    for number, before in enumerate(far, last + 1):
        new.execute(f"UPDATE {table} SET id = ? WHERE id = ?", (number, before))
        for other in shape.declared(len(STEPS)):
            for column, parent, _ in other.references:
                if parent == table:
                    new.execute(f"UPDATE OR IGNORE {other.name} SET {column} = ? WHERE {column} = ?", (number, before))
    if far:
        (greatest,) = new.execute(f"SELECT MAX(id) FROM {table}").fetchone()
        new.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (greatest, table))
        yield Repair(table, f"{_counted(len(far))} given an id that such a table can have")


def _sources(new: sqlite3.Connection) -> Iterator[Repair]:
    """Files of which only what was read of them is left."""
    lost = (
        "SELECT source FROM captures UNION SELECT source FROM history UNION SELECT source FROM problems"
        " EXCEPT SELECT id FROM sources"
    )
    numbers = [number for (number,) in new.execute(lost) if 0 < number <= soundness.MOST]
    new.executemany(
        "INSERT INTO sources (id, name, sha256, bytes, finished) VALUES (?, '(lost)', ?, 0, 1)",
        [(number, f"lost {number}") for number in numbers],
    )
    if numbers:
        yield Repair("sources", f"{_counted(len(numbers))} made anew, called (lost)")


def _cleaned(new: sqlite3.Connection, table: Declared) -> Iterator[Repair]:
    """Drop rows that point nowhere, or say a thing twice."""
    conditions = [
        (f"whose {column} is none of {parent}", f"{column} IS NOT NULL AND {column} NOT IN (SELECT {of} FROM {parent})")
        for column, parent, of in table.references
    ]
    if table.name == "pages":
        conditions.append(("with a URL that an earlier one has", "id NOT IN (SELECT MIN(id) FROM pages GROUP BY url)"))
    if table.name == "links":
        conditions.append(("from a page to itself", "source = target"))
    if table.name == "history":
        yield from _history(new)
    for words, where in conditions:
        count = new.execute(f"DELETE FROM {table.name} WHERE {where}").rowcount
        if count:
            yield Repair(table.name, f"{_counted(count)} {words}: dropped")


def _history(new: sqlite3.Connection) -> Iterator[Repair]:
    """A capture without its answer is a capture all the same."""
    gone = "run IS NOT NULL AND run NOT IN (SELECT id FROM runs)"  # nothing is in none: not even NULL
    count = new.execute(f"UPDATE history SET run = NULL WHERE {gone}").rowcount
    if count:
        yield Repair("history", f"{_counted(count)} whose run is gone: to be answered again")


def _runs(new: sqlite3.Connection) -> Iterator[Repair]:
    """Runs that cannot be told are dropped with their answers, and counts are those of the answers."""
    labels = {label for (label,) in new.execute("SELECT id FROM labels")}
    gone: list[int] = []
    for (number,) in new.execute("SELECT id FROM runs ORDER BY id").fetchall():
        try:
            run = any_run(new, number)
            sound = not any(is_missing(new, seed) for seed in run.seeds) and bool(
                run.seeds or run.kind in {"content", "url"}
            )
        except StoreError:
            sound = False
        if not sound:
            gone.append(number)
            forget_run(new, number)
            continue
        answered, strange = count_answers(new, number, labels)
        if strange:
            new.execute("DELETE FROM linked_answers WHERE run = ?", (number,))
            new.execute("UPDATE runs SET linked = 0 WHERE id = ?", (number,))
            yield Repair("linked_answers", f"those of run {number}: dropped, to be worked out again")
            answered, _ = count_answers(new, number, labels)
        if run.finished is not None and run.pages != answered:
            new.execute("UPDATE runs SET pages = ? WHERE id = ?", (answered, number))
            yield Repair("runs", f"pages of run {number}: counted anew, {answered:,}")
    if gone:
        yield Repair("runs", f"{len(gone):,} that cannot be told, or start from none: dropped with their answers")
    if new.execute("DELETE FROM chosen WHERE run NOT IN (SELECT id FROM runs WHERE finished IS NOT NULL)").rowcount:
        yield Repair("chosen", "the run is gone: dropped")
    if not new.execute("SELECT 1 FROM chosen").fetchone():
        row = new.execute(f"SELECT MAX(id) FROM runs WHERE finished IS NOT NULL AND {AT} IS NULL").fetchone()
        if row[0] is not None:
            new.execute("INSERT INTO chosen VALUES (1, ?)", row)
            yield Repair("chosen", f"run {row[0]}, the newest")
