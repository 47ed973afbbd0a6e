"""Doubt: both estimates by hand, kernels against their definitions, rubbish, and what the shipped model answers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import registry
from graphlang.content.nfc import doubt
from graphlang.content.nfc.doubt import OpenSet
from graphlang.content.nfc.model import Discriminative
from graphlang.content.nfc.scores import Scores
from graphlang.content.nfc.sparse_weights import KINDS, KindSums, ScriptWeights, Sums
from graphlang.content.ngrams.vocabulary import Vocabulary
from graphlang.content.text.normalise import characters
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from graphlang.content.identifier import Identifier

STEP = 0.25
BASE = np.array([-6.0, -2.0, -4.0], np.float32)
PRIOR = np.array([-1.0, -2.0, -3.0], np.float32)
ONE = np.ones((1, 1), np.float32)
SCORES = Scores(STEP, ONE, ONE[0], BASE, *(np.zeros(3, np.float32) for _ in range(3)))
AFRIKAANS = (
    "Die rivier ontspring in die heuwels bo die dorp en vloei deur drie valleie voordat dit die see bereik. Die mense "
    "wat daar woon, het geleer om met die water saam te leef, en elke jaar hou hulle 'n fees op die oewer. "
)


@pytest.fixture(scope="module")
def shipped() -> Identifier:
    return registry.load("nfc")


def test_the_coefficients_are_those_of_the_model_that_is_shipped(shipped: Identifier) -> None:
    fitted = json.loads(doubt.FILE.read_text(encoding="utf-8"))["model"]
    assert fitted == shipped.hash, "run: python tests/content/make_unknown.py DATA"


def share(
    best: doubt.BestLabels, ngrams: KindSums | None, answer: np.ndarray, letters: int = 100, **more: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return doubt.discount(
        best,
        script=np.zeros(1, np.int64),
        columns=np.array([[0, 3, 16]]),
        letters=np.array([letters]),
        features=np.array([300]),
        ngrams=ngrams,
        base=BASE,
        prior=PRIOR,
        to=np.zeros(1, np.int64),
        answer=answer,
        **more,
    )


def make_sums(number: list[int], own: list[float], most: list[float], has: list[int]) -> KindSums:
    """Of 3-grams, 5-grams and words of one text."""
    return KindSums(
        np.array([number], np.int64),
        np.array([own], np.float32),
        np.array([most], np.float32),
        np.array([has], np.int64),
    )


NOTHING = make_sums([0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0])


def make_best_labels(label: int, fit: float, margin: float) -> doubt.BestLabels:
    return doubt.BestLabels(np.array([label]), np.array([fit], np.float32), np.array([margin], np.float32))


def test_signs_by_hand() -> None:
    ngrams = make_sums([80, 0, 10], [40.0, 0, 20.0], [60.0, 0, 25.0], [60, 0, 9])
    likelihood = np.array([-0.75], np.float32)
    signs, _, again = share(
        make_best_labels(1, 0.5, 9.0), ngrams, np.full((1, 3), 1 / 3, np.float32), likelihood=likelihood
    )
    # fit, base, ln 100, 300 / 100, a margin that is cut, prior, 10 / 100
    assert signs[0, :7] == pytest.approx([0.5, -2, 4.605, 3, 4, -2, 0.1], abs=1e-3)
    # 3-grams: 40 / 80, (60 - 40) / 80, 60 / 80; no 5-grams; words: 20 / 10, (25 - 20) / 10, 9 / 10
    assert signs[0, 7:] == pytest.approx([0.5, 0.25, 0.75, 0, 0, 0, 2, 0.5, 0.9, -0.75], abs=1e-3)
    assert not again.any()


@given(
    st.tuples(st.integers(0, 2), st.floats(-3, 1), st.floats(0, 2)),
    st.lists(st.tuples(st.integers(0, 30), st.floats(-9, 3), st.floats(0, 4)), min_size=3, max_size=3),
    st.none() | st.floats(-4, 2),
)
def test_the_kernel_is_the_definition(
    of_best: tuple[int, float, float], kinds: list[tuple[int, float, float]], likelihood: float | None
) -> None:
    (label, fit, margin), number = of_best, [kind[0] for kind in kinds]
    ngrams = make_sums(
        number,
        [n * own for n, own, _ in kinds],
        [n * (own + regret) for n, own, regret in kinds],
        [n // 2 for n in number],
    )
    before = np.full((1, 3), 0.1, np.float32)
    before[0, label] = 0.8
    answer = before.copy()
    best = make_best_labels(label, fit, margin)
    last = None if likelihood is None else np.array([likelihood], np.float32)
    signs, part, _ = share(best, ngrams, answer, likelihood=last)
    [chance] = doubt.open_set_probability(signs, doubt.coefficients_of("ngrams" if last is None else "likelihood"))
    assert part[0] == pytest.approx(chance, abs=2e-4)
    [shared] = doubt.unknown_language_probability(best.fit, BASE[label : label + 1], np.array([100]))
    if chance > shared + 1e-3 and chance > 2 * doubt.LEAST:
        # What `unknown` shared already counts towards it.
        rest = (1 - chance) / (1 - shared)
        assert answer == pytest.approx(before * rest + (1 - rest) / 3, abs=1e-3)
    elif chance < shared - 1e-3 or chance < doubt.LEAST / 2:
        assert answer.tolist() == before.tolist()


@given(st.integers(0, 2), st.floats(-3, 1), st.floats(0, 2), st.integers(4, 200), st.sampled_from([0.8, 0.96]))
def test_without_ngrams_the_other_signs_decide_or_leave_it_to_them(
    label: int, fit: float, margin: float, letters: int, sure: float
) -> None:
    before = np.full((1, 3), (1 - sure) / 2, np.float32)
    before[0, label] = sure
    answer, best = before.copy(), make_best_labels(label, fit, margin)
    signs, part, again = share(best, None, answer, letters)
    use = doubt.coefficients_of("letters")
    assert len(use.mean) == doubt.STAGES["letters"]
    [chance] = doubt.open_set_probability(signs, use)
    assert part[0] == pytest.approx(chance, abs=1e-4)
    assert again.tolist() == [sure >= doubt.SURE and bool(part[0] >= np.float32(doubt.ASK))]
    if again[0]:
        assert answer.tolist() == before.tolist()
    elif chance > doubt.LEAST * 2:
        [shared] = doubt.unknown_language_probability(best.fit, BASE[label : label + 1], np.array([letters]))
        rest = min(1, (1 - chance) / (1 - shared))
        assert answer == pytest.approx(before * rest + (1 - rest) / 3, abs=1e-3)


@given(st.integers(0, 2), st.floats(-3, 1), st.floats(0, 2), st.sampled_from([0.8, 0.96]))
def test_what_ngrams_leave_in_some_doubt_is_left_for_the_likelihood(
    label: int, fit: float, margin: float, sure: float
) -> None:
    before = np.full((1, 3), (1 - sure) / 2, np.float32)
    before[0, label] = sure
    left, decided = before.copy(), before.copy()
    best, ngrams = make_best_labels(label, fit, margin), make_sums([30, 20, 5], [30, 20, 5], [60, 40, 9], [28, 18, 5])
    _, part, again = share(best, ngrams, left, more=True)
    assert again.tolist() == [sure >= doubt.SURE and bool(part[0] >= np.float32(doubt.ASK_LIKELIHOOD))]
    _, same, never = share(best, ngrams, decided)
    assert not never.any()
    assert same.tolist() == part.tolist()
    assert left.tolist() == (before if again[0] else decided).tolist()


def test_what_is_usual_is_known_of_the_language_models_that_it_was_measured_with() -> None:
    measured = {"usual": {"eng": [-2.25, -14.5], "deu": [-2.5, -13.0]}}
    with mock.patch.object(doubt, "_read", return_value=measured):
        found = doubt.usual_likelihood(["deu", "eng", "nld"], np.array([-13.00004, -14.25, -13], np.float32))
    assert found.tolist() == [-2.5, pytest.approx(np.nan, nan_ok=True), pytest.approx(np.nan, nan_ok=True)]


def test_the_likelihood_of_texts_of_several_windows_is_that_of_their_letters(shipped: Identifier) -> None:
    assert isinstance(shipped, Discriminative)
    trained, doubts, lm = shipped.parts, OpenSet(shipped.parts), shipped.parts.char_lm
    assert lm is not None
    texts = [AFRIKAANS[:40], "not asked", AFRIKAANS[40:80], AFRIKAANS[80:101]]
    letters = trained.sums(texts).letters
    labels = np.array([shipped.labels.index(label) for label in ("nld", "eng")])
    found = doubts._likelihood(lm, letters, np.array([0, 1, 2, 4]), np.array([0, 2]), labels)
    own = lm.label_likelihood(letters, labels[[0, 0, 1, 1]]).tolist()
    usual, n = doubt.usual_likelihood(trained.labels, lm.letter)[labels].tolist(), letters.lengths.tolist()
    assert found.tolist() == [
        pytest.approx(own[0] / n[0] - usual[0], abs=1e-4),
        pytest.approx((own[2] + own[3]) / (n[2] + n[3]) - usual[1], abs=1e-4),
    ]


def test_a_text_that_is_not_asked_about_is_left_as_it_is() -> None:
    answer = np.array([[0.8, 0.1, 0.1]], np.float32)
    signs, part, again = share(make_best_labels(-1, 0, 0), NOTHING, answer)
    assert not again.any()
    assert not signs.any()
    assert not part.any()
    assert answer.tolist() == np.array([[0.8, 0.1, 0.1]], np.float32).tolist()


@pytest.mark.parametrize("label", [3, -2])
def test_labels_that_are_none_are_refused(label: int) -> None:
    with pytest.raises(KernelError, match="best"):
        share(make_best_labels(label, 0, 0), NOTHING, np.zeros((1, 3), np.float32))


SUMS = st.lists(st.lists(st.integers(-400, 400), min_size=3, max_size=3), min_size=1, max_size=4)


def best_of(rows: np.ndarray, found: np.ndarray, offsets: list[int], answer: np.ndarray) -> doubt.BestLabels:
    """Of texts of some windows, all of them in one script of three labels."""
    wide = np.zeros((len(rows), 16), np.int16)
    wide[:, :3] = rows
    weights = ScriptWeights(("A",), (slice(0, 3),), np.array([[0, 0, 0, 8, 0, 0]]), *[np.zeros(0)] * 3)
    return SCORES.find_best(
        Sums(wide.ravel(), np.arange(len(rows)), np.array([len(rows)])),
        weights,
        features=np.concatenate([[0], np.cumsum(found)]),
        offsets=np.array(offsets),
        letters=np.full(len(offsets) - 1, 200),
        to=np.arange(len(offsets) - 1),
        answer=answer,
    )


@given(SUMS, st.integers(0, 2), st.integers(1, 60))
def test_the_best_of_windows_is_that_of_sums_in_plain_python(rows: list[list[int]], winner: int, found: int) -> None:
    answer = np.full((1, 3), 0.1, np.float32)
    answer[0, winner] = 0.8
    best = best_of(np.array(rows), np.full(len(rows), found), [0, len(rows)], answer)
    total = np.array(rows).sum(axis=0) * STEP / (found * len(rows)) + BASE
    margin = total[winner] - max(np.delete(total, winner))
    assert best.label[0] == winner
    assert best.fit[0] == pytest.approx(total[winner], abs=1e-3)
    assert best.margin[0] == pytest.approx(margin, abs=1e-3)


def test_each_text_has_its_own_windows_and_features() -> None:
    rows = np.array([[40, 0, 0], [20, 10, 0], [0, 0, 60], [0, 9, 9]])
    answer = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8], [0, 0, 0]], np.float32)
    best = best_of(rows, np.array([4, 6, 5, 7]), [0, 2, 3, 4], answer)
    assert best.label.tolist() == [0, 2, -1]  # of the last one there is no answer
    assert best.fit.tolist() == pytest.approx([60 * STEP / 10 - 6, 60 * STEP / 5 - 4, 0])
    assert best.margin.tolist() == pytest.approx([best.fit[0] - (10 * STEP / 10 - 2), best.fit[1] + 2, 0])


@pytest.mark.parametrize("offsets", [[0, 1, 3], [1, 2], [0, 5], [2, 1, 4], [-1, 4]])
def test_windows_that_are_not_those_of_the_texts_are_refused(offsets: list[int]) -> None:
    rows, answer = np.ones((4, 3), np.int64), np.full((4, 3), 1 / 3, np.float32)
    with pytest.raises(KernelError, match=r"offsets|order"):
        best_of(rows, np.ones(4, np.int64), offsets, answer)


def test_regret_is_that_of_rows_of_weights(shipped: Identifier) -> None:
    assert isinstance(shipped, Discriminative)
    weights, draw = shipped.parts.weights, np.random.default_rng(5)
    latin = weights.names.index("LATIN")
    first, common, rare, *_ = weights.blocks[latin].tolist()
    some = np.concatenate([first + draw.integers(0, common, 8), first + common + draw.integers(0, rare, 30)])
    features, columns = some.astype(np.int32), weights.columns()
    own_labels = weights.labels[latin]
    base = shipped.parts.scores.base / shipped.parts.scores.step
    sums = weights.sums(features, np.arange(len(some) + 1), np.full(len(some), latin, np.uint8))
    [(_, _, rows)] = weights.by_script(sums)
    table = rows[:, : columns[latin, 1]] + base[own_labels]
    script, offsets = np.full(2, latin), np.array([0, 20, len(some)])
    kinds = draw.integers(0, KINDS + 1, len(shipped.vocabulary)).astype(np.uint8)
    greatest = np.zeros(len(kinds), np.int32)
    about: dict[str, Any] = {"columns": columns, "base": base, "kinds": kinds, "greatest": greatest}
    of_kind = kinds[features[:20], None] == np.arange(KINDS)
    for _ in range(2):  # the second time from what the first one found
        number, own, most, has = weights.compare_features(features, offsets, script, np.array([7, -1]), **about)
        assert number.tolist() == [of_kind.sum(axis=0).tolist(), [0] * KINDS]
        assert own[0].tolist() == pytest.approx(table[:20, 7] @ of_kind, rel=1e-5)
        assert most[0].tolist() == pytest.approx(table[:20].max(axis=1) @ of_kind, rel=1e-5)
        assert has.tolist() == [((rows[:20, 7] != 0) @ of_kind.astype(int)).tolist(), [0] * KINDS]
        assert not own[1].any()
        assert not most[1].any()
    common_ones = features[:20][of_kind.any(axis=1) & (features[:20] < first + common)]
    assert np.flatnonzero(greatest).tolist() == sorted(set(common_ones.tolist()))


def test_models_without_the_ngrams_are_not_asked(shipped: Identifier) -> None:
    assert isinstance(shipped, Discriminative)
    assert OpenSet(shipped.parts).applies
    assert not OpenSet(replace(shipped.parts, vocabulary=Vocabulary(["abc", "a", " whole "]))).applies


@pytest.mark.parametrize(
    ("name", "value"), [("FEWEST_LETTERS", 1 << 40), ("COEFFICIENTS", np.array([-50, *[0] * 7], np.float32))]
)
def test_the_best_label_stays_the_best(
    shipped: Identifier, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    lorem = "Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam " * 5
    texts = [AFRIKAANS[:90], AFRIKAANS * 4, lorem, "Ndiyabulela kakhulu"]
    monkeypatch.setattr(shipped, "_further", None)  # its languages get what an unknown one loses
    doubtful = shipped.probabilities(texts)
    for text, row in zip(texts, doubtful, strict=True):
        assert shipped.probabilities([text])[0].tolist() == row.tolist()
    monkeypatch.setattr(doubt, name, value)
    sure = shipped.probabilities(texts)
    assert doubtful.argmax(axis=1).tolist() == sure.argmax(axis=1).tolist()
    assert (doubtful.max(axis=1) <= sure.max(axis=1) + 1e-6).all()


def best(identifier: Identifier, text: str) -> tuple[str, float]:
    [row] = identifier.probabilities([text])
    return identifier.labels[int(row.argmax())], float(row.max())


def test_what_fits_badly_is_unknown_the_longer_the_surer() -> None:
    fit, base = np.array([0, -2, -2, -2], np.float32), np.full(4, -5, np.float32)
    chances = doubt.unknown_language_probability(fit, base, np.array([100, 10, 40, 400]))
    assert (np.diff(chances[1:]) > 0).all()
    assert chances[0] < 0.05
    assert chances[2] > 0.5


def test_by_hand() -> None:
    # -17.393 + 2.498 * -1 + 3.679 * 5 + (1.327 + 1.406 - 0.095 * 5) * ln 100 + 0.038 * 5 - 0.361 * 25 = 0.066
    [chance] = doubt.unknown_language_probability(
        np.array([-1], np.float32), np.array([-5], np.float32), np.array([100])
    )
    assert chance == pytest.approx(1 / (1 + np.exp(-0.066)), abs=1e-3)


TEXTS = st.lists(
    st.lists(
        st.sampled_from([*"aAbé{};= ", "a: /b", ":/", "Ã¼", "à¤¹", *"ðŸ˜€Ð‘я\x81Àõ\u0151ʇɛɥºạᴉ"]), max_size=30
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


@given(TEXTS)
def test_signs_of_rubbish_are_those_of_a_loop(texts: list[str]) -> None:
    rubbish = [found.tolist() for found in doubt.find_rubbish(characters(texts))]
    for text, repeated, program, garbled, codes, numbers in zip(texts, *rubbish, strict=True):
        assert repeated == (count_drawn(text) > 0.2 * len(text))
        often = sum(text.count(mark) for mark in "{};") + doubt.OF_PATH * text.count(": /")
        assert program == (often >= 3 and often > 0.03 * len(text))
        assert garbled == (3 * sum(map(len, GARBLED.findall(text))) > len(text) or is_misread(text))
        letters, plain, digits = count_plain(text)
        assert (codes, numbers) == (2 * plain < letters, digits >= letters > 0)


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
def test_rubbish_is_told_without_confidence(shipped: Identifier, text: str) -> None:
    assert best(shipped, text)[1] < 0.9


#: "Вчера пошёл снег, и дети остались дома.", encoded twice.
TWICE = "Вчера пошёл снег, и дети остались дома.".encode().decode("cp1252", "ignore")
#: The same, read as ISO-8859-1 instead of windows-1251; and English upside down.
MISREAD = "Вчера пошел снег, и дети остались дома.".encode("cp1251").decode("latin-1")
TURNED = "uʍop ǝpᴉsdn sᴉ ǝsnoɥ ǝloɥʍ ǝɥʇ"
FRENCH = "Les élèves du collège étaient déjà arrivés à l'école, où le maître les attendait. "


@pytest.mark.parametrize(
    "text",
    [TWICE, TWICE * 20, FRENCH + TWICE, (FRENCH + TWICE) * 9, MISREAD, MISREAD * 20, TURNED],
    ids=["short", "long", "a part", "part of a long one", "misread", "long and misread", "turned"],
)
def test_garbled_text_is_in_doubt(shipped: Identifier, text: str) -> None:
    assert best(shipped, text)[1] < 0.5


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


def test_places_outside_the_symbols_are_refused() -> None:
    given_ = characters(["abc"])
    with pytest.raises(ValueError, match="ends"):
        doubt.find_rubbish(replace(given_, ends=np.array([9])))


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
