"""Excerpts of training lines, of all lengths: what logistic regression and calibration learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Excerpts:
    """Draws excerpts of lines for every language.

    Args:
        lines: Per language its lines.
        shortest: Characters of the shortest excerpt.
        longest: Characters of the longest excerpt; lengths are spread evenly over their logarithm.
        random: Draws come from it.
    """

    def __init__(
        self, lines: Sequence[Sequence[str]], *, shortest: int, longest: int, random: np.random.Generator
    ) -> None:
        self._lines = lines
        self._ends = [np.cumsum([len(line) for line in own]) for own in lines]
        self._range = (np.log(shortest), np.log(longest))
        self._random = random

    def draw(self, numbers: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
        """`numbers[i]` excerpts of language i (none of one without lines), in mixed order, and the language of each."""
        texts: list[str] = []
        counts = [number if len(ends) else 0 for ends, number in zip(self._ends, numbers.tolist(), strict=True)]
        for lines, ends, number in zip(self._lines, self._ends, counts, strict=True):
            if not number:
                continue
            chosen = np.searchsorted(ends, self._random.random(number) * ends[-1], side="right")
            sizes = np.exp(self._random.uniform(*self._range, number)).astype(np.int64)
            begins = self._random.random(number)
            drawn = zip(chosen.tolist(), sizes.tolist(), begins.tolist(), strict=True)
            texts += [excerpt(lines[line], size, begin) for line, size, begin in drawn]
        truth = np.repeat(np.arange(len(counts)), counts)
        order = self._random.permutation(len(truth))
        return [texts[i] for i in order.tolist()], truth[order]


def excerpt(line: str, size: int, begin: float) -> str:
    """At most `size` characters that begin with a word, or anywhere where words are not parted by spaces.

    `begin`, from 0 to 1, says where.

    Args:
        line: Any string.
        size: Characters at most.
        begin: Where, from 0 to 1.

    >>> excerpt("one two three", 5, 0.5)
    'two t'
    """
    if len(line) <= size:
        return line
    start = int(begin * (len(line) - size + 1))
    if start:
        space = line.find(" ", start - 1, start + 20)
        start = space + 1 if space >= 0 else start
    return line[start : start + size]
