"""Training text by genre: what excerpts are drawn from, and how much a genre alone says of the language.

A corpus has sentences read aloud for one language, newspapers for another, and for a third nothing but the messages of
a program. A classifier that is left alone learns the genre instead of the language: it takes all newspapers for the
language whose newspapers it has seen. So each excerpt is drawn together with its genre, and training is told beforehand
how likely each language is among the excerpts of that genre (a product of experts with a fixed one: Clark, Yatskar &
Zettlemoyer 2019, "Don't Take the Easy Way Out"). What the genre explains, the n-grams need not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.training.excerpts import Excerpts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

LEAST = -4.0  # log-odds of a language without text of a genre, against the commonest one in it


class Genres:
    """Draws excerpts of lines for every language, and tells the genre of each.

    Args:
        texts: Per language its lines by genre.
        numbers: Excerpts of each language in one draw.
        shares: The part of a language's excerpts that are of some genres, wherever it has them; those of the other
            genres are in proportion to their text.
        shortest: Characters of the shortest excerpt.
        longest: Characters of the longest excerpt.
        random: Draws come from it.

    Attributes:
        offsets: Log-odds of each language against the commonest one in a genre, (genres, languages).
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
        names = sorted({genre for own in texts for genre in own})
        size = np.array([[sum(map(len, own.get(genre, ()))) for genre in names] for own in texts], dtype=np.float64)
        for genre, share in shares.items():
            if genre in names:
                column = names.index(genre)
                rest = size.sum(axis=1) - size[:, column]
                has = (size[:, column] > 0) & (rest > 0)
                size[has, column] = rest[has] * share / (1 - share)
        part = size / np.maximum(size.sum(axis=1, keepdims=True), 1)
        self._numbers = np.rint(part * numbers[:, None]).astype(np.int64)
        most = (np.arange(len(part)), part.argmax(axis=1))
        self._numbers[most] = np.maximum(self._numbers[most], numbers > 0)
        self._excerpts = [
            Excerpts([own.get(genre, ()) for own in texts], shortest=shortest, longest=longest, random=random)
            for genre in names
        ]
        self._random = random
        logs = np.log(np.maximum(self._numbers, 1e-9))
        logs = np.maximum(logs - logs.max(axis=0), LEAST)
        self.offsets = np.ascontiguousarray(logs.T, dtype=np.float32)

    def draw(self) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
        """Excerpts in mixed order, the language of each and the genre of each."""
        texts: list[str] = []
        truths, genres = [], []
        for genre, drawing in enumerate(self._excerpts):
            some, truth = drawing.draw(self._numbers[:, genre])
            texts += some
            truths.append(truth)
            genres.append(np.full(len(truth), genre))
        truth, genre_of = np.concatenate(truths), np.concatenate(genres)
        order = self._random.permutation(len(truth))
        return [texts[i] for i in order.tolist()], truth[order], genre_of[order]
