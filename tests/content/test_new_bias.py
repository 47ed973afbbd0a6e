"""How far the bias of an added language goes down: answers worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from graphlang.training.new_languages import LEAST_BIAS, MOST_GIVEN_UP, MOST_LOST, NEW_LANGUAGE, Contest, choose_bias


def contest(own: list[float], *relatives: list[float], factor: float = 1.0, known: bool = True) -> float:
    """The bias for texts with these gaps: of the new language, and of each relative."""
    gap = np.array([*own, *(gap for gaps in relatives for gap in gaps)])
    language = [NEW_LANGUAGE] * len(own) + [number for number, gaps in enumerate(relatives) for _ in gaps]
    return choose_bias(Contest(gap, np.full(len(gap), factor), np.array(language), np.full(len(gap), known)))


def test_it_goes_down_until_no_relative_loses_too_much() -> None:
    assert MOST_LOST == 1 / 500
    own = [9.0] * 100
    assert contest(own, [-1.0] * 500) == 0
    assert contest(own, [*[-1.0] * 499, 0.6]) == 0  # one of 500
    assert contest(own, [*[-1.0] * 498, 0.6, 0.3]) == -0.5  # of two only one is left from -.5 on
    assert contest(own, [*[-1.0] * 498, 0.6, 0.3], factor=0.5) == -0.75  # a bias counts for half
    assert contest(own, [-1.0] * 500, [0.6, *[-1.0] * 99]) == -0.75  # each relative by itself


def test_a_text_that_is_not_identified_as_a_relative_does_not_count() -> None:
    assert contest([9.0] * 100, [0.6] * 10, known=False) == 0


def test_it_gives_up_few_of_its_own() -> None:
    assert MOST_GIVEN_UP == 1 / 100
    assert contest([*[9.0] * 99, 0.4], [3.1]) == -3.25  # one of a hundred is lost from -.5 on
    assert contest([*[9.0] * 98, 0.4, 0.9], [3.1]) == -0.75  # and a second one at -1
    assert contest([*[9.0] * 98, -0.4, 0.9], [3.1]) == -3.25  # that which it never had cannot be lost


@pytest.mark.parametrize("gap", [5.0, np.inf])
def test_there_is_a_least(gap: float) -> None:
    assert contest([9.0] * 100, [gap]) == LEAST_BIAS == -4
