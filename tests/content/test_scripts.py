"""Which script a text is in, and that only its letters stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry as registry_of_methods
from graphlang.content.text.normalise import normalise
from graphlang.content.text.scripts import registry


def find_script(text: str, *, wanted: str = "") -> tuple[str, str]:
    numbers = np.array([registry.number(wanted)], dtype=np.uint8) if wanted else None
    letters = normalise([text], limit=1000, one_script=True, row_scripts=numbers)
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
    assert find_script(text) == (script, kept)


@pytest.mark.parametrize(
    ("text", "script", "kept"),
    [
        # "c" and the second "o" are Latin, and so are, in capitals, "O" and "K".
        ("c\u043e\u0440o\u043a\u0430", "CYRILLIC", "\u0441\u043e\u0440\u043e\u043a\u0430 "),
        ("\u0421O\u0420\u041eK\u0410", "CYRILLIC", "\u0441\u043e\u0440\u043e\u043a\u0430 "),
        ("B\u043e\u0434\u0430", "CYRILLIC", "\u0432\u043e\u0434\u0430 "),  # the capital is alike, its small letter not
        ("\u043cac\u00ad\u043a\u0430", "CYRILLIC", "\u043c\u0430\u0441\u043a\u0430 "),  # a soft hyphen parts nothing
        ("paypa\u0406 account", "LATIN", "paypai account "),  # "\u0406" is Cyrillic
        ("\u0447\u0115\u0440\u0115", "CYRILLIC", "\u0447\u04d7\u0440\u04d7 "),  # Chuvash
        ("\u0438r\u043en", "CYRILLIC", "\u0438 \u043e "),  # "r" and "n" are like no Cyrillic letter
        ("\u0436\u0443\u043a\u0438 and 100 GB\u043e\u0432", "CYRILLIC", "\u0436\u0443\u043a\u0438 \u043e\u0432 "),
        # "o" and its double, one of each script, could be either: neither is changed.
        ("o\u043e\u0436 o\u043e", "CYRILLIC", "\u043e\u043e\u0436 \u043e "),
    ],
)
def test_words_of_latin_and_cyrillic_letters_that_look_alike_are_of_one(text: str, script: str, kept: str) -> None:
    assert find_script(text) == (script, kept)


def test_letters_of_two_keyboards_are_told_as_those_of_one() -> None:
    text = "Они сказали, что погода хорошая и река спокойна"
    typed = text.translate(str.maketrans("\u0430\u043e\u0445", "aox"))
    assert typed != text
    identifier = registry_of_methods.load("nfc")
    assert np.array_equal(identifier.probabilities([typed]), identifier.probabilities([text]))


def test_a_letter_of_east_asia_counts_three_times() -> None:
    # 6 of 6 + 34 is .15; with one Latin letter more it is less.
    assert find_script("中文" + "a" * 34)[0] == "EAST ASIA"
    assert find_script("中文" + "a" * 35)[0] == "LATIN"
    assert find_script("же" + "n" * 12)[0] == "LATIN"
    assert find_script("же" + "n" * 11)[0] == "CYRILLIC"


def test_a_script_that_is_wanted_is_kept_whatever_the_shares() -> None:
    assert find_script("много слов and one", wanted="LATIN") == ("LATIN", "and one ")
    assert find_script("много слов and one", wanted="GREEK") == ("GREEK", "")


def test_rows_are_decided_each_by_itself() -> None:
    letters = normalise(["abc", "абв abc", "", "日本"], limit=9, one_script=True, margin=2)
    assert [registry.name(n) for n in letters.scripts.tolist()] == ["LATIN", "CYRILLIC", "LATIN", "EAST ASIA"]
    assert letters.lengths.tolist() == [4, 4, 0, 3]


@given(st.lists(st.text(max_size=20), max_size=5))
def test_what_stays_is_of_one_script_or_of_none(texts: list[str]) -> None:
    letters = normalise(texts, limit=100, one_script=True)
    for start, length, script in zip(letters.starts, letters.lengths, letters.scripts, strict=True):
        assert set(registry(letters.symbols[start : start + length]).tolist()) <= {0, int(script)}
