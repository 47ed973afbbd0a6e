"""Add languages to a trained model of the default method, from their text alone: ``train --extend``.

    folder of texts -> refused first, if it must be -> weights of new n-grams and of those that the model has
    (`nfc.new_columns`) -> character language model of the new labels -> one file

The columns of the other labels stay as they are, to the bit: a label keeps its answers, but where a new one takes its
own. A new label learns from all kinds of text that a full training has: translations of programs, lists of words, and
lines without their diacritics (`made_genres`). What a full training does besides (weights of all labels trained against
each other, close languages told apart) is not done.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content import speaker_prior
from graphlang.content.nfc import char_lm, weight_codec
from graphlang.content.nfc.model import Discriminative
from graphlang.content.ngrams.keys import keys_of
from graphlang.content.ngrams.vocabulary import slots_of
from graphlang.content.text.scripts import EAST_ASIA, registry
from graphlang.content.training import new_labels
from graphlang.content.training.discriminative import (
    columns,
    fit_char_lm,
    new_bias,
    new_columns,
    occurrences,
    witten_bell,
)
from graphlang.content.training.discriminative.columns import Weights
from graphlang.content.training.option_checks import checked
from graphlang.content.training.options import TrainingOptions, ranges, renamed
from graphlang.modelfile import Model, ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

METHOD = "nfc"  #: whose models can be extended
OPTIONS = ("bare", "bare_least", "seed", "words_size")  #: of a full training that count here, too


def extend(
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
    """A model with the labels of another, and those of a folder of texts.

    Args:
        folder: One sub-folder per label of UTF-8 text files, one sentence or paragraph a line.
        base: Of the default method.
        path: Of its file.
        digest: SHA-256 of that file.
        replace: Whether labels that the base has are trained anew.
        words: A folder of word lists (`word_lists.read`) to learn from as well.
        messages: Folders like the first, of translations of programs (`translations`), to learn from as well. Labels
            that are not in the first only help to tell what is in no language of its own.
        relatives: A folder like the first, of texts of languages that the base has: the new ones hold back, so that
            these keep theirs (`new_bias`).
        options: Those of `TrainingOptions` that `OPTIONS` names; without them those of the base count.

    Raises:
        ModelError: an option that there is not, or out of range; a base of another method; a folder that is empty, or
            has a sub-folder of no known language, of a label that the base has (unless `replace`), of too little text,
            or of text in two scripts; word lists, but none of a new label; languages in a script of which the base has
            one label, whose n-grams it does not know; relatives that the base does not have, or without text.
    """
    if base.method != METHOD:
        raise ModelError(f"{path}: made for the method {base.method}; only models of nfc can be extended")
    often = occurrences.of_model(base, path)
    chosen = _options(base, options)
    given = new_labels.read(folder, base, messages, replace=replace)
    beside = {} if relatives is None else new_labels.beside_them(relatives, base, given)
    fewer, out = given.parted() if beside else (given, {})
    given.add(words, chosen, others=_scripts_of(base))
    if taken := sorted(set(given.genres) & set(base.labels)):
        base = columns.take_out(
            Model(
                base.method, base.labels, base.parameters, {**base.arrays, occurrences.ARRAY: occurrences.pack(often)}
            ),
            taken,
        )
        often = occurrences.unpack(base.arrays[occurrences.ARRAY])
    made = _Extension(base, often, given).model()
    labels = {label: given.source(label, (folder, *messages)) for label in given.genres}
    if beside:
        fewer.add(words, chosen, others=_scripts_of(base))
        counted = Discriminative(_Extension(base, often, fewer).model(), "", "the new model")
        for label, bias in new_bias.fit(counted, out, beside, seed=chosen.seed).items():
            made.arrays["bias"][made.labels.index(label)] = bias
            labels[label] |= {"bias": bias, "relatives": sorted(beside)}
    history = [*base.parameters.get("extended", []), {"base": digest, "replaced": taken, "labels": labels}]
    made = Model(made.method, made.labels, {**made.parameters, "extended": history}, made.arrays)
    Discriminative(made, "", "the new model")  # what it refuses must not be written
    return made


def _options(base: Model, options: Mapping[str, Any]) -> TrainingOptions:
    known = renamed(base.parameters)
    chosen = {name: known[name] for name in OPTIONS if name in known} | dict(options)
    checked(chosen, {name: rule for name, rule in ranges(base.method).items() if name in OPTIONS}, method="--extend")
    return TrainingOptions(**chosen)


def _scripts_of(model: Model) -> dict[str, int]:
    """The number of each label's script."""
    numbers = [registry.number(name) for name in model.parameters["scripts"]]
    return {label: numbers[own] for label, own in zip(model.labels, model.arrays["script"].tolist(), strict=True)}


