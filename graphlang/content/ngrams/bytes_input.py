"""Prepare bytes as rows for the counting kernels, without decoding them.

White space is folded, as between the visible parts of a page, and every row is between two spaces, so that the
first and the last word show where they begin and end. Nothing else is changed except the bytes of `blank`: a byte
method knows no letters.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.text.normalise import SPACE, Letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WHITE = b"\t\n\v\f\r "
DIGITS = b"0123456789"
_NO_LETTERS = bytes(code for code in range(0x80) if not chr(code).isalpha())


def sample(data: bytes, limit: int, parts: int = 4) -> bytes:
    """Sample at most `limit` bytes, in `parts` parts of equal length, evenly spread (see `normalise.sample`).

    >>> sample(b"abcdefghij", 4, parts=2)
    b'ab ij'
    """
    length = len(data)
    if length <= limit:
        return data
    size = max(1, limit // parts)
    step = (length - size) // max(1, parts - 1)
    return b" ".join([data[start : start + size] for start in range(0, step * parts, step)][:parts])


def make_rows(data: Sequence[bytes], *, limit: int, blank: bytes = WHITE, edges: bool = True) -> Letters:
    r"""Make rows of symbols 0..255 from at most `limit` bytes of each string.

    The bytes of `blank` count as white space. With `edges` each row has a space before and after it.

    >>> read = make_rows([b"to  be\n", b"", b"\xff"], limit=100)
    >>> bytes(read.symbols.astype("u1")), read.lengths.tolist()
    (b' to be  \xff ', [7, 0, 3])
    """
    samples = [sample(item, limit) for item in data]
    lengths = np.fromiter(map(len, samples), dtype=np.int64, count=len(samples)) + 2
    joined = b"".join([b" " + item + b" " for item in samples])
    symbols = _blank_letters(blank)[np.frombuffer(joined, dtype=np.uint8)]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    letter = symbols != SPACE
    keep = letter.copy()
    keep[1:] |= letter[:-1]  # of a run of spaces the first one stays, when it follows a letter
    upto = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(letter)))
    filled = upto[ends] > upto[starts]
    keep[starts] = filled
    count = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(keep)))
    first, last = count[starts], count[ends]
    if edges:
        return Letters(symbols[keep], first, last - first, 0)
    return Letters(symbols[keep], first + filled, np.maximum(last - first - 2, 0), 0)


@cache
def _blank_letters(blank: bytes) -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    table[list(blank)] = SPACE
    return table


def has_letters(data: Sequence[bytes]) -> NDArray[np.bool_]:
    """Find byte strings with an ASCII letter or a byte beyond ASCII; without one there is no word in any charset."""
    return np.array([bool(item.translate(None, _NO_LETTERS)) for item in data], dtype=np.bool_)
