"""The classifiers of Baykan et al. 2008 with any feature set and learner, each as a method with a model file.

The paper makes one yes-or-no decision per language: `Published.decisions`. The graph needs one distribution over the
languages: `Published.probabilities` compares the scores of all languages, and the prior and an inverse temperature that
is fitted on unseen domains make probabilities of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from graphlang.numerics import softmax
from graphlang.urls.baykan2008.learners.one_against_rest import best_only
from graphlang.urls.default.calibration import inverse_temperature

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from scipy import sparse

#: every method: its feature set and its learner; trees are grown over custom features only, as in the paper
METHODS = {
    f"url-{kind}-{learner}": (kind, learner)
    for kind in ("words", "trigrams", "custom")
    for learner in ("nb", "re", "me", "dt")
    if learner != "dt" or kind == "custom"
}
#: URLs that are worked on at a time
_BATCH = 8192


class Features(Protocol):
    """A feature set: `count_vectors.Vocabulary` or `custom_features.Chosen`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The features for a reader, in the order of the columns."""

    def counts(self, urls: Sequence[str]) -> sparse.csr_matrix:
        """[URLs, features], not negative."""


class Scorer(Protocol):
    """A trained learner: `linear.Linear` or `tree_per_language.Forest`."""

    def scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        """[URLs, labels]; of a binary classifier above 0 where it says yes."""


class Published:
    """One feature set and one learner, trained.

    Args:
        name: The method, ``url-words-nb``.
        labels: ISO 639-3 codes.
        features: The feature set.
        scorer: The learner.
        prior: [labels] probability of each language where no feature is known.
        binary: Whether each language has a classifier of its own, with its own yes and no.
        temperature_coefficients: [2], see `calibrate`.
        parameters: Of training, for `describe`.
        digest: SHA-256 of the file.
    """

    def __init__(
        self,
        *,
        name: str,
        labels: tuple[str, ...],
        features: Features,
        scorer: Scorer,
        prior: NDArray[np.float32],
        binary: bool,
        temperature_coefficients: NDArray[np.float32],
        parameters: Mapping[str, Any],
        digest: str = "",
    ) -> None:
        self.name = name
        self.labels = labels
        self.features = features
        self.scorer = scorer
        self.prior = prior
        self.binary = binary
        self.temperature_coefficients = temperature_coefficients
        self.parameters = dict(parameters)
        self.hash = digest

    def describe(self) -> dict[str, Any]:
        """The parameters, for the record of a run."""
        return {"method": self.name, "labels": len(self.labels), "model": self.hash, **self.parameters}

    def save(self, path: str | Path) -> str:
        """Write the model file. Returns its SHA-256. Raises OSError."""
        from graphlang.urls.baykan2008.model_file import to_model  # noqa: PLC0415 - it reads what this class writes

        return to_model(self).save(path)

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Calibrated probability of each language, float32 (urls, labels); each row sums to 1."""
        answer = np.empty((len(urls), len(self.labels)), dtype=np.float32)
        for rows, scores, known in self._scores(urls):
            evidence = scores.astype(np.float32) * inverse_temperature(self.temperature_coefficients, known)[:, None]
            answer[rows] = softmax(evidence + np.log(self.prior))
        return answer

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Yes or no for each language, (urls, labels): a URL may have several languages, or none.

        Where the model was not trained as one classifier per language, its best language has the only yes.
        """
        if not self.binary:
            return best_only(self.probabilities(urls))
        answer = np.empty((len(urls), len(self.labels)), dtype=bool)
        for rows, scores, _ in self._scores(urls):
            answer[rows] = scores > 0
        return answer

    def _scores(self, urls: Sequence[str]) -> Iterator[tuple[slice, NDArray[np.float64], NDArray[np.int64]]]:
        for begin in range(0, len(urls), _BATCH):
            rows = slice(begin, begin + _BATCH)
            counts = self.features.counts(urls[rows]).astype(np.float32)
            yield rows, self.scorer.scores(counts), np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
