"""The shipped URL model ``url``: one sum of weights per URL, made a calibrated probability of every language.

    score(L) = log prior(L) + exp(a + b log(1 + n)) * sum of the weights of the URL's n known features for L

The weights are whole numbers of a fixed step, so that the model is small and its sums do not depend on the order. A URL
without a known feature gets the prior.

The inverse temperature exp(a + b log(1 + n)) is fitted on URLs of domains that training has not seen. Neighbouring
n-grams and the words of one slug are not independent, so the sum over many overstates the evidence; b below 0 corrects
for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.modelfile import Model, ModelError, take_array
from graphlang.numerics import softmax
from graphlang.urls.native import url_sums as _kernels
from graphlang.urls.tokens import MARKS, join_urls, make_fold_table
from graphlang.urls.url_features import BUCKET_BITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


def decide_best(probabilities: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Decide like a classifier that names one language: yes for the best, no for all others (section 3.2).

    >>> decide_best(np.array([[0.2, 0.8], [0.6, 0.4]])).tolist()
    [[False, True], [True, False]]
    """
    return np.asarray(np.arange(probabilities.shape[1]) == probabilities.argmax(axis=1)[:, None])


#: of a model's two coefficients: with greater ones, the score of a long URL overflows float32
MOST_COEFFICIENT = 4.0


def inverse_temperature(coefficients: NDArray[np.floating], count: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the factor on the evidence of each URL: exp(a + b log(1 + n)), [URLs].

    Shapes: coefficients [2], count [URLs].

    >>> inverse_temperature(np.array([0.0, -0.5]), np.array([0, 3])).tolist()
    [1.0, 0.5]
    """
    a, b = coefficients
    return np.asarray(np.exp(a + b * np.log1p(count)), dtype=np.float32)


def fit_temperature(
    evidence: NDArray[np.float32],
    count: NDArray[np.int64],
    offset: NDArray[np.float32],
    label: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> NDArray[np.float32]:
    """Fit the coefficients a and b, [2], that maximise the likelihood of the right labels of held-out URLs.

    Shapes: evidence [URLs, labels], scores by a model that has not seen the URL's domain; count [URLs], known features;
    offset [labels], log prior; label [URLs], the right column; weight [URLs].
    """
    from scipy import optimize  # noqa: PLC0415 - a tenth of a second that only training needs

    rows = np.arange(len(label))

    def loss(coefficients: NDArray[np.float64]) -> float:
        probabilities = softmax(evidence * inverse_temperature(coefficients, count)[:, None] + offset)
        return float(-(weight * np.log(np.maximum(probabilities[rows, label], 1e-9))).sum() / weight.sum())

    # The default first steps of 0.00025 would end the search where it began.
    first = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, -0.2]])
    result = optimize.minimize(
        loss,
        np.zeros(2),
        method="Nelder-Mead",
        options={"maxiter": 100, "xatol": 0.01, "fatol": 1e-5, "initial_simplex": first},
    )
    return np.asarray(result.x, dtype=np.float32)


#: URLs of a block; more gains no speed and costs memory
_BATCH = 2048
_BITS_OF_WORD = 64  # buckets of a word of bits
_MOST_PRIOR = 1e6  #: of a prior, before it is made to sum to 1


class UrlModel:
    """The model in memory.

    `prior` [labels] is the probability of each language if the URL has no evidence. `buckets` [features] are the
    distinct buckets (`url_features.to_bucket`) that have `weights` [features, labels], ascending; `step` is the
    log-odds of one unit of the weights. `enough` n-grams of a URL count in full (`url_features.damp_ngrams`).
    `temperature_coefficients` [2] are those of `inverse_temperature`, `parameters` those of training, for `describe`,
    and `digest` the SHA-256 of the file.
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
        # A bit per bucket: a number for each would be 16 MB, and a URL reads thirty of them at random.
        has_weights = np.zeros(1 << BUCKET_BITS, dtype=np.uint8)
        has_weights[buckets] = 1
        self._weighs = np.packbits(has_weights, bitorder="little").view("<u8").astype(np.uint64, copy=False)
        self._before = np.searchsorted(buckets, np.arange(0, 1 << BUCKET_BITS, _BITS_OF_WORD)).astype(np.int32)

    def describe(self) -> dict[str, Any]:
        """Return the parameters of training and of the model, which a run stores."""
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
        """Return the calibrated probability of each language, float32 (urls, labels); each row sums to 1.

        A row depends on its own URL alone.
        """
        answer = np.empty((len(urls), len(self.labels)), dtype=np.float32)
        for begin in range(0, len(urls), _BATCH):
            evidence, count = self.sum_evidence(urls[begin : begin + _BATCH])
            evidence *= inverse_temperature(self.temperature_coefficients, count)[:, None]
            evidence += np.log(self.prior)
            answer[begin : begin + _BATCH] = softmax(evidence)
        return answer

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Return yes for the most probable language of each URL, (urls, labels)."""
        return decide_best(self.probabilities(urls))

    def sum_evidence(self, urls: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Sum the weights of each URL in log-odds, unscaled, (urls, labels), and count its known features."""
        characters, first = join_urls(urls)
        total = np.zeros((len(urls), len(self.labels)), dtype=np.float32)
        count = np.empty(len(urls), dtype=np.int64)
        _kernels.url_sums(
            characters=characters,
            first=first,
            letters=make_fold_table(),
            marks=MARKS,
            weighs=self._weighs,
            before=self._before,
            weights=self.weights,
            enough=self.enough,
            own=np.empty(len(self.labels), dtype=np.float32),
            sums=total,
            known=count,
        )
        total *= np.float32(self.step)
        return total, count


def read_url_model(content: Model, digest: str, source: str) -> UrlModel:
    """Read the URL model of a file; raise a ModelError that names `source` if its parts do not fit each other."""
    labels = content.labels
    parameters = dict(content.parameters)
    step, enough = parameters.pop("step", None), parameters.pop("enough", None)
    buckets = take_array(content, "buckets", "i", (None,), source)
    prior = take_array(content, "prior", "f", (len(labels),), source, maximum=_MOST_PRIOR)
    if len(buckets) and (buckets[0] < 0 or buckets[-1] >= 1 << BUCKET_BITS or (np.diff(buckets) <= 0).any()):
        raise ModelError(f"{source}: its buckets are out of order")
    share = prior / prior.sum()
    if not labels or not (share > 0).all() or not isinstance(step, float) or not 0 < step < 1:
        raise ModelError(f"{source}: its labels, its prior or its step are invalid")
    if not isinstance(enough, int | float) or not 1 <= enough <= 1 << 20:
        raise ModelError(f"{source}: its number of n-grams that count in full is invalid")
    return UrlModel(
        labels=labels,
        prior=share,
        buckets=buckets,
        weights=take_array(content, "weights", "i1", (len(buckets), len(labels)), source),
        enough=float(enough),
        step=step,
        temperature_coefficients=take_array(content, "sharpness", "f", (2,), source, maximum=MOST_COEFFICIENT),
        parameters=parameters,
        digest=digest,
    )
