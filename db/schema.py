"""Create the tables of ``schema.sql``, compare a file with them, and document them.

The comments of ``schema.sql`` describe tables, views and columns. They are not stored, so that rewording one leaves
older files valid. Any other change of the file needs another `VERSION`.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.db.statements import transaction
from graphlang.db.values import CHECK, MOST, MOST_LABELS, limit_id

if TYPE_CHECKING:
    from collections.abc import Iterator

APPLICATION_ID: Final = 0x67726C61  #: "grla" in ASCII: marks our files among SQLite files
VERSION: Final = 3  #: of the schema, ``user_version`` of the file
#: Built when all pages are in, because updating it row by row takes several times longer.
URL_INDEX: Final = "CREATE UNIQUE INDEX IF NOT EXISTS pages_url ON pages (url)"

_FILE: Final = Path(__file__).with_name("schema.sql")
_HEAD: Final = """# The database

One SQLite file is one collection. Open it with any SQLite tool; `page_languages` and `site_languages`
are the views to start from. This page is made from the comments of `db/schema.sql` (`make docs`) and checked by a test.
"""
#: Rows of a schema and characters of a row that are read; ours has far fewer.
_MOST_OBJECTS, _LONGEST_SQL = 500, 1 << 16
_SHOWN: Final = 60  #: characters of a foreign name
_LEAST_BYTES: Final = 20  #: that a page or host takes in the file
#: Ids, and columns whose greatest value decides how much memory is reserved.
_IDS: Final = (
    *((table, "id") for table in ("hosts", "pages", "labels", "sources", "runs", "problems", "corrections")),
    *((table, "page") for table in ("captures", "texts", "visible_bytes", "declarations", "history")),
    ("links", "source"),
    ("anchor_texts", "target"),
)
_NAME: Final = r'["\[`]?{}["\]`]?'
_COLUMN: Final = r'["\[`]?\w+["\]`]?(?: COLLATE (?:BINARY|NOCASE|RTRIM))?(?: ASC| DESC)?'
#: A view with such a name would be read instead of SQLite's own table or function.
_RESERVED: Final = ("json", "pragma", "sqlite", "_sqlite")


class TableDoc(NamedTuple):
    """The documentation of a table or view."""

    purpose: str
    columns: dict[str, str]


class Fault(NamedTuple):
    """A reason why a file cannot be used."""

    table: str  #: ``file``, ``schema``, or the table with a wrong id
    name: str  #: item of the schema; empty for others
    reason: str  #: for the user, after the name of the file


class Item(NamedTuple):
    """A row of ``sqlite_schema``."""

    kind: str  #: ``table``, ``view``, ``index`` or ``trigger``
    name: str
    table: str  #: that it belongs to
    sql: str  #: empty for the indexes that SQLite makes itself


def create_tables(connection: sqlite3.Connection) -> None:
    """Create all tables and views in one transaction, unless there are any."""
    with transaction(connection):
        if not connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]:
            for statement in _read_statements():
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={VERSION}")


@cache
def _read_statements() -> tuple[str, ...]:
    sql = re.sub(r"\s*--.*", "", _FILE.read_text("utf-8"))
    return tuple(statement.strip() for statement in sql.split(";\n") if statement.strip())


@cache
def read_documentation() -> dict[str, TableDoc]:
    """Read the comments of ``schema.sql``: tables and views by name, in the order of the file."""
    tables = {}
    for block in _FILE.read_text("utf-8").split("\n\n"):
        head = re.search(r"^CREATE (TABLE|VIEW) (\w+)", block, re.MULTILINE)
        if head is None:
            continue
        comments = (line.removeprefix("-- ") for line in block[: head.start()].splitlines())
        columns: dict[str, str] = {}
        name = ""
        for line in block[head.end() :].splitlines():
            code, mark, comment = line.partition("-- ")
            if names := re.findall(r"\w+", code):
                name = names[0] if head[1] == "TABLE" else names[-1]
            if mark:
                columns[name] = f"{columns.get(name, '')} {comment}".strip()
        tables[head[2]] = TableDoc(" ".join(comments), columns)
    return tables


def format_documentation() -> str:
    """Return the page that documents every table, view and column."""
    parts = [_HEAD]
    for name, table in read_documentation().items():
        parts.append(f"\n## {name}\n\n{table.purpose}\n\n| column | meaning |\n|---|---|\n")
        parts.extend(f"| `{column}` | {meaning} |\n" for column, meaning in table.columns.items())
    return "".join(parts)


@cache
def _list_schema_items() -> dict[tuple[str, str], Item]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create_tables(connection)
        return {(item.kind, item.name): item for item in _read_items(connection)}


#: Items that may be missing: the index while pages are read, the statistics unless ANALYZE was run.
_OPTIONAL: Final = frozenset(
    {
        Item("index", "pages_url", "pages", URL_INDEX.replace(" IF NOT EXISTS", "")),
        Item("table", "sqlite_stat1", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
        Item("table", "sqlite_stat4", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
    }
)


def _read_items(connection: sqlite3.Connection) -> list[Item]:
    rows = connection.execute(
        "SELECT type, name, tbl_name, SUBSTR(COALESCE(sql, ''), 1, ?) FROM sqlite_schema LIMIT ?",
        (_LONGEST_SQL, _MOST_OBJECTS + 1),
    )
    return [Item(*map(str, row)) for row in rows.fetchall()]


def find_faults(connection: sqlite3.Connection) -> Iterator[Fault]:
    """Yield why a file cannot be used.

    No table is read through, so that this takes the same time for any file. Nothing in the schema is run.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        yield Fault("file", "", "is not a graphlang database: another program made this SQLite file")
        return
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        yield Fault(
            "file",
            "",
            f"has schema {version}, and this graphlang reads schema {VERSION}: read the archives again into a new"
            " database, or use the version that made it",
        )
        return
    items = _read_items(connection)
    if len(items) > _MOST_OBJECTS:
        yield Fault("schema", items[-1].name, f"has more than {_MOST_OBJECTS} tables, views, indexes and triggers")
        return
    differences = list(_compare(items))
    yield from (Fault("schema", name, f"{reason}{CHECK}") for name, reason in differences)
    if not differences:
        yield from _check_ids(connection)


