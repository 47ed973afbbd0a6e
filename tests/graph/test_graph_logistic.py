"""The regression behind the couplings: what it finds is where nothing can be gained any more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.graph.propagation.link_regressions import fit, fit_intercepts, sigmoid


@settings(max_examples=40)
@given(st.integers(1, 200), st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 5.0]))
def test_the_slope_is_zero_where_it_ends(rows: int, groups: int, seed: int, steepness: float) -> None:
    rng = np.random.default_rng(seed)
    features, group = rng.normal(size=(rows, 3)), rng.integers(0, groups, rows)
    offset = rng.normal(size=rows)
    answer = (rng.random(rows) < sigmoid(steepness * features[:, 0] + offset)).astype(np.float64)
    intercept, weights, intercepts = fit(features, answer, offset, group, groups, ridge=0.5, variance=2.0)
    missed = answer - sigmoid(offset + intercept + features @ weights + intercepts[group])
    assert missed.sum() - 0.5 * intercept == pytest.approx(0, abs=1e-3)
    assert features.T @ missed - 0.5 * weights == pytest.approx(0, abs=1e-3)
    assert np.bincount(group, missed, minlength=groups) - intercepts / 2 == pytest.approx(0, abs=1e-3)


def test_without_data_the_offset_alone_decides() -> None:
    intercept, weights, intercepts = fit(np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros(0, np.int64), 3)
    assert (intercept, weights.tolist(), intercepts.tolist()) == (0, [0, 0], [0, 0, 0])


def test_data_that_a_line_divides_are_fitted_all_the_same() -> None:
    features = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    answer = np.array([0.0, 0.0, 1.0, 1.0])
    intercept, weights, _ = fit(features, answer, np.zeros(4), np.zeros(4, np.int64), 1, ridge=1e-3)
    assert intercept == pytest.approx(0, abs=1e-6)
    assert 5 < weights[0] < 15
    # by hand: 4 (1 - sigmoid(w)) = w / 1000
    assert 4 * (1 - sigmoid(weights)) == pytest.approx(weights / 1000, rel=1e-3)


@settings(max_examples=40)
@given(st.integers(0, 200), st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 9.0]))
def test_intercepts_alone_end_where_their_slope_is_zero(rows: int, groups: int, seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    group, offset = rng.integers(0, groups, rows), rng.normal(size=rows) * spread
    outcome = (rng.random(rows) < 0.7).astype(np.float64)
    intercepts = fit_intercepts(outcome, offset, group, groups, variance=2.0)
    missed = outcome - sigmoid(offset + intercepts[group])
    assert np.bincount(group, missed, minlength=groups) - intercepts / 2 == pytest.approx(0, abs=1e-3)


def test_intercepts_alone_are_those_of_the_whole_fit() -> None:
    rng = np.random.default_rng(5)
    features, group = rng.normal(size=(300, 2)), rng.integers(0, 4, 300)
    outcome = (rng.random(300) < sigmoid(features[:, 0] + 0.7 * group)).astype(np.float64)
    intercept, weights, intercepts = fit(features, outcome, np.zeros(300), group, 4)
    alone = fit_intercepts(outcome, intercept + features @ weights, group, 4)
    assert alone == pytest.approx(intercepts, abs=1e-4)
