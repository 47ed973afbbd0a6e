"""Lists without padding are the rows of a table."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphlang.analysis.arrays.lists import Lists, starts_of


@given(lists=st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=6), data=st.data())
def test_a_list_is_a_row_of_the_table(lists: list[list[int]], data: st.DataObject) -> None:
    held = Lists(
        starts_of(np.array([len(one) for one in lists])), np.int16([number for one in lists for number in one])
    )
    wanted = data.draw(st.lists(st.integers(-1, len(lists) - 1), max_size=8))
    expected = [([] if page < 0 else lists[page]) for page in wanted]
    found = held.of(np.array(wanted, dtype=np.int64), 4, -1)
    assert found.tolist() == [one + [-1] * (4 - len(one)) for one in expected]
