"""Scripts of pages whose text does not show it, such as unfetched pages.

A method identifies labels (a language with its script), but links identify languages. If a language has several
scripts, the label of such a page comes from a language tag in its URL (``/zh_tw/``). Otherwise it is the most frequent
label of the language on its host, else in the collection.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.codes import languages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

#: A language with a territory or a script, as a whole word.
_TAG: Final = re.compile(r"(?<![a-z0-9])([a-z]{2,3})[-_]([a-z]{2}|[a-z]{4})(?![a-z0-9])")
_LONGEST: Final = 2_000  #: characters of a URL that are read


@dataclass(frozen=True, slots=True, eq=False)
class Scripts:
    """The labels of C languages by number, L at most; s languages have several."""

    language: NDArray[np.int16]  #: of each label; a last entry of -1; shape (L + 1,)
    usual: NDArray[np.int64]  #: label that most pages of each language have; a last entry of -1; shape (C + 1,)
    column: NDArray[np.int16]  #: number of each language among those with several labels; -1 for others; shape (C + 1,)
    rank: NDArray[np.int64]  #: rank of each label, most frequent first; shape (L,)
    number: Mapping[str, int]  #: label by name

    @classmethod
    def from_labels(cls, language_of: Mapping[int, int], names: Mapping[int, str], pages: NDArray[np.int64]) -> Scripts:
        """Make the tables from the language and the name of each label, and the number of pages that have it.

        >>> names = {4: "deu", 7: "srp_Cyrl", 9: "srp_Latn"}
        >>> scripts = Scripts.from_labels({4: 0, 7: 1, 9: 1}, names, np.bincount([4, 9]))
        >>> scripts.usual.tolist(), scripts.column.tolist()
        ([4, 9, -1], [-1, 0, -1])
        """
        size, count = max(language_of, default=-1) + 1, max(language_of.values(), default=-1) + 1
        language = np.full(size + 1, -1, dtype=np.int16)
        language[list(language_of)] = list(language_of.values())
        pages = np.pad(pages, (0, max(size - len(pages), 0)))
        order = sorted(language_of, key=lambda label: (-int(pages[label]), names[label]))
        rank, usual = np.full(size, len(order), dtype=np.int64), np.full(count + 1, -1, dtype=np.int64)
        rank[order] = np.arange(len(order))
        for label in reversed(order):
            usual[language_of[label]] = label
        scripts_of = np.bincount(list(language_of.values()), minlength=count)
        column = np.full(count + 1, -1, dtype=np.int16)
        several = np.flatnonzero(scripts_of > 1)
        column[several] = np.arange(len(several))
        return cls(language, usual, column, rank, {names[label]: label for label in order})

    def choose_labels(
        self, language: NDArray[np.int16], text: NDArray[np.integer], default: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """Return the label of each page: that of its own text, else the default; -1 without a language; shape (n,).

        Shapes: language (n,) of the answers, -1 none; text (n, k), labels of the texts, best first, -1 padding; default
        (n, s), labels for languages with several.
        """
        label, column = self.usual[language], self.column[language]
        rows = np.flatnonzero(column >= 0)
        label[rows] = default[rows, column[rows]]
        rows = np.flatnonzero(language >= 0)  # without a label from their text so far; few after the best one
        for labels in text.T:
            same = self.language[labels[rows]] == language[rows]
            label[rows[same]] = labels[rows[same]]
            rows = rows[~same]
        return label

    def find_default_labels(
        self, host: NDArray[np.int64], counts: HostLabels, url_label: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return for each page the labels of languages with several that its text does not show, shape (n, s).

        Shapes: host (n,) of each page; url_label (n,), the label that each URL names, -1 none. ``counts`` are the most
        frequent labels of the hosts.
        """
        several = np.flatnonzero(self.column >= 0)
        default = np.tile(self.usual[several], (len(host), 1))
        if len(counts.host):
            place = np.minimum(np.searchsorted(counts.host, host), len(counts.host) - 1)
            host_label = counts.label[place]
            default = np.where((counts.host[place] == host)[:, None] & (host_label >= 0), host_label, default)
        rows = np.flatnonzero(url_label >= 0)
        column = self.column[self.language[url_label[rows]]]
        rows, column = rows[column >= 0], column[column >= 0]
        default[rows, column] = url_label[rows]
        return default

    def find_url_labels(self, urls: Iterable[str]) -> NDArray[np.int64]:
        """Return the label that each URL names, if it is one of a language with several, else -1; shape (n,)."""
        return np.array([self._find_url_label(url) for url in urls], dtype=np.int64)

    def _find_url_label(self, url: str) -> int:
        for tag in _TAG.findall(url[:_LONGEST].lower()):
            label = self.number.get(_parse_label(*tag) or "", -1)
            if label >= 0 and self.column[self.language[label]] >= 0:
                return label
        return -1


@lru_cache(maxsize=4096)
def _parse_label(language: str, subtag: str) -> str | None:
    # A name of a language is no tag, and the table of names is slow to read.
    return languages.label(f"{language}-{subtag}") if languages.code(language) else None


@dataclass(frozen=True, slots=True, eq=False)
class HostLabels:
    """Most frequent labels of h hosts, for languages with several."""

    host: NDArray[np.int64]  #: ascending, shape (h,)
    label: NDArray[np.int64]  #: of each host and language, -1 none, shape (h, s)

    @classmethod
    def count(
        cls, scripts: Scripts, host: NDArray[np.int64], label: NDArray[np.int64], pages: NDArray[np.int64] | None = None
    ) -> HostLabels:
        """Count the labels of the texts of pages, or of ``pages`` pages each; those with the same number by `rank`.

        >>> scripts = Scripts.from_labels({0: 0, 1: 0}, {0: "zho_Hans", 1: "zho_Hant"}, np.array([9, 2]))
        >>> counted = HostLabels.count(scripts, np.array([5, 5, 5, 8]), np.array([1, 0, 1, -1]))
        >>> counted.host.tolist(), counted.label.tolist()
        ([5], [[1]])
        """
        column = scripts.column[scripts.language[label]]
        rows = np.flatnonzero(column >= 0)
        hosts, place = np.unique(host[rows], return_inverse=True)
        width = int((scripts.column >= 0).sum())
        key = (place * max(width, 1) + column[rows]) * len(scripts.rank) + label[rows]
        keys, first = np.unique(key, return_inverse=True)
        weights = None if pages is None else pages[rows]
        number = np.bincount(first, weights, minlength=len(keys)).astype(np.int64)
        cell, of_label = np.divmod(keys, max(len(scripts.rank), 1))
        order = np.lexsort((scripts.rank[of_label], -number, cell))
        cell, of_label = cell[order], of_label[order]
        begin = np.flatnonzero(np.diff(cell, prepend=-1))
        table = np.full((len(hosts), width), -1, dtype=np.int64)
        table.reshape(-1)[cell[begin]] = of_label[begin]
        return cls(hosts, table)

    def merge(self, other: HostLabels) -> HostLabels:
        """Return the labels of the hosts of both; where both know a host, those of ``other``."""
        new = ~np.isin(self.host, other.host)
        host, label = np.concatenate([self.host[new], other.host]), np.concatenate([self.label[new], other.label])
        order = np.argsort(host)
        return HostLabels(host[order], label[order])
