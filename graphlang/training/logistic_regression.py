"""Train language vectors: counts first, then multinomial logistic regression.

The start is generative: the weight of n-gram g in language i is log(1 + n_i(g) / e(g)), with n_i(g) its occurrences in
the language's documents and e(g) those expected in a short text of no particular language. The rest of the log
likelihood ratio (naive Bayes with a smoothed prior) is the same for all n-grams of a language, its `base`. Stochastic
gradient descent (Adagrad, Duchi et al. 2011) then moves the vectors until the softmax of the inner products predicts
the language of each training text. Only the weights of languages with a noticeable probability move. The texts are
excerpts of one word or more, drawn again each round (`excerpts`), so that short texts count as much as long ones.

The counts include these texts: an n-gram that occurs in no other text of a language supports it as much as a common
n-gram does, which it would not do in a new text. So each text is scored as if it had not been counted
(`leave_one_out`), and training learns only what is missing in the counts. Languages with little text gain most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.content.calibration import compute_probabilities
from graphlang.content.native import tally as _kernels
from graphlang.content.text.normalise import cut_blocks, normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphlang.content.ngrams.vocabulary import Vocabulary

    Floats = NDArray[np.float32]


_NOTICEABLE = 0.004  # a smaller slope moves no weight
_START = 1e-3  # initial sum of squares of Adagrad


@dataclass(frozen=True, slots=True)
class Vectors:
    """Weights (features, languages), and for each language that of every n-gram (`base`) and of every text (`bias`)."""

    weights: Floats
    base: Floats
    bias: Floats


def start_vectors(counts: NDArray[np.int32], letters: NDArray[np.int64], smoothing: float) -> Vectors:
    """Compute the first weights from counts.

    Shapes: counts (languages, features), occurrences in the documents of each language; letters (languages,), their
    characters. `smoothing` characters of text of no particular language are added to each language.
    """
    expected = np.maximum(counts.sum(axis=0) * (smoothing / letters.sum()), 1e-6).astype(np.float32)
    weights = np.ascontiguousarray(counts.T, dtype=np.float32)
    weights /= expected[:, None]
    np.log1p(weights, out=weights)
    base = np.log(smoothing / (letters + smoothing)).astype(np.float32)
    return Vectors(weights, base, np.zeros(len(letters), dtype=np.float32))


def leave_one_out(
    counts: NDArray[np.int32], letters: NDArray[np.int64], smoothing: float
) -> Callable[[sparse.csr_array, NDArray[np.int64]], Floats]:
    """Return a function of texts and their languages: the change of each score if its text had not been counted.

    Each occurrence of a feature is left out separately, so a feature that is twice in one text only counts for half.
    Arguments are as for `start_vectors`.

    >>> change = leave_one_out(np.array([[1, 5]]), np.array([100]), 100.0)
    >>> change(to_vectors(np.array([0, 1]), np.array([0, 1, 2]), 2), np.array([0, 0])).round(3).tolist()
    [-0.6930000185966492, -0.10499999672174454]
    """
    expected = np.maximum(counts.sum(axis=0) * (smoothing / letters.sum()), 1e-6).astype(np.float32)

    def compute_change(texts: sparse.csr_array, truth: NDArray[np.int64]) -> Floats:
        rows = np.repeat(np.arange(len(truth)), np.diff(texts.indptr))
        count = counts[truth[rows], texts.indices].astype(np.float32)
        other_count = np.maximum(count - 1, 0)
        expect = expected[texts.indices]
        lost = texts.data * (np.log1p(other_count / expect) - np.log1p(count / expect))
        return np.bincount(rows, weights=lost, minlength=len(truth)).astype(np.float32)

    return compute_change


def find_features(
    vocabulary: Vocabulary, texts: Sequence[str], *, limit: int, closed: bool, script: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Find the features of texts in one script, joined, and the offset at which each text starts, (texts + 1,)."""
    features, numbers = [np.zeros(0, dtype=np.int32)], [np.zeros(1, dtype=np.int64)]
    for begin, end in cut_blocks(texts, limit=limit):
        letters = normalise(
            texts[begin:end],
            limit=limit,
            margin=vocabulary.margin,
            closed=closed,
            one_script=True,
            row_scripts=np.full(end - begin, script, dtype=np.uint8),
        )
        block_features, offsets = vocabulary.find(letters)
        features.append(block_features)
        numbers.append(np.diff(offsets))
    return np.concatenate(features), np.cumsum(np.concatenate(numbers))


