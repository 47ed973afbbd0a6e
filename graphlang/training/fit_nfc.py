"""Fit the arrays of a `Discriminative` model to training lines, script by script.

Languages of different scripts never compete, so each script has its own features, counts and refinement. The number of
features of a script follows from its languages and their text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.nfc import weight_codec
from graphlang.content.ngrams.vocabulary import Vocabulary, admissible, bits_for, pack_ngrams
from graphlang.content.text.scripts import EAST_ASIA, registry
from graphlang.training import derived_text, logistic_regression, model_columns, sampling_error, witten_bell
from graphlang.training.corpus import find_main_script
from graphlang.training.excerpts import Excerpts, GenreExcerpts
from graphlang.training.fisher import FeatureCandidates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.training.close_languages import CloseLanguages
    from graphlang.training.training_options import TrainingOptions

    Progress = Callable[[str, int, int], None]


_COUNT_TYPE = np.uint16  # of a feature in a language; 32 bits, used where needed, would take a third of all memory
_SMALLEST = 1  # a weight of one step changes no answer, and one weight in six is one
_HELD_OUT_EXCERPTS = 150  # excerpts of a label's held-out lines that decide which languages are close


@dataclass(slots=True)
class _ScriptFeatures:
    number: int
    labels: NDArray[np.int64]
    ngrams: list[str]
    common: int = 0


def fit_nfc(
    texts: Sequence[Mapping[str, Sequence[str]]],
    documents: Sequence[Sequence[str]],
    *,
    held_out: Sequence[Sequence[str]] = (),
    prior: NDArray[np.float32],
    close_languages: Sequence[CloseLanguages] = (),
    options: TrainingOptions,
    random: np.random.Generator,
    progress: Progress,
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Choose features, count, refine and round; return the model's arrays and its parameters.

    The parameters are the names of the scripts that `script` counts, the size of the vocabulary's table, and each pair
    of a language that leans on another (`sampling_error`) with the fraction.
    """
    lines = [[line for genre_lines in label_texts.values() for line in genre_lines] for label_texts in texts]
    sizes = np.array([sum(map(len, label_texts)) for label_texts in lines], dtype=np.float64)
    scripts = _choose_features(lines, documents, sizes, options, progress)
    labels = len(lines)
    base, bias = np.zeros(labels, dtype=np.float32), np.zeros(labels, dtype=np.float32)
    steps: list[NDArray[np.int8]] = []
    numbers_of: list[NDArray[np.int64]] = []
    numbers = np.maximum(1, options.draws * (sizes / sizes.max()) ** options.power).astype(np.int64)
    bits = bits_for(options.features)
    leaning: list[list[Any]] = []
    done = 0
    for script in scripts:
        label_texts = script.labels
        vocabulary = Vocabulary(script.ngrams, bits=bits)
        vectors, often, leanings = _fit_script(
            vocabulary,
            script,
            [texts[i] for i in label_texts.tolist()],
            sizes[label_texts],
            numbers[label_texts],
            held_out=[held_out[i] for i in label_texts.tolist()] if len(held_out) else [],
            options=options,
            random=random,
            progress=partial(_report_part, progress, done, len(label_texts), labels),
        )
        leaning += [
            [int(label_texts[genre_lines.poor]), int(label_texts[genre_lines.rich]), genre_lines.way]
            for genre_lines in leanings
        ]
        for group in close_languages:
            if group.labels[0] in label_texts:
                group.part(vectors, script.ngrams, label_texts, options.close_languages)
        base[label_texts], bias[label_texts] = vectors.base, vectors.bias
        whole = weight_codec.quantise(vectors.weights, options.step)
        whole[np.abs(whole) <= _SMALLEST] = 0
        common, rare = weight_codec.dense_first(whole, often, options.table // len(label_texts))
        order = np.concatenate([common, rare])
        script.ngrams = [script.ngrams[i] for i in order.tolist()]
        script.common = len(common)
        steps.append(whole[order].reshape(-1))
        numbers_of.append(often[order])
        done += len(label_texts)
        progress("refine", done, labels)
    gaps, values = weight_codec.squeeze(np.concatenate(steps))
    block = np.zeros(labels, dtype=np.uint8)
    for number, script in enumerate(scripts):
        block[script.labels] = number
    arrays: dict[str, NDArray[Any]] = {
        "ngrams": pack_ngrams([gram for script in scripts for gram in script.ngrams]),
        "features": np.array([(script.common, len(script.ngrams)) for script in scripts], dtype=np.int32),
        "script": block,
        "gaps": gaps,
        "values": values,
        "step": np.array([options.step], dtype=np.float32),
        "base": base,
        "bias": bias,
        "prior": prior,
        model_columns.OCCURRENCES: model_columns.pack_occurrences(np.concatenate(numbers_of)),
        "lean": np.array(options.prior, dtype=np.float32) * np.array(options.inverse_temperatures, dtype=np.float32),
    }
    parameters: dict[str, Any] = {
        "scripts": [registry.name(script.number) for script in scripts],
        "bits": bits,
        "leaning": leaning,
    }
    if any(options.lm_gain):
        of_lm, lm_parameters = witten_bell.fit_char_lms(
            texts, [(script.number, script.labels) for script in scripts], options
        )
        arrays |= of_lm
        parameters |= lm_parameters
    return arrays, parameters


def _choose_features(
    lines: Sequence[Sequence[str]],
    documents: Sequence[Sequence[str]],
    sizes: NDArray[np.float64],
    options: TrainingOptions,
    progress: Progress,
) -> list[_ScriptFeatures]:
    numbers = np.array([find_main_script(members) for members in lines])
    turns = (sizes / sizes.max()) ** options.turns
    chosen: list[_ScriptFeatures] = []
    done = 0
    # Registry numbers depend on what this process has read before; names do not.
    for number in sorted(set(numbers.tolist()), key=registry.name):
        members = np.flatnonzero(numbers == number)
        grams: list[str] = []
        if len(members) > 1:
            candidates = FeatureCandidates(
                [documents[i] for i in members.tolist()],
                orders=_feature_orders(number, options.orders),
                words=options.words,
                scripts=[number] * len(members),
                closed=options.closed,
                progress=lambda counted, _, before=done: progress("n-grams", before + counted, len(documents)),  # type: ignore[misc]
            )
            number_of_features = int(options.features * turns[members].sum() / turns.sum())
            grams = [
                gram for gram in candidates.choose_in_turn(number_of_features, turns[members]) if _has_letter(gram)
            ]
        chosen.append(_ScriptFeatures(number, members, grams))
        done += len(members)
    ngrams = [gram for script in chosen for gram in script.ngrams]
    is_admissible = np.zeros(len(ngrams), dtype=np.bool_)
    is_admissible[admissible(ngrams, bits=bits_for(options.features))] = True
    first = 0
    for script in chosen:
        stays = is_admissible[first : first + len(script.ngrams)].tolist()
        first += len(script.ngrams)
        script.ngrams = sorted(gram for gram, stay in zip(script.ngrams, stays, strict=True) if stay)
    return chosen


def _feature_orders(script: int, orders: tuple[int, ...]) -> tuple[int, ...]:
    """Drop the shortest order for letters, which two letters imply; for whole words the longest.

    >>> _feature_orders(registry.number("LATIN"), (1, 2, 3)), _feature_orders(registry.number("EAST ASIA"), (1, 2, 3))
    ((2, 3), (1, 2))
    """
    if len(orders) == 1:
        return orders
    return orders[:-1] if registry.name(script) == EAST_ASIA else orders[1:]


def _report_part(progress: Progress, before: int, script_labels: int, labels: int, fraction: float) -> None:
    """Report a script's rounds as labels: most labels are of one script, which takes most of the time."""
    progress("refine", before + int(fraction * script_labels), labels)


def _has_letter(gram: str) -> bool:
    """Return True if a feature has a letter or mark of a script, so that it occurs in texts of that script only."""
    return bool(registry(np.array([ord(character) for character in gram], dtype=np.uint32)).any())


def _fit_script(
    vocabulary: Vocabulary,
    script: _ScriptFeatures,
    texts: list[Mapping[str, Sequence[str]]],
    sizes: NDArray[np.float64],
    numbers: NDArray[np.int64],
    *,
    held_out: Sequence[Sequence[str]],
    options: TrainingOptions,
    random: np.random.Generator,
    progress: Callable[[float], None],
) -> tuple[logistic_regression.Vectors, NDArray[np.int64], list[sampling_error.Leaning]]:
    """Fit one script's vectors; also the occurrences of each feature in all lines, and the leanings."""
    labels = len(texts)
    if not len(vocabulary):
        nothing = logistic_regression.Vectors(
            *(np.zeros(shape, dtype=np.float32) for shape in ((0, labels), labels, labels))
        )
        return nothing, np.zeros(0, dtype=np.int64), []
    counts: NDArray[Any] = np.zeros((labels, len(vocabulary)), dtype=_COUNT_TYPE)
    for label, label_texts in enumerate(texts):
        lines = [line for genre_lines in label_texts.values() for line in genre_lines]
        features = logistic_regression.find_features(
            vocabulary, lines, limit=options.maximum, closed=options.closed, script=script.number
        )[0]
        own_counts = np.bincount(features, minlength=len(vocabulary))
        if own_counts.max(initial=0) > np.iinfo(counts.dtype).max:
            counts = counts.astype(np.int32)
        counts[label] = own_counts
    shares = {derived_text.WORDS: options.words_share}
    excerpts = GenreExcerpts(texts, numbers, shares=shares, shortest=6, longest=250, random=random)

    def vectors_of(drawn: list[str]) -> Any:
        features = logistic_regression.find_features(
            vocabulary, drawn, limit=options.limit, closed=options.closed, script=script.number
        )
        return logistic_regression.to_vectors(*features, len(vocabulary))

    def draw() -> tuple[Any, NDArray[np.int64], NDArray[np.float32]]:
        drawn, truth, genre = excerpts.draw()
        return vectors_of(drawn), truth, excerpts.offsets[genre]

    often = counts.sum(axis=0, dtype=np.int64)
    letters = sizes.astype(np.int64)
    vectors = logistic_regression.refine_vectors(
        logistic_regression.start_vectors(counts, letters, options.smoothing),
        draw,
        logistic_regression.leave_one_out(counts, letters, options.smoothing),
        rounds=options.rounds,
        rate=options.rate,
        batch=options.batch,
        progress=lambda number, rounds, _loss: progress(number / rounds),
    )
    if not options.confused or not any(held_out):
        return vectors, often, []
    held_out_excerpts = Excerpts(
        held_out, shortest=10, longest=options.limit, random=np.random.default_rng(options.seed)
    )
    drawn, truth = held_out_excerpts.draw(
        np.array([min(_HELD_OUT_EXCERPTS, 4 * len(label_texts)) for label_texts in held_out], dtype=np.int64)
    )
    leaning = sampling_error.shrink_differences(
        vectors, counts, letters, vectors_of(drawn), truth, confused=options.confused
    )
    return vectors, often, leaning
