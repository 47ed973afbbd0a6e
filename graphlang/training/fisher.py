"""Choose features by the Fisher discriminant (Hayati 2004, section 4.1, formulas 0.2 to 0.5).

The paper leaves these points open:

* *What a training document is.* The paper has whole web pages. The variance within a language depends on their length,
  so documents of about equal length are made (`corpus.join_documents`), at most a fixed number per language.
* *Denominators of zero.* An n-gram with the same share in all documents of each language, for example in its only one,
  would get an infinite discriminant. An n-gram in a single document of a language with m documents would get about
  (k - 1) / (m - 1), which is largest for the fewest documents. So an n-gram counts for a language only if it is in two
  of its documents (or in the only one). The variance of a share is at least mean ** 2 / m, which is about the effect of
  one more document without the n-gram.
* *Many languages in many scripts.* Formula 0.5 sums over all pairs of languages. With hundreds of them, its top 1000
  are frequent n-grams of scripts with few languages and of languages with uniform documents; large languages in Latin
  script get few. `score_against_rest` ranks n-grams for each language by its terms of the sum, so that all get a share.
* *Several orders.* Formula 0.3 divides by the length of the vector over all n-grams of one order, so that the large
  shares of single characters do not hide those of longer n-grams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.ngrams.keys import MAX_ORDER, find_words, hash_ngrams, hash_words
from graphlang.content.ngrams.vocabulary import choose_bits, find_admissible
from graphlang.content.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Letters

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and variance of `Freq(g, d)` over the documents of a language, for the n-grams that occur in them.

    Entry e: n-gram `gram[e]` has mean `mean[e]` (0.4) and variance `variance[e]` in the documents of language
    `language[e]`. For all other pairs both are 0.
    """

    gram: Ints
    language: Ints
    mean: Floats
    variance: Floats
    grams: int
    languages: int


def compute_frequencies(counts: Floats, document: Ints, documents: int) -> Floats:
    """Compute `Freq(g, d)` (0.2 and 0.3) from a sparse count matrix: the vector of each document gets length 1.

    |d| of formula 0.2 cancels, so counts and shares have the same result. Shapes: counts (entries,), occurrences of
    each n-gram in a document; document (entries,).

    >>> compute_frequencies(np.array([3.0, 4.0, 2.0]), np.array([0, 0, 1]), 2)
    array([0.6, 0.8, 1. ])
    """
    squares = np.bincount(document, weights=counts**2, minlength=documents)
    result: Floats = counts / np.sqrt(squares)[document]
    return result


def compute_moments(share: Floats, gram: Ints, grams: int, documents: int) -> tuple[Floats, Floats, Ints]:
    """Compute mean (0.4) and variance of `Freq` over the documents of a language, and the documents with each n-gram.

    Shapes: share (entries,), `Freq` of each n-gram in a document; gram (entries,). `grams` and `documents` are the
    numbers of n-grams and documents of the language.

    >>> mean, variance, documents_with = compute_moments(np.array([0.6, 0.8, 1.0]), np.array([0, 1, 1]), 2, documents=2)
    >>> mean.round(3), variance.round(3), documents_with
    (array([0.3, 0.9]), array([0.09, 0.01]), array([1, 2]))
    """
    mean = np.bincount(gram, weights=share, minlength=grams) / documents
    square = np.bincount(gram, weights=share**2, minlength=grams) / documents
    documents_with = np.bincount(gram, minlength=grams)
    return mean, np.maximum(square - mean**2, 0.0), documents_with


def compute_discriminant(m: Moments) -> Floats:
    """Compute `F(g)` (0.5) of every n-gram, with each pair of languages once.

    The double sum needs no loop over pairs: sum over i < j of (a_i - a_j)^2 = k * sum(a_i^2) - (sum a_i)^2.
    An n-gram with variance 0 in all languages gets infinity if its means differ, else 0.
    """
    total = _sum_by_group(m.gram, m.mean, m.grams)
    squares = _sum_by_group(m.gram, m.mean**2, m.grams)
    return _divide(m.languages * squares - total**2, sum_within_variance(m))


