"""Texts -> spans of one language each, and the shares that languages have of a text's letters."""

from __future__ import annotations

from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.codes import languages
from graphlang.content import relatives
from graphlang.content.segments import decode, units
from graphlang.content.segments.readers import ByProbabilities, ReadsParts, ask_again
from graphlang.content.text.normalise import characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

#: One sentence is enough where it is as sure as can be (13.8 of the floor's logs, of which changing there and back and
#: the language cost 13).
COSTS = decode.Costs(floor=1e-6, border=3.0, inside=7.0, language=7.0, resemblance=1.0)
#: Of methods that are too sure of a few words (`ReadsParts` tells which are not): two units, at least.
DOUBTFUL = decode.Costs(floor=0.003, border=2.5, inside=5.0, language=6.0, resemblance=1.0)
#: What Latin letters say, in logs of likelihood, for a language that is written in another script, if there are hardly
#: any; of more letters the less.
QUOTED = 8.0
QUOTED_LETTERS = 12.0
LIKELY = 0.01  #: probability that some unit of a text gives each of the text's languages, at least
LEAST = 0.03  #: share of a text's letters that is told
MOST = 5  #: languages of a text that are told
#: What tells that a part of a text is in a small relative of its language (`scoring.relatives`), fitted on documents of
#: FLORES that no table shows: how many units it has, the bound where the relative's is least, and the standard errors
#: by which its units must say more. A part has few units: so low a bound is safe where they agree better.
LEAST_UNITS = 5
LEAST_BOUND = 0.02
AGREE = 1.0
_TOGETHER = 4_096  # units that are identified at once
_NOTHING = -1  # label of units of which nothing can be told


class Span(NamedTuple):
    """A stretch of a text that is in one language.

    Attributes:
        begin: Where it begins, in characters.
        end: The place after its last character.
        label: Its language, and script where the label says it; ``und`` of letters of which nothing can be told, as
            those of a script that no label is written in, beside others.
        confidence: Mean probability of the label over its units, by letters; 0 of ``und``.
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


def shares(own: Sequence[Span]) -> list[Share]:
    """The languages of a text by their share, greatest first: at most `MOST`, none below `LEAST`, and not ``und``.

    >>> shares([Span(0, 9, "cym", 0.9, 6), Span(9, 12, "eng", 0.9, 2), Span(12, 99, "cym", 0.8, 92)])
    [Share(language='cym', share=0.98)]
    >>> shares([Span(0, 9, "eng", 0.9, 6), Span(9, 90, "und", 0.0, 54)])
    [Share(language='eng', share=0.1)]
    """
    counted: dict[str, int] = {}
    for span in own:
        language = languages.code(span.label) or span.label
        counted[language] = counted.get(language, 0) + span.letters
    total = sum(counted.values())
    counted.pop(languages.UND, None)
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [Share(name, number / total) for name, number in ordered[:MOST] if number >= LEAST * total > 0]


def _spans(identifier: Identifier, texts: list[str], cuts: list[list[units.Unit]]) -> list[list[Span]]:
    written = [text[unit.begin : unit.end] for text, own in zip(texts, cuts, strict=True) for unit in own]
    reading = ByProbabilities(identifier, written)
    chances = reading.probabilities()
    weight = units.letters(characters(written))
    sizes = [len(own) for own in cuts]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    border = np.array([unit.border for own in cuts for unit in own])
    text = np.repeat(np.arange(len(texts)), sizes)
    costs = COSTS if isinstance(identifier, ReadsParts) else DOUBTFUL
    likely = np.maximum.reduceat(chances, offsets[:-1]) > LIKELY
    told = decode.said(_quoting(chances, written, weight, likely[text], costs), costs, likely[text])
    path = decode.paths(told, offsets, border, costs, labels=chances.shape[1])
    path = ask_again(reading, path, text, np.arange(len(path)))
    bounds = relatives.lowered(relatives.bounds(identifier), LEAST_BOUND)
    path = relatives.settle(chances, path, text, bounds, least=LEAST_UNITS, agree=AGREE)
    path = np.where(chances.any(axis=1), path, _NOTHING)
    sure = chances[np.arange(len(path)), path] * weight
    told_units = zip((unit for own in cuts for unit in own), path.tolist(), weight.tolist(), sure.tolist(), strict=True)
    return [_joined(islice(told_units, size), identifier.labels) for size in sizes]


def _quoting(
    chances: NDArray[np.float32],
    written: list[str],
    letters: NDArray[np.int64],
    likely: NDArray[np.bool_],
    costs: decode.Costs,
) -> NDArray[np.float32]:
    """The probabilities of units, where few Latin letters say something for languages in other scripts, too.

    Texts in these quote names and code, which are no language of the text.
    """
    quoted = np.array([units.is_latin(text) for text in written]) & chances.any(axis=1)
    more = np.float32(costs.floor) * np.exp(QUOTED * np.exp(-letters / QUOTED_LETTERS)).astype(np.float32)
    return np.where(quoted[:, None] & likely & (chances == 0), more[:, None], chances)


def _joined(told: Iterable[tuple[units.Unit, int, int, float]], labels: tuple[str, ...]) -> list[Span]:
    """Units of one label after another as one span; units without letters belong to the one before them.

    Args:
        told: Of one text: its units, the label of each, how many letters it has, that times how sure it is.
        labels: Of the method.

    Returns:
        None where nothing is told of any unit: the text is in a script that no language here is written in.
    """
    with_letters = [own for own in told if own[2]]
    answer: list[Span] = []
    if all(label == _NOTHING for _, label, _, _ in with_letters):
        return answer
    for label, group in groupby(with_letters, key=itemgetter(1)):
        own = list(group)
        size = sum(letters for _, _, letters, _ in own)
        sure = 0.0 if label == _NOTHING else sum(sure for *_, sure in own) / size
        name = languages.UND if label == _NOTHING else labels[label]
        if answer:
            answer[-1] = answer[-1]._replace(end=own[0][0].begin)
        answer.append(Span(own[0][0].begin, own[-1][0].end, name, sure, size))
    return answer
