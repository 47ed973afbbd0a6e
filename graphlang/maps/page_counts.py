"""Pages of a language on a site or in a collection: their expected number, its 95 % interval, and their share.

A page is in a language with a probability p: its confidence, or that of its runner-up. If pages erred independently,
their number would have the variance sum p (1 - p). They do not: pages of one site have one template, one topic, and the
same mistakes. So the pages of a registered domain are assumed to err all together, and domains independently. The
variance is then the sum over the domains of (sum sqrt(p (1 - p)))^2; the interval is that of the normal distribution.

Undetermined pages have no probability. Each may be in any language of its domain, so the upper end includes them.
"""

from __future__ import annotations

import math
import sqlite3
from typing import TYPE_CHECKING, Final

from graphlang.codes import languages

if TYPE_CHECKING:
    from collections.abc import Sequence

_NORMAL: Final = 1.959963984540054  #: standard deviations on either side of the mean that contain 95 %
_SQUARE_ROOT: Final = "SQRT"


def compute_interval(expected: float, variance: float, *, candidates: int, undetermined: int = 0) -> tuple[int, int]:
    """Return the ends of a 95 % interval for the number of pages.

    `expected` is the sum of the probabilities, `variance` as above. `candidates` pages have a probability above 0, an
    upper limit; `undetermined` pages without an answer may be in the language, too.

    >>> compute_interval(7.0, 0.0, candidates=7), compute_interval(1.0, 0.5, candidates=2)
    ((7, 7), (0, 2))
    >>> compute_interval(90.0, 900.0, candidates=100)
    (31, 100)
    >>> compute_interval(90.0, 900.0, candidates=100, undetermined=5)
    (31, 105)
    """
    reach = _NORMAL * math.sqrt(variance)
    low, high = math.ceil(expected - 0.5 - reach), math.ceil(expected - 0.5 + reach)
    return max(low, 0), min(high, candidates) + undetermined


def write_spread_query(
    connection: sqlite3.Connection, source: str, units: Sequence[str] = (), *, scripts: bool = False
) -> str:
    """Write the query for the inputs of `compute_interval` other than the expected number.

    Its columns are the units (SQL), the language, the script (NULL without ``scripts``), the variance, and the
    undetermined pages on the domains of the language. ``source`` is a subquery of pages. With ``scripts`` runners-up do
    not count.
    """
    _define_square_root(connection)
    names = [f"unit{number}" for number in range(len(units))]
    keys = [f"{unit} AS {name}" for unit, name in zip(units, names, strict=True)]
    columns = ", ".join([*keys, "domain"])
    answers = (
        f"SELECT {columns}, language, {'script' if scripts else 'NULL'} AS script, confidence AS p, 1 AS is_best"
        f" FROM {source} WHERE fetched = 1"
    )
    if not scripts:
        answers = (
            f"{answers} UNION ALL SELECT {columns}, runner_up, NULL, runner_up_confidence, 0"
            f" FROM {source} WHERE fetched = 1 AND runner_up <> language"
        )
    each = ", ".join([*names, "domain", "language", "script"])
    # As decimals the sums are the same in every order, see `graphlang.maps.selection.write_total`.
    deviation = f"SUM(CAST(COALESCE({_SQUARE_ROOT}(p * (1 - p)), 0) AS DECIMAL(20, 18)))"
    by_domain = f"SELECT {each}, {deviation} AS deviation, SUM(is_best) AS pages FROM ({answers}) GROUP BY {each}"
    undetermined = (
        f"SUM(CASE WHEN language = '{languages.UND}' THEN pages ELSE 0 END)"
        f" OVER (PARTITION BY {', '.join([*names, 'domain'])})"
    )
    square = "CAST(deviation AS DOUBLE) * CAST(deviation AS DOUBLE)"
    rows = ", ".join([*names, "language", "script"])
    return (
        f"SELECT {rows}, SUM(CAST({square} AS DECIMAL(30, 10))), SUM(CASE WHEN pages > 0 THEN undetermined ELSE 0 END)"
        f" FROM (SELECT *, {undetermined} AS undetermined FROM ({by_domain})) GROUP BY {rows} ORDER BY {rows}"
    )


def _define_square_root(connection: sqlite3.Connection) -> None:
    """Define SQRT where SQLite was built without mathematical functions."""
    if isinstance(connection, sqlite3.Connection):
        try:
            connection.execute(f"SELECT {_SQUARE_ROOT}(1.0)")
        except sqlite3.OperationalError:
            connection.create_function(_SQUARE_ROOT, 1, math.sqrt, deterministic=True)


#: A language that no page is mainly in has a row if its parts of pages add up to one page, and to this share of all:
#: English on a bilingual site has one, a misread quotation has none.
LEAST_PART: Final = 0.05


class PageCounts:
    """Pages of a language, from groups of pages with similar confidences; mutable.

    Each page is in its language with its confidence, and in its runner-up with that one's. ``und`` and ``zxx`` are not
    languages: their pages count as a whole.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.pages = self.unfetched = self.length = 0
        self.also = 0  # pages in another language, and in part in this one
        self.confidence = self.unfetched_confidence = 0.0  # sums
        self.parts = 0.0  # pages in other languages, less parts of these pages; weighted by confidence
        self.variance, self.undetermined = 0.0, 0  # see `write_spread_query`
        self._expected = 0.0
        self._candidates = 0  # pages that may be in the language
        self._log_none = 0.0  # logarithm of the probability that none is in the language

    def add_pages(self, pages: int, confidence: float) -> None:
        """Add fetched pages with this sum of confidences."""
        self.pages += pages
        self.confidence += confidence
        if pages:
            self.add_chances(pages, confidence)

    def add_chances(self, pages: int, confidence: float) -> None:
        """Add pages that are in the language with this sum of probabilities, such as those with it as runner-up."""
        probability = min(confidence / pages, 1.0)
        self._expected += confidence
        self._candidates += pages if probability > 0 else 0
        self._log_none += pages * math.log1p(-probability) if probability < 1 else -math.inf

    @property
    def _is_language(self) -> bool:
        return self.language not in (languages.UND, languages.ZXX)

    @property
    def expected(self) -> float:
        """Expected number of pages: the sum of their probabilities."""
        return self._expected if self._is_language else float(self.pages)

    @property
    def weight(self) -> float:
        """Expected number of pages, where those in several languages count by their shares."""
        return max(0.0, self.expected + self.parts)

    def find_interval(self) -> tuple[int, int]:
        """Return the ends of the 95 % interval of the number of pages; it includes the pages with this answer."""
        if not self._is_language:
            return self.pages, self.pages
        counts = {"candidates": self._candidates, "undetermined": self.undetermined}
        low, high = compute_interval(self.expected, self.variance, **counts)
        return min(low, self.pages), max(high, self.pages)

    @property
    def certainty(self) -> float:
        """Probability that at least one page is in the language."""
        return -math.expm1(self._log_none) if self._is_language else float(bool(self.pages))

    @property
    def mean_confidence(self) -> float:
        """Mean confidence of the fetched pages, else of the unfetched ones, else 0."""
        if self.pages:
            return self.confidence / self.pages
        return self.unfetched_confidence / self.unfetched if self.unfetched else 0.0

    def has_row(self, total: float, *, unfetched: bool) -> bool:
        """Return whether the language is a row of a map whose weights add up to ``total``, and not only possible."""
        if self.pages or (self.unfetched and unfetched):
            return True
        return self.weight >= max(1.0, LEAST_PART * total)