def sum_within_variance(m: Moments) -> Floats:
    """Compute the denominator of formula 0.5: the sum of the variances within languages."""
    return _sum_by_group(m.gram, m.variance, m.grams)


def score_against_rest(m: Moments) -> Floats:
    """Compute the terms of `F(g)` with language i, for every entry: sum over j of (mu_i - mu_j)^2 / within.

    They are negative if the n-gram is rarer in i than on average.
    """
    total = _sum_by_group(m.gram, m.mean, m.grams)
    squares = _sum_by_group(m.gram, m.mean**2, m.grams)
    between = m.languages * m.mean**2 - 2 * m.mean * total[m.gram] + squares[m.gram]
    sign = np.where(m.mean * m.languages >= total[m.gram], 1.0, -1.0)
    return sign * _divide(between, sum_within_variance(m)[m.gram])


def _sum_by_group(group: Ints, values: Floats, groups: int) -> Floats:
    return np.asarray(np.bincount(group, weights=values, minlength=groups), dtype=np.float64)


def _divide(over: Floats, under: Floats) -> Floats:
    over = np.maximum(over, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(under > 0, over / under, np.where(over > 0, np.inf, 0.0))
    return result


def choose_in_turn(score: Floats, gram: Ints, language: Ints, weights: Floats, number: int) -> Ints:
    """Choose at most `number` n-grams, the languages taking turns, best first.

    A language of weight w chooses the n-gram of its rank r on turn r / w: with equal weights, the first of each
    language, then the second of each, and so on. `score` (entries,) is the `score_against_rest` of each n-gram and
    language; only positive entries are chosen.
    """
    positive = np.flatnonzero(score > 0)
    order = positive[np.lexsort((gram[positive], -score[positive], language[positive]))]
    first = np.searchsorted(language[order], np.arange(len(weights)))
    rank = np.arange(len(order)) - first[language[order]]
    turn = (rank + 1) / weights[language[order]]
    queue = order[np.lexsort((language[order], turn))]
    _, earliest = np.unique(gram[queue], return_index=True)
    chosen: Ints = gram[queue[np.sort(earliest)[:number]]]
    return chosen


_LONGEST_WORD = 30  # a longer one is a sentence in a script without spaces, or no word
_LIMIT = 20_000  # characters of a document that are read
_LEAST_DOCUMENTS = 2  # of a language, that have an n-gram for it to count


class FeatureCandidates:
    """All n-grams of all training documents with their moments in every language.

    `documents` are by label, `orders` are lengths of n-grams. With `words`, words longer than any n-gram are candidates
    too. `scripts` has the registry number of each label's script, whose letters alone are read; None reads all. With
    `closed` a space follows the last word before the text wraps round. `progress` gets the finished labels and all
    labels.
    """

    def __init__(
        self,
        documents: Sequence[Sequence[str]],
        *,
        orders: tuple[int, ...],
        words: bool = False,
        scripts: Sequence[int] | None = None,
        closed: bool = True,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> None:
        self._letters: list[Letters] = []
        keys: list[NDArray[np.uint64]] = []
        parts: list[list[tuple[NDArray[Any], ...]]] = []
        for number, texts in enumerate(documents):
            text_scripts = None if scripts is None else np.full(len(texts), scripts[number], dtype=np.uint8)
            letters = normalise(
                texts,
                limit=_LIMIT,
                margin=max(orders) - 1,
                closed=closed,
                one_script=text_scripts is not None,
                row_scripts=text_scripts,
            )
            self._letters.append(letters)
            located = [_locate_ngrams(letters, order) for order in orders]
            if words:
                located.append(_locate_words(letters, max(orders)))
            moments = [_compute_language_moments(*place, letters) for place in located]
            keys.append(np.concatenate([c[0] for c in moments]))
            parts.append([c[1:] for c in moments])
            progress(number + 1, len(documents))
        sizes = [len(k) for k in keys]
        unique, first, gram = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
        language = np.repeat(np.arange(len(documents)), sizes)
        columns = [np.concatenate([c[i] for language_moments in parts for c in language_moments]) for i in range(4)]
        self._source = language[first]
        self._place = columns[0][first]
        self._size = columns[1][first]
        self.moments = Moments(gram, language, columns[2], columns[3], len(unique), len(documents))

    def list_strings(self, grams: NDArray[np.int64]) -> list[str]:
        """List n-grams as strings."""
        strings = []
        columns = (column[grams].tolist() for column in (self._source, self._place, self._size))
        for language, place, size in zip(*columns, strict=True):
            if size > MAX_ORDER:  # a word; the symbols around it may belong to other rows
                symbols = self._letters[language].symbols[place : place + size - 2]
                strings.append(f" {''.join(map(chr, symbols.tolist()))} ")
            else:
                strings.append("".join(map(chr, self._letters[language].symbols[place : place + size].tolist())))
        return strings

    def choose_top(self, number: int) -> list[str]:
        """Choose the n-grams with the greatest F(g), of equal ones the commoner first (section 4.2)."""
        score = compute_discriminant(self.moments)
        mass = np.bincount(self.moments.gram, weights=self.moments.mean, minlength=self.moments.grams)
        return self._select_admissible(np.lexsort((-mass, -score)), number)

    def choose_in_turn(self, number: int, weights: NDArray[np.float64]) -> list[str]:
        """Choose at most `number` n-grams: the languages take turns by `weights`, each by its terms of formula 0.5."""
        score = score_against_rest(self.moments)
        order = choose_in_turn(score, self.moments.gram, self.moments.language, weights, number * 2)
        return self._select_admissible(order, number)

    def _select_admissible(self, order: NDArray[np.int64], number: int) -> list[str]:
        strings = self.list_strings(order[: number * 2])
        return [strings[i] for i in find_admissible(strings, bits=choose_bits(number))[:number].tolist()]


def _locate_ngrams(letters: Letters, order: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Locate the n-grams of one order, row after row: their keys, places and sizes."""
    index = np.arange(int(letters.lengths.sum()))
    offsets = np.cumsum(letters.lengths) - letters.lengths
    place = index + np.repeat(letters.starts - offsets, letters.lengths)
    return hash_ngrams(letters.symbols, order)[place], place, np.full(len(place), order)


def _locate_words(letters: Letters, order: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Locate the words longer than the n-grams of an order: their keys, places and sizes with two spaces."""
    begins, ends = find_words(letters)
    long = (ends - begins + 2 > max(order, MAX_ORDER)) & (ends - begins <= _LONGEST_WORD)
    begins, ends = begins[long], ends[long]
    # Two independent hashes of 32 bits form one of 64.
    low = hash_words(letters.symbols, begins, ends).astype(np.uint64)
    high = hash_words(letters.symbols * np.uint32(0xC2B2AE35), begins, ends).astype(np.uint64)
    return (high << np.uint64(32)) | low, begins, ends - begins + 2


def _compute_language_moments(
    keys: NDArray[np.uint64], place: NDArray[np.int64], size: NDArray[np.int64], letters: Letters
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    rows = len(letters.lengths)
    row = np.searchsorted(letters.starts, place, side="right") - 1
    unique, first, gram = np.unique(keys, return_index=True, return_inverse=True)
    pairs, counts = np.unique(gram * rows + row, return_counts=True)
    gram, document = np.divmod(pairs, rows)
    share = compute_frequencies(counts.astype(np.float64), document, rows)
    mean, variance, documents_with = compute_moments(share, gram, len(unique), rows)
    variance = np.maximum(variance, mean**2 / max(rows, 1))
    chosen = np.flatnonzero(documents_with >= min(_LEAST_DOCUMENTS, rows))
    return unique[chosen], place[first[chosen]], size[first[chosen]], mean[chosen], variance[chosen]
