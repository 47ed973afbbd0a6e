"""Lists without padding are the rows of a table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.graph.data import Evidence
from graphlang.graph.tables import Lists, ListTable, list_starts


@given(lists=st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=6), data=st.data())
def test_a_list_is_a_row_of_the_table(lists: list[list[int]], data: st.DataObject) -> None:
    held = Lists(
        list_starts(np.array([len(one) for one in lists])), np.int16([number for one in lists for number in one])
    )
    wanted = data.draw(st.lists(st.integers(-1, len(lists) - 1), max_size=8))
    expected = [([] if page < 0 else lists[page]) for page in wanted]
    found = held.to_table(np.array(wanted, dtype=np.int64), 4, -1)
    assert found.tolist() == [one + [-1] * (4 - len(one)) for one in expected]


@given(
    lists=st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=6),
    own=st.lists(st.integers(-1, 5), max_size=9),
)
def test_a_table_of_lists_is_looked_up_like_an_array(lists: list[list[int]], own: list[int]) -> None:
    own = [min(one, len(lists) - 1) for one in own]
    held = Lists(
        list_starts(np.array([len(one) for one in lists])), np.int16([number for one in lists for number in one])
    )
    table = ListTable(np.array(own, np.int32), held, 4, -1)
    whole = np.full((len(own), 4), -1, np.int16)
    for row, number in enumerate(own):
        if number >= 0:
            whole[row, : len(lists[number])] = lists[number]
    assert (np.asarray(table) == whole).all()
    assert (table.shape, len(table), table.size) == (whole.shape, len(whole), whole.size)
    every = np.arange(len(own))
    for key in (every[::-1], whole[:, 0] >= 5, slice(1, 3), (slice(None), 0), (every % 2 == 0, slice(2))):
        found = table[key]
        assert found.dtype == np.int16
        assert found.tolist() == whole[key].tolist()
    numbers = [number for one in lists for number in one]
    assert (table.min(), table.max()) == (-1, max(numbers, default=-1))


def test_evidence_in_lists_has_the_same_errors_as_arrays() -> None:
    start, own = np.array([0, 1, 3]), np.int32([1, -1, 0])
    languages = ListTable(own, Lists(start, np.int16([0, 1, 0])), 2, -1)
    chances = ListTable(own, Lists(start, np.float32([0.9, 0.5, 0.4])), 2, 0)
    of_pages = np.zeros(3, np.int32), np.zeros(3, np.int32)
    evidence = Evidence(("deu", "eng"), languages, chances, *of_pages)
    assert [found.tolist() for found in evidence.best()] == [[1, -1, 0], [0.5, 0.0, np.float32(0.9)]]
    with pytest.raises(ValueError, match=r"^languages\[0, 0\] = 1 is outside -1\.\.0$"):
        Evidence(("deu",), languages, chances, *of_pages)
    wrong = ListTable(own, Lists(start, np.float32([0.9, 0.5, np.nan])), 2, 0)
    with pytest.raises(ValueError, match=r"^probabilities\[0, 1\] = nan is not a probability from 0 to 1$"):
        Evidence(("deu", "eng"), languages, wrong, *of_pages)
