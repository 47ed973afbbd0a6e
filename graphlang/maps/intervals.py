"""95 % intervals for the number of pages in a language, from the confidences of the pages.

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
_FUNCTION: Final = "SQRT"


def interval(expected: float, variance: float, *, candidates: int, undetermined: int = 0) -> tuple[int, int]:
    """Return the ends of a 95 % interval for the number of pages.

    `expected` is the sum of the probabilities, `variance` as above. `candidates` pages have a probability above 0, an
    upper limit; `undetermined` pages without an answer may be in the language, too.

    >>> interval(7.0, 0.0, candidates=7), interval(1.0, 0.5, candidates=2), interval(90.0, 900.0, candidates=100)
    ((7, 7), (0, 2), (31, 100))
    >>> interval(90.0, 900.0, candidates=100, undetermined=5)
    (31, 105)
    """
    reach = _NORMAL * math.sqrt(variance)
    low, high = math.ceil(expected - 0.5 - reach), math.ceil(expected - 0.5 + reach)
    return max(low, 0), min(high, candidates) + undetermined


def spread_query(
    connection: sqlite3.Connection, source: str, units: Sequence[str] = (), *, scripts: bool = False
) -> str:
    """Write the query for what `interval` needs beside the expected number.

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
    # As decimals the sums are the same in every order, see `graphlang.maps.selection.total`.
    deviation = f"SUM(CAST(COALESCE({_FUNCTION}(p * (1 - p)), 0) AS DECIMAL(20, 18)))"
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
            connection.execute(f"SELECT {_FUNCTION}(1.0)")
        except sqlite3.OperationalError:
            connection.create_function(_FUNCTION, 1, math.sqrt, deterministic=True)
