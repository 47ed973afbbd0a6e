"""Choose the n-grams of a vocabulary from training documents: all languages' moments together, then Fisher."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content import fisher, ngrams
from graphlang.content.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphlang.content.normalise import Letters


class Candidates:
    """All n-grams of all training documents with their moments in every language.

    Args:
        documents: Per label its documents.
        orders: Lengths of n-grams.
        seen: In how many documents of a language an n-gram must stand to count for that language.
        limit: Longest stretch of a document that is looked at.
        smooth: Whether the variance gets the floor that the module `fisher` describes.
        closed: Whether the last word is followed by a space before the text wraps round.
    """

    def __init__(
        self,
        documents: Sequence[Sequence[str]],
        *,
        orders: tuple[int, ...],
        seen: int = 2,
        limit: int = 20_000,
        smooth: bool = True,
        closed: bool = True,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> None:
        self._letters: list[Letters] = []
        keys: list[NDArray[np.uint64]] = []
        places: list[NDArray[np.int64]] = []
        parts: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        for number, texts in enumerate(documents):
            letters = normalise(texts, limit=limit, margin=max(orders) - 1, closed=closed)
            self._letters.append(letters)
            counted = [_moments(letters, order, seen, smooth=smooth) for order in orders]
            keys.append(np.concatenate([c[0] for c in counted]))
            places.append(np.concatenate([c[1] * 8 + order for c, order in zip(counted, orders, strict=True)]))
            parts.append((np.concatenate([c[2] for c in counted]), np.concatenate([c[3] for c in counted])))
            progress(number + 1, len(documents))
        sizes = [len(k) for k in keys]
        unique, first, gram = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
        language = np.repeat(np.arange(len(documents)), sizes)
        self._source = language[first]
        self._place = np.concatenate(places)[first]
        self.moments = fisher.Moments(
            gram,
            language,
            np.concatenate([p[0] for p in parts]),
            np.concatenate([p[1] for p in parts]),
            len(unique),
            len(documents),
        )

    def strings(self, grams: NDArray[np.int64]) -> list[str]:
        """The n-grams themselves, each read where it was first seen."""
        answer = []
        for language, coded in zip(self._source[grams].tolist(), self._place[grams].tolist(), strict=True):
            place, order = divmod(coded, 8)
            symbols = self._letters[language].symbols[place : place + order]
            answer.append("".join(map(chr, symbols.tolist())))
        return answer

    def top(self, number: int) -> list[str]:
        """The paper's choice (section 4.2): the n-grams with the greatest F(g), of equal ones the commoner first."""
        score = fisher.discriminant(self.moments)
        mass = np.bincount(self.moments.gram, weights=self.moments.mean, minlength=self.moments.grams)
        return self._admissible(np.lexsort((-mass, -score)), number)

    def in_turn(self, number: int, weights: NDArray[np.float64]) -> list[str]:
        """The n-grams that the languages choose in turn, each by its own terms of formula 0.5."""
        score = fisher.one_against_rest(self.moments)
        order = fisher.in_turn(score, self.moments.gram, self.moments.language, weights, number * 2)
        return self._admissible(order, number)

    def _admissible(self, order: NDArray[np.int64], number: int) -> list[str]:
        strings = self.strings(order[: number * 2])
        return [strings[i] for i in ngrams.admissible(strings)[:number].tolist()]


def _moments(
    letters: Letters, order: int, seen: int, *, smooth: bool
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    rows = len(letters.lengths)
    index = np.arange(int(letters.lengths.sum()))
    before = np.cumsum(letters.lengths) - letters.lengths
    place = index + np.repeat(letters.starts - before, letters.lengths)
    row = np.repeat(np.arange(rows), letters.lengths)
    unique, first, gram = np.unique(
        ngrams.wide_hashes(letters.symbols, order)[place], return_index=True, return_inverse=True
    )
    pairs, counts = np.unique(gram * rows + row, return_counts=True)
    gram, document = np.divmod(pairs, rows)
    share = fisher.frequencies(counts.astype(np.float64), document, rows)
    mean, variance, standing = fisher.moments(share, gram, len(unique), rows)
    if smooth:
        variance = np.maximum(variance, mean**2 / max(rows, 1))
    chosen = np.flatnonzero(standing >= min(seen, rows))
    return unique[chosen], place[first[chosen]], mean[chosen], variance[chosen]
