"""The character language model: how likely each language writes the words of a short text.

The vectors (`model`) are trained to tell texts of all lengths apart. Of a single word they know what speaks for a
language, and not how surprising it would be in each. A language model of characters does
(`training.discriminative.witten_bell`), and both together are better than either. Its log-likelihood counts for a
fraction, the less the longer the text: letters after one another are far from independent, and the vectors are soon the
better judge. It is the better one of whether a text, of any length, is in a language that is not there (`stranger`).

In a model file its arrays are called ``spelling_...``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.discriminative import sparse_weights
from graphlang.content.discriminative.weight_codec import longest_text
from graphlang.content.ngrams.keys import MAX_ORDER
from graphlang.content.ngrams.table import MOST_BITS, Table
from graphlang.content.scoring import calibration
from graphlang.content.text.normalise import SPACE, Letters
from graphlang.modelfile import ModelError, damaged, take, take_kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.discriminative.sparse_weights import ScriptWeights, Sums
    from graphlang.modelfile import Model

    Floats = NDArray[np.float32]

GREATEST = 1_000.0  #: number in a sound model, so that sums stay finite
PREFIX = "spelling_"  #: of the model's arrays
_OF_LABELS = ("letter", "word", "text")
_LENGTHS = np.arange(calibration.KNOTS[-1] + 1)
_SPARSE = 4  # characters from one n-gram to the next where a few will do


@dataclass(frozen=True, slots=True)
class CharLMSums:
    """What the character language model finds in a batch of texts.

    Attributes:
        sums: Of each text over the labels of its script, laid out as those of the vectors' weights.
        words: Of each text, (texts,).
    """

    sums: Sums
    words: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CharLM:
    """The character language models of all scripts.

    Attributes:
        table: Finds n-grams and words.
        weights: What they add to the log-likelihood, by script.
        step: The unit of the weights.
        gain: Factor on the log-likelihood, by the number of letters, (lengths,); 0 at the last of them and beyond.
        letter: What every letter and space adds, (labels,).
        word: What every word adds, (labels,).
        text: What every text adds, (labels,).
    """

    table: Table
    weights: ScriptWeights
    step: float
    gain: Floats
    letter: Floats
    word: Floats
    text: Floats

    def find(self, letters: Letters, scripts: NDArray[np.uint8]) -> CharLMSums:
        """Sums of a batch of texts; those that are too long to count have 0.

        Args:
            letters: The texts.
            scripts: Which of the scripts each is in, as `ScriptWeights.sums` takes them, (texts,).
        """
        short = np.where(letters.lengths < len(self.gain) - 1, letters.lengths, 0)
        some = Letters(letters.symbols, letters.starts, short, letters.margin, letters.scripts)
        features, offsets = self.table.find(some)
        spaces = np.concatenate([[0], np.cumsum(letters.symbols == SPACE)])
        words = spaces[letters.starts + short] - spaces[letters.starts]
        return CharLMSums(self.weights.sums(features, offsets, scripts), words)

    def scores(self, found: CharLMSums, script: int, rows: NDArray[np.int64], lengths: NDArray[np.int64]) -> Floats:
        """What the model adds to the scores of the texts in one script, (texts, its labels).

        Args:
            found: Of the batch that they are in.
            script: Number of the script.
            rows: All of its texts in the batch, (texts,).
            lengths: Letters and spaces of each of them, (texts,).
        """
        sums = next(own for number, _, own in self.weights.each(found.sums) if number == script)
        labels = self.weights.labels[script]
        gain = self.gain[np.minimum(lengths, len(self.gain) - 1)]
        return calibration.linear(
            sums,
            scale=gain * np.float32(self.step),
            base_scale=gain * lengths.astype(np.float32),
            bias_scale=gain * found.words[rows].astype(np.float32),
            prior_scale=gain,
            base=self.letter[labels],
            bias=self.word[labels],
            prior=self.text[labels],
        )

    def of_label(self, letters: Letters, labels: NDArray[np.int64]) -> Floats:
        """About how likely one language writes each text: from a quarter of its n-grams, words aside, (texts,).

        The n-grams that begin at every fourth character count four times, which is as much on average, and takes a
        quarter of the time.

        Args:
            letters: The texts, each in the script of its label.
            labels: Of each text, (texts,).
        """
        features, offsets = self.table.find(letters, step=_SPARSE, words=False)
        steps = self.weights.of_label(features, offsets, labels)
        likelihood: Floats = steps * np.float32(self.step * _SPARSE) + self.letter[labels] * letters.lengths
        return likelihood.astype(np.float32)


def unpack(model: Model, source: str) -> CharLM | None:
    """The character language models of a model file; None if it has none.

    Args:
        model: What the file holds.
        source: For messages.

    Raises:
        ModelError: they are not what they should be.
    """
    if not any(name.startswith(PREFIX) for name in model.arrays):
        return None
    table = _table(model, source)
    knots = take(model, f"{PREFIX}gain", "f", (len(calibration.KNOTS),), source, most=GREATEST)
    gain = np.interp(calibration.position(_LENGTHS), np.arange(len(knots)), knots).astype(np.float32)
    if knots.min() < 0 or not gain.any():
        raise ModelError(f"{source}: its character language model counts for nothing")
    last = int(np.flatnonzero(gain)[-1]) + 2
    if last > longest_text(MAX_ORDER, words=True):
        raise ModelError(f"{source}: its character language model counts for texts whose weights cannot be summed")
    labels = (len(model.labels),)
    letter, word, text = (
        take(model, f"{PREFIX}{n}", "f", labels, source, most=GREATEST).astype(np.float32) for n in _OF_LABELS
    )
    return CharLM(
        table,
        sparse_weights.unpack(model, len(table), source, prefix=PREFIX),
        float(take(model, f"{PREFIX}step", "f", (1,), source, most=GREATEST)[0]),
        gain[:last],
        letter,
        word,
        text,
    )


def pack(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Keys of n-grams for a model file: how far each is from the one before it, modulo 2 ** 32.

    They are sorted, but for a few places, so that most distances are small and take two bytes in the file.
    """
    first: NDArray[np.uint32] = np.diff(keys, prepend=np.uint32(0))
    return first


def _table(model: Model, source: str) -> Table:
    bits: Any = model.parameters.get(f"{PREFIX}bits")
    if type(bits) is not int or not 1 <= bits <= MOST_BITS:
        raise ModelError(f"{source}: its parameter {PREFIX}bits is none")
    marks = take_kept(model, f"{PREFIX}marks", "u8", None, source)
    entries = take_kept(model, f"{PREFIX}entries", "u4", None, source)
    if marks is not None and entries is not None:
        try:
            return Table.ready(marks, entries, range(1, MAX_ORDER + 1), bits=bits, has_words=True)
        except ValueError as error:
            raise damaged(source) from error
    packed = take(model, f"{PREFIX}keys", "u4", (None,), source)
    if len(packed) >= 1 << bits:
        raise ModelError(
            f"{source}: the n-grams of its character language model are damaged (as many n-grams as slots)"
        )
    keys = np.cumsum(packed, dtype=np.uint32)
    try:
        return Table(keys, range(1, MAX_ORDER + 1), has_words=True, bits=bits)
    except ValueError as error:
        raise ModelError(f"{source}: the n-grams of its character language model are damaged ({error})") from error
