"""Formula 0.1 of Hayati 2004 by hand, and what holds for any texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.ngrams import bytes_input
from graphlang.content.ngrams.count_all import decode_ngrams, tally
from graphlang.content.text.normalise import normalise
from graphlang.modelfile import Model, ModelError
from graphlang.papers import rank_order
from graphlang.training.train import train

if TYPE_CHECKING:
    from pathlib import Path

LISTS = [["a", "b", "ab"], ["b", "a", "c"], ["c", "d", "e"]]


def abab() -> object:
    # "abab" wraps round: every n-gram stands there twice, so its list for C = 3 is a, b, ab.
    return tally(normalise(["abab", ""], limit=9, margin=4, closed=False), (1, 2, 3, 4, 5))


def test_hayatis_distance_by_hand() -> None:
    # Against itself 0. Against b a c: |2-1| + |1-2| + (C+1-3) = 3. Against c d e: 3 + 2 + 1 = 6, the worst.
    lists = rank_order.RankLists(*rank_order.pack_lists(LISTS, 3), fixed=False)
    distances, worst = lists.measure_distances(abab())
    assert distances.tolist() == [[0, 3, 6], [0, 0, 0]]
    assert worst.tolist() == [6, 0]


def test_cavnar_and_trenkles_distance_by_hand() -> None:
    # What a list lacks costs C = 3: b a c 1 + 1 + 3 = 5, c d e 9.
    lists = rank_order.RankLists(*rank_order.pack_lists(LISTS, 3), fixed=True)
    distances, worst = lists.measure_distances(abab())
    assert distances.tolist() == [[0, 5, 9], [0, 0, 0]]
    assert worst.tolist() == [9, 0]


def test_formula_0_1_charges_more_for_having_an_ngram_than_for_lacking_it() -> None:
    # The text's third n-gram "ab" is the first of x: |1 - 3| = 2; y lacks it: C + 1 - 3 = 1.
    lists = rank_order.RankLists(*rank_order.pack_lists([["ab", "x", "y"], ["z", "x", "y"]], 3), fixed=False)
    assert lists.measure_distances(abab())[0].tolist()[0] == [3 + 2 + 2, 3 + 2 + 1]


def slow(text: str, lists: list[list[str]], size: int) -> list[int]:
    letters = normalise([text], limit=10_000, margin=4, closed=False)
    own = rank_order.rank_ngrams(letters, (1, 2, 3, 4, 5), size)
    return [
        sum(abs((one.index(gram) + 1 if gram in one else size + 1) - j) for j, gram in enumerate(own, 1))
        for one in lists
    ]


@given(st.lists(st.text("abc ", max_size=40), min_size=1, max_size=5))
def test_distances_are_those_of_a_loop(texts: list[str]) -> None:
    lists = [["a", "b", " ", "ab", "ca", "abc"], ["c", "cc", "a"], ["b"]]
    fast = rank_order.RankLists(*rank_order.pack_lists(lists, 6), fixed=False)
    counted = tally(normalise(texts, limit=10_000, margin=4, closed=False), (1, 2, 3, 4, 5))
    assert fast.measure_distances(counted)[0].tolist() == [slow(text, lists, 6) for text in texts]


def test_distances_are_those_of_the_formula() -> None:
    texts = ["abab", "cab", "dea", "", "ba" * 9]
    for fixed in (False, True):
        lists = rank_order.RankLists(*rank_order.pack_lists(LISTS, 3), fixed=fixed)
        letters = normalise(texts, limit=99, margin=4, closed=False)
        counted = tally(letters, (1, 2, 3, 4, 5))
        found, worst = lists.measure_distances(counted)
        chosen, rank = counted.rank_ngrams(3)
        grams = list(
            zip(
                counted.row[chosen].tolist(),
                decode_ngrams(letters, counted.place[chosen], counted.order[chosen]),
                rank.tolist(),
                strict=True,
            )
        )
        for row in range(len(texts)):
            mine = [(gram, place) for owner, gram, place in grams if owner == row]
            missing = [3 if fixed else 4 - place for _, place in mine]
            assert worst[row] == sum(missing)
            for number, own in enumerate(LISTS):
                costs = [
                    abs(own.index(gram) + 1 - place) if gram in own else lacking
                    for (gram, place), lacking in zip(mine, missing, strict=True)
                ]
                assert found[row, number] == sum(costs)


@pytest.fixture(scope="session", params=["rank-order", "textcat"])
def ranked_model(request: pytest.FixtureRequest, corpus_folder: Path) -> Model:
    return train(corpus_folder, method=request.param, minimum=10, features=150)


def test_trained_models_know_their_languages(ranked_model: Model, tmp_path: Path) -> None:
    ranked_model.save(tmp_path / "m.npz")
    identifier = registry.load(tmp_path / "m.npz")
    chances = identifier.probabilities(
        ["the dog is in the house", "der hund ist im haus", "ο σκύλος είναι εδώ", "1 2", ""]
    )
    assert [identifier.labels[i] for i in chances.argmax(axis=1)[:3]] == ["eng", "deu", "ell"]
    assert chances.sum(axis=1) == pytest.approx([1, 1, 1, 0, 0])
    assert identifier.describe()["features"] == 150
    again = train_again(ranked_model)
    assert again.to_bytes() == ranked_model.to_bytes()


def train_again(made: Model) -> Model:
    return Model(made.method, made.labels, made.parameters, dict(made.arrays))


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_any_texts_in_any_order(ranked_model: Model, texts: list[str], random: object) -> None:
    identifier = registry._METHODS[ranked_model.method].loader(ranked_model, "", "tiny")
    chances = identifier.probabilities(texts)
    order = list(range(len(texts)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert np.array_equal(identifier.probabilities([texts[i] for i in order]), chances[order])
    sums = chances.sum(axis=1)
    assert np.all((np.abs(sums - 1) < 1e-5) | (sums == 0))


def test_textcat_answers_about_bytes(corpus_folder: Path) -> None:
    made = train(corpus_folder, method="textcat", minimum=10, features=600)
    identifier = registry._METHODS["textcat"].loader(made, "", "tiny")
    labels, scores, encodings = identifier.identify_bytes([b"das haus ist gut", b"\xff\xfe 12"])  # type: ignore[attr-defined]
    assert [identifier.labels[labels[0]], labels[1]] == ["deu", -1]
    assert encodings == ["utf-8", None]
    assert scores[0] > 0 == scores[1]


def test_textcat_keeps_within_words() -> None:
    read = bytes_input.make_rows([b"the cat the"], limit=99)
    assert rank_order.rank_ngrams(read, (1, 2, 3, 4, 5), 4, with_words=True) == [" ", "t", "h", "e"]
    assert not [gram for gram in rank_order.rank_ngrams(read, (3, 4, 5), 99, with_words=True) if " " in gram[1:-1]]


@pytest.mark.parametrize("method", ["rank-order", "textcat"])
def test_damaged_ranks(ranked_model: Model, tmp_path: Path, method: str) -> None:
    wrong = dict(ranked_model.arrays) | {"ranks": np.full((3, 4), 10**6, np.int32)}
    Model(method, ranked_model.labels, ranked_model.parameters, wrong).save(tmp_path / "m.npz")
    with pytest.raises(ModelError, match="damaged"):
        registry.load(tmp_path / "m.npz")


def test_methods_without_a_model_say_how_to_make_one() -> None:
    with pytest.raises(ModelError, match="graphlang train MODEL CORPUS --method rank-order"):
        registry.load("rank-order")


def test_unknown_options_of_training(corpus_folder: Path) -> None:
    with pytest.raises(ModelError, match=r"colour: no option of training rank-order"):
        train(corpus_folder, method="rank-order", colour=1)
