"""Train a content model from a folder of text: what `graphlang train` calls.

    corpus (lines per label) -> documents -> Fisher discriminants -> vocabulary -> one vector per language
    -> for `nfc`: vectors trained to discriminate, whole numbers -> probabilities calibrated on held-out lines

The same corpus and options give the same bytes: every draw comes from one seeded generator.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.codes import languages
from graphlang.content import calibration, speaker_prior
from graphlang.content.nfc import char_lm
from graphlang.content.nfc.model import Discriminative
from graphlang.content.nfc.short_texts import OUTLIERS
from graphlang.content.ngrams.vocabulary import Vocabulary, pack_ngrams
from graphlang.modelfile import Model, ModelError
from graphlang.papers import nfc_2004
from graphlang.training import bosnian, close_languages, corpus, derived_text, fit_nfc, train_papers
from graphlang.training.excerpts import Excerpts
from graphlang.training.fisher import FeatureCandidates
from graphlang.training.training_options import (
    NFC_ONLY,
    PAPER_OPTIONS,
    TrainingOptions,
    check_options,
    option_rules,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Progress = Callable[[str, int, int], None]


_MOST_EXCERPTS = 400  # excerpts of each label that calibration uses at most
_NO_LETTERS = "the corpus: no text that has letters to calibrate probabilities with"
_OWN_CALIBRATION = 500  # texts in a script, for a calibration of its own


def train(
    folder: Path,
    *,
    method: str = "nfc",
    words: Path | None = None,
    messages: Sequence[Path] = (),
    progress: Progress = lambda _stage, _done, _all: None,
    **options: Any,
) -> Model:
    """Train a model from one sub-folder per language of UTF-8 text files, one sentence or paragraph a line.

    Sub-folders may be named by any code that `graphlang.codes.languages.label` understands. The model's parameters list
    what was left out, and why.

    Args:
        folder: The corpus.
        method: `nfc`, `nfc-2004` for the published setting, or one of the other papers' (`train_papers.TRAINERS`).
        words: A folder of word lists (`derived_text.draw_word_lines`) to learn from as well (`nfc` only).
        messages: Folders like the corpus, of translations of programs (`corpus`), to learn from as well (`nfc`
            only).
        progress: Called with the stage's name, what is done and all there is to do.
        options: Those of `TrainingOptions` but `words`, for `nfc-2004` without those of `nfc` alone; the other methods
            have those of `train_papers.train_paper`.

    Raises:
        ModelError: an unknown method or option, a value out of range, or a corpus that cannot be used.
    """
    if words is not None and method != "nfc":
        raise ModelError(f"{method}: does not learn from word lists")
    if messages and method != "nfc":
        raise ModelError(f"{method}: does not learn from translations of programs")
    if method in train_papers.TRAINERS:
        return train_papers.train_paper(folder, method=method, progress=progress, options=options)
    if method not in ("nfc", "nfc-2004"):
        methods = ", ".join(("nfc", "nfc-2004", *train_papers.TRAINERS))
        raise ModelError(f"{method}: no method that can be trained ({methods})")
    base = TrainingOptions() if method == "nfc" else PAPER_OPTIONS
    check_options(options, option_rules(method), method=method)
    chosen = TrainingOptions(**{**asdict(base), **options})
    if not chosen.closed:
        chosen = _drop_char_lm(chosen, options)
    material = corpus.read_corpus(
        folder,
        label=languages.label,
        minimum=lambda label: chosen.minimum // (2 if speaker_prior.speakers(label) else 1),
        maximum=chosen.maximum,
        messages=messages,
        one_script=method == "nfc",
    )
    progress("read", len(material.lines), len(material.lines))
    labels = tuple(sorted(material.lines))
    if method == "nfc":
        labels = corpus.sort_by_script(material.lines)
    parts = [corpus.hold_out(material.lines[label], chosen.held_out) for label in labels]
    random = np.random.default_rng(chosen.seed)
    arrays: dict[str, NDArray[Any]]
    parameters = {name: value for name, value in asdict(chosen).items() if method == "nfc" or name not in NFC_ONLY}
    parameters |= {"corpus": material.digest, "left_out": material.left_out, "orders": list(chosen.orders)}
    if method == "nfc":
        parameters |= {"prior": list(chosen.prior), "lm_gain": list(chosen.lm_gain)}
        texts = [_training_genres(material, label, chosen.held_out) for label in labels]
        lists = derived_text.add_derived_text(texts, labels, words, chosen, random)
        groups = close_languages.find_groups(labels, lists)
        close = [[labels[i] for i in group.labels.tolist()] for group in groups]
        parameters |= {"word_lists": sorted(lists), "close_languages": close}
        documents_of = [
            [d for texts_of_label in genres.values() for d in corpus.join_documents(texts_of_label, chosen.document)]
            for genres in texts
        ]
        documents = [corpus.pick_evenly(texts_of_label, chosen.documents) for texts_of_label in documents_of]
        prior = speaker_prior.log_prior(labels, 1.0)
        arrays, fitted = fit_nfc.fit_nfc(
            texts,
            documents,
            held_out=[out for _, out in parts],
            prior=prior,
            close_languages=groups,
            options=chosen,
            random=random,
            progress=progress,
        )
        arrays["siblings"] = close_languages.score_offsets(labels, groups)
        parameters |= fitted | {"leaning": [[labels[i], labels[on], way] for i, on, way in fitted["leaning"]]}
        compared = bosnian.comparable_lines(dict(zip(labels, texts, strict=True)), lists)
        arrays |= bosnian.separate_bosnian(Model(method, labels, parameters, arrays), compared)
    else:
        documents = [
            corpus.join_documents(training_lines, chosen.document)[: chosen.documents] for training_lines, _ in parts
        ]
        arrays = _fit_paper(documents, chosen, progress)
    shape = (len(parameters["scripts"]), len(calibration.KNOTS)) if method == "nfc" else len(calibration.KNOTS)
    arrays["sharpness"] = np.zeros(shape, dtype=np.float32)
    is_any_out = any(out for _, out in parts)  # else calibration uses the training lines
    probes = [out if is_any_out else training_lines for training_lines, out in parts]
    arrays["sharpness"] = _calibrate(Model(method, labels, parameters, arrays), probes, chosen, random)
    if method == "nfc":
        arrays["siblings"] += close_languages.rare_offsets(labels)
    progress("calibrate", 1, 1)
    return Model(method, labels, parameters, arrays)


def _drop_char_lm(chosen: TrainingOptions, options: Mapping[str, Any]) -> TrainingOptions:
    """Switch the character language model off: it needs a space after the last word."""
    if any(options.get("lm_gain", ())):
        raise ModelError("lm_gain: needs closed=true, to distinguish the last word from the first")
    return replace(chosen, lm_gain=(0.0,) * len(calibration.KNOTS))


def _training_genres(material: corpus.Corpus, label: str, every: int) -> dict[str, list[str]]:
    """The training lines of a label by genre."""
    training_lines = set(corpus.hold_out(material.lines[label], every)[0])
    by_genre = {
        genre: [line for line in genre_lines if line in training_lines]
        for genre, genre_lines in material.group_by_genre(label).items()
    }
    return {genre: genre_lines for genre, genre_lines in by_genre.items() if genre_lines}


def _fit_paper(documents: list[list[str]], chosen: TrainingOptions, progress: Progress) -> dict[str, NDArray[Any]]:
    candidates = FeatureCandidates(
        documents,
        orders=chosen.orders,
        closed=chosen.closed,
        progress=lambda done, total: progress("n-grams", done, total),
    )
    vocabulary = Vocabulary(sorted(candidates.choose_top(chosen.features)))
    counts = np.stack(
        [
            nfc_2004.count_features(vocabulary, label_documents, limit=chosen.maximum, closed=chosen.closed)
            for label_documents in documents
        ]
    )
    return {
        "ngrams": pack_ngrams(vocabulary.ngrams),
        "vectors": nfc_2004.compute_reference_vectors(counts).astype(np.float16),
    }


def _calibrate(
    model: Model, held_out: list[list[str]], chosen: TrainingOptions, random: np.random.Generator
) -> NDArray[np.float32]:
    if model.method == "nfc":  # so that existing weights can be calibrated again, to the same bytes
        random = np.random.default_rng((chosen.seed, 1))
    excerpts = Excerpts(held_out, shortest=4, longest=400, random=random)
    limit = max(1, min(_MOST_EXCERPTS, 60_000 // len(held_out)))
    expected = np.exp(speaker_prior.log_prior(model.labels, chosen.prior[0] if model.method == "nfc" else 0.0))
    expected_numbers = limit * len(held_out) * expected / expected.sum()
    numbers = np.array(
        [min(int(n) + 1, 4 * len(samples)) for n, samples in zip(expected_numbers, held_out, strict=True)],
        dtype=np.int64,
    )
    texts, truth = excerpts.draw(numbers)
    doubt = np.log(chosen.doubt) * np.linspace(0, 1, len(calibration.KNOTS))
    if model.method != "nfc":
        scores, lengths = nfc_2004.Nfc2004(model, "", "the new model").similarities(texts)
        letters = lengths > 0
        if not letters.any():
            raise ModelError(_NO_LETTERS)
        fitted = calibration.fit(scores[letters], lengths[letters], truth[letters])
        return np.asarray(fitted + doubt, dtype=np.float32)
    with_lm = np.zeros(len(model.parameters["scripts"]), dtype=np.bool_)
    if char_lm.PREFIX + "features" in model.arrays:
        with_lm = model.arrays[char_lm.PREFIX + "features"][:, 1] > 0
    of_lm = np.outer(with_lm, np.log(chosen.inverse_temperatures))
    # The inverse temperature is still one; the prior and the language model are added after scaling.
    fresh = Discriminative(model, "", "the new model")
    coefficients = np.zeros((len(model.parameters["scripts"]), len(calibration.KNOTS)))
    samples: list[tuple[int, Any]] = []
    for (rows, columns, scores, lengths), (_, _, whole, _) in zip(
        fresh.measure(texts, prior=False), fresh.measure(texts), strict=True
    ):
        # A text in a script that its language is not written in teaches nothing.
        first, last, _ = columns.indices(len(model.labels))
        right = (lengths > 0) & (truth[rows] >= first) & (truth[rows] < last)
        if right.any() and columns != slice(None):
            number = int(model.arrays["script"][first])
            scaled = scores[right] + model.arrays["siblings"][columns]
            fixed = whole[right] - scaled
            samples.append((number, (scaled, lengths[right], truth[rows[right]] - first, fixed)))
    if not samples:
        raise ModelError(_NO_LETTERS)
    common = max(samples, key=lambda item: (item[1][0].shape[1] > 1, len(item[1][1])))
    coefficients[:] = calibration.fit(*common[1], outliers=OUTLIERS)
    for number, sample in samples:
        if len(sample[1]) >= _OWN_CALIBRATION and sample[0].shape[1] > 1:
            coefficients[number] = calibration.fit(*sample, outliers=OUTLIERS)
    return np.asarray(coefficients + doubt + of_lm, dtype=np.float32)
