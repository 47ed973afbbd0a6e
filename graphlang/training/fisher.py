"""Choose features by the Fisher discriminant (Hayati 2004, section 4.1, formulas 0.2 to 0.5).

The paper leaves open the following points:

* *What a training document is.* Whole web pages there. The variance inside a language depends on it, so documents of
  about equal length are made (`corpus.join_documents`), at most a fixed number of a language.
* *Denominators of zero.* An n-gram whose share is the same in all documents of each language, as it is when a language
  has one document, would get an infinite discriminant; and one in a single document of a language with m documents gets
  about (k - 1) / (m - 1), most where there are fewest documents. So an n-gram counts for a language only if it is in
  two of its documents (or in its only one), and the variance of a share is at least mean ** 2 / m, which is about what
  one more document without the n-gram would bring.
* *Many languages in many scripts.* Formula 0.5 adds up over all pairs of languages: with hundreds of them its top 1000
  are the most frequent n-grams of scripts that few languages share and of languages whose documents resemble each other
  most, and the large languages in Latin script get few of their own. `score_against_rest` keeps the formula but lets
  each language rank by its own terms of the sum, so that all get their share.
* *Several orders.* Formula 0.3 divides by the length of the vector over all n-grams of one order, so that the shares of
  single characters do not drown those of longer n-grams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.ngrams.keys import MAX_ORDER, wide_hashes, word_hashes, words
from graphlang.content.ngrams.vocabulary import admissible, bits_for
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
    `language[e]`. Pairs that are not listed are 0 and 0.
    """

    gram: Ints
    language: Ints
    mean: Floats
    variance: Floats
    grams: int
    languages: int


def compute_frequencies(counts: Floats, document: Ints, documents: int) -> Floats:
    """Compute `Freq(g, d)` (0.2 and 0.3) of the entries of a sparse count matrix: each document's vector gets length 1.

    |d| of formula 0.2 cancels, so that counts give the same answer as shares. Shapes: counts (entries,), occurrences of
    each n-gram in a document; document (entries,).

    >>> compute_frequencies(np.array([3.0, 4.0, 2.0]), np.array([0, 0, 1]), 2)
    array([0.6, 0.8, 1. ])
    """
    squares = np.bincount(document, weights=counts**2, minlength=documents)
    result: Floats = counts / np.sqrt(squares)[document]
    return result


def compute_moments(share: Floats, gram: Ints, grams: int, documents: int) -> tuple[Floats, Floats, Ints]:
    """Compute mean (0.4) and variance of `Freq` over one language's documents, and the documents with each n-gram.

    Shapes: share (entries,), `Freq` of each n-gram in a document; gram (entries,). `grams` and `documents` are the
    numbers of n-grams and of the language's documents.

    >>> mean, variance, seen = compute_moments(np.array([0.6, 0.8, 1.0]), np.array([0, 1, 1]), 2, documents=2)
    >>> mean.round(3), variance.round(3), seen
    (array([0.3, 0.9]), array([0.09, 0.01]), array([1, 2]))
    """
    mean = np.bincount(gram, weights=share, minlength=grams) / documents
    square = np.bincount(gram, weights=share**2, minlength=grams) / documents
    seen = np.bincount(gram, minlength=grams)
    return mean, np.maximum(square - mean**2, 0.0), seen


def discriminant(m: Moments) -> Floats:
    """`F(g)` (0.5) of every n-gram, each pair of languages counted once.

    The double sum needs no loop over pairs: sum over i < j of (a_i - a_j)^2 = k * sum(a_i^2) - (sum a_i)^2.
    An n-gram whose variance is 0 everywhere gets infinity when its means differ and 0 when they do not.
    """
    total = _sums(m.gram, m.mean, m.grams)
    squares = _sums(m.gram, m.mean**2, m.grams)
    return _ratio(m.languages * squares - total**2, sum_within_variance(m))


def sum_within_variance(m: Moments) -> Floats:
    """The denominator of formula 0.5: the sum over languages of the variance inside each."""
    return _sums(m.gram, m.variance, m.grams)


def score_against_rest(m: Moments) -> Floats:
    """The terms of `F(g)` that language i has a part in, for every entry: sum over j of (mu_i - mu_j)^2 / within.

    Negative where the n-gram is rarer in i than on average.
    """
    total = _sums(m.gram, m.mean, m.grams)
    squares = _sums(m.gram, m.mean**2, m.grams)
    between = m.languages * m.mean**2 - 2 * m.mean * total[m.gram] + squares[m.gram]
    sign = np.where(m.mean * m.languages >= total[m.gram], 1.0, -1.0)
    return sign * _ratio(between, sum_within_variance(m)[m.gram])


def _sums(group: Ints, values: Floats, groups: int) -> Floats:
    return np.asarray(np.bincount(group, weights=values, minlength=groups), dtype=np.float64)


