"""Close languages with unlike amounts of text: what chance explains of their differences goes, and nothing else."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphlang.training.logistic_regression import Vectors
from graphlang.training.sampling_error import compute_confusion, find_confused_pairs, remove_chance, shrink_differences


def vectors(*weights: tuple[float, float], base: tuple[float, float] = (0.0, 0.0)) -> Vectors:
    return Vectors(np.array(weights, dtype=np.float32), np.array(base, dtype=np.float32), np.zeros(2, dtype=np.float32))


def counts(*often: tuple[int, int]) -> np.ndarray:
    return np.array(often, dtype=np.int32).T


def test_a_difference_is_kept_by_the_part_that_its_error_does_not_explain() -> None:
    # As much text of both; 40 occurrences against 10: d = log(40.1 / 10.1) = 1.379, s2 = 1/40.1 + 1/10.1 = 0.124.
    found = remove_chance(vectors((3.0, 1.0)), counts((40, 10)), np.array([5_000, 5_000]), 0, 1)
    assert np.isclose(found[0], 1 + 2 * (1 - 0.12395 / 1.37883**2), atol=1e-3)


def test_what_a_tenth_of_the_text_would_hardly_hold_tells_nothing() -> None:
    # Five times in 90,000 letters, never in 10,000: half a time is expected. d = log(51) - log(9) = 1.735 < s = 3.19.
    found = remove_chance(vectors((0.0, 6.0)), counts((0, 5)), np.array([10_000, 90_000]), 0, 1)
    assert found.tolist() == [6.0]


def test_the_base_of_the_rich_language_is_counted_in() -> None:
    # 9,000 times, and never in as much text: d = 11.41 and s2 = 10.0, so that 1 - 0.0769 is kept of the gap of
    # (1 - 2) - (5 - 4) = -2; with the base of the other that is 5 - 1.846.
    found = remove_chance(vectors((1.0, 5.0), base=(-2.0, -4.0)), counts((0, 9_000)), np.array([5_000, 5_000]), 0, 1)
    assert np.isclose(found[0], 5 - 2 * (1 - 10.0001 / 11.4076**2), atol=1e-3)


def test_what_neither_has_speaks_against_both_alike() -> None:
    found = remove_chance(vectors((0.5, 0.0), base=(-2.0, -4.0)), counts((0, 0)), np.array([1_000, 3_000]), 0, 1)
    assert found.tolist() == [0.0]


def test_a_poor_language_leans_on_the_rich_one_that_it_is_confused_with_most() -> None:
    often = np.eye(4)
    often[0, 1], often[2, 0], often[0, 3] = 0.06, 0.05, 0.2
    # The second has twice the text; the third is as poor; the fourth has 0.9 of it, and is rich beside the first, too.
    letters = np.array([60_000, 200_000, 60_000, 180_000])
    assert list(find_confused_pairs(often, letters, 0.04)) == [(0, 3)]
    assert list(find_confused_pairs(often, letters, 0.3)) == []


def test_a_language_with_hardly_any_text_leans_on_none() -> None:
    often = np.array([[0.9, 0.1], [0.1, 0.9]])
    assert list(find_confused_pairs(often, np.array([51_000, 400_000]), 0.05)) == []
    assert list(find_confused_pairs(often, np.array([53_000, 400_000]), 0.05)) == [(0, 1)]


def test_mean_probabilities_are_those_of_the_texts_of_each_language() -> None:
    scores = np.log(np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]], dtype=np.float32))
    assert np.allclose(compute_confusion(scores, np.array([0, 0, 1])), [[0.5, 0.5], [0.5, 0.5]], atol=1e-6)


def test_the_poor_language_goes_as_far_as_lines_held_out_want_it_and_the_rich_one_stays() -> None:
    # The poor language never showed the second n-gram, which its other texts hold all the same.
    made = vectors((4.0, 0.0), (0.0, 4.0))
    often, letters = counts((200, 0), (0, 5)), np.array([60_000, 300_000])
    texts = sparse.csr_array(np.array([[0.6, 1.0], [0.0, 1.0], [0.1, 1.0]], dtype=np.float32))
    [found] = shrink_differences(made, often, letters, texts, np.array([0, 1, 1]), confused=0.01)
    assert (found.poor, found.rich) == (0, 1)
    # d = log(51) - log(5) < s: nothing of the second difference is kept, so that the way alone says where it is.
    assert np.isclose(made.weights[1, 0], 4 * found.fraction)
    assert made.weights[:, 1].tolist() == [0.0, 4.0]


def test_a_poor_language_that_lines_held_out_tell_better_as_it_is_stays() -> None:
    made = vectors((1.0, 0.0), (0.0, 1.0))
    often, letters = counts((2, 0), (0, 9)), np.array([60_000, 300_000])
    texts = sparse.csr_array(np.eye(2, dtype=np.float32))
    assert shrink_differences(made, often, letters, texts, np.array([0, 1]), confused=0.01) == []
    assert made.weights.tolist() == [[1.0, 0.0], [0.0, 1.0]]
