"""What the shipped URL model is trained on, as matrices: labelled URLs, slugs of running text, made-up translations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.default.features import BITS, Kind, features, matrix
from graphlang.urls.training.knowledge import code_signs, signs
from graphlang.urls.training.registered_domains import host_alone, registered_domains
from graphlang.urls.training.slugs import slugs
from graphlang.urls.training.translated_sites import translated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from scipy import sparse


@dataclass(frozen=True, slots=True)
class ExampleOptions:
    """What can be chosen about training; the defaults made the shipped model."""

    slugs: int = 6000  #: drawn per language
    translated: int = 500  #: examples of `translated` per language
    slugs_of_feature: int = 3  #: slugs that must have a feature for it to be kept
    domains_of_feature: int = 2  #: or registered domains
    text: float = 0.2  #: share of the log-odds of running text in the starting weights
    smoothing: float = 4000.0  #: counts, distributed as the mean of the languages, added to each language
    damping: float = 0.4  #: a URL counts as (URLs of its domain) ** -damping
    ngram: float = 0.7  #: scale of the n-gram features against all others
    enough: int = 8  #: n-grams of a URL that count in full, see `features.crowded`
    host: float = 0.5  #: weight of a URL without its path, against the whole
    epochs: int = 10
    rate: float = 0.2
    pull: float = 1e-6
    folds: int = 3
    step: float = 0.12  #: log-odds of one unit of the stored weights
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Examples:
    """Matrices of examples and features, and what is known of both."""

    labels: tuple[str, ...]
    row: NDArray[np.int32]  #: [2 ** BITS] the feature of each bucket, -1 for buckets that are left out
    scale: NDArray[np.float32]  #: [features] factor that is already in the matrices
    start: NDArray[np.float32]  #: [features, labels] weights before training
    coded: NDArray[np.bool_]  #: [features] whether it is a code where codes are written
    offset: NDArray[np.float32]  #: [labels] log prior
    whole: sparse.csr_matrix  #: [URLs, features]
    label: NDArray[np.int64]  #: [URLs]
    weight: NDArray[np.float64]  #: [URLs]
    domain: NDArray[np.int64]  #: [URLs] number of the registered domain
    known: NDArray[np.int64]  #: [URLs] features
    bare: sparse.csr_matrix  #: [URLs with a path, features] the same without the path
    bare_of: NDArray[np.int64]  #: [URLs with a path] their rows in ``whole``
    marked: sparse.csr_matrix  #: [made-up URLs of translations, features]
    marked_label: NDArray[np.int64]
    slugs: int  #: how many were drawn


def gather(urls: Mapping[str, Sequence[str]], text: Mapping[str, Sequence[str]], options: ExampleOptions) -> Examples:
    """Everything that training needs.

    Args:
        urls: As `train_default.train` has them.
        text: As `train_default.train` has it.
        options: How examples are made.

    Raises:
        ValueError: fewer than two languages.
    """
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

    of_urls, of_text = features(known), features([slug for some in drawn for slug in some])
    first_weights = list(signs(labels))
    row = _columns(of_urls, domain, of_text, {bucket for bucket, _, _ in first_weights}, options)
    scale = {"ngram": options.ngram}

    def table(found: dict[str, Kind]) -> sparse.csr_matrix:
        return matrix(found, row, scale, options.enough)

    start = options.text * _log_odds(table(of_text), drawn_label, len(labels), options.smoothing)
    for bucket, column, log_odds in first_weights:
        start[row[bucket], column] = max(start[row[bucket], column], log_odds)
    coded = np.zeros(len(start), dtype=bool)
    coded[[row[bucket] for bucket, _, _ in code_signs(labels)]] = True
    bare = [(number, alone) for number, url in enumerate(known) if (alone := host_alone(url))]
    made = list(translated(known, labels, options.translated, options.seed))
    return Examples(
        labels=labels,
        row=row,
        scale=_scales(row, scale, of_urls, of_text),
        start=start,
        coded=coded,
        offset=np.log(prior / prior.sum()).astype(np.float32),
        whole=table(of_urls),
        label=label,
        weight=weight,
        domain=domain,
        known=np.asarray(matrix(of_urls, row, {}).sum(axis=1)).ravel().astype(np.int64),
        bare=table(features([alone for _, alone in bare])),
        bare_of=np.array([number for number, _ in bare], dtype=np.int64),
        marked=table(features([url for url, _ in made])),
        marked_label=np.array([column for _, column in made], dtype=np.int64),
        slugs=len(drawn_label),
    )


def _columns(
    known: dict[str, Kind], domain: NDArray[np.int64], text: dict[str, Kind], always: set[int], options: ExampleOptions
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
    log_odds = np.zeros((pages.shape[1], labels), dtype=np.float32)
    if with_text.any():
        shares = counts[with_text] / total[with_text, None]
        mean = shares.mean(axis=0) + 1e-12
        smooth = (counts[with_text] + smoothing * mean) / (total[with_text, None] + smoothing)
        log_odds[:, with_text] = np.log(smooth / mean).T
    return log_odds


def _scales(row: NDArray[np.int32], scale: dict[str, float], *kinds: dict[str, Kind]) -> NDArray[np.float32]:
    """[features] the scale of each feature's kind, to be taken into its weights."""
    scales = np.ones(int(row.max()) + 1, dtype=np.float32)
    for some in kinds:
        for name, factor in scale.items():
            column = row[some[name].bucket]
            scales[column[column >= 0]] = factor
    return scales
