"""Messages between partitions: a record of bytes for each page, as Arrow and Parquet hold binary columns.

A record has a header of fixed size, and then lists of entries whose lengths are in the header.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: A language and how probable it is.
BELIEF = np.dtype([("language", "<i2"), ("probability", "<f4")])
#: A language and how many pages have it.
COUNT = np.dtype([("language", "<i2"), ("pages", "<u4")])


@dataclass(frozen=True, slots=True, eq=False)
class PageRecords:
    """b pages, ascending; the record of page i is ``data[start[i]:start[i + 1]]``."""

    pages: NDArray[np.int64]  #: ids, shape (b,)
    start: NDArray[np.int64]  #: shape (b + 1,)
    data: NDArray[np.uint8]  #: shape (start[b],)

    def __post_init__(self) -> None:
        if (self.pages[1:] <= self.pages[:-1]).any():
            raise ValueError("the pages of records must be ascending")
        bounds = self.start
        if len(bounds) != len(self.pages) + 1 or bounds[0] != 0 or bounds[-1] != len(self.data):
            raise ValueError(f"{len(self.pages)} records of {len(self.data)} bytes have {len(bounds)} bounds")
        if (bounds[1:] < bounds[:-1]).any():
            raise ValueError("the bounds of records must be ascending")

    @classmethod
    def from_bytes(cls, pages: Sequence[int], records: Sequence[bytes]) -> PageRecords:
        """Make records from a list of bytes, in any order.

        >>> made = PageRecords.from_bytes([7, 3], [b"ab", b"c"])
        >>> made.pages.tolist(), [bytes(one) for one in made.to_list()]
        ([3, 7], [b'c', b'ab'])
        """
        order = np.argsort(np.array(pages, np.int64), kind="stable")
        sizes = np.array([len(records[at]) for at in order], np.int64)
        data = np.frombuffer(b"".join(records[at] for at in order), np.uint8)
        return cls(np.array(pages, np.int64)[order], _compute_bounds(sizes), data)

    def to_list(self) -> list[bytes]:
        """Return the record of each page."""
        data, bounds = self.data.tobytes(), self.start.tolist()
        return [data[begin:stop] for begin, stop in pairwise(bounds)]

    def of(self, pages: NDArray[np.int64]) -> PageRecords:
        """Return the records of some pages, ascending, without those that have none."""
        rows = np.flatnonzero(np.isin(self.pages, pages, assume_unique=True))
        sizes = np.diff(self.start)[rows]
        return PageRecords(self.pages[rows], _compute_bounds(sizes), self.data[_list_spans(self.start[rows], sizes)])

    def update(self, newer: PageRecords) -> PageRecords:
        """Return these records with those of newer pages replaced or added.

        >>> found = PageRecords.from_bytes([3, 7], [b"c", b"ab"]).update(PageRecords.from_bytes([7, 9], [b"d", b"e"]))
        >>> found.pages.tolist(), [bytes(one) for one in found.to_list()]
        ([3, 7, 9], [b'c', b'd', b'e'])
        """
        if not len(newer.pages):
            return self
        return join_records([self.of(np.setdiff1d(self.pages, newer.pages, assume_unique=True)), newer])


def join_records(parts: Sequence[PageRecords]) -> PageRecords:
    """Join the records of several partitions; no page is in two of them."""
    pages = np.concatenate([np.zeros(0, np.int64), *(records.pages for records in parts)])
    sizes = np.concatenate([np.zeros(0, np.int64), *(np.diff(records.start) for records in parts)])
    data = np.concatenate([np.zeros(0, np.uint8), *(records.data for records in parts)])
    order = np.argsort(pages, kind="stable")
    first = _compute_bounds(sizes)[:-1]
    return PageRecords(pages[order], _compute_bounds(sizes[order]), data[_list_spans(first[order], sizes[order])])


def pack(
    pages: NDArray[np.int64], header: NDArray[np.void], lists: Sequence[tuple[NDArray[np.int64], NDArray[np.void]]]
) -> PageRecords:
    """Join headers (b,) and lists to records of pages with ascending ids (b,).

    Each list is the number of entries of each page (b,), and the entries page by page.

    >>> header = np.array([(2,), (0,)], [("entries", "u1")])
    >>> made = pack(np.array([5, 9]), header, [(np.array([2, 0]), np.array([(1, 0.5), (2, 0.25)], BELIEF))])
    >>> np.diff(made.start).tolist()
    [13, 1]
    """
    sizes = np.full(len(pages), header.dtype.itemsize, np.int64)
    for counts, entries in lists:
        sizes += counts * entries.dtype.itemsize
    start = _compute_bounds(sizes)
    data = np.empty(int(start[-1]), np.uint8)
    at = start[:-1].copy()
    for counts, entries in [(np.ones(len(pages), np.int64), header), *lists]:
        size = counts * entries.dtype.itemsize
        data[_list_spans(at, size)] = np.ascontiguousarray(entries).view(np.uint8).reshape(-1)
        at += size
    return PageRecords(pages, start, data)


def unpack(
    records: PageRecords, header: np.dtype[Any], lists: Sequence[tuple[str, np.dtype[Any]]]
) -> tuple[NDArray[np.void], list[tuple[NDArray[np.int64], NDArray[np.void]]]]:
    """Split the records of b pages into headers (b,) and lists, each as in ``pack``.

    `lists` names the field of the header that counts the entries of each list, and the type of an entry. Raise a
    ValueError if a record is too short or too long.
    """
    sizes = np.diff(records.start)
    if (sizes < header.itemsize).any():
        raise ValueError("a record is shorter than its header")
    at = records.start[:-1].copy()

    def taken(size: NDArray[np.int64], kind: np.dtype[Any]) -> NDArray[np.void]:
        if ((at + size) > records.start[1:]).any():
            raise ValueError("a record is shorter than it says")
        entries = np.ascontiguousarray(records.data[_list_spans(at, size)]).view(kind)
        at[:] += size
        return entries

    head = taken(np.full(len(sizes), header.itemsize, np.int64), header)
    lists_read = []
    for name, kind in lists:
        counts = head[name].astype(np.int64)
        lists_read.append((counts, taken(counts * kind.itemsize, kind)))
    if (at != records.start[1:]).any():
        raise ValueError("a record is longer than it says")
    return head, lists_read


def index_lists(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row of each entry of lists that follow each other, and its position in its list.

    >>> [part.tolist() for part in index_lists(np.array([2, 0, 1]))]
    [[0, 0, 2], [0, 1, 0]]
    """
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)


def _compute_bounds(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _list_spans(first: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all bytes of some spans, one span after the other."""
    numbers: NDArray[np.int64] = np.arange(int(sizes.sum())) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)
    return numbers
