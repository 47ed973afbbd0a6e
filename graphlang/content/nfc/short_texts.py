"""Answer texts of one window: probabilities, doubt, a second script, and repeated words.

A text that repeats few words ("ok ok ok ok") is read as if each word occurred once. Each repetition would add to the
score of a language like another word of it, and make a guess certain. Drawn-out letters ("goooool") and syllables of
laughter ("hahahaha") are read once too: no training text has them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.content.native import letters as _letters
from graphlang.content.nfc import doubt, rubbish
from graphlang.content.text import other_script, windows
from graphlang.content.text.normalise import Characters, join_texts, sample
from graphlang.content.text.scripts import LATIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.nfc.model_parts import ModelParts
    from graphlang.content.text.normalise import Letters

#: Rate of texts whose letters mislead: names, quotations (chosen on development lines).
OUTLIERS: Final = 0.008
TIMES: Final = 3  #: mean occurrences of each word in a repetitive text
#: Letters and pairs of letters three times or more in a row, and words of one letter twice. A letter may follow the
#: last pair.
_DRAWN_LETTER: Final = re.compile(r"([^\W\d_])\1{2,}|\b([^\W\d_])\2\b", re.IGNORECASE)
_DRAWN_PAIR: Final = re.compile(r"([^\W\d_]{2})\1{2,}[^\W\d_]?", re.IGNORECASE)
_GAP: Final = re.compile("[\0-/:-@\xa0]+")


class ShortTexts:
    """Answer short texts."""

    def __init__(self, parts: ModelParts, open_set: doubt.OpenSet) -> None:
        self._parts, self._open_set = parts, open_set

    def answer(
        self,
        texts: Sequence[str] | Characters,
        to: NDArray[np.int64],
        answer: NDArray[np.float32],
        *,
        scripts: NDArray[np.uint8] | None = None,
        second_script: bool = True,
        pages: bool = False,
    ) -> None:
        """Fill in the probabilities of texts of one window, none longer than the limit of the model.

        `to` (texts,) is the row of `answer` (rows, labels) of each text. Only letters of one of the `scripts` (texts,)
        are read (`scripts.registry`); 0 and None mean the text's main script. With `second_script` a second script is
        weighed. `pages` may quote English (`windows.share_with_hosts`).
        """
        parts = self._parts
        batch = texts if isinstance(texts, Characters) else join_texts(texts)
        signs = rubbish.count_signs(batch)
        if signs.drawn.any():
            batch = shorten_drawn(batch, np.flatnonzero(signs.drawn))
            signs = rubbish.count_signs(batch)
        summed = parts.sum_weights(batch, scripts)
        letters, sums = summed.letters, summed.sums
        answered = parts.scores.fill_probabilities(
            sums,
            parts.weights,
            lengths=letters.lengths,
            offsets=summed.offsets,
            outliers=OUTLIERS,
            to=to,
            answer=answer,
            char_lm=parts.char_lm,
            lm_sums=summed.lm,
        )
        answer[to[sums.order[answered:]]] = 0  # no letters, or a script without labels
        if self._open_set.applies and letters.lengths.max(initial=0) >= doubt.FEWEST_LETTERS:
            offsets = np.arange(len(to) + 1)
            best = parts.scores.find_best(
                sums,
                parts.weights,
                features=summed.offsets,
                offsets=offsets,
                letters=letters.lengths,
                to=to,
                answer=answer,
            )
            self._open_set.discount(best, summed, offsets, lengths=letters.lengths, to=to, answer=answer)
        rubbish.doubt_rubbish(answer, to, batch, letters.scripts == LATIN, signs, pages=pages)
        mixed = second_script and letters.second_scripts.any()
        lengths = self._weigh_scripts(batch, letters, to, answer) if mixed else letters.lengths
        if pages and parts.foreign >= 0:
            windows.share_with_hosts(answer, to, lengths, parts.foreign, parts.hosts)
        repetitive = find_repetitive(batch)
        if scripts is not None:
            repetitive = repetitive[scripts[repetitive] == 0]
        if len(repetitive):
            self.answer_repetitive(batch.texts(repetitive), to[repetitive], answer, pages=pages)

    def _weigh_scripts(
        self, batch: Characters, letters: Letters, to: NDArray[np.int64], answer: NDArray[np.float32]
    ) -> NDArray[np.int64]:
        """Weigh the Latin and the other part of texts in two scripts (`other_script`), in place.

        `letters` are those in the script that was answered, `to` (texts,) is the row of `answer` (rows, labels). Return
        the letters of each text in the likelier script, (texts,).
        """
        latin, lengths = letters.scripts == LATIN, letters.lengths.copy()
        rows = np.flatnonzero(letters.second_scripts)
        rows = rows[self._parts.knows(letters.second_scripts[rows]) & (answer[to[rows]].any(axis=1) | ~latin[rows])]
        texts = batch.texts(rows)
        scripts = np.where(latin, letters.second_scripts, letters.scripts)[rows].tolist()
        other_words = [other_script.find_other_words(text, script) for text, script in zip(texts, scripts, strict=True)]
        is_latin = latin[rows]
        again = np.flatnonzero(np.array([bool(other.text) for other in other_words], dtype=np.bool_) | ~is_latin)
        second = np.zeros((len(rows), answer.shape[1]), dtype=np.float32)
        if len(again):
            parts = [other_words[place].text if is_latin[place] else texts[place] for place in again.tolist()]
            scripts_read = np.where(is_latin[again], 0, LATIN).astype(np.uint8)
            self.answer(parts, again, second, scripts=scripts_read, second_script=False)
        for place, row in enumerate(rows.tolist()):
            if not second[place].any():
                continue
            first = answer[to[row]]
            in_latin, in_other = (first, second[place]) if is_latin[place] else (second[place], first)
            share = other_script.estimate_latin(other_words[place], in_latin, self._parts.foreign)
            if is_latin[place]:
                share = max(share, 1 - other_script.MOST)
            elif not in_other.any():
                share = 1.0  # no label is written in that script
            answer[to[row]] = np.float32(share) * in_latin + np.float32(1 - share) * in_other
            if not is_latin[place] and 2 * share > 1:
                lengths[row] = other_words[place].latin
        return lengths

    def answer_repetitive(
        self, texts: Sequence[str], to: NDArray[np.int64], answer: NDArray[np.float32], *, pages: bool
    ) -> None:
        """Answer the candidates (`find_repetitive`) that repeat a few words again, with each word once.

        `to`, `answer` and `pages` are as for `answer`.
        """
        rows = {row: short for row, text in zip(to.tolist(), texts, strict=True) if (short := drop_repetitions(text))}
        if rows:
            samples = [sample(short, self._parts.limit) for short in rows.values()]
            self.answer(samples, np.fromiter(rows, dtype=np.int64), answer, pages=pages)


def shorten_drawn(texts: Characters, rows: NDArray[np.int64]) -> Characters:
    """Shorten drawn-out letters and repeated pairs of letters to one, in the texts of some rows.

    >>> shorten_drawn(join_texts(["Goooool!", "jaaa jajaja", "aaa"]), np.array([0, 1])).texts()
    ['Gol!', 'ja ja', 'aaa']
    """
    shorter = join_texts([_DRAWN_PAIR.sub(r"\1", _DRAWN_LETTER.sub(r"\1\2", text)) for text in texts.texts(rows)])
    return texts.replace(rows, shorter)


def find_repetitive(texts: Characters, offsets: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Find candidates that may repeat a few words; `drop_repetitions` decides.

    The first word is one of the next two, and there are `TIMES` as many words as different ones in ASCII. With
    `offsets` (texts + 1,) `texts` are windows, and text t has the windows `offsets[t]` up to `offsets[t + 1]`.

    >>> texts = ["ok ok ok", "Ha, ha! Ha", "ok ok", "one two", "so be so be so be", "là là"]
    >>> find_repetitive(join_texts(texts)).tolist()
    [0, 1, 4, 5]
    """
    if offsets is None:
        offsets = np.arange(len(texts) + 1, dtype=np.int64)
    repetitive = np.empty(len(offsets) - 1, dtype=np.uint8)
    _letters.letters_repeats(
        symbols=texts.symbols, begins=texts.begins, ends=texts.ends, offsets=offsets, times=TIMES, repetitive=repetitive
    )
    return np.flatnonzero(repetitive)


def drop_repetitions(text: str) -> str | None:
    """Reduce a repetitive text to its words, each once; None if they occur fewer than `TIMES` times on average.

    >>> [drop_repetitions(text) for text in ("Ok, ok ok.", "home page home page home page", "bye bye", "...")]
    ['ok', 'home page', None, None]
    """
    sequence = [word for word in _GAP.split(text.lower()) if word]  # white space and punctuation of ASCII
    distinct = dict.fromkeys(sequence)
    return " ".join(distinct) if distinct and len(sequence) >= TIMES * len(distinct) else None
