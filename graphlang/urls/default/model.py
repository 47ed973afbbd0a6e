"""The shipped URL model ``url``: one sum of weights per URL, made a calibrated probability of every language.

score(L) = log prior(L) + inverse temperature(n) * sum of the weights of the URL's n known features for L

The weights are whole numbers of a fixed step, so that the model is small and its sums do not depend on the order. A URL
without a known feature is given the prior. The probability of a language given a URL is its prior times what the URL
adds: `Url.prior` lets the caller divide it out and put the prior of his own collection in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.modelfile import Model, ModelError, take
from graphlang.numerics import softmax
from graphlang.urls.baykan2008.learners.one_against_rest import best_only
from graphlang.urls.default.calibration import SHARPEST, inverse_temperature
from graphlang.urls.default.features import BITS
from graphlang.urls.native import url_sums as _kernels
from graphlang.urls.tokens.fold_letters import fold_table
from graphlang.urls.tokens.token_position import MARKS
from graphlang.urls.tokens.tokenize import joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

#: URLs that are worked on at a time; more gains no speed and costs memory
_BATCH = 2048
_WORD = 64  # buckets whose bits stand together
_MOST = 1e6  #: of a prior, before it is made to sum to 1


class Url:
    """The model in memory.

    Args:
        labels: ISO 639-3 codes.
        prior: [labels] probability of each language where the URL says nothing.
        buckets: [features] distinct buckets (`features.bucket`) that have weights, ascending.
        weights: [features, labels] whole numbers.
        enough: N-grams of a URL that count in full (`features.crowded`).
        step: Log-odds of one unit of the weights.
        temperature_coefficients: [2] of `inverse_temperature`.
        parameters: Of training, for `describe`.
        digest: SHA-256 of the file.
    """

    name = "url"

    def __init__(
        self,
        *,
        labels: tuple[str, ...],
        prior: NDArray[np.float32],
        buckets: NDArray[np.int32],
        weights: NDArray[np.int8],
        enough: float,
        step: float,
        temperature_coefficients: NDArray[np.float32],
        parameters: Mapping[str, Any],
        digest: str = "",
    ) -> None:
        self.labels = labels
        self.prior = prior
        self.buckets = buckets
        self.weights = weights
        self.enough = enough
        self.step = step
        self.temperature_coefficients = temperature_coefficients
        self.parameters = dict(parameters)
        self.hash = digest
        # A bit for each bucket: a number for each would be 16 MB, of which a URL asks for thirty in as many places.
        known = np.zeros(1 << BITS, dtype=np.uint8)
        known[buckets] = 1
        self._weighs = np.packbits(known, bitorder="little").view("<u8").astype(np.uint64, copy=False)
        self._before = np.searchsorted(buckets, np.arange(0, 1 << BITS, _WORD)).astype(np.int32)

    def describe(self) -> dict[str, Any]:
        """The parameters of training and of the model, for the record of a run."""
        return {"method": self.name, "labels": len(self.labels), "model": self.hash, **self.parameters}

    def save(self, path: str | Path) -> str:
        """Write the model file. Returns its SHA-256. Raises OSError."""
        arrays: dict[str, NDArray[Any]] = {
            "prior": self.prior,
            "buckets": self.buckets,
            "weights": self.weights,
            "sharpness": self.temperature_coefficients,
        }
        return Model(
            self.name, self.labels, {**self.parameters, "enough": self.enough, "step": self.step}, arrays
        ).save(path)

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Calibrated probability of each language, float32 (urls, labels); each row sums to 1.

        Any string is answered, whatever it holds. A row depends on its own URL alone.
        """
        answer = np.empty((len(urls), len(self.labels)), dtype=np.float32)
        for begin in range(0, len(urls), _BATCH):
            evidence, known = self.evidence(urls[begin : begin + _BATCH])
            evidence *= inverse_temperature(self.temperature_coefficients, known)[:, None]
            evidence += np.log(self.prior)
            answer[begin : begin + _BATCH] = softmax(evidence)
        return answer

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Yes for the most probable language of each URL, (urls, labels)."""
        return best_only(self.probabilities(urls))

    def evidence(self, urls: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Sum of the weights of each URL in log-odds, (urls, labels), not yet scaled; and its known features."""
        characters, first = joined(urls)
        total = np.zeros((len(urls), len(self.labels)), dtype=np.float32)
        known = np.empty(len(urls), dtype=np.int64)
        _kernels.url_sums(
            characters=characters,
            first=first,
            letters=fold_table(),
            marks=MARKS,
            weighs=self._weighs,
            before=self._before,
            weights=self.weights,
            enough=self.enough,
            own=np.empty(len(self.labels), dtype=np.float32),
            sums=total,
            known=known,
        )
        total *= np.float32(self.step)
        return total, known


def from_model(content: Model, digest: str, source: str) -> Url:
    """The model that a file holds.

    Args:
        content: What the file holds.
        digest: Hash of the file.
        source: For messages.

    Raises:
        ModelError: its parts do not fit one another.
    """
    labels = content.labels
    parameters = dict(content.parameters)
    step, enough = parameters.pop("step", None), parameters.pop("enough", None)
    buckets = take(content, "buckets", "i", (None,), source)
    prior = take(content, "prior", "f", (len(labels),), source, most=_MOST)
    if len(buckets) and (buckets[0] < 0 or buckets[-1] >= 1 << BITS or (np.diff(buckets) <= 0).any()):
        raise ModelError(f"{source}: its buckets are out of order")
    share = prior / prior.sum()
    if not labels or not (share > 0).all() or not isinstance(step, float) or not 0 < step < 1:
        raise ModelError(f"{source}: its labels, its prior or its step cannot be")
    if not isinstance(enough, int | float) or not 1 <= enough <= 1 << 20:
        raise ModelError(f"{source}: its number of n-grams that are enough cannot be")
    return Url(
        labels=labels,
        prior=share,
        buckets=buckets,
        weights=take(content, "weights", "i1", (len(buckets), len(labels)), source),
        enough=float(enough),
        step=step,
        temperature_coefficients=take(content, "sharpness", "f", (2,), source, most=SHARPEST),
        parameters=parameters,
        digest=digest,
    )
