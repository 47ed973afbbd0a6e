"""The shipped URL model ``url``: one sum of weights per URL, made a calibrated probability of every language.

score(L) = log prior(L) + sharpness(n) * sum of the weights of the URL's n known features for L

The weights are whole numbers of a fixed step, so that the model is small and its sums do not depend on the order. A URL
without a known feature is given the prior. The probability of a language given a URL is its prior times what the URL
adds: `Url.prior` lets the caller divide it out and put the prior of his own collection in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphlang.urls import modelfile
from graphlang.urls.calibrate import sharpened
from graphlang.urls.features import BITS, features
from graphlang.urls.modelfile import ModelError
from graphlang.urls.softmax_regression import softmax

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

#: URLs that are worked on at a time; more gains no speed and costs memory
_BATCH = 2048


class Url:
    """The model in memory.

    Args:
        labels: ISO 639-3 codes.
        prior: [labels] probability of each language where the URL says nothing.
        buckets: [features] distinct buckets (`features.bucket`) that have weights, ascending.
        weights: [features, labels] whole numbers.
        step: Log odds of one unit of the weights.
        sharpness: [2] of `sharpened`.
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
        step: float,
        sharpness: NDArray[np.float32],
        parameters: Mapping[str, Any],
        digest: str = "",
    ) -> None:
        self.labels = labels
        self.prior = prior
        self.buckets = buckets
        self.weights = weights
        self.step = step
        self.sharpness = sharpness
        self.parameters = dict(parameters)
        self.hash = digest
        self._row = np.zeros(1 << BITS, dtype=np.int32)  # 0: a feature that weighs nothing
        self._row[buckets] = np.arange(1, len(buckets) + 1, dtype=np.int32)
        self._weight = np.zeros((len(buckets) + 1, len(labels)), dtype=np.float32)
        self._weight[1:] = weights

    def describe(self) -> dict[str, Any]:
        """The parameters of training and of the model, for the record of a run."""
        return {"method": self.name, "labels": len(self.labels), "model": self.hash, **self.parameters}

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Calibrated probability of each language, float32 (urls, labels); each row sums to 1.

        Any string is answered, whatever it holds. A row depends on its own URL alone.
        """
        answer = np.empty((len(urls), len(self.labels)), dtype=np.float32)
        for begin in range(0, len(urls), _BATCH):
            evidence, known = self.evidence(urls[begin : begin + _BATCH])
            evidence *= sharpened(self.sharpness, known)[:, None]
            evidence += np.log(self.prior)
            answer[begin : begin + _BATCH] = softmax(evidence)
        return answer

    def evidence(self, urls: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Sum of the weights of each URL in log odds, (urls, labels), before `sharpened`; and its known features."""
        total = np.zeros((len(urls), len(self.labels)), dtype=np.float32)
        known = np.zeros(len(urls), dtype=np.int64)
        for bucket, first in features(urls).values():
            row = self._row[bucket]
            shape = (len(urls), len(self._weight))
            ones = np.ones(len(row), dtype=np.float32)
            total += sparse.csr_matrix((ones, row, first), shape=shape) @ self._weight
            known += np.diff(np.concatenate(([0], np.cumsum(row != 0)))[first])
        total *= np.float32(self.step)
        return total, known


def save(path: str | Path, model: Url) -> str:
    """Write the model file. Returns its SHA-256. Raises OSError."""
    header = {"method": Url.name, "labels": list(model.labels), "step": model.step, "parameters": model.parameters}
    arrays: dict[str, NDArray[Any]] = {
        "prior": model.prior,
        "buckets": model.buckets,
        "weights": model.weights,
        "sharpness": model.sharpness,
    }
    return modelfile.write(path, header, arrays)


def from_file(header: dict[str, Any], arrays: dict[str, NDArray[Any]], digest: str, source: str) -> Url:
    """The model of a file that `modelfile.read` has read. Raises ModelError where it does not fit together."""
    labels = modelfile.labels_of(header, source)
    buckets = modelfile.array(arrays, "buckets", "i", (None,), source)
    prior = modelfile.array(arrays, "prior", "f", (len(labels),), source)
    step = header.get("step")
    if len(buckets) and (buckets[0] < 0 or buckets[-1] >= 1 << BITS or (np.diff(buckets) <= 0).any()):
        raise ModelError(f"{source}: its buckets are out of order")
    if (prior <= 0).any() or not isinstance(step, float) or not 0 < step < 1:
        raise ModelError(f"{source}: its prior or its step is no such number")
    return Url(
        labels=labels,
        prior=prior / prior.sum(),
        buckets=buckets,
        weights=modelfile.array(arrays, "weights", "i", (len(buckets), len(labels)), source),
        step=step,
        sharpness=modelfile.array(arrays, "sharpness", "f", (2,), source),
        parameters=header.get("parameters") or {},
        digest=digest,
    )
