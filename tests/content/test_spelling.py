"""Spelling that decides: probabilities by hand, and the answers of the shipped model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.nfc.spelling import Spelling

LABELS = ("jpn", "yue", "zho_Hant", "heb", "yid", "ary_Latn", "zza")


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("組織再編に伴う", {"jpn": 0.3, "zho_Hant": 0.5, "yue": 0.2}, {"jpn": 1.0}),
        ("優の良品", {"jpn": 0.3, "zho_Hant": 0.7}, {"jpn": 0.3, "zho_Hant": 0.7}),
        (
            "香港天文台預測明日天氣晴",
            {"yue": 0.8, "zho_Hant": 0.2},
            {"yue": 0.8 * np.exp(-2), "zho_Hant": 1 - 0.8 * np.exp(-2)},
        ),
        ("香港天文台話聽日好天", {"yue": 0.8, "zho_Hant": 0.2}, {"yue": 0.8, "zho_Hant": 0.2}),
        ("הַיֶּלֶד", {"yid": 0.7, "heb": 0.3}, {"heb": 1.0}),
        ("טאָג", {"yid": 0.7, "heb": 0.3}, {"yid": 0.7, "heb": 0.3}),
        ("yalla bina", {"ary_Latn": 0.9, "zza": 0.06, "jpn": 0.04}, {"ary_Latn": 0.5, "zza": 0.26, "jpn": 0.24}),
        ("yalla bina", {"ary_Latn": 1.0}, {"ary_Latn": 1.0}),
    ],
    ids=["kana", "one kana", "no Cantonese", "Cantonese", "points", "Yiddish points", "romanised", "one label"],
)
def test_spelling_moves_probability(text: str, before: dict[str, float], after: dict[str, float]) -> None:
    answer = np.array([[before.get(label, 0) for label in LABELS]], dtype=np.float32)
    Spelling(LABELS).apply(answer, [text])
    assert answer[0] == pytest.approx([after.get(label, 0) for label in LABELS], abs=1e-6)


@given(
    st.text("優の品に係香港HkeהַיֶטאָI ", max_size=40),
    st.lists(st.integers(0, 9), min_size=len(LABELS), max_size=len(LABELS)).filter(any),
)
def test_probabilities_still_add_up_to_1(text: str, weights: list[int]) -> None:
    answer = np.array([weights], dtype=np.float32) / np.float32(sum(weights))
    Spelling(LABELS).apply(answer, [text])
    assert answer.sum() == pytest.approx(1, abs=1e-5)
    assert (answer >= 0).all()


def test_a_model_without_these_labels_is_left_as_it_is() -> None:
    answer = np.array([[0.9, 0.1]], dtype=np.float32)
    Spelling(("deu", "yue")).apply(answer, ["香港天文台預測明日天氣晴朗"])
    assert answer.tolist() == np.array([[0.9, 0.1]], dtype=np.float32).tolist()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("組織再編に伴う事業所移転", "jpn"),
        ("香港天文台預測明日天氣晴朗，氣溫介乎二十至二十五度", "zho_Hant"),
        ("天文台話聽日會好熱，出街要帶定水呀", "yue"),
        ("הַיֶּלֶד הָלַךְ לַגַּן בַּבֹּקֶר", "heb"),
        ("דאָס קינד איז געגאַנגען אין שול אַרײַן", "yid"),
    ],
)
def test_the_shipped_model_reads_spelling(text: str, language: str) -> None:
    identifier = registry.load("nfc")
    assert identifier.labels[identifier.probabilities([text])[0].argmax()] == language
