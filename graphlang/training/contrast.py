"""Retrain the vector of one language on genres that the first training lacked.

The training text of a small language has many words of a large relative. If the text of the relative is only news and
manuals, its everyday words count for the small language: plain English becomes Nigerian Pidgin. So the vector w of the
small language is trained again on texts of all genres, with the vectors of all other languages fixed. The loss is that
of logistic regression,

    sum over texts t of  weight_t * log(1 + exp(-y_t z_t))  +  PULL / 2 * |d|^2,     z_t = gap_t + c_t d . x_t

with y = 1 for texts in the language and -1 for others, x the counts of n-grams, d the change of the weights, and gap
the score of the language minus the log of the sum of all others. c is the factor of the text's length and script
(`nfc.scores`). The penalty keeps the weights of n-grams that these texts lack (a Gaussian prior around w: Chelba and
Acero 2004, "Adaptation of Maximum Entropy Capitalizer").
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy import optimize, sparse

from graphlang.content.nfc.model import Discriminative
from graphlang.training import model_columns
from graphlang.training.excerpts import Excerpts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.modelfile import Model

    Floats = NDArray[np.float64]

PULL: Final = 1.0  #: towards the weights of the model; with 0.1 the language wins names and codes
SHORTEST: Final = 8  #: characters of an excerpt
LONGEST: Final = 180  #: characters of an excerpt, so that it is one window
ROUNDS: Final = 60  #: of the optimisation
_FEWEST_EXCERPTS = 3  # that have an n-gram, for its weight to change
_SMALLEST_GAP = -12.0  # a text with a smaller gap has no effect
_BATCH = 4_000  # texts whose scores are in memory at once


class LineGroup(NamedTuple):
    """Lines of one genre, the number of excerpts to draw from them, and the weight of each excerpt."""

    lines: Sequence[str]
    excerpts: int
    weight: float
    in_language: bool


class ScoredTexts(NamedTuple):
    """Texts in the script of the language.

    `counts` (texts, features of the script) are counts of n-grams times the factor of each text; `gap` (texts,) is the
    score of the language minus the joint score of all others; `rows` (texts,) are the indices among all texts.
    """

    counts: sparse.csr_array
    gap: Floats
    rows: NDArray[np.int64]


def retrain(model: Model, label: str, groups: Sequence[LineGroup], *, seed: int) -> Model:
    """Train the vector of a label again; the columns of all other labels do not change."""
    identifier = Discriminative(model, "", label)
    texts, kind = Excerpts(
        [group.lines for group in groups], shortest=SHORTEST, longest=LONGEST, random=np.random.default_rng(seed)
    ).draw(np.array([group.excerpts for group in groups]))
    scored = score_texts(identifier, texts, identifier.labels.index(label))
    near = np.flatnonzero(scored.gap > _SMALLEST_GAP)
    kind = kind[scored.rows[near]]
    change = fit_change(
        scored.counts[near],
        scored.gap[near],
        truth=np.array([group.in_language for group in groups])[kind],
        weight=np.array([group.weight for group in groups])[kind],
    )
    steps = np.rint(change / float(model.arrays["step"][0])).astype(np.int64)
    return replace(model, arrays={**model.arrays, **model_columns.add_label_steps(model, [label], steps[None])})


def score_texts(identifier: Discriminative, texts: Sequence[str], label: int) -> ScoredTexts:
    """Score texts in the script of a label."""
    parts = identifier.parts
    script = int(parts.weights.find_scripts(np.array([label]))[0])
    start, common, rare, *_ = parts.weights.blocks[script].tolist()
    inverse_temperature = parts.scores.inverse_temperature[script]
    counts, gaps, places = [], [], []
    for begin in range(0, len(texts), _BATCH):
        sums = parts.sum_weights(texts[begin : begin + _BATCH])
        number = np.diff(sums.offsets)
        all_counts = sparse.csr_array(
            (np.ones(len(sums.features)), sums.features, sums.offsets), shape=(len(number), len(parts.vocabulary))
        )
        for rows, columns, scores, lengths in parts.measure(sums, prior=True):
            if columns == slice(None) or not columns.start <= label < columns.stop:
                continue
            label_scores = scores[:, label - columns.start].astype(np.float64)
            rival_scores = np.delete(scores, label - columns.start, axis=1).astype(np.float64)
            gaps.append(label_scores - np.logaddexp.reduce(rival_scores, axis=1))
            length = np.minimum(lengths, len(inverse_temperature) - 1)
            factor = inverse_temperature[length] / np.sqrt(np.maximum(number[rows], 1))
            script_counts = all_counts[rows, start : start + common + rare]
            counts.append(sparse.diags_array(factor.astype(np.float64)) @ script_counts)
            places.append(begin + rows)
    return ScoredTexts(sparse.csr_array(sparse.vstack(counts)), np.concatenate(gaps), np.concatenate(places))


def fit_change(counts: sparse.csr_array, gap: Floats, *, truth: NDArray[np.bool_], weight: Floats) -> Floats:
    """Fit the change of the weights, (features,); 0 for n-grams in fewer than three texts.

    Shapes: counts (texts, features) and gap (texts,) as in `ScoredTexts`; truth (texts,), True for texts in the
    language; weight (texts,) in the loss.

    >>> counts = sparse.csr_array(np.repeat([[1.0, 0.0], [0.0, 1.0]], 3, axis=0))
    >>> truth = np.array([True] * 3 + [False] * 3)
    >>> fit_change(counts, np.zeros(6), truth=truth, weight=np.ones(6)).round(1).tolist()
    [0.9, -0.9]
    """
    used = np.flatnonzero(np.bincount(counts.indices, minlength=counts.shape[1]) >= _FEWEST_EXCERPTS)
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
