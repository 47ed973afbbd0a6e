"""Number the URLs and hosts of a collection: in memory, or by an index while few are looked up.

Reading all URLs of a collection back takes time and memory by its size, so that adding a small file to a large
collection would be slow. Looking each URL up in an index takes several times longer a URL. So a writer looks up first,
and reads back once it has looked up a tenth of the collection: this costs little more than the better way.
"""

from __future__ import annotations

import json
import os
from array import array
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db import values
from graphlang.db.errors import StoreError
from graphlang.db.native import ids as _kernels
from graphlang.db.records import pack_texts, unpack_texts
from graphlang.db.values import limit_id

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

_FIRST_CAPACITY = 1 << 12
_BATCH = 50_000  #: rows read back at once
_SMALL = 50_000  #: rows that are read back at once: it takes a few milliseconds
_LOOKED_UP = 4096  #: texts of one statement
_SHARE = 10  #: all texts are read back after looking up a tenth of their number


class Assigned(NamedTuple):
    """The ids of some texts."""

    ids: array[int]  #: of each
    new: array[int]  #: positions, ascending, of those that are new; their ids are the next ones
    fresh: bytes  #: the new texts, packed


class UrlIds:
    r"""Numbers URLs, or other texts, from 1 in the order in which they are first seen.

    An open-addressing table of ids, and for each id 96 bits of SipHash-1-3 (Aumasson and Bernstein 2012). Its key is
    random in every process, so that a crawl cannot cause collisions on purpose. For 100 million URLs the probability
    that any two collide is below 10^-13. The kernel is in C (`native/ids.c`).

    A URL takes 12 bytes, and 4 bytes for each of its 1.4 to 2.9 slots in the table. A growing table is rebuilt from the
    hashes after the old one was freed; the arrays of hashes grow by an eighth in place. So a URL never takes more than
    12 * 9 / 8 + 4 / 0.35 = 25 bytes, apart from the current batch.

    Texts are packed: in UTF-8, each followed by a zero (`graphlang.db.records.pack_texts`). Arrays are of Python, since
    importing numpy takes as long as reading a hundred pages.

    >>> ids = UrlIds()
    >>> ids.assign(b"http://a/\0http://b/\0http://a/\0")
    Assigned(ids=array('q', [1, 2, 1]), new=array('q', [0, 1]), fresh=b'http://a/\x00http://b/\x00')
    >>> ids.assign(b"http://c/\0http://b/\0").ids, len(ids)
    (array('q', [3, 2]), 3)
    """

    def __init__(self) -> None:
        secret = array("Q", (int.from_bytes(os.urandom(8), "little") for _ in range(2)))
        self._table = _kernels.ids_new(_FIRST_CAPACITY, secret)
        self._fresh = bytearray()  # output buffer of the kernel for new texts

    def __len__(self) -> int:
        return int(_kernels.ids_count(self._table))

    @property
    def nbytes(self) -> int:
        """Memory in use, in bytes."""
        return int(_kernels.ids_bytes(self._table))

    def find(self, texts: bytes) -> array[int]:
        """Return the ids of texts, 0 for those without one."""
        ids = array("q", (0,)) * _count_texts(texts)
        _kernels.ids_find(self._table, texts, ids)
        return ids

    def assign(self, texts: bytes) -> Assigned:
        """Return the ids of texts, giving new texts the next ones; may raise MemoryError."""
        ids = array("q", (0,)) * _count_texts(texts)
        places = array("q", (0,)) * len(ids)
        if len(self._fresh) <= len(texts):
            self._fresh = bytearray(len(texts) + 1)
        added = _kernels.new_ids_added()
        _kernels.ids_assign(self._table, texts, ids, places, self._fresh, added)
        return Assigned(ids, places[: added.count], bytes(memoryview(self._fresh)[: added.bytes]))


def _count_texts(texts: bytes) -> int:
    return texts.count(0) + (texts[-1:] not in {b"", b"\0"})


def extract_authorities(urls: bytes) -> bytes:
    r"""Return the part between the second and third slash of each URL, packed like the URLs.

    >>> extract_authorities(b"http://a.example:8080/x\0https://b.example/\0")
    b'a.example:8080\x00b.example\x00'
    """
    out = bytearray(len(urls) + 1)
    size = _kernels.ids_authorities(urls, out)
    del out[size:]
    return bytes(out)


