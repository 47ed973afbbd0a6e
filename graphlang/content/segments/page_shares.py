"""Pages -> the shares that languages have of their letters, at little cost.

A page is cut into windows, and most pages are in one language: that which the method answers of the page. So of each
window it is asked only how well it fits that one, which costs a sixth of asking for all languages. The windows that
do not fit, or are in another script, are read closely, and the likeliest way through all windows (`decode`) says which
languages the page is in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.content import relatives
from graphlang.content.segments import decode, units
from graphlang.content.segments import spans as find
from graphlang.content.segments.readers import ByProbabilities, Reading, ReadsParts, ask_again
from graphlang.content.text import windows
from graphlang.content.text.normalise import Characters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

    Ints = NDArray[np.int64]

#: Windows stand apart, so that changing the language costs little. One window is enough where it is as sure as can be
#: (5.81 of the floor's logs, of which changing there and back and the language cost 5.8).
COSTS = decode.Costs(floor=0.003, border=1.0, inside=1.0, language=3.8, resemblance=1.0)
WINDOWS = 13  #: of a page, evenly spread
SIZE = 60  #: characters of a window
LEAST_WINDOWS = 5  #: that a page has in a language, for a small relative of that one to be looked for
LEAST_FIT = -0.3  #: of windows in the page's language few have less, and of those in others nearly all
_TOGETHER = 1_024  # pages
_WHOLE = 2_000  # characters of texts of which the windows are not cut out one by one
_NONE = -1  # label of pages of which nothing can be told


class Part(NamedTuple):
    """A label of the identifier's, by its number, and the part of a text's letters that is in it."""

    label: int
    share: float


def of_pages(identifier: Identifier, texts: Sequence[str], probabilities: NDArray[np.float32]) -> list[list[Part]]:
    """The languages of each page that is in several, by their share, greatest first; of all others none.

    Args:
        identifier: A content method.
        texts: Of the pages, any strings; those of less than two windows are in one language.
        probabilities: What the method answers of each, (texts, labels).
    """
    found: list[list[Part]] = [[] for _ in texts]
    best = probabilities.argmax(axis=1)
    best[probabilities[np.arange(len(texts)), best] <= 0] = _NONE
    long = np.array([place for place, text in enumerate(texts) if len(text) > 2 * SIZE], dtype=np.int64)
    for begin in range(0, len(long), _TOGETHER):
        some = long[begin : begin + _TOGETHER]
        for text, label, share in _shares(identifier, [texts[place] for place in some.tolist()], best[some]):
            found[some[text]].append(Part(label, share))
    return found


def _shares(identifier: Identifier, texts: list[str], best: Ints) -> Iterator[tuple[int, int, float]]:
    """Text, label and share, for those of the texts that are in several languages."""
    parts, offsets = windows.cut(texts, WINDOWS, SIZE, whole=_WHOLE)
    text = np.repeat(np.arange(len(texts)), np.diff(offsets))
    letters = units.letters(parts)
    odd = _odd(identifier, parts, best[text], letters)
    kept = (np.bincount(text, weights=odd) > 0)[text]  # windows of pages where one is odd, at least
    odd, letters, text = odd[kept], letters[kept], text[kept]
    reading, page = _read(identifier, parts, np.flatnonzero(kept)[odd]), best[text]
    chances, number = reading.probabilities(), np.cumsum(odd) - 1
    path = _path(chances, odd, np.where(odd, _NONE, page), text)
    other = odd & (path != page)
    again = ask_again(reading, path[other], text[other], number[other])
    path[other] = np.where(_taken_for(identifier, again, page[other]), page[other], again)
    other &= path != page
    path[other] = relatives.settle(
        chances[number[other]], path[other], text[other], relatives.bounds(identifier), least=LEAST_WINDOWS
    )
    return _counted(text, path, letters)


def _taken_for(identifier: Identifier, path: Ints, page: Ints) -> NDArray[np.bool_]:
    """Which windows were taken for a great relative of their page's language (`scoring.relatives`), (windows,)."""
    labels = len(identifier.labels)
    pairs = sorted(great * labels + small for great, others in relatives.bounds(identifier).items() for small in others)
    if not pairs:
        return np.zeros(len(path), dtype=np.bool_)
    # A search, for `numpy.isin` may import `numpy.ma`, which takes as long as reading thirty pages.
    known, asked = np.array(pairs), path * labels + page
    return np.asarray(known[np.minimum(np.searchsorted(known, asked), len(known) - 1)] == asked)


def _odd(identifier: Identifier, parts: Characters, labels: Ints, letters: Ints) -> NDArray[np.bool_]:
    """Which windows may be in another language than the page's, (windows,)."""
    if not isinstance(identifier, ReadsParts):
        return letters > 0
    fit, own = identifier.fit(parts, np.maximum(labels, 0))
    odd: NDArray[np.bool_] = (letters > 0) & ((labels == _NONE) | (fit < LEAST_FIT) | (2 * own < letters))
    return odd


def _read(identifier: Identifier, parts: Characters, some: Ints) -> Reading:
    if isinstance(identifier, ReadsParts):
        return identifier.read(Characters(parts.symbols, parts.begins[some], parts.ends[some]))
    return ByProbabilities(identifier, parts.texts(some))


def _path(chances: NDArray[np.float32], read: NDArray[np.bool_], page: Ints, text: Ints) -> Ints:
    """The label of each window, (windows,).

    Args:
        chances: Probabilities of the windows that were read closely.
        read: Which those are, (windows,).
        page: The page's label where a window fits it, `_NONE` elsewhere, (windows,).
        text: The page that each is of, (windows,).
    """
    close, fits = decode.said(chances, COSTS), np.flatnonzero(page != _NONE)
    unit = np.concatenate((np.flatnonzero(read)[close.unit], fits))
    order = np.argsort(unit, kind="stable")
    told = decode.Said(
        unit[order],
        np.concatenate((close.label, page[fits]))[order],
        np.concatenate((close.more, np.full(len(fits), -np.log(COSTS.floor))))[order],
    )
    offsets = np.append(np.flatnonzero(np.diff(text, prepend=-1)), len(text))
    return decode.paths(told, offsets, np.ones(len(page), dtype=np.bool_), COSTS, labels=chances.shape[1])


def _counted(text: Ints, path: Ints, letters: Ints) -> Iterator[tuple[int, int, float]]:
    """The shares of texts in several languages, text by text, the greatest first."""
    most = int(path.max(initial=0)) + 1
    pair, place = np.unique(text * most + path, return_inverse=True)
    number = np.bincount(place, weights=letters)
    whole = np.bincount(text, weights=letters)
    of, label = np.divmod(pair, most)
    share = number / np.maximum(whole[of], 1)
    told = share >= find.LEAST
    told &= (np.bincount(of[told], minlength=len(whole)) > 1)[of]
    order = np.flatnonzero(told)[np.lexsort((label[told], -share[told], of[told]))]
    return zip(of[order].tolist(), label[order].tolist(), share[order].tolist(), strict=True)
