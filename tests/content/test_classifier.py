"""A classifier of another package: its codes become labels, and its answers are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graphlang as gl
from graphlang.content.classifier import ClassifierMethod
from graphlang.modelfile import ModelError


class Says:
    """Gives the same row for every text, and remembers what it was asked."""

    def __init__(self, labels: tuple[str, ...], *row: float) -> None:
        self.labels = labels
        self.row = row
        self.asked: list[str] = []

    def probabilities(self, texts: list[str]) -> list[tuple[float, ...]]:
        self.asked += texts
        return [self.row for _ in texts]


def test_columns_of_one_label_are_summed_and_those_of_none_are_doubt() -> None:
    method = ClassifierMethod("mine", Says(("de", "deu", "und", "sr-Latn"), 0.25, 0.25, 0.125, 0.25), {})
    assert method.labels == ("deu", "srp_Latn", "und")
    # und: the eighth of its own column, and the eighth that the row lacks to 1
    assert method.probabilities(["Nebel"]).tolist() == [[0.5, 0.25, 0.25]]


def test_texts_without_letters_are_not_asked_about() -> None:
    classifier = Says(("de",), 1.0)
    assert ClassifierMethod("mine", classifier, {}).probabilities(["", "42", "Tal"]).tolist() == [
        [0, 0],
        [0, 0],
        [1, 0],
    ]
    assert classifier.asked == ["Tal"]


@pytest.mark.parametrize(
    ("labels", "row", "words"),
    [
        (("de",), (0.5, 0.5), r"returned an array of shape \(1, 2\), expected \(1, 1\)"),
        (("de",), (float("nan"),), "returned nan, which is not a probability"),
        (("de",), (-0.5,), r"returned -0\.5, which is not a probability"),
        (("de", "fr"), (0.75, 0.5), r"probabilities of a text that sum to 1\.250"),
    ],
)
def test_answers_that_are_none_are_refused(labels: tuple[str, ...], row: tuple[float, ...], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        ClassifierMethod("mine", Says(labels, *row), {}).probabilities(["Tal"])


class Fails:
    """Has the right shape, and never answers."""

    labels = ("de",)

    def probabilities(self, texts: list[str]) -> list[tuple[float, ...]]:
        raise KeyError(texts[0])


def test_a_classifier_that_fails_is_told_in_one_line() -> None:
    with pytest.raises(ModelError, match=r"^the method mine failed: KeyError: 'Tal'$"):
        ClassifierMethod("mine", Fails(), {}).probabilities(["Tal"])


@pytest.mark.parametrize(
    ("classifier", "words"),
    [
        (object(), r"mine: a method needs labels and probabilities\(texts\); object lacks one of them"),
        (Says(("de", "??", "!")), r"mine: \?\?, ! are not languages; name a column of no language und"),
        (Says(("de", "klingonish")), "mine: klingonish is not a language"),
        (Says(tuple("123456")), "mine: 1, 2, 3, 4, 5 and 1 more are not languages"),
        (Says(()), "mine: it has no labels"),
    ],
)
def test_what_is_no_classifier_is_refused(classifier: Any, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        ClassifierMethod("mine", classifier, {})


def test_the_hash_tells_versions_and_models_apart() -> None:
    one = ClassifierMethod("mine", Says(("de",)), {"package": "p", "version": "1"})
    assert one.hash == ClassifierMethod("mine", Says(("de",)), {"package": "p", "version": "1"}).hash
    assert one.hash != ClassifierMethod("mine", Says(("de",)), {"package": "p", "version": "2"}).hash
    assert one.hash != ClassifierMethod("mine", Says(("fr",)), {"package": "p", "version": "1"}).hash
    hashed = Says(("de",))
    hashed.hash = "ab12"  # type: ignore[attr-defined]
    assert one.hash != ClassifierMethod("mine", hashed, {"package": "p", "version": "1"}).hash
    assert one.describe() == {"package": "p", "version": "1", "method": "mine", "labels": 2, "model": one.hash}


def test_an_object_of_which_nothing_is_known_is_another_model_each_time() -> None:
    one, other = Says(("de",)), Says(("de",))
    assert ClassifierMethod("mine", one, {}).hash != ClassifierMethod("mine", other, {}).hash
    one.hash = other.hash = "ab12"  # type: ignore[attr-defined]
    assert ClassifierMethod("mine", one, {}).hash == ClassifierMethod("mine", other, {}).hash


def test_an_object_stands_for_a_method_in_the_library() -> None:
    (said,) = gl.identify(["Tal"], method=Says(("gsw", "de"), 0.625, 0.25))
    assert said == gl.Prediction("gsw", "Latn", 0.625, "deu", 0.25)


def test_doubt_is_told_as_such() -> None:
    (said,) = gl.identify(["Tal"], method=Says(("de",), 0.25))
    assert (said.language, said.confidence, said.runner_up) == ("und", 0.75, "deu")
    assert np.isclose(said.runner_up_confidence or 0, 0.25)
