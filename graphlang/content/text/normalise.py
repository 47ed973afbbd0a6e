"""Normalise texts to letters and single spaces, a batch at a time (Hayati 2004, section 2).

The paper removes "non-alphabetic characters" and leaves "exactly one space between words". It does not define letters
outside Latin-1, nor capitals. Here:

* Letters are the Unicode categories L* and the marks M*: the vowel signs of Indic scripts, the harakat of Arabic and
  the tones of many others are marks, and a text without them is another text. Everything else separates words.
* Capitals become small letters (measured: tweets, headings and sentences then share their n-grams).
* Compatibility forms of one character (fullwidth and mathematical Latin, Arabic presentation forms) become the plain
  character, and so do small capitals and Latin letters in circles, squares and brackets. Letters followed by marks, and
  the parts of Hangul, are composed (Unicode normalisation form C), as most of the web writes them.
* Format characters (joiners, soft hyphen, byte order mark) vanish without separating words.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.native import letters as _kernels
from graphlang.content.text import scripts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SPACE = 0x20
_CODE_POINTS = _kernels.LETTERS_CODE_POINTS
_PAGES = _kernels.LETTERS_PAGES  # of code points; only those that texts use are ever filled
_PAGE = _CODE_POINTS // _PAGES
_DROPPED = _kernels.LETTERS_DROPPED
_PAGES_NEEDED = _kernels.LETTERS_PAGES_NEEDED
_HAS_MARKS = _kernels.LETTERS_HAS_MARKS
_ALIKE_PAGES = (0, 1, 2, 4)  # those of Latin and Cyrillic letters that look alike: the kernel may need any of them
#: Han of the first plane, and Hangul: what is a letter there is named alike, and so is of one script.
_UNIFORM = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xAC00, 0xD7A4))
#: Names of small capitals, and of Latin letters in circles, squares and brackets.
_SHAPED = re.compile(
    "(?:LATIN LETTER SMALL CAPITAL|(?:NEGATIVE CIRCLED|CIRCLED|NEGATIVE SQUARED|SQUARED|PARENTHESIZED) LATIN "
    "(?:CAPITAL|SMALL) LETTER) ([A-Z])"
)
_UTF_32 = f"utf-32-{sys.byteorder[0]}e"


@dataclass(frozen=True, slots=True)
class Letters:
    """A batch of normalised texts in one array.

    Row r is `symbols[starts[r] : starts[r] + lengths[r]]`: words, each followed by one space. An empty text, or one
    without letters, has length 0. Every row is followed by `margin` places that repeat its beginning, so that
    n-grams of up to `margin + 1` characters wrap round (Hayati 2004, section 3.1: "there are always as many n-grams as
    characters in the text"). `scripts` has the script of every row (`scripts.registry`) that keeps only one.
    `second_scripts` has the second script of a row with a detected main script, 0 without one: for a Latin row the
    script of most of its other letters, for any other row Latin, if it has more Latin letters than others.
    """

    symbols: NDArray[np.uint32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    margin: int
    scripts: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    second_scripts: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))


@dataclass(frozen=True, slots=True)
class Characters:
    """A batch of texts in one array: text t is `symbols[begins[t] : ends[t]]`."""

    symbols: NDArray[np.uint32]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    def texts(self, numbers: NDArray[np.int64] | slice = slice(None)) -> list[str]:
        """Decode the texts, or those of some numbers, to strings."""
        ranges = zip(self.begins[numbers].tolist(), self.ends[numbers].tolist(), strict=True)
        return [self.symbols[begin:end].tobytes().decode(_UTF_32, "surrogatepass") for begin, end in ranges]

    def replace(self, numbers: NDArray[np.int64], texts: Characters) -> Characters:
        """Replace the texts of some numbers."""
        begins, ends = self.begins.copy(), self.ends.copy()
        begins[numbers], ends[numbers] = texts.begins + len(self.symbols), texts.ends + len(self.symbols)
        return Characters(np.concatenate((self.symbols, texts.symbols)), begins, ends)


def join_texts(texts: Sequence[str]) -> Characters:
    """Join strings to a batch."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    ends = np.cumsum(lengths)
    return Characters(to_code_points("".join(texts)), ends - lengths, ends)


def to_code_points(text: str) -> NDArray[np.uint32]:
    """Convert a string to code points, (characters,).

    >>> to_code_points("é!").tolist()
    [233, 33]
    """
    # A string of numpy is code points. An encoder would check for surrogates and take five times as long.
    return np.array([text]).view(np.uint32)[: len(text)]


class _CodePointTable:
    """The normalised form of every code point, filled page by page on demand.

    An entry is a character (or SPACE), a mark for those that vanish, and from bit 24 on the script.
    """

    def __init__(self) -> None:
        self.map = np.zeros(_CODE_POINTS, dtype=np.uint32)
        self.filled = np.zeros(_PAGES, dtype=np.uint8)

    def fill(self, pages: NDArray[np.uint8]) -> None:
        """Fill the marked pages, and those of letters that look alike."""
        alike = [page for page in _ALIKE_PAGES if not self.filled[page]]
        for page in sorted({*np.flatnonzero(pages).tolist(), *alike}):
            first = page * _PAGE
            self.map[first : first + _PAGE] = _compute_entries(first)
            self.filled[page] = True


def _compute_entries(first: int) -> list[int] | NDArray[np.uint32]:
    """Compute the entries of a page; quickly for Chinese and Korean letters, whose pages are many and alike."""
    codes = range(first, first + _PAGE)
    if any(first in block and codes[-1] in block for block in _UNIFORM):
        text = "".join(map(chr, codes))
        if text.isalpha() and unicodedata.is_normalized("NFKC", text) and text.lower() == text:
            return np.arange(codes.start, codes.stop, dtype=np.uint32) | np.uint32(scripts.registry.script(first) << 24)
    return [_compute_entry(code) for code in codes]


def _compute_entry(code_point: int) -> int:
    character = chr(code_point)
    category = unicodedata.category(character)
    if category == "Cf":
        return _DROPPED
    if category in ("So", "Ll") and (shaped := _SHAPED.fullmatch(unicodedata.name(character, ""))):
        character, category = shaped[1].lower(), "Ll"
    if category[0] not in "LM":
        return SPACE
    plain = unicodedata.normalize("NFKC", character)
    small = (plain if len(plain) == 1 else character).lower()
    # The one letter that has no single small letter (U+0130, with a dot) keeps its first: "i".
    return ord(small[0]) | scripts.registry.restricted(ord(small[0])) << 24


_table = _CodePointTable()


def sample(text: str, limit: int, parts: int = 4) -> str:
    """Sample at most `limit` characters of a text, in `parts` parts of equal length, evenly spread over it.

    A page may open with a menu in another language, so its beginning alone is a poor sample.

    >>> sample("abcdefghij", 4, parts=2)
    'ab ij'
    """
    length = len(text)
    if length <= limit:
        return text
    size = max(1, limit // parts)
    step = (length - size) // max(1, parts - 1)
    return " ".join([text[start : start + size] for start in range(0, step * parts, step)][:parts])


def normalise(
    texts: Sequence[str],
    *,
    limit: int,
    margin: int = 0,
    closed: bool = True,
    one_script: bool = False,
    row_scripts: NDArray[np.uint8] | None = None,
) -> Letters:
    """Normalise a batch: letters in words, each word followed by one space.

    Texts may hold lone surrogates and NULs. `limit` characters of a text are read; longer ones are sampled (`sample`).
    `margin` places after each row repeat its beginning. If `closed`, the last word is followed by a space too. The
    paper's example wraps "the quick" round without one ("ckt", "kth"); with it the first and the last word show where
    they begin and end. `one_script` keeps only the letters of each text's main script (the rule of `scripts`), or of
    the script `row_scripts` of each text; 0 detects it.

    >>> letters = normalise(["Don't  PANIC!", "42"], limit=100)
    >>> "".join(map(chr, letters.symbols)), letters.lengths.tolist()
    ('don t panic ', [12, 0])
    """
    samples = [text if len(text) <= limit else sample(text, limit) for text in texts]
    return fold(join_texts(samples), margin=margin, closed=closed, one_script=one_script, row_scripts=row_scripts)


def fold(
    batch: Characters, *, margin: int, closed: bool, one_script: bool, row_scripts: NDArray[np.uint8] | None = None
) -> Letters:
    """Normalise a batch of texts of any length as `normalise` does."""
    batch = _compose(batch)
    rows = len(batch)
    script, second = np.zeros(rows, dtype=np.uint8), np.zeros(rows, dtype=np.uint8)
    if row_scripts is not None:
        script[:] = row_scripts
    out = np.empty(int((batch.ends - batch.begins).sum()) + rows * (1 + margin), dtype=np.uint32)
    starts, lengths = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    used = _kernels.letters_normalise(
        symbols=batch.symbols,
        begins=batch.begins,
        ends=batch.ends,
        table=_table.map,
        weights=scripts.registry.weights,
        share=scripts.SHARE,
        margin=margin,
        closed=closed,
        scripts=script if one_script else None,
        second_scripts=second,
        out=out,
        starts=starts,
        lengths=lengths,
    )
    return Letters(out[:used], starts, lengths, margin, script, second)


def count_normalised(texts: Sequence[str], *, limit: int) -> NDArray[np.int64]:
    """Count letters and single spaces between words: the length of a normalised text without its last space, (texts,).

    >>> count_normalised(["Don't  PANIC!", "42"], limit=100).tolist()
    [11, 0]
    """
    return count_folded(join_texts([text if len(text) <= limit else sample(text, limit) for text in texts]))


def count_folded(batch: Characters) -> NDArray[np.int64]:
    """Count as `count_normalised` does, for texts of any length."""
    lengths = np.empty(len(batch), dtype=np.int64)
    needed, marked = np.zeros_like(_table.filled), np.empty(len(batch), dtype=np.uint8)
    flags = _PAGES_NEEDED
    while flags & _PAGES_NEEDED:  # twice at most
        flags = _kernels.letters_lengths(
            symbols=batch.symbols,
            begins=batch.begins,
            ends=batch.ends,
            table=_table.map,
            filled=_table.filled,
            needed=needed,
            marked=marked,
            lengths=lengths,
        )
        _table.fill(needed)
    rows = np.flatnonzero(marked)
    if len(rows):
        composed = join_texts([unicodedata.normalize("NFC", text) for text in batch.texts(rows)])
        closed = fold(composed, margin=0, closed=True, one_script=False).lengths
        lengths[rows] = np.maximum(closed - 1, 0)
    return lengths


def _compose(batch: Characters) -> Characters:
    """Compose letters with the marks that follow them, and fill the pages of the table that the texts need."""
    flags, marked = _scan(batch)
    if flags & _HAS_MARKS:
        rows = np.flatnonzero(marked)
        composed = join_texts([unicodedata.normalize("NFC", text) for text in batch.texts(rows)])
        batch = batch.replace(rows, composed)
        _scan(composed)
    return batch


def _scan(batch: Characters) -> tuple[int, NDArray[np.uint8]]:
    needed, marked = np.zeros_like(_table.filled), np.empty(len(batch), dtype=np.uint8)
    flags: int = _kernels.letters_scan(
        symbols=batch.symbols,
        begins=batch.begins,
        ends=batch.ends,
        filled=_table.filled,
        needed=needed,
        marked=marked,
    )
    if flags & _PAGES_NEEDED:
        _table.fill(needed)
    return flags, marked


def cut_blocks(texts: Sequence[str], *, limit: int, characters: int = 1 << 15) -> list[tuple[int, int]]:
    """Cut a batch into runs of rows of about `join_texts` characters, so that their arrays stay in the cache.

    At most `limit` characters of a text are read. Each row counts eight more, for its cost apart from its length.

    >>> cut_blocks(["aaaa", "bb", "c"], limit=3, characters=25)
    [(0, 2), (2, 3)]
    """
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return cut_runs(np.minimum(sizes, limit), characters)


def cut_runs(sizes: NDArray[np.int64], characters: int) -> list[tuple[int, int]]:
    """Cut a batch of texts of these sizes as `cut_blocks` does."""
    ends = np.cumsum(sizes + 8)
    cuts: list[tuple[int, int]] = []
    start = 0
    while start < len(sizes):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + characters, side="right")))
        cuts.append((start, stop))
        start = stop
    return cuts
