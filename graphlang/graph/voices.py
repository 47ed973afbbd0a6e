"""Who says the same thing: links whose messages are equal are worked out once.

A message depends on the sender's belief, the link's bond and the host's tables, not on the receiver. Bonds are rounded
to ``LEVELS``, and settled pages of one place and language all say the same; so the messages of a round are as many as
there are different *voices*, far fewer than links, and each is added up by those who hear it.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph import native

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What a bond may be: none, or evenly spaced log-odds from 0.005 to 0.98.
LEVELS = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-5.3, 3.9, 32)))]).astype(np.float32)


@cache
def _library() -> ctypes.CDLL:
    library = native.load("_voices")
    number, small, wide = ctypes.c_int64, native.INT32, native.INT64
    real, double = native.FLOAT, native.DOUBLE
    library.graphlang_join.argtypes = [number, number, small, small, real, wide, wide, small, small, double]
    library.graphlang_join.restype = number
    library.graphlang_by_voice.argtypes = [number, number, small, small, double, wide, small, real]
    of_links = (small, small, real, small, native.UINT8)
    library.graphlang_carried.argtypes = [*[number] * 3, small, *of_links, *[small] * 3, number, small, wide, real]
    library.graphlang_number.argtypes = [number, number, wide, native.UINT64, small, small]
    library.graphlang_number.restype = number
    return library


def level(bond: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Number of the nearest of ``LEVELS``."""
    middle = (LEVELS[1:] + LEVELS[:-1]) / 2
    return np.searchsorted(middle, bond).astype(np.uint8)


def numbered(keys: NDArray[np.int64], below: int) -> tuple[NDArray[np.int32], int]:
    """The number of each key among the different ones, in ascending order, and how many there are; without sorting.

    Args:
        keys: from 0 to ``below``, shape (m,).
        below: every key is smaller; a bit of memory each.

    Raises:
        ValueError: a key that is out of range.

    >>> import numpy as np
    >>> numbered(np.array([70, 3, 70, 0]), 71)
    (array([2, 1, 2, 0], dtype=int32), 3)
    """
    words = below // 64 + 1
    numbers = np.empty(len(keys), np.int32)
    bits, ranks = np.zeros(words, np.uint64), np.empty(words, np.int32)
    different = _library().graphlang_number(len(keys), words, keys, bits, ranks, numbers)
    if different < 0:
        raise ValueError("a key is out of range")
    return numbers, different


@dataclass(frozen=True, slots=True, eq=False)
class Voices:
    """Different messages of one direction; v voices, f receivers, n pages."""

    sender: NDArray[np.int32]  #: a page that says it, shape (v,)
    host: NDArray[np.int32]  #: whose tables hold for it, shape (v,)
    bond: NDArray[np.float32]  #: shape (v,)
    begin: NDArray[np.int64]  #: voice i is heard by ``receiver[begin[i]:begin[i + 1]]``, shape (v + 1,)
    receiver: NDArray[np.int32]  #: numbers of free pages, shape (e,)
    share: NDArray[np.float32]  #: how loud each of them hears it, shape (e,)
    pairs: NDArray[np.int64]  #: voices of senders that may still move, sorted by sender, shape (p,)
    start: NDArray[np.int64]  #: those of receiver i are ``pairs[start[i]:start[i + 1]]``, shape (f + 1,)

    def of(self, senders: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Voices of some of the pages that may move, by their numbers, in that order; and whose each of them is."""
        first, count = self.start[senders], self.start[senders + 1] - self.start[senders]
        skipped = np.repeat(first - (np.cumsum(count) - count), count)
        return self.pairs[np.arange(len(skipped)) + skipped], np.repeat(np.arange(len(senders), dtype=np.int32), count)


def voices(  # noqa: PLR0917  internal, called twice
    part: NDArray[np.int32],
    receiver: NDArray[np.int32],
    sender: NDArray[np.int32],
    share: NDArray[np.float32],
    host: NDArray[np.int32],
    levels: NDArray[np.uint8],
    kin: NDArray[np.int32],
    home: NDArray[np.int32],
    number: NDArray[np.int32],
) -> Voices:
    """Group some links by what they carry.

    Args:
        part: numbers of the links that count, those to a page side by side, shape (c,).
        receiver: page that hears each link, shape (w,).
        sender: page that speaks through each link, shape (w,).
        share: what each link's message is multiplied by, shape (w,).
        host: whose tables hold for each link: the home of both ends, or those of all links between hosts, shape (w,).
        levels: bond of each link as a number of ``LEVELS``, shape (w,).
        kin: number of the group of pages that all say the same, for each page, from 0, shape (n,).
        home: host of each page, shape (n,).
        number: of each page among those whose belief may still change (senders that move, and all receivers), in
            ascending order, -1 for the others, shape (n,).

    Raises:
        ValueError: a link or page that is not there.
    """
    if len({len(array) for array in (receiver, sender, share, host, levels)}) > 1:
        raise ValueError("arrays of different numbers of links")
    if len({len(array) for array in (kin, home, number)}) > 1:
        raise ValueError("arrays of different numbers of pages")
    to, key, loud = np.empty(len(part), np.int32), np.empty(len(part), np.int64), np.empty(len(part), np.float32)
    given = (part, receiver, sender, share, host, levels, number, kin, home)
    if not _library().graphlang_carried(len(part), len(sender), len(kin), *given, len(LEVELS), to, key, loud):
        raise ValueError("a link or page that is not there")
    voice, count = numbered(key, (int(kin.max(initial=-1)) + 1) * 2 * len(LEVELS))
    del key
    first = np.empty(count, np.int64)
    first[voice[::-1]] = np.arange(len(voice))[::-1]
    example = part[first]
    begin, receivers, shares = _heard(to, voice, loud, count)
    who = sender[example]
    free = int(number.max(initial=-1)) + 1
    pairs = np.flatnonzero(number[who] >= 0)
    pairs = pairs[np.argsort(who[pairs], kind="stable")]
    start = np.zeros(free + 1, np.int64)
    np.cumsum(np.bincount(number[who[pairs]], minlength=free), out=start[1:])
    return Voices(who, host[example], LEVELS[levels[example]], begin, receivers, shares, pairs, start)


def _heard(
    receiver: NDArray[np.int32], voice: NDArray[np.int32], share: NDArray[np.float32], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Who hears each of ``count`` voices: bounds of each voice's part of the others, receivers, shares."""
    links = len(voice)
    row, column, data = np.empty(links, np.int32), np.empty(links, np.int32), np.empty(links)
    start = np.zeros(count + 1, np.int64)
    last = np.full(count, -1, np.int64)
    entries = _library().graphlang_join(links, count, receiver, voice, share, last, start[1:], row, column, data)
    if entries < 0:
        raise ValueError("a link carries a voice that is not there")
    np.cumsum(start, out=start)
    rows, values = np.empty(entries, np.int32), np.empty(entries, np.float32)
    if not _library().graphlang_by_voice(entries, count, row, column, data, start[:-1].copy(), rows, values):
        raise ValueError("a link carries a voice that is not there")
    return start, rows, values
