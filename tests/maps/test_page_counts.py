"""The 95 % interval of the number of pages in a language, by hand."""

import math
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.maps.page_counts import PageCounts, compute_interval, write_spread_query

PAGES = [  # domain, language, script, confidence, runner-up and its confidence
    ("a.example", "deu", "Latn", 0.9, "nld", 0.1),
    ("a.example", "deu", "Latn", 0.5, "nld", 0.5),
    ("b.example", "deu", "Latn", 0.8, None, None),
    ("b.example", "und", None, 0.0, None, None),
    ("b.example", "und", None, 0.0, None, None),
]


def connect() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE TABLE t (domain, language, script, confidence, runner_up, runner_up_confidence, fetched)"
    )
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, 1)", PAGES)
    return connection


def test_pages_of_a_domain_err_together_and_domains_apart() -> None:
    rows = {row[0]: row[1:] for row in connect().execute(write_spread_query(connect(), "t"))}
    script, variance, undetermined = rows["deu"]
    # (.3 + .5)^2 of the one domain, .4^2 of the other, which has two pages without an answer
    assert (script, variance, undetermined) == (None, pytest.approx(0.64 + 0.16), 2)
    assert rows["nld"] == (None, pytest.approx((0.3 + 0.5) ** 2), 0)  # no page of a.example is undetermined


def test_units_and_scripts_are_apart_and_no_script_has_runners_up() -> None:
    rows = list(connect().execute(write_spread_query(connect(), "t", ["domain"], scripts=True)))
    assert [(*row[:3], round(row[3], 6), row[4]) for row in rows] == [
        ("a.example", "deu", "Latn", 0.64, 0),
        ("b.example", "deu", "Latn", 0.16, 2),
        ("b.example", "und", None, 0, 2),
    ]


@given(st.lists(st.floats(0, 1), max_size=20), st.integers(0, 5))
def test_the_interval_has_the_expected_number_and_no_more_than_all_pages(p: list[float], undetermined: int) -> None:
    variance = sum(math.sqrt(each * (1 - each)) for each in p) ** 2
    low, high = compute_interval(sum(p), variance, candidates=len(p), undetermined=undetermined)
    assert 0 <= low <= sum(p) + 1
    assert sum(p) - 1 <= high <= len(p) + undetermined


def test_three_doubtful_pages_of_a_domain_are_no_discovery() -> None:
    counts = PageCounts("deu")
    counts.add_pages(3, 0.9)
    counts.variance = (3 * math.sqrt(0.3 * 0.7)) ** 2
    assert (counts.find_interval(), round(counts.certainty, 3)) == ((0, 3), 0.657)


def test_the_pages_with_an_answer_are_in_its_interval() -> None:
    counts = PageCounts("deu")
    counts.add_pages(1000, 999.0)  # the runner-up of other pages adds nothing
    counts.variance = 0.01
    assert (counts.expected, counts.find_interval()) == (999, (999, 1000))
    assert PageCounts("nld").find_interval() == (0, 0)


def test_where_sqlite_has_no_square_root() -> None:
    class Old(sqlite3.Connection):
        def execute(self, sql: str, *values: object) -> sqlite3.Cursor:  # type: ignore[override]
            if "SQRT(1.0)" in sql:
                raise sqlite3.OperationalError("no such function: SQRT")
            return super().execute(sql, *values)

    with sqlite3.connect(":memory:", factory=Old) as connection:
        write_spread_query(connection, "t")
        assert connection.execute("SELECT SQRT(2.25)").fetchone() == (1.5,)
