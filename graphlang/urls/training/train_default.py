"""Train the shipped URL model: knowledge and running text give the starting weights, labelled URLs do the rest.

1. Slugs made of running text (`slugs`) give each word and n-gram its log-odds for each language (Naive Bayes).
2. Codes, ccTLDs and names of languages (`knowledge`) are laid over them.
3. Regression over the labelled URLs (`softmax_regression`) moves the weights from there. Each URL with a path counts
   once more without it (`registered_domains.host_alone`), or else the n-grams of the path would explain all, the host
   nothing.
4. The weights of codes, and no others, then learn from made-up URLs of translations (`translated`) as well.
5. The same on two thirds of the registered domains, three times, shows how sure the model may be of domains that it has
   never seen; `calibrate` turns that into the temperature_coefficients.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.urls.default.calibration import calibrate
from graphlang.urls.default.model import Url
from graphlang.urls.training.examples import ExampleOptions, gather
from graphlang.urls.training.softmax_regression import fit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.urls.training.examples import Examples

    Progress = Callable[[str, int, int], None]


def train(
    urls: Mapping[str, Sequence[str]],
    text: Mapping[str, Sequence[str]],
    options: ExampleOptions | None = None,
    progress: Progress = lambda _stage, _done, _all: None,
) -> Url:
    """A model of the languages that have URLs.

    Args:
        urls: URLs of each language (ISO 639-3 code).
        text: Lines of running text of each language; languages without any learn from their URLs alone.
        options: See `ExampleOptions`.
        progress: Called with the stage's name, what is done and all there is to do.

    Raises:
        ValueError: fewer than two languages.
    """
    options = options or ExampleOptions()
    given = gather(urls, text, options)
    steps = options.folds + 2
    progress("train", 1, steps)
    fold = np.random.default_rng(options.seed).integers(options.folds, size=given.domain.max() + 1)[given.domain]
    held_out = np.zeros((len(given.label), len(given.labels)), dtype=np.float32)
    for number in range(options.folds):
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        held_out[outside] = given.whole[outside] @ _fitted(given, inside, options)
        progress("train", number + 2, steps)
    temperature_coefficients = calibrate(held_out, given.known, given.offset, given.label, given.weight)

    weights = _fitted(given, np.arange(len(given.label)), options)
    weights *= given.scale[:, None]
    weights -= np.median(weights, axis=1, keepdims=True)  # the answer is the same, and most weights become 0
    whole = np.clip(np.rint(weights / options.step), -127, 127).astype(np.int8)
    buckets = np.flatnonzero(given.row >= 0)
    used = whole[given.row[buckets]].any(axis=1)
    progress("train", steps, steps)
    parameters = {name: value for name, value in asdict(options).items() if name not in {"step", "enough"}}
    return Url(
        labels=given.labels,
        prior=np.exp(given.offset),
        buckets=buckets[used].astype(np.int32),
        weights=whole[given.row[buckets[used]]],
        enough=float(options.enough),
        step=options.step,
        temperature_coefficients=temperature_coefficients,
        parameters={**parameters, "urls": len(given.label), "slugs_drawn": given.slugs},
    )


def _fitted(given: Examples, rows: NDArray[np.int64], options: ExampleOptions) -> NDArray[np.float32]:
    """[features, labels] the weights that the labelled URLs in ``rows`` teach."""
    label, weight = given.label[rows], given.weight[rows]

    def regressed(
        more: tuple[sparse.csr_matrix, NDArray[np.int64], NDArray[np.float64]],
        columns: NDArray[np.bool_] | slice,
        begin: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        some = sparse.vstack([given.whole[rows], more[0]], format="csr")
        fixed = given.offset if isinstance(columns, slice) else some[:, ~columns] @ begin[~columns] + given.offset
        return fit(
            some[:, columns],
            np.concatenate([label, more[1]]),
            np.concatenate([weight, more[2]]),
            begin[columns],
            fixed,
            epochs=options.epochs,
            rate=options.rate,
            pull=options.pull,
            seed=options.seed,
        )

    own = np.flatnonzero(np.isin(given.bare_of, rows))
    bare = given.bare_of[own]
    bare_weight = options.host * given.weight[bare]
    weights = regressed((given.bare[own], given.label[bare], bare_weight), slice(None), given.start)
    marked = (given.marked, given.marked_label, np.ones(len(given.marked_label)))
    weights[given.coded] = regressed(marked, given.coded, weights)
    return weights
