"""The labels that texts have, the languages that the inference tells apart, and the way from one to the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.codes import languages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """L labels of C languages."""

    names: tuple[str, ...]  #: labels, ascending
    codes: tuple[str, ...]  #: languages, ascending
    language: NDArray[np.int16]  #: index of the language of each label; a last entry of -1; shape (L + 1,)
    usual: NDArray[np.int64]  #: index of the label that most pages of each language have; a last entry of -1; (C + 1,)

    @property
    def index(self) -> dict[str, int]:
        """The number of each language."""
        return {code: number for number, code in enumerate(self.codes)}


def labels_of(names: Iterable[str], pages: Mapping[str, int]) -> Labels:
    """Number labels and languages.

    Args:
        names: labels of a method.
        pages: how many pages have each label for their best; where two labels of a language are equal, or none is
            there, the first by name is the usual one.

    >>> found = labels_of(["srp_Latn", "deu", "srp_Cyrl", "und"], {"srp_Latn": 3})
    >>> found.codes, [found.names[at] for at in found.usual[:-1]]
    (('deu', 'srp'), ['deu', 'srp_Latn'])
    """
    known = sorted(set(names) - {languages.UND, languages.ZXX})
    codes = sorted({languages.split(name)[0] for name in known})
    index = {code: number for number, code in enumerate(codes)}
    language = np.array([*(index[languages.split(name)[0]] for name in known), -1], dtype=np.int16)
    usual = np.full(len(codes) + 1, -1, dtype=np.int64)
    for label in sorted(range(len(known)), key=lambda label: (-pages.get(known[label], 0), known[label])):
        if usual[language[label]] < 0:
            usual[language[label]] = label
    return Labels(tuple(known), tuple(codes), language, usual)


def spelled(column: NDArray[np.int16], own: NDArray[np.int16], labels: Labels) -> NDArray[np.int64]:
    """The label of a language for each page: that of its own text, where that has the language, else the usual one.

    Args:
        column: languages, -1 none, shape (n,).
        own: labels of the texts, best first, -1 padding, shape (n, k).
        labels: of all.

    Returns:
        Indices of labels, -1 none, shape (n,).
    """
    found = labels.usual[column]
    of_own = labels.language[own]
    for rank in range(own.shape[1] - 1, -1, -1):
        found = np.where((of_own[:, rank] == column) & (column >= 0), own[:, rank], found)
    return found.astype(np.int64)
