"""The character language model: the likelihood of the words of a short text in each language.

The vectors (`model`) are trained to discriminate languages at all lengths. For a single word they measure the evidence
for each language, but not how unusual the word is in it. A character language model measures that
(`training.witten_bell`), and both together are more accurate than either. Its log likelihood gets a factor that falls
with length, because the letters of a text are not independent. For texts of any length it also helps to recognise
unknown languages (`doubt`). Its arrays in a model file are called ``spelling_...``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content import calibration
from graphlang.content.nfc import sparse_weights
from graphlang.content.nfc.weight_codec import compute_longest_text
from graphlang.content.ngrams.keys import MAX_ORDER
from graphlang.content.ngrams.vocabulary import MOST_BITS, NgramTable
from graphlang.content.text.normalise import SPACE, Letters
from graphlang.modelfile import ModelError, damage_error, take_array, take_cached

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.nfc.sparse_weights import ScriptWeights, Sums
    from graphlang.modelfile import Model

    Floats = NDArray[np.float32]

GREATEST = 1_000.0  #: absolute value that an array of a model may hold, so that sums stay finite
PREFIX = "spelling_"  #: of the model's arrays
_PER_LABEL = ("letter", "word", "text")
_LENGTHS = np.arange(calibration.KNOTS[-1] + 1)
_STRIDE = 4  # characters from one n-gram to the next in `estimate_likelihood`


@dataclass(frozen=True, slots=True)
class CharLMSums:
    """Sums of the character language model for a batch of texts."""

    sums: Sums  #: of each text over the labels of its script
    word_counts: NDArray[np.int64]  #: (texts,)


@dataclass(frozen=True, slots=True)
class CharLM:
    """The character language models of all scripts."""

    table: NgramTable
    weights: ScriptWeights  #: of n-grams and words in the log likelihood
    step: float  #: unit of the weights
    gain: Floats  #: factor on the log likelihood by number of letters, (lengths,); 0 from the last on
    letter: Floats  #: weight of every letter and space, (labels,)
    word: Floats  #: weight of every word, (labels,)
    text: Floats  #: weight of every text, (labels,)

    def find(self, letters: Letters, scripts: NDArray[np.uint8]) -> CharLMSums | None:
        """Sum the weights of a batch of texts, each in one of the scripts, (texts,).

        Texts that are too long for the model get 0. Return None if all are too long.
        """
        short = np.where(letters.lengths < len(self.gain) - 1, letters.lengths, 0)
        if not short.any():
            return None
        batch = Letters(letters.symbols, letters.starts, short, letters.margin, letters.scripts)
        features, offsets = self.table.find(batch)
        spaces = np.concatenate([[0], np.cumsum(letters.symbols == SPACE)])
        number = spaces[letters.starts + short] - spaces[letters.starts]
        return CharLMSums(self.weights.sum_features(features, offsets, scripts), number)

    def scores(self, batch: CharLMSums, script: int, rows: NDArray[np.int64], lengths: NDArray[np.int64]) -> Floats:
        """Compute the term of the model in the scores of the texts in one script, (texts, labels of the script).

        `rows` (texts,) are all texts of the batch in that script, `lengths` (texts,) their letters and spaces.
        """
        sums = next(table for number, _, table in self.weights.iterate_scripts(batch.sums) if number == script)
        labels = self.weights.labels[script]
        gain = self.gain[np.minimum(lengths, len(self.gain) - 1)]
        return calibration.compute_linear(
            sums,
            scale=gain * np.float32(self.step),
            base_scale=gain * lengths.astype(np.float32),
            bias_scale=gain * batch.word_counts[rows].astype(np.float32),
            prior_scale=gain,
            base=self.letter[labels],
            bias=self.word[labels],
            prior=self.text[labels],
        )

    def estimate_likelihood(self, letters: Letters, labels: NDArray[np.int64]) -> Floats:
        """Estimate the log likelihood of each text under one label, in whose script it is, (texts,).

        Only n-grams that begin at every fourth character are read, and count four times.
        """
        features, offsets = self.table.find(letters, step=_STRIDE, with_words=False)
        steps = self.weights.sum_label(features, offsets, labels)
        likelihood: Floats = steps * np.float32(self.step * _STRIDE) + self.letter[labels] * letters.lengths
        return likelihood.astype(np.float32)


def unpack(model: Model, source: str) -> CharLM | None:
    """Read the character language models of a model file, None without any; raise a ModelError if they are damaged."""
    if not any(name.startswith(PREFIX) for name in model.arrays):
        return None
    table = _read_table(model, source)
    knots = take_array(model, f"{PREFIX}gain", "f", (len(calibration.KNOTS),), source, maximum=GREATEST)
    gain = np.interp(calibration.place_lengths(_LENGTHS), np.arange(len(knots)), knots).astype(np.float32)
    if knots.min() < 0 or not gain.any():
        raise ModelError(f"{source}: its character language model has no weight at any length")
    last = int(np.flatnonzero(gain)[-1]) + 2
    if last > compute_longest_text(MAX_ORDER, words=True):
        raise ModelError(f"{source}: its character language model reads texts that are too long to sum weights")
    labels = (len(model.labels),)
    letter, word, text = (
        take_array(model, f"{PREFIX}{n}", "f", labels, source, maximum=GREATEST).astype(np.float32) for n in _PER_LABEL
    )
    return CharLM(
        table,
        sparse_weights.unpack(model, len(table), source, prefix=PREFIX),
        float(take_array(model, f"{PREFIX}step", "f", (1,), source, maximum=GREATEST)[0]),
        gain[:last],
        letter,
        word,
        text,
    )


def pack(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Pack keys of n-grams for a model file: the distance of each from the one before, modulo 2 ** 32.

    They are nearly sorted, so most distances are small and compress to two bytes.
    """
    distances: NDArray[np.uint32] = np.diff(keys, prepend=np.uint32(0))
    return distances


def _read_table(model: Model, source: str) -> NgramTable:
    bits: Any = model.parameters.get(f"{PREFIX}bits")
    if type(bits) is not int or not 1 <= bits <= MOST_BITS:
        raise ModelError(f"{source}: its parameter {PREFIX}bits is not 1 to {MOST_BITS}")
    marks = take_cached(model, f"{PREFIX}marks", "u8", None, source)
    entries = take_cached(model, f"{PREFIX}entries", "u4", None, source)
    if marks is not None and entries is not None:
        try:
            return NgramTable.from_arrays(marks, entries, range(1, MAX_ORDER + 1), bits=bits, has_words=True)
        except ValueError as error:
            raise damage_error(source) from error
    packed = take_array(model, f"{PREFIX}keys", "u4", (None,), source)
    if len(packed) >= 1 << bits:
        raise ModelError(
            f"{source}: the n-grams of its character language model are damaged (as many n-grams as slots)"
        )
    keys = np.cumsum(packed, dtype=np.uint32)
    try:
        return NgramTable(keys, range(1, MAX_ORDER + 1), has_words=True, bits=bits)
    except ValueError as error:
        raise ModelError(f"{source}: the n-grams of its character language model are damaged ({error})") from error
