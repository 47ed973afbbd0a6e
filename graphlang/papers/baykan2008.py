"""The URL classifiers of Baykan, Henzinger and Weber 2008: any feature set with any learner, and merged ones.

The paper makes one yes-or-no decision per language: `UrlClassifier.decisions`. The graph needs a distribution over the
languages: `UrlClassifier.probabilities` computes it from the scores of all languages, the prior, and an inverse
temperature that is fitted on unseen domains.

Two methods can be merged (section 3.3). Recall improvement (``A or B``): a language is accepted if either method
accepts it. Precision improvement (``A and B``): if both do. `MergedMethods.probabilities` ranks the accepted languages
first, by the mean of both methods' probabilities; if no language is accepted, ``und`` has probability 1.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from graphlang.codes.languages import UND
from graphlang.modelfile import Model, ModelError, take_array
from graphlang.numerics import softmax
from graphlang.papers import baykan2008_features
from graphlang.papers.baykan2008_features import COUNT_KINDS, ChosenFeatures, Lexicon, UrlVocabulary
from graphlang.papers.baykan2008_learners import WEIGHT_STEP, LinearScorer, TreePerLanguage
from graphlang.urls.url_model import MOST_COEFFICIENT, decide_best, inverse_temperature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.urls.url_methods import UrlIdentifier


#: URLs of a block
_BATCH = 8192


class FeatureSet(Protocol):
    """A feature set: `baykan2008_features.UrlVocabulary` or `baykan2008_features.ChosenFeatures`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features, in the order of the columns."""

    def counts(self, urls: Sequence[str]) -> sparse.csr_matrix:
        """Count the features of each URL, [URLs, features]."""


class Scorer(Protocol):
    """A trained learner: `baykan2008_learners.LinearScorer` or `baykan2008_learners.TreePerLanguage`."""

    def scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        """Compute scores, [URLs, labels]; a binary classifier accepts a URL if its score is above 0."""


class UrlClassifier:
    """A trained classifier of one feature set and one learner.

    Shapes: prior [labels], temperature_coefficients [2].
    """

    def __init__(
        self,
        *,
        name: str,
        labels: tuple[str, ...],
        features: FeatureSet,
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
        """Describe the training and the model, for the record of a run."""
        return {"method": self.name, "labels": len(self.labels), "model": self.hash, **self.parameters}

    def save(self, path: str | Path) -> str:
        """Write the model file, and return its SHA-256."""
        return to_model(self).save(path)

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Compute the calibrated probability of each language, (urls, labels); each row sums to 1."""
        answer = np.empty((len(urls), len(self.labels)), dtype=np.float32)
        for rows, scores, feature_count in self._score_blocks(urls):
            evidence = (
                scores.astype(np.float32) * inverse_temperature(self.temperature_coefficients, feature_count)[:, None]
            )
            answer[rows] = softmax(evidence + np.log(self.prior))
        return answer

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Decide for each language whether to accept it, (urls, labels): several languages, or none, may be accepted.

        Without one classifier per language (`binary`), only the best language is accepted.
        """
        if not self.binary:
            return decide_best(self.probabilities(urls))
        answer = np.empty((len(urls), len(self.labels)), dtype=bool)
        for rows, scores, _ in self._score_blocks(urls):
            answer[rows] = scores > 0
        return answer

    def _score_blocks(self, urls: Sequence[str]) -> Iterator[tuple[slice, NDArray[np.float64], NDArray[np.int64]]]:
        for begin in range(0, len(urls), _BATCH):
            rows = slice(begin, begin + _BATCH)
            counts = self.features.counts(urls[rows]).astype(np.float32)
            yield rows, self.scorer.scores(counts), np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)


def to_model(classifier: UrlClassifier) -> Model:
    """Pack a classifier for its model file."""
    arrays: dict[str, NDArray[Any]] = {"prior": classifier.prior, "sharpness": classifier.temperature_coefficients}
    parameters = {**classifier.parameters, "binary": classifier.binary}
    if isinstance(classifier.features, UrlVocabulary):
        parameters["kind"] = classifier.features.kind
        arrays["hashes"] = classifier.features.hashes
    elif isinstance(classifier.features, ChosenFeatures):
        parameters |= {"kind": "custom", "lists": baykan2008_features.digest_lists()}
        trained = classifier.features.custom.trained
        arrays |= {
            "trained": trained.word,
            "trained_language": trained.language,
            "columns": classifier.features.columns,
        }
    if isinstance(classifier.scorer, LinearScorer):
        parameters["unit"] = classifier.scorer.unit
        arrays["bias"] = classifier.scorer.bias.astype(np.float32)
        # The weights of a language are more alike than those of a feature, so the transposed table packs smaller.
        arrays["weights"] = np.rint(classifier.scorer.weights.T / WEIGHT_STEP).astype(np.int16)
    elif isinstance(classifier.scorer, TreePerLanguage):
        arrays |= classifier.scorer.to_arrays()
    return Model(classifier.name, classifier.labels, parameters, arrays)


def read_classifier(content: Model, digest: str, source: str) -> UrlClassifier:
    """Read the classifier of a model file.

    Raise a ModelError that names `source` if its parts do not fit each other.
    """
    labels = content.labels
    parameters = dict(content.parameters)
    kind, binary, unit = (parameters.pop(name, None) for name in ("kind", "binary", "unit"))
    prior = take_array(content, "prior", "f", (len(labels),), source)
    if not labels or (prior <= 0).any():
        raise ModelError(f"{source}: no labels, or a prior that is not above 0")
    features, size = _read_features(content, kind, source)
    return UrlClassifier(
        name=content.method,
        labels=labels,
        features=features,
        scorer=_read_scorer(content, size, source, unit=bool(unit)),
        prior=prior / prior.sum(),
        binary=bool(binary),
        temperature_coefficients=take_array(content, "sharpness", "f", (2,), source, maximum=MOST_COEFFICIENT),
        parameters=parameters,
        digest=digest,
    )


def _read_features(content: Model, kind: object, source: str) -> tuple[FeatureSet, int]:
    if kind == "custom":
        if content.parameters.get("lists") != baykan2008_features.digest_lists():
            raise ModelError(f"{source}: trained with other dictionaries and cities than this version has; train again")
        word = take_array(content, "trained", "u", (None,), source)
        language = take_array(content, "trained_language", "i", (len(word),), source)
        columns = take_array(content, "columns", "i", (None,), source)
        if ((language < 0) | (language >= len(content.labels))).any() or (word[1:] < word[:-1]).any():
            raise ModelError(f"{source}: its trained dictionary is damaged")
        custom = baykan2008_features.make_custom(content.labels, Lexicon(word, language))
        if ((columns < 0) | (columns >= len(custom.names))).any():
            raise ModelError(f"{source}: it has unknown features")
        return ChosenFeatures(custom, columns), len(columns)
    hashes = take_array(content, "hashes", "u", (None,), source)
    if not isinstance(kind, str) or kind not in COUNT_KINDS or (hashes[1:] <= hashes[:-1]).any():
        raise ModelError(f"{source}: its vocabulary is damaged")
    return UrlVocabulary(kind, hashes), len(hashes)


def _read_scorer(content: Model, size: int, source: str, *, unit: bool) -> Scorer:
    labels = len(content.labels)
    if "feature" in content.arrays:
        nodes = take_array(content, "feature", "i", (None,), source)
        arrays = {
            "tree": take_array(content, "tree", "i", (labels + 1,), source),
            "feature": nodes,
            "threshold": take_array(content, "threshold", "f", (len(nodes),), source),
            "weight": take_array(content, "weight", "f", (len(nodes), 2), source),
        }
        try:
            return TreePerLanguage.from_arrays(arrays, size)
        except ValueError as error:
            raise ModelError(f"{source}: {error}") from error
    steps = take_array(content, "weights", "i", (labels, size), source)
    bias = take_array(content, "bias", "f", (labels,), source)
    return LinearScorer(np.ascontiguousarray(steps.T) * np.float32(WEIGHT_STEP), bias, unit=unit)


def improve_recall(main: NDArray[np.bool_], helper: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Accept if either classifier accepts.

    Shapes: main [URLs, languages].

    >>> import numpy as np
    >>> improve_recall(np.array([True, True, False, False]), np.array([True, False, True, False])).tolist()
    [True, True, True, False]
    """
    return main | helper


