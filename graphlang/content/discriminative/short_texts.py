"""Answers of texts of one window: probabilities from all that they hold, and what else is known of short texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

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
    from graphlang.content.text.normalise import Letters

    #: Those of every language, those of languages in Latin letters, as English is written in, or no pages.
    Hosts = Literal["all", "script", "none"]

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
        in_script = trained.weights.script_of(np.arange(len(trained.labels)))
        #: How languages share what pages quote in English: all of them, or those in Latin letters alone.
        self._hosts = {
            "all": trained.hosts,
            "script": np.where(in_script == in_script[trained.foreign], trained.hosts, np.float32(0)),
        }

    def answer(
        self,
        texts: Sequence[str] | Characters,
        to: NDArray[np.int64],
        answer: NDArray[np.float32],
        *,
        scripts: NDArray[np.uint8] | None = None,
        others: bool = True,
        hosts: Hosts = "all",
    ) -> None:
        """Fill in the answers for texts of one window.

        Args:
            texts: None longer than the model's limit.
            to: Row of `answer` of each, (texts,).
            answer: Where the probabilities go.
            scripts: Whose letters are read of each text, numbers of `scripts.registry`, (texts,); where that is 0, or
                not given, those of the text's own script.
            others: Whether a second script of a text counts.
            hosts: Which languages' pages may quote an English text (`windows.share_with_hosts`).
        """
        trained = self._trained
        given = texts if isinstance(texts, Characters) else characters(texts)
        summed = trained.sums(given, scripts)
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
        weighed = others and letters.beside.any()
        lengths = self._weigh_scripts(given, letters, to, answer) if weighed else letters.lengths
        if hosts != "none" and trained.foreign >= 0:
            windows.share_with_hosts(answer, to, lengths, trained.foreign, self._hosts[hosts])
        some = repeats.suspects(given)
        if scripts is not None:
            some = some[scripts[some] == 0]
        if len(some):
            self.answer_repeated(given.texts(some), to[some], answer)

    def _weigh_scripts(
        self, given: Characters, letters: Letters, to: NDArray[np.int64], answer: NDArray[np.float32]
    ) -> NDArray[np.int64]:
        """Weigh the answers of texts in Latin letters and another script against each other (`other_script`), in place.

        Args:
            given: The texts.
            letters: Of these, each in the script that it was answered in.
            to: Row of `answer` of each, (texts,).
            answer: Where the probabilities are.

        Returns:
            Letters of each text in the likelier script, (texts,).
        """
        latin, lengths = letters.scripts == LATIN, letters.lengths.copy()
        rows = np.flatnonzero(letters.beside)
        known = self._trained.knows(letters.beside[rows]) & (answer[to[rows]].any(axis=1) | ~latin[rows])
        rows = rows[known]
        some = given.texts(rows)
        scripts = np.where(latin, letters.beside, letters.scripts)[rows].tolist()
        words = [other_script.other_words(text, script) for text, script in zip(some, scripts, strict=True)]
        own = latin[rows]
        asked = np.flatnonzero(np.array([bool(its.text) for its in words], dtype=np.bool_) | ~own)
        beside = np.zeros((len(rows), answer.shape[1]), dtype=np.float32)
        if len(asked):
            texts = [words[place].text if own[place] else some[place] for place in asked.tolist()]
            wanted = np.where(own[asked], 0, LATIN).astype(np.uint8)
            self.answer(texts, asked, beside, scripts=wanted, others=False, hosts="none")
        for place, row in enumerate(rows.tolist()):
            of_text = answer[to[row]]
            if not beside[place].any():
                continue
            first, second = (of_text, beside[place]) if own[place] else (beside[place], of_text)
            part = other_script.part_of_latin(words[place], first, self._trained.foreign)
            if own[place]:
                part = max(part, 1 - other_script.MOST)
            elif not second.any():
                part = 1.0  # no label is written in that script
            answer[to[row]] = np.float32(part) * first + np.float32(1 - part) * second
            if not own[place] and 2 * part > 1:
                lengths[row] = words[place].latin
        return lengths

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
