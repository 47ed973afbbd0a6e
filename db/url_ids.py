"""URL -> page id for a whole collection in memory, at 25 bytes a URL at most instead of a Python object each."""

from __future__ import annotations

import ctypes
import os
from array import array
from functools import cache
from typing import NamedTuple

from .compiled import load

_FIRST_CAPACITY = 1 << 12
_STEP = 1 << 16  # numbers by which an array grows at a time, so that what is added is not in memory twice
#: Above this share of used slots the table doubles.
_FULL = 0.7


class Assigned(NamedTuple):
    """The ids of some texts."""

    ids: array[int]  #: of each
    new: array[int]  #: positions, ascending, of those that were not known before; their ids are the next ones
    fresh: bytes  #: these, packed


class _Table(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("slots", "keys", "checks")),
        *((name, ctypes.c_uint64) for name in ("mask", "used", "most")),
        ("secret", ctypes.c_uint64 * 2),
    )


class _Progress(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("at", "count", "fresh", "fresh_size"))


class UrlIds:
    r"""Gives dense ids from 1 to URLs, or other texts, in the order in which they are first seen.

    An open-addressing table of ids, and by id what a URL is known by: 96 bits of SipHash-1-3 (Aumasson and Bernstein
    2012), whose key is random in every process, so that a crawl cannot be made to collide on purpose. For 100 million
    URLs the chance that any two are mistaken for one another is below 10^-13. The kernel is in C (`_ids.c`).

    A URL takes 12 bytes, and in the table 4 bytes for each of the 1.4 to 2.9 slots that there are for it. When the
    table grows it is made anew from the hashes, the old one being gone by then; the arrays of hashes grow by an eighth,
    in place. So there is no moment at which a URL takes more than 12 * 9 / 8 + 4 / 0.35 = 25 bytes, beside what the
    batch at hand needs.

    Texts are packed: in UTF-8, a zero behind each (see `graphlang.db.records.packed`). Arrays are Python's own:
    importing numpy takes as long as reading a hundred pages.

    >>> ids = UrlIds()
    >>> ids.assign(b"http://a/\0http://b/\0http://a/\0")
    Assigned(ids=array('q', [1, 2, 1]), new=array('q', [0, 1]), fresh=b'http://a/\x00http://b/\x00')
    >>> ids.assign(b"http://c/\0http://b/\0").ids, len(ids)
    (array('q', [3, 2]), 3)
    """

    def __init__(self) -> None:
        self._table = array("I", (0,)) * _FIRST_CAPACITY  # 0 is a free slot
        self._keys = array("Q", (0,)) * _FIRST_CAPACITY  # by id
        self._checks = array("I", (0,)) * _FIRST_CAPACITY
        self._fresh = array("B")  # where the kernel puts new texts
        self._secret = tuple(int.from_bytes(os.urandom(8), "little") for _ in range(2))
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def nbytes(self) -> int:
        """Bytes that are taken now for what is known."""
        return sum(len(one) * one.itemsize for one in (self._table, self._keys, self._checks))

    def find(self, texts: bytes) -> array[int]:
        """Ids of the texts, 0 for those that have none."""
        ids = array("q", (0,)) * _count(texts)
        _library().graphlang_ids_find(ctypes.byref(self._state()), texts, len(texts), address(ids))
        return ids

    def assign(self, texts: bytes) -> Assigned:
        """Give every text an id."""
        count = _count(texts)
        ids, places = array("q", (0,)) * count, array("q", (0,)) * count
        if len(self._fresh) <= len(texts):
            self._fresh = array("B", (0,)) * (len(texts) + 1)
        progress = _Progress()
        while True:
            state = self._state()
            done = _library().graphlang_ids_assign(
                ctypes.byref(state),
                texts,
                len(texts),
                address(ids),
                address(places),
                address(self._fresh),
                ctypes.byref(progress),
            )
            self._used = state.used
            if done:
                fresh = ctypes.string_at(address(self._fresh), progress.fresh_size)
                return Assigned(ids, places[: progress.fresh], fresh)
            self._grow()

    def _state(self) -> _Table:
        """What the kernel works on; it holds as long as nothing grows."""
        most = min(int(_FULL * len(self._table)), len(self._keys) - 1)
        table = _Table(address(self._table), address(self._keys), address(self._checks), len(self._table) - 1)
        table.used, table.most, table.secret[:] = self._used, most, self._secret
        return table

    def _grow(self) -> None:
        """Make room for more ids."""
        if self._used >= len(self._keys) - 1:
            size = max(self._used + 2, len(self._keys) * 9 // 8)
            for one in (self._keys, self._checks):
                _extend(one, size)
        if self._used >= int(_FULL * len(self._table)):
            capacity = 2 * len(self._table)
            self._table = array("I")  # free it before the new one is made
            self._table = array("I", (0,)) * capacity
            _library().graphlang_ids_place(ctypes.byref(self._state()))


def address(numbers: array[int]) -> int:
    """Return where the numbers of an array lie, as long as it does not grow."""
    return numbers.buffer_info()[0]


def _extend(numbers: array[int], size: int) -> None:
    """Make an array longer, in place."""
    step = array(numbers.typecode, (0,)) * _STEP
    while len(numbers) + _STEP <= size:
        numbers.extend(step)
    numbers.extend(step[: size - len(numbers)])


def _count(texts: bytes) -> int:
    return texts.count(0) + (texts[-1:] not in {b"", b"\0"})


def authorities(urls: bytes) -> bytes:
    r"""Return what stands between the second and the third slash of each URL, packed like the URLs.

    >>> authorities(b"http://a.example:8080/x\0https://b.example/\0")
    b'a.example:8080\x00b.example\x00'
    """
    out = array("B", (0,)) * (len(urls) + 1)
    size = _library().graphlang_ids_authorities(urls, len(urls), address(out))
    return ctypes.string_at(address(out), size)


@cache
def _library() -> ctypes.CDLL:
    library = load("_ids")
    table, progress = ctypes.POINTER(_Table), ctypes.POINTER(_Progress)
    text = (ctypes.c_char_p, ctypes.c_uint64)
    library.graphlang_ids_assign.argtypes = (table, *text, *(ctypes.c_void_p,) * 3, progress)
    library.graphlang_ids_find.argtypes = (table, *text, ctypes.c_void_p)
    library.graphlang_ids_find.restype = None
    library.graphlang_ids_place.argtypes = (table,)
    library.graphlang_ids_place.restype = None
    library.graphlang_ids_authorities.argtypes = (*text, ctypes.c_void_p)
    library.graphlang_ids_authorities.restype = ctypes.c_uint64
    return library
