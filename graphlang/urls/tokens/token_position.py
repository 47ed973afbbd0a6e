"""Where in its URL each token stands: scheme, host, top-level domain, path or query, and between which marks.

``de`` is Germany after the last dot of a host, German between two slashes, and a Spanish preposition between two
hyphens. A token's position is a small number that says so; the shipped model pairs it with every short token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.urls.tokens.tokenize import Tokens

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


def host_spans(tokens: Tokens) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[urls] where the host of each URL starts and ends in ``Tokens.characters``.

    The host follows the first ``//`` when only a scheme stands before it, and otherwise is the beginning of the URL;
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
        found = (last >= 0) & (at[last] >= start)
        start = np.where(found, at[last] + 1, start)
    return start, end


def zones(tokens: Tokens) -> NDArray[np.uint8]:
    """[tokens] `SCHEME`, `HOST`, `TLD` (the last token of a host, after a dot) or `PATH` (path, query and fragment).

    >>> from graphlang.urls.tokens.tokenize import runs
    >>> zones(runs(["http://a.example.org:80/x", "b.fr"])).tolist()
    [0, 1, 1, 2, 3, 1, 2]
    """
    start, end = host_spans(tokens)
    counts = np.diff(tokens.indptr)
    zone = np.full(len(tokens.start), PATH, dtype=np.uint8)
    zone[tokens.start < np.repeat(end, counts)] = HOST
    zone[tokens.start < np.repeat(start, counts)] = SCHEME
    last = np.searchsorted(tokens.start, end) - 1
    held = (last >= 0) & (tokens.start[last] > start) if len(tokens.start) else np.zeros(len(end), dtype=bool)
    last = last[held]
    zone[last[tokens.characters[tokens.start[last] - 1] == ord(".")]] = TLD
    return zone


def positions(tokens: Tokens, zone: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """[tokens] a number for zone, mark before and mark after; the first half of ``pt-BR`` counts as a whole segment.

    ``tokens`` must be all `runs` of the URLs, because the halves of a locale are found as neighbours.

    Args:
        tokens: All `runs` of the URLs, because the halves of a locale are found as neighbours.
        zone: [tokens] the zone of each (`zones`).

    >>> from graphlang.urls.tokens.tokenize import runs
    >>> both = runs(["http://a.b/de/", "http://a.b/de-at/"])
    >>> number = positions(both, zones(both)).tolist()
    >>> number[3] == number[7]
    True
    """
    if not len(tokens.start):
        return np.zeros(0, dtype=np.uint8)
    characters = tokens.characters
    # A URL ends in a line feed, and so does the one before it: both read as the end of a segment.
    before = np.where(tokens.start > 0, characters[np.maximum(tokens.start - 1, 0)], ord("\n"))
    left = MARKS[np.minimum(before, 127)]
    right = MARKS[np.minimum(characters[tokens.end], 127)]
    length = tokens.end - tokens.start
    follows = np.append(tokens.start[1:], -1) == tokens.end + 1
    joined = (length == 2) & ((right == HYPHEN) | (right == UNDERSCORE)) & follows & (np.append(length[1:], 0) == 2)  # noqa: PLR2004
    whole = joined & (np.append(right[1:], OTHER) != right) & (left != right)
    right = np.where(whole, SLASH, right)
    return (zone * _CLASSES + left) * _CLASSES + right


def position(zone: int, left: int, right: int) -> int:
    """The number of one position: its zone, the class of the mark before and of the mark after.

    Args:
        zone: Of the URL.
        left: Class of the mark before.
        right: Class of the mark after.

    >>> position(PATH, SLASH, SLASH)
    115
    """
    return (zone * _CLASSES + left) * _CLASSES + right
