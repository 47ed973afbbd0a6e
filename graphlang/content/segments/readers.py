"""What is asked of a content method to find the languages of parts of texts.

A method that can say cheaply how well a short text fits one label, and keep what it read of many short texts, answers
both itself (`ReadsParts`). Of any other method they are made of its probabilities (`ByProbabilities`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier
    from graphlang.content.text.normalise import Characters

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]


class Reading(Protocol):
    """Short texts that were read."""

    def probabilities(self) -> Floats:
        """Of each text, (texts, labels); a row of 0 where nothing can be told."""

    def together(self, groups: Ints, members: Ints, labels: Ints) -> Ints:
        """The label of texts that are likely in one language, (groups,); that which was given where none can be told.

        Args:
            groups: Group g has the texts `members[groups[g] : groups[g + 1]]`, (groups + 1,).
            members: Numbers of texts.
            labels: That each group is believed to have, (groups,).
        """


@runtime_checkable
class ReadsParts(Protocol):
    """A method whose answers about a few words are probabilities by which the languages of parts can be told."""

    def fit(self, texts: Characters, labels: Ints) -> tuple[Floats, Ints]:
        """How well each text fits a label, and how many letters it has in the label's script, (texts,) each.

        Args:
            texts: A batch of them.
            labels: Of each text, (texts,).
        """

    def read(self, texts: Characters) -> Reading:
        """Read texts of a few words, each in its own script.

        Args:
            texts: A batch of them.
        """

    def part_probabilities(self, texts: Sequence[str]) -> Floats:
        """Probabilities of parts of texts, (texts, labels), as `Identifier.probabilities` has them of whole ones."""


class ByProbabilities:
    """Reading with a method of any kind.

    Args:
        identifier: The method.
        texts: What it reads.
    """

    def __init__(self, identifier: Identifier, texts: list[str]) -> None:
        self._identifier, self._texts = identifier, texts

    def probabilities(self) -> Floats:
        """Of each text, (texts, labels); a row of 0 where nothing can be told."""
        if isinstance(self._identifier, ReadsParts):
            return self._identifier.part_probabilities(self._texts)
        return self._identifier.probabilities(self._texts)

    def together(self, groups: Ints, members: Ints, labels: Ints) -> Ints:
        """The label of each group's texts, a line each.

        Args:
            groups: As `Reading.together` has it.
            members: As `Reading.together` has it.
            labels: As `Reading.together` has it.
        """
        joined = [
            "\n".join([self._texts[text] for text in members[begin:end].tolist()])
            for begin, end in pairwise(groups.tolist())
        ]
        chances = self._identifier.probabilities(joined)
        found: Ints = np.where(chances.max(axis=1) > 0, chances.argmax(axis=1), labels)
        return found


def ask_again(reading: Reading, path: Ints, texts: Ints, rows: Ints) -> Ints:
    """The labels of units, when of each text all units of one label are looked at together.

    Units are too short to tell close languages apart, and each of them leans to the larger one.

    Args:
        reading: What was read of units.
        path: The label of each unit, (units,).
        texts: The text that each is of, (units,).
        rows: Number of each in `reading`, (units,).
    """
    if not len(path):
        return path
    order = np.lexsort((path, texts))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (np.diff(path[order]) != 0) | (np.diff(texts[order]) != 0)
    starts = np.flatnonzero(first)
    found = reading.together(np.append(starts, len(order)), rows[order], path[order][starts])
    again = np.empty_like(path)
    again[order] = found[np.cumsum(first) - 1]
    return again