def _compare(items: list[Item]) -> Iterator[tuple[str, str]]:
    ours, seen = _list_schema_items(), set()
    allowed = _OPTIONAL | {*select_user_items(items)}
    for item in items:
        key = item.kind, item.name
        is_ours = key in ours or any(key == (other.kind, other.name) for other in _OPTIONAL)
        if key in seen or not (is_ours or item in allowed):
            kind, name = (ascii(text[:_SHOWN]).strip("'\"") for text in (item.kind, item.name))
            yield item.name, f"has a {kind} {name}, which graphlang does not make"
        elif is_ours and item not in {ours.get(key), *_OPTIONAL}:
            yield item.name, f"has a {item.kind} {item.name} that is not as graphlang makes it"
        seen.add(key)
    # The indexes that SQLite makes itself come last: they are missing because their table is.
    for kind, name in sorted(ours.keys() - seen, key=lambda key: (key[1].startswith("sqlite_"), key)):
        yield name, f"lacks the {kind} {name}"


def list_user_items(connection: sqlite3.Connection) -> list[Item]:
    """List tables, views and indexes that users made beside ours; graphlang never reads them."""
    return list(select_user_items(_read_items(connection)))


def select_user_items(items: list[Item]) -> Iterator[Item]:
    """Yield those items that a user may have made.

    Names must be free and plain. An index on one of our tables must be of plain columns, because graphlang computes it
    whenever it writes. Triggers and virtual tables are never allowed.

    >>> notes = Item("table", "notes", "notes", "CREATE TABLE notes (url, words UNIQUE)")
    >>> unique = Item("index", "sqlite_autoindex_notes_1", "notes", "")
    >>> words = Item("index", "by_words", "notes", "CREATE INDEX by_words ON notes (LOWER(words))")
    >>> status = Item("index", "by_status", "captures", "CREATE INDEX by_status on captures(status, date DESC)")
    >>> computed = Item("index", "by_size", "captures", "CREATE INDEX by_size ON captures (HEX(date))")
    >>> fills = Item("trigger", "fills", "notes", "CREATE TRIGGER fills AFTER INSERT ON notes BEGIN SELECT 1; END")
    >>> [item.name for item in select_user_items([fills, computed, words, status, unique, notes])]
    ['by_words', 'by_status', 'sqlite_autoindex_notes_1', 'notes']
    >>> list(select_user_items([Item("view", "PAGES", "PAGES", "CREATE VIEW PAGES AS SELECT 1")]))
    []
    >>> list(select_user_items([Item("table", "more", "more", "CREATE TRIGGER more AFTER INSERT ON notes ...")]))
    []
    """
    names = {name.lower() for _, name in _list_schema_items()} | {item.name for item in _OPTIONAL}
    tables = {item.name for item in items if item.kind == "table" and _is_plain(item, names, r"\s*\(")}
    for item in items:
        if item.kind == "view":
            allowed = _is_plain(item, names, r"\s*(\(|\sAS\s)")
        elif item.kind != "index":
            allowed = item.kind == "table" and item.name in tables
        elif not item.sql:
            allowed = item.table in tables and item.name.startswith("sqlite_autoindex_")
        else:
            columns = rf"\(\s*{_COLUMN}(\s*,\s*{_COLUMN})*\s*\)$" if item.table.lower() in names else r"\("
            allowed = (item.table in tables or item.table.lower() in names) and _is_plain(
                item, names, rf"\s+ON\s+{_NAME.format(re.escape(item.table))}\s*{columns}"
            )
        if allowed:
            yield item


