"""Probabilities that mean what they say."""

from __future__ import annotations

import numpy as np
import pytest

from graphlang.content import calibration


def test_fit_finds_the_sharpness_that_made_the_labels() -> None:
    random = np.random.default_rng(3)
    true = np.log([0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 3.0])
    lengths = np.exp2(random.uniform(2, 8, 20_000)).astype(np.int64)
    scores = random.normal(0, 1, (20_000, 4)).astype(np.float32)
    chances = calibration.compute_probabilities(
        scores * calibration.interpolate_inverse_temperature(true, lengths)[:, None]
    )
    truth = (chances.cumsum(axis=1) < random.random((20_000, 1))).sum(axis=1).clip(0, 3)
    assert calibration.fit_inverse_temperature(scores, lengths, truth) == pytest.approx(true, abs=0.15)


def test_what_is_known_beforehand_is_not_sharpened() -> None:
    random = np.random.default_rng(4)
    lengths = np.full(20_000, 16)
    scores = random.normal(0, 1, (20_000, 3)).astype(np.float32)
    known = np.array([[0, -2, 2]], dtype=np.float32)
    chances = calibration.compute_probabilities(scores * np.float32(2) + known)
    truth = (chances.cumsum(axis=1) < random.random((20_000, 1))).sum(axis=1).clip(0, 2)
    assert calibration.fit_inverse_temperature(scores, lengths, truth, known)[2] == pytest.approx(np.log(2), abs=0.05)
    assert calibration.fit_inverse_temperature(scores, lengths, truth)[2] < np.log(1.5)


def test_odd_texts_have_a_part_of_the_probability() -> None:
    scores = np.log(np.array([[1.0, 3.0, 4.0], [1.0, 1.0, 1.0]], dtype=np.float32))
    chances = calibration.compute_probabilities(scores, has_letters=np.array([True, False]), outliers=0.3)
    assert chances == pytest.approx(np.array([[0.1875, 0.3625, 0.45], [0, 0, 0]]), abs=1e-6)  # 0.7 / 8 + 0.1, ...


def test_sharpness_goes_evenly_between_the_knots_and_flat_beyond() -> None:
    logs = np.arange(7, dtype=np.float64)
    lengths = np.array([1, 4, 8, 256, 10_000])
    assert np.log(calibration.interpolate_inverse_temperature(logs, lengths)) == pytest.approx(
        [0, 0, 1, 6, 6], abs=1e-5
    )
