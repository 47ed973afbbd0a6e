"""Sums of weights -> scores of labels, or at once the probabilities of short texts.

The score of a label for a text is the sum of its weights divided by the root of the number of the text's features
(formula 0.3), plus what a label has without any; all times the sharpness of the text's script and length (`calibrate`).
Then comes how likely the label is before any text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content import calibrate
from graphlang.content.kernel import KernelError, Library, checked, pointer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.scriptweights import ScriptWeights, Sums
    from graphlang.content.spelling import Spelling, Spelt

    Floats = NDArray[np.float32]

LENGTHS = np.arange(calibrate.KNOTS[-1] + 1)  # beyond, all are as sharp
_answers = Library("graphlang.content._scores").function("sc_answers", "pippipppippidpppidppippidpppp")


@dataclass(frozen=True, slots=True)
class Scores:
    """What makes scores of sums.

    Attributes:
        step: The unit of the weights.
        sharp: Sharpness by script and length, (scripts, lengths).
        lean: Exponent of the prior by length.
        base: Of each label: what a text's features have at least, all together.
        bias: Of each label.
        siblings: What parts siblings, of each label.
        prior: Log of how likely each label is before any text.
    """

    step: float
    sharp: Floats
    lean: Floats
    base: Floats
    bias: Floats
    siblings: Floats
    prior: Floats

    def linear(
        self,
        sums: NDArray[np.int16],
        script: int,
        labels: slice,
        *,
        lengths: NDArray[np.int64],
        found: NDArray[np.int64],
        prior: bool,
    ) -> Floats:
        """Scores of texts in one script, (texts, its labels).

        Args:
            sums: Of the same shape.
            script: Number of the script.
            labels: Its labels.
            lengths: Letters of each text.
            found: Features of each.
            prior: Whether the prior and what parts siblings count.
        """
        length = np.minimum(lengths, LENGTHS[-1])
        root = np.sqrt(found).astype(np.float32)
        sharp = self.sharp[script, length]
        return calibrate.linear(
            sums,
            scale=sharp * np.float32(self.step) / np.maximum(root, 1),
            factor=sharp * root,
            sharp=sharp,
            lean=self.lean[length] * np.float32(prior),
            base=self.base[labels],
            bias=(self.bias + self.siblings * np.float32(prior))[labels],
            prior=self.prior[labels],
        )

    def answers(
        self,
        sums: Sums,
        weights: ScriptWeights,
        *,
        lengths: NDArray[np.int64],
        offsets: NDArray[np.int64],
        odd: float,
        places: NDArray[np.int64],
        answer: Floats,
        spelling: Spelling | None = None,
        spelt: Spelt | None = None,
    ) -> int:
        """Fill in the probabilities of texts: the softmax of their scores, prior included, over their script's labels.

        Args:
            sums: Of the texts.
            weights: That gave the sums.
            lengths: Letters of each text; where there are none, all probabilities are 0.
            offsets: Of the texts' features.
            odd: The part of the probability that all labels of a script share equally.
            places: Row of `answer` for each text.
            answer: (any number, all labels).
            spelling: What else is known of short texts, of the same scripts.
            spelt: What it says of these.

        Returns:
            How many texts are in one of the scripts; the others keep what stands in their rows.
        """
        bias = self.bias + self.siblings
        return checked(
            _answers(
                pointer(sums.flat, np.int16),
                len(sums.flat),
                pointer(sums.order, np.int64),
                pointer(sums.counts, np.int64),
                len(weights.names),
                pointer(weights.columns(), np.int64),
                pointer(offsets, np.int64),
                pointer(lengths, np.int64),
                len(lengths),
                pointer(self.sharp, np.float32),
                pointer(self.lean, np.float32),
                len(self.lean) - 1,
                self.step,
                pointer(self.base, np.float32),
                pointer(bias, np.float32),
                pointer(self.prior, np.float32),
                answer.shape[1],
                odd,
                pointer(places, np.int64),
                pointer(answer, np.float32),
                len(answer),
                *_spelt(sums, spelling, spelt),
            )
        )


def _spelt(sums: Sums, spelling: Spelling | None, spelt: Spelt | None) -> tuple[Any, ...]:
    if spelling is None or spelt is None:
        return None, None, 0, 0.0, None, None, None, None
    if len(spelt.sums.flat) != len(sums.flat):
        raise KernelError("sums of spelling that are not laid out as the others are")
    of_labels = (spelling.letter, spelling.word, spelling.text)
    return (
        pointer(spelt.sums.flat, np.int16),
        pointer(spelling.gain, np.float32),
        len(spelling.gain),
        spelling.step,
        *(pointer(own, np.float32) for own in of_labels),
        pointer(spelt.words, np.int64),
    )
