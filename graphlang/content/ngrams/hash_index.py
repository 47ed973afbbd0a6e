"""One hash over all profiles: 48-bit n-gram keys -> numbers 0..n-1, exactly, a whole array at a time.

Open addressing with linear probing in a table that is at most a quarter full, so that a look-up rarely needs a second
probe. Unlike `vocabulary.Vocabulary`, no two keys exclude each other: profiles that were made apart can share one table
(Zavarsky et al. 2005, section 2.2: "Multi-profile hash containing all quad-grams of all built-in profiles").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.native import tally as _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)  # no key: keys have 48 bits


class KeyTable:
    """The table.

    Args:
        keys: Distinct keys below 2 ** 48; key i gets the number i.

    Raises:
        ValueError: a key stands twice.

    >>> KeyTable(np.array([7, 9], dtype=np.uint64)).find(np.array([9, 8, 7], dtype=np.uint64)).tolist()
    [1, -1, 0]
    """

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        if len(np.unique(keys)) != len(keys):
            raise ValueError("a key stands twice")
        bits = max(4, (4 * max(len(keys), 1) - 1).bit_length())
        self._shift = np.uint64(64 - bits)
        self._mask = (1 << bits) - 1
        self._keys = np.full(1 << bits, _EMPTY, dtype=np.uint64)
        self._numbers = np.full(1 << bits, -1, dtype=np.int32)
        pending = np.arange(len(keys), dtype=np.int32)
        slots = self._slots(keys)
        while len(pending):
            free = np.flatnonzero(self._keys[slots] == _EMPTY)
            _, first = np.unique(slots[free], return_index=True)
            placed = free[first]
            self._keys[slots[placed]] = keys[pending[placed]]
            self._numbers[slots[placed]] = pending[placed]
            left = np.ones(len(pending), dtype=np.bool_)
            left[placed] = False
            pending, slots = pending[left], (slots[left] + 1) & self._mask

    def _slots(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        return ((keys * _SPREAD) >> self._shift).astype(np.int64)

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The number of each key, -1 where the table has no such key."""
        found = np.empty(len(keys), dtype=np.int32)
        _kernels.tally_find(keys=keys, stored=self._keys, numbers=self._numbers, empty=int(_EMPTY), found=found)
        return found
