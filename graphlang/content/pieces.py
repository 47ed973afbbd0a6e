"""Long texts: which pieces of them are looked at, and what these say together. Short ones: whose page they stand on.

A web page is a mixture: menus, names, code and quotations stand between its paragraphs, most of that in English and in
Latin letters, whatever the language of the page. So a long text is not summed up. Its script is that of characters
taken from all over it; pieces of that script, from all its parts, are identified each on its own; and what the page's
language is follows from them by a mixture model (ours). A page in language x is

* pure, and then each piece is in x, but for odd ones, whose share is spread thin; or
* mixed with English, `MIXED` times as likely as pure, and then a piece is in x or, with probability `GUEST`, English.

Pieces of one page are alike in more than their language (names, subject), so the log likelihood of n of them counts
like that of n ** `TOGETHER` independent ones.

A text of one piece that is in English may stand on a page in any language, the less likely the longer it is: that is
what is measured on the web, where titles, error messages and names of products are left in English.
"""

from __future__ import annotations

import re
from itertools import chain, repeat
from typing import TYPE_CHECKING

import numpy as np

from graphlang.content import scripts
from graphlang.content.kernel import Library, checked, pointer
from graphlang.content.normalise import Characters, characters, normalise, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

GUEST = 0.28
MIXED = 0.02
ODD = 2e-3
TOGETHER = 0.8
ALONE = 0.12  # of short English texts stand on pages in other languages
ALONE_LENGTH = 40  # up to this many letters; of longer ones the fewer
FEW = 0.4  # share of letters in the pieces below which all but the letters of the script is taken out first
_together = Library("graphlang.content._scores").function("sc_together", "piippiiddddp")
_pieces = Library("graphlang.content._letters").function("lt_pieces", "pipppiipii")
_PROBE = 160  # characters taken from all over a text to find its script
_WORD = 16  # of a word that was cut, at most so much is taken away
_LETTERS = re.compile(r"[^\W\d_]+")
_NOT_LATIN = re.compile("[^\\W\\d_A-Za-z\u00aa-\u02ff]+")


def cut(texts: Sequence[str], number: int, size: int) -> tuple[Characters, NDArray[np.int64]]:
    """Pieces of about `size` characters, evenly spread from the beginning to the end of each text.

    There are `number` of them, or as many as cover a shorter text, without the parts of words at their ends where
    spaces show them. One that repeats says nothing new and counts once.

    Returns:
        The pieces of all texts; and where those of each text begin, and those of the last end.

    >>> pieces, offsets = cut(["one two three four", "one"], 2, 10)
    >>> pieces.texts(), offsets.tolist()
    (['one two', 'four', 'one'], [0, 2, 3])
    """
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    numbers = np.clip(-(-lengths // size), 1, number)
    offsets = np.concatenate(([0], np.cumsum(numbers)))
    step = (lengths - size) / np.maximum(1, numbers - 1)
    turn = np.arange(offsets[-1]) - np.repeat(offsets[:-1], numbers)
    begins = np.maximum(0, (turn * np.repeat(step, numbers)).astype(np.int64))
    ends = begins + size
    inside = ((begins > 0) | (ends < np.repeat(lengths, numbers)) * 2).astype(np.uint8)
    repeated = chain.from_iterable(map(repeat, texts, numbers.tolist()))
    windows = characters(
        [text[begin:end] for text, begin, end in zip(repeated, begins.tolist(), ends.tolist(), strict=True)]
    )
    kept = checked(
        _pieces(
            pointer(windows.symbols, np.uint32),
            len(windows.symbols),
            pointer(windows.begins, np.int64),
            pointer(windows.ends, np.int64),
            pointer(offsets, np.int64),
            len(texts),
            len(windows),
            pointer(inside, np.uint8),
            size,
            _WORD,
        )
    )
    return Characters(windows.symbols, windows.begins[:kept], windows.ends[:kept]), offsets


def letters_of(text: str, script: int, most: int = 100_000) -> str:
    """The words of a mixed text that are not in Latin letters (for Latin: all words); of a huge text, of parts of it.

    >>> letters_of("if (x) { print('да, конечно') } // 42", 2)
    'да конечно'
    """
    pattern = _LETTERS if script == scripts.LATIN else _NOT_LATIN
    return " ".join(pattern.findall(sample(text, most, pieces=16)))


def main_scripts(texts: Sequence[str]) -> NDArray[np.uint8]:
    """The script of each long text."""
    script = np.full(len(texts), scripts.LATIN, dtype=np.uint8)
    probes = [text[:: max(1, len(text) // _PROBE)] for text in texts]
    mixed = [i for i, probe in enumerate(probes) if not probe.isascii()]
    for begin in range(0, len(mixed), _PROBE):
        some = mixed[begin : begin + _PROBE]
        script[some] = normalise([probes[i] for i in some], limit=4 * _PROBE, one_script=True).scripts
    return script


def together(scores: Floats, spoke: NDArray[np.bool_], offsets: NDArray[np.int64], guest: int) -> Floats:
    """Log likelihood of each label for each text from what its pieces say.

    Args:
        scores: Of pieces and labels; their softmax is what a piece says. Overwritten.
        spoke: Whether there is any letter in a piece.
        offsets: Text t has the pieces `offsets[t] : offsets[t + 1]`, one at least.
        guest: Column of English; -1 where there is none.
    """
    pieces, width = scores.shape
    likely = np.empty((len(offsets) - 1, width), dtype=np.float32)
    checked(
        _together(
            pointer(scores, np.float32),
            pieces,
            width,
            pointer(spoke, np.bool_),
            pointer(offsets, np.int64),
            len(likely),
            guest,
            ODD,
            GUEST,
            MIXED,
            TOGETHER,
            pointer(likely, np.float32),
        )
    )
    return likely


def as_guests(chances: Floats, rows: NDArray[np.int64], lengths: NDArray[np.int64], guest: int, hosts: Floats) -> None:
    """Give a part of English's probability to the languages whose pages quote it; in place.

    Args:
        chances: Probabilities of texts, (texts, labels).
        rows: Which of them are meant.
        lengths: The letters and spaces of those.
        guest: Column of English.
        hosts: How the other languages share that part; 0 for English itself, 1 in all.
    """
    part = chances[rows, guest] * np.float32(ALONE)
    part *= np.minimum(1, ALONE_LENGTH / np.maximum(lengths, 1)).astype(np.float32)
    some = part > ALONE / 100
    rows, part = rows[some], part[some]
    chances[rows, guest] -= part
    chances[rows] += part[:, None] * hosts
