"""Add languages to a trained model of `nfc`, from their text alone: ``train --extend``.

    folder of texts -> checks -> weights of new n-grams and of those of the model -> character language model of the new
    labels -> one file

The weight of an n-gram in a language is how much commoner it is there than expected
(`logistic_regression.start_vectors`). The expectation depends on its occurrences in the text of all languages
(`model_columns`), so no other text is needed. N-grams of the new text that the model lacks are added, the commonest
first: as many as a full training would choose for that amount of text. N-grams that only the character language model
has are left out, because their frequency in the other languages is unknown.

The count of an n-gram with few occurrences is too high an estimate: `DISCOUNT` is subtracted from it (absolute
discounting, Ney, Essen and Kneser 1994).

The columns of the other labels do not change: a label keeps its answers, except where a new one wins. A new label
learns from all genres of a full training: program messages, word lists, and lines without diacritics (`derived_text`).
Weights are not trained against each other, and close languages are not separated.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content import speaker_prior
from graphlang.content.nfc import char_lm, weight_codec
from graphlang.content.nfc.further import PARAMETER
from graphlang.content.nfc.model import Discriminative
from graphlang.content.ngrams.keys import LONGEST, MAX_ORDER, compute_keys
from graphlang.content.ngrams.vocabulary import Vocabulary, find_slots
from graphlang.content.text.normalise import cut_blocks, normalise
from graphlang.content.text.scripts import EAST_ASIA, registry
from graphlang.modelfile import Model, ModelError
from graphlang.training import logistic_regression, model_columns, new_languages, witten_bell
from graphlang.training.model_columns import ColumnWeights
from graphlang.training.training_options import TrainingOptions, check_options, list_option_rules

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


EXTEND_OPTIONS = ("bare", "bare_least", "seed", "words_size")  #: options of a full training that apply here too


def extend_model(
    folder: Path,
    *,
    base: Model,
    path: Path,
    digest: str,
    replace: bool = False,
    words: Path | None = None,
    messages: Sequence[Path] = (),
    relatives: Path | None = None,
    **options: Any,
) -> Model:
    """Add the labels of a folder of texts to a model of `nfc`, the `base`, read from `path` with the SHA-256 `digest`.

    The folder has one sub-folder per label of UTF-8 text files, one sentence or paragraph a line. With `replace`,
    labels of the base may be replaced. Training also reads `words`, a folder of word lists
    (`derived_text.read_word_lists`), and `messages`, folders of translations of programs (`corpus`), in which other
    labels only help to clean. `relatives` is a folder of texts of languages of the base that must not lose their texts
    to new labels (`new_languages`). The options are those of `TrainingOptions` in `EXTEND_OPTIONS`; the base has the
    defaults.

    Raise a ModelError for

    * an unknown option, or a value out of range; a base of another method;
    * an empty folder; a sub-folder of no known language, with a label of the base (unless `replace`), with too little
      text, or with text in two scripts;
    * word lists without one of a new label;
    * a new label in a script where the base has a single label, and so no n-grams;
    * relatives without text, or that the base lacks.
    """
    if base.method != model_columns.EDITABLE_METHOD:
        raise ModelError(f"{path}: made for the method {base.method}; only models of nfc can be extended")
    further = {name: value for name, value in base.parameters.items() if name == PARAMETER}
    occurrences = model_columns.read_occurrences(base, path)
    chosen = _choose_options(base, options)
    new_text = new_languages.read_new_text(folder, base, messages, replace=replace)
    relative_lines = {} if relatives is None else new_languages.read_relatives(relatives, base, new_text)
    training_text, held_out = new_text.split_held_out() if relative_lines else (new_text, {})
    new_text.add_derived(words, chosen, other_scripts=_number_scripts(base))
    if replaced := sorted(set(new_text.genres) & set(base.labels)):
        base = model_columns.remove_labels(
            Model(
                base.method,
                base.labels,
                base.parameters,
                {**base.arrays, model_columns.OCCURRENCES: model_columns.pack_occurrences(occurrences)},
            ),
            replaced,
        )
        occurrences = model_columns.unpack_occurrences(base.arrays[model_columns.OCCURRENCES])
    extended = _Extension(base, occurrences, new_text).build_model()
    labels = {label: new_text.describe_source(label, (folder, *messages)) for label in new_text.genres}
    if relative_lines:
        training_text.add_derived(words, chosen, other_scripts=_number_scripts(base))
        counted = Discriminative(_Extension(base, occurrences, training_text).build_model(), "", "the new model")
        for label, bias in new_languages.fit_biases(counted, held_out, relative_lines, seed=chosen.seed).items():
            extended.arrays["bias"][extended.labels.index(label)] = bias
            labels[label] |= {"bias": bias, "relatives": sorted(relative_lines)}
    history = [*base.parameters.get("extended", []), {"base": digest, "replaced": replaced, "labels": labels}]
    parameters = {**extended.parameters, **further, "extended": history}
    extended = Model(extended.method, extended.labels, parameters, extended.arrays)
    Discriminative(extended, "", "the new model")  # raises for a model that could not be loaded
    return extended


def _choose_options(base: Model, options: Mapping[str, Any]) -> TrainingOptions:
    chosen = {name: base.parameters[name] for name in EXTEND_OPTIONS if name in base.parameters} | dict(options)
    check_options(
        chosen,
        {name: rule for name, rule in list_option_rules(base.method).items() if name in EXTEND_OPTIONS},
        method="--extend",
    )
    return TrainingOptions(**chosen)


def _number_scripts(model: Model) -> dict[str, int]:
    """Return the registry number of the script of each label."""
    numbers = [registry.number(name) for name in model.parameters["scripts"]]
    return {label: numbers[script] for label, script in zip(model.labels, model.arrays["script"].tolist(), strict=True)}


class _Extension:
    """Join the arrays of the base and of new labels."""

    def __init__(self, base: Model, occurrences: NDArray[np.float64], new_text: new_languages.NewText) -> None:
        self.base = base
        self.lines = new_text.lines
        base_scripts = list(base.parameters["scripts"])
        self.scripts = [*base_scripts, *sorted(set(new_text.scripts.values()) - set(base_scripts))]
        self.old = len(base_scripts)
        script = base.arrays["script"].tolist()
        self.members = [
            [label for label, label_script in zip(base.labels, script, strict=True) if label_script == n]
            for n in range(len(self.scripts))
        ]
        self.new = [
            sorted(label for label, label_script in new_text.scripts.items() if label_script == name)
            for name in self.scripts
        ]
        self.labels = tuple(label for old, new in zip(self.members, self.new, strict=True) for label in (*old, *new))
        self.widths = [len(old) + len(new) for old, new in zip(self.members, self.new, strict=True)]
        ends = np.cumsum([0, *base.arrays["features"][:, 1].tolist()])
        grams = [gram.decode("utf-8", "surrogatepass") for gram in model_columns.list_ngrams(base)]
        self.grams = [grams[a:b] for a, b in pairwise(ends)] + [[]] * (len(self.scripts) - self.old)
        self.occurrences = [occurrences[a:b] for a, b in pairwise(ends)]
        self.occurrences += [np.zeros(0)] * (len(self.scripts) - self.old)
        self.smoothing = float(base.parameters["smoothing"])
        sizes = self.smoothing * (np.exp(-base.arrays["base"].astype(np.float64)) - 1)
        self.sizes = dict(zip(base.labels, np.maximum(sizes, 1).tolist(), strict=True))
        self.sizes |= {label: float(sum(map(len, lines))) for label, lines in self.lines.items()}
        self.has_lm = f"{char_lm.PREFIX}keys" in base.arrays

    def build_model(self) -> Model:
        """Build the model with the labels of the base and the new ones."""
        arrays = dict(self.base.arrays) | self._build_vectors()
        if self.has_lm:
            arrays |= self._build_char_lms()
        prior = speaker_prior.compute_log_prior(self.labels, 1.0)
        prior += self.base.arrays["prior"][0] - prior[self.labels.index(self.base.labels[0])]
        arrays["prior"] = self._select_labels("prior", dict(zip(self.labels, prior.tolist(), strict=True)))
        arrays["siblings"] = self._select_labels("siblings", {})
        arrays["script"] = np.repeat(np.arange(len(self.scripts)), self.widths).astype(np.uint8)
        common = np.median(self.base.arrays["sharpness"], axis=0, keepdims=True)
        arrays["sharpness"] = np.concatenate(
            [self.base.arrays["sharpness"], *[common] * (len(self.scripts) - self.old)]
        ).astype(np.float32)
        parameters = {**self.base.parameters, "scripts": self.scripts}
        return Model(self.base.method, self.labels, parameters, arrays)

    def _select_labels(self, name: str, new: Mapping[str, float]) -> NDArray[np.float32]:
        values = dict(zip(self.base.labels, self.base.arrays[name].tolist(), strict=True))
        return np.array([values.get(label, new.get(label, 0.0)) for label in self.labels], dtype=np.float32)

    def _build_vectors(self) -> dict[str, NDArray[Any]]:
        bits = int(self.base.parameters["bits"])
        used_slots = np.zeros(1 << bits, dtype=np.bool_)
        used_slots[find_slots(compute_keys([gram for grams in self.grams for gram in grams]), bits=bits)] = True
        lm_keys = set(model_columns.list_lm_keys(self.base).tolist()) if self.has_lm else set()
        turns = {label: size ** self.base.parameters["turns"] for label, size in self.sizes.items()}
        share = self.base.parameters["features"] / sum(turns.values())
        weights = [
            *model_columns.unpack_weights(self.base),
            *[ColumnWeights(0, 0, *_make_empty_weights())] * (len(self.scripts) - self.old),
        ]
        bases: dict[str, float] = {}
        for number, labels in enumerate(self.new):
            if not labels:
                continue
            if not self.grams[number] and self.members[number]:
                raise ModelError(
                    f"{labels[0]}: is written as {self.members[number][0]}, the only label of the model in"
                    f" {self.scripts[number]}, which has no n-grams there to distinguish them"
                )
            if self.widths[number] == 1:
                bases[labels[0]] = 0.0
                continue
            new_columns = fit_columns(
                [self.lines[label] for label in labels],
                script=self.scripts[number],
                old=self.grams[number],
                occurrences=self.occurrences[number],
                letters=sum(self.sizes[label] for label in self.members[number]),
                lm_keys=lm_keys,
                used_slots=used_slots,
                limits=[int(share * turns[label]) for label in labels],
                smoothing=self.smoothing,
                step=float(self.base.arrays["step"][0]),
                bits=bits,
            )
            bases |= dict(zip(labels, new_columns.base.tolist(), strict=True))
            self.grams[number] = [*self.grams[number], *new_columns.ngrams]
            occurrences = np.concatenate([self.occurrences[number], np.zeros(len(new_columns.ngrams))])
            self.occurrences[number] = occurrences + new_columns.occurrences
            weights[number] = _append_columns(weights[number], len(self.members[number]), new_columns.steps)
        packed = model_columns.pack_weights(weights, self.widths)
        joined = "\n".join(gram for grams in self.grams for gram in grams).encode("utf-8", "surrogatepass")
        return {
            **packed,
            "ngrams": np.frombuffer(joined, dtype=np.uint8),
            "base": self._select_labels("base", bases),
            "bias": self._select_labels("bias", {}),
            model_columns.OCCURRENCES: model_columns.pack_occurrences(np.concatenate(self.occurrences)),
        }

    def _build_char_lms(self) -> dict[str, NDArray[Any]]:
        """Build the arrays of the character language model, with the columns of new labels."""
        prefix = char_lm.PREFIX
        bits = int(self.base.parameters[f"{prefix}bits"])
        all_weights = [
            *model_columns.unpack_weights(self.base, prefix),
            *[ColumnWeights(0, 0, *_make_empty_weights())] * (len(self.scripts) - self.old),
        ]
        ends = np.cumsum([0, *(script_weights.features for script_weights in all_weights)])
        all_keys = model_columns.list_lm_keys(self.base)
        keys = [all_keys[a:b] for a, b in pairwise(ends)]
        used_slots = np.zeros(1 << bits, dtype=np.bool_)
        used_slots[find_slots(all_keys, bits=bits)] = True
        letter: dict[str, float] = {}
        word: dict[str, float] = {}
        text: dict[str, float] = {}
        greatest = max(self.sizes[label] for label in self.base.labels)  # it scales the prior of text
        for number, labels in enumerate(self.new):
            without = self.widths[number] == 1 or self.scripts[number] == EAST_ASIA
            if not labels or without or (number < self.old and not all_weights[number].features):
                continue
            char_lms = self._estimate_char_lms(number, labels)
            if char_lms is None:
                continue
            key_rows = {key: row for row, key in enumerate(keys[number].tolist())}
            new_keys = compute_keys(char_lms.ngrams)
            slots = find_slots(new_keys, bits=bits)
            rows = np.full(len(new_keys), -1, dtype=np.int64)
            added: list[int] = []
            for place in np.argsort(-char_lms.worth, kind="stable").tolist():
                key = int(new_keys[place])
                if key in key_rows:
                    rows[place] = key_rows[key]
                elif not used_slots[slots[place]]:
                    used_slots[slots[place]] = True
                    rows[place] = key_rows[key] = len(keys[number]) + len(added)
                    added.append(key)
            keys[number] = np.concatenate([keys[number], np.array(added, dtype=np.uint32)])
            steps = np.zeros((len(keys[number]), len(labels)), dtype=np.int8)
            has_row = rows >= 0
            weights = char_lms.weights[np.flatnonzero(has_row)].toarray()[:, : len(labels)]
            steps[rows[has_row]] = weight_codec.quantise(
                weights.astype(np.float32), float(self.base.arrays[f"{prefix}step"][0])
            )
            all_weights[number] = _append_columns(all_weights[number], len(self.members[number]), steps)
            for place, label in enumerate(labels):
                letter[label], word[label] = float(char_lms.letter[place]), float(char_lms.word[place])
                text[label] = self.base.parameters.get("lm_text_exponent", 0) * float(
                    np.log(self.sizes[label] / greatest)
                )
        return {
            **model_columns.pack_weights(all_weights, self.widths, prefix),
            f"{prefix}keys": char_lm.pack(np.concatenate(keys)),
            f"{prefix}letter": self._select_labels(f"{prefix}letter", letter),
            f"{prefix}word": self._select_labels(f"{prefix}word", word),
            f"{prefix}text": self._select_labels(f"{prefix}text", text),
        }

    def _estimate_char_lms(self, number: int, labels: Sequence[str]) -> witten_bell.CharLMs | None:
        """Estimate the character language models of new labels; the last column has all letters of the script."""
        script = registry.number(self.scripts[number])
        word_counts = [witten_bell.count_words(self.lines[label], script) for label in labels]
        alphabet = dict.fromkeys(sorted({letter for gram in self.grams[number] for letter in gram.strip()} - {" "}), 1)
        least_gain = self.base.parameters.get("lm_least", 0)
        return witten_bell.estimate_char_lms([*word_counts, alphabet], least_gain=float(least_gain))


def _make_empty_weights() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]:
    none = np.zeros(0, dtype=np.int64)
    return none, none, none.astype(np.int8)


def _append_columns(weights: ColumnWeights, width: int, steps: NDArray[np.int8]) -> ColumnWeights:
    """Append columns for new labels, and rows for new features, to the weights of a script."""
    row, column = np.nonzero(steps)
    rows = np.concatenate([weights.row, row])
    places = np.concatenate([weights.column, column + width])
    order = np.lexsort((places, rows))
    values = np.concatenate([weights.value, steps[row, column]])[order]
    return ColumnWeights(weights.common, max(weights.features, len(steps)), rows[order], places[order], values)


DISCOUNT = 0.35
LEAST_COUNT = 5  #: of a new n-gram


@dataclass(frozen=True, slots=True)
class NewColumns:
    """The features, weights and counts of new languages of one script.

    `ngrams` are the new n-grams and words. `steps` (features, languages) are the weights, and `occurrences` (features,)
    the counts in the new text, of the old features and then the new ones. `base` (languages,) is the weight of every
    n-gram.
    """

    ngrams: list[str]
    steps: NDArray[np.int8]
    occurrences: Floats
    base: NDArray[np.float32]


def fit_columns(
    texts: Sequence[Sequence[str]],
    *,
    script: str,
    old: Sequence[str],
    occurrences: Floats,
    letters: float,
    lm_keys: Collection[int],
    used_slots: NDArray[np.bool_],
    limits: Sequence[int],
    smoothing: float,
    step: float,
    bits: int,
) -> NewColumns:
    """Fit the columns of new languages of one script; `used_slots` gets the slots of new n-grams.

    Shapes: occurrences (features,), used_slots (2 ** bits,).
    """
    number = registry.number(script)
    new: dict[str, None] = {}
    old_ngrams = set(old)
    for lines, limit in zip(texts, limits, strict=True):
        new |= dict.fromkeys(_choose_new_ngrams(lines, number, old_ngrams, lm_keys, used_slots, limit=limit, bits=bits))
    ngrams = list(new)
    vocabulary = Vocabulary([*old, *ngrams], bits=bits)
    counts = np.stack([_count_features(vocabulary, lines, number) for lines in texts])
    sizes = np.array([sum(map(len, lines)) for lines in texts], dtype=np.float64)
    totals = counts.sum(axis=0) + np.concatenate([occurrences, np.zeros(len(ngrams))])
    expected = np.maximum(totals * (smoothing / (letters + sizes.sum())), 1e-6)
    weights = np.log1p(np.maximum(counts - DISCOUNT, 0) / expected).T
    return NewColumns(
        ngrams,
        weight_codec.quantise(weights.astype(np.float32), step),
        counts.sum(axis=0),
        np.log(smoothing / (sizes + smoothing)).astype(np.float32),
    )


def _count_features(vocabulary: Vocabulary, lines: Sequence[str], script: int) -> Floats:
    longest = max(map(len, lines), default=1)
    features, _ = logistic_regression.find_features(vocabulary, lines, limit=longest, closed=True, script=script)
    return np.bincount(features, minlength=len(vocabulary)).astype(np.float64)


def _choose_new_ngrams(
    lines: Sequence[str],
    script: int,
    old: Collection[str],
    lm_keys: Collection[int],
    used_slots: NDArray[np.bool_],
    *,
    limit: int,
    bits: int,
) -> list[str]:
    """Choose the commonest n-grams and words of lines that the model lacks, at most `limit`."""
    counts: Counter[str] = Counter()
    orders = range(1, MAX_ORDER) if registry.name(script) == EAST_ASIA else range(2, MAX_ORDER + 1)
    for begin, end in cut_blocks(lines, limit=10_000):
        line_scripts = np.full(end - begin, script, dtype=np.uint8)
        letters = normalise(
            lines[begin:end], limit=10_000, margin=MAX_ORDER - 1, one_script=True, row_scripts=line_scripts
        )
        for first, length in zip(letters.starts.tolist(), letters.lengths.tolist(), strict=True):
            text = "".join(map(chr, letters.symbols[first : first + length + MAX_ORDER - 1].tolist()))
            for order in orders:
                counts.update([text[place : place + order] for place in range(length)])
            counts.update(f" {word} " for word in text[:length].split() if MAX_ORDER - 2 < len(word) <= LONGEST - 2)
    candidates = [
        (gram, number) for gram, number in counts.items() if number >= LEAST_COUNT and gram not in old and gram.strip()
    ]
    candidates.sort(key=lambda item: (-item[1], item[0]))
    grams = [gram for gram, _ in candidates]
    chosen: list[str] = []
    keys = compute_keys(grams)
    for gram, key, slot in zip(grams, keys.tolist(), find_slots(keys, bits=bits).tolist(), strict=True):
        if len(chosen) == limit:
            break
        if key not in lm_keys and not used_slots[slot]:
            used_slots[slot] = True
            chosen.append(gram)
    return chosen
