"""The table of ids of texts, of which `test_writer` says what it answers, given what it does not take."""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graphlang.native.kernels import KernelError, Kernels

if TYPE_CHECKING:
    from collections.abc import Callable

kernels = Kernels("graphlang.db.native._ids")


def test_no_sanitiser_complains_of_the_table_of_ids(under_sanitisers: Callable[..., str]) -> None:
    assert under_sanitisers(Path(__file__).with_name("workout_url_ids.py")).startswith("went through ")


@pytest.mark.parametrize(("count", "room"), [(1, 5), (3, 5), (2, 4)])
def test_arrays_that_are_not_as_long_as_the_texts_are_refused(count: int, room: int) -> None:
    table = kernels.ids_new(16, array("Q", (1, 2)))
    ids, places = array("q", (7,)) * count, array("q", (7,)) * count
    with pytest.raises(KernelError, match="ids_assign"):
        kernels.ids_assign(table, b"a\0b\0", ids, places, bytearray(room), kernels.struct("ids_added"))
    assert set(ids) == set(places) == {7}
    assert kernels.ids_count(table) == 0


def test_a_small_table_grows_as_long_as_there_are_new_texts() -> None:
    table = kernels.ids_new(16, array("Q", (1, 2)))
    for first in range(0, 1000, 50):
        texts = b"".join(b"%d\0" % number for number in range(first, first + 50))
        ids, places = array("q", (0,)) * 50, array("q", (0,)) * 50
        kernels.ids_assign(table, texts, ids, places, bytearray(len(texts) + 1), kernels.struct("ids_added"))
        assert ids.tolist() == list(range(first + 1, first + 51))
