"""Fit the arrays of a `Discriminative` model to training lines, script by script.

Languages of different scripts never compete, so features, counts and refinement are separate for each script. The
number of features of a script depends on its languages and on the size of their text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.nfc import weight_codec
from graphlang.content.ngrams.vocabulary import Vocabulary, choose_bits, find_admissible, pack_ngrams
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


_COUNT_TYPE = np.uint16  # of a feature in a language; 32 bits, used only where needed, take a third of all memory
_SMALLEST = 1  # steps of a weight to drop: it changes no answer, and one weight in six has this size
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
    """Choose features, count, refine and round; return the arrays and parameters of the model.

    The parameters are the names of the scripts, in the order of the numbers in `script`; the bits of the n-gram table;
    and the pairs of close languages (`sampling_error.Leaning`).
    """
    lines = [[line for genre_lines in label_texts.values() for line in genre_lines] for label_texts in texts]
    sizes = np.array([sum(map(len, label_texts)) for label_texts in lines], dtype=np.float64)
    scripts = _choose_features(lines, documents, sizes, options, progress)
    labels = len(lines)
    base, bias = np.zeros(labels, dtype=np.float32), np.zeros(labels, dtype=np.float32)
    steps: list[NDArray[np.int8]] = []
    occurrences: list[NDArray[np.int64]] = []
    numbers = np.maximum(1, options.draws * (sizes / sizes.max()) ** options.power).astype(np.int64)
    bits = choose_bits(options.features)
    leaning: list[list[Any]] = []
    done = 0
    for script in scripts:
        members = script.labels
        vocabulary = Vocabulary(script.ngrams, bits=bits)
        vectors, script_occurrences, leanings = _fit_script(
            vocabulary,
            script,
            [texts[i] for i in members.tolist()],
            sizes[members],
            numbers[members],
            held_out=[held_out[i] for i in members.tolist()] if len(held_out) else [],
            options=options,
            random=random,
            progress=partial(_report_part, progress, done, len(members), labels),
        )
        leaning += [[int(members[pair.poor]), int(members[pair.rich]), pair.fraction] for pair in leanings]
        for group in close_languages:
            if group.labels[0] in members:
                group.separate(vectors, script.ngrams, members, options.close_languages)
        base[members], bias[members] = vectors.base, vectors.bias
        rounded = weight_codec.quantise(vectors.weights, options.step)
        rounded[np.abs(rounded) <= _SMALLEST] = 0
        common, rare = weight_codec.split_dense(rounded, script_occurrences, options.table // len(members))
        order = np.concatenate([common, rare])
        script.ngrams = [script.ngrams[i] for i in order.tolist()]
        script.common = len(common)
        steps.append(rounded[order].reshape(-1))
        occurrences.append(script_occurrences[order])
        done += len(members)
        progress("refine", done, labels)
    gaps, values = weight_codec.squeeze(np.concatenate(steps))
    script_numbers = np.zeros(labels, dtype=np.uint8)
    for number, script in enumerate(scripts):
        script_numbers[script.labels] = number
    arrays: dict[str, NDArray[Any]] = {
        "ngrams": pack_ngrams([gram for script in scripts for gram in script.ngrams]),
        "features": np.array([(script.common, len(script.ngrams)) for script in scripts], dtype=np.int32),
        "script": script_numbers,
        "gaps": gaps,
        "values": values,
        "step": np.array([options.step], dtype=np.float32),
        "base": base,
        "bias": bias,
        "prior": prior,
        model_columns.OCCURRENCES: model_columns.pack_occurrences(np.concatenate(occurrences)),
        "lean": np.array(options.prior, dtype=np.float32) * np.array(options.inverse_temperatures, dtype=np.float32),
    }
    parameters: dict[str, Any] = {
        "scripts": [registry.name(script.number) for script in scripts],
        "bits": bits,
        "leaning": leaning,
    }
    if any(options.lm_gain):
        lm_arrays, lm_parameters = witten_bell.fit_char_lms(
            texts, [(script.number, script.labels) for script in scripts], options
        )
        arrays |= lm_arrays
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
    # The registry numbers scripts in the order in which this process reads them; names do not change.
    for number in sorted(set(numbers.tolist()), key=registry.name):
        members = np.flatnonzero(numbers == number)
        grams: list[str] = []
        if len(members) > 1:
            candidates = FeatureCandidates(
                [documents[i] for i in members.tolist()],
                orders=_choose_orders(number, options.orders),
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
    is_admissible[find_admissible(ngrams, bits=choose_bits(options.features))] = True
    first = 0
    for script in chosen:
        stays = is_admissible[first : first + len(script.ngrams)].tolist()
        first += len(script.ngrams)
        script.ngrams = sorted(gram for gram, stay in zip(script.ngrams, stays, strict=True) if stay)
    return chosen


def _choose_orders(script: int, orders: tuple[int, ...]) -> tuple[int, ...]:
    """Drop the order that adds least: the longest if characters are words, else the shortest, which the next implies.

    >>> _choose_orders(registry.number("LATIN"), (1, 2, 3)), _choose_orders(registry.number("EAST ASIA"), (1, 2, 3))
    ((2, 3), (1, 2))
    """
    if len(orders) == 1:
        return orders
    return orders[:-1] if registry.name(script) == EAST_ASIA else orders[1:]


def _report_part(progress: Progress, done: int, script_labels: int, labels: int, fraction: float) -> None:
    """Report the rounds of a script as labels: most labels are of one script, which takes most of the time."""
    progress("refine", done + int(fraction * script_labels), labels)


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
    """Fit the vectors of a script; also return the occurrences of each feature in all lines, and the leanings."""
    labels = len(texts)
    if not len(vocabulary):
        empty = (np.zeros(shape, dtype=np.float32) for shape in ((0, labels), labels, labels))
        return logistic_regression.Vectors(*empty), np.zeros(0, dtype=np.int64), []
    counts: NDArray[Any] = np.zeros((labels, len(vocabulary)), dtype=_COUNT_TYPE)
    for label, label_texts in enumerate(texts):
        lines = [line for genre_lines in label_texts.values() for line in genre_lines]
        features = logistic_regression.find_features(
            vocabulary, lines, limit=options.maximum, closed=options.closed, script=script.number
        )[0]
        label_counts = np.bincount(features, minlength=len(vocabulary))
        if label_counts.max(initial=0) > np.iinfo(counts.dtype).max:
            counts = counts.astype(np.int32)
        counts[label] = label_counts
    shares = {derived_text.WORDS: options.words_share}
    excerpts = GenreExcerpts(texts, numbers, shares=shares, shortest=6, longest=250, random=random)

    def make_vectors(drawn: list[str]) -> Any:
        features = logistic_regression.find_features(
            vocabulary, drawn, limit=options.limit, closed=options.closed, script=script.number
        )
        return logistic_regression.to_vectors(*features, len(vocabulary))

    def draw() -> tuple[Any, NDArray[np.int64], NDArray[np.float32]]:
        drawn, truth, genre = excerpts.draw()
        return make_vectors(drawn), truth, excerpts.offsets[genre]

    occurrences = counts.sum(axis=0, dtype=np.int64)
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
        return vectors, occurrences, []
    held_out_excerpts = Excerpts(
        held_out, shortest=10, longest=options.limit, random=np.random.default_rng(options.seed)
    )
    drawn, truth = held_out_excerpts.draw(
        np.array([min(_HELD_OUT_EXCERPTS, 4 * len(label_texts)) for label_texts in held_out], dtype=np.int64)
    )
    leaning = sampling_error.shrink_differences(
        vectors, counts, letters, make_vectors(drawn), truth, confused=options.confused
    )
    return vectors, occurrences, leaning
