"""Long texts: windows are identified one by one and combined by a mixture model. Short English texts: their hosts.

A web page is a mixture: menus, names, code and quotations stand between its paragraphs, most of that in English and in
Latin letters, whatever the language of the page. So a long text is not summed up. Its script is that of characters
taken from all over it. Windows in that script, from all its parts, are identified each on its own. The language of the
page follows from them by a mixture model (ours). A page in language x is

* pure, and then each window is in x, but for outliers, at the rate `OUTLIERS`, spread over all languages; or
* mixed with English, `MIXED` times as likely as pure, and then a window is in x or, with probability `FOREIGN`, in
  English.

Windows of one page are alike in more than their language (names, subject), so the log-likelihood of n of them counts
like that of n ** `EFFECTIVE` independent ones. Windows without letters say nothing. (`nfc.scores` does it.)

A text of one window that is in English may stand on a page in any language, the less likely the longer it is. That is
measured on the web, where titles, error messages and names of products are left in English.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.text import scripts
from graphlang.content.text.normalise import Characters, code_points, normalise, sample
from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FOREIGN = 0.28  #: probability of English in a window of a mixed page
MIXED = 0.02  #: prior odds of mixed against pure
OUTLIERS = 2e-3  #: rate of windows that are in no language of the page
EFFECTIVE = 0.8  #: exponent of the number of windows
QUOTED = 0.12  #: of short English texts stand on pages in other languages
QUOTED_LENGTH = 40  #: up to this many letters; of longer ones the fewer
FEW = 0.4  #: share of letters in the windows below which all but the letters of the script is taken out first
_letters = Kernels("graphlang.content.native._letters")
_PROBE = 160  # characters taken from all over a text to find its script
_PROBED = 1_024  # texts whose characters are looked at together
_WORD = 16  # of a word that was cut, at most so much is taken away
_LETTERS = re.compile(r"[^\W\d_]+")
_ENDS = " \n.!?"  # of most texts
_TRIMMED = 256  # characters at the end of a text that are looked at first
_PADDING = re.compile(r"(?:[\W\d_]++|[A-Za-z\xaa-\u024f\u0370-\u052f](?![^\W\d_]|[\u0300-\u036f]))*+")
_NOT_LATIN = re.compile("[^\\W\\d_A-Za-z\u00aa-\u02ff]+")


def cut(texts: Sequence[str], number: int, size: int, *, whole: int = 0) -> tuple[Characters, NDArray[np.int64]]:
    """Windows evenly spread from the beginning to the end of each text, cut back to whole words where spaces show them.

    A short text has as many windows as cover it. Equal windows of a text count once.

    Args:
        texts: Any strings.
        number: Windows of a text, at most.
        size: Characters of a window, at most.
        whole: Texts of up to so many characters are in the batch with all that stands between their windows, which is
            quicker where that is little.

    Returns:
        The windows of all texts, and offsets, (texts + 1,): text t has the windows `offsets[t] : offsets[t + 1]`.

    >>> found, offsets = cut(["one two three four", "one"], 2, 10)
    >>> found.texts(), offsets.tolist()
    (['one two', 'four', 'one'], [0, 2, 3])
    """
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    numbers = np.clip(-(-lengths // size), 1, number)
    offsets = np.concatenate(([0], np.cumsum(numbers)))
    step = (lengths - size) / np.maximum(1, numbers - 1)
    turn = np.arange(offsets[-1]) - np.repeat(offsets[:-1], numbers)
    begins = np.maximum(0, (turn * np.repeat(step, numbers)).astype(np.int64))
    of_text = np.repeat(lengths, numbers)
    inside = ((begins > 0) | (begins + size < of_text) * 2).astype(np.uint8)
    sizes, short = np.minimum(size, of_text), lengths <= whole
    symbols = code_points("".join(_taken(texts, short, begins, offsets, size)))
    taken = np.where(short, lengths, np.minimum(lengths, size) * numbers)
    inner = np.where(np.repeat(short, numbers), begins, turn * size)
    placed = np.repeat(np.cumsum(taken) - taken, numbers) + inner
    windows = Characters(symbols, placed, placed + sizes)
    kept = _letters.letters_windows(
        symbols=windows.symbols,
        begins=windows.begins,
        ends=windows.ends,
        offsets=offsets,
        inside=inside,
        width=size,
        longest=_WORD,
    )
    return Characters(windows.symbols, windows.begins[:kept], windows.ends[:kept]), offsets


def _taken(
    texts: Sequence[str], short: NDArray[np.bool_], begins: NDArray[np.int64], offsets: NDArray[np.int64], size: int
) -> Iterator[str]:
    """All of the short texts, and of each of the others its windows, one after the other."""
    if not short.any():
        repeated = chain.from_iterable(map(repeat, texts, np.diff(offsets).tolist()))
        for text, begin in zip(repeated, begins.tolist(), strict=True):
            yield text[begin : begin + size]
        return
    places = begins.tolist()
    for text, whole, (first, last) in zip(texts, short.tolist(), pairwise(offsets.tolist()), strict=True):
        if whole:
            yield text
        else:
            for begin in places[first:last]:
                yield text[begin : begin + size]


def words_in(text: str, script: int, most: int = 100_000) -> str:
    """The words of a mixed text that are not in Latin letters; for Latin, all words.

    Args:
        text: Any string.
        script: A number of `scripts.registry`.
        most: Characters that are read; of a longer text, parts of it.

    >>> words_in("if (x) { print('да, конечно') } // 42", 2)
    'да конечно'
    """
    pattern = _LETTERS if script == scripts.LATIN else _NOT_LATIN
    return " ".join(pattern.findall(sample(text, most, parts=16)))


def main_scripts(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The script of each long text, and Latin for those in another one that have more Latin letters, 0 for all others.

    Args:
        texts: Any strings.
    """
    script, beside = np.full(len(texts), scripts.LATIN, dtype=np.uint8), np.zeros(len(texts), dtype=np.uint8)
    probes = [text[:: max(1, len(text) // _PROBE)] for text in texts]
    mixed = [i for i, probe in enumerate(probes) if not probe.isascii()]
    for begin in range(0, len(mixed), _PROBED):
        some = mixed[begin : begin + _PROBED]
        letters = normalise([probes[i] for i in some], limit=4 * _PROBE, one_script=True)
        script[some] = letters.scripts
        beside[some] = np.where(letters.scripts != scripts.LATIN, letters.beside, 0)
    return script, beside


def trim(text: str) -> str:
    """A text without the signs, digits, white space and single letters at its ends.

    Where windows are cut depends on where a text begins and ends: padding would move them. Only Latin, Greek and
    Cyrillic letters are padding where they stand alone; in other scripts one may be a word.

    Args:
        text: Any string.

    >>> trim("12. a) The end of it ... 1 2 3 x")
    'The end of it'
    """
    begin = 0 if text[:1].isalpha() and text[1:2].isalpha() else _leading(text)
    if begin == len(text):
        return ""
    most = text.rstrip(_ENDS)
    if most[-2:].isalpha() and len(most) > begin + 1:
        return most[begin:]
    ends = text[-_TRIMMED:][::-1]
    padding = _leading(ends)
    if padding >= _TRIMMED - 1:  # the last letter may be part of a word
        padding = _leading(text[::-1])
    end = len(text) - padding
    while end < len(text) and unicodedata.category(text[end])[0] == "M":  # belongs to the letter before it
        end += 1
    return text[begin:end]


def _leading(text: str) -> int:
    match = _PADDING.match(text)
    return len(match[0]) if match else 0


def share_with_hosts(
    probabilities: Floats, rows: NDArray[np.int64], lengths: NDArray[np.int64], foreign: int, hosts: Floats
) -> None:
    """Give a part of English's probability to the languages whose pages quote it; in place.

    Args:
        probabilities: Of texts, (texts, labels).
        rows: The texts that are meant, (rows,).
        lengths: Letters and spaces of these, (rows,).
        foreign: Column of English.
        hosts: How the other languages share that part, (labels,); 0 for English itself, 1 in all.
    """
    part = probabilities[rows, foreign] * np.float32(QUOTED)
    part *= np.minimum(1, QUOTED_LENGTH / np.maximum(lengths, 1)).astype(np.float32)
    some = part > QUOTED / 100
    rows, part = rows[some], part[some]
    probabilities[rows, foreign] -= part
    probabilities[rows] += part[:, None] * hosts
