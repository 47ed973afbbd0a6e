"""Train the shipped URL model: knowledge and running text give the starting weights, labelled URLs do the rest.

1. Slugs made of running text (`slugs`) give each word and n-gram its log odds for each language (Naive Bayes).
2. Codes, ccTLDs and names of languages (`knowledge`) are laid over them.
3. Regression over the labelled URLs (`softmax_regression`) moves the weights from there.
4. The weights of codes, and no others, then learn from made-up URLs of translations (`translated`) as well.
5. The same on two thirds of the registered domains, three times, shows how sure the model may be of domains that it has
   never seen; `calibrate` turns that into the sharpness.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.urls.calibrate import calibrate
from graphlang.urls.domains import registered_domains
from graphlang.urls.features import BITS, Kind, features, matrix
from graphlang.urls.knowledge import code_signs, signs
from graphlang.urls.model import Url
from graphlang.urls.slugs import slugs
from graphlang.urls.softmax_regression import fit
from graphlang.urls.translated import translated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen about training; the defaults made the shipped model."""

    slugs: int = 2500  #: drawn per language
    translated: int = 500  #: examples of `translated` per language
    slugs_of_feature: int = 3  #: slugs that must have a feature for it to be kept
    domains_of_feature: int = 2  #: or registered domains
    text: float = 0.2  #: share of the log odds of running text in the starting weights
    smoothing: float = 2000.0  #: counts, distributed as the mean of the languages, added to each language
    damping: float = 0.4  #: a URL counts as (URLs of its domain) ** -damping
    ngram: float = 0.5  #: scale of the n-gram features against all others
    epochs: int = 10
    rate: float = 0.2
    pull: float = 1e-6
    folds: int = 3
    step: float = 0.12  #: log odds of one unit of the stored weights
    seed: int = 0


def train(urls: Mapping[str, Sequence[str]], text: Mapping[str, Sequence[str]], options: Options | None = None) -> Url:
    """A model of the languages that have URLs.

    Args:
        urls: URLs of each language (ISO 639-3 code).
        text: Lines of running text of each language; languages without any learn from their URLs alone.
        options: See `Options`.

    Raises:
        ValueError: fewer than two languages.
    """
    options = options or Options()
    labels = tuple(sorted(urls))
    if len(labels) < 2:  # noqa: PLR2004
        raise ValueError("a URL model tells two languages or more apart")
    known = [url for label in labels for url in urls[label]]
    label = np.repeat(np.arange(len(labels)), [len(urls[name]) for name in labels])
    drawn = [list(slugs(name, text.get(name, ()), options.slugs, options.seed)) for name in labels]
    drawn_label = np.repeat(np.arange(len(labels)), [len(some) for some in drawn])
    _, domain = np.unique(registered_domains(known), return_inverse=True)
    weight = np.bincount(domain)[domain].astype(np.float64) ** -options.damping
    prior = np.bincount(label, weights=weight, minlength=len(labels)) + 1.0
    prior = prior / prior.sum()

    known_features, text_features = features(known), features([slug for some in drawn for slug in some])
    first_weights = list(signs(labels))
    row = _columns(known_features, domain, text_features, {bucket for bucket, _, _ in first_weights}, options)
    scale = {"ngram": options.ngram}
    examples, pages = matrix(known_features, row, scale), matrix(text_features, row, scale)
    made = list(translated(known, labels, options.translated, options.seed))
    marked = matrix(features([url for url, _ in made]), row, scale)
    marked_label = np.array([column for _, column in made], dtype=np.int64)
    start = options.text * _log_odds(pages, drawn_label, len(labels), options.smoothing)
    for bucket, column, odds in first_weights:
        start[row[bucket], column] = max(start[row[bucket], column], odds)
    offset = np.log(prior).astype(np.float32)
    coded = np.zeros(len(start), dtype=bool)
    coded[[row[bucket] for bucket, _, _ in code_signs(labels)]] = True

    def fitted(rows: NDArray[np.int64]) -> NDArray[np.float32]:
        def regressed(
            some: sparse.csr_matrix, begin: NDArray[np.float32], fixed: NDArray[np.float32], extra: int
        ) -> NDArray[np.float32]:
            return fit(
                some,
                np.concatenate([label[rows], marked_label[:extra]]),
                np.concatenate([weight[rows], np.ones(extra)]),
                begin,
                fixed,
                epochs=options.epochs,
                rate=options.rate,
                pull=options.pull,
                seed=options.seed,
            )

        weights = regressed(examples[rows], start, offset, 0)
        both = sparse.vstack([examples[rows], marked], format="csr")
        fixed = both[:, ~coded] @ weights[~coded] + offset
        weights[coded] = regressed(both[:, coded], weights[coded], fixed, len(made))
        return weights

    fold = np.random.default_rng(options.seed).integers(options.folds, size=domain.max() + 1)[domain]
    held_out = np.zeros((len(known), len(labels)), dtype=np.float32)
    for number in range(options.folds):
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        held_out[outside] = examples[outside] @ fitted(inside)
    count = np.asarray(matrix(known_features, row, {}).sum(axis=1)).ravel().astype(np.int64)
    sharpness = calibrate(held_out, count, offset, label, weight)

    weights = fitted(np.arange(len(known)))
    weights *= _scales(row, scale, known_features, text_features)[:, None]
    weights -= np.median(weights, axis=1, keepdims=True)  # the answer is the same, and most weights become 0
    whole = np.clip(np.rint(weights / options.step), -127, 127).astype(np.int8)
    buckets = np.flatnonzero(row >= 0)
    used = whole[row[buckets]].any(axis=1)
    return Url(
        labels=labels,
        prior=prior.astype(np.float32),
        buckets=buckets[used].astype(np.int32),
        weights=whole[row[buckets[used]]],
        step=options.step,
        sharpness=sharpness,
        parameters={**asdict(options), "urls": len(known), "slugs_drawn": len(drawn_label)},
    )