class _Extension:
    """Puts the arrays of the base and of the new labels together."""

    def __init__(self, base: Model, often: NDArray[np.float64], given: new_labels.NewLabels) -> None:
        self.base, self.given = base, given
        self.lines = given.lines
        names = list(base.parameters["scripts"])
        self.scripts = [*names, *sorted(set(given.scripts.values()) - set(names))]
        self.old = len(names)
        script = base.arrays["script"].tolist()
        self.members = [
            [label for label, own in zip(base.labels, script, strict=True) if own == n]
            for n in range(len(self.scripts))
        ]
        self.new = [sorted(label for label, own in given.scripts.items() if own == name) for name in self.scripts]
        self.labels = tuple(label for old, new in zip(self.members, self.new, strict=True) for label in (*old, *new))
        self.widths = [len(old) + len(new) for old, new in zip(self.members, self.new, strict=True)]
        ends = np.cumsum([0, *base.arrays["features"][:, 1].tolist()])
        grams = [gram.decode("utf-8", "surrogatepass") for gram in columns.ngrams(base)]
        self.grams = [grams[a:b] for a, b in pairwise(ends)] + [[]] * (len(self.scripts) - self.old)
        self.often = [often[a:b] for a, b in pairwise(ends)]
        self.often += [np.zeros(0)] * (len(self.scripts) - self.old)
        self.smoothing = float(base.parameters["smoothing"])
        sizes = self.smoothing * (np.exp(-base.arrays["base"].astype(np.float64)) - 1)
        self.sizes = dict(zip(base.labels, np.maximum(sizes, 1).tolist(), strict=True))
        self.sizes |= {label: float(sum(map(len, lines))) for label, lines in self.lines.items()}
        self.has_lm = f"{char_lm.PREFIX}keys" in base.arrays

    def model(self) -> Model:
        """The base with the new labels."""
        arrays = dict(self.base.arrays) | self._vectors()
        if self.has_lm:
            arrays |= self._char_lms()
        prior = speaker_prior.log_prior(self.labels, 1.0)
        shift = self.base.arrays["prior"][0] - prior[self.labels.index(self.base.labels[0])]
        new = dict(zip(self.labels, (prior + shift).tolist(), strict=True))
        arrays["prior"] = self._of_labels("prior", new)
        arrays["siblings"] = self._of_labels("siblings", {})
        arrays["script"] = np.repeat(np.arange(len(self.scripts)), self.widths).astype(np.uint8)
        common = np.median(self.base.arrays["sharpness"], axis=0, keepdims=True)
        arrays["sharpness"] = np.concatenate(
            [self.base.arrays["sharpness"], *[common] * (len(self.scripts) - self.old)]
        ).astype(np.float32)
        parameters = {**self.base.parameters, "scripts": self.scripts}
        return Model(self.base.method, self.labels, parameters, arrays)

    def _of_labels(self, name: str, new: Mapping[str, float]) -> NDArray[np.float32]:
        values = dict(zip(self.base.labels, self.base.arrays[name].tolist(), strict=True))
        return np.array([values.get(label, new.get(label, 0.0)) for label in self.labels], dtype=np.float32)

    def _vectors(self) -> dict[str, NDArray[Any]]:
        bits = int(self.base.parameters["bits"])
        taken = np.zeros(1 << bits, dtype=np.bool_)
        taken[slots_of(keys_of([gram for grams in self.grams for gram in grams]), bits=bits)] = True
        known = set(columns.keys(self.base).tolist()) if self.has_lm else set()
        turns = {label: size ** self.base.parameters["turns"] for label, size in self.sizes.items()}
        room = self.base.parameters["features"] / sum(turns.values())
        every = [*columns.unpack(self.base), *[Weights(0, 0, *_nothing())] * (len(self.scripts) - self.old)]
        bases: dict[str, float] = {}
        for number, labels in enumerate(self.new):
            if not labels:
                continue
            if not self.grams[number] and self.members[number]:
                raise ModelError(
                    f"{labels[0]}: is written as {self.members[number][0]}, the only label of the model in"
                    f" {self.scripts[number]}, which has no n-grams there to tell them apart by"
                )
            if self.widths[number] == 1:
                bases[labels[0]] = 0.0
                continue
            found = new_columns.columns(
                [self.lines[label] for label in labels],
                script=self.scripts[number],
                old=self.grams[number],
                occurrences=self.often[number],
                letters=sum(self.sizes[label] for label in self.members[number]),
                known=known,
                taken=taken,
                wanted=[int(room * turns[label]) for label in labels],
                smoothing=self.smoothing,
                step=float(self.base.arrays["step"][0]),
                bits=bits,
            )
            bases |= dict(zip(labels, found.base.tolist(), strict=True))
            self.grams[number] = [*self.grams[number], *found.ngrams]
            more = np.concatenate([self.often[number], np.zeros(len(found.ngrams))])
            self.often[number] = more + found.occurrences
            every[number] = _beside(every[number], len(self.members[number]), found.steps)
        packed = columns.pack(every, self.widths)
        joined = "\n".join(gram for grams in self.grams for gram in grams).encode("utf-8", "surrogatepass")
        return {
            **packed,
            "ngrams": np.frombuffer(joined, dtype=np.uint8),
            "base": self._of_labels("base", bases),
            "bias": self._of_labels("bias", {}),
            occurrences.ARRAY: occurrences.pack(np.concatenate(self.often)),
        }

    def _char_lms(self) -> dict[str, NDArray[Any]]:
        """The arrays of the character language model, with the new labels' columns."""
        prefix = char_lm.PREFIX
        bits = int(self.base.parameters[f"{prefix}bits"])
        every = [*columns.unpack(self.base, prefix), *[Weights(0, 0, *_nothing())] * (len(self.scripts) - self.old)]
        ends = np.cumsum([0, *(own.features for own in every)])
        all_keys = columns.keys(self.base)
        keys = [all_keys[a:b] for a, b in pairwise(ends)]
        taken = np.zeros(1 << bits, dtype=np.bool_)
        taken[slots_of(all_keys, bits=bits)] = True
        letter: dict[str, float] = {}
        word: dict[str, float] = {}
        text: dict[str, float] = {}
        greatest = self._greatest()
        for number, labels in enumerate(self.new):
            without = self.widths[number] == 1 or self.scripts[number] == EAST_ASIA
            if not labels or without or (number < self.old and not every[number].features):
                continue
            found = self._lm_of(number, labels)
            if found is None:
                continue
            own = {key: row for row, key in enumerate(keys[number].tolist())}
            wanted = keys_of(found.ngrams)
            slots = slots_of(wanted, bits=bits)
            rows = np.full(len(wanted), -1, dtype=np.int64)
            added: list[int] = []
            for place in np.argsort(-found.worth, kind="stable").tolist():
                key = int(wanted[place])
                if key in own:
                    rows[place] = own[key]
                elif not taken[slots[place]]:
                    taken[slots[place]] = True
                    rows[place] = own[key] = len(keys[number]) + len(added)
                    added.append(key)
            keys[number] = np.concatenate([keys[number], np.array(added, dtype=np.uint32)])
            steps = np.zeros((len(keys[number]), len(labels)), dtype=np.int8)
            kept = rows >= 0
            weights = found.weights[np.flatnonzero(kept)].toarray()[:, : len(labels)]
            steps[rows[kept]] = weight_codec.quantise(
                weights.astype(np.float32), float(self.base.arrays[f"{prefix}step"][0])
            )
            every[number] = _beside(every[number], len(self.members[number]), steps)
            for place, label in enumerate(labels):
                letter[label], word[label] = float(found.letter[place]), float(found.word[place])
                text[label] = self.base.parameters.get(
                    "lm_text_exponent", self.base.parameters.get("written", 0)
                ) * float(np.log(self.sizes[label] / greatest))
        return {
            **columns.pack(every, self.widths, prefix),
            f"{prefix}keys": char_lm.pack(np.concatenate(keys)),
            f"{prefix}letter": self._of_labels(f"{prefix}letter", letter),
            f"{prefix}word": self._of_labels(f"{prefix}word", word),
            f"{prefix}text": self._of_labels(f"{prefix}text", text),
        }

    def _greatest(self) -> float:
        """Characters of the label with the most text, against which the others' were weighed."""
        return float(max(self.sizes[label] for label in self.base.labels))

    def _lm_of(self, number: int, labels: Sequence[str]) -> witten_bell.CharLMs | None:
        """The character language models of new labels; a column behind them has all letters of the script."""
        script = registry.number(self.scripts[number])
        words = [fit_char_lm.words(self.lines[label], script) for label in labels]
        alphabet = dict.fromkeys(sorted({letter for gram in self.grams[number] for letter in gram.strip()} - {" "}), 1)
        least = self.base.parameters.get("lm_least", self.base.parameters.get("spelt", 0))
        return witten_bell.estimate([*words, alphabet], least=float(least))


def _nothing() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]:
    none = np.zeros(0, dtype=np.int64)
    return none, none, none.astype(np.int8)


def _beside(own: Weights, width: int, steps: NDArray[np.int8]) -> Weights:
    """A script's weights with columns for new labels behind the old ones, and rows for what is new."""
    row, column = np.nonzero(steps)
    rows = np.concatenate([own.row, row])
    places = np.concatenate([own.column, column + width])
    order = np.lexsort((places, rows))
    values = np.concatenate([own.value, steps[row, column]])[order]
    return Weights(own.common, max(own.features, len(steps)), rows[order], places[order], values)
