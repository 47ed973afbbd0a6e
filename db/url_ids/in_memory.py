"""URL -> page id for a whole collection in memory, at 25 bytes a URL at most instead of a Python object each."""

from __future__ import annotations

import os
from array import array
from typing import NamedTuple

from graphlang.native.kernels import Kernels

_FIRST_CAPACITY = 1 << 12
_kernels = Kernels("graphlang.db.native._ids")


class Assigned(NamedTuple):
    """The ids of some texts."""

    ids: array[int]  #: of each
    new: array[int]  #: positions, ascending, of those that were not known before; their ids are the next ones
    fresh: bytes  #: these, packed


class UrlIds:
    r"""Gives dense ids from 1 to URLs, or other texts, in the order in which they are first seen.

    An open-addressing table of ids, and by id what a URL is known by: 96 bits of SipHash-1-3 (Aumasson and Bernstein
    2012), whose key is random in every process, so that a crawl cannot be made to collide on purpose. For 100 million
    URLs the chance that any two are mistaken for one another is below 10^-13. The kernel is in C (`native/ids.c`).

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
        secret = array("Q", (int.from_bytes(os.urandom(8), "little") for _ in range(2)))
        self._table = _kernels.ids_new(_FIRST_CAPACITY, secret)
        self._fresh = bytearray()  # where the kernel puts new texts

    def __len__(self) -> int:
        return int(_kernels.ids_count(self._table))

    @property
    def nbytes(self) -> int:
        """Bytes that are taken now for what is known."""
        return int(_kernels.ids_bytes(self._table))

    def find(self, texts: bytes) -> array[int]:
        """Ids of the texts, 0 for those that have none."""
        ids = array("q", (0,)) * _count(texts)
        _kernels.ids_find(self._table, texts, ids)
        return ids

    def assign(self, texts: bytes) -> Assigned:
        """Give every text an id.

        Raises:
            MemoryError: there is not enough.
        """
        ids = array("q", (0,)) * _count(texts)
        places = array("q", (0,)) * len(ids)
        if len(self._fresh) <= len(texts):
            self._fresh = bytearray(len(texts) + 1)
        added = _kernels.struct("ids_added")
        _kernels.ids_assign(self._table, texts, ids, places, self._fresh, added)
        return Assigned(ids, places[: added.count], bytes(memoryview(self._fresh)[: added.bytes]))


def _count(texts: bytes) -> int:
    return texts.count(0) + (texts[-1:] not in {b"", b"\0"})


def authorities(urls: bytes) -> bytes:
    r"""Return what stands between the second and the third slash of each URL, packed like the URLs.

    >>> authorities(b"http://a.example:8080/x\0https://b.example/\0")
    b'a.example:8080\x00b.example\x00'
    """
    out = bytearray(len(urls) + 1)
    size = _kernels.ids_authorities(urls, out)
    del out[size:]
    return bytes(out)
