"""Train a URL method from labelled URLs, as `graphlang train --method url...` does.

For the shipped model ``url``:

1. Slugs of running text (`url_examples.draw_slugs`) give each word and n-gram its log-odds for each language (Naive
   Bayes).
2. Codes, ccTLDs and names of languages (`url_examples.list_signs`) override them.
3. Regression over the labelled URLs (`fit_softmax`) moves the weights from there. Each URL with a path counts once more
   without it (`cut_after_host`); otherwise the n-grams of the path would explain everything and the host nothing.
4. The weights of codes also learn from made-up URLs of translations (`url_examples.draw_translated`).
5. The same is done three times with two thirds of the registered domains. From the scores of the other third,
   `fit_temperature` fits how certain the model may be on unseen domains.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphlang.modelfile import ModelError
from graphlang.numerics import softmax
from graphlang.papers import baykan2008_training
from graphlang.training.url_examples import draw_slugs, draw_translated, list_code_signs, list_signs, read_text
from graphlang.urls.labelled_urls import cut_after_host, find_registered_domains, read_urls
from graphlang.urls.url_features import BUCKET_BITS, FeatureKind, extract_features, to_matrix
from graphlang.urls.url_methods import DEFAULT, PAPER_METHODS
from graphlang.urls.url_model import UrlModel, fit_temperature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphlang.papers.baykan2008 import UrlClassifier

    Progress = Callable[[str, int, int], None]


#: fewest URLs of a language: `url` knows each language's codes and words before it sees a URL
LEAST_URLS = {DEFAULT: 10}
_LEAST_URLS_OF_PAPER = 20
_PAPER_OPTIONS = {"least": 2, "binary": False, "every": False, "seed": 0}


def train_url_method(
    corpus: Path,
    *,
    method: str = DEFAULT,
    text: Path | None = None,
    progress: Progress = lambda _stage, _done, _all: None,
    **options: Any,
) -> UrlModel | UrlClassifier:
    """Train a model; its ``save`` writes the file, the same for the same corpus and options.

    `corpus` is as for `labelled_urls.read_urls`: a table with columns ``lang`` (or ``language``) and ``url``, or a
    folder with one sub-folder per language of text files with one URL a line. `method` is ``url`` or one of
    `url_methods.PAPER_METHODS`. For ``url``, `text` is a folder of running text (`url_examples.read_text`); without
    it the model knows only the words of the URLs. `progress` gets the name of the stage, the finished units and all
    units. A language with fewer URLs than the option ``least_urls`` is left out. Other options are those of
    `UrlOptions`, or of `baykan2008_training.train_classifier` for the methods of the paper.

    Raise a ModelError for an unknown method or option, or a corpus that cannot be used; an OSError if it cannot be
    read.
    """
    if method != DEFAULT and method not in PAPER_METHODS:
        raise ModelError(f"{method}: no URL method that can be trained ({', '.join((DEFAULT, *PAPER_METHODS))})")
    if text is not None and method != DEFAULT:
        raise ModelError(f"{method} learns from URLs alone, and takes no running text")
    least_urls = options.pop("least_urls", LEAST_URLS.get(method, _LEAST_URLS_OF_PAPER))
    option_names = {field.name for field in fields(UrlOptions)} if method == DEFAULT else {*_PAPER_OPTIONS}
    unknown = sorted(set(options) - option_names)
    if unknown:
        raise ModelError(f"{', '.join(unknown)}: no option of {method} (least_urls, {', '.join(sorted(option_names))})")
    try:
        urls: dict[str, list[str]] = defaultdict(list)
        for row in read_urls(corpus):
            urls[row.language].append(row.url)
        progress("read", 1, 1)
        usable = {
            language: language_urls for language, language_urls in urls.items() if len(language_urls) >= least_urls
        }
        if method == DEFAULT:
            lines = read_text(text) if text is not None else {}
            return train_url(usable, lines, UrlOptions(**options), progress)
        return baykan2008_training.train_classifier(method, usable, **options)
    except ValueError as error:
        raise ModelError(f"{corpus}: {error}") from error


def train_url(
    urls: Mapping[str, Sequence[str]],
    text: Mapping[str, Sequence[str]],
    options: UrlOptions | None = None,
    progress: Progress = lambda _stage, _done, _all: None,
) -> UrlModel:
    """Train the shipped model from URLs and lines of text of each language (ISO 639-3).

    Raise a ValueError for fewer than two languages.
    """
    options = options or UrlOptions()
    examples = gather_examples(urls, text, options)
    steps = options.folds + 2
    progress("train", 1, steps)
    fold = np.random.default_rng(options.seed).integers(options.folds, size=examples.domain.max() + 1)[examples.domain]
    held_out = np.zeros((len(examples.label), len(examples.labels)), dtype=np.float32)
    for number in range(options.folds):
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        held_out[outside] = examples.whole[outside] @ _fit_weights(examples, inside, options)
        progress("train", number + 2, steps)
    temperature_coefficients = fit_temperature(
        held_out, examples.feature_count, examples.offset, examples.label, examples.weight
    )

    weights = _fit_weights(examples, np.arange(len(examples.label)), options)
    weights *= examples.scale[:, None]
    weights -= np.median(weights, axis=1, keepdims=True)  # the answers do not change, and most weights become 0
    rounded = np.clip(np.rint(weights / options.step), -127, 127).astype(np.int8)
    buckets = np.flatnonzero(examples.row >= 0)
    used = rounded[examples.row[buckets]].any(axis=1)
    progress("train", steps, steps)
    parameters = {name: value for name, value in asdict(options).items() if name not in {"step", "enough"}}
    return UrlModel(
        labels=examples.labels,
        prior=np.exp(examples.offset),
        buckets=buckets[used].astype(np.int32),
        weights=rounded[examples.row[buckets[used]]],
        enough=float(options.enough),
        step=options.step,
        temperature_coefficients=temperature_coefficients,
        parameters={**parameters, "urls": len(examples.label), "slugs_drawn": examples.slugs},
    )


def _fit_weights(examples: UrlExamples, rows: NDArray[np.int64], options: UrlOptions) -> NDArray[np.float32]:
    """Fit the weights to the labelled URLs in `rows`, [features, labels]."""
    label, weight = examples.label[rows], examples.weight[rows]

    def fit(
        extra: tuple[sparse.csr_matrix, NDArray[np.int64], NDArray[np.float64]],
        columns: NDArray[np.bool_] | slice,
        start: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        features = sparse.vstack([examples.whole[rows], extra[0]], format="csr")
        offset = examples.offset
        if not isinstance(columns, slice):
            offset = features[:, ~columns] @ start[~columns] + offset
        return fit_softmax(
            features[:, columns],
            np.concatenate([label, extra[1]]),
            np.concatenate([weight, extra[2]]),
            start[columns],
            offset,
            epochs=options.epochs,
            rate=options.rate,
            pull=options.pull,
            seed=options.seed,
        )

    host_rows = np.flatnonzero(np.isin(examples.host_row, rows))
    url_rows = examples.host_row[host_rows]
    hosts = (examples.host[host_rows], examples.label[url_rows], options.host * examples.weight[url_rows])
    weights = fit(hosts, slice(None), examples.start)
    translated = (examples.translated, examples.translated_label, np.ones(len(examples.translated_label)))
    weights[examples.is_code] = fit(translated, examples.is_code, weights)
    return weights


@dataclass(frozen=True, slots=True)
class UrlOptions:
    """Options of training; the defaults are those of the shipped model."""

    slugs: int = 6000  #: drawn per language
    translated: int = 500  #: examples of `draw_translated` per language
    slugs_of_feature: int = 3  #: slugs that a feature needs
    domains_of_feature: int = 2  #: or registered domains that it needs
    text: float = 0.2  #: factor on the log-odds of running text in the starting weights
    smoothing: float = 4000.0  #: counts, distributed as the mean of the languages, that are added to each language
    damping: float = 0.4  #: a URL has the weight (URLs of its domain) ** -damping
    ngram: float = 0.7  #: scale of the n-gram features relative to all others
    enough: int = 8  #: n-grams of a URL that count in full, see `damp_ngrams`
    host: float = 0.5  #: weight of a URL without its path, relative to the whole
    epochs: int = 10
    rate: float = 0.2
    pull: float = 1e-6
    folds: int = 3
    step: float = 0.12  #: log-odds of one unit of the stored weights
    seed: int = 0


@dataclass(frozen=True, slots=True)
class UrlExamples:
    """Matrices of examples and features, with facts about both."""

    labels: tuple[str, ...]
    row: NDArray[np.int32]  #: [2 ** BUCKET_BITS] the feature of each bucket, -1 for buckets that are left out
    scale: NDArray[np.float32]  #: [features] factor that the matrices include
    start: NDArray[np.float32]  #: [features, labels] weights before training
    is_code: NDArray[np.bool_]  #: [features] True for a code in a position of codes
    offset: NDArray[np.float32]  #: [labels] log prior
    whole: sparse.csr_matrix  #: [URLs, features]
    label: NDArray[np.int64]  #: [URLs]
    weight: NDArray[np.float64]  #: [URLs]
    domain: NDArray[np.int64]  #: [URLs] number of the registered domain
    feature_count: NDArray[np.int64]  #: [URLs]
    host: sparse.csr_matrix  #: [URLs with a path, features] the same without the path
    host_row: NDArray[np.int64]  #: [URLs with a path] their rows in ``whole``
    translated: sparse.csr_matrix  #: [made-up URLs of translations, features]
    translated_label: NDArray[np.int64]
    slugs: int  #: number of slugs drawn


def gather_examples(
    urls: Mapping[str, Sequence[str]], text: Mapping[str, Sequence[str]], options: UrlOptions
) -> UrlExamples:
    """Gather all examples that training needs; raise a ValueError for fewer than two languages."""
    labels = tuple(sorted(urls))
    if len(labels) < 2:  # noqa: PLR2004
        raise ValueError("a URL model needs two languages or more")
    all_urls = [url for label in labels for url in urls[label]]
    label = np.repeat(np.arange(len(labels)), [len(urls[name]) for name in labels])
    slugs = [list(draw_slugs(name, text.get(name, ()), options.slugs, options.seed)) for name in labels]
    slug_label = np.repeat(np.arange(len(labels)), [len(label_slugs) for label_slugs in slugs])
    _, domain = np.unique(find_registered_domains(all_urls), return_inverse=True)
    weight = np.bincount(domain)[domain].astype(np.float64) ** -options.damping
    prior = np.bincount(label, weights=weight, minlength=len(labels)) + 1.0

    url_features = extract_features(all_urls)
    slug_features = extract_features([slug for label_slugs in slugs for slug in label_slugs])
    signs = list(list_signs(labels))
    row = _choose_columns(url_features, domain, slug_features, {bucket for bucket, _, _ in signs}, options)
    scale = {"ngram": options.ngram}

    def make_table(kinds: dict[str, FeatureKind]) -> sparse.csr_matrix:
        return to_matrix(kinds, row, scale, options.enough)

    text_log_odds = _compute_text_log_odds(make_table(slug_features), slug_label, len(labels), options.smoothing)
    start = options.text * text_log_odds
    for bucket, column, log_odds in signs:
        start[row[bucket], column] = max(start[row[bucket], column], log_odds)
    is_code = np.zeros(len(start), dtype=bool)
    is_code[[row[bucket] for bucket, _, _ in list_code_signs(labels)]] = True
    hosts = [(number, host) for number, url in enumerate(all_urls) if (host := cut_after_host(url))]
    translations = list(draw_translated(all_urls, labels, options.translated, options.seed))
    return UrlExamples(
        labels=labels,
        row=row,
        scale=_list_scales(row, scale, url_features, slug_features),
        start=start,
        is_code=is_code,
        offset=np.log(prior / prior.sum()).astype(np.float32),
        whole=make_table(url_features),
        label=label,
        weight=weight,
        domain=domain,
        feature_count=np.asarray(to_matrix(url_features, row, {}).sum(axis=1)).ravel().astype(np.int64),
        host=make_table(extract_features([host for _, host in hosts])),
        host_row=np.array([number for number, _ in hosts], dtype=np.int64),
        translated=make_table(extract_features([url for url, _ in translations])),
        translated_label=np.array([column for _, column in translations], dtype=np.int64),
        slugs=len(slug_label),
    )


def _choose_columns(
    url_features: dict[str, FeatureKind],
    domain: NDArray[np.int64],
    slug_features: dict[str, FeatureKind],
    always: set[int],
    options: UrlOptions,
) -> NDArray[np.int32]:
    """Choose the buckets that enough domains or slugs have: the column of each, -1 for others, [2 ** BUCKET_BITS]."""
    is_column = np.zeros(1 << BUCKET_BITS, dtype=bool)
    is_column[list(always)] = True
    for kinds, group, minimum in (
        (url_features, domain, options.domains_of_feature),
        (slug_features, None, options.slugs_of_feature),
    ):
        for bucket, first in kinds.values():
            row = np.repeat(np.arange(len(first) - 1), np.diff(first))
            owner = row if group is None else group[row]
            pairs = np.unique(bucket * (int(owner.max(initial=0)) + 1) + owner) // (int(owner.max(initial=0)) + 1)
            is_column |= np.bincount(pairs, minlength=1 << BUCKET_BITS) >= minimum
    return np.where(is_column, np.cumsum(is_column) - 1, -1).astype(np.int32)


def _compute_text_log_odds(
    slugs: sparse.csr_matrix, label: NDArray[np.int64], labels: int, smoothing: float
) -> NDArray[np.float32]:
    """Compute the log of a feature's share in a language over its mean share, [features, labels]; 0 without text."""
    counts = np.zeros((labels, slugs.shape[1]))
    for number in range(labels):
        counts[number] = np.asarray(slugs[label == number].sum(axis=0)).ravel()
    total = counts.sum(axis=1)
    with_text = total > 0
    log_odds = np.zeros((slugs.shape[1], labels), dtype=np.float32)
    if with_text.any():
        shares = counts[with_text] / total[with_text, None]
        mean = shares.mean(axis=0) + 1e-12
        smoothed = (counts[with_text] + smoothing * mean) / (total[with_text, None] + smoothing)
        log_odds[:, with_text] = np.log(smoothed / mean).T
    return log_odds


