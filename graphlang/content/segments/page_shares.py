"""Find the shares that languages have of the letters of pages, at little cost.

Most pages are in one language, the method's answer for the page. So a page is cut into windows, and each is compared
with that language alone, which costs a sixth of a comparison with all languages. Windows that do not fit, or are in
another script, are read closely, and the likeliest path through all windows (`decode`) gives the languages of the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.content import relatives
from graphlang.content.segments import decode, spans, units
from graphlang.content.segments.readers import ByProbabilities, Reading, ReadsParts, relabel_together
from graphlang.content.text import windows
from graphlang.content.text.normalise import Characters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

    Ints = NDArray[np.int64]

#: There are gaps between windows, so to change the language costs little. One entirely sure window is enough: its log
#: over the floor is 5.81, and to change there and back and the further language cost 5.8.
COSTS = decode.Costs(floor=0.003, border=1.0, inside=1.0, language=3.8, resemblance=1.0)
WINDOWS = 13  #: of a page, evenly spread
SIZE = 60  #: characters of a window
LEAST_WINDOWS = 5  #: of a page in a language that is compared with a small relative
LEAST_FIT = -0.3  #: few windows in the page's language have less, and nearly all others do
MAJORITY = 0.5  #: share of the letters of a page from which its language may be certain
MINORITY = 0.95  #: probability of other languages at most
_BATCH = 1_024  # pages
_WHOLE = 2_000  # characters of texts that are copied whole instead of window by window
_NONE = -1  # label of pages without an answer


class LabelShare(NamedTuple):
    """The number of a label, and the share of a text's letters that is in it."""

    label: int
    share: float


def compute_page_shares(
    identifier: Identifier, texts: Sequence[str], probabilities: NDArray[np.float32]
) -> list[list[LabelShare]]:
    """List the languages of each page that is in several, greatest share first; nothing for other pages.

    A text of less than two windows is in one language. `probabilities` (texts, labels) are the method's answers.
    """
    parts: list[list[LabelShare]] = [[] for _ in texts]
    best = probabilities.argmax(axis=1)
    best[probabilities[np.arange(len(texts)), best] <= 0] = _NONE
    long = np.array([place for place, text in enumerate(texts) if len(text) > 2 * SIZE], dtype=np.int64)
    for begin in range(0, len(long), _BATCH):
        rows = long[begin : begin + _BATCH]
        for text, label, share in _find_shares(identifier, [texts[place] for place in rows.tolist()], best[rows]):
            parts[rows[text]].append(LabelShare(label, share))
    return parts


def doubt_minorities(probabilities: NDArray[np.float32], parts: Sequence[Sequence[LabelShare]]) -> None:
    """Limit the probability of an answer whose language has less than half of a page, in place.

    The rest goes to the language of most letters. `probabilities` (texts, labels) are the answers of the method,
    `parts` the result of `compute_page_shares`.

    >>> answers = np.float32([[0.99, 0.01], [0.99, 0.01]])
    >>> doubt_minorities(answers, [[LabelShare(1, 0.6), LabelShare(0, 0.4)], [LabelShare(0, 0.6), LabelShare(1, 0.4)]])
    >>> answers.round(2).tolist()
    [[0.949999988079071, 0.05000000074505806], [0.9900000095367432, 0.009999999776482582]]
    """
    for row, languages in enumerate(parts):
        if not languages:
            continue
        best = int(probabilities[row].argmax())
        share = sum(item.share for item in languages if item.label == best)
        excess = probabilities[row, best] - np.float32(MINORITY)
        if share < MAJORITY and excess > 0:
            probabilities[row, best] -= excess
            probabilities[row, languages[0].label] += excess


