"""URL -> page id for a whole collection in memory, at 25 bytes a URL at most instead of a Python object each."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_FIRST_CAPACITY = 1 << 12
#: Above this share of used slots the table doubles.
_FULL = 0.7
_AT_ONCE = 1 << 16  # rows that are entered at once when the table is made anew


class UrlIds:
    """Gives dense ids from 1 to URLs in the order in which they are first seen.

    An open-addressing table of ids, probed for a whole batch at once, and by id what a URL is known by: 96 bits,
    Python's own keyed hash of the string (64 bits; its key is random in every process, so that a crawl cannot be made
    to collide on purpose) and its CRC-32. For 100 million URLs the chance that any two are mistaken for one another is
    below 10^-13.

    A URL takes 12 bytes, and in the table 4 bytes for each of the 1.4 to 2.9 slots that there are for it. When the
    table grows it is made anew from the hashes, the old one being gone by then; the arrays of hashes grow by an eighth,
    in place. So there is no moment at which a URL takes more than 12 * 9 / 8 + 4 / 0.35 = 25 bytes, beside what the
    batch at hand needs.

    >>> ids = UrlIds()
    >>> ids.assign(["http://a/", "http://b/", "http://a/"])
    (array([1, 2, 1]), array([0, 1]))
    >>> ids.assign(["http://c/", "http://b/"])
    (array([3, 2]), array([0]))
    >>> len(ids)
    3
    """

    def __init__(self) -> None:
        self._table = np.zeros(_FIRST_CAPACITY, dtype=np.uint32)  # 0 is a free slot
        self._keys = np.zeros(_FIRST_CAPACITY, dtype=np.uint64)  # by id
        self._checks = np.zeros(_FIRST_CAPACITY, dtype=np.uint32)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def nbytes(self) -> int:
        """Bytes that are taken now."""
        return self._table.nbytes + self._keys.nbytes + self._checks.nbytes

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
        self._append(keys[new], checks[new])
        return ids, new

    def _probe(self, keys: NDArray[np.uint64], checks: NDArray[np.uint32]) -> NDArray[np.int64]:
        table, mask = self._table, np.uint64(len(self._table) - 1)
        ids = np.zeros(len(keys), dtype=np.int64)
        todo = np.arange(len(keys))
        slot = keys & mask
        while len(todo):
            found = table[slot]
            used = found != 0
            same = used & (self._keys[found] == keys[todo]) & (self._checks[found] == checks[todo])
            ids[todo[same]] = found[same]
            go_on = used & ~same
            todo, slot = todo[go_on], (slot[go_on] + np.uint64(1)) & mask
        return ids

    def _append(self, keys: NDArray[np.uint64], checks: NDArray[np.uint32]) -> None:
        """Give the next ids to URLs that are distinct and not in the table."""
        begin, end = self._used + 1, self._used + 1 + len(keys)
        if end > len(self._keys):
            size = max(end, len(self._keys) * 9 // 8)
            self._keys.resize(size, refcheck=False)
            self._checks.resize(size, refcheck=False)
        self._keys[begin:end] = keys
        self._checks[begin:end] = checks
        self._used += len(keys)
        if self._used > _FULL * len(self._table):
            self._grow()
        else:
            self._place(begin, end)

    def _place(self, begin: int, end: int) -> None:
        """Enter a range of ids."""
        table, mask = self._table, np.uint64(len(self._table) - 1)
        ids = np.arange(begin, end, dtype=np.uint32)
        slot = self._keys[begin:end] & mask
        while len(ids):
            free = table[slot] == 0
            # Several ids may want one free slot: the last one written has it, the others see that and move on.
            table[slot[free]] = ids[free]
            left = table[slot] != ids
            ids, slot = ids[left], (slot[left] + np.uint64(1)) & mask

    def _grow(self) -> None:
        capacity = len(self._table)
        while self._used > _FULL * capacity:
            capacity *= 2
        self._table = np.zeros(0, dtype=np.uint32)  # free it before the new one is made
        self._table = np.zeros(capacity, dtype=np.uint32)
        for begin in range(1, self._used + 1, _AT_ONCE):
            self._place(begin, min(begin + _AT_ONCE, self._used + 1))


def _hashes(urls: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    count = len(urls)
    keys = np.fromiter(map(hash, urls), dtype=np.int64, count=count).view(np.uint64)
    crc32 = zlib.crc32
    checks = np.fromiter((crc32(url.encode("utf-8", "surrogatepass")) for url in urls), dtype=np.uint32, count=count)
    return keys, checks
