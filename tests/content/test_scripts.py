"""Which script a text is in, and that only its letters stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content.text.normalise import normalise
from graphlang.content.text.scripts import registry


def one(text: str, *, wanted: str = "") -> tuple[str, str]:
    numbers = np.array([registry.number(wanted)], dtype=np.uint8) if wanted else None
    letters = normalise([text], limit=1000, one_script=True, wanted=numbers)
    kept = "".join(map(chr, letters.symbols[: int(letters.lengths[0])].tolist()))
    return registry.name(int(letters.scripts[0])), kept


@pytest.mark.parametrize(
    ("text", "script", "kept"),
    [
        ("the quick fox", "LATIN", "the quick fox "),
        ("Установка Windows", "CYRILLIC", "установка "),
        ("GitHub リポジトリ README", "EAST ASIA", "リポジトリ "),
        ("漢字 ひらがな 한글 abc", "EAST ASIA", "漢字 ひらがな 한글 "),
        ("the letter π of a circle", "LATIN", "the letter of a circle "),  # one letter is a symbol
        ("π", "GREEK", "π "),  # but for when it is all there is
        ("international organisations named ООН", "LATIN", "international organisations named "),  # 3 of 36
        ("международная организация UNESCO", "CYRILLIC", "международная организация "),
        ("हिन्दी text", "DEVANAGARI", "हिन्दी "),  # marks stay with their script
        ("e\u0301te\u0301 жук", "CYRILLIC", "жук "),
        ("", "LATIN", ""),
        ("42", "LATIN", ""),
    ],
)
def test_one_text(text: str, script: str, kept: str) -> None:
    assert one(text) == (script, kept)


def test_a_letter_of_east_asia_counts_three_times() -> None:
    # 6 of 6 + 34 is .15; with one Latin letter more it is less.
    assert one("中文" + "a" * 34)[0] == "EAST ASIA"
    assert one("中文" + "a" * 35)[0] == "LATIN"
    assert one("же" + "a" * 12)[0] == "LATIN"
    assert one("же" + "a" * 11)[0] == "CYRILLIC"


def test_a_script_that_is_wanted_is_kept_whatever_the_shares() -> None:
    assert one("много слов and one", wanted="LATIN") == ("LATIN", "and one ")
    assert one("много слов and one", wanted="GREEK") == ("GREEK", "")


def test_rows_are_decided_each_by_itself() -> None:
    letters = normalise(["abc", "абв abc", "", "日本"], limit=9, one_script=True, margin=2)
    assert [registry.name(n) for n in letters.scripts.tolist()] == ["LATIN", "CYRILLIC", "LATIN", "EAST ASIA"]
    assert letters.lengths.tolist() == [4, 4, 0, 3]


@given(st.lists(st.text(max_size=20), max_size=5))
def test_what_stays_is_of_one_script_or_of_none(texts: list[str]) -> None:
    letters = normalise(texts, limit=100, one_script=True)
    for start, length, script in zip(letters.starts, letters.lengths, letters.scripts, strict=True):
        assert set(registry(letters.symbols[start : start + length]).tolist()) <= {0, int(script)}
