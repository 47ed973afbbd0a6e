"""How many of some pages are in a language: against counting every outcome, and against the binomial distribution."""

import math
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphlang.maps.poisson_binomial import EXACT, any_at_all, distribution, interval


def by_counting(p: list[float]) -> list[float]:
    found = [0.0] * (len(p) + 1)
    for outcome in product((0, 1), repeat=len(p)):
        found[sum(outcome)] += math.prod(one if hit else 1 - one for one, hit in zip(p, outcome, strict=True))
    return found


@given(st.lists(st.floats(0, 1), max_size=8))
def test_the_distribution_is_that_of_all_outcomes(p: list[float]) -> None:
    np.testing.assert_allclose(distribution(p), by_counting(p), atol=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_at_least_95_in_a_hundred_lie_in_the_interval(p: list[float]) -> None:
    low, high = interval(p, [1] * len(p))
    assert 0 <= low <= high <= len(p)
    assert sum(by_counting(p)[low : high + 1]) >= 0.95 - 1e-9


def test_three_doubtful_pages_are_no_discovery() -> None:
    assert interval([0.3], [3]) == (0, 3)  # .343 .441 .189 .027: more than 2.5 % at either end
    assert round(any_at_all([0.3], [3]), 3) == 0.657


def test_the_approximation_agrees_with_the_exact_interval() -> None:
    rng = np.random.default_rng(7)
    p = rng.random(EXACT).round(2)
    exact = interval(p, np.ones(EXACT, dtype=int))
    values, counts = np.unique(p, return_counts=True)
    more = interval(np.append(values, 0.0001), np.append(counts, 1))  # one more trial: approximated
    assert abs(exact[0] - more[0]) <= 1
    assert abs(exact[1] - more[1]) <= 1


def test_nothing_at_all() -> None:
    assert interval([], []) == (0, 0)
    assert any_at_all([], []) == 0.0
    assert interval([0.0, 1.0], [5, 2]) == (2, 2)