class StoredIds:
    """Numbers the distinct texts of a column as `UrlIds` does, with the ids of those that are stored.

    New ids follow the greatest id ever given, so that ids of deleted rows are not reused. New texts must be stored
    before the next call. ``index`` over the column may be missing; None if there always is one. It is dropped before
    many texts are added, because building it again takes less time than updating it.
    """

    def __init__(self, connection: sqlite3.Connection, table: str, column: str, *, index: str | None = None) -> None:
        self._connection = connection
        self._table = table
        self._column = column
        self._index = index
        self._count = self.read_stored()
        self._looked_up = 0
        self._memory: UrlIds | None = None
        if self._count <= _SMALL or not (index is None or _has_index(connection, index)):
            self._memory = self._read_back()

    def __len__(self) -> int:
        return self._count

    def read_stored(self) -> int:
        """Return the greatest id ever given, as the database has it now."""
        return find_last_id(self._connection, self._table)

    def assign(self, texts: bytes) -> Assigned:
        """Return the ids of texts; see `UrlIds.assign`."""
        if self._memory is None:
            self._looked_up += texts.count(0)
            if self._looked_up * _SHARE > self._count:
                self._memory = self._read_back()
                if self._index is not None:
                    self._connection.execute(f"DROP INDEX IF EXISTS {self._index}")
        assigned = self._look_up(texts) if self._memory is None else self._memory.assign(texts)
        self._count += len(assigned.new)
        return assigned

    def _look_up(self, packed_texts: bytes) -> Assigned:
        texts = unpack_texts(packed_texts)
        places: dict[str, int] = {}
        for place, text in enumerate(texts):
            places.setdefault(text, place)
        ids: dict[str, int] = {}
        distinct = list(places)
        for begin in range(0, len(distinct), _LOOKED_UP):
            rows = self._connection.execute(
                f"SELECT wanted.value, stored.id FROM json_each(?) AS wanted"
                f" CROSS JOIN {self._table} AS stored ON stored.{self._column} = wanted.value",
                (json.dumps(distinct[begin : begin + _LOOKED_UP]),),
            )
            ids.update(rows)
        new = [place for text, place in places.items() if text not in ids]
        ids.update((texts[place], self._count + 1 + number) for number, place in enumerate(new))
        return Assigned(
            array("q", [ids[text] for text in texts]), array("q", new), pack_texts(texts[place] for place in new)
        )

    def _read_back(self) -> UrlIds:
        ids = UrlIds()
        (count,) = self._connection.execute(f"SELECT COUNT(*) FROM {self._table}").fetchone()
        if self._count > limit_id(count):
            expected = f"at most {limit_id(count)} for {count} {self._table}"
            raise values.value_error(f"{self._table}.id", self._count, expected)
        cursor = self._connection.execute(f"SELECT id, {self._column} FROM {self._table} ORDER BY id")
        while rows := self._fetch(cursor):
            last = rows[-1][0]
            texts = [text for _, text in rows]
            if last - len(ids) != len(rows):
                texts = list(_fill_gaps(rows, len(ids)))
            ids.assign(pack_texts(texts))
            if len(ids) != last:
                msg = f"{self._table} has one {self._column} twice{values.CHECK}"
                raise StoreError(msg)
        ids.assign(pack_texts(map(_make_filler, range(len(ids) + 1, self._count + 1))))
        return ids

    def _fetch(self, cursor: sqlite3.Cursor) -> list[tuple[int, str]]:
        with values.translate_errors(self._table):
            rows: list[tuple[int, str]] = cursor.fetchmany(_BATCH)
        values.check_type(f"{self._table}.{self._column}", [text for _, text in rows], str)
        return rows


def _fill_gaps(rows: Iterable[tuple[int, str]], before: int) -> Iterator[str]:
    """Yield texts in order of their ids, and a filler for each deleted id."""
    for number, text in rows:
        yield from map(_make_filler, range(before + 1, number))
        yield text
        before = number


def _make_filler(number: int) -> str:
    return f"\x01{number}"  # no URL or host begins so


def find_last_id(connection: sqlite3.Connection, table: str) -> int:
    """Return the greatest id of a table that was ever given, or 0."""
    (greatest,) = connection.execute(
        f"SELECT MAX(COALESCE((SELECT MAX(id) FROM {table}), 0),"
        f" COALESCE((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0))"
    ).fetchone()
    return int(greatest)


class CapturedPages:
    """The pages that have a capture: in memory, one byte a page, once enough were looked up."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._count = int(connection.execute("SELECT COALESCE(MAX(page), 0) FROM captures").fetchone()[0])  # at most
        self._looked_up = 0
        self._memory: bytearray | None = None

    def select(self, pages: Sequence[int]) -> set[int]:
        """Return those of the pages that have a capture, or were entered here."""
        if self._memory is None:
            self._looked_up += len(pages)
            if self._count <= _SMALL or self._looked_up * _SHARE > self._count:
                self._memory = self._read_back()
        if self._memory is None:
            rows = self._connection.execute(
                "SELECT page FROM captures WHERE page IN (SELECT value FROM json_each(?))", (json.dumps(list(pages)),)
            )
            return {page for (page,) in rows}
        memory = self._memory
        return {page for page in pages if page < len(memory) and memory[page]}

    def enter(self, pages: Sequence[int]) -> None:
        """Enter pages that have a capture from now on; it must be stored before the next call."""
        if self._memory is None or not pages:
            return
        greatest = max(pages)
        if greatest >= len(self._memory):
            self._memory.extend(bytes(greatest + 1 - len(self._memory)))
        for page in pages:
            self._memory[page] = 1

    def _read_back(self) -> bytearray:
        size = self._connection.execute("SELECT COALESCE(MAX(page), 0) FROM captures").fetchone()[0] + 1
        memory = bytearray(size)
        cursor = self._connection.execute("SELECT page FROM captures")
        while rows := cursor.fetchmany(_BATCH):
            for (page,) in rows:
                memory[page] = 1
        return memory


def _has_index(connection: sqlite3.Connection, name: str) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?", (name,)).fetchone())
