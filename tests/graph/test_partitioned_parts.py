"""The parts of the inference on partitions, computed by hand: the partition of a page, its messages, and ghosts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.graph.data import Signal
from graphlang.graph.options import Options
from graphlang.graph.partitioned import borders, list_counts, supersteps
from graphlang.graph.partitioned.borders import MOST, decode_ghosts, introduce, list_signals, make_unknown_ghosts
from graphlang.graph.partitioned.learning import merge_surveys, survey
from graphlang.graph.partitioned.partition import (
    Cut,
    Cuts,
    DirectoryRun,
    Partition,
    cut_host,
    find_directory,
    find_host,
    find_partitions,
    hash_name,
)
from graphlang.graph.partitioned.records import BELIEF, PageRecords, join_records, pack, unpack

CODES = ("deu", "eng", "fra")
OPTIONS = Options()


def partition(pages: dict[int, tuple[int, int, int, int]], links: list[tuple[int, int]]) -> Partition:
    """Pages by id: host, directory, language (-1 none) and length; and links between any pages, in this order."""
    ids = np.array(list(pages), np.int64)
    host, directory, language, length = (np.array(column, np.int64) for column in zip(*pages.values(), strict=True))
    source, target = (np.array([pair[end] for pair in links], np.int64) for end in (0, 1))
    scores = np.where(language >= 0, np.float32(0.9), np.float32(0))[:, None]
    return Partition(
        CODES,
        *(ids, host, directory),
        *(language.astype(np.int16)[:, None], scores, length.astype(np.int32)),
        *(source, target, np.full(len(links), 7, np.uint8)),
        *(np.full(len(links), -1, np.int16), np.arange(len(links), dtype=np.int16)),
    ).sort()


def test_hosts_stay_together_and_large_ones_are_cut_by_directory() -> None:
    sizes = {b"http://h/a": 3, b"http://h/b": 4, b"http://h/c": 20, b"http://h/d": 1}
    runs = cut_host(sizes, 8)
    assert runs == (DirectoryRun(b"http://h/a", 7), DirectoryRun(b"http://h/c", 20, 3), DirectoryRun(b"http://h/d", 1))
    cuts = Cuts(8, {b"h": runs})
    assert cuts.cut_hosts().tolist() == [hash_name(b"h")]
    assert cuts.cut_directories().tolist() == [hash_name(b"http://h/c")]
    assert cuts.warnings() == [
        "http://h/c has 20 pages, more than the limit of 8: it is cut into 3 parts by the ids of its pages"
    ]
    urls = [b"http://h/a/1", b"http://h/b/2?x=/y/", b"http://h/0", b"http://h/d/9", b"http://h/c/1", b"http://h/c/2"]
    ids = np.arange(6, dtype=np.int64)
    units = [hash_name(b"h\nhttp://h/a\n0"), hash_name(b"h\nhttp://h/d\n0")]
    many = 1_000_003
    found = find_partitions(urls, ids, cuts, many).tolist()
    # what comes before the first directory goes with it
    assert found[:4] == [units[0] % many, units[0] % many, units[0] % many, units[1] % many]
    parts = {hash_name(b"h\nhttp://h/c\n%d" % part) % many for part in range(3)}
    assert set(find_partitions([b"http://h/c/x"] * 100, np.arange(100), cuts, many).tolist()) == parts
    assert find_partitions(urls[::-1], ids[::-1], cuts, many).tolist() == found[::-1]
    whole = find_partitions(urls, ids, Cuts(100), many).tolist()
    assert whole == [hash_name(b"h") % many] * 6
    with pytest.raises(ValueError, match="0 partitions"):
        find_partitions(urls, ids, cuts, 0)
    with pytest.raises(ValueError, match="the limit is 0 pages"):
        cut_host(sizes, 0)


@pytest.mark.parametrize(
    ("url", "host", "directory"),
    [
        (b"http://h", b"h", b"http:/"),
        (b"http://h/", b"h", b"http://h"),
        (b"http://h?a/b", b"h", b"http:/"),
        (b"http://h:1/a/b/c.html", b"h:1", b"http://h:1/a/b"),
        (b"", b"", b""),
    ],
)
def test_host_and_directory_of_a_url(url: bytes, host: bytes, directory: bytes) -> None:
    assert (find_host(url), find_directory(url)) == (host, directory)


def test_a_page_at_the_border_is_introduced_with_its_degrees_its_text_and_its_places() -> None:
    # pages 1 to 3 on host 10 link to 21 on host 20; 1 and 21 link to each other
    one = partition(
        {1: (10, 100, 0, 900), 2: (10, 101, 2, 40), 3: (10, 100, 0, 900)},
        [(1, 21), (21, 1), (2, 21), (1, 2), (3, 1), (1, 21)],
    )
    two = partition({21: (20, 200, 1, 900)}, [(1, 21), (21, 1), (2, 21)])
    assert one.ghosts().tolist() == [21]
    assert one.pages[one.border()].tolist() == [1, 2]
    said = join_records([introduce(one, OPTIONS), introduce(two, OPTIONS)])
    assert said.pages.tolist() == [1, 2, 21]
    ghosts = decode_ghosts(two, said)
    assert ghosts.pages.tolist() == [1, 2]
    assert ghosts.host.tolist() == [10, 10]
    assert ghosts.directory.tolist() == [100, 101]
    assert (ghosts.out.tolist(), ghosts.into.tolist(), ghosts.mutual.tolist()) == ([2, 1], [2, 1], [1, 0])
    assert ghosts.languages.tolist() == [[0], [-1]]  # the text of page 2 is too short to be anybody else's business
    assert ghosts.length.tolist() == [900, 40]
    assert (ghosts.hosts.place.tolist(), ghosts.hosts.language.tolist(), ghosts.hosts.pages.tolist()) == (
        [10],
        [0],
        [2],
    )
    assert ghosts.directories.place.tolist() == [100, 101]
    assert ghosts.directories.start.tolist() == [0, 1, 1]
    assert (ghosts.near.tolist(), ghosts.near_start.tolist()) == ([], [0, 0, 0])
    # hosts that are cut are counted by the survey: nothing is said of them here
    told = decode_ghosts(two, introduce(one, OPTIONS, Cut(np.array([10]), np.array([100]))))
    assert (told.hosts.pages.tolist(), told.directories.pages.tolist()) == ([], [])
    with pytest.raises(ValueError, match="no record of page 1 and 1 others"):
        decode_ghosts(two, introduce(two, OPTIONS))


def test_a_page_with_neighbours_in_several_partitions_lists_them() -> None:
    # page 1 is linked with 21 and 31, page 2 with 31 alone
    one = partition({1: (10, 100, 0, 900), 2: (10, 100, 0, 900)}, [(1, 21), (31, 1), (2, 31), (1, 2)])
    routes = one.routes(np.array([21, 31]), np.int32([7, 9]))
    assert {home: pages.tolist() for home, pages in routes.items()} == {7: [1], 9: [1, 2]}
    three = partition({31: (30, 300, 0, 900)}, [(31, 1), (2, 31)])
    ghosts = decode_ghosts(three, introduce(one, OPTIONS, routes=routes))
    assert (ghosts.near.tolist(), ghosts.near_start.tolist()) == ([7, 9], [0, 2, 2])
    many = {home: np.array([1]) for home in range(MOST + 1)}  # a hub: who is near it is nobody's news
    assert decode_ghosts(three, introduce(one, OPTIONS, routes=many)).near.tolist() == []


def test_surveys_add_up() -> None:
    one = partition({1: (10, 100, 0, 900), 2: (10, 101, 2, 40)}, [(1, 2), (1, 21)])
    two = partition({21: (20, 200, 1, 900), 22: (10, 100, 0, 900)}, [(1, 21), (22, 21)])
    cut = Cut(np.array([10]), np.array([100]))
    parts = [survey(part, list_signals(part, OPTIONS), cut, OPTIONS) for part in (one, two)]
    found = merge_surveys(parts)
    assert (found.pages, found.links) == (4, 3)
    assert found.label.tolist() == [2, 1, 0]
    assert found.best.tolist() == [2, 1, 1]
    assert (found.scores * 2.0**-30).round(5).tolist() == [1.8, 0.9, 0.9]
    assert found.active().tolist() == [0, 1, 2]
    assert found.longest() == 300
    assert np.flatnonzero(found.kinds).tolist() == [7]
    assert (found.hosts_cut.place.tolist(), found.hosts_cut.pages.tolist()) == ([10], [2])
    assert (found.directories_cut.place.tolist(), found.directories_cut.pages.tolist()) == ([100], [2])
    with pytest.raises(ValueError, match="no survey"):
        merge_surveys([])
    with pytest.raises(ValueError, match="different languages"):
        merge_surveys([parts[0], replace(parts[1], codes=("eng",))])


def test_links_between_ghosts_are_asked_of_their_partitions() -> None:
    # page 1 of partition 6 has the ghosts 2, 3 and 4, each in a partition of its own; 3 is a ghost of 7 as well
    ghosts = replace(make_unknown_ghosts(np.array([2, 3, 4])), near=np.int32([6, 7]), near_start=np.array([0, 0, 2, 2]))
    found = borders.group_ghost_pairs(ghosts, np.int32([7, 8, 9]))
    assert {home: pages.tolist() for home, pages in found.items()} == {7: [2, 3]}
    found = borders.group_ghost_pairs(
        replace(ghosts, near=np.int32([]), near_start=np.zeros(4, int)), np.int32([7, 7, 9])
    )
    assert {home: pages.tolist() for home, pages in found.items()} == {7: [2, 3]}
    assert borders.group_ghost_pairs(make_unknown_ghosts(np.zeros(0, np.int64)), np.int32([])) == {}
    home = partition({2: (10, 100, 0, 9), 5: (10, 100, 0, 9)}, [(2, 3), (2, 3), (3, 2), (2, 5), (5, 3), (2, 1)])
    links = borders.find_links_among(home, np.array([2, 3]))
    assert links.tolist() == [[2], [3]]
    one = partition({1: (10, 100, 0, 9)}, [(2, 1), (1, 3)])
    more = borders.add_ghost_links(one, [links])
    assert list(zip(more.source.tolist(), more.target.tolist(), strict=True)) == [(1, 3), (2, 1), (2, 3)]
    assert more.ghosts().tolist() == [2, 3]
    assert more.pages[more.border()].tolist() == [1]


def test_lists_tell_pages_of_other_partitions_where_they_stand() -> None:
    # on host 10, page 1 lists the German page 2, then 21 and 22; page 21 lists 22
    one = partition({1: (10, 100, 1, 900), 2: (10, 100, 0, 900)}, [(1, 2), (1, 21), (1, 22)])
    two = partition({21: (10, 101, -1, 0), 22: (10, 101, 1, 900)}, [(1, 21), (1, 22), (21, 22)])
    cut = Cut(np.array([10]))
    said = join_records([introduce(part, OPTIONS, cut) for part in (one, two)])
    counted = merge_surveys([survey(part, list_signals(part, OPTIONS), cut, OPTIONS) for part in (one, two)])
    places = list_counts.add_places(
        [list_counts.find_lists(part, decode_ghosts(part, said), counted, OPTIONS) for part in (one, two)]
    )
    end, width = len(CODES), len(CODES) + 1
    before = {(2, end): 1, (21, 0): 1, (22, width + 0): 1, (22, end): 1}  # after German, and one more after that
    behind = {(2, width + 1): 1, (21, 1): 1, (22, end): 2}  # English page 22 comes behind; 22 ends both lists
    half = list_counts.FARTHEST * width
    expected = before | {(page, half + context): lists for (page, context), lists in behind.items()}
    found = zip(places.pages.tolist(), places.context.tolist(), places.lists.tolist(), strict=True)
    assert {(page, context): lists for page, context, lists in found} == expected
    counts = list_counts.add_list_counts(
        [list_counts.count(part, places.of(part.pages), counted, OPTIONS) for part in (one, two)]
    )
    rows = zip(counts.context.tolist(), counts.language.tolist(), (counts.pages * 2.0**-30).tolist(), strict=True)
    of = {(context, language): pages for context, language, pages in rows}
    assert of[end, -1] == 1.5  # page 2, and half of page 22, are first in their lists
    assert (of[end, 0], of[end, 1]) == (1.0, 0.5)
    assert of[half + end, 1] == 1.0
    assert (0, 0) not in of  # page 21 is not certain: it is counted without a language


PAGES = st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, max_size=6)


@given(PAGES, st.data())
def test_what_is_packed_is_unpacked(pages: list[int], data: st.DataObject) -> None:
    ids = np.array(sorted(pages), np.int64)
    lists = [data.draw(st.lists(st.tuples(st.integers(-1, 99), st.floats(0, 1, width=32)), max_size=4)) for _ in ids]
    kind = np.dtype([("many", "u1"), ("x", "<i4")])
    header = np.array([(len(one), number) for number, one in enumerate(lists)], kind)
    counts = np.array([len(one) for one in lists], np.int64)
    entries = np.array([pair for one in lists for pair in one], BELIEF)
    made = pack(ids, header, [(counts, entries)])
    head, ((many, again),) = unpack(made, kind, [("many", BELIEF)])
    assert head.tolist() == header.tolist()
    assert (many.tolist(), again.tolist()) == (counts.tolist(), entries.tolist())
    assert PageRecords.from_bytes(ids.tolist(), made.to_list()).data.tobytes() == made.data.tobytes()
    some = ids[::2]
    assert made.of(some).to_list() == made.to_list()[::2]
    assert join_records([made.of(ids[1::2]), made.of(some)]).data.tobytes() == made.data.tobytes()
    for damaged in (made.data[:-1], np.append(made.data, np.uint8(0))):
        if len(ids):
            start = made.start.copy()
            start[-1] = len(damaged)
            with pytest.raises(ValueError, match="record"):
                unpack(PageRecords(ids, start, damaged), kind, [("many", BELIEF)])


def test_only_languages_with_a_value_of_their_own_are_sent() -> None:
    # four languages, of which pages 4 and 9 ask about the first three; German stands out on page 4, the others have
    # three quarters of what the prior gives them; of page 9 nothing is known
    prior, group = np.float32([[0.2, 0.4, 0.2, 0.2]]), np.int32([0, 0])
    candidates = np.int16([[0, 1, 2], [0, 1, 2]])
    before = supersteps.make_prior_beliefs(candidates, prior, group)
    assert before.tolist() == [pytest.approx([0.2, 0.4, 0.2, 0.2])] * 2
    now = np.float32([[0.4, 0.3, 0.15, 0.15], [0.2, 0.4, 0.2, 0.2]])
    table = supersteps.BeliefTable(candidates, now, before, np.array([True, False]))
    said = supersteps.encode_beliefs(np.array([4, 9]), table, 4)
    # header; a byte of languages, a byte of candidates; a number
    assert np.diff(said.start).tolist() == [9 + 2 + 4, 9 + 2]
    heard = supersteps.decode_beliefs(said, 3, prior, group)
    assert heard.candidates.tolist() == candidates.tolist()
    assert heard.belief.tolist() == [pytest.approx([0.4, 0.3, 0.15, 0.15]), pytest.approx([0.2, 0.4, 0.2, 0.2])]
    assert heard.known.tolist() == [True, False]
    for kept, languages in ((2, 4), (3, 9)):
        with pytest.raises(ValueError, match=f"than {kept}"):
            supersteps.decode_beliefs(said, kept, np.full((1, languages), 1 / languages, np.float32), group)


def test_pages_are_sent_in_a_collection_of_thousands_of_languages() -> None:
    candidates = np.tile(np.int16([3, 2599]), (supersteps.BLOCK + 1, 1))  # more pages than are looked at at once
    prior = np.full((1, 2600), 1 / 2600, np.float32)
    group = np.zeros(len(candidates), np.int32)
    now = np.tile(np.float32([0.25, 0.5, 0.25]), (len(candidates), 1))
    table = supersteps.BeliefTable(candidates, now, supersteps.make_prior_beliefs(candidates, prior, group), group == 0)
    heard = supersteps.decode_beliefs(
        supersteps.encode_beliefs(np.arange(len(candidates)), table, 2600), 2, prior, group
    )
    assert (heard.candidates == candidates).all()
    assert np.abs(heard.belief - now).max() < 1e-6


def test_the_belief_of_a_page_without_evidence_is_sent_too() -> None:
    # a weak signal moves it a little, though it does not stand out
    candidates, prior = np.int16([[0, 1]]), np.float32([[0.5, 0.5]])
    table = supersteps.BeliefTable(
        candidates,
        np.float32([[0.6, 0.4, 0]]),
        supersteps.make_prior_beliefs(candidates, prior, np.int32([0])),
        np.array([False]),
    )
    said = supersteps.encode_beliefs(np.array([1]), table, 2)
    heard = supersteps.decode_beliefs(said, 2, prior, np.int32([0]))
    assert (
        len(supersteps.encode_beliefs(np.array([1]), replace(table, belief=table.prior), 2).data) == len(said.data) - 8
    )
    assert heard.belief.tolist() == [pytest.approx([0.6, 0.4, 0])]
    assert heard.known.tolist() == [False]


CHANCES = st.lists(st.floats(0.0001220703125, 1, width=32), min_size=7, max_size=7)


@given(CHANCES, CHANCES, st.sets(st.integers(0, 6), min_size=3, max_size=3))
def test_a_message_is_received_as_it_was_sent(belief: list[float], prior: list[float], named: set[int]) -> None:
    candidates = np.array([sorted(named)], np.int16)
    usual = np.float32([prior]) / np.float32(sum(prior))
    now = np.float32([belief[:4]]) / np.float32(sum(belief[:4]))
    table = supersteps.BeliefTable(
        candidates, now, supersteps.make_prior_beliefs(candidates, usual, np.int32([0])), np.array([True])
    )
    heard = supersteps.decode_beliefs(supersteps.encode_beliefs(np.array([1]), table, 7), 3, usual, np.int32([0]))
    assert heard.candidates.tolist() == candidates.tolist()
    assert np.abs(heard.belief - now).max() < supersteps.ALIKE


def test_partitions_that_do_not_fit_are_refused() -> None:
    one = partition({1: (10, 100, 0, 900)}, [(1, 2)])
    with pytest.raises(ValueError, match="host has 1 rows for 2 pages"):
        replace(one, pages=np.array([1, 2]))
    with pytest.raises(ValueError, match="kind has 1 rows for 2 links"):
        replace(one, source=np.array([1, 1]), target=np.array([2, 2]))
    with pytest.raises(ValueError, match="the signal url has 2 rows for 1 pages"):
        replace(one, signals={"url": Signal(np.int16([[0], [0]]), np.float32([[1], [1]]))})
    twice = {name: np.repeat(getattr(one, name), 2, axis=0) for name in ("pages", "host", "directory")}
    texts = {name: np.repeat(getattr(one, name), 2, axis=0) for name in ("languages", "probabilities", "length")}
    with pytest.raises(ValueError, match="page 1 occurs twice"):
        replace(one, **twice, **texts).sort()
