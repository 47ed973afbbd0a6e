"""The interface by which a content method reads parts of texts.

A method implements it (`ReadsParts`) if it can compute cheaply how well a short text fits one label, and combine what
it read of several short texts. For any other method both are made of its probabilities (`ByProbabilities`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier
    from graphlang.content.text.normalise import Characters

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]


class Reading(Protocol):
    """Short texts that a method has read."""

    def probabilities(self) -> Floats:
        """Compute probabilities, (texts, labels); a row of 0 without an answer."""

    def label_groups(self, groups: Ints, members: Ints, labels: Ints) -> Ints:
        """Identify groups of texts that are likely in one language, (groups,); without an answer the presumed label.

        Args:
            groups: Group g has the texts `members[groups[g] : groups[g + 1]]`, (groups + 1,).
            members: Numbers of texts.
            labels: Presumed label of each group, (groups,).
        """


@runtime_checkable
class ReadsParts(Protocol):
    """A method whose probabilities of a few words are calibrated well enough to find the languages of parts."""

    def fit(self, texts: Characters, labels: Ints) -> tuple[Floats, Ints]:
        """Compute how well each text fits a label, and count its letters in the label's script, (texts,) each.

        Args:
            texts: Short texts.
            labels: Of each text, (texts,).
        """

    def read(self, texts: Characters) -> Reading:
        """Read texts of a few words, each in its own script."""


class ByProbabilities:
    """A reading of texts by a method of any kind."""

    def __init__(self, identifier: Identifier, texts: list[str]) -> None:
        self._identifier, self._texts = identifier, texts

    def probabilities(self) -> Floats:
        """Compute probabilities, (texts, labels); a row of 0 without an answer."""
        return self._identifier.probabilities(self._texts)

    def label_groups(self, groups: Ints, members: Ints, labels: Ints) -> Ints:
        """Identify groups of texts, joined by line feeds, as `Reading.label_groups` specifies."""
        joined = [
            "\n".join([self._texts[text] for text in members[begin:end].tolist()])
            for begin, end in pairwise(groups.tolist())
        ]
        chances = self._identifier.probabilities(joined)
        best: Ints = np.where(chances.max(axis=1) > 0, chances.argmax(axis=1), labels)
        return best


def relabel_together(reading: Reading, path: Ints, texts: Ints, rows: Ints) -> Ints:
    """Identify again the units of one text and label together, (units,).

    Units are too short to discriminate close languages, and each of them leans to the larger one. By unit, (units,):
    `path`, its label; `texts`; `rows`, its number in `reading`.
    """
    if not len(path):
        return path
    order = np.lexsort((path, texts))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (np.diff(path[order]) != 0) | (np.diff(texts[order]) != 0)
    starts = np.flatnonzero(first)
    labels = reading.label_groups(np.append(starts, len(order)), rows[order], path[order][starts])
    again = np.empty_like(path)
    again[order] = labels[np.cumsum(first) - 1]
    return again
