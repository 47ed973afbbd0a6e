"""Text -> letters and single spaces, a whole batch at a time (Hayati 2004, section 2).

The paper removes "non-alphabetic characters" and leaves "exactly one space between words". It says nothing of what a
letter is outside Latin-1, nor of capitals. Here:

* Letters are the Unicode categories L* and the marks M*: the vowel signs of Indic scripts, the harakat of Arabic and
  the tones of many others are marks, and a text without them is another text. Everything else parts words.
* Capitals become small letters (measured: tweets, headings and sentences then share their n-grams).
* Compatibility forms of one character (fullwidth Latin, Arabic presentation forms) become the plain character, and
  letters followed by marks U+0300..U+036F are composed (Unicode normalisation form C), as most of the web writes them.
* Format characters (joiners, soft hyphen, byte order mark) vanish without parting the word.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphlang.content import scripts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_PAGE = 8  # code points are looked at in pages of 2 ** 8, and only the pages that texts use are ever worked out
_PAGES = 0x110000 >> _PAGE
SPACE = 0x20
DROPPED = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Letters:
    """A batch of normalised texts in one array.

    Row r is `symbols[starts[r] : starts[r] + lengths[r]]`: words, each followed by one space. An empty text, or one
    without letters, has length 0. After every row stand `margin` further places that repeat its beginning, so that
    n-grams of up to `margin + 1` characters wrap round (Hayati 2004, section 3.1: "there are always as many n-grams as
    characters in the text"). `scripts` holds the script of every row (`scripts.registry`) where each was asked to keep
    but one.
    """

    symbols: NDArray[np.uint32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    margin: int
    scripts: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))


class _Table:
    """What becomes of every code point: itself, another one, SPACE or DROPPED. Filled page by page, on demand."""

    def __init__(self) -> None:
        self.map = np.zeros(0x110000, dtype=np.uint32)
        self.known = np.zeros(_PAGES, dtype=np.bool_)

    def __call__(self, code_points: NDArray[np.uint32]) -> NDArray[np.uint32]:
        used = np.zeros(_PAGES, dtype=np.bool_)
        used[code_points >> _PAGE] = True
        for page in np.flatnonzero(used & ~self.known).tolist():
            first = page << _PAGE
            self.map[first : first + (1 << _PAGE)] = [_fold(c) for c in range(first, first + (1 << _PAGE))]
            self.known[page] = True
        return self.map[code_points]


def _fold(code_point: int) -> int:
    character = chr(code_point)
    category = unicodedata.category(character)
    if category == "Cf":
        return DROPPED
    if category[0] not in "LM":
        return SPACE
    plain = unicodedata.normalize("NFKC", character)
    small = (plain if len(plain) == 1 else character).lower()
    # The one letter that has no single small letter (U+0130, with a dot) keeps its first: "i".
    return ord(small[0])


_fold_all = _Table()


def sample(text: str, limit: int, pieces: int = 4) -> str:
    """At most `limit` characters of a text: `pieces` parts of equal length, evenly spread over all of it.

    A page may open with a menu in another language, so that its beginning alone is a poor sample.

    >>> sample("abcdefghij", 4, pieces=2)
    'ab ij'
    """
    length = len(text)
    if length <= limit:
        return text
    size = max(1, limit // pieces)
    step = (length - size) // max(1, pieces - 1)
    return " ".join([text[start : start + size] for start in range(0, step * pieces, step)][:pieces])


def normalise(
    texts: Sequence[str],
    *,
    limit: int,
    margin: int = 0,
    closed: bool = True,
    one_script: bool = False,
    wanted: NDArray[np.uint8] | None = None,
) -> Letters:
    r"""Normalise a batch: letters in words, each word followed by one space.

    Args:
        texts: Any strings, lone surrogates and NULs included.
        limit: Longest stretch of a text that is looked at, in characters; longer ones are `sample`\ d.
        margin: Places after each row that repeat its beginning.
        closed: Whether the last word is followed by a space too. The paper's example wraps "the quick" round without
            one ("ckt", "kth"); with it the first and the last word show where they begin and end.
        one_script: Whether only the letters of each text's main script stay (`scripts.restrict`).
        wanted: Then: the script that each text is to keep, 0 where it is to be found.

    >>> letters = normalise(["Don't  PANIC!", "42"], limit=100)
    >>> "".join(map(chr, letters.symbols)), letters.lengths.tolist()
    ('don t panic ', [12, 0])
    """
    cut = [text if len(text) <= limit else sample(text, limit) for text in texts]
    lengths = np.fromiter(map(len, cut), dtype=np.int64, count=len(cut))
    gap = 1 + margin  # one place for the space after the last word, `margin` for the beginning again
    parts = _code_points(cut, gap)
    if len(parts) and parts.max() >= 0x300:  # noqa: PLR2004 - the first combining mark
        marks = np.flatnonzero((parts >= 0x300) & (parts < 0x370))  # noqa: PLR2004
        if len(marks):
            rows = np.unique(np.searchsorted(np.cumsum(lengths + gap), marks, side="right"))
            for row in rows.tolist():
                cut[row] = unicodedata.normalize("NFC", cut[row])
                lengths[row] = len(cut[row])
            parts = _code_points(cut, gap)
    symbols = _fold_all(parts)
    dropped = symbols == DROPPED
    if dropped.any():
        ends = np.cumsum(lengths + gap)
        gone = np.diff(np.concatenate(([0], np.cumsum(dropped)[ends - 1])))
        lengths = lengths - gone
        symbols = symbols[~dropped]
    script = np.zeros(len(lengths), dtype=np.uint8)
    if one_script:
        symbols, script = scripts.restrict(symbols, np.cumsum(lengths + gap), space=SPACE, wanted=wanted)
    return _one_space(symbols, lengths, script, margin, closed=closed)


def _code_points(texts: list[str], gap: int) -> NDArray[np.uint32]:
    separator = "\n" * gap
    joined = separator.join([*texts, ""])
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _one_space(
    symbols: NDArray[np.uint32], lengths: NDArray[np.int64], script: NDArray[np.uint8], margin: int, *, closed: bool
) -> Letters:
    letter = symbols != SPACE
    keep = letter.copy()
    keep[1:] |= letter[:-1]  # of a run of spaces the first one stays, when it follows a letter
    before = np.cumsum(lengths + 1 + margin)  # where each row, its space and its margin end
    for place in range(1, margin + 1):
        keep[before - place] = True
    count = np.cumsum(keep)
    ends = count[before - 1] if len(before) else before
    starts = np.concatenate((np.zeros(1, dtype=np.int64), ends[:-1]))[: len(ends)]
    kept = symbols[keep]
    sizes = ends - starts - margin
    if not closed:
        sizes = np.maximum(sizes - 1, 0)
    for place in range(margin):
        source = starts + place % np.maximum(sizes, 1)
        kept[starts + sizes + place] = kept[source]
    return Letters(kept, starts, sizes, margin, script)