def _ratio(over: Floats, under: Floats) -> Floats:
    over = np.maximum(over, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(under > 0, over / under, np.where(over > 0, np.inf, 0.0))
    return result


def choose_in_turn(score: Floats, gram: Ints, language: Ints, weights: Floats, number: int) -> Ints:
    """Return at most `number` n-grams that the languages choose in turn, best first.

    A language of weight w chooses its rank r on turn r / w: with weights of one, each language's first, then each one's
    second, and so on. `score` (entries,) is the `score_against_rest` of each n-gram and language; entries that are not
    positive are not chosen.
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


class FeatureCandidates:
    """All n-grams of all training documents with their moments in every language.

    `documents` are by label, `orders` are lengths of n-grams. With `words`, whole words that are longer than any n-gram
    are candidates too. `scripts` has per label the script whose letters alone are read (a number of
    `scripts.registry`); None reads all. An n-gram counts for a language if it is in `seen` of its documents. `limit` is
    the longest part of a document that is read. With `smooth` the variance gets the floor described above. With
    `closed` the last word is followed by a space before the text wraps round. `progress` gets the labels counted, and
    the number of labels.
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
            text_scripts = None if scripts is None else np.full(len(texts), scripts[number], dtype=np.uint8)
            letters = normalise(
                texts,
                limit=limit,
                margin=max(orders) - 1,
                closed=closed,
                one_script=text_scripts is not None,
                wanted=text_scripts,
            )
            self._letters.append(letters)
            counted = [
                _language_moments(*_locate_ngrams(letters, order), letters, seen, smooth=smooth) for order in orders
            ]
            if words:
                counted.append(_language_moments(*_locate_words(letters, max(orders)), letters, seen, smooth=smooth))
            keys.append(np.concatenate([c[0] for c in counted]))
            parts.append([c[1:] for c in counted])
            progress(number + 1, len(documents))
        sizes = [len(k) for k in keys]
        unique, first, gram = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
        language = np.repeat(np.arange(len(documents)), sizes)
        columns = [np.concatenate([c[i] for text_scripts in parts for c in text_scripts]) for i in range(4)]
        self._source = language[first]
        self._place = columns[0][first]
        self._size = columns[1][first]
        self.moments = Moments(gram, language, columns[2], columns[3], len(unique), len(documents))

    def strings(self, grams: NDArray[np.int64]) -> list[str]:
        """The n-grams as strings."""
        answer = []
        where = zip(self._source[grams].tolist(), self._place[grams].tolist(), self._size[grams].tolist(), strict=True)
        for language, place, size in where:
            if size > MAX_ORDER:  # a word: what is written before it may be another row
                symbols = self._letters[language].symbols[place : place + size - 2]
                answer.append(f" {''.join(map(chr, symbols.tolist()))} ")
            else:
                answer.append("".join(map(chr, self._letters[language].symbols[place : place + size].tolist())))
        return answer

    def choose_top(self, number: int) -> list[str]:
        """The paper's choice (section 4.2): the n-grams with the greatest F(g), of equal ones the commoner first."""
        score = discriminant(self.moments)
        mass = np.bincount(self.moments.gram, weights=self.moments.mean, minlength=self.moments.grams)
        return self._admissible(np.lexsort((-mass, -score)), number)

    def choose_in_turn(self, number: int, weights: NDArray[np.float64]) -> list[str]:
        """Return at most `number` n-grams that the languages choose in turn, each by its own terms of formula 0.5.

        `weights` are the turns of each language.
        """
        score = score_against_rest(self.moments)
        order = choose_in_turn(score, self.moments.gram, self.moments.language, weights, number * 2)
        return self._admissible(order, number)

    def _admissible(self, order: NDArray[np.int64], number: int) -> list[str]:
        strings = self.strings(order[: number * 2])
        return [strings[i] for i in admissible(strings, bits=bits_for(number))[:number].tolist()]


def _locate_ngrams(letters: Letters, order: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Key, place and size of every n-gram of one order, row after row."""
    index = np.arange(int(letters.lengths.sum()))
    before = np.cumsum(letters.lengths) - letters.lengths
    place = index + np.repeat(letters.starts - before, letters.lengths)
    return wide_hashes(letters.symbols, order)[place], place, np.full(len(place), order)


def _locate_words(letters: Letters, order: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Key, place and size (with its two spaces) of every word that is longer than the n-grams of an order."""
    begins, ends = words(letters)
    long = (ends - begins + 2 > max(order, MAX_ORDER)) & (ends - begins <= _LONGEST_WORD)
    begins, ends = begins[long], ends[long]
    # Two independent hashes of 32 bits make one of 64.
    low = word_hashes(letters.symbols, begins, ends).astype(np.uint64)
    high = word_hashes(letters.symbols * np.uint32(0xC2B2AE35), begins, ends).astype(np.uint64)
    return (high << np.uint64(32)) | low, begins, ends - begins + 2


def _language_moments(
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
    share = compute_frequencies(counts.astype(np.float64), document, rows)
    mean, variance, standing = compute_moments(share, gram, len(unique), rows)
    if smooth:
        variance = np.maximum(variance, mean**2 / max(rows, 1))
    chosen = np.flatnonzero(standing >= min(seen, rows))
    return unique[chosen], place[first[chosen]], size[first[chosen]], mean[chosen], variance[chosen]
