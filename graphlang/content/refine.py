"""Refine the languages' vectors: move them until they tell the training lines apart (multinomial logistic regression).

The vectors of formula 0.6 say how common each n-gram is in a language. Here they are the start: factored into vectors
of a few dimensions, then moved by stochastic gradient (Adam) so that the softmax of the inner products gives each
training text its own language. The texts are lines cut to every length from one word on, drawn anew each round, so
that short texts count as much as long ones. A language with more text is drawn more often, by a power of its
size less than one: that is the prior that the bias learns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.content.calibrate import softmax
from graphlang.content.ngrams import blocks
from graphlang.content.normalise import normalise
from graphlang.content.refined import text_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphlang.content.ngrams import Vocabulary

    Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Vectors:
    """Features (features, dimensions), languages (languages, dimensions) and the languages' bias."""

    features: Floats
    languages: Floats
    bias: Floats


class Cuts:
    """Draws pieces of training lines, of all lengths, for every language.

    Args:
        lines: Per language its lines.
        shortest: Characters of the shortest piece.
        longest: Characters of the longest piece; lengths are spread evenly over their logarithm.
        random: The source of chance.
    """

    def __init__(
        self, lines: Sequence[Sequence[str]], *, shortest: int, longest: int, random: np.random.Generator
    ) -> None:
        self._lines = lines
        self._ends = [np.cumsum([len(line) for line in own]) for own in lines]
        self._range = (np.log(shortest), np.log(longest))
        self._random = random

    def draw(self, numbers: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
        """`numbers[i]` pieces of language i, in mixed order, and the language of each."""
        texts: list[str] = []
        for lines, ends, number in zip(self._lines, self._ends, numbers.tolist(), strict=True):
            if not len(ends):
                continue
            chosen = np.searchsorted(ends, self._random.random(number) * ends[-1], side="right")
            sizes = np.exp(self._random.uniform(*self._range, number)).astype(np.int64)
            begins = self._random.random(number)
            drawn = zip(chosen.tolist(), sizes.tolist(), begins.tolist(), strict=True)
            texts += [_piece(lines[line], size, begin) for line, size, begin in drawn]
        counts = [number if len(ends) else 0 for ends, number in zip(self._ends, numbers.tolist(), strict=True)]
        truth = np.repeat(np.arange(len(counts)), counts)
        order = self._random.permutation(len(truth))
        return [texts[i] for i in order.tolist()], truth[order]


def _piece(line: str, size: int, begin: float) -> str:
    """A piece of about `size` characters that begins with a word, or anywhere where words are not parted by spaces."""
    if len(line) <= size:
        return line
    start = int(begin * (len(line) - size + 1))
    if start:
        space = line.find(" ", start - 1, start + 20)
        start = space + 1 if space >= 0 else start
    return line[start : start + size]


def vectorise(vocabulary: Vocabulary, texts: Sequence[str], *, limit: int, closed: bool) -> sparse.csr_array:
    """`refined.text_vectors` of many texts, block by block."""
    margin = max(vocabulary.orders) - 1
    parts = [
        text_vectors(vocabulary, normalise(texts[a:b], limit=limit, margin=margin, closed=closed))
        for a, b in blocks(texts, limit=limit)
    ]
    return sparse.csr_array(sparse.vstack(parts, format="csr"))


def start(reference: Floats, dimensions: int, random: np.random.Generator) -> Vectors:
    """Factor the languages' vectors of 0.7, (languages, features): features @ languages.T is as near as may be.

    A randomised singular value decomposition: the product with a few random directions spans nearly the space that the
    vectors vary in.
    """
    languages = len(reference)
    dimensions = min(dimensions, languages, reference.shape[1])
    left, sizes, right = np.linalg.svd(reference - reference.mean(axis=0), full_matrices=False)
    root = np.sqrt(sizes[:dimensions])
    scale = 1.0 / max(float(root.mean()), 1e-6)
    features = (right[:dimensions].T * root * scale).astype(np.float32)
    features += random.normal(0, 0.03, features.shape).astype(np.float32)
    return Vectors(features, (left[:, :dimensions] * root * scale).astype(np.float32), np.zeros(languages, np.float32))


class _Adam:
    """Adam (Kingma & Ba 2015) on an array, or on some of its rows; without correction of the first steps."""

    def __init__(self, values: Floats) -> None:
        self.values = values
        self._mean = np.zeros_like(values)
        self._square = np.zeros_like(values)

    def move(self, slope: Floats, rate: float, rows: NDArray[np.int64] | slice = slice(None)) -> None:
        mean = self._mean[rows] * np.float32(0.9) + np.float32(0.1) * slope
        square = self._square[rows] * np.float32(0.99) + np.float32(0.01) * slope * slope
        self._mean[rows] = mean
        self._square[rows] = square
        self.values[rows] -= np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))


def refine(
    vectors: Vectors,
    draw: Callable[[], tuple[sparse.csr_array, NDArray[np.int64]]],
    *,
    rounds: int,
    rate: float,
    batch: int,
    progress: Callable[[int, int, float], None] = lambda _done, _all, _loss: None,
) -> Vectors:
    """Train; `draw` gives one round's texts as vectors and their languages. The rate falls linearly to a fiftieth."""
    features, languages, bias = (_Adam(part.copy()) for part in (vectors.features, vectors.languages, vectors.bias))
    for number in range(rounds):
        texts, truth = draw()
        loss = 0.0
        for begin in range(0, len(truth), batch):
            x, y = texts[begin : begin + batch], truth[begin : begin + batch]
            rows = np.arange(len(y))
            now = rate * max(0.02, 1 - (number + begin / len(truth)) / rounds)
            hidden = x @ features.values
            chance = softmax(hidden @ languages.values.T + bias.values)
            loss -= float(np.log(np.maximum(chance[rows, y], 1e-9)).sum())
            chance[rows, y] -= 1
            chance /= np.float32(len(y))
            back = chance @ languages.values
            languages.move(chance.T @ hidden, now)
            bias.move(chance.sum(axis=0), now)
            used, place = np.unique(x.indices, return_inverse=True)
            small = sparse.csr_array((x.data, place, x.indptr), shape=(len(y), len(used)))
            features.move(small.T.tocsr() @ back, now, used)
        progress(number + 1, rounds, loss / max(len(truth), 1))
    return Vectors(features.values, languages.values, bias.values)
