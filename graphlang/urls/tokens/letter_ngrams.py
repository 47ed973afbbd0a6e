"""Letter n-grams inside the tokens of a batch of URLs, with the token's ends as marks, as hashes in one flat array.

``_we``, ``wea``, ``eat`` ... of section 3.1 are the case ``n = 3``. An n-gram never crosses from one token to the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.tokens.tokenize import mixed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.urls.tokens.tokenize import Tokens

_FACTOR = np.uint64(0x2545F4914F6CDD1D)
_LETTERS_OF_WORD = 4  # of 16 bits, in 64


def line(tokens: Tokens) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """The letters of all tokens in one line, a 0 before, between and after them; [urls + 1] where each URL starts.

    The mark between two URLs belongs to the latter.
    """
    turn = np.zeros(len(tokens.letters) + 1, dtype=np.int8)  # 1 where a token starts, -1 where it has ended
    turn[tokens.start] = 1
    turn[tokens.end] = -1
    inside = np.cumsum(turn, dtype=np.int8).view(np.bool_)
    kept = inside.copy()
    kept[1:] |= inside[:-1]  # the mark after each token
    letters = np.concatenate(([np.uint16(0)], (tokens.letters * inside[:-1])[kept[:-1]]))
    offset = np.concatenate(([0], np.cumsum(tokens.end - tokens.start + 1)))
    return letters, offset[tokens.indptr]


def ngrams(tokens: Tokens, n: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hashes of all n-grams, and [urls + 1] where those of each URL start.

    Args:
        tokens: Of URLs.
        n: Letters of an n-gram.

    Raises:
        ValueError: n is less than 2.

    >>> from graphlang.urls.tokens.tokenize import tokenize
    >>> hashes, first = ngrams(tokenize(["weather", "it"]), 3)
    >>> len(hashes), first.tolist()
    (9, [0, 7, 9])
    """
    if n < 2:  # noqa: PLR2004
        raise ValueError(f"an n-gram has two letters or more, not {n}")
    letters, first = line(tokens)
    count = len(letters) - n + 1
    if count <= 0:
        return np.zeros(0, dtype=np.uint64), np.zeros(len(first), dtype=np.int64)
    inside = np.ones(count, dtype=bool)
    for place in range(1, n - 1):
        inside &= letters[place : place + count] != 0
    if n == 2:  # noqa: PLR2004
        inside &= (letters[:-1] != 0) | (letters[1:] != 0)
    where = np.flatnonzero(inside)
    return mixed(_packed(letters, n, count)[where] + np.uint64(n)), np.searchsorted(where, first)


def _packed(letters: NDArray[np.uint16], n: int, count: int) -> NDArray[np.uint64]:
    """[count] each n-gram as one number: its letters side by side up to four, a polynomial of them above."""
    if n <= _LETTERS_OF_WORD:
        wide = np.concatenate((letters, np.zeros(_LETTERS_OF_WORD, dtype=np.uint16))).astype("<u2")
        four = np.ndarray(count, dtype="<u8", buffer=wide, strides=(2,))  # four letters from each place on
        return (four & np.uint64((1 << 16 * n) - 1)).astype(np.uint64)
    value = np.zeros(count, dtype=np.uint64)
    for place in range(n):
        value = value * _FACTOR + letters[place : place + count]
    return value
