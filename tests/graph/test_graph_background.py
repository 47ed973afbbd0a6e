"""A signal that says something of every page is weighed against what it says of a page that it knows nothing of."""

import numpy as np
import pytest

from graphlang.graph.data import Signal
from graphlang.graph.propagation.nodes import signals


def test_what_a_signal_always_says_says_nothing() -> None:
    background = signals.background(np.array([0.6, 0.3, 0.1], dtype=np.float32), np.array([0, 1], dtype=np.int16))
    scores = np.array([[0.6, 0.3], [0.3, 0.6]])
    odds = signals.log_odds(scores, background, np.array([1.0, 1.0]))
    assert odds[0] == pytest.approx([0, 0], abs=1e-6)  # as likely as ever
    assert odds[1] == pytest.approx([np.log(0.5), np.log(2)], abs=1e-6)
    assert signals.stands_out(odds.astype(np.float32)).tolist() == [False, True]  # even, and four to one


def test_a_signal_that_cannot_tell_many_languages_apart_does_not_answer_by_itself() -> None:
    # the best has a lead of e over each of the others: 0.73 of two languages, 0.48 of four
    for languages, enough in ((2, True), (3, True), (4, False)):
        odds = np.zeros((1, languages), dtype=np.float32)
        odds[0, 0] = 1
        assert signals.stands_out(odds).tolist() == [enough], languages
    assert signals.stands_out(np.array([[9, 0, 0, 0]], dtype=np.float32)).tolist() == [True]
    assert signals.stands_out(np.zeros((1, 1), dtype=np.float32)).tolist() == [False]  # nothing to stand out from


def test_a_language_that_the_signal_does_not_know_counts_like_its_rarest() -> None:
    background = signals.background(np.array([0.9, 0.0, 0.1], dtype=np.float32), np.array([0, 1, 2], dtype=np.int16))
    assert background.tolist() == [pytest.approx([0.9, 0.1, 0.1])]


def test_a_background_must_hold_probabilities() -> None:
    nothing = np.full((1, 1), -1, dtype=np.int16), np.zeros((1, 1), dtype=np.float32)
    with pytest.raises(ValueError, match="background"):
        Signal(*nothing, background=np.array([-0.5], dtype=np.float32))
