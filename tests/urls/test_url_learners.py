"""The learners, merges and measures of Baykan et al. 2008 on URLs few enough to work out on paper."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from graphlang.papers import baykan2008_features, baykan2008_learners, baykan2008_training
from graphlang.papers.baykan2008 import improve_precision, improve_recall
from graphlang.papers.baykan2008_features import learn_vocabulary
from graphlang.papers.baykan2008_learners import to_shares
from graphlang.urls.labelled_urls import compute_balanced_f, count_confusion, measure_decisions
from graphlang.urls.tokens import hash_words

TWO = ["http://haus.de/haus", "http://maison.fr/"]


def test_naive_bayes_on_two_urls() -> None:
    vocabulary = learn_vocabulary("words", TWO)  # haus de maison fr
    model = baykan2008_learners.fit_naive_bayes(vocabulary.counts(TWO), np.array([0, 1]), 2, smoothing=1)
    # class 0 saw haus 2, de 1 of 3 tokens, smoothed (2 + 1) / (3 + 4); class 1 saw each of two once: haus 1 / 6
    scores = model.scores(vocabulary.counts(["http://haus.com/"]))
    assert scores[0].tolist() == pytest.approx([log(3 / 7), log(1 / 6)])
    assert model.predict(vocabulary.counts(["haus.de", "fr"])).tolist() == [0, 1]


def test_naive_bayes_prior() -> None:
    counts = csr_matrix([[1.0], [1.0], [1.0], [1.0]])
    model = baykan2008_learners.fit_naive_bayes(counts, np.array([0, 0, 0, 1]), 2, prior=True)
    assert np.exp(model.bias).tolist() == pytest.approx([0.75, 0.25])


def test_relative_entropy_is_the_lowest_divergence() -> None:
    # class 0 is the average of (1/2, 1/2) and (1, 0), not of the counts: (3/4, 1/4)
    counts = csr_matrix([[1.0, 1.0], [3.0, 0.0], [0.0, 2.0]])
    model = baykan2008_learners.fit_relative_entropy(counts, np.array([0, 0, 1]), 2, floor=0.2)
    q = np.array([[0.8 * 0.75 + 0.1, 0.8 * 0.25 + 0.1], [0.1, 0.9]])
    p = np.array([0.25, 0.75])
    divergence = (p * np.log(p / q)).sum(axis=1)
    scores = model.scores(csr_matrix([[1.0, 3.0]]))[0]
    assert scores[0] - scores[1] == pytest.approx(divergence[1] - divergence[0])
    assert model.predict(csr_matrix([[1.0, 3.0], [8.0, 2.0]])).tolist() == [1, 0]


def test_maximum_entropy_meets_its_constraints() -> None:
    # With hardly a penalty the expected counts of each feature with each class are those seen: 2/3 and 1/3.
    counts = csr_matrix(np.ones((3, 1)))
    model = baykan2008_learners.fit_maximum_entropy(counts, np.array([0, 0, 1]), 2, penalty=1e-6)
    scores = model.scores(csr_matrix([[1.0]]))[0]
    chance = np.exp(scores) / np.exp(scores).sum()
    assert chance.tolist() == pytest.approx([2 / 3, 1 / 3], abs=1e-3)


def test_a_url_without_known_features_has_the_bias_for_its_score() -> None:
    empty = csr_matrix((1, 2))
    model = baykan2008_learners.fit_relative_entropy(csr_matrix(np.eye(2)), np.array([0, 1]), 2)
    assert model.scores(empty).tolist() == [[0.0, 0.0]]
    assert to_shares(empty).sum() == 0


# Two questions settle it: German is .de or (not .com and umlaut).
TABLE = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=int)
GERMAN = np.array([1, 1, 0, 1, 0, 1, 0])


def test_a_tree_is_grown_and_printed() -> None:
    tree = baykan2008_learners.grow_tree(TABLE, GERMAN, 2)
    assert tree.predict(TABLE).tolist() == GERMAN.tolist()
    # Gini gain x URLs: .de 4 - (4+0)^2.. worked out: .de 0.914, umlaut 0.914, .com 0.762; the first of equals is asked.
    assert tree.format([".de", ".com", "umlaut"], ["other", "German"]).splitlines() == [
        ".de > 0.5?",
        "  no: umlaut > 0.5?",
        "    no: other (3 other, 0 German)",
        "    yes: German (0 other, 2 German)",
        "  yes: German (0 other, 2 German)",
    ]


def test_depth_and_least_prune_the_tree() -> None:
    assert (
        baykan2008_learners.grow_tree(TABLE, GERMAN, 2, depth=0).predict(TABLE).tolist() == [1] * 7
    )  # 4 of 7 are German
    assert (
        baykan2008_learners.grow_tree(TABLE, GERMAN, 2, leaf_size=4).root.feature == -1
    )  # no split leaves 4 on both sides... of 7


def test_a_tree_needs_no_single_test_that_helps_the_majority() -> None:
    values = np.array([[0], [1], [2], [2]])
    tree = baykan2008_learners.grow_tree(values, np.array([0, 1, 0, 0]), 2)
    assert tree.predict(np.array([[0.2], [1.0], [9.0]])).tolist() == [0, 1, 0]


def test_the_trained_dictionary_wants_four_fifths() -> None:
    urls = ["http://arcor.com/"] * 4 + ["http://arcor.es/galeon"] + ["http://galeon.es/"] * 5
    german, spanish = baykan2008_training.train_dictionaries(urls, np.array([0] * 4 + [1] * 6), 2)
    assert set(german.tolist()) == set(hash_words(["arcor", "com"]).tolist())  # arcor: 4 of 5 URLs are German
    assert set(spanish.tolist()) == set(hash_words(["galeon"]).tolist())  # es has two letters
    more = [*urls, "http://arcor.es/"]
    german, _ = baykan2008_training.train_dictionaries(more, np.array([0] * 4 + [1] * 7), 2)
    assert hash_words(["arcor"])[0] not in german  # 4 of 6


def test_a_token_counts_once_a_url_in_the_trained_dictionary() -> None:
    urls = ["http://a.com/abc/abc/abc/abc/abc", "http://b.com/abc"]
    german, french = baykan2008_training.train_dictionaries(urls, np.array([0, 1]), 2)
    assert hash_words(["abc"])[0] not in np.concatenate([german, french])  # 1 of 2, not 5 of 6


def test_cctld_of_the_paper() -> None:
    urls = ["http://a.gov/", "http://b.co.uk/x.fr", "http://c.mg", "http://d.ch/", "http://e.org", "http://1.2.3.4/"]
    assert baykan2008_features.answer_from_cctld(urls).tolist() == ["eng", "eng", "fra", "", "", ""]
    assert baykan2008_features.answer_from_cctld(urls, plus=True).tolist() == ["eng", "eng", "fra", "", "eng", ""]


YES = np.array([True, True, True, False, False, False, False, False])
IS = np.array([True, True, False, True, True, False, False, False])


def test_balanced_precision_by_hand() -> None:
    # R = 2/4; p(-|-) = 3/4; P = 0.5 / (0.5 + 0.25) = 2/3; F = 2 / (2 + 1.5) = 4/7
    assert measure_decisions(YES, IS) == pytest.approx((2 / 3, 1 / 2, 3 / 4, 4 / 7))


def test_balanced_precision_does_not_see_how_many_negatives_there_are() -> None:
    more = np.concatenate([YES] + [YES[~IS]] * 9), np.concatenate([IS] + [IS[~IS]] * 9)
    assert measure_decisions(*more) == pytest.approx(measure_decisions(YES, IS))


def test_always_yes_has_f_two_thirds() -> None:
    assert measure_decisions(np.ones(8, dtype=bool), IS).f == pytest.approx(2 / 3)  # section 4.2


def test_never_yes_has_f_zero_and_one_class_has_no_measure() -> None:
    assert measure_decisions(np.zeros(8, dtype=bool), IS).f == 0
    with pytest.raises(ValueError, match="positive and negative"):
        measure_decisions(YES, np.ones(8, dtype=bool))


def test_confusion_and_average() -> None:
    language = np.array(["eng", "eng", "deu"])
    decided = np.array([[True, False], [True, True], [False, True]])
    assert count_confusion(decided, language, ("eng", "deu")).tolist() == [[1, 0.5], [0, 1]]
    # eng: R 1, p(-|-) 1, F 1. deu: R 1, p(-|-) 1/2, P 2/3, F 4/5
    assert compute_balanced_f(decided, language, ("eng", "deu")) == pytest.approx(0.9)


@given(arrays(bool, (2, 20)), arrays(bool, 20))
def test_merging_trades_recall_for_precision(pair: np.ndarray, truth: np.ndarray) -> None:
    main, helper = pair
    either, both = improve_recall(main, helper), improve_precision(main, helper)
    assert (both <= main).all()
    assert (main <= either).all()
    assert (either.sum() + both.sum()) == main.sum() + helper.sum()
    if truth.any() and not truth.all():
        assert measure_decisions(either, truth).recall >= measure_decisions(main, truth).recall
        assert measure_decisions(both, truth).negative >= measure_decisions(main, truth).negative


def test_against_the_rest_means_as_many_of_the_others_drawn_at_random() -> None:
    urls = [*TWO, "http://casa.es/"]
    vocabulary = learn_vocabulary("words", urls)
    model = baykan2008_learners.fit_one_against_rest(
        baykan2008_learners.fit_naive_bayes, vocabulary.counts(urls), np.array([0, 1, 1]), 2
    )
    weights = dict(zip(vocabulary.hashes.tolist(), model.weights[:, 0].tolist(), strict=True))
    haus, maison, fr, casa, es = (weights[int(code)] for code in hash_words(["haus", "maison", "fr", "casa", "es"]))
    # class 0 has one URL: haus 2, de 1; one other is drawn, of two words; 4 features, smoothing 0.1
    assert haus == pytest.approx(log(2.1 / 3.4) - log(0.1 / 2.4))
    drawn, left = ([maison, fr], [casa, es]) if maison else ([casa, es], [maison, fr])
    assert drawn == pytest.approx([log(0.1 / 3.4) - log(1.1 / 2.4)] * 2)
    assert left == [0, 0]
