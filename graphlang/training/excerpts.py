"""Draw excerpts of training lines, of all lengths, with the genre of each.

A corpus may have sentences read aloud in one language, newspapers in another, and only program messages in a third. A
classifier trained on these learns the genre instead of the language: it assigns all newspapers to the language whose
newspapers it has seen. So each excerpt comes with its genre, and training adds the log-odds of each language among the
excerpts of that genre as a fixed expert (a product of experts: Clark, Yatskar & Zettlemoyer 2019, "Don't Take the Easy
Way Out"). The n-grams need not learn what the genre explains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


class Excerpts:
    """Draw excerpts of lines for every language; lengths are uniform on a log scale."""

    def __init__(
        self, lines: Sequence[Sequence[str]], *, shortest: int, longest: int, random: np.random.Generator
    ) -> None:
        self._lines = lines
        self._ends = [np.cumsum([len(line) for line in label_lines]) for label_lines in lines]
        self._range = (np.log(shortest), np.log(longest))
        self._random = random

    def draw(self, numbers: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
        """Draw `numbers[i]` excerpts of language i, in mixed order, with the language of each."""
        texts: list[str] = []
        counts = [number if len(ends) else 0 for ends, number in zip(self._ends, numbers.tolist(), strict=True)]
        for lines, ends, number in zip(self._lines, self._ends, counts, strict=True):
            if not number:
                continue
            chosen = np.searchsorted(ends, self._random.random(number) * ends[-1], side="right")
            sizes = np.exp(self._random.uniform(*self._range, number)).astype(np.int64)
            begins = self._random.random(number)
            drawn = zip(chosen.tolist(), sizes.tolist(), begins.tolist(), strict=True)
            texts += [cut_excerpt(lines[line], size, begin) for line, size, begin in drawn]
        truth = np.repeat(np.arange(len(counts)), counts)
        order = self._random.permutation(len(truth))
        return [texts[i] for i in order.tolist()], truth[order]


def cut_excerpt(line: str, size: int, begin: float) -> str:
    """Cut at most `size` characters from a line, at a word or, without spaces, anywhere.

    `begin` is the relative position, from 0 to 1.

    >>> cut_excerpt("one two three", 5, 0.5)
    'two t'
    """
    if len(line) <= size:
        return line
    start = int(begin * (len(line) - size + 1))
    if start:
        space = line.find(" ", start - 1, start + 20)
        start = space + 1 if space >= 0 else start
    return line[start : start + size]


LEAST_LOG_ODDS = -4.0  # of a language without text of a genre, against the most frequent language of it


class GenreExcerpts:
    """Excerpts of lines for every language, drawn with the genre of each.

    `offsets` (genres, languages) are the log-odds of each language against the most frequent one in a genre.
    """

    def __init__(
        self,
        texts: Sequence[Mapping[str, Sequence[str]]],
        numbers: NDArray[np.int64],
        *,
        shares: Mapping[str, float],
        shortest: int,
        longest: int,
        random: np.random.Generator,
    ) -> None:
        genre_names = sorted({genre for label_texts in texts for genre in label_texts})
        size = np.array(
            [[sum(map(len, label_texts.get(genre, ()))) for genre in genre_names] for label_texts in texts],
            dtype=np.float64,
        )
        for genre, share in shares.items():
            if genre in genre_names:
                column = genre_names.index(genre)
                other_size = size.sum(axis=1) - size[:, column]
                has = (size[:, column] > 0) & (other_size > 0)
                size[has, column] = other_size[has] * share / (1 - share)
        genre_share = size / np.maximum(size.sum(axis=1, keepdims=True), 1)
        self._numbers = np.rint(genre_share * numbers[:, None]).astype(np.int64)
        largest = (np.arange(len(genre_share)), genre_share.argmax(axis=1))
        self._numbers[largest] = np.maximum(self._numbers[largest], numbers > 0)
        self._excerpts = [
            Excerpts(
                [label_texts.get(genre, ()) for label_texts in texts], shortest=shortest, longest=longest, random=random
            )
            for genre in genre_names
        ]
        self._random = random
        logs = np.log(np.maximum(self._numbers, 1e-9))
        logs = np.maximum(logs - logs.max(axis=0), LEAST_LOG_ODDS)
        self.offsets = np.ascontiguousarray(logs.T, dtype=np.float32)

    def draw(self) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
        """Draw excerpts in mixed order, with the language and the genre of each."""
        texts: list[str] = []
        truths, genres = [], []
        for number, drawing in enumerate(self._excerpts):
            excerpts, truth = drawing.draw(self._numbers[:, number])
            texts += excerpts
            truths.append(truth)
            genres.append(np.full(len(truth), number))
        truth, genre = np.concatenate(truths), np.concatenate(genres)
        order = self._random.permutation(len(truth))
        return [texts[i] for i in order.tolist()], truth[order], genre[order]
