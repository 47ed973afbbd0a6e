"""Cuts a batch of texts into runs whose arrays stay in the processor's cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def blocks(texts: Sequence[str], *, limit: int, characters: int = 1 << 15) -> list[tuple[int, int]]:
    """Cut a batch into runs of rows of about `characters` characters, so that all arrays stay in the cache.

    Each row counts eight more than it has, for what it costs apart from its length.

    Args:
        texts: Any strings.
        limit: Characters of a text that are looked at.
        characters: Of a run.

    >>> blocks(["aaaa", "bb", "c"], limit=3, characters=25)
    [(0, 2), (2, 3)]
    """
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return runs(np.minimum(sizes, limit), characters)


def runs(sizes: NDArray[np.int64], characters: int) -> list[tuple[int, int]]:
    """Cut a batch of texts of so many characters each, as `blocks` does.

    Args:
        sizes: Characters of each text, (texts,).
        characters: Of a run.
    """
    ends = np.cumsum(sizes + 8)
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(sizes):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + characters, side="right")))
        found.append((start, stop))
        start = stop
    return found
