"""Answer long texts from windows of all their parts, combined by a mixture model (`text.windows`).

If the first few windows leave doubt, more and longer ones are read. If windows are nearly all digits or signs, the
words between them are read. The probability of a text whose windows support a small relative of its language is divided
between both (`relatives`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.content import relatives
from graphlang.content.nfc import doubt, rubbish
from graphlang.content.nfc.model_parts import BATCH
from graphlang.content.nfc.short_texts import find_repetitive
from graphlang.content.text import other_script, windows
from graphlang.content.text.normalise import Characters, sample
from graphlang.content.text.scripts import LATIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.nfc.model_parts import ModelParts
    from graphlang.content.nfc.short_texts import ShortTexts

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Scripts = NDArray[np.uint8]

#: Characters of windows in a batch. Smaller batches cost a seventh more; their sums leave the cache in any case.
_WINDOWS_BATCH = 1 << 18
_FIRST_LOOK = 4  # windows of a long text
_FIRST_SIZE = 42  # characters of each
_SECOND_LOOK = 14
_SECOND_SIZE = 60
_DOUBT = 0.97  # below this confidence, the second look
_PARTS = 16  # of a text that is read in parts
_WEIGHED = 4_000  # characters of a text whose words are weighed one by one
#: Odds of the other script in a long text, besides those of a short one: documentation has whole sections in English.
_OTHER_ODDS = 9.0
_LATIN_OF_LONG = 1.5  # with more Latin letters to one of another script, a long text may be in Latin letters
_LOW = 0.3  # a text whose best language has less is read in parts
_SURE_PART = 0.8  # probability of a part that counts as sure
_FEWEST_SURE = 3  # sure parts in one language that make an answer
_LEAST_SURE = 0.25  # and their share of all parts
_OUTLIERS = 0.005  # rate of long texts whose letters mislead
_RELATIVE_SIZE = 40  # characters of a part that is compared with relatives
#: Characters of a text that is compared with relatives of its language: of fewer parts nothing follows.
_COMPARED: Final = (relatives.LEAST_UNITS - 1) * _RELATIVE_SIZE


class LongTexts:
    """Answer long texts; `short` answers their parts."""

    def __init__(self, parts: ModelParts, open_set: doubt.OpenSet, short: ShortTexts, bounds: relatives.Bounds) -> None:
        self._parts, self._open_set, self._short, self._bounds = parts, open_set, short, bounds
        self._prior = parts.before + parts.scores.close_bias

    def answer(self, texts: Sequence[str], rows: Ints, answer: Floats, *, pages: bool) -> None:
        """Fill in the probabilities of the long ones among texts, which have no padding (`windows.trim`).

        `rows` are the long texts, and their rows in `answer` (texts, labels), which are 0. `pages` is as in
        `ShortTexts.answer`.
        """
        scripts, second = windows.detect_scripts([texts[i] for i in rows.tolist()])
        in_model = self._parts.knows(scripts)
        scripts = np.where(in_model, scripts, second)
        order = np.argsort(scripts, kind="stable")  # weights of one script stay in the cache
        order = order[self._parts.knows(scripts[order])]
        self._answer(texts, rows[order], scripts[order], answer, pages=pages)
        mixed = np.flatnonzero(in_model & (second > 0))
        batch = max(1, _WINDOWS_BATCH // (_FIRST_LOOK * _FIRST_SIZE))
        for begin in range(0, len(mixed), batch):
            places = mixed[begin : begin + batch]
            self._weigh_scripts(texts, rows[places], scripts[places], answer, pages=pages)
        doubtful = rows[answer[rows].max(axis=1) < _LOW]
        if len(doubtful):
            self._answer_by_parts(texts, doubtful, answer)
        if self._bounds:
            sizes = np.fromiter((len(texts[i]) for i in rows.tolist()), dtype=np.int64, count=len(rows))
            self._compare_relatives(texts, rows[sizes > _COMPARED], answer)

    def _weigh_scripts(
        self, texts: Sequence[str], rows: Ints, scripts: Scripts, answer: Floats, *, pages: bool
    ) -> None:
        """Weigh answers of texts with more Latin letters than others against answers of their Latin part, in place."""
        mixed = [texts[i] for i in rows.tolist()]
        latin = np.zeros((len(rows), answer.shape[1]), dtype=np.float32)
        self._answer(mixed, np.arange(len(rows)), np.full(len(rows), LATIN, dtype=np.uint8), latin, pages=pages)
        for row, text, script, in_latin in zip(rows.tolist(), mixed, scripts.tolist(), latin, strict=True):
            if in_latin.any():
                share = 1.0
                if answer[row].any():
                    other_words = other_script.find_other_words(sample(text, _WEIGHED, parts=_PARTS), script)
                    if other_words.latin < _LATIN_OF_LONG * other_words.weight:
                        continue
                    share = other_script.estimate_latin(other_words, in_latin, self._parts.foreign)
                    share /= share + (1 - share) * _OTHER_ODDS
                answer[row] = np.float32(share) * in_latin + np.float32(1 - share) * answer[row]

    def _answer_by_parts(self, texts: Sequence[str], rows: Ints, answer: Floats) -> None:
        """Answer texts in which no language was likely from those of their parts that are sure.

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

    def _compare_relatives(self, texts: Sequence[str], rows: Ints, answer: Floats) -> None:
        """Divide the probability of the best language between it and a small relative, in place.

        The division is gradual: near the bound a few letters would otherwise turn the answer.
        """
        doubtful = rows[relatives.find_doubtful(answer if len(rows) == len(answer) else answer[rows], self._bounds)]
        batch = max(1, BATCH // (_PARTS * _RELATIVE_SIZE))
        for begin in range(0, len(doubtful), batch):
            group = doubtful[begin : begin + batch]
            parts, offsets = windows.cut([texts[i] for i in group.tolist()], _PARTS, _RELATIVE_SIZE)
            chances = np.empty((len(parts), answer.shape[1]), dtype=np.float32)
            self._short.answer(parts, np.arange(len(parts)), chances)
            best = answer[group].argmax(axis=1)
            relative, share = relatives.find_smaller(chances, offsets, best, self._bounds)
            near = np.flatnonzero(relative != best)
            row, great, small = group[near], best[near], relative[near]
            both = answer[row, great] + answer[row, small]
            answer[row, great], answer[row, small] = both * (1 - share[near]), both * share[near]

    def _answer(self, texts: Sequence[str], rows: Ints, scripts: Scripts, answer: Floats, *, pages: bool) -> None:
        """Fill in the probabilities of the texts in `rows`, each in one script that the model knows."""
        batch = max(1, _WINDOWS_BATCH // (_FIRST_LOOK * _FIRST_SIZE))
        unsure = [np.zeros(0, dtype=np.int64)]
        for begin in range(0, len(rows), batch):
            places, script = rows[begin : begin + batch], scripts[begin : begin + batch]
            letters, sure = self._answer_from_windows(
                [texts[i] for i in places.tolist()], places, script, _FIRST_LOOK, answer, pages=pages
            )
            is_sparse = letters < _FIRST_LOOK * _FIRST_SIZE * windows.FEW
            if is_sparse.any():
                self._answer_words(texts, places[is_sparse], script[is_sparse], answer, pages=pages)
            unsure.append(begin + np.flatnonzero(~is_sparse & (sure < _DOUBT)))
        batch = max(1, batch * _FIRST_LOOK // _SECOND_LOOK)
        again = np.concatenate(unsure)
        for begin in range(0, len(again), batch):
            places = rows[again[begin : begin + batch]]
            script = scripts[again[begin : begin + batch]]
            self._answer_from_windows(
                [texts[i] for i in places.tolist()], places, script, _SECOND_LOOK, answer, pages=pages
            )

    def _answer_words(self, texts: Sequence[str], rows: Ints, scripts: Scripts, answer: Floats, *, pages: bool) -> None:
        """Answer texts whose windows have few letters of their script from all words in it."""
        pairs = zip(rows.tolist(), scripts.tolist(), strict=True)
        text_words = [windows.extract_words(texts[i], script) for i, script in pairs]
        short = np.array([len(text) <= self._parts.limit for text in text_words], dtype=np.bool_)
        if short.any():
            self._short.answer(
                [text_words[i] for i in np.flatnonzero(short).tolist()], rows[short], answer, pages=pages
            )
        long = np.flatnonzero(~short)
        answer[rows[long]] = 0  # the first look may have been at another script
        scripts, _ = windows.detect_scripts([text_words[i] for i in long.tolist()])
        in_model = self._parts.knows(scripts)
        long, scripts = long[in_model], scripts[in_model]
        if len(long):
            self._answer_from_windows(
                [text_words[i] for i in long.tolist()], rows[long], scripts, _SECOND_LOOK, answer, pages=pages
            )

    def _answer_from_windows(
        self, texts: list[str], rows: Ints, scripts: Scripts, number: int, answer: Floats, *, pages: bool
    ) -> tuple[Ints, Floats]:
        """Fill in probabilities from a number of windows of each text, in its script.

        Return letters and spaces of each text's windows, and the probability of its best language, doubt included,
        (texts,) each.
        """
        model = self._parts
        size = min(model.limit, _FIRST_SIZE if number == _FIRST_LOOK else _SECOND_SIZE)
        parts, offsets = windows.cut(texts, number, size)
        batch = model.sum_weights(parts, np.repeat(scripts, np.diff(offsets)), lm=False)
        letters = np.add.reduceat(batch.letters.lengths, offsets[:-1])
        sure = model.scores.fill_mixture(
            batch.sums,
            model.weights,
            features=batch.offsets,
            lengths=batch.letters.lengths,
            offsets=offsets,
            prior=self._prior,
            foreign=model.foreign,
            outliers=_OUTLIERS,
            to=rows,
            answer=answer,
        )
        if self._open_set.applies:
            best = model.scores.find_best(
                batch.sums,
                model.weights,
                features=batch.offsets,
                offsets=offsets,
                letters=letters,
                to=rows,
                answer=answer,
            )
            sure *= 1 - self._open_set.discount(best, batch, offsets, lengths=letters, to=rows, answer=answer)
        latin = scripts == LATIN
        if latin.any():
            begins, ends = parts.begins[offsets[:-1][latin]], parts.ends[offsets[1:][latin] - 1]
            rubbish.doubt_rubbish(answer, rows[latin], Characters(parts.symbols, begins, ends), pages=pages)
        repetitive = find_repetitive(parts, offsets)
        if len(repetitive):
            joined = [" ".join(parts.texts(slice(*offsets[i : i + 2]))) for i in repetitive.tolist()]
            self._short.answer_repetitive(joined, rows[repetitive], answer, pages=pages)
        return letters, sure
