"""Words out of packages: drawn alike each time, and as many for each of a group."""

from __future__ import annotations

import csv

import fetch_words
from hypothesis import given
from hypothesis import strategies as st
from package_words import dictionary_lines


@given(st.lists(st.text(min_size=1, max_size=30), max_size=40), st.integers(0, 400))
def test_spread_keeps_order_and_bound(every: list[str], most: int) -> None:
    every = list(dict.fromkeys(line.encode("utf-8", "ignore").decode() for line in every))
    chosen = dictionary_lines.spread(every, most)
    assert sum(len(line.encode()) + 1 for line in chosen) <= most or chosen == every == []
    left = iter(every)
    assert all(line in left for line in chosen)


def test_each_of_a_line_of_groups_is_another_language() -> None:
    codes = [*fetch_words.OTHERS, *(code for group in fetch_words.GROUPS for code in group)]
    assert len(codes) == len(set(codes))


def test_words_are_drawn_alike_and_each_once() -> None:
    words = [f"w{i}" for i in range(500)]
    lines = dictionary_lines.lines(words, 300)
    assert lines == dictionary_lines.lines(words, 300)
    drawn = [word for line in lines for word in line.split()]
    assert len(set(drawn)) == len(drawn) == 300


def test_table_has_what_was_asked_for() -> None:
    """Of the words that were fetched last; no text is here."""
    with fetch_words.TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert tuple(rows[0]) == fetch_words.COLUMNS
    assert [row["code"] for row in rows] == sorted(code for group in fetch_words.GROUPS for code in group)
    assert all(0 < int(row["bytes"]) <= fetch_words.MOST and row["packages"].count("sha256:") == 1 for row in rows)
