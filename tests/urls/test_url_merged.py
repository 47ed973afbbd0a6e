"""Merged methods (Baykan et al. 2008, section 3.3): their decisions, and one answer with probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from graphlang.modelfile import ModelError
from graphlang.papers import baykan2008
from graphlang.urls import url_methods
from graphlang.urls.url_model import decide_best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Fixed:
    """A method with given probabilities, whatever the URLs."""

    hash = "0"

    def __init__(self, name: str, labels: tuple[str, ...], chances: list[list[float]] | NDArray[Any]) -> None:
        self.name, self.labels = name, labels
        self.chances = np.array(chances, dtype=np.float32)

    def describe(self) -> dict[str, Any]:
        return {"method": self.name}

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        return self.chances[: len(urls)].copy()

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        return decide_best(self.probabilities(urls))


def two(how: str) -> baykan2008.MergedMethods:
    main = Fixed("a", ("deu", "eng"), [[0.9, 0.1], [0.6, 0.4]])
    helper = Fixed("b", ("eng", "fra"), [[0.2, 0.8], [0.7, 0.3]])
    return baykan2008.MergedMethods(main, helper, how)


def test_or_says_yes_where_either_does() -> None:
    made = two("or")
    assert made.name == "a or b"
    assert made.labels == ("deu", "eng", "fra", "und")
    assert made.decisions(["", ""]).tolist() == [[True, False, True, False], [True, True, False, False]]
    # means: deu .45, eng .15, fra .4; deu .3, eng .55, fra .15
    assert made.probabilities(["", ""]) == pytest.approx(np.array([[0.45, 0.15, 0.4, 0], [0.3, 0.55, 0.15, 0]]))


def test_and_says_yes_where_both_do_and_und_where_none_is_left() -> None:
    made = two("and")
    assert not made.decisions(["", ""]).any()
    assert made.probabilities([""]).tolist() == [[0, 0, 0, 1]]
    same = baykan2008.MergedMethods(
        Fixed("a", ("deu", "eng"), [[0.9, 0.1]]), Fixed("b", ("deu", "eng"), [[0.6, 0.4]]), "and"
    )
    assert same.probabilities([""]) == pytest.approx(np.array([[0.75, 0.25, 0]]))


LABELS = ("deu", "eng", "fra")


@given(
    arrays(np.float64, (4, 3), elements=st.floats(0.01, 1)),
    arrays(np.float64, (4, 3), elements=st.floats(0.01, 1)),
    st.sampled_from(["or", "and"]),
)
def test_the_best_language_has_a_yes(one: NDArray[Any], other: NDArray[Any], how: str) -> None:
    both = [Fixed("x", LABELS, some / some.sum(axis=1, keepdims=True)) for some in (one, other)]
    made = baykan2008.MergedMethods(*both, how)
    chances, yes = made.probabilities(["u"] * 4), made.decisions(["u"] * 4)
    assert chances.sum(axis=1) == pytest.approx(1, abs=1e-5)
    best = chances.argmax(axis=1)
    assert all(yes[row, best[row]] for row in range(4) if yes[row].any())
    assert all(best[row] == 3 for row in range(4) if not yes[row].any())


def test_merged_methods_by_name() -> None:
    assert url_methods.split_merged("url-words-nb") is None
    assert url_methods.split_merged("this is no or method") == ("this is no", "or", "method")
    made = url_methods.load("url-cctld and url-cctld+")
    urls = ["http://a.de/", "http://a.com/"]
    assert [made.labels[n] for n in made.probabilities(urls).argmax(axis=1)] == ["deu", "und"]
    either = url_methods.load("url-cctld or url-cctld+")
    assert [either.labels[n] for n in either.probabilities(urls).argmax(axis=1)] == ["deu", "eng"]
    three = url_methods.load("url-cctld or url-cctld+ and url-cctld")
    assert three.decisions(urls).sum() == 1  # the first 'or' is the outer one
    with pytest.raises(ModelError, match="no such URL method"):
        url_methods.load("url-cctld or nothing")
