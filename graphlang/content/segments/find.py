"""Texts -> spans of one language each, and the shares that languages have of a text's letters."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, log
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from graphlang.codes import languages
from graphlang.content.segments import decode, units
from graphlang.content.text import windows
from graphlang.content.text.normalise import characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

    Ints = NDArray[np.int64]

Name = TypeVar("Name", int, str)
LEAST = 0.03  #: share of a text's letters that is told
MOST = 5  #: languages of a text that are told
_TOGETHER = 4_096  # units that are identified at once
_FIRST_LOOK = 8  # units of a page
_SECOND_LOOK = 16
_SHORT = (2 * ceil(decode.LEAST_GAIN / -log(decode.FLOOR)) - 1) * units.SIZE  # characters, of too few units for two
_DOUBT = 4.0  # log likelihood that a first look may miss with one language: half of what a second one costs


class Span(NamedTuple):
    """A stretch of a text that is in one language.

    Attributes:
        begin: Where it begins, in characters.
        end: The place after its last character.
        label: Its language, and script where the label says it.
        confidence: Mean probability of the label over its units, by letters.
        letters: Letters in it.
    """

    begin: int
    end: int
    label: str
    confidence: float
    letters: int


class Share(NamedTuple):
    """A language, and the part of a text's letters that is in it."""

    language: str
    share: float


class _Told(NamedTuple):
    """Units of a text and what is said of them."""

    written: list[str]
    path: Ints  #: the label of each
    weight: Ints  #: letters of each


class Part(NamedTuple):
    """The same of a label of the identifier's, by its number."""

    label: int
    share: float


def spans(identifier: Identifier, texts: Sequence[str]) -> list[list[Span]]:
    """The spans of each text, from its first letter's unit to its last one's; none where nothing can be told.

    Args:
        identifier: A content method.
        texts: Any strings.
    """
    cuts = [units.cut(text) for text in texts]
    found: list[list[Span]] = [[] for _ in texts]
    begin = 0
    while begin < len(texts):  # texts whose units fit together, one at least
        end, number = begin + 1, len(cuts[begin])
        while end < len(texts) and number + len(cuts[end]) <= _TOGETHER:
            number += len(cuts[end])
            end += 1
        some = [place for place in range(begin, end) if cuts[place]]
        answers = _spans(identifier, [texts[i] for i in some], [cuts[i] for i in some]) if some else []
        for place, own in zip(some, answers, strict=True):
            found[place] = own
        begin = end
    return found


def of_pages(identifier: Identifier, texts: Sequence[str], mixed: NDArray[np.bool_] | None = None) -> list[list[Part]]:
    """Shares in many long texts at little cost: of a few units each, and of more where those may differ in language.

    Args:
        identifier: A content method.
        texts: Any strings.
        mixed: Which of them to look at, for the others are in one language, (texts,); None where that is not known.

    Returns:
        Of each text its labels by their share, greatest first, within the bounds of `shares`; none where there is no
        letter, too little text for two languages, or nothing to look at.
    """
    found: list[list[Part]] = [[] for _ in texts]
    left = [place for place, text in enumerate(texts) if len(text) > _SHORT and (mixed is None or mixed[place])]
    for number, gain in ((_FIRST_LOOK, _DOUBT), (_SECOND_LOOK, 0.0)) if mixed is None else ((_SECOND_LOOK, 0.0),):
        told = _look(identifier, [texts[place] for place in left], number, gain=gain)
        for place, own in zip(left, told, strict=True):
            found[place] = own or []
        left = [place for place, own in zip(left, told, strict=True) if own is None]
    return found


def shares(own: Sequence[Span]) -> list[Share]:
    """The languages of a text by their share, greatest first: at most `MOST`, none below `LEAST`.

    >>> shares([Span(0, 9, "cym", 0.9, 6), Span(9, 12, "eng", 0.9, 2), Span(12, 99, "cym", 0.8, 92)])
    [Share(language='cym', share=0.98)]
    """
    counted = [(languages.code(span.label) or span.label, span.letters) for span in own]
    return [Share(language, share) for language, share in _shares(counted)]


def _shares(counts: Iterable[tuple[Name, int]]) -> list[tuple[Name, float]]:
    counted: dict[Name, int] = {}
    for name, letters in counts:
        counted[name] = counted.get(name, 0) + letters
    total = sum(counted.values())
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [(name, number / total) for name, number in ordered[:MOST] if number >= LEAST * total > 0]


