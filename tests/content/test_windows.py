"""Long texts, mixed texts, and whose page a text stands on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.content import registry as methods
from graphlang.content.text import windows
from graphlang.content.text.scripts import LATIN, registry


def cut(text: str, number: int, size: int) -> list[str]:
    made, offsets = windows.cut(["", text, "x"], number, size)
    assert offsets[[0, 1, 3]].tolist() == [0, 1, len(made)]
    return made.texts()[offsets[1] : offsets[2]]


def test_pieces_are_spread_from_beginning_to_end() -> None:
    text = " ".join(f"w{i:03}" for i in range(1000))
    parts = cut(text, 4, 40)
    assert len(parts) == 4
    assert parts[0].startswith("w000")
    assert parts[-1].endswith("w999")
    assert all(set(map(len, part.split())) == {4} for part in parts)  # whole words only
    assert cut("short text", 4, 40) == ["short text"]
    assert cut("x" * 10**6, 4, 40) == ["x" * 40]  # what repeats counts once


def plainly(text: str, number: int, size: int) -> list[str]:
    """The definition, one window after the other."""
    number = max(1, min(number, -(-len(text) // size)))
    step = (len(text) - size) / max(1, number - 1)
    made = []
    for i in range(number):
        start = max(0, int(i * step))
        window = text[start : start + size]
        if start and (space := window.find(" ", 0, 16)) >= 0:
            window = window[space + 1 :]
        if start + size < len(text) and (space := window.rfind(" ", size - 16)) > 0:
            window = window[:space]
        made.append(window)
    return list(dict.fromkeys(made))


@given(
    st.lists(st.text("ab \ud800ж", max_size=300), max_size=4),
    st.integers(1, 9),
    st.integers(1, 60),
    st.sampled_from([0, 100, 400]),
)
def test_pieces_are_those_of_the_definition(texts: list[str], number: int, size: int, whole: int) -> None:
    made, offsets = windows.cut(texts, number, size, whole=whole)
    expected = [plainly(text, number, size) for text in texts]
    assert made.texts() == [window for own in expected for window in own]
    assert np.diff(offsets).tolist() == list(map(len, expected))


def test_words_of_the_main_script() -> None:
    assert (
        windows.extract_words("function foo() { return 'слово'; } // ещё", registry.number("CYRILLIC")) == "слово ещё"
    )
    assert windows.extract_words("a1b -- c", LATIN) == "a b c"
    assert len(windows.extract_words("я" * 10**6, registry.number("CYRILLIC"))) <= 100_016


def test_short_english_may_stand_on_any_page() -> None:
    chances = np.array([[0.9, 0.1, 0.0], [0.0, 1.0, 0.0], [0.9, 0.1, 0.0]], dtype=np.float32)
    hosts = np.array([0, 0.25, 0.75], dtype=np.float32)
    windows.share_with_hosts(chances, np.arange(3), np.array([20, 20, 80]), 0, hosts)
    part = 0.9 * windows.QUOTED
    assert chances[0] == pytest.approx([0.9 - part, 0.1 + part / 4, part * 3 / 4], abs=1e-6)
    assert chances[1].tolist() == [0, 1, 0]
    assert chances[2] == pytest.approx([0.9 - part / 2, 0.1 + part / 8, part * 3 / 8], abs=1e-6)


CODE = "const value = await fetch(request); if (!response.ok) { throw new Error(response.statusText); }\n"
PAGES = {
    "rus": "Установите библиотеку перед первым запуском приложения. ",
    "jpn": "このページでは設定の方法を説明します。",
    "zho": "本页介绍如何设置和使用这个工具。",
    "kor": "이 페이지에서는 설정 방법을 설명합니다. ",
    "fra": "Cette page explique comment configurer l'outil avant de l'utiliser. ",
    "ell": "Αυτή η σελίδα εξηγεί πώς να ρυθμίσετε το εργαλείο. ",
}


@pytest.mark.parametrize("language", PAGES)
def test_pages_full_of_code_keep_their_language(language: str) -> None:
    identifier = methods.load("nfc")
    page = (PAGES[language] * 2 + CODE) * 20
    short = f"{PAGES[language]} {CODE[:20]}"
    chances = identifier.probabilities([page, short, page[:300]])
    assert [identifier.labels[i].split("_")[0] for i in chances.argmax(axis=1)] == [language] * 3
    assert chances.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-4)


def test_a_few_letters_far_apart_are_found() -> None:
    identifier = methods.load("nfc")
    text = ("0123456789 " * 2000 + "только ") * 5
    chances = identifier.probabilities([text, "0 " * 20_000])
    assert identifier.labels[int(chances[0].argmax())] == "rus"
    assert not chances[1].any()


SENTENCES = {
    "deu": "Der Zug nach Hamburg fährt heute wegen der Bauarbeiten eine halbe Stunde später vom Gleis gegenüber ab. ",
    "fra": "Le train pour Lyon partira aujourd'hui avec une demi-heure de retard à cause des travaux sur la voie. ",
    "fin": "Juna Tampereelle lähtee tänään puoli tuntia myöhässä, koska rataa korjataan aseman pohjoispuolella. ",
    "rus": "Поезд в Казань сегодня отправится на полчаса позже из-за ремонта путей к северу от вокзала. ",
    "hin": "स्टेशन के उत्तर में पटरी की मरम्मत के कारण आज दिल्ली जाने वाली गाड़ी आधा घंटा देर से चलेगी। ",
    "zho": "由于车站北侧的轨道正在维修，今天开往上海的列车将晚点半小时，请各位旅客在候车室等候。",
}
#: What stands around the text of a page and is none: digits, signs, white space, single letters.
PADDING = st.lists(
    st.sampled_from(["1", "2024", "–", "|", "***", " ", "\n", "\t", "...", "a", "B", "ж", "→", "12.5 %"]), max_size=60
).map(" ".join)


@given(st.text("ab1 .\n", max_size=40), PADDING, PADDING)
def test_padding_is_trimmed_and_words_are_not(text: str, before: str, after: str) -> None:
    assert windows.trim(f"{before} word {text} word {after}") == f"word {text} word"
    assert windows.trim(f"{before} {after}") == ""


@pytest.mark.parametrize(
    ("text", "trimmed"),
    [
        ("12. किताबें!", "किताबें"),  # vowel signs and nasals are no letters to Python, and belong to them
        ("我 ... 一", "我 ... 一"),  # one letter may be a word
        ("x" + " 1" * 5_000, ""),
        ("une" + " 1" * 5_000 + " fois" + " a 1" * 5_000, "une" + " 1" * 5_000 + " fois"),
        ("e\u0301te\u0301 3", "e\u0301te\u0301"),  # "été", letters and marks
        ("", ""),
    ],
)
def test_what_is_trimmed(text: str, trimmed: str) -> None:
    assert windows.trim(text) == trimmed


@settings(max_examples=25)
@given(
    st.sampled_from(sorted(SENTENCES)),
    # One window, the border between short and long texts, four windows, and more than are looked at.
    st.sampled_from([60, 175, 180, 181, 190, 240, 361, 700, 1_302, 4_000]),
    PADDING,
    PADDING,
)
def test_padding_changes_no_sure_answer(language: str, size: int, before: str, after: str) -> None:
    identifier = methods.load("nfc")
    text = windows.trim((SENTENCES[language] * (1 + size // len(SENTENCES[language])))[:size])
    plain, padded = identifier.probabilities([text, f"{before} {text} {after}"])
    assert identifier.labels[int(plain.argmax())].split("_")[0] == language
    assert plain.argmax() == padded.argmax()
    if size > 400 and len(text) > identifier.limit:  # the same windows, to the last character
        assert plain.tolist() == padded.tolist()


def test_a_text_of_two_languages_is_in_one_of_them() -> None:
    # Windows of both fit neither of the two well enough.
    identifier = methods.load("nfc")
    finnish = (
        "Asenna kirjasto ennen kuin käynnistät sovelluksen ensimmäisen kerran, ja tarkista että asetukset ovat oikein. "
    )
    english = "Please check the settings of the library before you start the application for the first time. "
    [row] = identifier.probabilities([(finnish + english) * 4])
    assert identifier.labels[int(row.argmax())] in ("fin", "eng")
    assert row.sum() == pytest.approx(1, abs=1e-4)
