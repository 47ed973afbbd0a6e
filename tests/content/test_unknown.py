"""Doubt about texts that are in no language of the model: by hand, and kernels against their definitions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.discriminative import unknown
from graphlang.content.discriminative.model import Discriminative
from graphlang.content.text.normalise import characters

if TYPE_CHECKING:
    from graphlang.content.identifier import Identifier


@pytest.fixture(scope="module")
def shipped() -> Identifier:
    return registry.load("nfc")


def best(identifier: Identifier, text: str) -> tuple[str, float]:
    [row] = identifier.probabilities([text])
    return identifier.labels[int(row.argmax())], float(row.max())


def test_what_fits_badly_is_unknown_the_longer_the_surer() -> None:
    fit, base = np.array([0, -2, -2, -2], np.float32), np.full(4, -5, np.float32)
    chances = unknown.probability(fit, base, np.array([100, 10, 40, 400]))
    assert (np.diff(chances[1:]) > 0).all()
    assert chances[0] < 0.05
    assert chances[2] > 0.5


def test_by_hand() -> None:
    # -17.393 + 2.498 * -1 + 3.679 * 5 + (1.327 + 1.406 - 0.095 * 5) * ln 100 + 0.038 * 5 - 0.361 * 25 = 0.066
    [chance] = unknown.probability(np.array([-1], np.float32), np.array([-5], np.float32), np.array([100]))
    assert chance == pytest.approx(1 / (1 + np.exp(-0.066)), abs=1e-3)


TEXTS = st.lists(
    st.lists(st.sampled_from([*"aAbé{};= ", "a: /b", ":/", "Ã¼", "à¤¹", *"ðŸ˜€Ð‘я\x81Àõ\u0151"]), max_size=30).map(
        "".join
    ),
    max_size=5,
)
#: Characters that stand for the bytes from 80 to BF, by Python's own codecs; and as many as its first byte says.
BYTE = "".join(map(chr, range(0x80, 0xC0))) + bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")
GARBLED = re.compile(f"[\xc2-\xdf][{BYTE}]|[\xe0-\xef][{BYTE}]{{2}}|[\xf0-\xf4][{BYTE}]{{3}}")


@given(TEXTS)
def test_signs_of_rubbish_are_those_of_a_loop(texts: list[str]) -> None:
    repeated, code, garbled = (found.tolist() for found in unknown.rubbish(characters(texts)))
    for text, letters, marks, twice in zip(texts, repeated, code, garbled, strict=True):
        third = sum(text[i - 2 : i + 1] in ("aaa", "AAA", "bbb") for i in range(2, len(text)))
        assert letters == (third > 0.2 * len(text))
        often = sum(text.count(mark) for mark in "{};") + unknown.OF_PATH * text.count(": /")
        assert marks == (often >= 3 and often > 0.03 * len(text))
        assert twice == (3 * sum(map(len, GARBLED.findall(text))) > len(text))


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
def test_rubbish_is_told_without_confidence(shipped: Identifier, text: str) -> None:
    assert best(shipped, text)[1] < 0.9


#: "Вчера пошёл снег, и дети остались дома.", encoded twice.
TWICE = "Вчера пошёл снег, и дети остались дома.".encode().decode("cp1252", "ignore")
FRENCH = "Les élèves du collège étaient déjà arrivés à l'école, où le maître les attendait. "


@pytest.mark.parametrize(
    "text",
    [TWICE, TWICE * 20, FRENCH + TWICE, (FRENCH + TWICE) * 9],
    ids=["short", "long", "a part", "part of a long one"],
)
def test_what_was_encoded_twice_is_told_without_confidence(shipped: Identifier, text: str) -> None:
    assert best(shipped, text)[1] < 0.9


def test_the_language_beside_what_was_encoded_twice(shipped: Identifier) -> None:
    # A few words of it change nothing, nor does it beside another script, whose letters alone count.
    assert best(shipped, FRENCH * 5 + TWICE)[0] == "fra"
    assert best(shipped, FRENCH * 5 + TWICE)[1] > 0.9
    label, confidence = best(shipped, "Вчера в городе открылась новая школа. " * 2 + TWICE)
    assert (label, confidence > 0.9) == ("rus", True)


def test_prose_is_told_as_before(shipped: Identifier) -> None:
    text = "The river rises in the hills above the town and flows through three valleys before it reaches the sea. " * 3
    for some in (text[:60], text):
        language, confidence = best(shipped, some)
        assert (language, confidence > 0.85) == ("eng", True)


def test_probabilities_still_sum_to_one_or_to_nothing(shipped: Identifier) -> None:
    texts = ["a{b;c}", "qqqq", "zqxj kvwz " * 40, "Nebel im Tal", "if (a) { return b; } else { return c; }" * 30]
    sums = shipped.probabilities(texts).sum(axis=1)
    assert all(total == 0 or total == pytest.approx(1, abs=1e-4) for total in sums.tolist())


def test_the_best_language_stays_the_best(shipped: Identifier, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(shipped, Discriminative)
    texts = ["Ndiyabulela kakhulu", "lorem ipsum dolor sit amet, consetetur sadipscing elitr " * 6]
    doubtful = shipped.probabilities(texts)
    monkeypatch.setattr(unknown, "COEFFICIENTS", np.array([-50, *[0] * 7], np.float32))
    sure = shipped.probabilities(texts)
    assert doubtful.argmax(axis=1).tolist() == sure.argmax(axis=1).tolist()
    assert (doubtful.max(axis=1) <= sure.max(axis=1) + 1e-6).all()


@pytest.mark.parametrize("times", [1, 20], ids=["short", "long"])
def test_malay_in_arabic_letters_may_be_a_relative(
    shipped: Identifier, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    assert isinstance(shipped, Discriminative)
    text = "سموا مأنسي دلاهيركن بيبس دان سامرات دري سڬي كموليأن دان حق حق. " * times
    label, confidence = best(shipped, text)
    assert label in unknown.RELATIVES
    monkeypatch.setattr(unknown, "doubt_relatives", lambda *_: None)
    without, sure = best(shipped, text)
    assert without == label
    assert confidence < 0.7 < sure


def test_places_outside_the_symbols_are_refused() -> None:
    given_ = characters(["abc"])
    with pytest.raises(ValueError, match="ends"):
        unknown.rubbish(replace(given_, ends=np.array([9])))
