"""Answers of texts of one window: probabilities from all that they hold, and what else is known of short texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.content.discriminative import stranger, unknown
from graphlang.content.text import other_script, repeats, windows
from graphlang.content.text.normalise import Characters, characters, sample
from graphlang.content.text.scripts import LATIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.discriminative.doubts import Doubts
    from graphlang.content.discriminative.trained import Trained

#: Rate of texts that nobody would take for what they are: names, quotations (on development lines).
OUTLIERS: Final = 0.008


class ShortTexts:
    """Answers short texts.

    Args:
        trained: The model.
        doubts: Of the model.
    """

    def __init__(self, trained: Trained, doubts: Doubts) -> None:
        self._trained, self._doubts = trained, doubts

    def answer(
        self,
        texts: Sequence[str] | Characters,
        to: NDArray[np.int64],
        answer: NDArray[np.float32],
        *,
        others: bool = True,
    ) -> None:
        """Fill in the answers for texts of one window.

        Args:
            texts: None longer than the model's limit.
            to: Row of `answer` of each, (texts,).
            answer: Where the probabilities go.
            others: Whether words in another script count in Latin texts.
        """
        trained = self._trained
        given = texts if isinstance(texts, Characters) else characters(texts)
        summed = trained.sums(given)
        letters, sums = summed.letters, summed.sums
        known = trained.scores.probabilities(
            sums,
            trained.weights,
            lengths=letters.lengths,
            offsets=summed.offsets,
            outliers=OUTLIERS,
            to=to,
            answer=answer,
            char_lm=trained.char_lm,
            lm_sums=summed.lm,
        )
        answer[to[sums.order[known:]]] = 0  # no letters, or a script that no language here is written in
        if self._doubts.asks and letters.lengths.max(initial=0) >= stranger.FEWEST:
            every = np.arange(len(to) + 1)
            best = trained.scores.best(
                sums,
                trained.weights,
                features=summed.offsets,
                offsets=every,
                letters=letters.lengths,
                to=to,
                answer=answer,
            )
            self._doubts.of_strangers(best, summed, every, lengths=letters.lengths, to=to, answer=answer)
        self._doubts.of_relatives(trained.script[letters.scripts], to, answer)
        unknown.doubt_rubbish(answer, to, given, letters.scripts == LATIN)
        if trained.foreign >= 0:
            windows.share_with_hosts(answer, to, letters.lengths, trained.foreign, trained.hosts)
        if others and letters.beside.any():
            self._share_with_others(given, letters.beside, to, answer)
        some = repeats.suspects(given)
        if len(some):
            self.answer_repeated(given.texts(some), to[some], answer)

    def _share_with_others(
        self, given: Characters, scripts: NDArray[np.uint8], to: NDArray[np.int64], answer: NDArray[np.float32]
    ) -> None:
        """Give a part of the answers of Latin texts to languages in whose script they have words (`other_script`).

        Args:
            given: The texts.
            scripts: Beside Latin, of each; 0 where there is none, (texts,).
            to: Row of `answer` of each, (texts,).
            answer: Where the probabilities are.
        """
        rows = np.flatnonzero((scripts > 0) & self._trained.knows(scripts))
        rows = rows[answer[to[rows]].any(axis=1)]
        own = zip(to[rows].tolist(), given.texts(rows), scripts[rows].tolist(), strict=True)
        found = {row: words for row, text, script in own if (words := other_script.other_words(text, script))}
        if not found:
            return
        others = np.empty((len(found), answer.shape[1]), dtype=np.float32)
        self.answer([words.text for words in found.values()], np.arange(len(found)), others, others=False)
        for (row, words), other in zip(found.items(), others, strict=True):
            if other.any():
                part = np.float32(other_script.part_of_other(words, answer[row], self._trained.foreign))
                answer[row] += part * (other - answer[row])

    def answer_repeated(self, texts: Sequence[str], to: NDArray[np.int64], answer: NDArray[np.float32]) -> None:
        """Fill in anew the answers for those of the texts that are a few words said again and again, read once each.

        Args:
            texts: Any.
            to: Row of `answer` of each, (texts,).
            answer: Where the probabilities go.
        """
        words = {row: own for row, text in zip(to.tolist(), texts, strict=True) if (own := repeats.once(text))}
        if words:
            some = [sample(own, self._trained.limit) for own in words.values()]
            self.answer(some, np.fromiter(words, dtype=np.int64), answer)
