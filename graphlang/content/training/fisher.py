"""Which n-grams tell languages apart: the Fisher discriminant (Hayati 2004, section 4.1, formulas 0.2 to 0.5).

What the paper leaves open, and what is done here:

* *What a training document is.* Whole web pages there. The variance inside a language depends on it, so documents of
  about equal length are made (`corpus.documents`), at most so many of a language.
* *Denominators of zero.* An n-gram whose share is the same in all documents of each language, as it is when a language
  has one document, would get an infinite discriminant; and one that stands in a single document of a language with m
  documents gets about (k - 1) / (m - 1), most where there are fewest documents. So an n-gram must stand in two
  documents of a language to count for it (in its only one, where it has but one), and the variance of a share is never
  taken to be less than mean ** 2 / m, which is about what one more document without the n-gram would bring.
* *Many languages in many scripts.* Formula 0.5 adds up over all pairs of languages: with hundreds of them its top 1000
  are the commonest n-grams of scripts that few languages share and of languages whose documents resemble each other
  most, and the great languages in Latin script get few of their own. `one_against_rest` keeps the formula but lets each
  language rank by its own terms of the sum, so that all get their share.
* *Several orders.* Formula 0.3 divides by the length of the vector over all n-grams of one order, so that the shares
  of single characters do not drown those of longer n-grams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and variance of `Freq(g, d)` over the documents of a language, for the n-grams that stand there.

    Entry e says: n-gram `gram[e]` has mean `mean[e]` (0.4) and variance `variance[e]` in the documents of language
    `language[e]`. Pairs that are not listed are 0 and 0.
    """

    gram: Ints
    language: Ints
    mean: Floats
    variance: Floats
    grams: int
    languages: int


def frequencies(counts: Floats, document: Ints, documents: int) -> Floats:
    """`Freq(g, d)` (0.2 and 0.3) of the entries of a sparse count matrix: each document's vector gets length 1.

    |d| of formula 0.2 cancels, so that counts give the same answer as shares.

    Args:
        counts: How often each n-gram stands in a document, (entries,).
        document: Which document, (entries,).
        documents: How many there are.

    >>> frequencies(np.array([3.0, 4.0, 2.0]), np.array([0, 0, 1]), 2)
    array([0.6, 0.8, 1. ])
    """
    squares = np.bincount(document, weights=counts**2, minlength=documents)
    result: Floats = counts / np.sqrt(squares)[document]
    return result


def moments(share: Floats, gram: Ints, grams: int, documents: int) -> tuple[Floats, Floats, Ints]:
    """Mean (0.4) and variance of `Freq` over one language's documents, and in how many of them each n-gram stands.

    Args:
        share: `Freq` of each n-gram in a document, (entries,).
        gram: Which n-gram, (entries,).
        grams: How many n-grams there are.
        documents: How many documents of the language there are.

    >>> mean, variance, seen = moments(np.array([0.6, 0.8, 1.0]), np.array([0, 1, 1]), 2, documents=2)
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
    return _ratio(m.languages * squares - total**2, within(m))


def within(m: Moments) -> Floats:
    """The denominator of formula 0.5: the sum over languages of the variance inside each."""
    return _sums(m.gram, m.variance, m.grams)


def one_against_rest(m: Moments) -> Floats:
    """The terms of `F(g)` that language i has a part in, for every entry: sum over j of (mu_i - mu_j)^2 / within.

    Negative where the n-gram is rarer in i than on average: it then speaks for the others.
    """
    total = _sums(m.gram, m.mean, m.grams)
    squares = _sums(m.gram, m.mean**2, m.grams)
    between = m.languages * m.mean**2 - 2 * m.mean * total[m.gram] + squares[m.gram]
    sign = np.where(m.mean * m.languages >= total[m.gram], 1.0, -1.0)
    return sign * _ratio(between, within(m)[m.gram])


def _sums(group: Ints, values: Floats, groups: int) -> Floats:
    return np.asarray(np.bincount(group, weights=values, minlength=groups), dtype=np.float64)


def _ratio(over: Floats, under: Floats) -> Floats:
    over = np.maximum(over, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(under > 0, over / under, np.where(over > 0, np.inf, 0.0))
    return result


def in_turn(score: Floats, gram: Ints, language: Ints, weights: Floats, number: int) -> Ints:
    """The `number` n-grams that the languages choose when they take turns, best first.

    A language of weight w has had its rank r on turn r / w: with weights of one, each language's first, then each one's
    second, and so on. `score` is `one_against_rest`; entries that are not positive are no choice.

    Args:
        score: `one_against_rest` of each n-gram and language, (entries,).
        gram: Which n-gram, (entries,).
        language: Which language, (entries,).
        weights: Of each language.
        number: How many are wanted at most.
    """
    wanted = np.flatnonzero(score > 0)
    order = wanted[np.lexsort((gram[wanted], -score[wanted], language[wanted]))]
    first = np.searchsorted(language[order], np.arange(len(weights)))
    rank = np.arange(len(order)) - first[language[order]]
    turn = (rank + 1) / weights[language[order]]
    queue = order[np.lexsort((language[order], turn))]
    _, earliest = np.unique(gram[queue], return_index=True)
    chosen: Ints = gram[queue[np.sort(earliest)[:number]]]
    return chosen
