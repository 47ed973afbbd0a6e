"""Bosnian text made of Serbian, and what the weights of the three learn of it: by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.training import bosnian, model_columns
from graphlang.training.train import train

if TYPE_CHECKING:
    from pathlib import Path

EKAVIAN = {"mesto": 9.0, "mesta": 4.0, "reka": 3.0, "rekao": 5.0, "deca": 2.0, "i": 9.0, "beo": 1.0}
IJEKAVIAN = {"mjesto": 9.0, "mjesta": 4.0, "rijeka": 3.0, "rekao": 5.0, "djeca": 2.0, "i": 9.0, "prije": 1.0}


@pytest.fixture(scope="module")
def spelling() -> bosnian.YatSpelling:
    return bosnian.YatSpelling(EKAVIAN, IJEKAVIAN)


@pytest.mark.parametrize(
    ("serbian", "bosnian"),
    [
        ("Deca i mesto", "Djeca i mjesto"),
        ("mestom", "mjestom"),  # as its beginning
        ("rekao", "rekao"),  # both sides write it so, though it begins as the river does
        ("reka", "rijeka"),
        ("beo", "beo"),  # nobody writes it otherwise
        ("12. REKA!", "12. Rijeka!"),
    ],
)
def test_yat_is_written_where_the_words_say_so(spelling: bosnian.YatSpelling, serbian: str, bosnian: str) -> None:
    assert spelling.spell(serbian) == bosnian


@given(st.text(max_size=40))
def test_nothing_but_words_changes(spelling: bosnian.YatSpelling, text: str) -> None:
    made = spelling.spell(text)
    assert [c for c in made if not c.isalpha()] == [c for c in text if not c.isalpha()]


def test_a_word_that_is_as_common_with_an_e_is_left() -> None:
    assert bosnian.YatSpelling({"sesti": 2.0, "sjesti": 1.5}, {"sjesti": 1.0}).spell("sesti") == "sesti"
    assert bosnian.YatSpelling({"sesti": 2.0, "sjesti": 0.5}, {"sjesti": 1.0}).spell("sesti") == "sjesti"


def test_shares_of_texts_and_lists_add_up() -> None:
    found = bosnian.sum_word_shares([["a a b"], ["b"]], [{"b": 3, "c": 1}])
    assert found == {"a": pytest.approx(2 / 3), "b": pytest.approx(1 / 3 + 1 + 3 / 4), "c": 0.25}


def test_lines_are_of_the_genres_that_both_have() -> None:
    texts = {
        "bos_Latn": {"mediawiki": ["poruka"]},
        "hrv": {"UD": ["mjesto"], "firefox": ["poruka"]},
        "srp_Latn": {"UD": ["mesto"], "words": ["mesto djeca"]},
    }
    assert bosnian.make_comparable_lines(texts, {}) == (["mjesto"], ["mjesto"], ["mesto"])
    assert bosnian.make_comparable_lines({"hrv": texts["hrv"]}, {}) == ([], [], [])
    assert bosnian.make_comparable_lines({**texts, "hrv": {"firefox": ["poruka"]}}, {}) == ([], [], [])


def test_ratios_are_those_of_shares_drawn_together() -> None:
    # Shares of 0, .5 and 0 of 6e5 n-grams, with 3e5 of the mean, 1/6: (1/18, 7/18, 1/18); the others mirror it.
    counts = [np.array([6e5, 0.0]), np.array([3e5, 3e5]), np.array([6e5, 0.0])]
    found = bosnian.compute_log_ratios(counts)
    second = np.log([1 / 18, 7 / 18, 1 / 18])
    assert found[:, 1] == pytest.approx(second - second.mean())
    assert found.sum(axis=0) == pytest.approx([0, 0])


@given(st.lists(st.lists(st.integers(0, 10**7), min_size=4, max_size=4), min_size=3, max_size=3))
def test_ratios_have_bounds_and_unseen_features_have_none(given_: list[list[int]]) -> None:
    found = bosnian.compute_log_ratios([np.array(own, dtype=np.float64) for own in given_])
    assert (np.abs(found) <= 2.5).all()
    assert not found[:, np.sum(given_, axis=0) == 0].any()


def test_steps_are_added_to_the_labels_that_are_meant_and_cut() -> None:
    own = model_columns.ColumnWeights(
        0, 3, np.array([0, 0, 2]), np.array([0, 1, 1]), np.array([4, 7, -39], dtype=np.int8)
    )
    found = model_columns.add_steps(own, [1], np.array([[-7, 2, -9]]), limit=40)
    assert list(zip(found.row.tolist(), found.column.tolist(), found.value.tolist(), strict=True)) == [
        (0, 0, 4),
        (1, 1, 2),
        (2, 1, -40),
    ]


def test_a_model_of_the_three_learns_of_made_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"{a}{b}{c}" for a in "bdgklmnprst" for b in "aiou" for c in ("to", "va", "lo")]
    for code, first, name in (("bs", 0, "mediawiki.txt"), ("hr", 10, "UD.txt"), ("sr-Latn", 32, "UD.txt")):
        (tmp_path / code).mkdir()
        lines = [" ".join(words[first + (i * 7 + j * j) % 100] for j in range(6)) for i in range(100)]
        (tmp_path / code / name).write_text("\n".join(lines), encoding="utf-8")
    options = {"minimum": 10, "document": 20, "features": 300, "rounds": 1, "draws": 20}
    monkeypatch.setattr(bosnian, "_SMOOTHING", 1.0)  # it is meant for more text than this
    with_made = train(tmp_path, method="nfc", **options)
    monkeypatch.setattr(bosnian, "make_comparable_lines", lambda *_: ([], [], []))
    without = train(tmp_path, method="nfc", **options)
    same = [name for name in without.arrays if np.array_equal(with_made.arrays[name], without.arrays[name])]
    assert {"values"} <= set(without.arrays) - set(same) <= {"values", "gaps", "sharpness"}
