"""Find all that is wrong with a collection: schema, file, references, values, and the records of runs.

The whole file is read. If its schema is not ours, nothing else is checked, because no part of a foreign schema may run.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.db.errors import StoreError, format_one_line
from graphlang.db.records import LinkKind
from graphlang.db.runs.answers import count_answers
from graphlang.db.runs.linked_answers import ROW_BYTES
from graphlang.db.runs.run import find_run, has_run
from graphlang.db.schema import find_faults, list_user_items, read_documentation
from graphlang.db.statements import read_transaction
from graphlang.db.url_evidence import CELL
from graphlang.db.values import CHECK, MOST
from graphlang.db.write.choose_capture import Keep
from graphlang.interrupts import reraise_interrupt

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINES: Final = 100  #: of SQLite's own check
_GREAT: Final = (1 << 62) - 1
_LINK_PARTS: Final[dict[str, tuple[float, float]]] = {"nofollow": (0, 1), "place": (0, MOST)}
_CAPTURE_SIZES: Final[dict[str, tuple[float, float]]] = {"length": (0, MOST), "size": (0, _GREAT)}
#: Least and greatest number of a column.
_RANGES: Final[dict[str, dict[str, tuple[float, float]]]] = {
    "sources": {"bytes": (0, _GREAT), "position": (0, _GREAT), "finished": (0, 1)},
    "captures": {**_CAPTURE_SIZES, "captures": (1, MOST)},
    "texts": {"main": (0, MOST)},
    "links": _LINK_PARTS,
    "history": {**_CAPTURE_SIZES, "whole": (0, 1), "main": (0, MOST)},
    "history_links": _LINK_PARTS,
    "runs": {"pages": (0, MOST), "rounds": (0, MOST), "linked": (0, 1), "converged": (0, 1)},
    "predictions": {"confidence": (0, 1.001), "runner_up_confidence": (0, 1.001), "characters": (0, MOST)},
    "scores": {"rank": (1, 1000), "score": (0, 1.001)},
    "page_shares": {"rank": (1, 5), "share": (0, 1.001)},
    "linked_answers": {"block": (0, MOST)},
}
_PARTS: Final = ("both", "text", "links", "joined")
#: Words of a column.
_WORDS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "sources": {"keep": tuple(map(str, Keep))},
    "captures": {"parts": _PARTS},
    "history": {"parts": _PARTS},
    "removed": {"kind": ("url", "host")},
    "runs": {"kind": ("content", "url", "vote", "propagation")},
    "link_kinds": {"name": tuple(kind.name.lower() for kind in LinkKind)},
}
#: By table: column, condition in SQL, and what is wrong with its value.
_CONDITIONS: Final[dict[str, tuple[tuple[str, str, str], ...]]] = {
    "linked_answers": (("LENGTH(cells)", f"LENGTH(cells) <> {ROW_BYTES}", f"not {ROW_BYTES} bytes"),),
    "url_evidence": (("LENGTH(cells)", f"LENGTH(cells) % {CELL.itemsize}", f"no multiple of {CELL.itemsize} bytes"),),
    "links": (("target", "source = target", "the page itself"),),
    "pages": (("url", "url IN (SELECT url FROM pages GROUP BY url HAVING COUNT(*) > 1)", "there twice"),),
}


class Finding(NamedTuple):
    """Something that is wrong."""

    table: str  #: table, or ``file`` or ``schema``
    row: str  #: key of the row, or of one of them; empty for the table as a whole
    what: str  #: what is wrong, with the number of rows if there are several


class _Table(NamedTuple):
    name: str
    key: tuple[str, ...]  #: columns of the primary key
    texts: tuple[str, ...]  #: columns that hold text
    references: tuple[tuple[str, str, str], ...]  #: column, the table it refers to, and the column there


def list_findings(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Yield all that is wrong with a file opened by `graphlang.db.connection.inspect`; nothing if it is sound."""
    connection.create_function("is_utf8", 1, _is_utf8, deterministic=True)
    with read_transaction(connection):
        try:
            faults = list(find_faults(connection))
        except sqlite3.DatabaseError as error:
            yield _make_finding("file", error)
            return
        for fault in faults:
            yield Finding(fault.table, _abbreviate(fault.name), fault.reason.removesuffix(CHECK))
        if any(fault.table in {"file", "schema"} for fault in faults):
            return
        tables = _read_tables(connection)
        try:
            yield from _check_file(connection, tables)
        except sqlite3.DatabaseError as error:
            yield _make_finding("file", error)
        for table in tables:
            try:
                yield from _check_rows(connection, table)
            except sqlite3.DatabaseError as error:
                yield _make_finding(table.name, error)
                if str(error) == "interrupted":
                    return
        try:
            yield from _check_runs(connection)
        except sqlite3.DatabaseError as error:
            yield _make_finding("runs", error)


