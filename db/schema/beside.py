"""What users may have beside our tables: tables and views of their own, indexes, and statistics of ANALYZE.

Nothing of it is run by us: a table of theirs is never read or written, a view never asked. So they may say what they
like, as long as they are what they are called, and take no name that we ask for. An index of theirs on a table of ours
is kept up whenever we write, and so may only be of columns as they are. Triggers are never let pass.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from collections.abc import Set as AbstractSet

#: Statistics of ANALYZE: SQLite itself reads them to plan a query.
STATISTICS: Final = {
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
_NAME: Final = re.compile(r"[^\W\d]\w{0,63}")
#: Functions that stand where a table may stand: a view of that name would be asked in their place.
_RESERVED: Final = ("json", "pragma", "sqlite", "_sqlite")
_MEANWHILE: Final = "_anew"  # behind the names of tables that our steps make on the way
_COLUMN: Final = r'"?\w+"?(?: COLLATE (?:BINARY|NOCASE|RTRIM))?(?: ASC| DESC)?'
_COLUMNS: Final = rf"\({_COLUMN}(?: ?, ?{_COLUMN})*\)"


class Item(NamedTuple):
    """A table, view, index or trigger."""

    kind: str  #: ``table``, ``view``, ``index`` or ``trigger``
    name: str
    table: str  #: that it belongs to
    sql: str  #: as it was made, its white space and its quotes made uniform


def beside(items: Collection[Item], ours: AbstractSet[str]) -> Iterator[Item]:
    """Those items that may be there beside ours.

    Args:
        items: all of a file.
        ours: names of our tables, views and indexes, in lower case.

    >>> notes = Item("table", "notes", "notes", "CREATE TABLE notes (url, words UNIQUE)")
    >>> unique = Item("index", "sqlite_autoindex_notes_1", "notes", "")
    >>> words = Item("index", "by_words", "notes", "CREATE INDEX by_words ON notes (LOWER(words))")
    >>> status = Item("index", "by_status", "captures", "CREATE INDEX by_status on captures(status, date DESC)")
    >>> computed = Item("index", "by_size", "captures", "CREATE INDEX by_size ON captures (HEX(date))")
    >>> fills = Item("trigger", "fills", "notes", "CREATE TRIGGER fills AFTER INSERT ON notes BEGIN SELECT 1; END")
    >>> ours = frozenset({"captures", "pages"})
    >>> [one.name for one in beside([fills, computed, words, status, unique, notes], ours)]
    ['by_words', 'by_status', 'sqlite_autoindex_notes_1', 'notes']
    >>> list(beside([Item("view", "PAGES", "PAGES", "CREATE VIEW PAGES AS SELECT 1")], ours))
    []
    >>> list(beside([Item("table", "more", "more", "CREATE TRIGGER more AFTER INSERT ON notes ...")], ours))
    []
    """
    tables = {one.name for one in items if one.kind == "table" and _is_made(one, ours, r" ?\(")}
    for one in items:
        if one.kind == "table":
            may = one.name in tables
        elif one.kind == "view":
            may = _is_made(one, ours, r"(?: ?\(| AS )")
        elif one.kind == "index" and not one.sql:
            may = one.table in tables and bool(re.fullmatch(r"sqlite_autoindex_.*_\d+", one.name))
        elif one.kind == "index":
            may = _is_index(one, ours, tables)
        else:
            may = False
        if may:
            yield one


def _is_named(name: str, ours: AbstractSet[str]) -> bool:
    lower = name.lower()
    if lower in ours or lower.startswith(_RESERVED) or lower.endswith(_MEANWHILE):
        return False
    return bool(_NAME.fullmatch(name))


def _is_made(one: Item, ours: AbstractSet[str], behind: str) -> bool:
    """Whether a table or view is what it is called: SQLite goes by what was written, not by what the list says."""
    written = rf'CREATE {one.kind} ("?){re.escape(one.name)}\1{behind}'
    return _is_named(one.name, ours) and one.table == one.name and bool(re.match(written, one.sql, re.IGNORECASE))


def _is_index(one: Item, ours: AbstractSet[str], tables: AbstractSet[str]) -> bool:
    if not _is_named(one.name, ours):
        return False
    on = rf'INDEX ("?){re.escape(one.name)}\1 ON ("?){re.escape(one.table)}\2 ?'
    if one.table in tables:
        return bool(re.match(rf"CREATE (?:UNIQUE )?{on}\(", one.sql, re.IGNORECASE))
    return one.table in ours and bool(re.fullmatch(f"CREATE {on}{_COLUMNS}", one.sql, re.IGNORECASE))
