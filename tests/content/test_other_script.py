"""Texts that are Latin but for a word in another script."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.text.normalise import characters, fold
from graphlang.content.text.other_script import LITTLE, MANY, MOST, OtherWords, other_words, part_of_other
from graphlang.content.text.scripts import CYRILLIC, EAST_ASIA, LATIN
from graphlang.content.text.scripts import registry as scripts

EAST = scripts.number(EAST_ASIA)
GREEK = scripts.number("GREEK")


def beside(*texts: str) -> list[tuple[int, int]]:
    """Script of each text, and the one beside it."""
    found = fold(characters(texts), margin=0, closed=True, one_script=True)
    return list(zip(found.scripts.tolist(), found.beside.tolist(), strict=True))


def test_the_script_beside_latin_is_told() -> None:
    assert beside("Yii и Docker", "Encrypt 的 ACMEv2", "Encrypt", "", "42") == [
        (LATIN, CYRILLIC),  # one letter of ten
        (LATIN, EAST),
        *[(LATIN, 0)] * 3,
    ]
    assert beside("и в Docker", "a μ b и в") == [(CYRILLIC, 0), (CYRILLIC, 0)]  # two letters, and more than SHARE
    assert beside("abcdefghijklmnopqr и λμ") == [(LATIN, GREEK)]  # the one that has more letters
    wanted = fold(characters(["Yii и Docker"]), margin=0, closed=True, one_script=True, wanted=np.uint8([LATIN]))
    assert wanted.beside.tolist() == [0]


@pytest.mark.parametrize(
    ("text", "script", "expected"),
    [
        # Twelve Latin letters, and one that counts three times.
        ("Encrypt 的 ACMEv2", EAST, OtherWords("的", 3 / 15, 12)),
        ("DBは (SQL)", EAST, OtherWords("は", 3 / 8, 2)),  # letters in brackets are of the text, but say nothing
        ("Beijing (北京) is large", EAST, None),
        ("Beijing （北京） is large", EAST, None),
        ("Cheboksary (Чебоксары", CYRILLIC, None),  # cut off within the brackets
        ("Wei kyerԑ sԑ wobԑtumi", CYRILLIC, None),  # letters of a Latin orthography
        ("Wei kyerԑ и", CYRILLIC, OtherWords("и", 1 / 8, 7)),
        ("the constant λ is small", GREEK, None),
        ("the word λόγος is Greek", GREEK, OtherWords("λόγος", 5 / 19, 14)),
        ("Docker", CYRILLIC, None),
        # Marks belong to their words; those that many scripts share do not count.
        ("Ruby में कोड", scripts.number("DEVANAGARI"), OtherWords("में कोड", 6 / 10, 4)),
        ("Ruby и\u0301", CYRILLIC, OtherWords("и", 1 / 5, 4)),
    ],
)
def test_words_that_count(text: str, script: int, expected: OtherWords | None) -> None:
    assert other_words(text, script) == expected


def test_what_is_left_to_latin() -> None:
    answer = np.array([0.6, 0.3, 0.1], dtype=np.float32)
    few = OtherWords("и", LITTLE, 5)
    left = 0.3 * (1 - exp(-5 / MANY))  # the best one beside English
    assert part_of_other(few, answer, english=0) == pytest.approx(min(MOST, 1 - left))
    # With half of LITTLE English keeps half of its own.
    assert part_of_other(few._replace(share=LITTLE / 2), answer, english=0) == pytest.approx(1 - left - 0.3)
    assert part_of_other(few, answer, english=-1) == pytest.approx(1 - 0.6 * (1 - exp(-5 / MANY)))
    assert part_of_other(few._replace(latin=0), answer, english=-1) == MOST


def test_a_word_in_another_script_tells_a_short_text() -> None:
    identifier = registry.load("nfc")
    texts = [
        "Yii и Docker",
        "Encrypt 的 ACMEv2",
        "The capital, Beijing (北京), is a large city in the north",
        "Yii ꕉ Docker",
        "Ẹ kú àárọ̀ ẹ̀yin ọmọ ilé-ìwé и",
    ]
    answer = identifier.probabilities(texts)
    best = [identifier.labels[number] for number in answer.argmax(axis=1)]
    assert [best[0], best[1][:3], best[2], best[4]] == ["rus", "zho", "eng", "yor"]
    assert answer[0].max() < MOST
    # Nobody here writes Vai: it is as if it were not there.
    assert answer[3].tolist() == identifier.probabilities(["Yii   Docker"])[0].tolist()


@given(st.lists(st.text("ab и的λ()，.\u0301", max_size=12), min_size=1, max_size=6))
def test_a_text_is_told_as_it_is_alone(texts: list[str]) -> None:
    identifier = registry.load("nfc")
    together = identifier.probabilities(texts)
    for text, row in zip(texts, together, strict=True):
        assert identifier.probabilities([text])[0].tolist() == row.tolist()
        assert row.sum() == pytest.approx(1, abs=1e-4) or not row.any()
