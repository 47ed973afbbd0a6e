"""Find the spans of a text that are in one language each, and the share of letters of each language."""

from __future__ import annotations

from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.codes import languages
from graphlang.content import relatives
from graphlang.content.segments import decode, units
from graphlang.content.segments.readers import ByProbabilities, ReadsParts, relabel_together
from graphlang.content.text.normalise import join_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

#: A sentence of three words is enough ("I am tired." in French) if it is five thousand times as likely in its
#: language: to change there and back and the further language cost 8.5. Units that contradict this count twice.
COSTS = decode.Costs(floor=1e-6, border=2.0, inside=7.0, language=4.5, resemblance=2.0)
#: For methods that are too sure of a few words (all but `ReadsParts`): two units at least.
DOUBTFUL = decode.Costs(floor=0.003, border=2.5, inside=5.0, language=6.0, resemblance=1.0)
#: Support of a few Latin letters, in logs of likelihood, for a language in another script; it falls with their number.
QUOTED = 13.0
QUOTED_LETTERS = 12.0
LIKELY = 0.01  #: a language of a text has this probability in one of its units, at least
LEAST = 0.03  #: share of a text's letters that a listed language has, at least
MOST = 5  #: languages that are listed
#: By these a part of a text is in a small relative of its language (`relatives`): its units, the lowest bound, and the
#: standard errors by which the support must exceed it. Fitted on documents of FLORES that no table uses. A part has few
#: units, and a bound this low is safe because they must agree better.
LEAST_UNITS = 5
LEAST_BOUND = 0.02
AGREE = 1.0
_BATCH = 4_096  # units that are identified together
_NOTHING = -1  # label of units without an answer


class Span(NamedTuple):
    """A stretch of a text that is in one language."""

    begin: int  #: in characters
    end: int  #: the place after its last character
    label: str  #: ``und`` without an answer, as for letters of a script without labels
    confidence: float  #: mean probability of the label over its units, by letters; 0 for ``und``
    letters: int


class Share(NamedTuple):
    """A language, and the part of a text's letters that is in it."""

    language: str
    share: float


def find_spans(identifier: Identifier, texts: Sequence[str]) -> list[list[Span]]:
    """Find the spans of each text, from the unit of its first letter to that of its last; none without an answer."""
    cuts = [units.cut(text) for text in texts]
    text_spans: list[list[Span]] = [[] for _ in texts]
    begin = 0
    while begin < len(texts):  # texts whose units fit in a batch, at least one
        end, number = begin + 1, len(cuts[begin])
        while end < len(texts) and number + len(cuts[end]) <= _BATCH:
            number += len(cuts[end])
            end += 1
        places = [place for place in range(begin, end) if cuts[place]]
        answers = _find_batch_spans(identifier, [texts[i] for i in places], [cuts[i] for i in places]) if places else []
        for place, answer in zip(places, answers, strict=True):
            text_spans[place] = answer
        begin = end
    return text_spans


def list_shares(text_spans: Sequence[Span]) -> list[Share]:
    """List the languages of a text by their share, greatest first: at most `MOST`, none below `LEAST`, without ``und``.

    >>> list_shares([Span(0, 9, "cym", 0.9, 6), Span(9, 12, "eng", 0.9, 2), Span(12, 99, "cym", 0.8, 92)])
    [Share(language='cym', share=0.98)]
    >>> list_shares([Span(0, 9, "eng", 0.9, 6), Span(9, 90, "und", 0.0, 54)])
    [Share(language='eng', share=0.1)]
    """
    counted: dict[str, int] = {}
    for span in text_spans:
        language = languages.code(span.label) or span.label
        counted[language] = counted.get(language, 0) + span.letters
    total = sum(counted.values())
    counted.pop(languages.UND, None)
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [Share(name, number / total) for name, number in ordered[:MOST] if number >= LEAST * total > 0]


def _find_batch_spans(identifier: Identifier, texts: list[str], cuts: list[list[units.Unit]]) -> list[list[Span]]:
    written = [text[unit.begin : unit.end] for text, cut in zip(texts, cuts, strict=True) for unit in cut]
    reading = ByProbabilities(identifier, written)
    chances = reading.probabilities()
    weight = units.count_letters(join_texts(written))
    sizes = [len(cut) for cut in cuts]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    border = np.array([unit.border for cut in cuts for unit in cut])
    text = np.repeat(np.arange(len(texts)), sizes)
    costs = COSTS if isinstance(identifier, ReadsParts) else DOUBTFUL
    likely = np.maximum.reduceat(chances, offsets[:-1]) > LIKELY
    quoting = _support_quotations(chances, written, weight, likely[text], costs)
    support = decode.compute_support(quoting, costs, likely[text])
    path = decode.find_paths(support, offsets, border, costs, labels=chances.shape[1])
    path = relabel_together(reading, path, text, np.arange(len(path)))
    bounds = relatives.lower_bounds(relatives.find_bounds(identifier), LEAST_BOUND)
    path = relatives.relabel_relatives(chances, path, text, bounds, minimum=LEAST_UNITS, agree=AGREE)
    path = np.where(chances.any(axis=1), path, _NOTHING)
    sure = chances[np.arange(len(path)), path] * weight
    rows = zip((unit for cut in cuts for unit in cut), path.tolist(), weight.tolist(), sure.tolist(), strict=True)
    return [_join(islice(rows, size), identifier.labels) for size in sizes]


def _support_quotations(
    chances: NDArray[np.float32],
    written: list[str],
    letters: NDArray[np.int64],
    likely: NDArray[np.bool_],
    costs: decode.Costs,
) -> NDArray[np.float32]:
    """Let units of few Latin letters support languages in other scripts as well, whose texts quote names and code."""
    quoted = np.array([units.is_latin(text) for text in written]) & chances.any(axis=1)
    support = np.float32(costs.floor) * np.exp(QUOTED * np.exp(-letters / QUOTED_LETTERS)).astype(np.float32)
    return np.where(quoted[:, None] & likely & (chances == 0), support[:, None], chances)


def _join(rows: Iterable[tuple[units.Unit, int, int, float]], labels: tuple[str, ...]) -> list[Span]:
    """Join successive units of one label to a span; no spans if no unit has an answer.

    `rows` are those of one text: each unit, its label, its letters, and its letters times its probability.
    """
    with_letters = [row for row in rows if row[2]]
    answer: list[Span] = []
    if all(label == _NOTHING for _, label, _, _ in with_letters):
        return answer
    for label, group in groupby(with_letters, key=itemgetter(1)):
        run = list(group)
        size = sum(letters for _, _, letters, _ in run)
        sure = 0.0 if label == _NOTHING else sum(sure for *_, sure in run) / size
        name = languages.UND if label == _NOTHING else labels[label]
        if answer:
            answer[-1] = answer[-1]._replace(end=run[0][0].begin)  # up to it are units without letters
        answer.append(Span(run[0][0].begin, run[-1][0].end, name, sure, size))
    return answer
