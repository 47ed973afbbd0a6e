"""What changed from one run to another: page by page, by pair of languages, by length."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from graphlang.evaluation.evaluate import LENGTHS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from graphlang.db.runs.run import Run


class Change(NamedTuple):
    """A page that two runs label differently."""

    url: str
    before: str  #: language by the first run; ``und`` where it did not answer
    after: str
    confidence_before: float
    confidence_after: float
    length: int  #: characters of visible text; 0 for pages never fetched


class Count(NamedTuple):
    """Pages that moved from one language to another, within a bucket of length."""

    before: str
    after: str
    bucket: str
    pages: int


_ANSWERS = """
WITH answers AS MATERIALIZED (
    SELECT run, page, label, confidence FROM predictions WHERE run IN (:one, :two)
    UNION ALL
    SELECT run, page, label, confidence FROM linked_predictions WHERE run IN (:one, :two)
)
"""
_JOINED = """
    FROM pages
    LEFT JOIN answers AS one ON one.run = :one AND one.page = pages.id
    LEFT JOIN answers AS two ON two.run = :two AND two.page = pages.id
    LEFT JOIN labels AS was ON was.id = one.label
    LEFT JOIN labels AS is_now ON is_now.id = two.label
    LEFT JOIN captures ON captures.page = pages.id
    WHERE COALESCE(was.language, 'und') <> COALESCE(is_now.language, 'und')
"""
_BEFORE, _AFTER, _LENGTH = "COALESCE(was.language, 'und')", "COALESCE(is_now.language, 'und')", "COALESCE(length, 0)"


def changes(connection: sqlite3.Connection, one: Run, two: Run) -> Iterator[Change]:
    """The pages whose language differs, in order of their ids. The script is not compared.

    Args:
        connection: The collection.
        one: The run before.
        two: The run after.
    """
    for row in connection.execute(
        f"{_ANSWERS}SELECT url, {_BEFORE}, {_AFTER}, COALESCE(one.confidence, 0.0), COALESCE(two.confidence, 0.0),"
        f" {_LENGTH}{_JOINED} ORDER BY pages.id",
        {"one": one.id, "two": two.id},
    ):
        yield Change(*row)


def counts(connection: sqlite3.Connection, one: Run, two: Run) -> list[Count]:
    """How many pages moved, by pair of languages and bucket of length (``evaluate.LENGTHS``); the most first.

    Args:
        connection: The collection.
        one: The run before.
        two: The run after.
    """
    cases = " ".join(f"WHEN {_LENGTH} < {high} THEN '{low}..{high - 1}'" for low, high in pairwise(LENGTHS))
    rows = connection.execute(
        f"{_ANSWERS}SELECT {_BEFORE}, {_AFTER}, CASE {cases} ELSE '{LENGTHS[-1]}+' END AS bucket, COUNT(*)"
        f"{_JOINED} GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, MIN({_LENGTH})",
        {"one": one.id, "two": two.id},
    )
    return [Count(*row) for row in rows]
