"""Train the classifiers of Baykan et al. 2008: ``url-<feature set>-<learner>``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.baykan2008 import dictionary, word_lists
from graphlang.urls.baykan2008.count_vectors import learn
from graphlang.urls.baykan2008.learners import (
    maximum_entropy,
    naive_bayes,
    one_against_rest,
    relative_entropy,
    tree_per_language,
)
from graphlang.urls.baykan2008.learners.linear import STEP, Linear
from graphlang.urls.baykan2008.lexicon import Lexicon
from graphlang.urls.baykan2008.methods import METHODS, Published
from graphlang.urls.default.calibration import calibrate
from graphlang.urls.training.registered_domains import registered_domains

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.urls.baykan2008.count_vectors import Vocabulary
    from graphlang.urls.baykan2008.custom_features import Chosen
    from graphlang.urls.baykan2008.learners.one_against_rest import Learner
    from graphlang.urls.baykan2008.learners.tree_per_language import Forest

#: the learners that give weights to features; the decision tree is the other
LINEAR: dict[str, Learner] = {"nb": naive_bayes.fit, "re": relative_entropy.fit, "me": maximum_entropy.fit}
_FOLDS = 3


def train(
    name: str,
    urls: Mapping[str, Sequence[str]],
    *,
    least: int = 2,
    binary: bool = False,
    every: bool = False,
    seed: int = 0,
) -> Published:
    """A method's model from labelled URLs.

    Args:
        name: One of `METHODS`.
        urls: URLs of each language (ISO 639-3).
        least: Occurrences that a word or a trigram must have to be kept.
        binary: Train one classifier for each language, as the paper does; trees always are. Otherwise one classifier
            tells all languages apart.
        every: Take all custom features, not only the paper's choice.
        seed: Of the split that calibrates, and of the URLs of other languages that are drawn.

    Raises:
        ValueError: no such method, or fewer than two languages.
    """
    if name not in METHODS or len(urls) < 2:  # noqa: PLR2004
        raise ValueError(f"cannot train {name!r} on {len(urls)} languages")
    kind, learner = METHODS[name]
    labels = tuple(sorted(urls))
    known = [url for label in labels for url in urls[label]]
    label = np.repeat(np.arange(len(labels)), [len(urls[one]) for one in labels])
    prior = np.bincount(label, minlength=len(labels)) / len(label)
    _, domain = np.unique(registered_domains(known), return_inverse=True)
    held_out = np.random.default_rng(seed).integers(_FOLDS, size=domain.max() + 1)[domain] == 0
    # A language whose domains are all held out still has to have a row: the first of its URLs stays.
    held_out[np.unique(label, return_index=True)[1]] = False

    def made(rows: NDArray[np.int64]) -> tuple[Vocabulary | Chosen, Linear | Forest]:
        some = [known[row] for row in rows]
        features = _features(kind, labels, some, label[rows], least=least, every=every)
        return features, _fitted(learner, features.counts(some), label[rows], len(labels), binary=binary, seed=seed)

    temperature_coefficients = np.zeros(2, dtype=np.float32)
    out = np.flatnonzero(held_out)
    if len(out):
        features, scorer = made(np.flatnonzero(~held_out))
        counts = features.counts([known[row] for row in out])
        size = np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
        offset, evidence = np.log(prior).astype(np.float32), scorer.scores(counts).astype(np.float32)
        temperature_coefficients = calibrate(evidence, size, offset, label[out], np.ones(len(out)))
    features, scorer = made(np.arange(len(known)))
    return Published(
        name=name,
        labels=labels,
        features=features,
        scorer=_rounded(scorer, binary=binary) if isinstance(scorer, Linear) else scorer,
        prior=prior.astype(np.float32),
        binary=binary or learner == "dt",
        temperature_coefficients=temperature_coefficients,
        parameters={"least": least, "every": every, "urls": len(known)},
    )


def _features(
    kind: str, labels: tuple[str, ...], urls: Sequence[str], label: NDArray[np.int64], *, least: int, every: bool
) -> Vocabulary | Chosen:
    if kind != "custom":
        return learn(kind, urls, least)
    trained = Lexicon.of(dictionary.trained(urls, label, len(labels)))
    return word_lists.custom(labels, trained).chosen(every=every)


def _fitted(
    learner: str, counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, binary: bool, seed: int
) -> Linear | Forest:
    if learner == "dt":
        return tree_per_language.fit(counts, label, classes)
    if binary:
        return one_against_rest.fit(LINEAR[learner], counts, label, classes, seed=seed)
    found = LINEAR[learner](counts, label, classes)
    # The prior takes the place of the bias. The answer does not change with the median, and most weights become 0.
    weights = found.weights - np.median(found.weights, axis=1, keepdims=True)
    return Linear(weights, np.zeros(classes), unit=found.unit)


def _rounded(scorer: Linear, *, binary: bool) -> Linear:
    weights = np.clip(np.rint(scorer.weights / STEP), -32767, 32767) * STEP
    return Linear(weights, scorer.bias if binary else np.zeros(len(scorer.bias)), unit=scorer.unit)
