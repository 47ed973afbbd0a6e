"""The measures of Baykan et al. 2008, section 4.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.urls.identifier import UrlIdentifier
    from graphlang.urls.training.labelled_urls import Labelled

_BATCH = 65_536
_FEWEST = 2  # languages


class Measures(NamedTuple):
    """One binary classifier on one test set."""

    precision: float  #: in the balanced setting, as many positive as negative URLs
    recall: float  #: p(+|+)
    negative: float  #: p(-|-), negative success ratio
    f: float  #: harmonic mean of the first two


def measures(decided: NDArray[np.bool_], truth: NDArray[np.bool_]) -> Measures:
    """P, R, p(-|-) and F of yes-decisions against the truth.

    P = n+ p(+|+) / (n+ p(+|+) + n- (1 - p(-|-))) with n+ = n-, so P = R / (R + 1 - p(-|-)); F = 2 / (1/R + 1/P).
    A classifier that never says yes has P = F = 0.

    Args:
        decided: [URLs] the classifier's yes or no.
        truth: [URLs] the right one.

    Raises:
        ValueError: there is no positive or no negative URL, and a ratio has no meaning.

    >>> measures(np.array([True, True, False, False]), np.array([True, False, True, False]))
    Measures(precision=0.5, recall=0.5, negative=0.5, f=0.5)
    """
    if truth.all() or not truth.any():
        raise ValueError("a test set needs positive and negative URLs")
    recall = float(decided[truth].mean())
    negative = float(1 - decided[~truth].mean())
    if recall == 0:
        return Measures(0.0, 0.0, negative, 0.0)
    precision = recall / (recall + 1 - negative)
    return Measures(precision, recall, negative, 2 / (1 / recall + 1 / precision))


def confusion(decided: NDArray[np.bool_], language: NDArray[np.str_], languages: Sequence[str]) -> NDArray[np.float64]:
    """Share of the URLs of each language (row) for which each classifier (column) says yes; the diagonal is recall.

    Neither rows nor columns have to sum to 1, as every classifier decides alone.

    Args:
        decided: [URLs, languages].
        language: [URLs] the true code.
        languages: Codes of the columns, and of the rows.
    """
    return np.array([decided[language == code].mean(axis=0) for code in languages])


def balanced_f(decided: NDArray[np.bool_], language: NDArray[np.str_], languages: Sequence[str]) -> float:
    """F in the balanced setting, averaged over the languages.

    Args:
        decided: [URLs, languages].
        language: [URLs] the true code.
        languages: Codes of the columns.
    """
    return float(np.mean([measures(decided[:, n], language == code).f for n, code in enumerate(languages)]))


class Decisions(NamedTuple):
    """What a method decides about labelled URLs."""

    languages: tuple[str, ...]  #: codes of the columns
    language: NDArray[np.str_]  #: true code of each URL, (URLs,)
    decided: NDArray[np.bool_]  #: (URLs, languages)

    def measures(self) -> list[tuple[str, int, Measures]]:
        """Of each language its code, its URLs and its measures; and the average over them at the end."""
        each = [
            (code, int((self.language == code).sum()), measures(self.decided[:, column], self.language == code))
            for column, code in enumerate(self.languages)
        ]
        means = (float(np.mean(column)) for column in zip(*(one for _, _, one in each), strict=True))
        return [*each, ("average", len(self.language), Measures(*means))]

    def confusion(self) -> list[tuple[Any, ...]]:
        """A row for each language: its code, and the share of its URLs for which each classifier says yes."""
        shares = confusion(self.decided, self.language, self.languages).tolist()
        return [(code, *row) for code, row in zip(self.languages, shares, strict=True)]


def decide(identifier: UrlIdentifier, urls: Sequence[Labelled], languages: Sequence[str] | None = None) -> Decisions:
    """Ask a method about labelled URLs.

    Args:
        identifier: a URL method.
        urls: in any languages.
        languages: codes of those that count; all that the URLs and the method share, if not given.

    Raises:
        ValueError: fewer than two languages, or one that has no URL or that the method does not know.

    >>> from graphlang.urls import registry
    >>> from graphlang.urls.training.labelled_urls import Labelled
    >>> urls = [Labelled("deu", "list", "http://a.example.de/"), Labelled("fra", "list", "http://a.example.fr/")]
    >>> decide(registry.load("url-cctld"), urls).measures()[-1]
    ('average', 2, Measures(precision=1.0, recall=1.0, negative=1.0, f=1.0))
    """
    there = {one.language for one in urls}
    wanted = tuple(languages or sorted(there & set(identifier.labels)))
    missing = [code for code in wanted if code not in identifier.labels or code not in there]
    if missing:
        raise ValueError(f"{', '.join(missing)}: not in the file, or not known to {identifier.name}")
    if len(wanted) < _FEWEST:
        raise ValueError("fewer than two")
    kept = [one for one in urls if one.language in wanted]
    columns = [identifier.labels.index(code) for code in wanted]
    decided = np.zeros((len(kept), len(wanted)), dtype=bool)
    for begin in range(0, len(kept), _BATCH):
        some = [one.url for one in kept[begin : begin + _BATCH]]
        decided[begin : begin + _BATCH] = identifier.decisions(some)[:, columns]
    return Decisions(wanted, np.array([one.language for one in kept]), decided)
