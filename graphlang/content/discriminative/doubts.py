"""What may be in a language that the model does not know: doubt that is shared after a text has its answer.

Text that looks like a label with unknown relatives may be in one of these (`unknown.RELATIVES`), and text of whose
words few are its language's in none that is there (`stranger`). What is rubbish is told by its characters (`unknown`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.discriminative import stranger, unknown
from graphlang.content.text.normalise import Letters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.discriminative.trained import Trained

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

_WORDS_ONLY = 0  # letters of n-grams: none of them


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
        self.asks_words = trained.vocabulary.has_words  #: whether there are words to be asked
        self._relatives = [
            (number, column, own, unknown.RELATIVES[label])
            for number, own in enumerate(weights.labels)
            for column in range(*own.indices(len(trained.labels)))
            if (label := trained.labels[column]) in unknown.RELATIVES
        ]

    def of_strangers(
        self,
        best: stranger.Best,
        letters: Letters,
        offsets: Ints,
        *,
        found: Ints,
        lengths: Ints,
        to: Ints,
        answer: Floats,
    ) -> Floats:
        """Share what may be in a language that is not there (`stranger`), in place.

        Args:
            best: The best language of each text.
            letters: Windows of the texts.
            offsets: Text t has the windows `offsets[t] : offsets[t + 1]`.
            found: Features of each text, (texts,).
            lengths: Letters of each, (texts,).
            to: Row of `answer` of each, (texts,).
            answer: Probabilities.

        Returns:
            How probable it is that each text is in no language of the model; 0 where its words were not asked.
        """
        part = np.zeros(len(to), dtype=np.float32)
        asked = np.flatnonzero(best.label >= 0)
        if not len(asked):
            return part
        trained = self._trained
        scripts = trained.script[letters.scripts[offsets[asked]]].astype(np.int64)
        mine = stranger.Best(best.label[asked], best.fit[asked], best.margin[asked])
        about: dict[str, Any] = {
            "columns": self._columns,
            "base": trained.scores.base,
            "prior": trained.scores.prior,
            "answer": answer,
        }
        of_texts: dict[str, Any] = {
            "script": scripts,
            "letters": lengths[asked],
            "found": found[asked],
            "to": to[asked],
        }
        _, first = stranger.share(mine, words=None, **of_texts, **about)
        again = stranger.asks(first, lengths[asked])
        if again.any():
            mine = stranger.Best(mine.label[again], mine.fit[again], mine.margin[again])
            words = self._words(mine.label, scripts[again], letters, offsets, asked[again])
            of_texts = {name: own[again] for name, own in of_texts.items()}
            _, part[asked[again]] = stranger.share(mine, words=words, **of_texts, **about)
        return part

    def _words(self, label: Ints, scripts: Ints, letters: Letters, offsets: Ints, texts: Ints) -> stranger.Words:
        """What the words of some of the texts say (`stranger.share`)."""
        trained, number = self._trained, np.diff(offsets)
        wanted = np.zeros(len(number), dtype=np.bool_)
        wanted[texts] = True
        some, first = np.repeat(wanted, number), np.concatenate([[0], np.cumsum(number[texts])])
        features, of_windows = trained.vocabulary.find(
            Letters(letters.symbols, letters.starts[some], letters.lengths[some], letters.margin), only=_WORDS_ONLY
        )
        words, own, most = trained.weights.regret(
            features, of_windows[first], scripts, label, columns=self._columns, base=self._in_steps
        )
        step = np.float32(trained.scores.step)
        return words, own * step, most * step

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
