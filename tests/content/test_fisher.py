"""Formulas 0.2 to 0.5 of Hayati 2004 on two tiny languages, computed by hand.

Two n-grams g and h; language A has the documents (3 g, 4 h) and (4 g, 3 h), language B the document (0 g, 5 h) twice.

    Freq (0.3): A (0.6, 0.8), (0.8, 0.6); B (0, 1), (0, 1)
    mu (0.4):   A (0.7, 0.7);            B (0, 1)
    variance:   A (0.01, 0.01);          B (0, 0)
    F (0.5):    g 0.49 / 0.01 = 49;      h 0.09 / 0.01 = 9
"""

from __future__ import annotations

import numpy as np
import pytest

from graphlang.training import fisher
from graphlang.training.fisher import Moments


def language(counts: list[list[float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    document, gram = np.nonzero(np.array(counts))
    share = fisher.compute_frequencies(np.array(counts)[document, gram], document, len(counts))
    return fisher.compute_moments(share, gram, 2, len(counts))


A = language([[3.0, 4.0], [4.0, 3.0]])
B = language([[0.0, 5.0], [0.0, 5.0]])


def both() -> Moments:
    return Moments(
        np.array([0, 1, 0, 1]),
        np.array([0, 0, 1, 1]),
        np.concatenate([A[0], B[0]]),
        np.concatenate([A[1], B[1]]),
        grams=2,
        languages=2,
    )


def test_means_and_variances() -> None:
    assert A[0] == pytest.approx([0.7, 0.7])
    assert A[1] == pytest.approx([0.01, 0.01])
    assert A[2].tolist() == [2, 2]
    assert B[0] == pytest.approx([0, 1])
    assert B[1] == pytest.approx([0, 0])
    assert B[2].tolist() == [0, 2]


def test_discriminant() -> None:
    assert fisher.compute_discriminant(both()) == pytest.approx([49, 9])


def test_sum_over_pairs_without_a_loop_is_the_sum_over_pairs() -> None:
    random = np.random.default_rng(1)
    mean, variance = random.random((5, 7)), random.random((5, 7))
    gram, lang = np.tile(np.arange(7), 5), np.repeat(np.arange(5), 7)
    m = Moments(gram, lang, mean.ravel(), variance.ravel(), 7, 5)
    pairs = sum((mean[i] - mean[j]) ** 2 for i in range(5) for j in range(i))
    assert fisher.compute_discriminant(m) == pytest.approx(pairs / variance.sum(axis=0))
    own = np.array([sum((mean[i] - mean[j]) ** 2 for j in range(5)) / variance.sum(axis=0) for i in range(5)])
    sign = np.where(mean >= mean.mean(axis=0), 1, -1)
    assert fisher.score_against_rest(m) == pytest.approx((own * sign).ravel())


def test_entries_that_are_not_listed_count_as_zero() -> None:
    listed = Moments(
        np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.7, 0.7, 1.0]), np.array([0.01, 0.01, 0]), 2, 2
    )
    assert fisher.compute_discriminant(listed) == pytest.approx([49, 9])


def test_no_variance_at_all_gives_infinity_or_nothing() -> None:
    m = Moments(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.5, 0.3, 0.3]), np.zeros(3), 2, 2)
    assert fisher.compute_discriminant(m).tolist() == [np.inf, 0.0]


def test_languages_take_turns() -> None:
    gram = np.array([0, 1, 2, 2, 3, 4])
    lang = np.array([0, 0, 0, 1, 1, 1])
    score = np.array([9.0, 8.0, 7.0, 6.0, 5.0, -1.0])
    even = fisher.choose_in_turn(score, gram, lang, np.array([1.0, 1.0]), 4)
    assert even.tolist() == [0, 2, 1, 3]  # A's first, B's first, A's second, B's second
    favoured = fisher.choose_in_turn(score, gram, lang, np.array([1.0, 0.25]), 3)
    assert favoured.tolist() == [0, 1, 2]  # B's first comes on turn 4
