"""Make scores, probabilities and the mixture of windows from sums of weights.

The score of a label for a text is the sum of its weights divided by the root of the number of the text's features
(Hayati 2004, formula 0.3), plus the label's bias; all times the inverse temperature of the text's script and length
(`calibration`). The log prior of the label is added (`speaker_prior`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content import calibration
from graphlang.content.native import scores as _kernels
from graphlang.content.nfc import doubt
from graphlang.content.text import windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.nfc.char_lm import CharLM, CharLMSums
    from graphlang.content.nfc.sparse_weights import ScriptWeights, Sums

    Floats = NDArray[np.float32]

LENGTHS = np.arange(calibration.KNOTS[-1] + 1)  #: a longer text counts as the last


@dataclass(frozen=True, slots=True)
class Scores:
    """The parameters that turn sums into scores."""

    step: float  #: unit of the weights
    inverse_temperature: Floats  #: by script and length, (scripts, lengths)
    prior_exponent: Floats  #: factor on the log prior, by length, (lengths,)
    base: Floats  #: weight of every feature in a label, added to its own weight, (labels,)
    bias: Floats  #: added to the scores, (labels,)
    close_bias: Floats  #: added with the prior: discriminates close languages, (labels,)
    prior: Floats  #: log prior of each label, (labels,)

    def compute_scores(
        self,
        sums: NDArray[np.int16],
        script: int,
        labels: slice,
        *,
        lengths: NDArray[np.int64],
        features: NDArray[np.int64],
        prior: bool,
    ) -> Floats:
        """Compute scores of texts in one script, (texts, labels of the script).

        Shapes: sums (texts, labels or more); lengths (texts,), letters; features (texts,), numbers of features. With
        `prior` the prior and `close_bias` count.
        """
        length = np.minimum(lengths, LENGTHS[-1])
        root = np.sqrt(features).astype(np.float32)
        factor = self.inverse_temperature[script, length]
        return calibration.compute_linear(
            sums,
            scale=factor * np.float32(self.step) / np.maximum(root, 1),
            base_scale=factor * root,
            bias_scale=factor,
            prior_scale=self.prior_exponent[length] * np.float32(prior),
            base=self.base[labels],
            bias=(self.bias + self.close_bias * np.float32(prior))[labels],
            prior=self.prior[labels],
        )

    def fill_probabilities(
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
        """Fill in probabilities: the softmax of scores and prior over the labels of each script, minus doubt.

        Shapes: lengths (texts,), letters, without which probabilities are 0; offsets (texts + 1,) of the features; to
        (texts,), the row of `answer` (rows, labels) of each text. All labels of a script share `outliers` of the
        probability equally. `lm_sums` are those of the character language model. Return the number of texts in one of
        the scripts; rows of other texts do not change. Raise a KernelError if the shapes differ, or a number is out of
        range.
        """
        answered: int = _kernels.scores_probabilities(
            sums=sums.flat,
            order=sums.order,
            counts=sums.counts,
            columns=weights.list_columns(),
            offsets=offsets,
            lengths=lengths,
            inverse_temperature=self.inverse_temperature,
            prior_exponent=self.prior_exponent,
            step=self.step,
            base=self.base,
            bias=self.bias + self.close_bias,
            prior=self.prior,
            outliers=outliers,
            unknown=doubt.COEFFICIENTS,
            max_unknown=doubt.MAX_UNKNOWN,
            to=to,
            answer=answer,
            **_make_lm_arguments(char_lm, lm_sums),
        )
        return answered

    def fill_mixture(
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
        """Fill in probabilities of texts of several windows, by the mixture model of `text.windows`.

        `sums` are those of windows; the windows of a text are in one script. Shapes: features (windows + 1,), window w
        has `features[w + 1] - features[w]`; lengths (windows,), letters; offsets (texts + 1,), text t has the windows
        `offsets[t] : offsets[t + 1]`; prior (labels,), logs. `foreign` is the number of English, -1 without it.
        `outliers`, `to` and `answer` are as in `fill_probabilities`; labels of other scripts do not change.

        Return the probability of the best label of each text before doubt, (texts,); 0 if no window is in a script.
        Raise a KernelError if the shapes differ, or a number is out of range.
        """
        columns, confidence = weights.list_columns(), np.empty(len(to), dtype=np.float32)
        cells = int(np.diff(offsets).max(initial=0)) * int(columns[:, 1].max())
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
            uniform=outliers,
            unknown=doubt.COEFFICIENTS,
            max_unknown=doubt.MAX_UNKNOWN,
            to=to,
            answer=answer,
            scores=np.empty(max(0, 2 * cells), dtype=np.float32),
            confidence=confidence,
        )
        return confidence

    def find_best(
        self,
        sums: Sums,
        weights: ScriptWeights,
        *,
        features: NDArray[np.int64],
        offsets: NDArray[np.int64],
        letters: NDArray[np.int64],
        to: NDArray[np.int64],
        answer: Floats,
    ) -> doubt.BestLabels:
        """Find the best label of each text, its fit and its margin, for texts of `doubt.FEWEST_LETTERS` or more.

        Arguments are as in `fill_mixture`, but `letters` (texts,) are those of each text. Raise a KernelError if the
        shapes differ, or a number is out of range.
        """
        texts = len(letters)
        best = doubt.BestLabels(
            np.empty(texts, dtype=np.int64), np.empty(texts, dtype=np.float32), np.empty(texts, dtype=np.float32)
        )
        _kernels.scores_best(
            sums=sums.flat,
            order=sums.order,
            counts=sums.counts,
            columns=weights.list_columns(),
            features=features,
            offsets=offsets,
            letters=letters,
            min_letters=doubt.FEWEST_LETTERS,
            base=self.base,
            step=self.step,
            to=to,
            answer=answer,
            best=best.label,
            fit=best.fit,
            margin=best.margin,
        )
        return best


def _make_lm_arguments(char_lm: CharLM | None, sums: CharLMSums | None) -> dict[str, Any]:
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
        "lm_words": sums.word_counts,
    }