def _list_scales(
    row: NDArray[np.int32], scale: dict[str, float], *kinds: dict[str, FeatureKind]
) -> NDArray[np.float32]:
    """List the scale of each feature, which its weights take up in the end, [features]."""
    scales = np.ones(int(row.max()) + 1, dtype=np.float32)
    for kind_features in kinds:
        for name, factor in scale.items():
            column = row[kind_features[name].bucket]
            scales[column[column >= 0]] = factor
    return scales


_FIRST_SQUARES = 1e-2  # initial sum of squared gradients, which bounds the first step
_GRADIENT_UNIT = 1e2  # gradients of a batch are of the order 1 / 100


def fit_softmax(
    features: sparse.csr_matrix,
    label: NDArray[np.int64],
    weight: NDArray[np.float64],
    start: NDArray[np.float32],
    offset: NDArray[np.float32],
    *,
    epochs: int = 6,
    rate: float = 0.2,
    pull: float = 1e-6,
    batch: int = 512,
    seed: int = 0,
) -> NDArray[np.float32]:
    """Fit weights W [features, labels] so that softmax(features @ W + offset) predicts the labels.

    Shapes: features [examples, features], label [examples], weight [examples], start [features, labels], offset
    [labels].
    """
    count = features.shape[0]
    random = np.random.default_rng(seed)
    weight = (weight / weight.mean()).astype(np.float32)
    weights = start.astype(np.float32, copy=True)
    squares = np.full(weights.shape, _FIRST_SQUARES, dtype=np.float32)
    steps = epochs * -(-count // batch)
    step = 0
    for _ in range(epochs):
        order = random.permutation(count)
        for begin in range(0, count, batch):
            rows = order[begin : begin + batch]
            batch_features = features[rows]
            columns, place = np.unique(batch_features.indices, return_inverse=True)
            small = sparse.csr_matrix(
                (batch_features.data, place, batch_features.indptr), shape=(len(rows), len(columns))
            )
            current = weights[columns]
            error = softmax(small @ current + (offset if offset.ndim == 1 else offset[rows]))
            error[np.arange(len(rows)), label[rows]] -= 1
            error *= (weight[rows] / len(rows))[:, None]
            gradient = (small.T.tocsr() @ error + pull * (current - start[columns])) * _GRADIENT_UNIT
            total = squares[columns] + gradient * gradient
            squares[columns] = total
            weights[columns] = current - rate * (1 - 0.9 * step / steps) * gradient / np.sqrt(total)
            step += 1
    return weights
