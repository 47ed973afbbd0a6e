"""Letters and single spaces, for any text at all."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from graphlang.content.text import scripts
from graphlang.content.text.normalise import count_normalised, normalise, sample


def rows(texts: list[str], *, margin: int = 0, limit: int = 1000, closed: bool = True) -> list[str]:
    letters = normalise(texts, limit=limit, margin=margin, closed=closed)
    assert len(letters.starts) == len(letters.lengths) == len(texts)
    return [
        "".join(map(chr, letters.symbols[start : start + length + margin].tolist())) if length else ""
        for start, length in zip(letters.starts.tolist(), letters.lengths.tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("42 + 7 = 49 😀 \x00 …", ""),
        ("Don't  PANIC!", "don t panic "),
        ("हिन्दी।", "हिन्दी "),  # vowel signs and virama are marks, not letters, and stay
        ("ศูนย์", "ศูนย์ "),
        ("e\u0301te\u0301", "été "),  # decomposed letters are composed
        ("ABC", "abc "),  # fullwidth
        ("a\ud800b", "a b "),  # a lone surrogate parts words
        ("a\x00b", "a b "),
        ("co\u00adop\u200bera\ufefftion", "cooperation "),  # format characters vanish
        ("İ", "i "),
        ("\u00ad\u200d", ""),
    ],
)
def test_one_text(text: str, expected: str) -> None:
    assert rows([text]) == [expected]


def test_margin_repeats_the_beginning_so_that_ngrams_wrap_round() -> None:
    assert rows(["the quick", "a", ""], margin=3) == ["the quick the", "a a a", ""]
    assert rows(["the quick", "a"], margin=2, closed=False) == ["the quickth", "aaa"]


def test_letters_of_han_and_hangul_are_what_each_of_them_is() -> None:
    blocks = [*range(0x3300, 0x4F00), *range(0x9E00, 0xA100), *range(0xAB00, 0xAD00), *range(0xD600, 0xD900)]
    for begin in range(0, len(blocks), 1000):
        some = [chr(code) for code in blocks[begin : begin + 1000]]
        letters = normalise(some, limit=1, one_script=True)
        for row, character in enumerate(some):
            plain = unicodedata.normalize("NFKC", character)
            small = (plain if len(plain) == 1 else character).lower()[0]
            kept = "" if unicodedata.category(character)[0] not in "LM" else f"{small} "
            start, length = int(letters.starts[row]), int(letters.lengths[row])
            assert "".join(map(chr, letters.symbols[start : start + length].tolist())) == kept, hex(ord(character))
            if kept:
                script = scripts.registry.script(ord(small))
                assert letters.scripts[row] == (script or scripts.LATIN), hex(ord(character))


def test_no_texts() -> None:
    letters = normalise([], limit=10, margin=3)
    assert len(letters.symbols) == len(letters.starts) == len(letters.lengths) == 0


def test_long_text_is_sampled_from_all_its_parts_in_bounded_room() -> None:
    text = "a" * 1_000_000 + "b" * 1_000_000 + "c" * 1_000_000 + "d" * 1_000_000
    letters = normalise([text], limit=400)
    assert letters.lengths.tolist() == [404]
    assert set(map(chr, np.unique(letters.symbols).tolist())) == set(" abcd")
    assert len(normalise(["a" * 50_000_000], limit=400).symbols) <= 410


def test_sample_reaches_the_end() -> None:
    assert sample("0123456789", 4, parts=2) == "01 89"


@pytest.mark.parametrize(
    "text",
    [
        "\u24d7\u24d4\u24db\u24db\u24de",  # in circles
        "\U0001f177\U0001f174\U0001f17b\U0001f17b\U0001f17e",  # in black squares
        "\u029c\u1d07\u029f\u029f\u1d0f",  # small capitals
        "\u24a3\u24a0\u24a7\u24a7\u24aa",  # in brackets
        "\U0001d4f1\U0001d4ee\U0001d4f5\U0001d4f5\U0001d4f8",  # mathematical
        "\uff28\uff25\uff2c\uff2c\uff2f",  # wide
    ],
)
def test_shaped_letters_become_plain(text: str) -> None:
    assert "".join(map(chr, normalise([text], limit=100).symbols)) == "hello "


@pytest.mark.parametrize("text", ["안녕하세요", "ガギグ", "\u0622\u0623", "\u00e9t\u00e9"])
def test_decomposed_text_is_composed(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text
    assert "".join(map(chr, normalise([decomposed], limit=100).symbols)) == f"{text} "
    assert count_normalised([decomposed], limit=100).tolist() == [len(text)]
