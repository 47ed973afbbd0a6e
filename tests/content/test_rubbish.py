"""Rubbish: the kernel against its definition, and the answers of the shipped model to texts that are no prose."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.nfc import rubbish
from graphlang.content.text.normalise import join_texts

if TYPE_CHECKING:
    from graphlang.content.identifier import Identifier


@pytest.fixture(scope="module")
def shipped() -> Identifier:
    return registry.load("nfc")


def best(identifier: Identifier, text: str) -> tuple[str, float]:
    [row] = identifier.probabilities([text])
    return identifier.labels[int(row.argmax())], float(row.max())


TEXTS = st.lists(
    st.lists(
        st.sampled_from([*"aAbé{};= ", "a: /b", ":/", "Ã¼", "à¤¹", *"ðŸ˜€Ð‘я\x81Àõ\u0151ʇɛɥºạᴉεσρբ"]), max_size=30
    ).map("".join),
    max_size=5,
)
#: Characters that stand for the bytes from 80 to BF, by Python's own codecs; and as many as its first byte says.
BYTE = "".join(map(chr, range(0x80, 0xC0))) + bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")
GARBLED = re.compile(f"[\xc2-\xdf][{BYTE}]|[\xe0-\xef][{BYTE}]{{2}}|[\xf0-\xf4][{BYTE}]{{3}}")


def is_like_letter(character: str) -> bool:
    code = ord(character)
    if code < 0x80:
        return character.isalpha()
    spared = ((0x2000, 0x2E00), (0x3000, 0x3005), (0xFE30, 0xFE70), (0xFF01, 0xFF21), (0x1F000, 0x110000))
    return code >= 0xC0 and code not in (0xD7, 0xF7) and not any(first <= code < last for first, last in spared)


def count_drawn(text: str) -> int:
    """Letters like the two before them, and those that end the third of two equal pairs."""
    letter = [(ord(one) < 0x80 and one.isalpha()) or ord(one) >= 0xC0 for one in text]
    third = sum(letter[i] and text[i] == text[i - 1] == text[i - 2] for i in range(2, len(text)))
    pairs = (text[i - 5 : i + 1] == text[i - 1 : i + 1] * 3 and text[i] != text[i - 1] for i in range(5, len(text)))
    return third + sum(pair and letter[i] and letter[i - 1] for i, pair in enumerate(pairs, 5))


def count_plain(text: str) -> tuple[int, int, int]:
    """Letters, those in plain words, and digits."""
    letters = plain = digits = 0
    for word in re.split("[\0- \xa0\u3000]+", re.sub("[\xad\u200b-\u200f\ufeff]", "", text)):
        own = [one for one in word if is_like_letter(one)]
        dense = sum(ord(one) >= 0x590 for one in own)
        numbers = [i for i, one in enumerate(word) if one in "0123456789"]
        runs = [len(run) for run in "".join(one if is_like_letter(one) else " " for one in word).split()]
        code = any(
            (is_like_letter(word[i - 1]) or any(n < i for n in numbers))
            and (one in "_@\\|^([" or (one == "=" and word[i + 1 : i + 2] not in ('"', "'")))
            for i, one in enumerate(word)
            if i
        )
        short = len(own) - dense <= 3 and all(one in "BCDFGHJKLMNPQRSTVWXZ" for one in own if ord(one) < 0x590)
        letters += len(own) + 2 * dense
        digits += len(numbers)
        is_plain = max(runs, default=0) >= 2 and not numbers and not code and not short
        plain += 3 * dense + (len(own) - dense) * is_plain
    return letters, plain, digits


def is_misread(text: str) -> bool:
    """Six Latin letters or more, and more than 7 in 10 with an accent; those that only phonetics uses count twice."""
    plain = sum((one.isascii() and one.isalpha()) or "\u1e00" <= one <= "\u1eff" for one in text)
    accented = sum("\xc0" <= one <= "\u024f" or one in "ªµº" for one in text)
    phonetic = sum("\u0250" <= one <= "\u02af" or "\u1d00" <= one <= "\u1d7f" for one in text)
    letters = plain + accented + phonetic
    return letters >= 6 and accented + 2 * sum(one in "ɐɒɘɜɞɟɤɥɯɰɹɻʇʍʎʞᴈᴉ" for one in text) > 0.7 * letters


def count_mixed(text: str) -> int:
    """Greek and Armenian letters beside others with capitals, if there are three different ones."""
    scripts = [re.search("([A-Za-zÀ-ÖØ-öø-ʯ])|([Ͱ-Ͽ])|([Ѐ-ԯ])|([԰-֏])", one) for one in text]
    numbers = [found.lastindex if found else 0 for found in scripts]
    pairs = sum(
        bool(first and second and first != second and {first, second} != {1, 3}) for first, second in pairwise(numbers)
    )
    return pairs if len({one for one in text if re.match("[Ͱ-Ͽ԰-֏]", one)}) > 2 else 0


@given(TEXTS)
def test_signs_of_rubbish_are_those_of_a_loop(texts: list[str]) -> None:
    kinds = [rows.tolist() for rows in rubbish.find_rubbish(join_texts(texts))]
    for text, repeated, program, garbled, codes, numbers, mixed in zip(texts, *kinds, strict=True):
        assert repeated == (count_drawn(text) > 0.2 * len(text))
        often = sum(text.count(mark) for mark in "{};") + rubbish.PATH_WEIGHT * text.count(": /")
        assert program == (often >= 3 and often > 0.03 * len(text))
        assert garbled == (3 * sum(map(len, GARBLED.findall(text))) > len(text) or is_misread(text))
        letters, plain, digits = count_plain(text)
        assert (codes, numbers) == (2 * plain < letters, digits >= letters > 0)
        assert mixed == (count_mixed(text) >= 3 and count_mixed(text) > 0.1 * letters)


@pytest.mark.parametrize(
    "text",
    [
        "K1 K2 K3 L1 L2 L3",
        "IMG_2001.JPG IMG_2002.JPG IMG_2003.JPG",
        "f(x) = ax + b",
        "C6H12O6 + 6 O2",
        "XS S M L XL XXL",
        "D G A D / Em A D",
        "user.name@host.example",
    ],
)
def test_codes_have_no_answer(shipped: Identifier, text: str) -> None:
    assert not shipped.probabilities([text]).any()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Das iPhone 15 ist schöner als das S23", "deu"),
        ("Je t'aime à la folie", "fra"),
        ("Zimmer 2 und 3 sind frei, Zimmer 14 nicht", "deu"),
        ("Он и я в 5 часов", "rus"),
        ("W\u200be\u200bl\u200bc\u200bo\u200bm\u200be home, dear friends", "eng"),
    ],
)
def test_texts_with_some_codes_have_an_answer(shipped: Identifier, text: str, label: str) -> None:
    assert best(shipped, text)[0] == label


@pytest.mark.parametrize("text", ["XXXX", "xxxx " * 100, "aaaaaaaaaa\n" * 300])
def test_letters_repeated_are_no_language(shipped: Identifier, text: str) -> None:
    assert not shipped.probabilities([text]).any()


@pytest.mark.parametrize(
    "text",
    [
        "3fa85f6457174562b3fc2c963f66afa6 9c2e0b7d1f4a6e8b" * 3,
        "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1dCBieSB0aGlz" * 5,
        ".btn{color:#fff;background-color:#007bff;border-color:#007bff;padding:.375rem .75rem}" * 8,
        '!function(e,t){"object"==typeof exports?t(exports):define(["exports"],t)}(this,function(e){"use strict"});'
        * 4,
        "User-agent: *\nDisallow: /wp-admin/\nDisallow: /cgi-bin/\nDisallow: /tmp/\nAllow: /wp-admin/admin-ajax.php",
        "User-agent: *\nDisallow: /search",
    ],
    ids=["hexadecimal", "base64", "css", "javascript", "robots.txt", "short robots.txt"],
)
def test_code_is_in_doubt(shipped: Identifier, text: str) -> None:
    assert best(shipped, text)[1] < 0.9


#: "Вчера пошёл снег, и дети остались дома.", encoded twice.
TWICE = "Вчера пошёл снег, и дети остались дома.".encode().decode("cp1252", "ignore")
#: The same, read as ISO-8859-1 instead of windows-1251; and English upside down.
MISREAD = "Вчера пошел снег, и дети остались дома.".encode("cp1251").decode("latin-1")
TURNED = "uʍop ǝpᴉsdn sᴉ ǝsnoɥ ǝloɥʍ ǝɥʇ"
FANCY = "hεllσ mψ frιεnd hσω αrε ψσυ"
FRENCH = "Les élèves du collège étaient déjà arrivés à l'école, où le maître les attendait. "


@pytest.mark.parametrize(
    "text",
    [TWICE, TWICE * 20, FRENCH + TWICE, (FRENCH + TWICE) * 9, MISREAD, MISREAD * 20, TURNED, FANCY],
    ids=["short", "long", "a part", "part of a long one", "misread", "long and misread", "turned", "fancy"],
)
def test_garbled_text_is_in_doubt(shipped: Identifier, text: str) -> None:
    assert best(shipped, text)[1] < (0.9 if "Les" in text else 0.5)


def test_garbled_text_leaves_the_language_beside_it(shipped: Identifier) -> None:
    # A few words of it change nothing, nor does it beside another script, whose letters alone count.
    assert best(shipped, FRENCH * 5 + TWICE)[0] == "fra"
    assert best(shipped, FRENCH * 5 + TWICE)[1] > 0.9
    label, confidence = best(shipped, "Вчера в городе открылась новая школа. " * 2 + TWICE)
    assert (label, confidence > 0.9) == ("rus", True)


def test_prose_is_not_in_doubt(shipped: Identifier) -> None:
    text = "The river rises in the hills above the town and flows through three valleys before it reaches the sea. " * 3
    for some in (text[:60], text):
        language, confidence = best(shipped, some)
        assert (language, confidence > 0.85) == ("eng", True)


def test_probabilities_still_sum_to_one_or_to_nothing(shipped: Identifier) -> None:
    texts = ["a{b;c}", "qqqq", "zqxj kvwz " * 40, "Nebel im Tal", "if (a) { return b; } else { return c; }" * 30]
    sums = shipped.probabilities(texts).sum(axis=1)
    assert all(total == 0 or total == pytest.approx(1, abs=1e-4) for total in sums.tolist())


def test_places_outside_the_symbols_are_refused() -> None:
    given_ = join_texts(["abc"])
    with pytest.raises(ValueError, match="ends"):
        rubbish.find_rubbish(replace(given_, ends=np.array([9])))


@pytest.mark.parametrize(
    ("text", "is_sure"),
    [
        ("Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.", False),
        ("Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip.", False),
        ("Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani.", True),
        ("Neque porro quisquam est qui dolorem ipsum quia dolor sit amet consectetur velit.", True),
    ],
)
def test_lorem_ipsum_is_no_sure_latin(shipped: Identifier, text: str, *, is_sure: bool) -> None:
    (probabilities,) = shipped.probabilities([text])
    assert shipped.labels[probabilities.argmax()] == "lat"
    assert (probabilities.max() > 0.9) == is_sure
