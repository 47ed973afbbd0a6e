"""Train the vector of one language again, against text of a kind that the first training lacked.

A small language with many words of a large relative has these words in its training text. If the text of
the large one is all news and manuals, everyday words count for the small one: plain English becomes Nigerian Pidgin.
So its vector w is trained again on texts of every kind, with the vectors of all other languages fixed. The loss is
that of logistic regression,

    sum over texts t of  weight_t * log(1 + exp(-y_t z_t))  +  PULL / 2 * |d|^2,     z_t = gap_t + c_t d . x_t

with y = 1 for texts in the language and -1 for others, x the counts of n-grams, d the change of the weights, and gap
the score of the language less the log of the sum of all others. c is the factor of the text's length and script
(`nfc.scores`). The pull keeps what is known of the n-grams that these texts lack (a Gaussian prior around w: Chelba and
Acero 2004, "Adaptation of Maximum Entropy Capitalizer").
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy import optimize, sparse

from graphlang.content.nfc.model import Discriminative
from graphlang.content.nfc.weight_codec import LEVELS
from graphlang.training import model_columns
from graphlang.training.excerpts import Excerpts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.modelfile import Model

    Floats = NDArray[np.float64]

PULL: Final = 1.0  #: towards the weights of the model; with .1 names and codes become the language
SHORTEST: Final = 8  #: characters of an excerpt
LONGEST: Final = 180  #: so that it is one window
ROUNDS: Final = 60  #: of the optimisation
_FEWEST = 3  # excerpts that an n-gram occurs in, for its weight to change
_NEVER = -12.0  # a text whose gap is less teaches nothing
_BATCH = 4_000  # texts whose scores are in memory at once


class LineGroup(NamedTuple):
    """Lines of one kind of text, the number of excerpts to draw of them, and the weight of each."""

    lines: Sequence[str]
    excerpts: int
    weight: float
    in_language: bool


class Scored(NamedTuple):
    """Texts in the script of the language.

    `counts` (texts, features of the script) are those of n-grams times the factor of each text; `gap` (texts,) is the
    score of the language minus that of all others together; `rows` (texts,) are the indices among all texts.
    """

    counts: sparse.csr_array
    gap: Floats
    rows: NDArray[np.int64]


def retrain(model: Model, label: str, groups: Sequence[LineGroup], *, seed: int) -> Model:
    """Train the vector of a label again; the columns of all other labels stay the same, to the bit."""
    identifier = Discriminative(model, "", label)
    texts, kind = Excerpts(
        [group.lines for group in groups], shortest=SHORTEST, longest=LONGEST, random=np.random.default_rng(seed)
    ).draw(np.array([group.excerpts for group in groups]))
    scored = score_texts(identifier, texts, identifier.labels.index(label))
    near = np.flatnonzero(scored.gap > _NEVER)
    kind = kind[scored.rows[near]]
    change = fit_change(
        scored.counts[near],
        scored.gap[near],
        truth=np.array([group.in_language for group in groups])[kind],
        weight=np.array([group.weight for group in groups])[kind],
    )
    steps = np.rint(change / float(model.arrays["step"][0])).astype(np.int64)
    script = int(model.arrays["script"][model.labels.index(label)])
    first = int(np.searchsorted(model.arrays["script"], script))
    weights = model_columns.unpack_weights(model)
    column = model.labels.index(label) - first
    weights[script] = model_columns.add_steps(weights[script], [column], steps[None], most=LEVELS)
    widths = np.bincount(model.arrays["script"], minlength=len(weights)).tolist()
    return replace(model, arrays={**model.arrays, **model_columns.pack_weights(weights, widths)})


def score_texts(identifier: Discriminative, texts: Sequence[str], label: int) -> Scored:
    """Score texts in the script of a label."""
    parts = identifier.parts
    script = int(parts.weights.script_of(np.array([label]))[0])
    start, common, rare, *_ = parts.weights.blocks[script].tolist()
    inverse_temperature = parts.scores.inverse_temperature[script]
    counts, gaps, places = [], [], []
    for begin in range(0, len(texts), _BATCH):
        sums = parts.sums(texts[begin : begin + _BATCH])
        number = np.diff(sums.offsets)
        every = sparse.csr_array(
            (np.ones(len(sums.features)), sums.features, sums.offsets), shape=(len(number), len(parts.vocabulary))
        )
        for rows, columns, scores, lengths in parts.measure(sums, prior=True):
            if columns == slice(None) or not columns.start <= label < columns.stop:
                continue
            own = scores[:, label - columns.start].astype(np.float64)
            others = np.delete(scores, label - columns.start, axis=1).astype(np.float64)
            gaps.append(own - np.logaddexp.reduce(others, axis=1))
            length = np.minimum(lengths, len(inverse_temperature) - 1)
            factor = inverse_temperature[length] / np.sqrt(np.maximum(number[rows], 1))
            counts.append(sparse.diags_array(factor.astype(np.float64)) @ every[rows, start : start + common + rare])
            places.append(begin + rows)
    return Scored(sparse.csr_array(sparse.vstack(counts)), np.concatenate(gaps), np.concatenate(places))


def fit_change(counts: sparse.csr_array, gap: Floats, *, truth: NDArray[np.bool_], weight: Floats) -> Floats:
    """Fit the change of the weights, (features,); 0 for n-grams in fewer than three texts.

    Shapes: counts (texts, features) of n-grams, times the factor of each text; gap (texts,), score of the language
    minus that of all others; truth (texts,), texts in the language; weight (texts,) in the loss.

    >>> both = sparse.csr_array(np.repeat([[1.0, 0.0], [0.0, 1.0]], 3, axis=0))
    >>> right = np.array([True] * 3 + [False] * 3)
    >>> fit_change(both, np.zeros(6), truth=right, weight=np.ones(6)).round(1).tolist()
    [0.9, -0.9]
    """
    used = np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]) >= _FEWEST)
    small = counts[:, used].tocsr()
    transposed = small.T.tocsr()
    sign = np.where(truth, 1.0, -1.0)

    def loss(change: Floats) -> tuple[float, Floats]:
        score = gap + small @ change
        with np.errstate(over="ignore"):  # the slope is 0 there
            slope = -sign * weight / (1 + np.exp(sign * score))
        value = float((weight * np.logaddexp(0, -sign * score)).sum() + PULL / 2 * (change @ change))
        return value, transposed @ slope + PULL * change

    optimum = optimize.minimize(loss, np.zeros(len(used)), jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS})
    change = np.zeros(counts.shape[1])
    change[used] = optimum.x
    return change
