"""What a signal adds to what is known of the site, and when it answers by itself."""

import numpy as np
import pytest

from graphlang.graph.propagation import likelihoods


def test_a_signal_that_repeats_the_prior_adds_nothing() -> None:
    prior = np.array([[0.75, 0.25], [0.75, 0.25]])
    scores = np.array([[0.75, 0.25], [0.25, 0.75]], np.float32)
    odds = likelihoods.compute_signal_odds(scores, prior, np.array([1.0, 1.0]))
    assert odds[0] == pytest.approx([0, 0], abs=1e-6)
    assert odds[1] == pytest.approx([np.log(1 / 3), np.log(3)], abs=1e-6)
    assert likelihoods.is_sole_evidence(odds.astype(np.float32)).tolist() == [False, True]


def test_a_signal_that_cannot_tell_many_languages_apart_does_not_answer_by_itself() -> None:
    # the best has a lead of e over each of the others: 0.73 of two languages, 0.48 of four
    for languages, enough in ((2, True), (3, True), (4, False)):
        odds = np.zeros((1, languages), dtype=np.float32)
        odds[0, 0] = 1
        assert likelihoods.is_sole_evidence(odds).tolist() == [enough], languages
    assert likelihoods.is_sole_evidence(np.array([[9, 0, 0, 0]], dtype=np.float32)).tolist() == [True]
    assert likelihoods.is_sole_evidence(np.zeros((1, 1), dtype=np.float32)).tolist() == [False]
