"""Cut a batch of URLs into tokens, n-grams and positions, as flat arrays (Baykan et al. 2008, section 3.1).

A token is a run of letters; runs of fewer than two letters and `STOP_WORDS` are dropped. The whole batch is one array
of characters and every step is one pass over it, so that no Python statement runs per token.

Letters are folded to those that URLs use for them: small, without diacritics. URLs are mostly written in bare ASCII:
``actualites`` for *actualités*, ``isci`` for *işçi*. Folding both makes the words of ordinary text evidence about
URLs. Scripts other than Latin keep their letters, so that the script identifies a decoded path in Cyrillic or Arabic.

A token's position matters: ``de`` is Germany after the last dot of a host, German between two slashes, and a Spanish
preposition between two hyphens. `find_positions` numbers the zone (scheme, host, top-level domain, path or query) and
the marks before and after a token; the shipped model pairs the number with every short token.

Letter n-grams never cross from one token to the next, and the ends of a token are marks: ``_we``, ``wea``, ``eat`` of
section 3.1 are the case n = 3.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.readable_text import make_all_readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


#: Latin letters that Unicode does not decompose, with the letter that URLs write for them.
_PLAIN = dict(zip("ßæœøđðþłıħŋſəɓɗƙɛɔŧƴ", "saooddtlihnsabdkeoty", strict=True))
_SIZE = 0x10000
_AFTER_LATIN = 0x370


@cache
def make_fold_table() -> NDArray[np.uint16]:
    """Map each code point below 65,536 to that of its folded letter, 0 if it is not a letter.

    >>> table = make_fold_table()
    >>> [chr(table[ord(letter)]) for letter in "ÉłйЯ漢"], int(table[ord("7")])
    (['e', 'l', 'и', 'я', '漢'], 0)
    """
    table = np.zeros(_SIZE, dtype=np.uint16)
    table[0x3400:0xA000] = np.arange(0x3400, 0xA000)  # CJK ideographs
    table[0xAC00:0xD7A4] = np.arange(0xAC00, 0xD7A4)  # Hangul syllables
    for start, stop in ((0x41, 0x3100), (0x31A0, 0x3400), (0xA000, 0xAC00), (0xD7A4, 0xD800), (0xF900, 0xFFF0)):
        table[start:stop] = [_fold(chr(point)) for point in range(start, stop)]
    return table


def _fold(character: str) -> int:
    category = unicodedata.category(character)
    if category[0] == "M":
        # Vowel signs of Indic scripts are part of their words; combining accents of Latin are separate and rare.
        return ord(character) if ord(character) >= _AFTER_LATIN else 0
    if category[0] != "L":
        return 0
    small = character.lower()[0]
    small = _PLAIN.get(small, small)
    base = unicodedata.normalize("NFKD", small)[0]
    base = base.lower()[0]
    return ord(base) if unicodedata.category(base)[0] == "L" and ord(base) < _SIZE else ord(small)


#: tokens of most URLs, without information (section 3.1)
STOP_WORDS = ("www", "index", "html", "htm", "http", "https")
#: letters of the shortest token
SHORTEST_TOKEN = 2
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a batch of URLs in order. Token t of the batch is ``letters[start[t]:end[t]]``."""

    characters: NDArray[np.uint32]  #: code points of all URLs, each URL followed by a line feed
    letters: NDArray[np.uint16]  #: the same folded; 0 where there is no letter
    first: NDArray[np.int64]  #: [urls + 1] where each URL starts in the two arrays above
    start: NDArray[np.int64]  #: [tokens] first letter
    end: NDArray[np.int64]  #: [tokens] one past the last letter
    indptr: NDArray[np.int64]  #: [urls + 1] the tokens of URL u are indptr[u] to indptr[u + 1]

    def select(self, keep: NDArray[np.bool_]) -> Tokens:
        """Return the tokens for which ``keep`` is true."""
        count = np.concatenate(([0], np.cumsum(keep)))
        return Tokens(self.characters, self.letters, self.first, self.start[keep], self.end[keep], count[self.indptr])

    def to_strings(self) -> list[str]:
        """Return the tokens as strings, for debugging and tests."""
        text = self.letters.tobytes().decode("utf-16-le", "surrogatepass")
        return [text[a:b] for a, b in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def find_urls(self) -> NDArray[np.int64]:
        """Return the number of the URL of each token, [tokens]."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.indptr))


def join_urls(urls: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the code points of all readable URLs, each followed by a line feed; and [urls + 1] where each starts."""
    texts = make_all_readable(urls)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    first = np.concatenate(([0], np.cumsum(lengths + 1)))
    texts.append("")
    return np.frombuffer("\n".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32), first


def find_runs(urls: Sequence[str]) -> Tokens:
    """Return every run of letters of the URLs, nothing dropped.

    >>> find_runs(["http://a.example/x1"]).to_strings()
    ['http', 'a', 'example', 'x']
    """
    characters, first = join_urls(urls)
    letters = make_fold_table()[np.minimum(characters, 0xFFFF)]
    is_letter = letters != 0
    change = np.flatnonzero(is_letter[1:] != is_letter[:-1]) + 1
    if len(letters) and is_letter[0]:
        change = np.concatenate(([0], change))
    start, end = change[0::2], change[1::2]
    return Tokens(characters, letters, first, start, end, np.searchsorted(start, first))


def tokenize(urls: Sequence[str]) -> Tokens:
    """Return the tokens of the paper: runs of two letters or more that are not in `STOP_WORDS`.

    >>> tokenize(["http://www.internetwordstats.com/africa2.htm"]).to_strings()
    ['internetwordstats', 'com', 'africa']
    """
    tokens = find_runs(urls)
    long = tokens.select(tokens.end - tokens.start >= SHORTEST_TOKEN)
    return long.select(~np.isin(hash_tokens(long), hash_words(STOP_WORDS)))


def hash_tokens(tokens: Tokens) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each token, [tokens]: a word has the same hash in any batch on any machine.

    The hash is a polynomial of the letters modulo 2 ** 64, finished with two rounds of mixing. In half a million
    distinct words two share a hash with probability 1e-8; a URL written to collide harms only its own answer.
    """
    if not len(tokens.start):
        return np.zeros(0, dtype=np.uint64)
    lengths = tokens.end - tokens.start
    offset = np.cumsum(lengths) - lengths
    place = np.arange(int(lengths.sum())) - np.repeat(offset, lengths)
    letters = tokens.letters[place + np.repeat(tokens.start, lengths)]
    power = np.cumprod(np.full(int(lengths.max()), _BASE, dtype=np.uint64))
    return mix_bits(np.add.reduceat(letters * power[place], offset))


def mix_bits(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit of the numbers over all 64 bits (multiply, shift, twice)."""
    value = (value ^ (value >> _HALF)) * _MIX
    return (value ^ (value >> _HALF)) * _MIX


def hash_words(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return `hash_tokens` of words that are strings, [words].

    Raise a ValueError if one is not a single run of letters.

    >>> bool(hash_words(["Café"])[0] == hash_tokens(find_runs(["/cafe/"]))[0])
    True
    """
    tokens = find_runs(texts)
    if len(tokens.start) != len(texts) or not all(texts):
        raise ValueError("each word must be one run of letters")
    return hash_tokens(tokens)


#: zones of a URL
SCHEME, HOST, TLD, PATH = 0, 1, 2, 3
#: classes of the mark before or after a token
OTHER, SLASH, DOT, HYPHEN, UNDERSCORE, EQUALS = range(6)
_CLASSES = 6
#: the class of each mark; what is beyond ASCII is in that of the last
MARKS = np.zeros(128, dtype=np.uint8)
for _mark, _class in (
    ("\n", SLASH), ("/", SLASH), ("?", SLASH), ("#", SLASH), (".", DOT), ("-", HYPHEN), ("_", UNDERSCORE),
    ("=", EQUALS), ("&", EQUALS), (";", EQUALS), (":", OTHER), ("+", HYPHEN), (" ", HYPHEN),
):  # fmt: skip
    MARKS[ord(_mark)] = _class


def find_hosts(tokens: Tokens) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the host of each URL starts and ends, [urls], in ``Tokens.characters``.

    The host follows the first ``//`` if only a scheme precedes it, and otherwise is the beginning of the URL;
    it ends at the next ``/``, ``?`` or ``#``. User information before an ``@`` is no part of it.
    """
    characters = tokens.characters
    begin, stop = tokens.first[:-1], tokens.first[1:] - 1
    slash = np.flatnonzero(characters[:-1] == ord("/")) if len(characters) else np.zeros(0, dtype=np.int64)
    double = slash[characters[slash + 1] == ord("/")]
    mark = np.searchsorted(slash, begin)
    first_slash = np.append(slash, len(characters))[mark]
    first_double = np.append(double, -2)[np.minimum(np.searchsorted(double, begin), len(double))]
    starts_after_scheme = (first_double == first_slash) & (first_slash < stop)
    start = np.where(starts_after_scheme, first_slash + 2, begin)
    closing = np.flatnonzero((characters == ord("/")) | (characters == ord("?")) | (characters == ord("#")))
    end = np.append(closing, len(characters))[np.searchsorted(closing, start)]
    end = np.minimum(end, stop)
    at = np.flatnonzero(characters == ord("@"))
    if len(at):
        last = np.searchsorted(at, end) - 1
        has_user = (last >= 0) & (at[last] >= start)
        start = np.where(has_user, at[last] + 1, start)
    return start, end


def find_zones(tokens: Tokens) -> NDArray[np.uint8]:
    """[tokens] `SCHEME`, `HOST`, `TLD` (the last token of a host, after a dot) or `PATH` (path, query and fragment).

    >>> from graphlang.urls.tokens import find_runs
    >>> find_zones(find_runs(["http://a.example.org:80/x", "b.fr"])).tolist()
    [0, 1, 1, 2, 3, 1, 2]
    """
    start, end = find_hosts(tokens)
    counts = np.diff(tokens.indptr)
    zone = np.full(len(tokens.start), PATH, dtype=np.uint8)
    zone[tokens.start < np.repeat(end, counts)] = HOST
    zone[tokens.start < np.repeat(start, counts)] = SCHEME
    last = np.searchsorted(tokens.start, end) - 1
    has_token = (last >= 0) & (tokens.start[last] > start) if len(tokens.start) else np.zeros(len(end), dtype=bool)
    last = last[has_token]
    zone[last[tokens.characters[tokens.start[last] - 1] == ord(".")]] = TLD
    return zone


def find_positions(tokens: Tokens, zone: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Number each token by zone and marks, [tokens]; the first half of ``pt-BR`` counts as a whole segment.

    ``tokens`` must come from `find_runs`, because the halves of a locale are found as neighbours.

    Shapes: zone [tokens].

    >>> from graphlang.urls.tokens import find_runs
    >>> both = find_runs(["http://a.b/de/", "http://a.b/de-at/"])
    >>> number = find_positions(both, find_zones(both)).tolist()
    >>> number[3] == number[7]
    True
    """
    if not len(tokens.start):
        return np.zeros(0, dtype=np.uint8)
    characters = tokens.characters
    # A URL ends in a line feed, and so does the one before it: both read as the end of a segment.
    before = np.where(tokens.start > 0, characters[np.maximum(tokens.start - 1, 0)], ord("\n"))
    mark_before = MARKS[np.minimum(before, 127)]
    mark_after = MARKS[np.minimum(characters[tokens.end], 127)]
    length = tokens.end - tokens.start
    follows = np.append(tokens.start[1:], -1) == tokens.end + 1
    two = length == 2  # noqa: PLR2004
    joined = two & ((mark_after == HYPHEN) | (mark_after == UNDERSCORE)) & follows & np.append(two[1:], False)
    whole = joined & (np.append(mark_after[1:], OTHER) != mark_after) & (mark_before != mark_after)
    mark_after = np.where(whole, SLASH, mark_after)
    return (zone * _CLASSES + mark_before) * _CLASSES + mark_after


def number_position(zone: int, before: int, after: int) -> int:
    """Number a position by its zone, the class of the mark before and that of the mark after.

    >>> number_position(PATH, SLASH, SLASH)
    115
    """
    return (zone * _CLASSES + before) * _CLASSES + after


_FACTOR = np.uint64(0x2545F4914F6CDD1D)
_LETTERS_OF_WORD = 4  # of 16 bits, in 64


def join_letters(tokens: Tokens) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Return the letters of all tokens, with a 0 before, between and after them; and [urls + 1] where each URL starts.

    The mark between two URLs belongs to the latter.
    """
    turn = np.zeros(len(tokens.letters) + 1, dtype=np.int8)  # 1 where a token starts, -1 where it has ended
    turn[tokens.start] = 1
    turn[tokens.end] = -1
    inside = np.cumsum(turn, dtype=np.int8).view(np.bool_)
    is_written = inside.copy()
    is_written[1:] |= inside[:-1]  # the mark after each token
    letters = np.concatenate(([np.uint16(0)], (tokens.letters * inside[:-1])[is_written[:-1]]))
    offset = np.concatenate(([0], np.cumsum(tokens.end - tokens.start + 1)))
    return letters, offset[tokens.indptr]


def hash_ngrams(tokens: Tokens, n: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the hashes of all n-grams, and [urls + 1] where those of each URL start.

    Raise a ValueError if n is below 2.

    >>> from graphlang.urls.tokens import tokenize
    >>> hashes, first = hash_ngrams(tokenize(["weather", "it"]), 3)
    >>> len(hashes), first.tolist()
    (9, [0, 7, 9])
    """
    if n < 2:  # noqa: PLR2004
        raise ValueError(f"an n-gram has two letters or more, not {n}")
    letters, first = join_letters(tokens)
    count = len(letters) - n + 1
    if count <= 0:
        return np.zeros(0, dtype=np.uint64), np.zeros(len(first), dtype=np.int64)
    inside = np.ones(count, dtype=bool)
    for place in range(1, n - 1):
        inside &= letters[place : place + count] != 0
    if n == 2:  # noqa: PLR2004
        inside &= (letters[:-1] != 0) | (letters[1:] != 0)
    where = np.flatnonzero(inside)
    return mix_bits(_pack_ngrams(letters, n, count)[where] + np.uint64(n)), np.searchsorted(where, first)


def _pack_ngrams(letters: NDArray[np.uint16], n: int, count: int) -> NDArray[np.uint64]:
    """Pack each n-gram into a number, [count]: up to four letters side by side, more as a polynomial."""
    if n <= _LETTERS_OF_WORD:
        wide = np.concatenate((letters, np.zeros(_LETTERS_OF_WORD, dtype=np.uint16))).astype("<u2")
        four = np.ndarray(count, dtype="<u8", buffer=wide, strides=(2,))  # four letters from each place on
        return (four & np.uint64((1 << 16 * n) - 1)).astype(np.uint64)
    value = np.zeros(count, dtype=np.uint64)
    for place in range(n):
        value = value * _FACTOR + letters[place : place + count]
    return value
