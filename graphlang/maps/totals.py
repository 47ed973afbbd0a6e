"""Sums of probabilities in SQL that SQLite and Spark both run."""

from __future__ import annotations


def total(column: str, where: str | None = None) -> str:
    """SQL: the sum of a column of probabilities, 0.0 where there is none.

    Spark adds its partitions in whatever order they come. As decimals their sum is the same in every order; to SQLite
    the cast says nothing.

    Args:
        column: SQL, a number from 0 to 1.
        where: SQL: only these rows.

    >>> total("share")
    'COALESCE(SUM(CAST(share AS DECIMAL(20, 18))), 0.0)'
    >>> total("confidence", "fetched = 1")
    'COALESCE(SUM(CAST(confidence AS DECIMAL(20, 18))) FILTER (WHERE fetched = 1), 0.0)'
    """
    filtered = f" FILTER (WHERE {where})" if where else ""
    return f"COALESCE(SUM(CAST({column} AS DECIMAL(20, 18))){filtered}, 0.0)"
