"""A page in two languages is evidence for both, and keeps the answer of its text: three pages, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.graph.data import Evidence, FixedBeliefs, Graph
from graphlang.graph.propagation.inference import Options, propagate
from graphlang.graph.propagation.rounds import SURER

if TYPE_CHECKING:
    from graphlang.graph.data import Answer

# Page 0 is long, and Welsh as a whole; page 1, of another host, has no text and is linked to from there; page 2 is
# English and linked to by nobody. So Welsh and English are as common as each other, and nothing but the link tells
# page 1 from them.
LISTS = np.int16([[0], [-1], [1]])
EVIDENCE = Evidence(
    ("cym", "eng", "fra"),
    LISTS,
    np.where(LISTS >= 0, 1, 0).astype(np.float32),
    np.int32([900, 0, 900]),
    np.int32([0, 1, 2]),
)
GRAPH = Graph(3, np.int32([0]), np.int32([1]), np.uint8([7]), np.int16([-1]))
OPTIONS = Options(site=0)


def inferred(*parts: tuple[int, float]) -> Answer:
    """The answer where page 0 has these languages and parts."""
    languages, shares = zip(*parts, strict=True)
    given = FixedBeliefs(np.array([0]), np.int16([languages]), np.float32([shares]))
    return propagate(GRAPH, replace(EVIDENCE, parts=given), options=OPTIONS)


def chances(answer: Answer, page: int) -> dict[int, float]:
    pairs = zip(answer.languages[page].tolist(), answer.probabilities[page].tolist(), strict=True)
    return {language: pytest.approx(chance, abs=1e-5) for language, chance in pairs if language >= 0}


def test_half_and_half_says_as_much_for_one_as_for_the_other() -> None:
    answer = inferred((0, 0.5), (1, 0.5))
    assert chances(answer, 1) == {0: 0.5, 1: 0.5}
    assert answer.language[[0, 2]].tolist() == [0, 1]
    whole = propagate(GRAPH, EVIDENCE, options=OPTIONS)
    assert whole.language.tolist() == [0, 0, 1]
    assert answer.probabilities[0].tolist() == whole.probabilities[0].tolist()  # its own answer is its text's


def test_what_a_page_says_is_in_proportion_to_its_parts() -> None:
    # What is heard of a neighbour is the sum over its languages, so that it is linear in its parts: of .55 and .45 the
    # odds are (.55 m + .45) / (.55 + .45 m), with m what a page wholly in Welsh says for Welsh against English.
    sure = propagate(GRAPH, replace(EVIDENCE, probabilities=np.float32([[1], [0], [1]])), options=OPTIONS)
    told = dict(zip(sure.languages[1].tolist(), sure.probabilities[1].tolist(), strict=True))
    m = (told[0] / told[1]) ** (1 / SURER)  # what is told is surer than what is believed
    assert m > 1
    odds = (0.55 * m + 0.45) / (0.55 + 0.45 * m)
    found = inferred((0, 0.55), (1, 0.45))
    told = dict(zip(found.languages[1].tolist(), found.probabilities[1].tolist(), strict=True))
    assert (told[0] / told[1]) ** (1 / SURER) == pytest.approx(odds, rel=1e-4)


def test_a_small_part_is_not_heard() -> None:
    whole = propagate(GRAPH, EVIDENCE, options=OPTIONS)
    assert inferred((0, 0.7), (1, 0.3)).probabilities.tolist() == whole.probabilities.tolist()


def test_parts_of_pages_or_languages_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match=r"languages.* = 3 is outside -1..2"):
        inferred((3, 1.0))
    parts = FixedBeliefs(np.array([3]), np.int16([[0]]), np.float32([[1]]))
    with pytest.raises(ValueError, match=r"rows.* = 3 is outside 0..2"):
        replace(EVIDENCE, parts=parts)
