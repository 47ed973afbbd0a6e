"""Choose the n-grams and words of a vocabulary from training documents: all languages' moments, then Fisher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.ngrams.keys import MAX_ORDER, wide_hashes, word_hashes, words
from graphlang.content.ngrams.vocabulary import admissible, bits_for
from graphlang.content.text.normalise import normalise
from graphlang.content.training import fisher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Letters

_LONGEST_WORD = 30  # a longer one is a sentence in a script without spaces, or no word


class Candidates:
    """All n-grams of all training documents with their moments in every language.

    Args:
        documents: Per label its documents.
        orders: Lengths of n-grams.
        words: Whether whole words that are longer than any n-gram are candidates too.
        scripts: Per label the script whose letters alone are read (a number of `scripts.registry`); None to read all.
        seen: In how many documents of a language an n-gram must stand to count for that language.
        limit: Longest stretch of a document that is looked at.
        smooth: Whether the variance gets the floor that the module `fisher` describes.
        closed: Whether the last word is followed by a space before the text wraps round.
        progress: Called with how many labels are counted, and how many there are.
    """

    def __init__(
        self,
        documents: Sequence[Sequence[str]],
        *,
        orders: tuple[int, ...],
        words: bool = False,
        scripts: Sequence[int] | None = None,
        seen: int = 2,
        limit: int = 20_000,
        smooth: bool = True,
        closed: bool = True,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> None:
        self._letters: list[Letters] = []
        keys: list[NDArray[np.uint64]] = []
        parts: list[list[tuple[NDArray[Any], ...]]] = []
        for number, texts in enumerate(documents):
            own = None if scripts is None else np.full(len(texts), scripts[number], dtype=np.uint8)
            letters = normalise(
                texts, limit=limit, margin=max(orders) - 1, closed=closed, one_script=own is not None, wanted=own
            )
            self._letters.append(letters)
            counted = [_moments(*_ngrams(letters, order), letters, seen, smooth=smooth) for order in orders]
            if words:
                counted.append(_moments(*_words(letters, max(orders)), letters, seen, smooth=smooth))
            keys.append(np.concatenate([c[0] for c in counted]))
            parts.append([c[1:] for c in counted])
            progress(number + 1, len(documents))
        sizes = [len(k) for k in keys]
        unique, first, gram = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
        language = np.repeat(np.arange(len(documents)), sizes)
        columns = [np.concatenate([c[i] for own in parts for c in own]) for i in range(4)]
        self._source = language[first]
        self._place = columns[0][first]
        self._size = columns[1][first]
        self.moments = fisher.Moments(gram, language, columns[2], columns[3], len(unique), len(documents))

    def strings(self, grams: NDArray[np.int64]) -> list[str]:
        """The n-grams themselves, each read where it was first seen."""
        answer = []
        where = zip(self._source[grams].tolist(), self._place[grams].tolist(), self._size[grams].tolist(), strict=True)
        for language, place, size in where:
            if size > MAX_ORDER:  # a word: what is written before it may be another row
                symbols = self._letters[language].symbols[place : place + size - 2]
                answer.append(f" {''.join(map(chr, symbols.tolist()))} ")
            else:
                answer.append("".join(map(chr, self._letters[language].symbols[place : place + size].tolist())))
        return answer

    def top(self, number: int) -> list[str]:
        """The paper's choice (section 4.2): the n-grams with the greatest F(g), of equal ones the commoner first."""
        score = fisher.discriminant(self.moments)
        mass = np.bincount(self.moments.gram, weights=self.moments.mean, minlength=self.moments.grams)
        return self._admissible(np.lexsort((-mass, -score)), number)

    def in_turn(self, number: int, weights: NDArray[np.float64]) -> list[str]:
        """The n-grams that the languages choose in turn, each by its own terms of formula 0.5.

        Args:
            number: How many are wanted at most.
            weights: How often each language has its turn.
        """
        score = fisher.one_against_rest(self.moments)
        order = fisher.in_turn(score, self.moments.gram, self.moments.language, weights, number * 2)
        return self._admissible(order, number)

    def _admissible(self, order: NDArray[np.int64], number: int) -> list[str]:
        strings = self.strings(order[: number * 2])
        return [strings[i] for i in admissible(strings, bits=bits_for(number))[:number].tolist()]


def _ngrams(letters: Letters, order: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Key, place and size of every n-gram of one order, row after row."""
    index = np.arange(int(letters.lengths.sum()))
    before = np.cumsum(letters.lengths) - letters.lengths
    place = index + np.repeat(letters.starts - before, letters.lengths)
    return wide_hashes(letters.symbols, order)[place], place, np.full(len(place), order)


def _words(letters: Letters, order: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Key, place and size (with its two spaces) of every word that is longer than the n-grams of an order."""
    begins, ends = words(letters)
    long = (ends - begins + 2 > max(order, MAX_ORDER)) & (ends - begins <= _LONGEST_WORD)
    begins, ends = begins[long], ends[long]
    # Two independent hashes of 32 bits make one of 64.
    low = word_hashes(letters.symbols, begins, ends).astype(np.uint64)
    high = word_hashes(letters.symbols * np.uint32(0xC2B2AE35), begins, ends).astype(np.uint64)
    return (high << np.uint64(32)) | low, begins, ends - begins + 2


def _moments(
    keys: NDArray[np.uint64],
    place: NDArray[np.int64],
    size: NDArray[np.int64],
    letters: Letters,
    seen: int,
    *,
    smooth: bool,
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    rows = len(letters.lengths)
    row = np.searchsorted(letters.starts, place, side="right") - 1
    unique, first, gram = np.unique(keys, return_index=True, return_inverse=True)
    pairs, counts = np.unique(gram * rows + row, return_counts=True)
    gram, document = np.divmod(pairs, rows)
    share = fisher.frequencies(counts.astype(np.float64), document, rows)
    mean, variance, standing = fisher.moments(share, gram, len(unique), rows)
    if smooth:
        variance = np.maximum(variance, mean**2 / max(rows, 1))
    chosen = np.flatnonzero(standing >= min(seen, rows))
    return unique[chosen], place[first[chosen]], size[first[chosen]], mean[chosen], variance[chosen]
