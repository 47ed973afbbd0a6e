"""The default, `nfc`: NFC with the improvements that its paper leaves for later work, and refined vectors.

It is NFC: n-grams chosen by Fisher discriminant, one vector per language, the inner product of a text's vector with
each of them. Against the published setting (module `nfc`):

* n from 1 to 4 instead of 3, and some hundred thousand n-grams, which the languages choose in turn (`fisher.in_turn`);
* an n-gram's weight in a language is not its share (0.6) but the log of how much commoner it is there than expected,
  so that the rare ones that decide count for more than the common ones that all close languages have;
* the vectors are then refined by discriminative training (`refine`), since it is the differences of close languages
  that count;
* a text's vector is the number of each n-gram divided by the root of the number of all of them, which is formula 0.3
  where no n-gram repeats.

Weights are whole numbers of small steps and nearly all 0, so that the model is small, the sums are exact, and an answer
does not depend on the order or the company in which texts come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.content import calibrate
from graphlang.content.errors import ModelError
from graphlang.content.identifier import Calibrated
from graphlang.content.model import Model, take
from graphlang.content.nfc import settings, vocabulary
from graphlang.content.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LEVELS = 40  # greatest weight, in steps
_MOST_WEIGHTS = 1 << 28
_MOST = np.iinfo(np.int16).max // LEVELS  # n-grams that can be summed in 16 bits


def longest_text(orders: tuple[int, ...]) -> int:
    """Characters that may be looked at, so that the sum of the weights of a text stays exact in 16 bits."""
    return _MOST // len(orders) - 8  # `sample` may add a space between its pieces, `normalise` one at the end


def quantise(weights: NDArray[np.float32], step: float) -> NDArray[np.int8]:
    """Weights as whole steps, those beyond the greatest cut.

    >>> quantise(np.array([0.5, -0.1, 99.0], dtype=np.float32), 0.25).tolist()
    [2, 0, 40]
    """
    steps: NDArray[np.int8] = np.clip(np.rint(weights / np.float32(step)), -LEVELS, LEVELS).astype(np.int8)
    return steps


def squeeze(steps: NDArray[np.int8]) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Weights for the file, nearly all of them 0: how far it is from each one that is not to the next, and its value.

    Distances run through all rows; one beyond 255 is made of several, whose values are 0.

    >>> gaps, values = squeeze(np.array([[0, 3, 0], [0, 0, -1]], dtype=np.int8))
    >>> gaps.tolist(), values.tolist()
    ([2, 4], [3, -1])
    """
    flat = steps.reshape(-1)
    places = np.flatnonzero(flat)
    gaps = np.diff(places, prepend=-1)
    extra = (gaps - 1) // 255
    ends = np.cumsum(extra + 1) - 1
    small = np.full(len(places) + int(extra.sum()), 255, dtype=np.uint8)
    small[ends] = gaps - 255 * extra
    values = np.zeros(len(small), dtype=np.int8)
    values[ends] = flat[places]
    return small, values


def spread(gaps: NDArray[np.uint8], values: NDArray[np.int8], rows: int, columns: int) -> NDArray[np.int16]:
    """The weights that `squeeze` packed, as 16-bit numbers. Raises ValueError when they do not fit the shape."""
    places = np.cumsum(gaps, dtype=np.int64) - 1
    if len(gaps) != len(values) or (len(gaps) and (gaps.min() == 0 or places[-1] >= rows * columns)):
        raise ValueError("weights that do not fit the vocabulary and the labels")
    weights = np.zeros(rows * columns, dtype=np.int16)
    weights[places] = np.clip(values, -LEVELS, LEVELS)
    return weights.reshape(rows, columns)


class Refined(Calibrated):
    """The default method.

    Raises:
        ModelError: the model's arrays are not those of this method.
    """

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "nfc") -> None:
        limit, self.closed = settings(model, source)
        labels = len(model.labels)
        super().__init__(
            name=name,
            labels=model.labels,
            digest=digest,
            parameters=dict(model.parameters),
            limit=limit,
            sharpness=take(model, "sharpness", "f", (len(calibrate.KNOTS),), source),
        )
        self.vocabulary = vocabulary(model, source)
        if limit > longest_text(self.vocabulary.orders):
            raise ModelError(f"{source}: its limit of {limit} characters is more than its weights can be summed over")
        gaps, values = take(model, "gaps", "u", (None,), source), take(model, "values", "i", (None,), source)
        if len(self.vocabulary) * labels > _MOST_WEIGHTS:
            raise ModelError(f"{source}: more n-grams and labels than any model of this program")
        try:
            self._weights = spread(gaps, values, len(self.vocabulary), labels)
        except ValueError as error:
            raise ModelError(f"{source}: {error}") from error
        self._step = np.float32(take(model, "step", "f", (1,), source)[0])
        self._base = take(model, "base", "f", (labels,), source).astype(np.float32)
        self._bias = take(model, "bias", "f", (labels,), source).astype(np.float32)

    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Inner products of each text with each language, (texts, labels); and the length of each text."""
        letters = normalise(texts, limit=self.limit, margin=max(self.vocabulary.orders) - 1, closed=self.closed)
        features, offsets = self.vocabulary.find(letters)
        found = np.diff(offsets)
        ones = np.ones(len(features), dtype=np.int16)
        sums = sparse.csr_array((ones, features, offsets), shape=(len(found), len(self.vocabulary))) @ self._weights
        root = np.sqrt(found).astype(np.float32)
        scores: NDArray[np.float32] = np.asarray(sums, dtype=np.float32)
        scores *= (self._step / np.maximum(root, 1))[:, None]
        scores += root[:, None] * self._base
        scores += self._bias
        return scores, letters.lengths
