"""Answers of long texts: windows from all their parts, as a mixture (`text.windows`); more where the first leave doubt.

A page in doubt is read again, by more and longer windows; one whose windows are nearly all digits or signs by the words
that there are.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.discriminative import unknown
from graphlang.content.text import other_script, repeats, windows
from graphlang.content.text.normalise import Characters, sample
from graphlang.content.text.scripts import LATIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.discriminative.doubts import Doubts
    from graphlang.content.discriminative.short_texts import ShortTexts
    from graphlang.content.discriminative.trained import Trained

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Scripts = NDArray[np.uint8]

#: Characters of windows that are worked on together. Of fewer what is done once for all of them costs a seventh more;
#: their sums leave the cache in any case.
_BATCH = 1 << 18
_FIRST_LOOK = 4  # windows of a long text
_FIRST_SIZE = 42
_SECOND_LOOK = 14
_SECOND_SIZE = 60
_DOUBT = 0.97  # below this, the second look
_PARTS = 16  # of a text that is read in parts
_WEIGHED = 4_000  # characters of a text whose words are looked at one by one
#: Odds of the other script in a long text, beside those of a short one: documentation has whole sections in English.
_OTHER_ODDS = 6.0
_LATIN_OF_LONG = (
    1.5  # Latin letters to one of another script, from which on a long text may be in a language with these
)
_SURE_PART = 0.8  # probability with which a part is read surely
_FEWEST_SURE = 3  # parts that one language has of a text, for it to be an answer
_LEAST_SURE = 0.25  # and part of all of them
_OUTLIERS = 0.005  # rate of long texts that nobody would take for what they are


class LongTexts:
    """Answers long texts.

    Args:
        trained: The model.
        doubts: Of the model.
        short: What answers where few words are left of a text.
    """

    def __init__(self, trained: Trained, doubts: Doubts, short: ShortTexts) -> None:
        self._trained, self._doubts, self._short = trained, doubts, short
        # What is left of doubt after so many windows of a page is that of a short text; close languages count once.
        self._prior = trained.before + trained.scores.close_bias

    def answer(self, texts: Sequence[str], rows: Ints, answer: Floats) -> None:
        """Fill in the answers for those of the texts that are long.

        Args:
            texts: Any strings, without padding (`windows.trim`).
            rows: The long ones, and their rows in `answer`, which are 0.
            answer: Where the probabilities go, (texts, labels).
        """
        scripts, beside = windows.main_scripts([texts[i] for i in rows.tolist()])
        known = self._trained.knows(scripts)
        scripts = np.where(known, scripts, beside)
        order = np.argsort(scripts, kind="stable")  # what is needed for one script stays at hand
        order = order[self._trained.knows(scripts[order])]
        self._answer(texts, rows[order], scripts[order], answer)
        mixed = np.flatnonzero(known & (beside > 0))
        some = max(1, _BATCH // (_FIRST_LOOK * _FIRST_SIZE))
        for begin in range(0, len(mixed), some):
            places = mixed[begin : begin + some]
            self._weigh_scripts(texts, rows[places], scripts[places], answer)
        doubtful = rows[~answer[rows].any(axis=1)]
        if len(doubtful):
            self._by_parts(texts, doubtful, answer)

    def _weigh_scripts(self, texts: Sequence[str], rows: Ints, scripts: Scripts, answer: Floats) -> None:
        """Weigh the answers of texts that have more Latin letters than others against those of their Latin part."""
        some = [texts[i] for i in rows.tolist()]
        latin = np.zeros((len(rows), answer.shape[1]), dtype=np.float32)
        self._answer(some, np.arange(len(rows)), np.full(len(rows), LATIN, dtype=np.uint8), latin)
        for row, text, script, of_latin in zip(rows.tolist(), some, scripts.tolist(), latin, strict=True):
            if of_latin.any():
                part = 1.0
                if answer[row].any():
                    words = other_script.other_words(sample(text, _WEIGHED, parts=_PARTS), script)
                    if words.latin < _LATIN_OF_LONG * words.weight:
                        continue
                    part = other_script.part_of_latin(words, of_latin, self._trained.foreign)
                    part /= part + (1 - part) * _OTHER_ODDS
                answer[row] = np.float32(part) * of_latin + np.float32(1 - part) * answer[row]

    def _by_parts(self, texts: Sequence[str], rows: Ints, answer: Floats) -> None:
        """Fill in the answers for texts of which no language was certain enough, where parts of them are read surely.

        A text that is half in Finnish and half in English fits neither, and is in both.
        """
        parts, offsets = windows.cut([texts[i] for i in rows.tolist()], _PARTS, _SECOND_SIZE)
        chances = np.empty((len(parts), answer.shape[1]), dtype=np.float32)
        self._short.answer(parts, np.arange(len(parts)), chances)
        best = np.where(chances.max(axis=1) >= _SURE_PART, chances.argmax(axis=1), -1)
        for row, (begin, end) in zip(rows.tolist(), pairwise(offsets.tolist()), strict=True):
            sure = best[begin:end]
            number = np.bincount(sure[sure >= 0]).max(initial=0)
            if number >= max(_FEWEST_SURE, _LEAST_SURE * (end - begin)):
                answer[row] = chances[begin:end].sum(axis=0) / chances[begin:end].sum()

    def _answer(self, texts: Sequence[str], rows: Ints, scripts: Scripts, answer: Floats) -> None:
        """Fill in the answers for those of the texts that are long, each in one script that the model knows.

        Args:
            texts: Any strings.
            rows: The long ones, and their rows in `answer`.
            scripts: Of each of these, (rows,).
            answer: Where the probabilities go, (texts, labels).
        """
        some = max(1, _BATCH // (_FIRST_LOOK * _FIRST_SIZE))
        unsure = [np.zeros(0, dtype=np.int64)]
        for begin in range(0, len(rows), some):
            mine, own = rows[begin : begin + some], scripts[begin : begin + some]
            letters, sure = self._look([texts[i] for i in mine.tolist()], mine, own, _FIRST_LOOK, answer)
            few = letters < _FIRST_LOOK * _FIRST_SIZE * windows.FEW
            if few.any():
                self._words(texts, mine[few], own[few], answer)
            unsure.append(begin + np.flatnonzero(~few & (sure < _DOUBT)))
        some = max(1, some * _FIRST_LOOK // _SECOND_LOOK)
        again = np.concatenate(unsure)
        for begin in range(0, len(again), some):
            places = again[begin : begin + some]
            mine = rows[places]
            self._look([texts[i] for i in mine.tolist()], mine, scripts[places], _SECOND_LOOK, answer)

    def _words(self, texts: Sequence[str], rows: Ints, scripts: Scripts, answer: Floats) -> None:
        """Fill in the answers for texts whose windows have few letters of their script: from all that there are."""
        own = zip(rows.tolist(), scripts.tolist(), strict=True)
        words = [windows.letters_of(texts[i], script) for i, script in own]
        short = np.array([len(text) <= self._trained.limit for text in words], dtype=np.bool_)
        if short.any():
            self._short.answer([words[i] for i in np.flatnonzero(short).tolist()], rows[short], answer)
        long = np.flatnonzero(~short)
        answer[rows[long]] = 0  # what was looked at first may have been in another script
        scripts, _ = windows.main_scripts([words[i] for i in long.tolist()])
        known = self._trained.knows(scripts)
        long, scripts = long[known], scripts[known]
        if len(long):
            self._look([words[i] for i in long.tolist()], rows[long], scripts, _SECOND_LOOK, answer)

    def _look(self, texts: list[str], rows: Ints, scripts: Scripts, number: int, answer: Floats) -> tuple[Ints, Floats]:
        """Fill in the answers from so many windows of each text, in its script.

        Returns:
            How many letters (and spaces) each text's windows have, and how probable it is that the text is in a
            language that the model knows, and in the best of these, (texts,) each.
        """
        trained = self._trained
        size = min(trained.limit, _FIRST_SIZE if number == _FIRST_LOOK else _SECOND_SIZE)
        parts, offsets = windows.cut(texts, number, size)
        summed = trained.sums(parts, np.repeat(scripts, np.diff(offsets)), lm=False)
        letters = np.add.reduceat(summed.letters.lengths, offsets[:-1])
        sure = trained.scores.mixture(
            summed.sums,
            trained.weights,
            features=summed.offsets,
            lengths=summed.letters.lengths,
            offsets=offsets,
            prior=self._prior,
            foreign=trained.foreign,
            outliers=_OUTLIERS,
            to=rows,
            answer=answer,
        )
        if self._doubts.asks:
            best = trained.scores.best(
                summed.sums,
                trained.weights,
                features=summed.offsets,
                offsets=offsets,
                letters=letters,
                to=rows,
                answer=answer,
            )
            sure *= 1 - self._doubts.of_strangers(best, summed, offsets, lengths=letters, to=rows, answer=answer)
        self._doubts.of_relatives(trained.script[scripts], rows, answer)
        latin = scripts == LATIN
        if latin.any():
            begins, ends = parts.begins[offsets[:-1][latin]], parts.ends[offsets[1:][latin] - 1]
            unknown.doubt_rubbish(answer, rows[latin], Characters(parts.symbols, begins, ends))
        some = repeats.suspects(parts, offsets)
        if len(some):
            whole = [" ".join(parts.texts(slice(*offsets[i : i + 2]))) for i in some.tolist()]
            self._short.answer_repeated(whole, rows[some], answer)
        return letters, sure
