"""URL -> page id for a whole collection in memory, at 16 bytes a slot instead of a Python object a URL."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_SLOT = np.dtype([("key", np.uint64), ("check", np.uint32), ("id", np.uint32)])
_FIRST_CAPACITY = 1 << 12
#: Above this share of used slots the table doubles.
_FULL = 0.7


class UrlIds:
    """Gives dense ids from 1 to URLs in the order in which they are first seen.

    An open-addressing table of numpy records, probed for a whole batch at once. A URL is known by 96 bits: Python's
    own keyed hash of the string (64 bits; its key is random in every process, so that a crawl cannot be made to
    collide on purpose) and its CRC-32. For 100 million URLs the chance that any two are mistaken for one another is
    below 10^-13.

    >>> ids = UrlIds()
    >>> ids.assign(["http://a/", "http://b/", "http://a/"])
    (array([1, 2, 1]), array([0, 1]))
    >>> ids.assign(["http://c/", "http://b/"])
    (array([3, 2]), array([0]))
    >>> len(ids)
    3
    """

    def __init__(self) -> None:
        self._table = np.zeros(_FIRST_CAPACITY, dtype=_SLOT)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    def find(self, urls: Sequence[str]) -> NDArray[np.int64]:
        """Ids of the URLs, 0 for those that have none."""
        keys, checks = _hashes(urls)
        return self._probe(keys, checks)

    def assign(self, urls: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give every URL an id.

        Returns:
            The ids, one for each URL given, and the positions (ascending) in ``urls`` at which a URL stands that was
            not known before; their ids are the next ones, in that order.
        """
        keys, checks = _hashes(urls)
        ids = self._probe(keys, checks)
        missing = np.flatnonzero(ids == 0)
        if not len(missing):
            return ids, missing
        both = np.empty(len(missing), dtype=[("key", np.uint64), ("check", np.uint32)])
        both["key"], both["check"] = keys[missing], checks[missing]
        _, first, inverse = np.unique(both, return_index=True, return_inverse=True)
        # np.unique sorts by hash; ids go by order of appearance.
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first))
        ids[missing] = self._used + 1 + rank[inverse]
        new = missing[np.sort(first)]
        self._insert(keys[new], checks[new], ids[new])
        return ids, new

    def _probe(self, keys: NDArray[np.uint64], checks: NDArray[np.uint32]) -> NDArray[np.int64]:
        table, mask = self._table, np.uint64(len(self._table) - 1)
        ids = np.zeros(len(keys), dtype=np.int64)
        todo = np.arange(len(keys))
        slot = keys & mask
        while len(todo):
            found = table[slot]
            same = (found["key"] == keys[todo]) & (found["check"] == checks[todo])
            used = found["id"] != 0
            ids[todo[same & used]] = found["id"][same & used]
            go_on = used & ~same
            todo, slot = todo[go_on], (slot[go_on] + np.uint64(1)) & mask
        return ids

    def _insert(self, keys: NDArray[np.uint64], checks: NDArray[np.uint32], ids: NDArray[np.int64]) -> None:
        """Enter URLs that are distinct and not in the table."""
        if self._used + len(keys) > _FULL * len(self._table):
            self._grow(self._used + len(keys))
        rows = np.empty(len(keys), dtype=_SLOT)
        rows["key"], rows["check"], rows["id"] = keys, checks, ids
        self._place(rows)
        self._used += len(keys)

    def _place(self, rows: NDArray[np.void]) -> None:
        table, mask = self._table, np.uint64(len(self._table) - 1)
        slot = rows["key"] & mask
        while len(rows):
            free = table["id"][slot] == 0
            # Several rows may want one free slot: the last one written has it, the others see that and move on.
            table[slot[free]] = rows[free]
            placed = table["id"][slot] == rows["id"]
            rows, slot = rows[~placed], (slot[~placed] + np.uint64(1)) & mask

    def _grow(self, wanted: int) -> None:
        capacity = len(self._table)
        while wanted > _FULL * capacity:
            capacity *= 2
        old = self._table
        self._table = np.zeros(capacity, dtype=_SLOT)
        # In pieces, so that growing does not need a second copy of everything.
        for start in range(0, len(old), 1 << 20):
            piece = old[start : start + (1 << 20)]
            self._place(piece[piece["id"] != 0])


def _hashes(urls: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    count = len(urls)
    keys = np.fromiter(map(hash, urls), dtype=np.int64, count=count).view(np.uint64)
    crc32 = zlib.crc32
    checks = np.fromiter((crc32(url.encode("utf-8", "surrogatepass")) for url in urls), dtype=np.uint32, count=count)
    return keys, checks
