"""Text -> units that are in one language each: sentences and lines, and parts of long ones.

A language seldom changes within a sentence or a line. So units end where these do, and what is longer is cut at spaces
into parts of about equal length. A unit that begins a sentence or a line has a natural border before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Characters

SIZE = 40  #: characters of a unit, about
MOST = 2_000  #: units of a text that long ones are cut into; those of a longer one are longer
#: Units of a text that is made of short sentences or lines: of more, so many stand together. Each costs the method's
#: labels of memory, and a list of half a million words took two gigabytes.
MOST_SHORT = 20_000
_ENDS = "\n.!?\u2026\u3002\uff01\uff1f\u061f\u0964\u0965\u104b\u1362"
_SENTENCE = re.compile(f"[^{_ENDS}]*[{_ENDS}]*\\s*")
_WORD = 20  # characters within which a space is looked for
_kernels = Kernels("graphlang.content.native._letters")


class Unit(NamedTuple):
    """A part of a text.

    Attributes:
        begin: Where it begins, in characters.
        end: Where the next one begins.
        border: Whether a sentence or a line begins with it.
    """

    begin: int
    end: int
    border: bool


def cut(text: str, size: int = SIZE) -> list[Unit]:
    """The units of a text; together they are all of it.

    Args:
        text: Any string.
        size: Characters of a unit, about.

    >>> [text[u.begin : u.end] for text in ["Oui, bien sûr. And then all the rest of it"] for u in cut(text, 14)]
    ['Oui, bien sûr. ', 'And then all ', 'the rest of it']
    """
    size = max(size, -(-len(text) // MOST))
    found: list[Unit] = []
    for sentence in _SENTENCE.finditer(text):
        first, last = sentence.span()
        parts = max(1, round((last - first) / size))
        begin = first
        for part in range(1, parts + 1):
            end = first + (last - first) * part // parts
            if part < parts:
                space = text.find(" ", max(begin, end - 1), min(last, end + _WORD))
                end = space + 1 if space >= 0 else end
            if end > begin:
                found.append(Unit(begin, end, begin == first))
                begin = end
    together = -(-len(found) // MOST_SHORT)
    if together > 1:
        groups = (found[first : first + together] for first in range(0, len(found), together))
        found = [Unit(group[0].begin, group[-1].end, group[0].border) for group in groups]
    return found


def letters(texts: Characters) -> NDArray[np.int64]:
    """Letters of each text (Unicode's categories L; no marks).

    >>> from graphlang.content.text.normalise import characters
    >>> letters(characters(["it's 3", "", "नमस्ते"])).tolist()
    [3, 0, 4]
    """
    return _known.count(texts)


class _Letters:
    """Which code points are letters, asked of Python page by page as texts need them: there are a million."""

    def __init__(self) -> None:
        self._is_letter = np.zeros(_kernels.constant("GRAPHLANG_LETTERS_CODE_POINTS"), dtype=np.uint8)
        self._filled = np.zeros(_kernels.constant("GRAPHLANG_LETTERS_PAGES"), dtype=np.uint8)

    def count(self, texts: Characters) -> NDArray[np.int64]:
        """Letters of each text, (texts,)."""
        needed, counts = np.zeros_like(self._filled), np.empty(len(texts), dtype=np.int64)
        while _kernels.letters_count(
            symbols=texts.symbols,
            begins=texts.begins,
            ends=texts.ends,
            is_letter=self._is_letter,
            known=self._filled,
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
            self._filled[page] = True  # last, for threads share the table


_known = _Letters()
