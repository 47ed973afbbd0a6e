"""The kernels of the graph against their definitions in plain Python."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.graph.tables import score_table
from graphlang.native.kernels import KernelError

sys.path.append(str(Path(__file__).parent))
import graph_definitions as definitions
from kernel_arguments import (
    ADJACENCY,
    CLASSES,
    COUPLINGS,
    DEGREE_CAP,
    LINK_ORDER,
    MESSAGES,
    ROOM,
    SOUND,
    STEPS,
    STRIPE,
    TABLES,
    call,
    f32,
    i32,
)

PAGES = 7
PAIRS = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), max_size=30)


def columns(pairs: list[tuple[int, int]]) -> tuple[Any, Any]:
    ends = np.array(pairs, np.int32).reshape(-1, 2)
    return ends[:, 0].copy(), ends[:, 1].copy()


@given(PAIRS, st.integers(0, 30))
def test_adjacency(pairs: list[tuple[int, int]], middle: int) -> None:
    source, target = columns(pairs)
    middle = min(middle, len(pairs))
    parts = ((0, middle), (middle, len(pairs)))
    begin = np.zeros((2, PAGES + 1), np.int64)
    for part, counted in zip(parts, begin, strict=True):
        ADJACENCY.links_starts(PAGES, *part, target, counted)
    assert begin.sum(axis=0).tolist() == definitions.starts(target.tolist(), PAGES)
    of_sources, of_numbers = np.empty((2, len(pairs)), np.int32)
    places = begin.sum(axis=0)
    for part, counted in zip(parts, begin, strict=True):
        ADJACENCY.links_sources(PAGES, *part, source, target, places.copy(), of_sources)
        ADJACENCY.links_order(PAGES, *part, target, places.copy(), of_numbers)
        places[:-1] += np.diff(counted)
    assert of_sources.tolist() == definitions.sources(source.tolist(), target.tolist(), PAGES)
    assert of_numbers.tolist() == definitions.order(target.tolist(), PAGES)
    is_sorted = pairs == sorted(set(pairs)) and all(s != t for s, t in pairs)
    assert ADJACENCY.links_are_sorted(source, target) == is_sorted


@given(PAIRS, st.lists(st.booleans(), min_size=PAGES, max_size=PAGES), st.integers(0, 2**64 - 1), st.data())
def test_links_of_some_pages(pairs: list[tuple[int, int]], chosen: list[bool], limit: int, data: st.DataObject) -> None:
    source, target = columns(pairs)
    first = data.draw(st.integers(0, len(pairs)))
    last = data.draw(st.integers(first, len(pairs)))
    found, hashes = np.empty(last - first, np.int32), np.empty(last - first, np.uint64)
    given_ = (source, target, np.array(chosen))
    many = ADJACENCY.links_reaching(first, last, *given_, found)
    wanted = [i for i in range(first, last) if chosen[pairs[i][0]] or chosen[pairs[i][1]]]
    assert found[:many].tolist() == wanted
    kind = np.array([data.draw(st.integers(0, 2)) for _ in pairs], np.uint8)
    key, left_out = [data.draw(st.integers(0, 2**64 - 1)) for _ in range(PAGES)], np.arange(256) == 1
    kinds = (source, target, kind, left_out, np.array(chosen), np.array(key, np.uint64))
    present = np.zeros(256, np.uint8)
    ADJACENCY.link_kinds(kind, present)
    assert np.flatnonzero(present).tolist() == sorted(set(kind.tolist()))
    many = ADJACENCY.links_drawn(first, last, limit, *kinds, found, hashes)
    hash_of = [definitions.hash_of_keys(key[s], key[t]) for s, t in pairs]
    drawn = [
        i
        for i in range(first, last)
        if chosen[pairs[i][0]] and chosen[pairs[i][1]] and kind[i] != 1 and hash_of[i] <= limit
    ]
    assert found[:many].tolist() == drawn
    assert hashes[:many].tolist() == [hash_of[i] for i in drawn]


@given(PAIRS, st.lists(st.integers(-1, 2), min_size=PAGES, max_size=PAGES), st.lists(st.integers(0, PAGES - 1)))
def test_link_order(pairs: list[tuple[int, int]], labels: list[int], asked: list[int]) -> None:
    page, context = columns(pairs)
    start, cells, share = np.empty(PAGES + 1, np.int64), np.empty(len(pairs), np.int32), np.empty(len(pairs))
    size = LINK_ORDER.link_shares(PAGES, page, context, start, cells, share, np.zeros(PAGES, np.uint32))
    cells, share = cells[:size], share[:size]
    shares = definitions.context_shares(pairs, PAGES)
    assert [dict(zip(cells[a:b].tolist(), share[a:b].tolist(), strict=True)) for a, b in pairwise(start)] == shares
    assert all((np.diff(cells[a:b]) > 0).all() for a, b in pairwise(start))
    first, named, count = np.empty(PAGES + 1, np.int64), np.empty(size, np.int32), np.empty(size)
    label = np.array(labels, np.int16)
    known = LINK_ORDER.link_counts(PAGES, start, cells, share, label, first, named, count, np.zeros(3))
    named, count = named[:known], count[:known]
    counts = definitions.context_counts(shares, labels, PAGES)
    assert [dict(zip(named[a:b].tolist(), count[a:b].tolist(), strict=True)) for a, b in pairwise(first)] == counts
    assert all((np.diff(named[a:b]) > 0).all() for a, b in pairwise(first))
    sums = np.zeros((len(asked), 3))
    LINK_ORDER.link_ratios(PAGES, PAGES, start, cells, share, first, named, count, np.array(asked, np.int64), sums)
    assert sums.tolist() == [
        [
            sum((part * counts[cell].get(one, 0.0) for cell, part in sorted(shares[row].items())), 0.0)
            for one in range(3)
        ]
        for row in asked
    ]


@given(PAIRS, st.lists(st.floats(-60, 60, width=32), min_size=30, max_size=30), st.data())
def test_couplings(pairs: list[tuple[int, int]], told: list[float], data: st.DataObject) -> None:
    source, target = columns(pairs)
    told = told[: len(pairs)]
    host = data.draw(st.lists(st.integers(0, 1), min_size=PAGES, max_size=PAGES))
    kind = data.draw(st.lists(st.sampled_from([1, 7, 9]), min_size=len(pairs), max_size=len(pairs)))
    of_kind, class_of, shown = np.zeros(256), np.zeros(256, np.uint8), np.zeros(256, np.bool_)
    of_kind[[1, 7, 9]], class_of[9], shown[1] = [2, 0.5, -1], 1, True
    of_group, chance = np.array([[0.0, 1, -2], [3, -4, 0.25]]), np.array([0, 0.25, 0.75])  # the last: between hosts
    same, found = np.full((2, len(pairs)), -1, np.float32)
    given_ = (source, target, np.uint8(kind), np.float32(told), np.int32(host))
    tables = (of_group, chance, of_kind, class_of, shown)
    COUPLINGS.couplings(0.005, 0.98, *given_, *tables, same, found)
    for i, (s, t) in enumerate(pairs):
        group = host[s] if host[s] == host[t] else 2
        log_odds = told[i] + of_kind[kind[i]] + of_group[class_of[kind[i]], group]
        expected = (0.98, 0.98) if kind[i] == 1 else definitions.coupling(log_odds, chance[group], 0.005, 0.98)
        assert (same[i], found[i]) == pytest.approx(expected, abs=1e-6)
    again = np.empty_like(found)
    COUPLINGS.couplings(0.005, 0.98, *given_, *tables, None, again)
    assert again.tolist() == found.tolist()


@given(PAIRS, st.lists(st.floats(0, 1, width=32), min_size=30, max_size=30), st.data())
def test_degree_cap(pairs: list[tuple[int, int]], coupling: list[float], data: st.DataObject) -> None:
    pairs = sorted(set(pairs))
    coupling = coupling[: len(pairs)]
    host = data.draw(st.lists(st.integers(0, 2), min_size=PAGES, max_size=PAGES))
    source, target = columns(pairs)
    begin = [np.array(definitions.starts(ends.tolist(), PAGES), np.int64) for ends in (source, target)]
    order = np.array(definitions.order(target.tolist(), PAGES), np.int32)
    made = np.full(len(pairs), -1, np.float32), np.full(len(pairs), -1, np.float32), np.full(PAGES, -1.0)
    is_given = data.draw(st.none() | st.lists(st.booleans(), min_size=PAGES, max_size=PAGES).map(np.array))
    for part in ((0, 3), (3, PAGES)):
        links = (*begin, order, source, target, np.array(host, np.int32), np.array(coupling, np.float32))
        DEGREE_CAP.degree_cap(*part, 1.5, *links, is_given, np.zeros(3), *made)
    # links of a page to itself would count twice, as they do in the definition
    expected = definitions.degree_cap(pairs, [float(np.float32(k)) for k in coupling], host, 1.5)
    receives = np.ones(PAGES, np.bool_) if is_given is None else is_given
    for got, wanted, page in zip(made, expected, (target, source, np.arange(PAGES)), strict=True):
        assert got.tolist() == pytest.approx(np.where(receives[page], wanted, -1).tolist(), abs=1e-6)


@given(st.lists(st.integers(0, 199), max_size=60))
def test_keys_are_numbered_in_their_order(keys: list[int]) -> None:
    numbers = np.empty(len(keys), np.int32)
    bits, ranks = np.zeros(4, np.uint64), np.empty(4, np.int32)
    for some in (keys[::2], keys[1::2]):
        CLASSES.mark_keys(np.array(some, np.int64), bits)
    assert CLASSES.rank_keys(bits, ranks) == len(set(keys))
    CLASSES.number_keys(np.array(keys, np.int64), bits, ranks, numbers)
    listed = np.empty(len(set(keys)), np.int64)
    CLASSES.list_keys(bits, listed)
    assert listed.tolist() == sorted(set(keys))
    assert numbers.tolist() == [sorted(set(keys)).index(key) for key in keys]


@pytest.mark.parametrize("room", [1, 3])
def test_keys_are_listed_where_there_is_room_for_just_all_of_them(room: int) -> None:
    assert call("list_keys") == 1
    with pytest.raises(KernelError, match=r"^list_keys: sizes of arrays do not fit their content$"):
        call("list_keys", keys=np.zeros(room, np.int64))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 9)), max_size=40), st.data())
def test_links_are_joined_by_class(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    rows.sort(key=lambda row: row[0])
    receiver, message_class, weight = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    pages = [receiver.index(page) for page in sorted(set(receiver))]
    middle = data.draw(st.sampled_from([0, *pages, len(rows)]))  # in two parts, no page in both
    out = np.array(receiver, np.int32), np.array(message_class, np.int32), np.array(weight, np.float32)
    counts, entries = np.zeros((2, 4), np.int32), []
    for part, count in zip((slice(middle), slice(middle, None)), counts, strict=True):
        room = np.empty(max([receiver[part].count(page) for page in receiver[part]], default=0))
        given_ = (column[part] for column in out)
        entries.append(CLASSES.join_links(*given_, np.full(4, -1, np.int32), count, room))
    expected = definitions.join_links(receiver, message_class, weight, 4)
    assert counts.sum(axis=0).tolist() == list(map(len, expected))
    to, loud = np.empty(sum(entries), np.int32), np.empty(sum(entries), np.float32)
    ends = np.cumsum([0, *counts.sum(axis=0)])
    place = ends[:-1].astype(np.int32)
    for first, many, count in zip((0, middle), entries, counts, strict=True):
        given_ = (column[first : first + many] for column in out)  # they stand in place of the links
        CLASSES.sort_by_class(*given_, place.copy(), to, loud)
        place += count
    for number, wanted in enumerate(expected):
        part = slice(ends[number], ends[number + 1])
        assert list(zip(to[part].tolist(), loud[part].tolist(), strict=True)) == wanted


def test_links_are_not_joined_without_room_for_those_of_a_page() -> None:
    two = {"receiver": i32(0, 0), "message_class": i32(0, 1), "weight": f32(1, 1), "last": i32(-1, -1)}
    assert call("join_links", **two, receivers=i32(0, 0), sums=np.zeros(2)) == 2
    with pytest.raises(KernelError, match=r"^join_links: sizes of arrays do not fit their content$"):
        call("join_links", **two, receivers=i32(0, 0), sums=np.zeros(1))


@given(PAIRS, st.lists(st.booleans(), min_size=PAGES, max_size=PAGES), st.booleans())
def test_links_to_latent_pages_carry_messages(pairs: list[tuple[int, int]], latent: list[bool], in_order: bool) -> None:
    source, target = columns(sorted(pairs))
    receiver, sender = (target, source) if in_order else (source, target)
    order = np.array(definitions.order(target.tolist(), PAGES), np.int32) if in_order else None
    start = np.array(definitions.starts(receiver.tolist(), PAGES), np.int64)
    number = np.where(latent, np.cumsum(latent) - 1, -1).astype(np.int32)
    rng = np.random.default_rng(len(pairs))
    weight, level = rng.random(len(pairs), np.float32), rng.integers(0, 5, len(pairs)).astype(np.uint8)
    kin, host = rng.integers(0, 4, PAGES).astype(np.int32), rng.integers(0, 2, PAGES).astype(np.int32)
    links = [n for n in (range(len(pairs)) if order is None else order.tolist()) if latent[receiver[n]]]
    to, key, loud = np.empty(len(links), np.int32), np.empty(len(links), np.int64), np.empty(len(links), np.float32)
    rows = np.flatnonzero(latent)
    given_ = (5, rows, start, order, sender, weight, level, number, kin, host)
    CLASSES.link_messages(*given_, to, key, loud)
    assert to.tolist() == [number[receiver[n]] for n in links]
    assert loud.tolist() == weight[links].tolist()
    between = [int(host[receiver[n]] != host[sender[n]]) for n in links]
    assert key.tolist() == [(2 * kin[sender[n]] + far) * 5 + level[n] for n, far in zip(links, between, strict=True)]
    for room in (len(links) - 1, len(links) + 1):
        if room >= 0:
            made = np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.float32)
            with pytest.raises(KernelError, match="sizes of arrays do not fit their content"):
                CLASSES.link_messages(*given_, *made)


@given(st.lists(st.floats(0, 1, width=32), max_size=40), st.lists(st.floats(0, 1, width=32), max_size=9))
def test_couplings_have_levels(bounds: list[float], coupling: list[float]) -> None:
    bound, given_ = np.sort(np.array(bounds, np.float32)), np.array([*coupling, *bounds[:5]], np.float32)
    level = np.empty(len(given_), np.uint8)
    CLASSES.coupling_levels(given_, bound, level)
    assert level.tolist() == [sum(one < each for one in bound) for each in given_]


def test_a_level_fits_its_byte() -> None:
    with pytest.raises(KernelError, match="sizes of arrays do not fit their content"):
        call("coupling_levels", bound=np.zeros(256, np.float32))


def test_memory_is_freed_or_runs_out() -> None:
    assert CLASSES.give_back(0) in (0, 1)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans(), st.data())
def test_messages(languages: int, seed: int, to_target: bool, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    marginal, switch, prior, unsure = rng.dirichlet(np.full(languages, 3.0), (4, 2)).astype(np.float32)
    exclusion, odds = rng.choice([0.0, 0.5, 0.9], (2, languages)), rng.choice([0.1, 1.0, 9.0], (2, languages))
    kept = data.draw(st.integers(1, languages))
    candidates = np.stack([np.sort(rng.permutation(languages)[:kept]) for _ in range(3)]).astype(np.int16)
    tables = [table.astype(np.float32) for table in (marginal, switch, exclusion, odds, prior, unsure)]
    belief = rng.dirichlet(np.full(kept + 1, 3.0), 4).astype(np.float32)
    if kept == languages:  # then there are no others
        belief /= 1 - belief[:, -1:]
        belief[:, -1] = 0
    group, sender, home, row = (rng.integers(0, below, 9).astype(np.int32) for below in (2, languages + 5, 2, 4))
    coupling = rng.choice(np.float32([0, 0.2, 0.5, 0.99]), 9)
    made, room = np.empty((9, languages + 1), np.float32), np.empty(ROOM * languages, np.float32)
    numbers = (group, coupling, sender, home, belief, row)
    MESSAGES.messages(*tables, candidates, 0.02, 0.98, to_target, *numbers, room, made)
    for i in range(9):
        own = prior[home[i]].astype(float)
        if sender[i] < languages:  # sure of that language
            whole, named = np.eye(languages)[sender[i]], [int(sender[i])]
        elif sender[i] < languages + 2:
            whole = unsure[sender[i] - languages].astype(float)
            named = [int(whole.argmax())]
        else:
            named = candidates[sender[i] - languages - 2].tolist()
            others = [x for x in range(languages) if x not in named]
            whole = np.zeros(languages)
            whole[named] = belief[row[i]][:-1]
            whole[others] = own[others] / own[others].sum() * belief[row[i]][-1] if others else 0
        k = float(coupling[i])
        leaning = [min(k * factor / (k * factor + 1 - k), max(k, 0.98)) for factor in odds[group[i]].tolist()]
        of_group = [table[group[i]].tolist() for table in (marginal, switch, exclusion)]
        wanted = definitions.message(*of_group, leaning, own.tolist(), whole.tolist(), 0.02, to_target=to_target)
        assert made[i, :-1].tolist() == pytest.approx(wanted, rel=1e-3)
        others = [x for x in range(languages) if x not in named]
        if kept < languages and sum(own[others]) > 0.01:  # the mean over what is not named, by the prior
            mean = sum(own[x] * wanted[x] for x in others) / sum(own[others])
            assert made[i, -1] == pytest.approx(mean, rel=1e-2)


@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.integers(1, 3), st.data())
def test_messages_are_added_up_for_those_who_receive_them(
    languages: int, seed: int, stripes: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    kept, pages = data.draw(st.integers(1, languages)), 4 * STRIPE
    candidates = np.stack([np.sort(rng.permutation(languages)[:kept]) for _ in range(pages)]).astype(np.int16)
    pairs = st.tuples(st.integers(0, pages - 1), st.integers(0, 8).map(float))
    receivers = data.draw(st.lists(st.lists(pairs, max_size=4), min_size=1, max_size=5))
    numbers = data.draw(st.lists(st.integers(0, len(receivers) - 1), max_size=9))
    numbers *= data.draw(st.sampled_from([1, 40]))  # the kernel delivers 128 at a time, and the rest
    messages = rng.integers(-9, 9, (len(numbers), languages + 1)).astype(np.float32)
    incoming = rng.integers(-9, 9, (pages, kept + 1)).astype(float)
    expected = definitions.accumulated(receivers, candidates.tolist(), numbers, messages.tolist(), incoming.tolist())
    begin = np.cumsum([0, *map(len, receivers)])
    flat = [pair for some in receivers for pair in some]
    to, loud = np.array([p for p, _ in flat], np.int32), np.array([w for _, w in flat], np.float32)
    touched = np.zeros(pages, np.uint8)
    given_ = (begin, to, loud, candidates, np.array(numbers, np.int64), messages, incoming, touched)
    heard = {p for number in numbers for p, _ in receivers[number]}
    for stripe in range(stripes):
        MESSAGES.accumulate(languages, len(receivers), stripe, stripes, *given_)
        seen = {page for page in heard if page // STRIPE % stripes <= stripe}
        assert set(np.flatnonzero(touched).tolist()) == seen
    assert incoming.tolist() == expected


def test_columns_of_no_language_stay_empty() -> None:
    lists, chances = np.array([[2, 0, -1]], np.int16), np.array([[0.5, 0.25, 0]], np.float32)
    assert score_table(lists, chances, np.array([2, -1], np.int16), 3).tolist() == [[0.5, 0]]
    assert score_table(lists, chances, np.array([0, -1, 2], np.int16), 3).tolist() == [[0.25, 0, 0.5]]
    with pytest.raises(ValueError, match=r"languages\[0\] = 2 is outside -1\.\.1"):
        score_table(lists, chances, np.array([0], np.int16), 2)


@given(st.integers(1, 20), st.integers(0, 9), st.data())
def test_lists_become_tables(columns_: int, ranks: int, data: st.DataObject) -> None:
    known, rows = data.draw(st.integers(1, 9)), data.draw(st.integers(0, 4))
    column = data.draw(st.lists(st.integers(-1, columns_ - 1), min_size=known, max_size=known))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    languages = rng.integers(-1, known, (rows, ranks)).astype(np.int16)
    probabilities = rng.choice(np.float32([0, 0.25, 0.5]), (rows, ranks))
    table, sums = np.full((rows, columns_), np.nan, np.float32), np.ones(columns_)
    TABLES.score_table(languages, probabilities, np.array(column, np.int16), table)
    lists = [list(zip(*one, strict=True)) for one in zip(languages.tolist(), probabilities.tolist(), strict=True)]
    assert table.tolist() == definitions.score_table(lists, column, columns_)
    largest, keep = np.empty(rows, np.float32), data.draw(st.integers(0, columns_))
    best = np.empty((rows, keep), np.int64)
    TABLES.row_maxima(table, largest)
    TABLES.best_columns(table, best)
    TABLES.column_sums(table, sums)
    assert largest.tolist() == [max(row) for row in table.tolist()]
    assert best.tolist() == [definitions.best_columns(row, keep) for row in table.tolist()]
    assert sums.tolist() == [1 + sum(each) for each in zip(*table.tolist(), strict=True)] if rows else sums.all()


@pytest.mark.parametrize("place", range(11))
def test_what_is_no_number_is_the_largest(place: int) -> None:
    row, largest = np.arange(11, dtype=np.float32)[None], np.empty(1, np.float32)
    row[0, place] = np.nan
    TABLES.row_maxima(row, largest)
    assert np.isnan(largest[0])
    with pytest.raises(KernelError, match=rf"^table\[{place}\] is not a finite number$"):
        TABLES.best_columns(row, np.empty((1, 2), np.int64))


def test_rows_have_a_column() -> None:
    nothing = np.zeros((2, 0), np.float32)
    with pytest.raises(KernelError, match="sizes of arrays do not fit their content"):
        TABLES.row_maxima(nothing, np.empty(2, np.float32))
    with pytest.raises(KernelError, match=r"^keep\[0\] = 1 is outside 0\.\.0$"):
        TABLES.best_columns(nothing, np.empty((2, 1), np.int64))
    for name in ("neighbour_log_odds", "move_beliefs"):
        none = {key: value[..., :0] for key, value in SOUND[name][1].items() if getattr(value, "ndim", 0) == 2}
        with pytest.raises(KernelError, match="sizes of arrays do not fit their content"):
            call(name, **none)


@given(st.integers(1, 20), st.integers(0, 999), st.booleans())
def test_beliefs_move_to_the_messages(columns_: int, seed: int, alone: bool) -> None:
    rng, latent, rows = np.random.default_rng(seed), 5, 7
    numbers = np.flatnonzero(rng.random(latent) < 0.7)
    incoming, own = rng.normal(0, 9, (latent, columns_)), rng.normal(0, 9, (latent, columns_)).astype(np.float32)
    weight, logs = rng.random(len(numbers), np.float32), np.empty((len(numbers), columns_), np.float32)
    STEPS.neighbour_log_odds(8.0, numbers, incoming, weight, None if alone else own, logs)
    for at, number in enumerate(numbers):
        expected = definitions.neighbour_log_odds(incoming[number], weight[at], 8.0, None if alone else own[number])
        assert logs[at] == pytest.approx(expected, rel=1e-5, abs=1e-5)
    belief, before = rng.random((rows, columns_), np.float32), np.zeros((rows, columns_), np.float32)
    final, last = rng.random(logs.shape, np.float32), rng.normal(0, 1, (latent, columns_)).astype(np.float32)
    damping = rng.choice(np.float32([0, 0.1, 0.5, 0.9]), latent)
    near = rng.random(len(numbers)) < 0.3  # these are nearly there
    final[near] = belief[numbers[near]] + np.float32(1e-4)
    changed = [array.copy() for array in (belief, last, damping, before)]
    moves, largest = np.empty(len(numbers), np.uint8), np.empty(1, np.float32)
    given_ = (np.float32(1e-3), 0.3, -0.2, 0.9, numbers, final, changed[0], changed[1], changed[2], changed[3])
    assert STEPS.move_beliefs(*given_, moves, largest) == 1
    for at, number in enumerate(numbers):
        expected = definitions.moved(belief[number], final[at], last[number], damping[number], 1e-3)
        for array, one in zip(changed[:3], expected, strict=False):
            assert array[number] == pytest.approx(one, abs=1e-6)
        assert bool(moves[at]) is bool(expected[3])
        assert (changed[3][number] == belief[number]).all()
    assert largest[0] == (np.abs(final - belief[numbers]).max() if len(numbers) else 0)
    others = np.setdiff1d(np.arange(rows), numbers)
    assert (changed[0][others] == belief[others]).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_belief_moves_to_what_is_not_finite(value: float) -> None:
    belief = f32(0.5, 0.5).reshape(1, 2)
    assert call("move_beliefs", final=f32(1, value).reshape(1, 2), belief=belief) == 0
    assert belief.tolist() == [[0.5, 0.5]]
