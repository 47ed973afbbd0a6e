"""The classifiers of Baykan et al. 2008 for all languages at once, each as a method with a model file.

The paper makes one yes-or-no decision per language. The graph needs one distribution over languages, so here the scores
of all languages are compared, and the prior and a sharpness fitted on unseen domains make probabilities of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphlang.urls import maximum_entropy, modelfile, naive_bayes, relative_entropy
from graphlang.urls.calibrate import calibrate, sharpened
from graphlang.urls.domains import registered_domains
from graphlang.urls.linear import Linear, shares
from graphlang.urls.modelfile import ModelError
from graphlang.urls.softmax_regression import softmax
from graphlang.urls.vectors import KINDS, Vocabulary, learn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

#: the learners by the ends of the methods' names
LEARNERS: dict[str, Callable[[sparse.csr_matrix, NDArray[np.int64], int], Linear]] = {
    "nb": naive_bayes.fit,
    "re": relative_entropy.fit,
    "me": maximum_entropy.fit,
}
#: URLs that are worked on at a time
_BATCH = 8192
_STEP = 1 / 256
_FOLDS = 3


class Published:
    """One feature set and one learner, trained.

    Args:
        name: The method, ``url-words-nb``.
        labels: ISO 639-3 codes.
        vocabulary: The features.
        weights: [features, labels] whole numbers of 1/256 log odds.
        prior: [labels] probability of each language where no feature is known.
        unit: Whether counts are divided by their sum first (relative entropy).
        sharpness: [2], see `calibrate`.
        digest: SHA-256 of the file.
    """

    def __init__(
        self,
        *,
        name: str,
        labels: tuple[str, ...],
        vocabulary: Vocabulary,
        weights: NDArray[np.int16],
        prior: NDArray[np.float32],
        unit: bool,
        sharpness: NDArray[np.float32],
        digest: str = "",
    ) -> None:
        self.name = name
        self.labels = labels
        self.vocabulary = vocabulary
        self.weights = weights
        self.prior = prior
        self.unit = unit
        self.sharpness = sharpness
        self.hash = digest
        self._weight = weights.astype(np.float32) * np.float32(_STEP)

    def describe(self) -> dict[str, Any]:
        """The parameters, for the record of a run."""
        size = len(self.vocabulary.hashes)
        return {"method": self.name, "labels": len(self.labels), "features": size, "model": self.hash}

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Calibrated probability of each language, float32 (urls, labels); each row sums to 1."""
        answer = np.empty((len(urls), len(self.labels)), dtype=np.float32)
        for begin in range(0, len(urls), _BATCH):
            counts = self.vocabulary.counts(urls[begin : begin + _BATCH]).astype(np.float32)
            known = np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
            evidence = np.asarray((shares(counts) if self.unit else counts) @ self._weight, dtype=np.float32)
            evidence *= sharpened(self.sharpness, known)[:, None]
            answer[begin : begin + _BATCH] = softmax(evidence + np.log(self.prior))
        return answer


def train(name: str, urls: Mapping[str, Sequence[str]], *, least: int = 2, seed: int = 0) -> Published:
    """A method's model from labelled URLs.

    Args:
        name: ``url-<kind>-<learner>``, kind from `vectors.KINDS`, learner from `LEARNERS`.
        urls: URLs of each language (ISO 639-3).
        least: Occurrences that a feature must have to be kept.
        seed: Of the split that calibrates.

    Raises:
        ValueError: no such method, or fewer than two languages.
    """
    _, _, rest = name.partition("-")
    kind, _, learner = rest.partition("-")
    if kind not in KINDS or learner not in LEARNERS or len(urls) < 2:  # noqa: PLR2004
        raise ValueError(f"cannot train {name!r} on {len(urls)} languages")
    labels = tuple(sorted(urls))
    known = [url for label in labels for url in urls[label]]
    label = np.repeat(np.arange(len(labels)), [len(urls[one]) for one in labels])
    vocabulary = learn(kind, known, least)
    counts = vocabulary.counts(known)
    prior = np.bincount(label, minlength=len(labels)) / len(label)
    _, domain = np.unique(registered_domains(known), return_inverse=True)
    held_out = np.random.default_rng(seed).integers(_FOLDS, size=domain.max() + 1)[domain] == 0

    def fitted(rows: NDArray[np.bool_]) -> Linear:
        # A language whose domains are all held out still has to have a row: the first of its URLs stays.
        rows = rows.copy()
        rows[np.unique(label, return_index=True)[1]] = True
        return LEARNERS[learner](counts[rows], label[rows], len(labels))

    offset = np.log(prior).astype(np.float32)
    if held_out.any() and not held_out.all():
        part = fitted(~held_out)
        used = sparse.csr_matrix(counts[held_out])
        evidence = np.asarray((shares(used) if part.unit else used) @ part.weights, dtype=np.float32)
        seen = np.asarray(used.sum(axis=1)).ravel().astype(np.int64)
        sharpness = calibrate(evidence, seen, offset, label[held_out], np.ones(int(held_out.sum())))
    else:
        sharpness = np.zeros(2, dtype=np.float32)
    model = fitted(np.ones(len(known), dtype=bool))
    weights = model.weights - np.median(model.weights, axis=1, keepdims=True)
    whole = np.clip(np.rint(weights / _STEP), -32767, 32767).astype(np.int16)
    return Published(
        name=name, labels=labels, vocabulary=vocabulary, weights=whole,
        prior=prior.astype(np.float32), unit=model.unit, sharpness=sharpness,
    )  # fmt: skip


def save(path: str | Path, model: Published) -> str:
    """Write the model file. Returns its SHA-256. Raises OSError."""
    header = {"method": model.name, "labels": list(model.labels), "kind": model.vocabulary.kind, "unit": model.unit}
    arrays: dict[str, NDArray[Any]] = {
        "hashes": model.vocabulary.hashes,
        "weights": model.weights.T,  # a language's weights are more alike than a feature's: the file is smaller
        "prior": model.prior,
        "sharpness": model.sharpness,
    }
    return modelfile.write(path, header, arrays)


def from_file(header: dict[str, Any], arrays: dict[str, NDArray[Any]], digest: str, source: str) -> Published:
    """The model of a file that `modelfile.read` has read. Raises ModelError where it does not fit together."""
    labels = modelfile.labels_of(header, source)
    hashes = modelfile.array(arrays, "hashes", "u", (None,), source)
    prior = modelfile.array(arrays, "prior", "f", (len(labels),), source)
    if header.get("kind") not in KINDS or (hashes[1:] <= hashes[:-1]).any() or (prior <= 0).any():
        raise ModelError(f"{source}: its vocabulary or its prior cannot be")
    return Published(
        name=header["method"],
        labels=labels,
        vocabulary=Vocabulary(header["kind"], hashes),
        weights=np.ascontiguousarray(modelfile.array(arrays, "weights", "i", (len(labels), len(hashes)), source).T),
        prior=prior / prior.sum(),
        unit=bool(header.get("unit")),
        sharpness=modelfile.array(arrays, "sharpness", "f", (2,), source),
        digest=digest,
    )