def name_user_items(connection: sqlite3.Connection) -> list[str]:
    """Name tables, views and indexes that a user made, such as ``table notes``; empty if the file cannot be read."""
    try:
        return [f"{item.kind} {item.name}" for item in list_user_items(connection) if item.sql]
    except sqlite3.DatabaseError:
        return []


def _make_finding(table: str, error: sqlite3.DatabaseError) -> Finding:
    reraise_interrupt()  # an interrupted check found nothing wrong
    return Finding(table, "", format_one_line(error))


def _check_file(connection: sqlite3.Connection, tables: list[_Table]) -> Iterator[Finding]:
    """Let SQLite check its pages, the types of columns, and the references between tables."""
    # The constraints of a user's table may compute anything: if there are such tables, only ours are checked.
    names = [table.name for table in tables] if list_user_items(connection) else [str(_LINES)]
    for name in names:
        for (line,) in connection.execute(f"PRAGMA quick_check({name})").fetchall():
            if line != "ok":
                yield Finding("file", "", format_one_line(ValueError(line)))


def _check_rows(connection: sqlite3.Connection, table: _Table) -> Iterator[Finding]:
    """Check references, texts, numbers and words: one finding for each column and kind of fault."""
    conditions = [
        (column, f"{column} IS NOT NULL AND {column} NOT IN (SELECT {other} FROM {parent})", f"not in {parent}")
        for column, parent, other in table.references
    ]
    conditions += [(column, f"NOT is_utf8(CAST({column} AS BLOB))", "not UTF-8") for column in table.texts]
    for column, (minimum, maximum) in _RANGES.get(table.name, {}).items():
        conditions.append((column, f"{column} NOT BETWEEN {minimum} AND {maximum}", f"outside {minimum} to {maximum}"))
    for column, allowed in _WORDS.get(table.name, {}).items():
        conditions.append((column, f"{column} NOT IN {allowed}", f"none of {', '.join(allowed)}"))
    conditions += _CONDITIONS.get(table.name, ())
    names = [f"CAST({name} AS BLOB)" if name in table.texts else name for name in table.key]
    for column, condition, fault in conditions:
        value, *key, count = connection.execute(
            f"SELECT SUBSTR(CAST({column} AS BLOB), 1, 60), {', '.join(names)}, COUNT(*) FROM {table.name}"
            f" WHERE {condition}"
        ).fetchone()
        if count:
            row = ", ".join(f"{name} {_abbreviate(field)}" for name, field in zip(table.key, key, strict=True))
            rows = f" ({count:,} rows)" if count > 1 else ""
            yield Finding(table.name, row, f"{column} is {_abbreviate(value)}, {fault}{rows}")


def _abbreviate(value: object) -> str:
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return format_one_line(ValueError(text[:60]))


def _is_utf8(value: bytes | None) -> bool:
    try:
        return value is None or value.decode() is not None
    except UnicodeDecodeError:
        return False


def _read_tables(connection: sqlite3.Connection) -> list[_Table]:
    """List our tables with their keys, texts and references, from a schema that is ours."""
    tables = []
    for name in read_documentation():
        columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
        key = tuple(column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5])
        if key:  # views have none
            references = connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
            texts = tuple(column[1] for column in columns if column[2] == "TEXT")
            tables.append(_Table(name, key, texts, tuple((row[3], row[2], row[4]) for row in references)))
    return tables


def _check_runs(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Check that runs can be read and started from, and that their counts match their answers."""
    labels = {label for (label,) in connection.execute("SELECT id FROM labels")}
    for (number,) in connection.execute("SELECT id FROM runs ORDER BY id").fetchall():
        name = f"id {number}"
        try:
            run = find_run(connection, number)
        except StoreError as error:
            yield Finding("runs", name, str(error).removesuffix(CHECK))
            continue
        if run.kind in {"vote", "propagation"} and not run.seeds:
            yield Finding("runs", name, "seeds is [], and a run of this kind starts from another")
        missing = [seed for seed in run.seeds if not has_run(connection, seed)]
        yield from (Finding("runs", name, f"seeds has run {seed}, which does not exist") for seed in missing)
        answers, unknown = count_answers(connection, number, labels)
        if unknown:
            yield Finding("linked_answers", f"run {number}", f"{unknown} answers with a label that does not exist")
        if run.finished is not None and run.pages != answers:
            yield Finding("runs", name, f"pages is {run.pages}, and it has {answers} answers")
    row = connection.execute("SELECT run FROM chosen").fetchone()
    if row is not None and connection.execute("SELECT finished FROM runs WHERE id = ?", row).fetchone() == (None,):
        yield Finding("chosen", "id 1", f"run is {row[0]}, which is not finished")
