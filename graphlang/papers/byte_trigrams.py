"""Byte trigrams: set membership rates (Chew, Mikami & Nagano 2011, 3.1), with Suzuki's thresholds (2.2).

A model is the set T_i of the byte trigrams of a training text, named by language, script and encoding, without their
frequencies. For a page with the trigrams u_1 .. u_N, repeats included, equation 1 is

    R_i = (1 / N) * sum over j of f(u_j),    f(u) = 1 if u is in T_i, else 0

and the model with the highest rate wins. (The paper describes R_i both as the rate at which the model's set "appears in
the target document" and as a counter to which the frequency of a trigram in the target is added. The sum over j is the
latter, which is used here. The small n in its equation is the N of its step i. It does not define the answer for equal
rates, which short texts have; here the first label wins.)

Suzuki et al. (2002), as cited there, answer only if one rate is above UB = 0.95 and all others are below LB = 0.92,
else "unable to detect": `StrictTrigrams`. The others are other *languages*: another encoding of the same language is
not a rival.

A set only grows with its text, so languages with much training text win every page (section 5.1: over-training). So
training uses the same small amount of text for each, as the corpora of the paper did (4 to 55 KB a file).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.codes.languages import UND
from graphlang.modelfile import ModelError
from graphlang.papers import byte_profiles
from graphlang.papers.byte_profiles import ByteIdentifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.ngrams.count_all import Tally
    from graphlang.modelfile import Model
    from graphlang.papers.byte_profiles import ByteProfile, ProfileIndex


ORDER = 3
UPPER = 0.95
LOWER = 0.92


def build(
    labels: Sequence[str], lines: Sequence[Sequence[str]], *, upper: float | None = None, lower: float | None = None
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Build the arrays and parameters of a model from the lines of each label and the thresholds.

    If only one threshold is set, the other is that of the paper, or equal if that one does not fit. Raise a ModelError
    if `lower` is above `upper`.
    """
    if lower is not None and upper is not None and lower > upper:
        raise ModelError(f"lower={lower}: above upper={upper}")
    profiles = byte_profiles.make_profiles(labels, lines, order=ORDER, size=None, edges=False)
    _, arrays = byte_profiles.pack_profiles(profiles, counts=False)
    if upper is None and lower is None:
        return arrays, {"closed": True}
    high = max(UPPER, lower or 0) if upper is None else upper
    low = min(LOWER, high) if lower is None else lower
    return arrays, {"closed": True, "upper": float(high), "lower": float(low)}


def is_detected(rates: NDArray[np.float32], upper: float, lower: float) -> NDArray[np.bool_]:
    """Return True where the highest rate of a row is above `upper` and all others are below `lower` (section 2.2).

    Shapes: rates (texts, labels).

    >>> is_detected(np.array([[0.96, 0.91], [0.96, 0.93], [0.94, 0.1]], dtype=np.float32), 0.95, 0.92).tolist()
    [True, False, False]
    """
    if rates.shape[1] < 2:  # noqa: PLR2004 - there is no other rate
        return np.asarray(rates.max(axis=1, initial=0) > upper)
    second, first = np.partition(rates, -2, axis=1)[:, -2:].T
    return np.asarray((first > upper) & (second < lower))


class ByteTrigrams(ByteIdentifier):
    """The method with its model."""

    order = ORDER
    edges = False

    def make_values(self, profiles: Sequence[ByteProfile]) -> list[NDArray[np.float32]]:
        """Make 1 for every trigram of the set."""
        return [np.ones(len(profile.grams), dtype=np.float32) for profile in profiles]

    def measure_closeness(self, counted: Tally, index: ProfileIndex) -> NDArray[np.float32]:
        """Compute the rates R_i."""
        rates = index.multiply(counted.to_matrix(index.table, index.features))
        rates /= np.maximum(counted.totals, 1)[:, None].astype(np.float32)
        return rates


class StrictTrigrams:
    """The method with thresholds: its last label is `und`, for "unable to detect"."""

    def __init__(self, inner: ByteTrigrams, upper: float = UPPER, lower: float = LOWER) -> None:
        self.inner = inner
        self.name = inner.name
        self.hash = inner.hash
        self.labels = (*inner.labels, UND)
        self._bounds = (upper, lower)

    def describe(self) -> dict[str, Any]:
        """Describe the training and the model, for the record of a run."""
        return {**self.inner.describe(), "upper": self._bounds[0], "lower": self._bounds[1]}

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute the probabilities of detected texts; of others 1 for `und`, or all 0 without letters."""
        rates, lengths = self.inner.similarities(texts)
        detected = is_detected(rates, *self._bounds)
        answer = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        answer[:, :-1] = np.where(detected[:, None], self.inner.probabilities(texts), 0)
        answer[~detected & (lengths > 0), -1] = 1
        return answer

    def identify_bytes(self, data: Sequence[bytes]) -> tuple[NDArray[np.int16], NDArray[np.float32], list[str | None]]:
        """Identify byte strings: label, probability and encoding; `und` without an encoding if not detected."""
        probabilities, encodings = self.bytes_probabilities(data)
        return *byte_profiles.choose_best(probabilities), encodings

    def bytes_probabilities(self, data: Sequence[bytes]) -> tuple[NDArray[np.float32], list[str | None]]:
        """Compute probabilities and encodings of detected byte strings; of others 1 for `und`, without an encoding."""
        probabilities, encodings = self.inner.bytes_probabilities(data)
        detected = is_detected(self.inner.find_best_by_label(self.inner.compare_profiles(data)), *self._bounds)
        is_und = ~detected & (probabilities.max(axis=1, initial=0) > 0)
        answer = np.zeros((len(data), len(self.labels)), dtype=np.float32)
        answer[:, :-1] = np.where(is_und[:, None], 0, probabilities)
        answer[is_und, -1] = 1
        return answer, [None if und else name for und, name in zip(is_und.tolist(), encodings, strict=True)]


def load_trigrams(model: Model, digest: str, source: str) -> ByteTrigrams | StrictTrigrams:
    """Load the method of a model; `StrictTrigrams` if the model was trained with thresholds.

    Raise a ModelError if the arrays or thresholds are not those of this method.
    """
    inner = ByteTrigrams(model, digest, source)
    upper, lower = model.parameters.get("upper"), model.parameters.get("lower")
    if upper is None and lower is None:
        return inner
    if not isinstance(upper, float) or not isinstance(lower, float) or not 0 <= lower <= upper <= 1:
        raise ModelError(f"{source}: its thresholds are not 0 <= lower <= upper <= 1")
    return StrictTrigrams(inner, upper, lower)
