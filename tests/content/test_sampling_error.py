"""Close languages with unlike amounts of text: what chance explains of their differences goes, and nothing else."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphlang.content.training.discriminative.logistic_regression import Vectors
from graphlang.content.training.discriminative.sampling_error import (
    groups,
    mean_probabilities,
    shrink,
    without_chance,
)

NOTHING = np.zeros(2, dtype=np.float32)


def vectors(*weights: tuple[float, float], base: tuple[float, float] = (0.0, 0.0)) -> Vectors:
    return Vectors(np.array(weights, dtype=np.float32), np.array(base, dtype=np.float32), NOTHING.copy())


def counts(*often: tuple[int, int]) -> np.ndarray:
    return np.array(often, dtype=np.int32).T


def test_a_difference_is_kept_by_the_part_that_its_error_does_not_explain() -> None:
    # As much text of both; 40 occurrences against 10: d = log(40.1 / 10.1) = 1.379, s2 = 1/40.1 + 1/10.1 = 0.124.
    found = without_chance(vectors((3.0, 1.0)), counts((40, 10)), np.array([5_000, 5_000]))
    assert np.isclose(found.weights[0, 0] - found.weights[0, 1], 2 * (1 - 0.12395 / 1.37883**2), atol=1e-3)


def test_what_a_tenth_of_the_text_would_hardly_hold_tells_nothing() -> None:
    # Five times in 90,000 letters, never in 10,000: half a time is expected. d = log(51) - log(9) = 1.735 < s = 3.19.
    found = without_chance(vectors((0.0, 6.0)), counts((0, 5)), np.array([10_000, 90_000]))
    assert found.weights[0, 0] == found.weights[0, 1]
    # It says that the text is in one of the two as their text together would: log(0.1 e**0 + 0.9 e**6).
    assert np.isclose(found.weights[0, 0] - np.log(1.0), np.log(0.1 + 0.9 * np.exp(6)), atol=1e-5)


def test_what_neither_has_speaks_against_both_alike() -> None:
    found = without_chance(vectors((0.0, 0.0), base=(-2.0, -4.0)), counts((0, 0)), np.array([1_000, 3_000]))
    assert found.weights.tolist() == [[0.0, 0.0]]
    assert found.base[0] == found.base[1]
    assert np.isclose(found.base[0], np.log(0.25 * np.exp(-2) + 0.75 * np.exp(-4)))


def test_groups_are_of_labels_that_are_confused_and_have_unlike_amounts_of_text() -> None:
    often = np.eye(5)
    often[0, 1] = often[2, 3] = often[4, 1] = 0.02
    letters = np.array([1_000, 10_000, 9_000, 10_000, 2_000])
    assert [own.tolist() for own in groups(often, letters, 0.01)] == [[0, 1, 4]]
    assert list(groups(often, letters, 0.05)) == []


def test_mean_probabilities_are_those_of_the_texts_of_each_language() -> None:
    scores = np.log(np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]], dtype=np.float32))
    assert np.allclose(mean_probabilities(scores, np.array([0, 0, 1])), [[0.5, 0.5], [0.5, 0.5]], atol=1e-6)


def test_shrinking_goes_as_far_as_lines_held_out_want_it() -> None:
    # The poor language (1,000 letters) never showed the second n-gram, which its other texts hold all the same.
    made = vectors((4.0, 0.0), (0.0, 4.0))
    often, letters = counts((200, 0), (0, 5)), np.array([1_000, 9_000])
    texts = sparse.csr_array(np.array([[0.6, 1.0], [0.0, 1.0], [0.1, 1.0]], dtype=np.float32))
    before = made.weights.copy()
    found = shrink(made, often, letters, texts, np.array([0, 1, 1]), confused=0.01)
    assert [group.labels for group in found] == [(0, 1)]
    assert found[0].way > 0
    assert made.weights[1, 1] - made.weights[1, 0] < before[1, 1] - before[1, 0]


def test_a_group_that_lines_held_out_tell_apart_better_as_it_is_stays() -> None:
    made = vectors((1.0, 0.0), (0.0, 1.0))
    often, letters = counts((2, 0), (0, 9)), np.array([1_000, 9_000])
    texts = sparse.csr_array(np.eye(2, dtype=np.float32))
    assert shrink(made, often, letters, texts, np.array([0, 1]), confused=0.01) == []
    assert made.weights.tolist() == [[1.0, 0.0], [0.0, 1.0]]
