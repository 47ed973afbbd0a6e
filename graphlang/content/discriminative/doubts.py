"""What may be in a language that the model does not know: doubt that is shared after a text has its answer.

Text that looks like a label with unknown relatives may be in one of these (`unknown.RELATIVES`), and text of whose
n-grams and words few are its language's, or that is written as this one hardly is, in none that is there (`stranger`).
What is rubbish is told by its characters (`unknown`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.discriminative import stranger, unknown
from graphlang.content.discriminative.sparse_weights import Regret
from graphlang.content.text.normalise import Letters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.discriminative.char_lm import CharLM
    from graphlang.content.discriminative.trained import Summed, Trained

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]


class Doubts:
    """Doubts of one model.

    Args:
        trained: The model.
    """

    def __init__(self, trained: Trained) -> None:
        self._trained = trained
        weights, scores = trained.weights, trained.scores
        self._columns = weights.columns()
        self._in_steps = scores.base / scores.step
        #: Whether there are words and n-grams to be asked.
        self.asks = trained.vocabulary.has_words and set(stranger.ORDERS).issubset(trained.vocabulary.orders)
        self._kinds = stranger.kinds(trained.vocabulary.sizes)
        self._greatest = np.zeros(len(self._kinds), dtype=np.int32)  # filled in by whoever asks
        lm = trained.char_lm
        self._usual = np.zeros(0, np.float32) if lm is None else stranger.usual(trained.labels, lm.letter)
        #: Whose likelihood is asked: that of which is known what is usual.
        self._lm = lm if np.isfinite(self._usual).any() else None
        self._relatives = [
            (number, column, own, unknown.RELATIVES[label])
            for number, own in enumerate(weights.labels)
            for column in range(*own.indices(len(trained.labels)))
            if (label := trained.labels[column]) in unknown.RELATIVES
        ]

    def of_strangers(
        self,
        best: stranger.Best,
        summed: Summed,
        offsets: Ints,
        *,
        lengths: Ints,
        to: Ints,
        answer: Floats,
    ) -> Floats:
        """Share what may be in a language that is not there (`stranger`), in place.

        Args:
            best: The best language of each text.
            summed: Windows of the texts.
            offsets: Text t has the windows `offsets[t] : offsets[t + 1]`, one at least.
            lengths: Letters of each, (texts,).
            to: Row of `answer` of each, (texts,).
            answer: Probabilities.

        Returns:
            How probable it is that each text is in no language of the model; 0 where its n-grams were not asked.
        """
        part = np.zeros(len(to), dtype=np.float32)
        if not (best.label >= 0).any():
            return part
        trained = self._trained
        ends = summed.offsets[offsets]
        scripts = trained.script[summed.letters.scripts[offsets[:-1]]].astype(np.int64)
        about: dict[str, Any] = {
            "columns": self._columns,
            "base": trained.scores.base,
            "prior": trained.scores.prior,
            "answer": answer,
        }
        of_texts: dict[str, Any] = {"script": scripts, "letters": lengths, "found": np.diff(ends), "to": to}
        *_, again = stranger.share(best, ngrams=None, **of_texts, **about)
        if again.any():
            asked = np.where(again, best.label, -1)
            ngrams = trained.weights.regret(
                summed.features,
                ends,
                scripts,
                asked,
                columns=self._columns,
                base=self._in_steps,
                kinds=self._kinds,
                greatest=self._greatest,
            )
            step = np.float32(trained.scores.step)
            ngrams = Regret(ngrams.number, ngrams.own * step, ngrams.most * step, ngrams.has)
            best = best._replace(label=asked)
            _, part, again = stranger.share(best, ngrams=ngrams, more=self._lm is not None, **of_texts, **about)
            if self._lm is not None and again.any():
                some = np.flatnonzero(again)
                labels = self._columns[scripts[some], 0] + asked[some]
                likelihood = np.zeros(len(to), dtype=np.float32)
                likelihood[some] = self._likelihood(self._lm, summed.letters, offsets, some, labels)
                best = best._replace(label=np.where(again, asked, -1))
                _, last, _ = stranger.share(best, ngrams=ngrams, likelihood=likelihood, **of_texts, **about)
                part = np.where(again, last, part)
        return part

    def _likelihood(self, lm: CharLM, letters: Letters, offsets: Ints, some: Ints, labels: Ints) -> Floats:
        """The last sign (`stranger.SIGNS`) of some texts, each in its label, (some,)."""
        windows = np.diff(offsets)[some]
        ends = np.cumsum(windows)
        rows = np.repeat(offsets[some] + windows - ends, windows) + np.arange(ends[-1])
        lengths = letters.lengths[rows]
        mine = Letters(letters.symbols, letters.starts[rows], lengths, letters.margin)
        told = np.add.reduceat(lm.of_label(mine, np.repeat(labels, windows)), ends - windows)
        found: Floats = np.nan_to_num(told / np.add.reduceat(lengths, ends - windows) - self._usual[labels])
        return found.astype(np.float32)

    def of_relatives(self, scripts: NDArray[np.uint8], rows: Ints, answer: Floats) -> None:
        """Share what may be in relatives that the model does not know, in place.

        Args:
            scripts: Which of the model's scripts each text is in, (texts,).
            rows: Row of `answer` of each, (texts,).
            answer: Probabilities.
        """
        for script, column, own, share in self._relatives:
            mine = rows[scripts == script]
            if len(mine):
                unknown.doubt_relatives(answer, mine, column, own, share)
