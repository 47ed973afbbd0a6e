"""Ids of what a collection holds already: asked of an index while few are wanted, else read back into memory at once.

Reading the URLs of a collection back takes time and memory by its size, which would make adding one small file to a
large collection slow. Asking an index for each URL takes several times longer a URL. So a writer begins by asking, and
turns to memory when it has asked for a tenth of what the collection holds: whatever is added, it costs little more
than the better of the two ways.
"""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING

from graphlang.db import values
from graphlang.db.errors import StoreError
from graphlang.db.records import packed, unpacked
from graphlang.db.url_ids.in_memory import Assigned, UrlIds
from graphlang.db.values import largest_id

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

_READ_BACK = 50_000
_FEW = 50_000  #: rows that are read back in less time than it takes to start
_TOGETHER = 4096  #: texts that are asked for in one statement, whose length has a bound
_SHARE = 10  #: of what is held this part may be asked for, one by one


class StoredIds:
    """Gives ids to the distinct texts of a column, as `UrlIds` does, those that are stored having theirs.

    New ones follow on the greatest id that was ever given out: where rows were deleted, their ids are not given again.

    Args:
        connection: the collection; what is new must be stored under the ids given, before the next call.
        table: whose ``id`` it is.
        column: what the ids are for.
        index: name of an index over the column that may not exist; None where there always is one. It is dropped when
            many texts are to come, because making it anew takes less time than keeping it up to date.
    """

    def __init__(self, connection: sqlite3.Connection, table: str, column: str, *, index: str | None = None) -> None:
        self._connection = connection
        self._table = table
        self._column = column
        self._index = index
        self._count = self.stored()
        self._asked = 0
        self._memory: UrlIds | None = None
        if self._count <= _FEW or not (index is None or _has_index(connection, index)):
            self._memory = self._read_back()

    def __len__(self) -> int:
        return self._count

    def stored(self) -> int:
        """The greatest id that was ever given out, by what is stored now."""
        return given_out(self._connection, self._table)

    def assign(self, texts: bytes) -> Assigned:
        """Give every text an id; see `UrlIds.assign`."""
        if self._memory is None:
            self._asked += texts.count(0)
            if self._asked * _SHARE > self._count:
                self._memory = self._read_back()
                if self._index is not None:
                    self._connection.execute(f"DROP INDEX IF EXISTS {self._index}")
        assigned = self._ask(texts) if self._memory is None else self._memory.assign(texts)
        self._count += len(assigned.new)
        return assigned

    def _ask(self, asked: bytes) -> Assigned:
        texts = unpacked(asked)
        places: dict[str, int] = {}
        for place, text in enumerate(texts):
            places.setdefault(text, place)
        known: dict[str, int] = {}
        wanted = list(places)
        for begin in range(0, len(wanted), _TOGETHER):
            rows = self._connection.execute(
                f"SELECT asked.value, held.id FROM json_each(?) AS asked"
                f" CROSS JOIN {self._table} AS held ON held.{self._column} = asked.value",
                (json.dumps(wanted[begin : begin + _TOGETHER]),),
            )
            known.update(rows)
        new = [place for text, place in places.items() if text not in known]
        known.update((texts[place], self._count + 1 + number) for number, place in enumerate(new))
        ids = array("q", [known[text] for text in texts])
        return Assigned(ids, array("q", new), packed(texts[place] for place in new))

    def _read_back(self) -> UrlIds:
        ids = UrlIds()
        (held,) = self._connection.execute(f"SELECT COUNT(*) FROM {self._table}").fetchone()
        if self._count > largest_id(held):
            raise values.refused(
                f"{self._table}.id", self._count, f"at most {largest_id(held)} for {held} {self._table}"
            )
        rows = self._connection.execute(f"SELECT id, {self._column} FROM {self._table} ORDER BY id")
        while some := self._some(rows):
            reached = some[-1][0]
            texts = [text for _, text in some]
            if reached - len(ids) != len(some):
                texts = list(_with_gaps(some, len(ids)))
            ids.assign(packed(texts))
            if len(ids) != reached:
                msg = f"{self._table} holds one {self._column} twice: 'graphlang check' tells more"
                raise StoreError(msg)
        ids.assign(packed(map(_nothing, range(len(ids) + 1, self._count + 1))))
        return ids

    def _some(self, rows: sqlite3.Cursor) -> list[tuple[int, str]]:
        with values.reading(self._table):
            some: list[tuple[int, str]] = rows.fetchmany(_READ_BACK)
        values.check_type(f"{self._table}.{self._column}", [text for _, text in some], str)
        return some


def _with_gaps(rows: Iterable[tuple[int, str]], before: int) -> Iterator[str]:
    """Texts in order of their ids, and something in the place of each that was deleted."""
    for number, text in rows:
        yield from map(_nothing, range(before + 1, number))
        yield text
        before = number


def _nothing(number: int) -> str:
    return f"\x01{number}"  # no URL and no host begins so


def given_out(connection: sqlite3.Connection, table: str) -> int:
    """The greatest id of a table that was ever given out; 0 if none was.

    Args:
        connection: the collection.
        table: its name, which stands in the statement as it is.
    """
    (greatest,) = connection.execute(
        f"SELECT MAX(COALESCE((SELECT MAX(id) FROM {table}), 0),"
        f" COALESCE((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0))"
    ).fetchone()
    return int(greatest)


class Captured:
    """Tells which pages have a capture: one byte a page in memory, once enough of them were asked for.

    Args:
        connection: the collection.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._count = int(connection.execute("SELECT COALESCE(MAX(page), 0) FROM captures").fetchone()[0])  # at most
        self._asked = 0
        self._memory: bytearray | None = None

    def among(self, pages: Sequence[int]) -> set[int]:
        """Return those of the pages that have a capture in the collection, or were entered here."""
        if self._memory is None:
            self._asked += len(pages)
            if self._count <= _FEW or self._asked * _SHARE > self._count:
                self._memory = self._read_back()
        if self._memory is None:
            wanted = json.dumps(list(pages))
            found = self._connection.execute(
                "SELECT page FROM captures WHERE page IN (SELECT value FROM json_each(?))", (wanted,)
            )
            return {page for (page,) in found}
        held = self._memory
        return {page for page in pages if page < len(held) and held[page]}

    def enter(self, pages: Sequence[int]) -> None:
        """Remember that these pages have a capture; they must be stored before the next call."""
        if self._memory is None or not pages:
            return
        greatest = max(pages)
        if greatest >= len(self._memory):
            self._memory.extend(bytes(greatest + 1 - len(self._memory)))
        for page in pages:
            self._memory[page] = 1

    def _read_back(self) -> bytearray:
        size = self._connection.execute("SELECT COALESCE(MAX(page), 0) FROM captures").fetchone()[0] + 1
        held = bytearray(size)
        rows = self._connection.execute("SELECT page FROM captures")
        while some := rows.fetchmany(_READ_BACK):
            for (page,) in some:
                held[page] = 1
        return held


def _has_index(connection: sqlite3.Connection, name: str) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?", (name,)).fetchone())
