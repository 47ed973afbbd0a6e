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
        weights = take(model, "weights", "i", (len(self.vocabulary), labels), source)
        self._weights = weights.astype(np.int16)
        np.clip(self._weights, -LEVELS, LEVELS, out=self._weights)
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
