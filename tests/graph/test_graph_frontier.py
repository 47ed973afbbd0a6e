"""ClueWeb09's rule for URLs not fetched yet, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from graphlang.graph.baselines import count_referring, find_skipped, guess_unfetched
from graphlang.graph.data import Evidence, Graph

ENG, DEU, FRA = 0, 1, 2
CODES = ("eng", "deu", "fra")


def graph(n: int, *links: tuple[int, int]) -> Graph:
    source, target = (np.array(ends, np.int32) for ends in zip(*links, strict=True))
    return Graph(n, source, target, np.full(len(links), 7, np.uint8), np.full(len(links), -1, np.int16))


def evidence(*languages: int) -> Evidence:
    lists = np.array([[language] for language in languages], np.int16)
    n = len(lists)
    chances = np.where(lists >= 0, 0.9, 0).astype(np.float32)
    return Evidence(CODES, lists, chances, np.where(lists[:, 0] >= 0, 500, 0).astype(np.int32), np.zeros(n, np.int32))


# Pages 0 to 4 were read; 0 and 1 are German, 2 is English, 3 French but of 399 bytes, 4 has no language.
# 5 is linked from 0, 1, 2, 3; 6 from 3 and 4; 7 from 2 twice and from 5, which was never read; 8 from nowhere.
READ = evidence(DEU, DEU, ENG, FRA, -1, -1, -1, -1, -1)
LINKS = graph(9, (0, 5), (1, 5), (2, 5), (3, 5), (3, 6), (4, 6), (2, 7), (2, 7), (5, 7), (0, 2), (1, 4), (8, 8))
SIZE = np.array([400, 500, 9000, 399, 1000, 0, 0, 0, 0], np.int32)
FETCHED = np.arange(9) < 5


def test_every_language_of_a_page_that_refers_is_possible() -> None:
    counts = count_referring(LINKS, READ.best()[0], SIZE, 3).toarray()
    assert counts[5:].tolist() == [[1, 2, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert find_skipped(count_referring(LINKS, READ.best()[0], SIZE, 3), [DEU])[5:].tolist() == [
        False,
        True,
        False,
        True,
    ]
    assert find_skipped(count_referring(LINKS, READ.best()[0], SIZE, 3), [DEU, ENG])[5:].all()


def test_an_unread_page_has_the_commonest_of_them_and_a_read_one_its_own() -> None:
    answer = guess_unfetched(LINKS, READ, SIZE, FETCHED)
    assert answer.language.tolist() == [DEU, DEU, ENG, FRA, -1, DEU, -1, ENG, -1]
    assert answer.languages[5, :3].tolist() == [DEU, ENG, -1]
    assert answer.probabilities[5, :3].tolist() == pytest.approx([2 / 3, 1 / 3, 0])
    assert answer.confidence[[0, 7]].tolist() == pytest.approx([0.9, 1])  # by its text, and by its only referrer


def test_referring_pages_count_from_so_many_bytes() -> None:
    assert guess_unfetched(LINKS, READ, SIZE, FETCHED, min_bytes=399).language[6] == FRA
    assert guess_unfetched(LINKS, READ, SIZE, FETCHED, min_bytes=9001).language[5:].tolist() == [-1] * 4
    with pytest.raises(ValueError, match="min_bytes"):
        guess_unfetched(LINKS, READ, SIZE, FETCHED, min_bytes=-1)
    with pytest.raises(ValueError, match="9 pages, the evidence 1"):
        guess_unfetched(LINKS, evidence(ENG), SIZE, FETCHED)


def test_ties_go_by_code() -> None:
    tied = graph(3, (0, 2), (1, 2))
    sizes, fetched = np.array([400, 400, 0], np.int32), np.array([True, True, False])
    answer = guess_unfetched(tied, evidence(FRA, ENG, -1), sizes, fetched)
    assert (answer.language[2], answer.confidence[2]) == (ENG, 0.5)


def test_the_account_lists_the_pages_that_count() -> None:
    traces = guess_unfetched(LINKS, READ, SIZE, FETCHED, trace=[5, 2, 4]).traces
    assert [(part.source, part.neighbour) for part in traces[5].contributions] == [("inlink", p) for p in (0, 1, 2)]
    # two for German and one for English: log(2.5 / 1.5), two steps forward and one back
    assert traces[5].log_odds == pytest.approx(np.log(2.5 / 1.5))
    assert sum(part.log_odds for part in traces[5].contributions) == pytest.approx(traces[5].log_odds)
    assert [part.source for part in traces[2].contributions] == ["text"]
    assert traces[4].contributions == ()
