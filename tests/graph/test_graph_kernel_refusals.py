"""What the kernels of the graph refuse: indices, lengths and numbers out of bounds; and the sanitisers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.native.kernels import KernelError

sys.path.append(str(Path(__file__).parent))
import graph_definitions as definitions
from kernel_arguments import (
    DEGREE_CAP,
    FEATURES,
    FINE,
    INDICES,
    LOGS,
    NUMBERS,
    ONE_LINK,
    SOUND,
    WILD,
    call,
    f32,
    i32,
    i64,
    pack_neighbours,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("name", [*SOUND])
def test_what_is_sound_is_taken(name: str) -> None:
    assert call(name) >= 0


@pytest.mark.parametrize(("name", "array"), [(name, array) for name in INDICES for array in INDICES[name]])
def test_an_index_that_is_none_is_refused_by_array_index_and_value(name: str, array: str) -> None:
    sound, at = SOUND[name][1][array], INDICES[name][array]
    limits = np.iinfo(sound.dtype)
    wild = [n for n in WILD if limits.min <= n <= limits.max and n not in FINE.get(array, ())]
    assert wild
    for value in wild:
        changed = sound.copy()
        changed.flat[at] = value
        with pytest.raises(KernelError, match=rf"^{array}\[{at}\] = {value} is outside -?\d+\.\.-?\d+$"):
            call(name, **{array: changed})


@pytest.mark.parametrize("name", [name for name, (_, given_) in SOUND.items() if {"first", "last"} <= given_.keys()])
def test_a_part_that_ends_behind_the_last_is_refused(name: str) -> None:
    last = SOUND[name][1]["last"]
    with pytest.raises(KernelError, match=rf"^last\[0\] = {last + 1} is outside 0\.\.{last}$"):
        call(name, last=last + 1)


@pytest.mark.parametrize("name", ["links_reaching", "links_drawn"])
def test_links_are_not_found_without_room_for_them(name: str) -> None:
    no_room = {"hash": np.zeros(0, np.uint64)} if name == "links_drawn" else {}
    with pytest.raises(KernelError, match=rf"^{name}: sizes of arrays do not fit their content$"):
        call(name, output=i32(), **no_room)


def test_more_in_common_than_there_are_logarithms_for_is_refused() -> None:
    # page 0 links to 1 and 2, page 1 to 2: they have a target in common
    links = {"target": i32(1, 2, 2), "in_source": i32(0, 0, 1)}
    degrees = {"out_degree": i32(2, 1, 0), "in_degree": i32(0, 1, 2)}
    starts = {"out_start": i64(0, 2, 3, 3), "in_start": i64(0, 0, 1, 3)}
    given_ = {
        "neighbours": pack_neighbours(3, **ONE_LINK | links | degrees | starts | dict.fromkeys(LOGS, f32(0, 0, 0))),
        "source": i32(0, 0, 1),
        "target": links["target"],
        "reciprocal": np.zeros(3, np.uint8),
        "marks": np.zeros(3, np.uint8),
    }
    assert call("edge_features", **given_) == 1
    with pytest.raises(KernelError, match=r"^edge_features: sizes of arrays do not fit their content$"):
        call("edge_features", **given_, log_counts=f32(0))


@pytest.mark.parametrize(("pages", "known", "links"), [(3, 2, 1), (3, 3, 1), (2, 1, 1), (2, 2, 2)])
def test_neighbours_of_other_pages_and_links_are_refused(pages: int, known: int, links: int) -> None:
    other = FEATURES.neighbours_new(pages, known, links)
    if (known, links) != (2, 1):
        with pytest.raises(KernelError, match=r"^neighbours_pack: sizes of arrays do not fit their content$"):
            call("neighbours_pack", neighbours=other)
    if pages != 2:
        with pytest.raises(KernelError, match=r"^edge_features: sizes of arrays do not fit their content$"):
            call("edge_features", neighbours=other)


def test_pages_that_were_not_packed_have_no_neighbours() -> None:
    found = np.full((1, 14), -1, np.float32)
    call("edge_features", neighbours=FEATURES.neighbours_new(2, 2, 1), features=found)
    assert not found.any()


def test_there_are_no_more_known_pages_than_pages() -> None:
    with pytest.raises(MemoryError):
        FEATURES.neighbours_new(1, 2, 0)


def test_no_page_has_so_many_links_that_their_hosts_are_mistaken() -> None:
    leaves, ends = 700, (np.zeros(700, np.int32), np.arange(1, 701, dtype=np.int32))  # to half as many hosts, and back
    host = np.append(0, np.arange(leaves) // 2 + 1).astype(np.int32)
    source, target = np.concatenate([ends[0], ends[1]]), np.concatenate([ends[1], ends[0]])
    begin = [np.array(definitions.starts(both.tolist(), leaves + 1), np.int64) for both in (source, target)]
    order = np.argsort(target, kind="stable").astype(np.int32)
    made = np.zeros(2 * leaves, np.float32), np.zeros(2 * leaves, np.float32), np.zeros(leaves + 1)
    given_ = (*begin, order, source, target, host, np.ones(2 * leaves, np.float32), None, np.zeros(leaves // 2 + 1))
    DEGREE_CAP.degree_cap(0, leaves + 1, 1.0, *given_, *made)
    assert (made[0][leaves:] == 0.25).all()  # each host has two pages, and links there and back of either
    assert (made[1][:leaves] == 0.25).all()


def test_there_is_one_stripe_at_least() -> None:
    with pytest.raises(KernelError, match=r"^stripes\[0\] = 0 is outside 1\.\.4294967295$"):
        call("accumulate", stripes=0)


@pytest.mark.parametrize("longest", [-1, 2**16])
def test_lists_longer_than_their_numbers_can_be_are_refused(longest: int) -> None:
    with pytest.raises(KernelError, match=rf"^longest\[0\] = {longest} is outside 0\.\.65535$"):
        call("neighbours_pack", longest=longest)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "array"), [(name, array) for name in NUMBERS for array in NUMBERS[name]])
def test_a_number_that_is_not_finite_is_refused_by_array_and_index(name: str, array: str, value: float) -> None:
    changed = SOUND[name][1][array].copy()
    changed.flat[0] = value
    with pytest.raises(KernelError, match=rf"^{array}\[0\] is not a finite number$"):
        call(name, **{array: changed})


def test_no_sanitiser_complains(under_sanitisers: Callable[..., str]) -> None:
    assert under_sanitisers(Path(__file__).with_name("workout_graph.py")).startswith("went through")