def improve_precision(main: NDArray[np.bool_], helper: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Accept if both classifiers accept.

    Shapes: main [URLs, languages].

    >>> import numpy as np
    >>> improve_precision(np.array([True, True, False, False]), np.array([True, False, True, False])).tolist()
    [True, False, False, False]
    """
    return main & helper


MERGES: dict[str, Callable[[NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.bool_]]] = {
    "or": improve_recall,
    "and": improve_precision,
}


class MergedMethods:
    """Two methods merged into one."""

    def __init__(self, main: UrlIdentifier, helper: UrlIdentifier, operator: str) -> None:
        self.name = f"{main.name} {operator} {helper.name}"
        self.hash = hashlib.sha256(f"{main.hash} {operator} {helper.hash}".encode()).hexdigest()
        self._languages = tuple(sorted({*main.labels, *helper.labels}))
        self.labels = (*self._languages, UND)
        self._merge = MERGES[operator]
        self._methods = tuple(
            (method, np.array([self._languages.index(label) for label in method.labels])) for method in (main, helper)
        )

    def describe(self) -> dict[str, Any]:
        """Describe both methods, for the record of a run."""
        main, helper = (method.describe() for method, _ in self._methods)
        return {"method": self.name, "main": main, "helper": helper}

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Decide for each language whether to accept it, (urls, labels); ``und`` never is."""
        main, helper = (self._spread(method.decisions(urls), columns, bool) for method, columns in self._methods)
        return np.asarray(self._merge(main, helper))

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Compute probabilities, (urls, labels): each row sums to 1, and its best language is accepted."""
        main, helper = (
            self._spread(method.probabilities(urls), columns, np.float32) for method, columns in self._methods
        )
        mean = (main + helper) / 2
        accepted = self.decisions(urls)
        best = np.where(accepted, mean, 0).max(axis=1, keepdims=True)
        # Rejected languages keep their order, below the best accepted one.
        other = np.where(accepted, 0, mean).max(axis=1, keepdims=True)
        mean *= np.where(accepted | (other < best), 1, 0.99 * best / np.maximum(other, 1e-9))
        undecided = ~accepted.any(axis=1)
        mean[undecided] = 0
        mean[undecided, -1] = 1
        return np.asarray(mean / mean.sum(axis=1, keepdims=True), dtype=np.float32)

    def _spread(self, values: NDArray[Any], columns: NDArray[np.int64], kind: type) -> NDArray[Any]:
        """Map the columns of one method to those of the merged one; an unknown language has 0 or False."""
        answer: NDArray[Any] = np.zeros((len(values), len(self.labels)), dtype=kind)
        answer[:, columns] = values
        return answer