def _look(identifier: Identifier, texts: Sequence[str], number: int, *, gain: float) -> list[list[Part] | None]:
    """Shares of letters in so many units, evenly spread; None where a second language could be worth `gain`."""
    found: list[list[Part] | None] = []
    for begin in range(0, len(texts), _TOGETHER // number):
        some = texts[begin : begin + _TOGETHER // number]
        parts, offsets = windows.cut(some, number, units.SIZE)
        weight, written = units.letters(parts), parts.texts()
        least = np.inf if gain else decode.LEAST_GAIN
        border = np.ones(len(written), dtype=np.bool_)
        path, missed = decode.paths(identifier.probabilities(written), offsets, border, least=least)
        mixed: dict[int, _Told] = {}
        for text, (first, last) in enumerate(pairwise(offsets.tolist())):
            if missed[text] <= (gain or least):
                found.append([Part(int(path[first]), 1.0)] if weight[first:last].any() else [])
            elif gain:
                found.append(None)
            else:
                mixed[len(found)] = _Told(written[first:last], path[first:last], weight[first:last])
                found.append([])
        _reconsider(identifier, list(mixed.values()))
        for place, told in mixed.items():
            counted = zip(told.path.tolist(), told.weight.tolist(), strict=True)
            found[place] = [Part(label, share) for label, share in _shares(counted)]
    return found


def _spans(identifier: Identifier, texts: list[str], cuts: list[list[units.Unit]]) -> list[list[Span]]:
    written = [text[unit.begin : unit.end] for text, own in zip(texts, cuts, strict=True) for unit in own]
    chances = identifier.probabilities(written)
    weight = units.letters(characters(written))
    offsets = np.concatenate(([0], np.cumsum([len(own) for own in cuts])))
    path, _ = decode.paths(chances, offsets, np.array([unit.border for own in cuts for unit in own]))
    places = list(pairwise(offsets.tolist()))
    all_told = [_Told(written[begin:end], path[begin:end], weight[begin:end]) for begin, end in places]
    _reconsider(identifier, all_told)
    found: list[list[Span]] = []
    for own, told, (begin, end) in zip(cuts, all_told, places, strict=True):
        of_units = chances[begin:end]
        # Nothing is told of a script that no language here is written in.
        found.append(_joined(own, told.path, of_units, told.weight, identifier.labels) if of_units.any() else [])
    return found


def _reconsider(identifier: Identifier, all_told: Sequence[_Told]) -> None:
    """Ask again for each language that was found in a text, with all that is in it; paths are changed in place.

    Units are too short to tell close languages apart, and each of them leans to the larger one.
    """
    places: list[tuple[_Told, int]] = []
    joined: list[str] = []
    for told in all_told:
        for label in sorted(set(told.path.tolist())):
            places.append((told, label))
            joined.append("\n".join(told.written[unit] for unit in np.flatnonzero(told.path == label).tolist()))
    if not joined:
        return
    chances = identifier.probabilities(joined)
    likeliest, any_known = chances.argmax(axis=1).tolist(), (chances.max(axis=1) > 0).tolist()
    before = {id(told): told.path.copy() for told in all_told}
    for (told, label), likely, known in zip(places, likeliest, any_known, strict=True):
        if known:
            told.path[before[id(told)] == label] = likely


def _joined(
    own: list[units.Unit],
    path: np.ndarray,
    chances: np.ndarray,
    weight: np.ndarray,
    labels: tuple[str, ...],
) -> list[Span]:
    """Units of one label after another as one span; units without letters belong to the one before them."""
    filled = np.flatnonzero(weight)
    if not len(filled):
        return []
    starts = filled[np.concatenate(([True], path[filled][1:] != path[filled][:-1]))]
    ends = [*starts[1:].tolist(), int(filled[-1]) + 1]
    answer = []
    for begin, end in zip(starts.tolist(), ends, strict=True):
        label, size = int(path[begin]), int(weight[begin:end].sum())
        sure = float((chances[begin:end, label] * weight[begin:end]).sum() / size)
        answer.append(Span(own[begin].begin, own[end - 1].end, labels[label], sure, size))
    return answer
