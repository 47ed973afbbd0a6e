"""Redirects, refreshes and frames: a page that only passes its readers on has the language of where they get to."""

from __future__ import annotations

import numpy as np
import pytest

from graphlang.graph.data import Evidence, Graph
from graphlang.graph.propagation.inference import propagate
from graphlang.graph.propagation.message_weights import FOLLOWED, compute_message_weights

REDIRECT, REFRESH, CANONICAL, FRAME, ANCHOR = 1, 2, 3, 4, 7
ENG, DEU = 0, 1
LONG = 1000
Link = tuple[int, int, int]


def web(
    languages: list[int | None], links: list[Link], lengths: dict[int, int] | None = None
) -> tuple[Graph, Evidence]:
    """One page for each language; None has no text."""
    n = len(languages)
    lists = np.array([[-1 if code is None else code] for code in languages], np.int16)
    length = np.array([0 if code is None else LONG for code in languages], np.int32)
    for row, characters in (lengths or {}).items():
        length[row] = characters
    source, target, kind = (np.array(column) for column in zip(*links, strict=True))
    graph = Graph(
        n, source.astype(np.int32), target.astype(np.int32), kind.astype(np.uint8), np.full(len(links), -1, np.int16)
    )
    chances = np.where(lists >= 0, 0.95, 0).astype(np.float32)
    return graph, Evidence(("eng", "deu"), lists, chances, length, np.zeros(n, np.int32))


def bilingual(*more: Link, pages: int = 0) -> tuple[Graph, Evidence]:
    """Ten English and ten German pages, each linking to all others: no link says anything; page 20 and on are empty."""
    languages = [ENG] * 10 + [DEU] * 10
    links = [(a, b, ANCHOR) for a in range(20) for b in range(20 + 1) if a != b]
    return web([*languages, None, *[None] * pages], [*links, *more])


@pytest.mark.parametrize("kind", [REDIRECT, REFRESH, FRAME])
@pytest.mark.parametrize("language", [ENG, DEU])
def test_a_page_that_passes_on_has_the_language_of_its_target(kind: int, language: int) -> None:
    undecided = propagate(*bilingual())
    assert undecided.confidence[20] < 0.8
    passed = propagate(*bilingual((20, language * 10, kind)), trace=[20])
    assert passed.language[20] == language
    assert passed.confidence[20] > 0.95
    trace = passed.traces[20]
    strongest = max(trace.contributions, key=lambda part: part.log_odds)
    assert (strongest.neighbour, strongest.kind) == (language * 10, kind)
    assert sum(part.log_odds for part in trace.contributions) == pytest.approx(trace.log_odds)


def test_a_chain_of_redirects_is_followed_to_its_end() -> None:
    chain = [(20, 21, REDIRECT), (21, 22, REFRESH), (22, 15, REDIRECT)]
    answer = propagate(*bilingual(*chain, pages=2))
    assert answer.language[20:].tolist() == [DEU] * 3
    assert answer.confidence[20:].min() > 0.9


def test_redirects_that_lead_to_a_page_do_not_outvote_its_links() -> None:
    # page 20 is linked from German pages only; a hundred pages that English ones link to redirect to it
    farm = range(22, 122)
    links = [(a, a + 1, ANCHOR) for a in range(19)] + [(a, 20, ANCHOR) for a in range(10, 20)]
    links += [(a % 10, a, ANCHOR) for a in farm] + [(a, 20, REDIRECT) for a in farm]
    languages = [ENG] * 10 + [DEU] * 10 + [None] * 102
    assert propagate(*web(languages, links)).language[20] == DEU


def test_a_page_of_many_frames_hears_them_as_one() -> None:
    source, target = np.zeros(5, np.int32), np.arange(1, 6, dtype=np.int32)
    shared = compute_message_weights(
        source, target, np.ones(5, np.float32), np.zeros(6, np.int32), 2.0, followed=np.arange(5) < 4
    )
    assert (shared.to_source[:4].sum() * shared.page[0]).round(5) == FOLLOWED
    assert shared.to_source[4] * shared.page[0] == pytest.approx(2 / 5)
    assert shared.to_target.tolist() == [1] * 5


def test_a_canonical_url_that_was_never_read_has_the_language_of_its_copies() -> None:
    # unlike a redirect, a copy has text, so that how far canonical links keep the language is learned: here they do
    copies = [(row, 20 + row, CANONICAL) for row in range(10)]
    answer = propagate(*bilingual(*copies, pages=9))
    assert answer.language[20:30].tolist() == [ENG] * 10
    assert answer.confidence[21:30].min() > 0.9


def test_canonical_links_that_leave_the_language_are_seen_to_do_so() -> None:
    # the translations of a careless site name the English page as the canonical one
    wrong = [(10 + row, row, CANONICAL) for row in range(10)]
    pages = [(row, 20, ANCHOR) for row in range(10, 20)]
    languages = [ENG] * 10 + [DEU] * 10 + [None, None]
    anchors = [(a, b, ANCHOR) for half in (range(10), range(10, 20)) for a in half for b in half if a != b]
    answer = propagate(*web(languages, [*anchors, *wrong, *pages, (20, 5, CANONICAL), (21, 5, CANONICAL)]))
    assert answer.language[20] == DEU
    assert answer.confidence[21] < 0.9
