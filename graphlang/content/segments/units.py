"""Cut a text into units of one language each: sentences and lines, parts of long ones, and runs of another script.

The language rarely changes within a sentence or line, unless the script does. So a unit ends with its sentence, line
or script, and longer ones are cut at spaces into parts of about equal length. A unit that begins a sentence, line or
script has a natural border before it.

Names and code in Latin letters in a sentence of another script are not a change of language: there a run of Latin is a
unit if it has the length of a clause (`RUNNING`). In a sentence that is mostly Latin, a run of another script is a unit
from `FEW` letters on.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.content.native import letters as _kernels
from graphlang.content.text.scripts import LATIN, registry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Characters

SIZE = 40  #: approximate characters of a unit
MOST = 2_000  #: maximum parts of a text; a longer text has longer parts
#: Maximum units of a text of short sentences or lines; more are joined. Each takes a row of probabilities: without a
#: limit, a list of half a million words takes 2 GB.
MOST_SHORT = 20_000
_ENDS = "\n.!?\u2026\u3002\uff01\uff1f\u061f\u0964\u0965\u104b\u1362"
_SENTENCE = re.compile(f"[^{_ENDS}]*[{_ENDS}]*\\s*")
RUNNING = 30  #: minimum Latin letters of a unit in a sentence of another script
FEW = 3  #: minimum letters of another script in a Latin sentence, weighted as in `scripts`
_OF_LATIN = "A-Za-z\xaa-\u02ff\u1e00-\u1eff"
_LATIN = re.compile(f"[{_OF_LATIN}]")
_OTHER = re.compile(f"[^\\W\\d_{_OF_LATIN}]")
_LETTERS = re.compile(f"([^\\W\\d_\u0370-\u1dff\u1f00-\U0010ffff]+)|[^\\W\\d_{_OF_LATIN}]+")
_WORD = 20  # characters to search for a space


class Unit(NamedTuple):
    """A part of a text."""

    begin: int  #: in characters
    end: int  #: begin of the next unit
    border: bool  #: whether it begins a sentence, a line or a run of another script


def cut(text: str, size: int = SIZE) -> list[Unit]:
    """Cut a text into adjacent units of about `size` characters that cover all of it.

    >>> [text[u.begin : u.end] for text in ["Oui, bien sûr. And then all the rest of it"] for u in cut(text, 14)]
    ['Oui, bien sûr. ', 'And then all ', 'the rest of it']
    """
    size = max(size, -(-len(text) // MOST))
    parts: list[Unit] = []
    for sentence in _SENTENCE.finditer(text):
        for first, last in _split_by_script(text, *sentence.span()):
            number = max(1, round((last - first) / size))
            begin = first
            for number_of_part in range(1, number + 1):
                end = first + (last - first) * number_of_part // number
                if number_of_part < number:
                    space = text.find(" ", max(begin, end - 1), min(last, end + _WORD))
                    end = space + 1 if space >= 0 else end
                if end > begin:
                    parts.append(Unit(begin, end, begin == first))
                    begin = end
    together = -(-len(parts) // MOST_SHORT)
    if together > 1:
        groups = (parts[first : first + together] for first in range(0, len(parts), together))
        parts = [Unit(group[0].begin, group[-1].end, group[0].border) for group in groups]
    return parts


def is_latin(text: str) -> bool:
    """Return whether a text has Latin letters and no others.

    >>> is_latin("Đây là câu."), is_latin("C'est ça"), is_latin("2 + 2"), is_latin("Docker и Yii")
    (True, True, False, False)
    """
    return bool(_LATIN.search(text)) and not _OTHER.search(text)


def _split_by_script(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """Cut a sentence into parts of one script each; list where they begin and end."""
    if not _OTHER.search(text, first, last) or not _LATIN.search(text, first, last):
        return [(first, last)]
    runs = _list_runs(text, first, last)
    latin = sum(weight for _, script, weight in runs if script == LATIN)
    least_latin = RUNNING if 2 * latin < sum(weight for *_, weight in runs) else 0
    least_other = FEW if not least_latin else 0
    begins: list[int] = []
    current = None
    for begin, script, weight in runs:
        if script != current and weight >= (least_latin if script == LATIN else least_other):
            begins.append(begin if current is not None else first)
            current = script
    return list(pairwise([*begins, last])) if begins else [(first, last)]


def _list_runs(text: str, first: int, last: int) -> list[tuple[int, int, int]]:
    """List runs of letters of one script: begin, script, and weighted number of letters."""
    runs: list[tuple[int, int, int]] = []
    for match in _LETTERS.finditer(text, first, last):
        script = LATIN if match[1] else registry.restricted(ord(match[0][0]))
        weight = len(match[0]) * int(registry.weights[script])
        if runs and runs[-1][1] == script:
            begin, _, before = runs[-1]
            runs[-1] = (begin, script, before + weight)
        else:
            runs.append((match.start(), script, weight))
    return runs


def count_letters(texts: Characters) -> NDArray[np.int64]:
    """Count the letters of each text (Unicode categories L, without marks), (texts,).

    >>> from graphlang.content.text.normalise import join_texts
    >>> count_letters(join_texts(["it's 3", "", "नमस्ते"])).tolist()
    [3, 0, 4]
    """
    return _table.count(texts)


class _LetterTable:
    """A table of which of the million code points are letters, filled by pages as texts need them."""

    def __init__(self) -> None:
        self._is_letter = np.zeros(_kernels.LETTERS_CODE_POINTS, dtype=np.uint8)
        self._filled = np.zeros(_kernels.LETTERS_PAGES, dtype=np.uint8)

    def count(self, texts: Characters) -> NDArray[np.int64]:
        """Count the letters of each text, (texts,)."""
        needed, counts = np.zeros_like(self._filled), np.empty(len(texts), dtype=np.int64)
        while _kernels.letters_count(
            symbols=texts.symbols,
            begins=texts.begins,
            ends=texts.ends,
            is_letter=self._is_letter,
            filled=self._filled,
            needed=needed,
            counts=counts,
        ):
            self._fill(needed)
        return counts

    def _fill(self, needed: NDArray[np.uint8]) -> None:
        size = len(self._is_letter) // len(self._filled)
        for page in np.flatnonzero(needed).tolist():
            text = "".join(map(chr, range(page * size, (page + 1) * size)))
            self._is_letter[page * size : (page + 1) * size] = text.isalpha() or [letter.isalpha() for letter in text]
            self._filled[page] = True  # last, because threads share the table


_table = _LetterTable()
