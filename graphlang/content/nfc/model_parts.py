"""The parts of a model file, ready for use, and the sums of their weights over a batch of texts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.content import calibration, speaker_prior
from graphlang.content.nfc import char_lm
from graphlang.content.nfc.scores import LENGTHS, Scores
from graphlang.content.nfc.sparse_weights import unpack
from graphlang.content.nfc.weight_codec import compute_longest_text
from graphlang.content.ngrams import keys, vocabulary
from graphlang.content.ngrams.keys import MAX_ORDER
from graphlang.content.ngrams.vocabulary import list_lengths, read_vocabulary
from graphlang.content.text.normalise import Characters, Letters, fold, join_texts, sample
from graphlang.content.text.scripts import registry
from graphlang.modelfile import Model, ModelError, take_array

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.nfc.char_lm import CharLM, CharLMSums
    from graphlang.content.nfc.sparse_weights import ScriptWeights, Sums
    from graphlang.content.ngrams.vocabulary import Vocabulary

    Floats = NDArray[np.float32]

BATCH: Final = 1 << 18  #: characters of a batch; with a quarter of them a batch of short texts takes a tenth longer
_FOREIGN = "eng"
_PER_LABEL = ("base", "bias", "siblings", "prior")


class BatchSums(NamedTuple):
    """Features of a batch of texts and the sums of their weights."""

    letters: Letters
    features: NDArray[np.int32]
    offsets: NDArray[np.int64]  #: text t has `features[offsets[t] : offsets[t + 1]]`, (texts + 1,)
    sums: Sums
    lm: CharLMSums | None  #: None without a character language model, or where it does not count


@dataclass(frozen=True, slots=True)
class ModelParts:
    """The parts of a model."""

    labels: tuple[str, ...]  #: in the order of their scripts
    limit: int  #: characters of a text that are read
    closed: bool  #: whether a space follows the last word of a text
    vocabulary: Vocabulary
    weights: ScriptWeights
    scores: Scores
    char_lm: CharLM | None
    margin: int  #: places after each text that its n-grams need
    before: Floats  #: log prior of each label, as it counts for the shortest texts, (labels,)
    foreign: int  #: column of English; -1 where it is missing or alone
    hosts: Floats  #: P(language of a page | the page quotes English), (labels,)
    script: NDArray[np.uint8]  #: of each number of `scripts.registry` that of `weights`, or a greater one, (256,)

    def knows(self, scripts: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Find the scripts (numbers of `scripts.registry`) in which a label is written."""
        in_model: NDArray[np.bool_] = self.script[scripts] < len(self.weights.names)
        return in_model

    def sum_weights(
        self, texts: Sequence[str] | Characters, script: int | NDArray[np.uint8] | None = None, *, lm: bool = True
    ) -> BatchSums:
        """Find the features of texts and sum their weights, with `lm` also for the character language model.

        `limit` characters of strings are read; texts of a batch are not longer. `script` is that of all texts or of
        each (numbers of `scripts.registry`), by default their main scripts.
        """
        letters = fold(
            texts if isinstance(texts, Characters) else join_texts([sample(text, self.limit) for text in texts]),
            margin=self.margin,
            closed=self.closed,
            one_script=True,
            row_scripts=None if script is None else np.broadcast_to(np.uint8(script), len(texts)),
        )
        features, offsets = self.vocabulary.find(letters)
        scripts = self.script[letters.scripts]
        lm_sums = self.char_lm.find(letters, scripts) if lm and self.char_lm is not None else None
        return BatchSums(letters, features, offsets, self.weights.sum_features(features, offsets, scripts), lm_sums)

    def measure(
        self, batch: BatchSums, *, prior: bool
    ) -> Iterator[tuple[NDArray[np.int64], slice, Floats, NDArray[np.int64]]]:
        """Compute scores of texts, as `model.Discriminative.measure` yields them."""
        letters, number, answered = batch.letters, np.diff(batch.offsets), 0
        for script, rows, table in self.weights.iterate_scripts(batch.sums):
            lengths, columns = letters.lengths[rows], self.weights.labels[script]
            scores = self.scores.compute_scores(
                table, script, columns, lengths=lengths, features=number[rows], prior=prior
            )
            if self.char_lm is not None and batch.lm is not None:
                scores += self.char_lm.scores(batch.lm, script, rows, lengths)
            yield rows, columns, scores, lengths
            answered += len(rows)
        if answered < len(batch.sums.order):
            rows = batch.sums.order[answered:]
            columns = slice(0, len(self.labels))
            yield rows, columns, np.tile(self.before[columns], (len(rows), 1)), letters.lengths[rows]


