"""A folder of training text -> a model: what `graphlang train` calls.

    corpus (lines per label) -> documents -> Fisher discriminants -> vocabulary -> one vector per language
    -> for `nfc`: refined vectors, whole numbers -> probabilities calibrated on lines held out

The same corpus and options give the same bytes: every draw comes from one seeded generator.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang import languages
from graphlang.content import (
    calibrate,
    corpus,
    nfc,
    plain,
    priors,
    published,
    refined,
    refining,
    siblings,
    spelling,
    wordlists,
)
from graphlang.content.checks import checked
from graphlang.content.cuts import Cuts
from graphlang.content.ngrams import Vocabulary
from graphlang.content.options import ONLY_REFINED, PAPER, Options, ranges
from graphlang.content.scripts import EAST_ASIA, LATIN, registry
from graphlang.content.selection import Candidates
from graphlang.modelfile import Model, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Progress = Callable[[str, int, int], None]


_PROBE = 400  # pieces of each label that calibration uses at most
_NO_LETTERS = "the corpus: no text that has letters to calibrate probabilities with"
_ENOUGH = 500  # texts in a script, for a calibration of its own


def train(
    folder: Path,
    *,
    method: str = "nfc",
    words: Path | None = None,
    progress: Progress = lambda _stage, _done, _all: None,
    **options: Any,
) -> Model:
    """Train a model from one sub-folder per language of UTF-8 text files, one sentence or paragraph a line.

    Sub-folders may be named by any code that `graphlang.languages.label` understands. What was left out, and why,
    stands in the model's parameters.

    Args:
        folder: The corpus.
        method: `nfc`, `nfc-2004` for the published setting, or one of the other papers' (`published.TRAINERS`).
        words: A folder of word lists (`wordlists.lines`) to learn from as well (`nfc` only).
        progress: Called with the stage's name, what is done and all there is to do.
        options: Those of `Options` but `words`, for `nfc-2004` without those that `nfc` alone has; the other methods
            have those of `published.train`.

    Raises:
        ModelError: an unknown method or option, a value out of range, or a corpus that cannot be used.
    """
    if words is not None and method != "nfc":
        raise ModelError(f"{method}: does not learn from word lists")
    if method in published.TRAINERS:
        return published.train(folder, method=method, progress=progress, options=options)
    if method not in ("nfc", "nfc-2004"):
        known = ", ".join(("nfc", "nfc-2004", *published.TRAINERS))
        raise ModelError(f"{method}: no method that can be trained ({known})")
    base = Options() if method == "nfc" else PAPER
    checked(options, ranges(method), method=method)
    chosen = Options(**{**asdict(base), **options})
    if not chosen.closed:
        if any(options.get("spelling", ())):
            raise ModelError("spelling: needs closed=true, for the last word is to be told from the first")
        chosen = replace(chosen, spelling=(0.0,) * len(calibrate.KNOTS))
    material = corpus.read(
        folder,
        label=languages.label,
        minimum=lambda label: chosen.minimum // (2 if priors.speakers(label) else 1),
        maximum=chosen.maximum,
    )
    progress("read", len(material.lines), len(material.lines))
    labels = tuple(sorted(material.lines))
    if method == "nfc":
        labels = refining.by_script(material.lines)
    parts = [corpus.held_out(material.lines[label], chosen.held_out) for label in labels]
    random = np.random.default_rng(chosen.seed)
    arrays: dict[str, NDArray[Any]]
    parameters = {name: value for name, value in asdict(chosen).items() if method == "nfc" or name not in ONLY_REFINED}
    parameters |= {"corpus": material.digest, "left_out": material.left_out, "orders": list(chosen.orders)}
    if method == "nfc":
        parameters |= {"prior": list(chosen.prior), "spelling": list(chosen.spelling)}
        texts = [_by_kind(material, label, chosen.held_out) for label in labels]
        lists = _add(texts, labels, words, chosen, random)
        parameters["word_lists"] = sorted(lists)
        groups = siblings.find(labels, lists)
        parameters["siblings"] = [[labels[i] for i in group.labels.tolist()] for group in groups]
        every = [[d for own in kinds.values() for d in corpus.documents(own, chosen.document)] for kinds in texts]
        documents = [corpus.spread(own, chosen.documents) for own in every]
        prior = priors.log_prior(labels, 1.0)
        arrays, found = refining.arrays(
            texts, documents, prior=prior, siblings=groups, options=chosen, random=random, progress=progress
        )
        arrays["siblings"] = siblings.offsets(len(labels), groups)
        parameters |= found
    else:
        documents = [corpus.documents(kept, chosen.document)[: chosen.documents] for kept, _ in parts]
        arrays = _as_published(documents, chosen, progress)
    shape = (len(parameters["scripts"]), len(calibrate.KNOTS)) if method == "nfc" else len(calibrate.KNOTS)
    arrays["sharpness"] = np.zeros(shape, dtype=np.float32)
    model = Model(method, labels, parameters, arrays)
    probes = [out for _, out in parts]
    if not any(probes):  # of so few lines, or with such a `held_out`, that all were learnt from: asked about those
        probes = [kept for kept, _ in parts]
    arrays["sharpness"] = _sharpness(model, probes, chosen, random)
    progress("calibrate", 1, 1)
    return Model(method, labels, parameters, arrays)


def _by_kind(material: corpus.Corpus, label: str, every: int) -> dict[str, list[str]]:
    """The lines of a label that are not held out, apart by kind."""
    kept = set(corpus.held_out(material.lines[label], every)[0])
    apart = {kind: [line for line in own if line in kept] for kind, own in material.by_kind(label).items()}
    return {kind: own for kind, own in apart.items() if own}


def _add(
    texts: list[dict[str, list[str]]],
    labels: tuple[str, ...],
    words: Path | None,
    chosen: Options,
    random: np.random.Generator,
) -> dict[str, dict[str, int]]:
    """Add what is made of the lines and of word lists, as kinds of their own; the lists."""
    every = [[line for own in kinds.values() for line in own] for kinds in texts]
    scripts = [refining.main_script(own) for own in every]
    lists: dict[str, dict[str, int]] = {}
    if words is not None:
        given = dict(zip(labels, scripts, strict=True))
        lists = wordlists.read(words, given)
    drawn = wordlists.lines(lists, characters=chosen.words_size, random=random)
    mixed = {
        label: own
        for label, own, script in zip(labels, every, scripts, strict=True)
        if registry.name(script) == EAST_ASIA
    }
    drawn |= wordlists.native({label: own for label, own in drawn.items() if label in mixed}, mixed)
    for label, script, kinds, own in zip(labels, scripts, texts, every, strict=True):
        if label in drawn:
            kinds[wordlists.KIND] = drawn[label]
        if script == LATIN and (bare := plain.lines(own, chosen.plain, random)):
            kinds[plain.KIND] = bare
    return {label: lists[label] for label in drawn}


def _as_published(documents: list[list[str]], chosen: Options, progress: Progress) -> dict[str, NDArray[Any]]:
    candidates = Candidates(
        documents,
        orders=chosen.orders,
        closed=chosen.closed,
        progress=lambda done, every: progress("n-grams", done, every),
    )
    vocabulary = Vocabulary(sorted(candidates.top(chosen.features)))
    counts = np.stack(
        [nfc.count_features(vocabulary, own, limit=chosen.maximum, closed=chosen.closed) for own in documents]
    )
    return {"ngrams": nfc.pack(vocabulary.ngrams), "vectors": nfc.reference_vectors(counts).astype(np.float16)}


def _sharpness(
    model: Model, held_out: list[list[str]], chosen: Options, random: np.random.Generator
) -> NDArray[np.float32]:
    pieces = Cuts(held_out, shortest=4, longest=400, random=random)
    most = max(1, min(_PROBE, 60_000 // len(held_out)))
    expected = np.exp(priors.log_prior(model.labels, chosen.prior[0] if model.method == "nfc" else 0.0))
    wanted = most * len(held_out) * expected / expected.sum()
    numbers = np.array([min(int(n) + 1, 4 * len(own)) for n, own in zip(wanted, held_out, strict=True)], dtype=np.int64)
    texts, truth = pieces.draw(numbers)
    doubt = np.log(chosen.doubt) * np.linspace(0, 1, len(calibrate.KNOTS))
    if model.method != "nfc":
        scores, lengths = nfc.Nfc(model, "", "the new model").similarities(texts)
        letters = lengths > 0
        if not letters.any():
            raise ModelError(_NO_LETTERS)
        fitted = calibrate.fit(scores[letters], lengths[letters], truth[letters])
        return np.asarray(fitted + doubt, dtype=np.float32)
    spelt = np.zeros(len(model.parameters["scripts"]), dtype=np.bool_)
    if spelling.PREFIX + "features" in model.arrays:
        spelt = model.arrays[spelling.PREFIX + "features"][:, 1] > 0
    tempered = np.outer(spelt, np.log(chosen.tempering))
    # With a sharpness of one, as yet; the prior and the spelling come to what has been sharpened.
    fresh = refined.Refined(model, "", "the new model")
    every = np.zeros((len(model.parameters["scripts"]), len(calibrate.KNOTS)))
    own: list[tuple[int, Any]] = []
    for (rows, columns, scores, lengths), (_, _, whole, _) in zip(
        fresh.measure(texts, prior=False), fresh.measure(texts), strict=True
    ):
        # A text in a script that its language is not written in teaches nothing.
        first, last, _ = columns.indices(len(model.labels))
        right = (lengths > 0) & (truth[rows] >= first) & (truth[rows] < last)
        if right.any() and columns != slice(None):
            kind = int(model.arrays["script"][first])
            sharpened = scores[right] + model.arrays["siblings"][columns]
            known = whole[right] - sharpened
            own.append((kind, (sharpened, lengths[right], truth[rows[right]] - first, known)))
    if not own:
        raise ModelError(_NO_LETTERS)
    common = max(own, key=lambda item: (item[1][0].shape[1] > 1, len(item[1][1])))
    every[:] = calibrate.fit(*common[1])
    for kind, sample in own:
        if len(sample[1]) >= _ENOUGH and sample[0].shape[1] > 1:
            every[kind] = calibrate.fit(*sample)
    return np.asarray(every + doubt + tempered, dtype=np.float32)