def _find_shares(identifier: Identifier, texts: list[str], best: Ints) -> Iterator[tuple[int, int, float]]:
    """Yield text, label and share of the texts in several languages."""
    parts, offsets = windows.cut(texts, WINDOWS, SIZE, whole=_WHOLE)
    text = np.repeat(np.arange(len(texts)), np.diff(offsets))
    letters = units.count_letters(parts)
    odd = _find_odd(identifier, parts, best[text], letters)
    mixed = (np.bincount(text, weights=odd) > 0)[text]  # windows of pages with an odd one
    odd, letters, text = odd[mixed], letters[mixed], text[mixed]
    reading, page = _read(identifier, parts, np.flatnonzero(mixed)[odd]), best[text]
    chances, number = reading.probabilities(), np.cumsum(odd) - 1
    path = _find_path(chances, odd, np.where(odd, _NONE, page), text)
    other = odd & (path != page)
    again = relabel_together(reading, path[other], text[other], number[other])
    path[other] = np.where(_is_great_relative(identifier, again, page[other]), page[other], again)
    other &= path != page
    path[other] = relatives.relabel_relatives(
        chances[number[other]], path[other], text[other], relatives.find_bounds(identifier), minimum=LEAST_WINDOWS
    )
    return _count_shares(text, path, letters)


def _is_great_relative(identifier: Identifier, path: Ints, page: Ints) -> NDArray[np.bool_]:
    """Find windows whose label is a great relative of their page's language (`relatives`), (windows,)."""
    labels = len(identifier.labels)
    pairs = sorted(
        great * labels + small
        for great, small_labels in relatives.find_bounds(identifier).items()
        for small in small_labels
    )
    if not pairs:
        return np.zeros(len(path), dtype=np.bool_)
    # `numpy.isin` may import `numpy.ma`, which takes as long as reading thirty pages.
    great_pairs, pair = np.array(pairs), path * labels + page
    return np.asarray(great_pairs[np.minimum(np.searchsorted(great_pairs, pair), len(great_pairs) - 1)] == pair)


def _find_odd(identifier: Identifier, parts: Characters, labels: Ints, letters: Ints) -> NDArray[np.bool_]:
    """Find windows that may be in another language than their page, (windows,)."""
    if not isinstance(identifier, ReadsParts):
        return letters > 0
    fit, in_script = identifier.fit(parts, np.maximum(labels, 0))
    odd: NDArray[np.bool_] = (letters > 0) & ((labels == _NONE) | (fit < LEAST_FIT) | (2 * in_script < letters))
    return odd


def _read(identifier: Identifier, parts: Characters, rows: Ints) -> Reading:
    if isinstance(identifier, ReadsParts):
        return identifier.read(Characters(parts.symbols, parts.begins[rows], parts.ends[rows]))
    return ByProbabilities(identifier, parts.texts(rows))


def _find_path(chances: NDArray[np.float32], read: NDArray[np.bool_], page: Ints, text: Ints) -> Ints:
    """Find the likeliest label of each window, (windows,).

    `chances` are probabilities of the windows that were `read` closely (windows,). `page` (windows,) is the page's
    label if a window fits it, else `_NONE`; `text` (windows,) the page of each window.
    """
    close, fits = decode.compute_support(chances, COSTS), np.flatnonzero(page != _NONE)
    unit = np.concatenate((np.flatnonzero(read)[close.unit], fits))
    order = np.argsort(unit, kind="stable")
    support = decode.Support(
        unit[order],
        np.concatenate((close.label, page[fits]))[order],
        np.concatenate((close.log, np.full(len(fits), -np.log(COSTS.floor))))[order],
    )
    offsets = np.append(np.flatnonzero(np.diff(text, prepend=-1)), len(text))
    return decode.find_paths(support, offsets, np.ones(len(page), dtype=np.bool_), COSTS, labels=chances.shape[1])


def _count_shares(text: Ints, path: Ints, letters: Ints) -> Iterator[tuple[int, int, float]]:
    """Yield the shares of texts in several languages, text by text, the greatest first."""
    count = int(path.max(initial=0)) + 1
    pair, place = np.unique(text * count + path, return_inverse=True)
    number = np.bincount(place, weights=letters)
    total = np.bincount(text, weights=letters)
    page, label = np.divmod(pair, count)
    share = number / np.maximum(total[page], 1)
    listed = share >= spans.LEAST
    listed &= (np.bincount(page[listed], minlength=len(total)) > 1)[page]
    order = np.flatnonzero(listed)[np.lexsort((label[listed], -share[listed], page[listed]))]
    return zip(page[order].tolist(), label[order].tolist(), share[order].tolist(), strict=True)