def load(
    model: Model,
    source: str,
    *,
    labels: tuple[str, ...],
    limit: int,
    closed: bool,
    log_inverse_temperature: NDArray[np.float64],
    further: int = 0,
) -> ModelParts:
    """Read the parts of a model, with the log inverse temperature of each script at the knots, (scripts, knots).

    Answers get `further` columns after those of the labels, with zeros. Raise a ModelError if the parts are damaged or
    do not fit each other.
    """
    with ThreadPoolExecutor(1) as thread:  # kernels let other threads of Python run
        loading = thread.submit(char_lm.unpack, model, source)
        features = read_vocabulary(model, source)
        weights = unpack(model, len(features), source)
    lean = take_array(model, "lean", "f", (len(calibration.KNOTS),), source, maximum=char_lm.GREATEST).astype(
        np.float32
    )
    step = take_array(model, "step", "f", (1,), source, maximum=char_lm.GREATEST).astype(np.float32)
    per_label = [
        _pad(take_array(model, n, "f", (len(labels),), source, maximum=char_lm.GREATEST), further) for n in _PER_LABEL
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
    factors = np.stack([calibration.interpolate_inverse_temperature(logs, LENGTHS) for logs in log_inverse_temperature])
    lm = loading.result()
    if lm is not None and not closed:
        raise ModelError(f"{source}: its character language model needs a space after the last word")
    scores = Scores(float(step[0]), factors, speaker_prior.interpolate_exponents(lean, LENGTHS), *per_label)
    log_prior = scores.prior * lean[0]
    foreign = labels.index(_FOREIGN) if _FOREIGN in labels and len(labels) > 1 else -1
    host_prior = log_prior.copy()
    host_prior[foreign] = -np.inf
    host_prior[len(labels) :] = -np.inf
    if lm is not None:
        letter, word, text = (_pad(values, further) for values in (lm.letter, lm.word, lm.text))
        lm = replace(lm, letter=letter, word=word, text=text)
    return ModelParts(
        labels=labels,
        limit=limit,
        closed=closed,
        vocabulary=features,
        weights=weights,
        scores=scores,
        char_lm=lm,
        margin=max(features.margin, 0 if lm is None else lm.table.margin),
        before=log_prior,
        foreign=foreign,
        hosts=calibration.compute_probabilities(host_prior[None])[0],
        script=script,
    )


def _pad(values: NDArray[Any], further: int) -> Floats:
    """Add zeros for the labels of another model."""
    return np.pad(values.astype(np.float32), (0, further))


def list_makers() -> tuple[Path, ...]:
    """List the files whose code decides the values of `list_large_arrays`, for `modelcache`."""
    here, ngrams = Path(__file__).parent, (Path(keys.__file__), Path(vocabulary.__file__))
    native = Path(str(import_module("graphlang.content.native._ngrams").__file__))
    return here / "model_parts.py", here / "sparse_weights.py", here / "char_lm.py", *ngrams, native


def list_large_arrays(parts: ModelParts) -> dict[str, NDArray[Any]]:
    """List the large arrays, which `load` takes from `Model.cached` if they are cached there."""
    vocabulary_, prefix_weights = parts.vocabulary, {"": parts.weights}
    arrays: dict[str, NDArray[Any]] = {
        "ngrams": np.frombuffer(vocabulary_.lines, np.uint8),
        "sizes": vocabulary_.sizes,
        "marks": vocabulary_.marks,
        "entries": vocabulary_.entries,
    }
    if parts.char_lm is not None:
        prefix_weights[char_lm.PREFIX] = parts.char_lm.weights
        table = parts.char_lm.table
        arrays |= {f"{char_lm.PREFIX}marks": table.marks, f"{char_lm.PREFIX}entries": table.entries}
    for prefix, weights in prefix_weights.items():
        arrays |= {f"{prefix}table": weights.table, f"{prefix}starts": weights.starts, f"{prefix}rest": weights.rest}
    return arrays


#: Arrays of a model file that `list_large_arrays` replaces, or that only training needs.
PACKED: Final = (
    *("ngrams", "gaps", "values", "occurrences"),
    *(f"{char_lm.PREFIX}{name}" for name in ("keys", "gaps", "values")),
)


def _check_limit(limit: int, features: Vocabulary, weights: ScriptWeights, source: str) -> None:
    """Raise a ModelError if sums of weights over `limit` characters do not fit in 16 bits in one of the scripts."""
    if limit <= compute_longest_text(len(features.orders) or 1, words=features.has_words):
        return  # the bound of all n-grams together holds for those of each script
    for first, common, rare, *_ in weights.blocks.tolist():
        lengths = list_lengths(features.sizes[first : first + common + rare])
        orders = sum(length <= MAX_ORDER for length in lengths)
        if limit > compute_longest_text(orders or 1, words=len(lengths) > orders):
            raise ModelError(f"{source}: its weights cannot be summed over its limit of {limit} characters")