def _is_plain(item: Item, names: set[str], rest: str) -> bool:
    """Return True if an item has a free name and its statement agrees with its row: SQLite reads only the statement."""
    lower = item.name.lower()
    if lower in names or lower.startswith(_RESERVED) or not re.fullmatch(r"[^\W\d]\w{0,63}", item.name):
        return False
    if item.kind != "index" and item.table != item.name:
        return False
    unique = "(UNIQUE )?" if item.kind == "index" and item.table.lower() not in names else ""
    start = rf"CREATE {unique}{item.kind}\s+{_NAME.format(re.escape(item.name))}{rest}"
    return re.match(start, item.sql, re.IGNORECASE) is not None


def _check_ids(connection: sqlite3.Connection) -> Iterator[Fault]:
    """Find ids that are not positive, or so great that reserving memory for them would exhaust it."""
    (size,) = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
    bound = limit_id(size // _LEAST_BYTES)
    for table, column in _IDS:
        greatest = {"labels": MOST_LABELS, "hosts": bound, "pages": bound}.get(table, MOST if column == "id" else bound)
        ends = connection.execute(
            f"SELECT (SELECT MIN({column}) FROM {table}), (SELECT MAX({column}) FROM {table})"
        ).fetchone()
        for value in ends:
            if value is not None and not (isinstance(value, int) and 1 <= value <= greatest):
                reason = f"has {ascii(value)[:_SHOWN]} in {table}.{column}, where it can have 1 to {greatest}{CHECK}"
                yield Fault(table, "", reason)
                break
    query = "SELECT name, seq FROM sqlite_sequence WHERE name IN ('pages', 'hosts', 'labels') LIMIT 4"
    rows = connection.execute(query).fetchall()
    if len({name for name, _ in rows}) < len(rows):
        yield Fault("sqlite_sequence", "", f"has a table twice in sqlite_sequence{CHECK}")
    for name, seq in rows:
        if not (isinstance(seq, int) and 0 <= seq <= bound):
            reason = f"has {ascii(seq)[:_SHOWN]} as the last id of {name}, which the file cannot hold{CHECK}"
            yield Fault("sqlite_sequence", "", reason)
