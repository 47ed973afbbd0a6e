"""Small languages that a model takes for a great relative of them, in long texts."""

from __future__ import annotations

import json
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.codes.languages import split
from graphlang.content import registry
from graphlang.content.segments import relatives

LEAST = relatives.LEAST_UNITS
KNOWN = {0: {1: 0.5, 2: 0.4}}
FLOOR = 0.01


def units(*rows: tuple[float, float, float]) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


def test_what_units_say_on_average() -> None:
    said = relatives.support(units((0.1, 0.9, 0), (0.2, 0.001, 0), (0, 0, 0)), FLOOR)
    # The second unit says nothing for the second label, and the third one nothing at all.
    assert said == pytest.approx([(log(10) + log(20)) / 2, log(90) / 2, 0])
    assert relatives.support(units((0, 0, 0)), FLOOR).tolist() == [0, 0, 0]


def test_a_text_that_says_much_for_a_small_relative_is_in_it() -> None:
    # A unit says log(60) = 4.09 for label 0, log(20) = 3.00 for label 1, .73 of it, and log(10) for label 2, .56.
    rows = units(*[(0.6, 0.2, 0.1)] * LEAST)
    path, texts = np.zeros(LEAST, dtype=np.int64), np.zeros(LEAST, dtype=np.int64)
    assert relatives.settle(rows, path, texts, KNOWN, FLOOR).tolist() == [1] * LEAST
    assert relatives.settle(rows, path, texts, {0: {1: 0.74, 2: 0.55}}, FLOOR).tolist() == [2] * LEAST
    assert relatives.settle(rows, path, texts, {0: {1: 0.74, 2: 0.57}}, FLOOR).tolist() == [0] * LEAST
    assert relatives.settle(rows, path, texts, {}, FLOOR).tolist() == [0] * LEAST


def test_little_text_is_left_as_it_is() -> None:
    rows = units(*[(0.6, 0.2, 0.1)] * (2 * LEAST - 1))
    texts = np.array([0] * (LEAST - 1) + [1] * LEAST)
    settled = relatives.settle(rows, np.zeros(len(texts), dtype=np.int64), texts, KNOWN, FLOOR)
    assert settled.tolist() == [0] * (LEAST - 1) + [1] * LEAST


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 12)), max_size=6), st.randoms())
def test_each_text_and_label_is_settled_alone(parts: list[tuple[int, int, int]], random: object) -> None:
    chance = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    parts = sorted(parts)
    texts = np.array([text for text, _, number in parts for _ in range(number)], dtype=np.int64)
    path = np.array([label for _, label, number in parts for _ in range(number)], dtype=np.int64)
    rows = chance.dirichlet(np.full(3, 0.5), len(path)).astype(np.float32).reshape(-1, 3)
    settled = relatives.settle(rows, path, texts, KNOWN, FLOOR)
    assert (settled[path != 0] == path[path != 0]).all()
    for text in set(texts.tolist()):
        mine = texts == text
        alone = relatives.settle(rows[mine], path[mine], texts[mine], KNOWN, FLOOR)
        assert alone.tolist() == settled[mine].tolist()
        assert len(set(settled[mine & (path == 0)].tolist())) <= 1


def test_the_shares_are_those_of_the_model_that_is_shipped() -> None:
    identifier = registry.load("nfc")
    found = json.loads(relatives.FILE.read_text(encoding="utf-8"))
    assert found["model"] == identifier.hash, "run: python tests/content/make_relatives.py DATA"
    for label, others in found["relatives"].items():
        for relative, bound in others.items():
            assert {label, relative} <= set(identifier.labels)
            assert split(label)[1] == split(relative)[1]
            assert 0 < bound < 1
    bounds, number = relatives.bounds(identifier), identifier.labels.index
    assert bounds[number("ara")][number("arz")] == found["relatives"]["ara"]["arz"]


def test_other_models_have_none() -> None:
    assert relatives.bounds(registry.load("nfc-2004")) == {}
