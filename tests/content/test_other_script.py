"""Texts that are Latin but for a word in another script."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.text import other_script
from graphlang.content.text.normalise import fold, join_texts
from graphlang.content.text.other_script import MANY, OtherWords, estimate_latin, find_other_words
from graphlang.content.text.scripts import CYRILLIC, EAST_ASIA, LATIN
from graphlang.content.text.scripts import registry as scripts

EAST = scripts.number(EAST_ASIA)
GREEK = scripts.number("GREEK")


def beside(*texts: str) -> list[tuple[int, int]]:
    """Script of each text, and the one beside it."""
    found = fold(join_texts(texts), margin=0, closed=True, one_script=True)
    return list(zip(found.scripts.tolist(), found.second_scripts.tolist(), strict=True))


def test_the_script_beside_latin_is_told() -> None:
    assert beside("Yii и Docker", "Encrypt 的 ACMEv2", "Encrypt", "", "42") == [
        (LATIN, CYRILLIC),  # one letter of ten
        (LATIN, EAST),
        *[(LATIN, 0)] * 3,
    ]
    # Two letters, and more than SHARE: Latin stands beside them where it has the most letters.
    assert beside("и в Docker", "a μ b и в") == [(CYRILLIC, LATIN), (CYRILLIC, 0)]
    assert beside("ещё abc", "ещё abcd", "的的 abcdef", "的的 abcdefg") == [
        *[(CYRILLIC, 0), (CYRILLIC, LATIN)],  # three letters beside three or four
        *[(EAST, 0), (EAST, LATIN)],  # six beside six or seven: each letter counts three times
    ]
    assert beside("abcdefghijklmnopqr и λμ") == [(LATIN, GREEK)]  # the one that has more letters
    wanted = fold(join_texts(["Yii и Docker"]), margin=0, closed=True, one_script=True, row_scripts=np.uint8([LATIN]))
    assert wanted.second_scripts.tolist() == [0]


@pytest.mark.parametrize(
    ("text", "script", "expected"),
    [
        # Twelve Latin letters, all but the five in a word with a digit plain, and one that counts three times.
        ("Encrypt 的 ACMEv2", EAST, OtherWords("的", 3, 12, 7 / 12)),
        ("DBは (SQL)", EAST, OtherWords("は", 3, 2, 0.0)),  # what is in brackets says nothing; "DB" has capitals inside
        ("Beijing (北京) is large", EAST, OtherWords("", 1, 14, 1.0)),
        ("Beijing （北京） is large", EAST, OtherWords("", 1, 14, 1.0)),
        ("Cheboksary (Чебоксары", CYRILLIC, OtherWords("", 1, 10, 1.0)),  # cut off within the brackets
        ("Wei kyerԑ sԑ wobԑtumi", CYRILLIC, OtherWords("", 1, 15, 1.0)),  # letters of a Latin orthography
        ("Wei kyerԑ и", CYRILLIC, OtherWords("и", 1, 7, 1.0)),
        ("the constant λ is small", GREEK, OtherWords("", 1, 18, 1.0)),
        ("the word λόγος is Greek", GREEK, OtherWords("λόγος", 5, 14, 1.0)),
        ("Docker", CYRILLIC, OtherWords("", 1, 6, 1.0)),
        # Marks belong to their words; those that many scripts share do not count.
        ("Ruby में कोड", scripts.number("DEVANAGARI"), OtherWords("में कोड", 6, 4, 1.0)),
        ("Ruby и\u0301", CYRILLIC, OtherWords("и", 1, 4, 1.0)),
        # Of 24 letters only those of "what's", "well-known" and "in" are in plain words.
        ("what's well-known in a/b HTTPError и", CYRILLIC, OtherWords("и", 1, 27, 16 / 27)),
        ("42", CYRILLIC, OtherWords("", 1, 0, 0.0)),
    ],
)
def test_words_that_count(text: str, script: int, expected: OtherWords) -> None:
    found = find_other_words(text, script)
    assert found == expected._replace(plain=pytest.approx(expected.plain))


def test_how_probable_latin_is() -> None:
    answer = np.array([0.6, 0.3, 0.1], dtype=np.float32)
    words = OtherWords("и", 4, 32, 0.5)  # twice MANY letters, eight to one of the other script
    assert words.latin == 2 * MANY
    of_language = -4.9 * log(1.02 - 0.3) - 1.5 * log(1.02 - 0.6) + 7.8 * 0.5
    logit = -11.5 + (1 - exp(-4)) * of_language + 1.6 * log(8)
    assert estimate_latin(words, answer, english=0) == pytest.approx(1 / (1 + exp(-logit)))
    # Without English among the labels the best language is any.
    of_language = -4.9 * log(1.02 - 0.6) + 1.5 * -log(1.02) + 7.8 * 0.5
    logit = -11.5 + (1 - exp(-4)) * of_language + 1.6 * log(8)
    assert estimate_latin(words, answer, english=-1) == pytest.approx(1 / (1 + exp(-logit)))
    assert estimate_latin(words._replace(latin=0), answer, english=-1) == 0


def best(texts: list[str]) -> list[str]:
    identifier = registry.load("nfc")
    answer = identifier.probabilities(texts)
    return [
        identifier.labels[number].partition("_")[0] if row.any() else "und"
        for row, number in zip(answer, answer.argmax(axis=1), strict=True)
    ]


def test_a_word_in_another_script_tells_a_short_text() -> None:
    texts = ["Yii и Docker", "Encrypt 的 ACMEv2", "Ẹ kú àárọ̀ ẹ̀yin ọmọ ilé-ìwé и"]
    assert best(texts) == ["rus", "zho", "yor"]
    identifier = registry.load("nfc")
    assert identifier.probabilities(texts[:1]).max() < other_script.MOST
    # Nobody here writes Vai: it is as if it were not there.
    together, alone = identifier.probabilities(["Yii ꕉ Docker", "Yii   Docker"])
    assert together.tolist() == alone.tolist()
    assert best(["The words ꕉꕊꕋꕌꕍꕎ are in the Vai script"]) == ["eng"]


#: A word of each of some scripts, as it may be quoted anywhere.
QUOTED = ("Русский", "世界", "こんにちは", "사람들", "ελληνικά", "العربية", "ภาษา", "हिन्दी", "עברית", "ქართული")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("eng", "They wrote {} on the wall of the old town hall, and nobody knew what it meant."),
        ("deu", "{} steht auf dem Schild neben der Eingangstür des Museums."),
        ("fra", "Le mot {} signifie quelque chose dans la langue de ses parents."),
        ("eng", "The meeting starts at nine in the large room on the second floor. " * 6 + "{} " * 4),
        ("spa", "La reunión empieza a las nueve en la sala grande del segundo piso. " * 6 + "{} " * 8),
    ],
)
def test_one_foreign_word_does_not_outvote_a_sentence(language: str, text: str) -> None:
    assert best([text.format(*[word] * text.count("{}")) for word in QUOTED]) == [language] * len(QUOTED)


def test_the_fewer_letters_a_sentence_has_the_less_it_keeps() -> None:
    assert best(["Work on sensitive documents Русский", "sensitive Русский"]) == ["eng", "rus"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("rus", "Установите Docker Compose и Kubernetes CLI на сервер"),
        ("zho", "使用 PackageManagerTabs 组件：import Tabs from '~/components/Tabs.astro';"),
        ("kor", "require('net/http') 와 Net::HTTP.get_response(uri) 를 사용합니다"),
        ("jpn", "CVE-2018-16396: Array#pack および String#unpack の脆弱性について"),
        ("ell", "Στο GitHub Actions: uses: actions/setup-ruby@v1 και bundle exec rake"),
    ],
)
def test_names_and_code_do_not_outvote_another_script(language: str, text: str) -> None:
    assert best([text]) == [language]


def test_names_in_most_lines_of_a_page_do_not_outvote_it() -> None:
    line = "Установите Docker Compose и Kubernetes CLI на сервер, затем Terraform, Helm и Prometheus."
    assert best(["\n".join([line] * 8)]) == ["rus"]


@settings(max_examples=30)
@given(st.lists(st.text("ab и的λ()，.\u0301", max_size=12), min_size=1, max_size=6))
def test_a_text_is_told_as_it_is_alone(texts: list[str]) -> None:
    identifier = registry.load("nfc")
    together = identifier.probabilities(texts)
    for text, row in zip(texts, together, strict=True):
        assert identifier.probabilities([text])[0].tolist() == row.tolist()
        assert row.sum() == pytest.approx(1, abs=1e-4) or not row.any()
