"""Windows of long texts, their mixture model, and pages in other languages that quote English.

A web page is a mixture: menus, names, code and quotations interrupt its paragraphs, most of them in English and in
Latin letters, in pages of any language. So a long text is not summed as a whole. A sample of its characters decides its
script. Windows in that script, from all its parts, are identified one by one, and a mixture model combines them. A page
in language x is

* pure, and then each window is in x, but for outliers, at the rate `OUTLIERS`, spread over all languages; or
* mixed with English, `MIXED` times as likely as pure, and then a window is in x or, with probability `FOREIGN`, in
  English.

Windows of one page share more than their language (names, subject), so the log likelihood of n of them counts like that
of n ** `EFFECTIVE` independent ones. Windows without letters do not count. A kernel computes it (`nfc.scores`).

An English text of one window may be on a page in any language, the less likely the longer it is: titles, error messages
and product names stay in English. `share_with_hosts` corrects for that on pages, not on the texts of `identify`.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.native import letters as _letters
from graphlang.content.text import scripts
from graphlang.content.text.normalise import Characters, normalise, sample, to_code_points

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FOREIGN = 0.28  #: probability of English in a window of a mixed page
MIXED = 0.02  #: prior odds of mixed against pure
OUTLIERS = 2e-3  #: rate of windows that are in no language of the page
EFFECTIVE = 0.8  #: exponent of the number of windows
QUOTED = 0.12  #: rate of short English texts on pages in other languages
QUOTED_LENGTH = 40  #: up to this many letters; the rate falls with the inverse of the length beyond
FEW = 0.4  #: share of letters in the windows; below, only the words of the script are read
_PROBE = 160  # characters from all over a text that decide its script
_BATCH = 1_024  # texts whose scripts are detected together
_WORD = 16  # characters of a cut word that are removed at most
_LETTERS = re.compile(r"[^\W\d_]+")
_ENDS = " \n.!?"  # of most texts
_TRIMMED = 256  # characters at the end of a text that are searched first
_PADDING = re.compile(r"(?:[\W\d_]++|[A-Za-z\xaa-\u024f\u0370-\u052f](?![^\W\d_]|[\u0300-\u036f]))*+")
_NOT_LATIN = re.compile("[^\\W\\d_A-Za-z\u00aa-\u02ff]+")


def cut(texts: Sequence[str], number: int, size: int, *, whole: int = 0) -> tuple[Characters, NDArray[np.int64]]:
    """Cut at most `number` windows of `size` characters evenly over each text, back to whole words if there are spaces.

    A short text has as many windows as cover it. Equal windows of a text count once. Texts of up to `whole` characters
    are copied whole, which is faster than window by window. Return the windows of all texts, and offsets, (texts + 1,):
    text t has the windows `offsets[t] : offsets[t + 1]`.

    >>> parts, offsets = cut(["one two three four", "one"], 2, 10)
    >>> parts.texts(), offsets.tolist()
    (['one two', 'four', 'one'], [0, 2, 3])
    """
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    numbers = np.clip(-(-lengths // size), 1, number)
    offsets = np.concatenate(([0], np.cumsum(numbers)))
    step = (lengths - size) / np.maximum(1, numbers - 1)
    rank = np.arange(offsets[-1]) - np.repeat(offsets[:-1], numbers)
    begins = np.maximum(0, (rank * np.repeat(step, numbers)).astype(np.int64))
    text_lengths = np.repeat(lengths, numbers)
    inside = ((begins > 0) | (begins + size < text_lengths) * 2).astype(np.uint8)
    sizes, short = np.minimum(size, text_lengths), lengths <= whole
    symbols = to_code_points("".join(_copy(texts, short, begins, offsets, size)))
    copied = np.where(short, lengths, np.minimum(lengths, size) * numbers)
    inner = np.where(np.repeat(short, numbers), begins, rank * size)
    placed = np.repeat(np.cumsum(copied) - copied, numbers) + inner
    windows = Characters(symbols, placed, placed + sizes)
    count = _letters.letters_windows(
        symbols=windows.symbols,
        begins=windows.begins,
        ends=windows.ends,
        offsets=offsets,
        inside=inside,
        width=size,
        longest=_WORD,
    )
    return Characters(windows.symbols, windows.begins[:count], windows.ends[:count]), offsets


def _copy(
    texts: Sequence[str], short: NDArray[np.bool_], begins: NDArray[np.int64], offsets: NDArray[np.int64], size: int
) -> Iterator[str]:
    """Yield the short texts whole, and the windows of the others one by one."""
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


def extract_words(text: str, script: int, limit: int = 100_000) -> str:
    """Extract the words of a mixed text that are not in Latin letters, or for `LATIN` all words.

    Only samples of a text longer than `limit` characters are read.

    >>> extract_words("if (x) { print('да, конечно') } // 42", 2)
    'да конечно'
    """
    pattern = _LETTERS if script == scripts.LATIN else _NOT_LATIN
    return " ".join(pattern.findall(sample(text, limit, parts=16)))


def detect_scripts(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Detect the script of each long text, (texts,); and Latin for others with more Latin letters, else 0, (texts,)."""
    script, second = np.full(len(texts), scripts.LATIN, dtype=np.uint8), np.zeros(len(texts), dtype=np.uint8)
    probes = [text[:: max(1, len(text) // _PROBE)] for text in texts]
    mixed = [i for i, probe in enumerate(probes) if not probe.isascii()]
    for begin in range(0, len(mixed), _BATCH):
        rows = mixed[begin : begin + _BATCH]
        letters = normalise([probes[i] for i in rows], limit=4 * _PROBE, one_script=True)
        script[rows] = letters.scripts
        second[rows] = np.where(letters.scripts != scripts.LATIN, letters.second_scripts, 0)
    return script, second


def trim(text: str) -> str:
    """Trim signs, digits, white space and single letters at both ends, which would move the windows of a text.

    Only Latin, Greek and Cyrillic letters are padding when alone; in other scripts one may be a word.

    >>> trim("12. a) The end of it ... 1 2 3 x")
    'The end of it'
    """
    begin = 0 if text[:1].isalpha() and text[1:2].isalpha() else _measure_padding(text)
    if begin == len(text):
        return ""
    stripped = text.rstrip(_ENDS)
    if stripped[-2:].isalpha() and len(stripped) > begin + 1:
        return stripped[begin:]
    ends = text[-_TRIMMED:][::-1]
    padding = _measure_padding(ends)
    if padding >= _TRIMMED - 1:  # the last letter may be part of a word
        padding = _measure_padding(text[::-1])
    end = len(text) - padding
    while end < len(text) and unicodedata.category(text[end])[0] == "M":  # belongs to the letter before it
        end += 1
    return text[begin:end]


def _measure_padding(text: str) -> int:
    match = _PADDING.match(text)
    return len(match[0]) if match else 0


def share_with_hosts(
    probabilities: Floats, rows: NDArray[np.int64], lengths: NDArray[np.int64], foreign: int, hosts: Floats
) -> None:
    """Move a part of English's probability to the languages whose pages quote it, in place.

    `rows` are the texts of one window among `probabilities` (texts, labels); `lengths` (rows,) their letters and
    spaces. `foreign` is the column of English; `hosts` (labels,) is P(language | page quotes English), 0 for English.
    """
    share = probabilities[rows, foreign] * np.float32(QUOTED)
    share *= np.minimum(1, QUOTED_LENGTH / np.maximum(lengths, 1)).astype(np.float32)
    large = share > QUOTED / 100
    rows, share = rows[large], share[large]
    probabilities[rows, foreign] -= share
    probabilities[rows] += share[:, None] * hosts
