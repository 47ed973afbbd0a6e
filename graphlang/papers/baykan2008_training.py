"""Train the classifiers of Baykan et al. 2008: ``url-<feature set>-<learner>``, and their dictionaries."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from graphlang.papers import baykan2008_features, baykan2008_learners
from graphlang.papers.baykan2008 import UrlClassifier
from graphlang.papers.baykan2008_features import Lexicon, learn_vocabulary
from graphlang.papers.baykan2008_learners import WEIGHT_STEP, LinearScorer
from graphlang.urls.labelled_urls import find_registered_domains
from graphlang.urls.tokens import Tokens, find_runs, hash_tokens, tokenize
from graphlang.urls.url_methods import PAPER_METHODS
from graphlang.urls.url_model import fit_temperature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.papers.baykan2008_features import ChosenFeatures, UrlVocabulary
    from graphlang.papers.baykan2008_learners import Learner, TreePerLanguage


SHORTEST_WORD = 3  #: letters of a word in the trained dictionary of a language
LEAST_SHARE = 0.0001  #: share of the URLs of the language that have the word
LEAST_PURITY = 0.8  #: share of the URLs with the word that are in the language


def train_dictionaries(urls: Sequence[str], label: NDArray[np.int64], classes: int) -> list[NDArray[np.uint64]]:
    """Train the dictionary of each class: hashes of its tokens, ascending.

    A token is in the dictionary of X if at least 0.01 % of the URLs of X have it, and at least 80 % of the URLs with it
    are of X. Shapes: label [URLs].

    >>> from graphlang.urls.tokens import hash_words
    >>> urls = ["http://arcor.de/"] * 5 + ["http://galeon.es/", "http://arcor.es/"]
    >>> german, spanish = train_dictionaries(urls, np.array([0, 0, 0, 0, 0, 1, 1]), 2)
    >>> german.tolist() == hash_words(["arcor"]).tolist(), spanish.tolist() == hash_words(["galeon"]).tolist()
    (True, True)
    """
    tokens = _select_long(tokenize(urls))
    hashes, token = np.unique(hash_tokens(tokens), return_inverse=True)
    pairs = np.unique(token * len(urls) + tokens.find_urls())
    containing = np.zeros((len(hashes), classes))
    np.add.at(containing, (pairs // len(urls), label[pairs % len(urls)]), 1)
    share = containing / np.maximum(np.bincount(label, minlength=classes), 1)
    pure = containing >= LEAST_PURITY * containing.sum(axis=1, keepdims=True)
    chosen = (share >= LEAST_SHARE) & pure & (containing > 0)
    return [hashes[chosen[:, number]] for number in range(classes)]


def _select_long(tokens: Tokens) -> Tokens:
    return tokens.select(tokens.end - tokens.start >= SHORTEST_WORD)


def find_common_words(lines: Iterable[str], size: int = 20_000) -> NDArray[np.uint64]:
    """Find the most frequent words of running text, spelt as in URLs: hashes, ascending.

    They replace the spelling dictionary of the paper, whose successors may not be copied here (licence).

    >>> from graphlang.urls.tokens import hash_words
    >>> words = find_common_words(["Das Café, das Haus"], size=1)
    >>> words.tolist() == hash_words(["das"]).tolist()
    True
    """
    counts: Counter[int] = Counter()
    block: list[str] = []
    for line in lines:
        block.append(line[:1000].replace("%", " "))
        if len(block) == 10_000:  # noqa: PLR2004 lines at a time
            counts.update(_hash_lines(block))
            block = []
    counts.update(_hash_lines(block))
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:size]
    return np.sort(np.array([word for word, _ in best], dtype=np.uint64))


def _hash_lines(lines: list[str]) -> list[int]:
    values: list[int] = hash_tokens(_select_long(find_runs(lines))).tolist()
    return values


#: the learners that give weights to features; the decision tree is the other
LINEAR_LEARNERS: dict[str, Learner] = {
    "nb": baykan2008_learners.fit_naive_bayes,
    "re": baykan2008_learners.fit_relative_entropy,
    "me": baykan2008_learners.fit_maximum_entropy,
}
_FOLDS = 3


def train_classifier(
    name: str,
    urls: Mapping[str, Sequence[str]],
    *,
    least: int = 2,
    binary: bool = False,
    every: bool = False,
    seed: int = 0,
) -> UrlClassifier:
    """Train a method on the URLs of each language.

    A feature needs `least` occurrences. `binary` trains one classifier per language, as the paper does. `every` uses
    all custom features instead of the paper's choice. Raise a ValueError for an unknown method or fewer than two
    languages.
    """
    if name not in PAPER_METHODS or len(urls) < 2:  # noqa: PLR2004
        raise ValueError(f"cannot train {name!r} on {len(urls)} languages")
    kind, learner = PAPER_METHODS[name]
    labels = tuple(sorted(urls))
    all_urls = [url for label in labels for url in urls[label]]
    label = np.repeat(np.arange(len(labels)), [len(urls[language]) for language in labels])
    prior = np.bincount(label, minlength=len(labels)) / len(label)
    _, domain = np.unique(find_registered_domains(all_urls), return_inverse=True)
    held_out = np.random.default_rng(seed).integers(_FOLDS, size=domain.max() + 1)[domain] == 0
    # A language whose domains are all held out keeps its first URL, so that it has a row.
    held_out[np.unique(label, return_index=True)[1]] = False

    def fit(rows: NDArray[np.int64]) -> tuple[UrlVocabulary | ChosenFeatures, LinearScorer | TreePerLanguage]:
        row_urls = [all_urls[row] for row in rows]
        features = _make_features(kind, labels, row_urls, label[rows], least_count=least, all_features=every)
        return features, _fit_learner(
            learner, features.counts(row_urls), label[rows], len(labels), binary=binary, seed=seed
        )

    temperature_coefficients = np.zeros(2, dtype=np.float32)
    out = np.flatnonzero(held_out)
    if len(out):
        features, scorer = fit(np.flatnonzero(~held_out))
        counts = features.counts([all_urls[row] for row in out])
        size = np.asarray(counts.sum(axis=1)).ravel().astype(np.int64)
        offset, evidence = np.log(prior).astype(np.float32), scorer.scores(counts).astype(np.float32)
        temperature_coefficients = fit_temperature(evidence, size, offset, label[out], np.ones(len(out)))
    features, scorer = fit(np.arange(len(all_urls)))
    return UrlClassifier(
        name=name,
        labels=labels,
        features=features,
        scorer=_round_weights(scorer, binary=binary) if isinstance(scorer, LinearScorer) else scorer,
        prior=prior.astype(np.float32),
        binary=binary or learner == "dt",
        temperature_coefficients=temperature_coefficients,
        parameters={"least": least, "every": every, "urls": len(all_urls)},
    )


def _make_features(
    kind: str,
    labels: tuple[str, ...],
    urls: Sequence[str],
    label: NDArray[np.int64],
    *,
    least_count: int,
    all_features: bool,
) -> UrlVocabulary | ChosenFeatures:
    if kind != "custom":
        return learn_vocabulary(kind, urls, least_count)
    trained = Lexicon.from_hashes(train_dictionaries(urls, label, len(labels)))
    return baykan2008_features.make_custom(labels, trained).choose(all_features=all_features)


def _fit_learner(
    learner: str, counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, binary: bool, seed: int
) -> LinearScorer | TreePerLanguage:
    if learner == "dt":
        return baykan2008_learners.fit_trees(counts, label, classes)
    if binary:
        return baykan2008_learners.fit_one_against_rest(LINEAR_LEARNERS[learner], counts, label, classes, seed=seed)
    scorer = LINEAR_LEARNERS[learner](counts, label, classes)
    # The prior replaces the bias. Subtracting the median changes no answer and makes most weights 0.
    weights = scorer.weights - np.median(scorer.weights, axis=1, keepdims=True)
    return LinearScorer(weights, np.zeros(classes), unit=scorer.unit)


def _round_weights(scorer: LinearScorer, *, binary: bool) -> LinearScorer:
    weights = np.clip(np.rint(scorer.weights / WEIGHT_STEP), -32767, 32767) * WEIGHT_STEP
    return LinearScorer(weights, scorer.bias if binary else np.zeros(len(scorer.bias)), unit=scorer.unit)