def to_vectors(features: NDArray[np.int32], offsets: NDArray[np.int64], size: int) -> sparse.csr_array:
    """Make rows of `size` features from texts: an occurrence counts 1 / sqrt(number of features of the text).

    Text t has `features[offsets[t] : offsets[t + 1]]`.
    """
    number = np.diff(offsets)
    weights = np.repeat(1 / np.sqrt(np.maximum(number, 1)), number).astype(np.float32)
    return sparse.csr_array((weights, features, offsets), shape=(len(number), size))


def score_texts(vectors: Vectors, texts: sparse.csr_array) -> Floats:
    """Compute the inner products of texts (texts, features) and the languages' vectors, (texts, languages)."""
    root = np.sqrt(np.diff(texts.indptr)).astype(np.float32)
    features, labels = vectors.weights.shape
    result = np.empty((len(root), labels), dtype=np.float32)
    _kernels.tally_products(
        feature=texts.indices.astype(np.int32),
        value=texts.data,
        offsets=texts.indptr.astype(np.int64),
        dense_row=np.arange(features, dtype=np.int32),
        dense=vectors.weights,
        starts=np.zeros(features + 1, dtype=np.int64),
        columns=np.zeros(0, dtype=np.int32),
        values=np.zeros(0, dtype=np.float32),
        out=result,
    )
    result += root[:, None] * vectors.base
    result += vectors.bias
    return result


def refine_vectors(
    vectors: Vectors,
    draw: Callable[[], tuple[sparse.csr_array, NDArray[np.int64], Floats]],
    correction: Callable[[sparse.csr_array, NDArray[np.int64]], Floats],
    *,
    rounds: int,
    rate: float,
    batch: int,
    progress: Callable[[int, int, float], None] = lambda _done, _all, _loss: None,
) -> Vectors:
    """Train vectors in place. The rate falls linearly to 0.

    `draw` returns the texts of one round as vectors, their languages, and fixed log-odds of each text: the log of each
    language's probability, (texts, languages) or one row for all texts. Training learns only what these do not explain.
    `correction` is added to the score of each text in its language (`leave_one_out`). `rate` is the first step, `batch`
    the texts per step. `progress` gets the finished rounds, all rounds and the mean loss.
    """
    squares = np.full(vectors.weights.shape, _START, dtype=np.float32)
    bias_squares = np.full(vectors.bias.shape, _START, dtype=np.float32)
    flat, flat_squares = vectors.weights.reshape(-1), squares.reshape(-1)
    for number in range(rounds):
        texts, truth, log_prior = draw()
        loss = 0.0
        for begin in range(0, len(truth), batch):
            x, y = texts[begin : begin + batch], truth[begin : begin + batch]
            rows = np.arange(len(y))
            step = np.float32(rate * (1 - (number + begin / len(truth)) / rounds))
            slope = score_texts(vectors, x)
            slope[rows, y] += correction(x, y)
            slope = compute_probabilities(
                slope + (log_prior[begin : begin + batch] if len(log_prior) > 1 else log_prior)
            )
            loss -= float(np.log(np.maximum(slope[rows, y], 1e-9)).sum())
            slope[rows, y] -= 1
            slope[np.abs(slope) < _NOTICEABLE] = 0
            bias_slope = slope.sum(axis=0)
            bias_squares += (slope**2).sum(axis=0)
            vectors.bias[:] -= np.float32(0.3) * step * bias_slope / np.sqrt(bias_squares)
            used, place = np.unique(x.indices, return_inverse=True)
            small = sparse.csr_array((x.data, place, x.indptr), shape=(len(y), len(used)))
            gradient = (small.T.tocsr() @ sparse.csr_array(slope)).tocoo()
            places = used[gradient.row].astype(np.int64) * vectors.weights.shape[1] + gradient.col
            total = flat_squares[places] + gradient.data**2
            flat_squares[places] = total
            flat[places] -= step * gradient.data / np.sqrt(total)
        progress(number + 1, rounds, loss / max(len(truth), 1))
    return vectors
