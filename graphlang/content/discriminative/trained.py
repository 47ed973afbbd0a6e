"""What a model file holds, ready for use, and the sums of its weights over texts.

`model` says what the parts are for.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.content.discriminative import char_lm
from graphlang.content.discriminative.scores import LENGTHS, Scores
from graphlang.content.discriminative.sparse_weights import unpack
from graphlang.content.discriminative.weight_codec import longest_text
from graphlang.content.ngrams import keys, table
from graphlang.content.ngrams.keys import MAX_ORDER
from graphlang.content.ngrams.vocabulary import lengths_among, read_vocabulary
from graphlang.content.scoring import calibration, speaker_prior
from graphlang.content.text.normalise import Characters, Letters, characters, fold, sample
from graphlang.content.text.scripts import registry
from graphlang.modelfile import Model, ModelError, take

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.discriminative.char_lm import CharLM, CharLMSums
    from graphlang.content.discriminative.sparse_weights import ScriptWeights, Sums
    from graphlang.content.ngrams.vocabulary import Vocabulary

    Floats = NDArray[np.float32]

BATCH: Final = 1 << 16  #: characters that are worked on together
_FOREIGN = "eng"
_OF_LABELS = ("base", "bias", "siblings", "prior")


class Summed(NamedTuple):
    """What is summed up of a batch of texts.

    Attributes:
        letters: Of the texts.
        features: Those of all texts.
        offsets: Text t has `features[offsets[t] : offsets[t + 1]]`, (texts + 1,).
        sums: Of the features' weights.
        lm: Of the character language model; None where there is none, or it was not asked.
    """

    letters: Letters
    features: NDArray[np.int32]
    offsets: NDArray[np.int64]
    sums: Sums
    lm: CharLMSums | None

    @property
    def found(self) -> NDArray[np.int64]:
        """Features of each text, (texts,)."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class Trained:
    """A model's parts.

    Attributes:
        labels: The languages, in the order of their scripts.
        limit: Characters of a text that are looked at.
        closed: Whether a space follows the last word of a text.
        vocabulary: The n-grams.
        weights: Of the n-grams, by script.
        scores: Makes scores of their sums.
        char_lm: The character language model, if it has one.
        margin: Places after each text that its n-grams need.
        before: Log of the probability of each label before any text, as it counts for the shortest, (labels,).
        foreign: Column of English; -1 where it is missing, or alone.
        hosts: How the other languages share what is said in English on their pages, (labels,).
        script: Number of each script (`scripts.registry`) among those of the weights, or theirs and more, (256,).
    """

    labels: tuple[str, ...]
    limit: int
    closed: bool
    vocabulary: Vocabulary
    weights: ScriptWeights
    scores: Scores
    char_lm: CharLM | None
    margin: int
    before: Floats
    foreign: int
    hosts: Floats
    script: NDArray[np.uint8]

    def knows(self, scripts: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Whether a language here is written in each of some scripts (numbers of `scripts.registry`)."""
        known: NDArray[np.bool_] = self.script[scripts] < len(self.weights.names)
        return known

    def sums(
        self, texts: Sequence[str] | Characters, script: int | NDArray[np.uint8] | None = None, *, lm: bool = True
    ) -> Summed:
        """Find the features of some texts and add up their weights.

        Args:
            texts: Whole, unless they are longer than the limit; or a batch of them, none longer.
            script: That of all the texts, or of each (numbers of `scripts.registry`), if known.
            lm: Whether the character language model is asked.
        """
        letters = fold(
            texts if isinstance(texts, Characters) else characters([sample(text, self.limit) for text in texts]),
            margin=self.margin,
            closed=self.closed,
            one_script=True,
            wanted=None if script is None else np.broadcast_to(np.uint8(script), len(texts)),
        )
        features, offsets = self.vocabulary.find(letters)
        scripts = self.script[letters.scripts]
        of_lm = self.char_lm.find(letters, scripts) if lm and self.char_lm is not None else None
        return Summed(letters, features, offsets, self.weights.sums(features, offsets, scripts), of_lm)

    def measure(
        self, summed: Summed, *, prior: bool
    ) -> Iterator[tuple[NDArray[np.int64], slice, Floats, NDArray[np.int64]]]:
        """Scores of texts, as `model.Discriminative.measure` has them.

        Args:
            summed: Of the texts.
            prior: As that has it.
        """
        letters, found, known = summed.letters, summed.found, 0
        for number, rows, own in self.weights.each(summed.sums):
            lengths, columns = letters.lengths[rows], self.weights.labels[number]
            scores = self.scores.linear(own, number, columns, lengths=lengths, found=found[rows], prior=prior)
            if self.char_lm is not None and summed.lm is not None:
                scores += self.char_lm.scores(summed.lm, number, rows, lengths)
            yield rows, columns, scores, lengths
            known += len(rows)
        if known < len(summed.sums.order):
            rows = summed.sums.order[known:]
            yield rows, slice(None), np.tile(self.before, (len(rows), 1)), letters.lengths[rows]


def load(
    model: Model,
    source: str,
    *,
    labels: tuple[str, ...],
    limit: int,
    closed: bool,
    log_inverse_temperature: NDArray[np.float64],
) -> Trained:
    """The parts of a model.

    Args:
        model: What the file holds.
        source: For messages.
        labels: As `Trained` has them.
        limit: As `Trained` has it.
        closed: As `Trained` has it.
        log_inverse_temperature: Of each script at the knots of `calibration`, (scripts, knots).

    Raises:
        ModelError: they are not what they should be.
    """
    with ThreadPoolExecutor(1) as beside:  # kernels let other threads of Python run
        loading = beside.submit(char_lm.unpack, model, source)
        features = read_vocabulary(model, source)
        weights = unpack(model, len(features), source)
    lean = take(model, "lean", "f", (len(calibration.KNOTS),), source, most=char_lm.GREATEST).astype(np.float32)
    step = take(model, "step", "f", (1,), source, most=char_lm.GREATEST).astype(np.float32)
    of_labels = [
        take(model, n, "f", (len(labels),), source, most=char_lm.GREATEST).astype(np.float32) for n in _OF_LABELS
    ]
    _check_limit(limit, features, weights, source)
    if len(log_inverse_temperature) != len(weights.names):
        raise ModelError(f"{source}: its calibration does not fit its scripts")
    try:
        numbers = [registry.number(name) for name in weights.names]
    except ValueError as error:
        raise ModelError(f"{source}: {error}") from error
    script = np.full(256, len(numbers), dtype=np.uint8)
    script[numbers] = np.arange(len(numbers))
    factors = np.stack([calibration.inverse_temperature(logs, LENGTHS) for logs in log_inverse_temperature])
    lm = loading.result()
    if lm is not None and not closed:
        raise ModelError(f"{source}: its character language model needs a space after the last word")
    scores = Scores(float(step[0]), factors, speaker_prior.exponents(lean, LENGTHS), *of_labels)
    before = scores.prior * lean[0]
    foreign = labels.index(_FOREIGN) if _FOREIGN in labels and len(labels) > 1 else -1
    others = before.copy()
    others[foreign] = -np.inf
    return Trained(
        labels=labels,
        limit=limit,
        closed=closed,
        vocabulary=features,
        weights=weights,
        scores=scores,
        char_lm=lm,
        margin=max(features.margin, 0 if lm is None else lm.table.margin),
        before=before,
        foreign=foreign,
        hosts=calibration.probabilities(others[None])[0],
        script=script,
    )


def makers() -> tuple[Path, ...]:
    """The files of the modules that work out what `worked_out` gives, for `modelcache`."""
    here, ngrams = Path(__file__).parent, (Path(keys.__file__), Path(table.__file__))
    native = Path(str(import_module("graphlang.content.native._ngrams").__file__))
    return here / "trained.py", here / "sparse_weights.py", here / "char_lm.py", *ngrams, native


def worked_out(trained: Trained) -> dict[str, NDArray[Any]]:
    """The large arrays, which `load` takes from `Model.kept` where they are there."""
    words, of = trained.vocabulary, {"": trained.weights}
    found: dict[str, NDArray[Any]]
    found = {"ngrams": np.frombuffer(words.lines, np.uint8), "sizes": words.sizes}
    found |= {"marks": words.marks, "entries": words.entries}
    if trained.char_lm is not None:
        of[char_lm.PREFIX] = trained.char_lm.weights
        of_lm = trained.char_lm.table
        found |= {f"{char_lm.PREFIX}marks": of_lm.marks, f"{char_lm.PREFIX}entries": of_lm.entries}
    for prefix, weights in of.items():
        found |= {f"{prefix}table": weights.table, f"{prefix}starts": weights.starts, f"{prefix}rest": weights.rest}
    return found


#: Arrays of a model file that are not needed beside `worked_out`, or not to answer.
PACKED: Final = (
    *("ngrams", "gaps", "values", "occurrences"),
    *(f"{char_lm.PREFIX}{name}" for name in ("keys", "gaps", "values")),
)


def _check_limit(limit: int, features: Vocabulary, weights: ScriptWeights, source: str) -> None:
    """Refuse a limit so long that sums of weights could leave 16 bits.

    Raises:
        ModelError: it is so long in one of the scripts.
    """
    if limit <= longest_text(len(features.orders) or 1, words=features.has_words):
        return  # where the n-grams of all scripts together would do, those of each do
    for first, common, rare, *_ in weights.blocks.tolist():
        there = lengths_among(features.sizes[first : first + common + rare])
        orders = sum(length <= MAX_ORDER for length in there)
        if limit > longest_text(orders or 1, words=len(there) > orders):
            raise ModelError(f"{source}: its weights cannot be summed over its limit of {limit} characters")
