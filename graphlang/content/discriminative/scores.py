"""Sums of weights -> scores of labels, or at once the probabilities of short texts.

The score of a label for a text is the sum of its weights divided by the root of the number of the text's features
(Hayati 2004, formula 0.3), plus the label's bias; all times the inverse temperature of the text's script and length
(`scoring.calibration`). The log prior of the label comes to it (`scoring.speaker_prior`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.discriminative import stranger, unknown
from graphlang.content.native import scores as _kernels
from graphlang.content.scoring import calibration
from graphlang.content.text import windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.discriminative.char_lm import CharLM, CharLMSums
    from graphlang.content.discriminative.sparse_weights import ScriptWeights, Sums

    Floats = NDArray[np.float32]

LENGTHS = np.arange(calibration.KNOTS[-1] + 1)  #: beyond, all are alike


@dataclass(frozen=True, slots=True)
class Scores:
    """What makes scores of sums.

    Attributes:
        step: The unit of the weights.
        inverse_temperature: By script and length, (scripts, lengths).
        prior_exponent: Factor on the log prior, by length, (lengths,).
        base: Sum of the weights that a text has of no n-gram in particular, (labels,).
        bias: Added to the scores, (labels,).
        close_bias: Added besides, where the prior counts: tells close languages apart, (labels,).
        prior: Log of the probability of each label before any text, (labels,).
    """

    step: float
    inverse_temperature: Floats
    prior_exponent: Floats
    base: Floats
    bias: Floats
    close_bias: Floats
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
            sums: Of the texts, (texts, labels or more); what stands behind the labels is not read.
            script: Number of the script.
            labels: Its labels.
            lengths: Letters of each text, (texts,).
            found: Features of each, (texts,).
            prior: Whether the prior and `close_bias` count.
        """
        length = np.minimum(lengths, LENGTHS[-1])
        root = np.sqrt(found).astype(np.float32)
        factor = self.inverse_temperature[script, length]
        return calibration.linear(
            sums,
            scale=factor * np.float32(self.step) / np.maximum(root, 1),
            base_scale=factor * root,
            bias_scale=factor,
            prior_scale=self.prior_exponent[length] * np.float32(prior),
            base=self.base[labels],
            bias=(self.bias + self.close_bias * np.float32(prior))[labels],
            prior=self.prior[labels],
        )

    def probabilities(
        self,
        sums: Sums,
        weights: ScriptWeights,
        *,
        lengths: NDArray[np.int64],
        offsets: NDArray[np.int64],
        outliers: float,
        to: NDArray[np.int64],
        answer: Floats,
        char_lm: CharLM | None = None,
        lm_sums: CharLMSums | None = None,
    ) -> int:
        """Fill in the probabilities of texts: the softmax of their scores, prior included, over their script's labels.

        What may be in a language that is not there (`unknown`) all labels of the script share.

        Args:
            sums: Of the texts.
            weights: That gave the sums.
            lengths: Letters of each text, (texts,); where there are none, all probabilities are 0.
            offsets: Of the texts' features, (texts + 1,).
            outliers: The part of the probability that all labels of a script share equally.
            to: Row of `answer` for each text, (texts,).
            answer: Where the probabilities go, (any number, all labels).
            char_lm: The character language model, of the same scripts.
            lm_sums: Its sums for these texts.

        Returns:
            How many texts are in one of the scripts; the others keep what stands in their rows.

        Raises:
            KernelError: the shapes differ, or a number of an array is out of range.
        """
        found: int = _kernels.scores_probabilities(
            sums=sums.flat,
            order=sums.order,
            counts=sums.counts,
            columns=weights.columns(),
            offsets=offsets,
            lengths=lengths,
            inverse_temperature=self.inverse_temperature,
            prior_exponent=self.prior_exponent,
            step=self.step,
            base=self.base,
            bias=self.bias + self.close_bias,
            prior=self.prior,
            outliers=outliers,
            unknown=unknown.COEFFICIENTS,
            refused=unknown.REFUSED,
            to=to,
            answer=answer,
            **_of_char_lm(char_lm, lm_sums),
        )
        return found

    def mixture(
        self,
        sums: Sums,
        weights: ScriptWeights,
        *,
        features: NDArray[np.int64],
        lengths: NDArray[np.int64],
        offsets: NDArray[np.int64],
        prior: Floats,
        foreign: int,
        outliers: float,
        to: NDArray[np.int64],
        answer: Floats,
    ) -> Floats:
        """Fill in the probabilities of texts of several windows: what these say together (`text.windows`).

        Args:
            sums: Of the texts' windows; those of a text are in one script.
            weights: That gave the sums.
            features: Window w has `features[w + 1] - features[w]` features, (windows + 1,).
            lengths: Letters of each window, (windows,).
            offsets: Text t has the windows `offsets[t] : offsets[t + 1]`, (texts + 1,).
            prior: Log of the probability of each label before any window, (labels,).
            foreign: Number of English; -1 where it is missing.
            outliers: As `probabilities` has it.
            to: Row of `answer` for each text, (texts,).
            answer: Where the probabilities go, (any number, all labels); labels of other scripts stay as they are.

        Returns:
            How probable the best label of each text is, unknown languages aside; 0 where no window is in a script,
            (texts,).

        Raises:
            KernelError: the shapes differ, or a number of an array is out of range.
        """
        columns, sure = weights.columns(), np.empty(len(to), dtype=np.float32)
        most = int(np.diff(offsets).max(initial=0)) * int(columns[:, 1].max())
        _kernels.scores_mixture(
            sums=sums.flat,
            order=sums.order,
            counts=sums.counts,
            columns=columns,
            features=features,
            lengths=lengths,
            offsets=offsets,
            inverse_temperature=self.inverse_temperature,
            step=self.step,
            base=self.base,
            bias=self.bias,
            prior=prior,
            foreign=foreign,
            outliers=windows.OUTLIERS,
            share=windows.FOREIGN,
            mixed=windows.MIXED,
            exponent=windows.EFFECTIVE,
            even=outliers,
            unknown=unknown.COEFFICIENTS,
            refused=unknown.REFUSED,
            to=to,
            answer=answer,
            scores=np.empty(max(0, 2 * most), dtype=np.float32),
            sure=sure,
        )
        return sure

    def best(
        self,
        sums: Sums,
        weights: ScriptWeights,
        *,
        features: NDArray[np.int64],
        offsets: NDArray[np.int64],
        letters: NDArray[np.int64],
        to: NDArray[np.int64],
        answer: Floats,
    ) -> stranger.Best:
        """How the best language of each text stands before the others, where `stranger` asks.

        Args:
            sums: Of the texts' windows; those of a text are in one script.
            weights: That gave the sums.
            features: Window w has `features[w + 1] - features[w]` features, (windows + 1,).
            offsets: Text t has the windows `offsets[t] : offsets[t + 1]`, (texts + 1,).
            letters: Of each text, (texts,).
            to: Row of `answer` for each text, (texts,).
            answer: Their probabilities, (any number, all labels).

        Raises:
            KernelError: the shapes differ, or a number of an array is out of range.
        """
        found = stranger.none(len(letters))
        _kernels.scores_best(
            sums=sums.flat,
            order=sums.order,
            counts=sums.counts,
            columns=weights.columns(),
            features=features,
            offsets=offsets,
            letters=letters,
            fewest=stranger.FEWEST,
            base=self.base,
            step=self.step,
            to=to,
            answer=answer,
            best=found.label,
            fit=found.fit,
            margin=found.margin,
        )
        return found


def _of_char_lm(char_lm: CharLM | None, sums: CharLMSums | None) -> dict[str, Any]:
    if char_lm is None or sums is None:
        names = ("lm_sums", "lm_gain", "lm_letter", "lm_word", "lm_text", "lm_words")
        return {**dict.fromkeys(names), "lm_step": 0.0}
    return {
        "lm_sums": sums.sums.flat,
        "lm_step": char_lm.step,
        "lm_gain": char_lm.gain,
        "lm_letter": char_lm.letter,
        "lm_word": char_lm.word,
        "lm_text": char_lm.text,
        "lm_words": sums.words,
    }
