"""Custom features, lists of words and decision trees (Baykan et al. 2008, sections 3.1 and 3.2), worked by hand."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from make_lists import make
from scipy.sparse import csr_matrix

from graphlang.papers import baykan2008_features, baykan2008_learners
from graphlang.papers.baykan2008_features import CUSTOM_KINDS, CustomFeatures, Lexicon
from graphlang.papers.baykan2008_learners import TreePerLanguage, grow_tree
from graphlang.urls.tokens import hash_words

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[3] / "shared" / "data"))
FIVE = ("eng", "deu", "fra", "spa", "ita")


def lexicon(*lists_of_words: list[str]) -> Lexicon:
    return Lexicon.from_hashes([hash_words(words) for words in lists_of_words])


def small() -> CustomFeatures:
    return CustomFeatures(
        ("deu", "fra"),
        codes=lexicon(["de", "at"], ["fr"]),
        dictionary=lexicon(["haus", "und"], ["maison"]),
        cities=lexicon(["berlin"], ["paris"]),
        trained=lexicon(["arcor", "haus"], ["free"]),
    )


def features(custom: CustomFeatures, url: str) -> dict[str, float]:
    values = custom.counts([url]).toarray()[0]
    return {name: value for name, value in zip(custom.names, values, strict=True) if value}


def test_every_custom_feature_of_a_url() -> None:
    assert features(small(), "http://fr.arcor.de/haus-und-berlin/at") == {
        "deu: code is the TLD": 1,
        "deu: code before the first /": 1,
        "deu: code after the first /": 1,
        "deu: tokens in dictionary": 2,
        "deu: tokens in dictionary after the first /": 2,
        "deu: tokens in cities": 1,
        "deu: tokens in cities after the first /": 1,
        "deu: tokens in trained dictionary": 2,
        "deu: tokens in trained dictionary before the first /": 1,
        "deu: tokens in trained dictionary after the first /": 1,
        "deu: tokens in any list before the first /": 1,
        "deu: tokens in any list after the first /": 3,  # haus is in two lists and counts once
        "fra: code before the first /": 1,
        "hyphens": 2,
    }


def test_generic_domains_and_hyphens() -> None:
    assert features(small(), "http://maison.com/a-b-c") == {
        "fra: tokens in dictionary": 1,
        "fra: tokens in dictionary before the first /": 1,
        "fra: tokens in any list before the first /": 1,
        ".com": 1,
        "hyphens": 2,
    }
    assert features(small(), "http://net.org/com") == {".org": 1}


def test_a_code_that_occurs_twice_is_one_flag() -> None:
    assert features(small(), "http://a.b/de/at/de") == {"deu: code after the first /": 1}


def test_five_languages_have_the_paper_s_74_features_of_which_15_are_its_best() -> None:
    custom = baykan2008_features.make_custom(FIVE, Lexicon.from_hashes([]))
    assert len(custom.names) == len(set(custom.names)) == 74
    assert custom.counts(["", "http://a.de/"]).shape == (2, 74)
    best = custom.choose().names
    assert len(best) == 15
    assert best[:5] == tuple(f"{language}: code before the first /" for language in FIVE)
    assert len(CUSTOM_KINDS) == 14


def test_chosen_columns_are_those_of_the_whole_table() -> None:
    custom, urls = small(), ["http://fr.arcor.de/haus-und-berlin/at", "http://maison.com/"]
    assert (
        custom.choose().counts(urls).toarray().tolist()
        == custom.counts(urls).toarray()[:, custom.paper_columns].tolist()
    )


def test_lists_of_languages_can_be_taken_apart_and_put_in_another_order() -> None:
    both = lexicon(["haus", "mot"], ["mot"])
    turned = both.select([1, -1, 0])
    token, language = turned.find(hash_words(["mot", "haus", "nie"]))
    assert list(zip(token.tolist(), language.tolist(), strict=True)) == [(0, 0), (0, 2), (1, 2)]


@given(st.lists(st.lists(st.text("abc", min_size=1, max_size=3), max_size=5), max_size=4), st.text("abc", min_size=1))
def test_a_word_is_found_in_just_the_lists_that_have_it(words: list[list[str]], wanted: str) -> None:
    _, language = Lexicon.from_hashes([hash_words(some) for some in words]).find(hash_words([wanted]))
    assert language.tolist() == [number for number, some in enumerate(words) if wanted in some]


def test_shipped_lists_know_words_cities_and_countries() -> None:
    custom = baykan2008_features.make_custom(("deu", "fra"), Lexicon.from_hashes([]))
    found = features(custom, "http://muenchen.example.at/stuttgart-zeitung-pour")
    assert found["deu: code is the TLD"] == 1
    assert found["deu: tokens in cities"] == 1
    assert found["deu: tokens in dictionary"] == 1
    assert found["fra: tokens in dictionary"] == 1
    assert baykan2008_features.list_cctlds(["spa"])["spa"] == sorted(baykan2008_features.PAPER_CCTLDS["spa"])
    assert baykan2008_features.list_cctlds(["pol", "qqq"]) == {"pol": ["pl"], "qqq": []}


def test_the_table_of_lists_is_what_its_script_makes(tmp_path: Path) -> None:
    if not (DATA / "reference" / "world_cities").exists():
        pytest.skip("the shared data is not here (GRAPHLANG_DATA)")
    assert make(DATA, tmp_path / "again.npz") == baykan2008_features.digest_lists()


# Two questions settle it: German is .de or (not .com and umlaut).
TABLE = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 1], [0, 1, 0]])
GERMAN = np.array([1, 1, 0, 1, 0, 1, 0])


def test_a_forest_has_a_tree_for_each_class_and_comes_back_from_its_arrays() -> None:
    made = baykan2008_learners.fit_trees(csr_matrix(TABLE), GERMAN, 2, leaf_size=1)
    scores = made.scores(csr_matrix(TABLE))
    assert (scores[:, 1] > 0).tolist() == GERMAN.astype(bool).tolist()
    assert ((scores[:, 0] > 0) == (scores[:, 1] < 0)).all()
    again = TreePerLanguage.from_arrays(made.to_arrays(), 3)
    assert again.scores(csr_matrix(TABLE)) == pytest.approx(scores)
    assert [tree.format("abc", "nj") for tree in again.trees] == [tree.format("abc", "nj") for tree in made.trees]


def test_both_sides_of_a_tree_weigh_the_same() -> None:
    # One positive against three negatives with the same values: nothing to ask, and neither side is likelier.
    made = baykan2008_learners.fit_trees(csr_matrix(np.ones((4, 1))), np.array([0, 1, 1, 1]), 2, leaf_size=1)
    assert made.scores(csr_matrix(np.ones((1, 1)))) == pytest.approx(np.zeros((1, 2)))


def test_nodes_that_make_no_tree_are_refused() -> None:
    arrays = baykan2008_learners.fit_trees(csr_matrix(TABLE), GERMAN, 2, leaf_size=1).to_arrays()
    for name, value in (
        ("tree", np.array([0, 5, 9])),
        ("tree", np.array([1, 5, 10])),
        ("tree", np.array([0, 4, 10])),
        ("feature", np.full(10, 3)),
        ("feature", np.full(10, 1)),
        ("feature", np.full(10, -1)),
    ):
        with pytest.raises(ValueError, match="no tree"):
            TreePerLanguage.from_arrays({**arrays, name: value}, 3)


def test_a_pruned_tree_answers_with_the_majority_where_it_was_cut() -> None:
    tree = grow_tree(TABLE, GERMAN, 2)
    assert tree.prune(1).format([".de", ".com", "umlaut"], ["other", "German"]).splitlines() == [
        ".de > 0.5?",
        "  no: other (3 other, 2 German)",
        "  yes: German (0 other, 2 German)",
    ]
    assert tree.prune(9).format("abc", "nj") == tree.format("abc", "nj")


@given(st.integers(1, 50), st.integers(1, 4))
def test_a_tree_s_chances_are_distributions(size: int, columns: int) -> None:
    chance = np.random.default_rng(size)
    values, label = chance.integers(0, 4, (size, columns)), chance.integers(0, 3, size)
    weight = chance.random(size) + 0.1
    chances = grow_tree(values, label, 3, weight=weight).compute_shares(values)
    assert chances.sum(axis=1) == pytest.approx(1)
