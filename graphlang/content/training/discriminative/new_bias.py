"""How much a language that is added to a model holds back, so that its relatives keep their texts.

The weights of an added language come of its counts alone; those of the others were trained against one another. So it
takes some texts of its relatives, few of which would go to it in a full training. Of lines that neither was counted on
it can be seen how many: its bias is lowered until no relative loses more than `LOST` of its texts to it, or until it
has itself lost `GIVEN_UP` of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.content.training.excerpts import Excerpts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.content.nfc.model import Discriminative

LOST: Final = 0.002  #: share of the texts of a relative that it may lose
GIVEN_UP: Final = 0.01  #: share of its own texts that a new language may lose for it
STEP: Final = 0.25
LEAST: Final = -4.0  #: bias
TEXTS: Final = 1_000  #: of each language
SHORTEST, LONGEST = 10, 180  #: characters of a text
_BATCH = 5_000  # texts whose scores are held at once
OWN: Final = -1  #: number of a text that is in the new language itself


class Contest(NamedTuple):
    """Texts that a new language and its relatives contend for.

    Attributes:
        gap: The new language's score less that of the best other one, (texts,).
        factor: What a bias of one adds to it, (texts,).
        language: The number of the relative that each is in, or `OWN`, (texts,).
        is_known: Whether the best other language is the one that the text is in, (texts,).
    """

    gap: NDArray[np.float64]
    factor: NDArray[np.float64]
    language: NDArray[np.int64]
    is_known: NDArray[np.bool_]


def bias(texts: Contest) -> float:
    """What is added to the bias of a new language, from 0 down to `LEAST`.

    Args:
        texts: Of it and its relatives.

    >>> of_both = Contest(np.array([0.4, 2.0]), np.ones(2), np.array([0, OWN]), np.array([True, False]))
    >>> bias(of_both), bias(of_both._replace(gap=np.array([0.4, 0.4])))
    (-0.5, -0.25)
    """
    is_own = texts.language == OWN
    numbers = np.bincount(texts.language[~is_own])
    at_first = int((texts.gap[is_own] > 0).sum())
    found = 0.0
    while found > LEAST:
        takes = texts.gap + texts.factor * found > 0
        lost = np.bincount(texts.language[~is_own & takes & texts.is_known], minlength=len(numbers))
        if (lost <= LOST * numbers).all():
            break
        kept = int((texts.gap[is_own] + texts.factor[is_own] * (found - STEP) > 0).sum())
        if at_first - kept > GIVEN_UP * is_own.sum():
            break
        found -= STEP
    return found


def fit(
    identifier: Discriminative, new: Mapping[str, Sequence[str]], relatives: Mapping[str, Sequence[str]], *, seed: int
) -> dict[str, float]:
    """What is added to the bias of each new language.

    Args:
        identifier: It knows them all.
        new: Lines of each new language that it was not counted on.
        relatives: Lines of other languages, of any kind.
        seed: Of the excerpts that are drawn from both.
    """
    names = (*new, *relatives)
    excerpts = Excerpts(
        [*new.values(), *relatives.values()], shortest=SHORTEST, longest=LONGEST, random=np.random.default_rng(seed)
    )
    texts, language = excerpts.draw(np.full(len(names), TEXTS, dtype=np.int64))
    truth = np.array([identifier.labels.index(name) for name in names])[language]
    found = {}
    for number, name in enumerate(new):
        own = _contest(identifier, texts, truth, identifier.labels.index(name))
        mine = (language == number) | (language >= len(new))
        of = np.where(language == number, OWN, language - len(new))
        found[name] = bias(Contest(own.gap[mine], own.factor[mine], of[mine], own.is_known[mine]))
    return found


def _contest(identifier: Discriminative, texts: Sequence[str], truth: NDArray[np.int64], label: int) -> Contest:
    """How near the label is to each text; in another script it is out of the question."""
    gap, factor = np.full(len(texts), -np.inf), np.zeros(len(texts))
    is_known = np.zeros(len(texts), dtype=np.bool_)
    script = identifier.parts.weights.script_of(np.array([label]))[0]
    inverse_temperature = identifier.parts.scores.inverse_temperature[script]
    for begin in range(0, len(texts), _BATCH):
        for rows, columns, scores, lengths in identifier.measure(texts[begin : begin + _BATCH]):
            first, last, _ = columns.indices(len(identifier.labels))
            if not first <= label < last or last - first == 1 or columns == slice(None):
                continue
            others = np.delete(scores, label - first, axis=1)
            best = others.argmax(axis=1)
            gap[begin + rows] = scores[:, label - first] - others.max(axis=1)
            factor[begin + rows] = inverse_temperature[np.minimum(lengths, len(inverse_temperature) - 1)]
            is_known[begin + rows] = best + first + (best >= label - first) == truth[begin + rows]
    return Contest(gap, factor, truth, is_known)