def _columns(
    known: dict[str, Kind], domain: NDArray[np.int64], text: dict[str, Kind], always: set[int], options: Options
) -> NDArray[np.int32]:
    """[2 ** BITS] the column of each bucket that enough domains or slugs have, -1 for the others."""
    kept = np.zeros(1 << BITS, dtype=bool)
    kept[list(always)] = True
    for kinds, group, least in (
        (known, domain, options.domains_of_feature),
        (text, None, options.slugs_of_feature),
    ):
        for bucket, first in kinds.values():
            row = np.repeat(np.arange(len(first) - 1), np.diff(first))
            one = row if group is None else group[row]
            pairs = np.unique(bucket * (int(one.max(initial=0)) + 1) + one) // (int(one.max(initial=0)) + 1)
            kept |= np.bincount(pairs, minlength=1 << BITS) >= least
    return np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)


def _log_odds(pages: sparse.csr_matrix, label: NDArray[np.int64], labels: int, smoothing: float) -> NDArray[np.float32]:
    """[features, labels] log of a feature's share in the language over its mean share in all languages with text."""
    counts = np.zeros((labels, pages.shape[1]))
    for number in range(labels):
        counts[number] = np.asarray(pages[label == number].sum(axis=0)).ravel()
    total = counts.sum(axis=1)
    with_text = total > 0
    odds = np.zeros((pages.shape[1], labels), dtype=np.float32)
    if with_text.any():
        shares = counts[with_text] / total[with_text, None]
        mean = shares.mean(axis=0) + 1e-12
        smooth = (counts[with_text] + smoothing * mean) / (total[with_text, None] + smoothing)
        odds[:, with_text] = np.log(smooth / mean).T
    return odds


def _scales(row: NDArray[np.int32], scale: dict[str, float], *kinds: dict[str, Kind]) -> NDArray[np.float32]:
    """[features] the scale of each feature's kind, to be taken into its weights."""
    scales = np.ones(int(row.max()) + 1, dtype=np.float32)
    for some in kinds:
        for name, factor in scale.items():
            column = row[some[name].bucket]
            scales[column[column >= 0]] = factor
    return scales
