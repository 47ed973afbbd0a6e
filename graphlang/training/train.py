"""Train a content model from a folder of text, as `graphlang train` does.

    corpus (lines per label) -> documents -> Fisher discriminants -> vocabulary -> one vector per language
    -> for `nfc`: vectors refined and rounded -> probabilities calibrated on held-out lines

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
    list_option_rules,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Progress = Callable[[str, int, int], None]


_MOST_EXCERPTS = 400  # of each label, for calibration
_NO_LETTERS = "the corpus: no text that has letters to calibrate probabilities with"
_CALIBRATION_TEXTS = 500  # texts that a separate calibration of a script needs


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

    Sub-folders are named by any code that `graphlang.codes.languages.label` understands. The parameters of the model
    list the folders that were left out. `method` is `nfc`, `nfc-2004` for the published setting, or one of
    `train_papers.TRAINERS`. `nfc` can also learn from `words`, a folder of word lists (`derived_text.read_word_lists`),
    and from `messages`, folders of translations of programs (`corpus`). `progress` gets the name of the stage, the
    finished units and all units. `options` are those of `TrainingOptions` except `words`, for `nfc-2004` without
    `NFC_ONLY`; other methods have those of `train_papers.train_paper`.

    Raise a ModelError for an unknown method or option, a value out of range, or a corpus that cannot be used.
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
    check_options(options, list_option_rules(method), method=method)
    chosen = TrainingOptions(**{**asdict(base), **options})
    if not chosen.closed:
        chosen = _drop_char_lm(chosen, options)
    material = corpus.read_corpus(
        folder,
        label=languages.label,
        minimum=lambda label: chosen.minimum // (2 if speaker_prior.count_speakers(label) else 1),
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
        texts = [_select_training_lines(material, label, chosen.held_out) for label in labels]
        lists = derived_text.add_derived_text(texts, labels, words, chosen, random)
        groups = close_languages.find_groups(labels, lists)
        close = [[labels[i] for i in group.labels.tolist()] for group in groups]
        parameters |= {"word_lists": sorted(lists), "close_languages": close}
        joined = [
            [document for lines in genres.values() for document in corpus.join_documents(lines, chosen.document)]
            for genres in texts
        ]
        documents = [corpus.pick_evenly(label_documents, chosen.documents) for label_documents in joined]
        arrays, fitted = fit_nfc.fit_nfc(
            texts,
            documents,
            held_out=[out for _, out in parts],
            prior=speaker_prior.compute_log_prior(labels, 1.0),
            close_languages=groups,
            options=chosen,
            random=random,
            progress=progress,
        )
        arrays["siblings"] = close_languages.compute_score_offsets(labels, groups)
        parameters |= fitted
        parameters["leaning"] = [[labels[poor], labels[rich], fraction] for poor, rich, fraction in fitted["leaning"]]
        comparable = bosnian.make_comparable_lines(dict(zip(labels, texts, strict=True)), lists)
        arrays |= bosnian.separate_bosnian(Model(method, labels, parameters, arrays), comparable)
    else:
        documents = [
            corpus.join_documents(training_lines, chosen.document)[: chosen.documents] for training_lines, _ in parts
        ]
        arrays = _fit_paper(documents, chosen, progress)
    shape = (len(parameters["scripts"]), len(calibration.KNOTS)) if method == "nfc" else len(calibration.KNOTS)
    arrays["sharpness"] = np.zeros(shape, dtype=np.float32)
    has_held_out = any(out for _, out in parts)  # else calibration uses the training lines
    probes = [out if has_held_out else training_lines for training_lines, out in parts]
    arrays["sharpness"] = _calibrate(Model(method, labels, parameters, arrays), probes, chosen, random)
    if method == "nfc":
        arrays["siblings"] += close_languages.list_rare_offsets(labels)
    progress("calibrate", 1, 1)
    return Model(method, labels, parameters, arrays)


def _drop_char_lm(chosen: TrainingOptions, options: Mapping[str, Any]) -> TrainingOptions:
    """Switch off the character language model, which needs a space after the last word."""
    if any(options.get("lm_gain", ())):
        raise ModelError("lm_gain: needs closed=true, to distinguish the last word from the first")
    return replace(chosen, lm_gain=(0.0,) * len(calibration.KNOTS))


def _select_training_lines(material: corpus.Corpus, label: str, interval: int) -> dict[str, list[str]]:
    """Select the training lines of a label, by genre."""
    training_lines = set(corpus.hold_out(material.lines[label], interval)[0])
    genres = {
        genre: [line for line in genre_lines if line in training_lines]
        for genre, genre_lines in material.group_by_genre(label).items()
    }
    return {genre: genre_lines for genre, genre_lines in genres.items() if genre_lines}


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
    expected = np.exp(speaker_prior.compute_log_prior(model.labels, chosen.prior[0] if model.method == "nfc" else 0.0))
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
        fitted = calibration.fit_inverse_temperature(scores[letters], lengths[letters], truth[letters])
        return np.asarray(fitted + doubt, dtype=np.float32)
    with_lm = np.zeros(len(model.parameters["scripts"]), dtype=np.bool_)
    if char_lm.PREFIX + "features" in model.arrays:
        with_lm = model.arrays[char_lm.PREFIX + "features"][:, 1] > 0
    lm_factors = np.outer(with_lm, np.log(chosen.inverse_temperatures))
    # The inverse temperature is 1 here; the prior and the language model are added after scaling.
    uncalibrated = Discriminative(model, "", "the new model")
    coefficients = np.zeros((len(model.parameters["scripts"]), len(calibration.KNOTS)))
    samples: list[tuple[int, Any]] = []
    for (rows, columns, scores, lengths), (_, _, with_prior, _) in zip(
        uncalibrated.measure(texts, prior=False), uncalibrated.measure(texts), strict=True
    ):
        # A text in another script than that of its label has no effect.
        first, last, _ = columns.indices(len(model.labels))
        in_script = (lengths > 0) & (truth[rows] >= first) & (truth[rows] < last)
        if in_script.any() and columns != slice(None):
            number = int(model.arrays["script"][first])
            scaled = scores[in_script] + model.arrays["siblings"][columns]
            fixed = with_prior[in_script] - scaled
            samples.append((number, (scaled, lengths[in_script], truth[rows[in_script]] - first, fixed)))
    if not samples:
        raise ModelError(_NO_LETTERS)
    common = max(samples, key=lambda item: (item[1][0].shape[1] > 1, len(item[1][1])))
    coefficients[:] = calibration.fit_inverse_temperature(*common[1], outliers=OUTLIERS)
    for number, sample in samples:
        if len(sample[1]) >= _CALIBRATION_TEXTS and sample[0].shape[1] > 1:
            coefficients[number] = calibration.fit_inverse_temperature(*sample, outliers=OUTLIERS)
    return np.asarray(coefficients + doubt + lm_factors, dtype=np.float32)
