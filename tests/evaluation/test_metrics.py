"""Measures of answers, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.evaluation.metrics import calibration_error, macro_f, measure_by_length, wilson_interval
from graphlang.numerics import softmax


def test_calibration_error_by_hand() -> None:
    confidence = [0.95, 0.95, 0.55, 0.55]
    assert calibration_error(confidence, [True, True, True, False]) == pytest.approx((2 * 0.05 + 2 * 0.05) / 4)
    # In one bin of two the errors of opposite signs cancel out.
    assert calibration_error([0.7, 0.9], [True, False], bins=2) == pytest.approx((0.3 - 0.9) / -2)
    assert calibration_error([1.0, 1 + 1e-7], [True, True]) == pytest.approx(0, abs=1e-6)
    assert math.isnan(calibration_error([], []))


def test_confident_answers_of_which_half_are_right_are_off_by_half() -> None:
    confidence, right = np.full(200, 0.995), np.arange(200) < 199
    assert calibration_error(confidence, right) == pytest.approx(0)
    assert calibration_error(confidence, ~right) == pytest.approx(0.99)


@pytest.mark.parametrize(
    ("confidence", "right", "words"),
    [
        ([0.5, 2.0], [True, True], r"confidence\[1\] = 2.0 is outside 0..1"),
        ([math.nan], [True], r"confidence\[0\] = nan is outside 0..1"),
        ([0.5], [True, False], r"confidence has shape \(1,\), and right \(2,\)"),
    ],
)
def test_what_is_no_confidence_is_refused(confidence: list[float], right: list[bool], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        calibration_error(confidence, right)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
def test_with_one_bin_it_is_the_distance_of_the_means(answers: list[tuple[float, bool]]) -> None:
    confidence, right = (np.array(own) for own in zip(*answers, strict=True))
    expected = abs(confidence.mean() - right.mean())
    assert calibration_error(confidence, right, bins=1) == pytest.approx(expected)
    assert calibration_error(confidence, right) >= expected - 1e-9  # bins only add up what cancels out


def test_macro_f_by_hand() -> None:
    assert macro_f(["eng", "eng", "deu"], ["eng", "deu", "deu"]) == pytest.approx(2 / 3)
    assert macro_f(["eng", "deu"], ["und", "deu"]) == pytest.approx(1 / 2)  # what is only answered is no language
    assert macro_f(np.array(["eng"], dtype=object), ["eng"]) == 1
    assert math.isnan(macro_f([], []))
    with pytest.raises(ValueError, match=r"gold has shape \(1,\), and answers \(2,\)"):
        macro_f(["eng"], ["eng", "eng"])


def test_lengths_are_scored_separately() -> None:
    table = measure_by_length(np.array([1.0, 1.0, 0.5]), np.array([True, False, True]), np.array([24, 25, 150]))
    assert {name: tuple(own) for name, own in table.items() if own.texts} == {
        "<25": (1, 1.0, 0.0),
        "25-49": (1, 0.0, 1.0),
        "150+": (1, 1.0, 0.5),
    }
    assert table["50-149"].texts == 0
    assert math.isnan(table["50-149"].accuracy)


@given(st.lists(st.lists(st.floats(-700, 700), min_size=3, max_size=3), min_size=1, max_size=5))
def test_softmax_is_that_of_the_definition(rows: list[list[float]]) -> None:
    made = softmax(np.array(rows))
    for row, own in zip(rows, made.tolist(), strict=True):
        odds = [math.exp(x - max(row)) for x in row]
        assert own == pytest.approx([x / sum(odds) for x in odds])
    assert softmax(np.zeros((0, 3))).shape == (0, 3)
    assert softmax(np.zeros((1, 3), np.float32)).dtype == np.float32


def test_the_interval_of_an_accuracy_by_hand() -> None:
    """z = 1.96, z^2 = 3.8415. One of one: (1 + 1.9207 ± 1.96 sqrt(.9604)) / 4.8415 = 4.8415 / 4.8415 and 1 / 4.8415."""
    low, high = wilson_interval(1, 1)
    assert (low, high) == (pytest.approx(1 / 4.8415, abs=1e-5), 1.0)
    assert wilson_interval(0, 1) == (0.0, pytest.approx(1 - low))
    # 300 of 400: (.75 + .0048 ± 1.96 sqrt(.75 * .25 / 400 + .0096 / 1600)) / 1.0096 = .7548 ± .0427, over 1.0096
    assert wilson_interval(300, 400) == (pytest.approx(0.7053, abs=1e-4), pytest.approx(0.7899, abs=1e-4))
    assert all(map(math.isnan, wilson_interval(0, 0)))
    with pytest.raises(ValueError, match="3 right of 2"):
        wilson_interval(3, 2)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Of all samples of 200 out of pages of which nine in ten are right, 93 to 97 % of the intervals hold .9."""
    rights = np.arange(201)
    likely = np.array([math.comb(200, right) * 0.9**right * 0.1 ** (200 - right) for right in rights.tolist()])
    holds = np.array([low <= 0.9 <= high for low, high in (wilson_interval(right, 200) for right in rights.tolist())])
    assert 0.93 < likely[holds].sum() < 0.97
