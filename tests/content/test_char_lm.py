"""How likely a language spells a word so: the language models, as weights of n-grams, and what they add to scores."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import product
from math import exp, log, log1p, prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content import calibration
from graphlang.content.nfc import char_lm, doubt
from graphlang.content.nfc.model import Discriminative
from graphlang.content.ngrams.keys import compute_keys
from graphlang.content.text import windows
from graphlang.content.text.scripts import registry
from graphlang.modelfile import Model, ModelError
from graphlang.training import witten_bell
from graphlang.training.train import train
from graphlang.training.training_options import TrainingOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from graphlang.training.witten_bell import CharLMs

SMALL: dict[str, Any] = {"minimum": 10, "document": 20, "features": 400, "rounds": 4, "draws": 60, "power": 0.0}
WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=7), st.sampled_from([1, 2, 9, 100]), min_size=1, max_size=6)


def scorer(made: CharLMs) -> Callable[..., float]:
    """Make a function that sums up the log likelihood of a word in a language from its n-grams."""
    at, weights = {ngram: place for place, ngram in enumerate(made.ngrams)}, made.weights.toarray()

    def score(word: str, language: int = 0) -> float:
        closed = f" {word} "
        grams = [closed[i : i + size] for size in range(1, 6) for i in range(len(closed) - size + 1)]
        rows = [at[gram] for gram in [*grams, *([closed] if len(closed) > 5 else [])] if gram in at]
        total = weights[rows, language].sum() + made.letter[language] * (len(word) + 1) + made.word[language]
        return float(total)

    return score


def defined(words: Mapping[str, int], word: str, least: float) -> float:
    """The log probability of a word by the definition; what adds less than `least` is as if it had not been seen."""
    letters = len(set("".join(words))) + 1
    seen: dict[str, Counter[str]] = {}
    for own, number in words.items():
        closed = f" {own} "
        for end in range(1, len(closed)):
            for begin in range(max(0, end - 4), end + 1):
                seen.setdefault(closed[begin:end], Counter())[closed[end]] += number**0.6  # type: ignore[assignment]

    def shared(counts: Mapping[str, float], lower: Mapping[str, float], least: float) -> dict[str, float]:
        """Witten & Bell's estimate of what was seen, and under an empty name what is left for a lower one."""
        kept = {own: k for own, k in counts.items() if k * log1p(k / (len(counts) * lower[own])) >= least}
        total = sum(counts.values()) + len(counts)
        free = (total - sum(kept.values())) / total
        return {own: kept.get(own, 0) / total + free * lower[own] for own in counts} | {"": free}

    def chance(before: str, letter: str) -> float:
        lower = partial(chance, before[1:]) if before else lambda _: 1 / letters
        if before not in seen:
            return lower(letter)
        counts = seen[before]
        made = shared(counts, {own: lower(own) for own in counts}, least if len(before) > 1 else 0)
        return made[letter] if letter in made else made[""] * lower(letter)

    def lm(own: str) -> float:
        return prod(chance(f" {own} "[max(0, end - 4) : end], f" {own} "[end]) for end in range(1, len(own) + 2))

    made = shared(words, {own: lm(own) for own in words}, least)
    return log(made[word] if word in made else made[""] * lm(word))


def test_one_word_worked_by_hand() -> None:
    made = witten_bell.estimate_char_lms([{"ab": 1}], least_gain=0)
    assert made is not None
    weights = dict(zip(made.ngrams, made.weights.toarray()[:, 0].tolist(), strict=True))
    # Three letters with the space, each seen once: (1 + 3 / 3) / (3 + 3) each, six times less where never seen.
    assert made.letter.tolist() == [pytest.approx(log(3 / 6 / 3))]
    # "b" can be told from nothing, log 2, and is followed by nothing but a space, which leaves one half to others.
    assert weights.get("b", 0) == pytest.approx(log(2) + log(1 / 2))
    # After "a" comes "b": (1 + 1/3) / 2 = 2/3. It is four times 1/3 times what is left to others; it leaves one half.
    assert weights["ab"] == pytest.approx(log(4) + log(1 / 2))
    # 2/3, then (1 + 2/3) / 2 = 5/6, then (1 + 5/6) / 2 = 11/12; the word itself as often as it was not seen.
    lm = 2 / 3 * 5 / 6 * 11 / 12
    assert weights[" ab "] == pytest.approx(log(1 + 6 / 5) + log(1 + 1 / lm))
    assert scorer(made)("ab") == pytest.approx(log((1 + lm) / 2))


@given(WORDS, st.text("abc", min_size=1, max_size=7), st.sampled_from([0.0, 0.7, 3.0, 30.0]))
def test_weights_add_up_to_the_probability_of_the_definition(words: dict[str, int], word: str, least: float) -> None:
    made = witten_bell.estimate_char_lms([words, {"abc": 1}], least_gain=least)
    assert made is not None
    score = scorer(made)
    for own in {*words, word}:
        if set("abc") <= set("".join(words)):
            assert score(own) == pytest.approx(defined(words, own, least), abs=1e-6)


@pytest.mark.parametrize("least", [0.0, 1.0, 3.0, 1e9])
def test_all_words_together_have_the_probability_one_whatever_is_left_out(least: float) -> None:
    made = witten_bell.estimate_char_lms(
        [{"a": 9, "ab": 5, "abab": 3, "b": 1}, {"abbabba": 2, "ba": 4}], least_gain=least
    )
    assert made is not None
    score = scorer(made)
    every = ["".join(letters) for size in range(10) for letters in product("ab", repeat=size)]
    for language in (0, 1):
        # What is missing is that of longer words.
        assert 0.9 < sum(exp(score(word, language)) for word in every) < 1 + 1e-9


def test_what_adds_little_is_left_out() -> None:
    words = {"abcabc": 40, "cab": 1}
    every, some = (witten_bell.estimate_char_lms([words], least_gain=least) for least in (0.0, 4.0))
    assert every is not None
    assert some is not None
    assert set(some.ngrams) < set(every.ngrams)
    assert " abcabc " in some.ngrams
    score = scorer(some)
    assert score("abcabc") > score("cab") > score("bbc")
    assert some.worth[some.ngrams.index(" abcabc ")] > 4


def test_a_language_without_words_and_a_script_with_too_many_letters() -> None:
    made = witten_bell.estimate_char_lms([{}, {"ab": 1}], least_gain=0)
    assert made is not None
    assert exp(scorer(made)("ab")) == pytest.approx((1 / 3) ** 3)
    assert witten_bell.estimate_char_lms([{chr(0x4E00 + i): 1 for i in range(5_000)}], least_gain=0) is None
    assert witten_bell.estimate_char_lms([{}], least_gain=0) is None


@pytest.fixture(scope="module")
def tiny(tiny_model: Model) -> Discriminative:
    return Discriminative(tiny_model, "", "tiny")


def test_a_word_of_both_languages_goes_where_it_is_likelier(tiny: Discriminative) -> None:
    """`that` is no German word, nor are its n-grams; `das` is no English one."""
    probabilities = tiny.probabilities(["that", "das"])
    assert [tiny.labels[best] for best in probabilities.argmax(axis=1).tolist()] == ["eng", "deu"]


def test_the_kernel_adds_the_values_of_each_script(tiny: Discriminative, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "share_with_hosts", lambda *_: None)  # which comes afterwards
    monkeypatch.setattr(doubt, "COEFFICIENTS", np.array([-50, *[0] * 7], np.float32))  # and nothing is unknown
    monkeypatch.setattr(doubt, "FEWEST_LETTERS", 1 << 40)  # nor asked for its words
    texts = ["the dog", "wo", "sie denken", "το σπίτι", "the", "the cat sat on the mat and there it is", ""]
    probabilities = tiny.probabilities(texts)
    for rows, columns, scores, letters in tiny.measure(texts):
        if columns != slice(None):
            expected = calibration.compute_probabilities(scores, has_letters=letters > 0, outliers=0.008)
            assert probabilities[rows][:, columns] == pytest.approx(expected, abs=1e-5)


def test_one_label_is_asked_every_fourth_ngram_which_count_four_times(tiny: Discriminative, tiny_model: Model) -> None:
    lm = tiny.parts.char_lm
    assert lm is not None
    letters = tiny.parts.sum_weights(["the dog and"]).letters
    label = tiny.labels.index("eng")
    [found] = lm.estimate_likelihood(letters, np.array([label])).tolist()
    written = "the dog and the "  # n-grams wrap round
    grams = [written[begin : begin + size] for begin in (0, 4, 8) for size in range(1, 6)]
    number = {
        key: row for row, key in enumerate(np.cumsum(tiny_model.arrays["spelling_keys"], dtype=np.uint32).tolist())
    }
    rows = [number[key] for key in compute_keys(grams).tolist() if key in number]
    each = [lm.weights.sum_label(np.array([row], np.int32), np.array([0, 1]), np.array([label])).item() for row in rows]
    assert len(rows) > 4
    assert found == pytest.approx(4 * lm.step * sum(each) + 12 * lm.letter[label], abs=1e-3)


def test_long_texts_are_not_looked_at(tiny: Discriminative) -> None:
    lm = tiny.parts.char_lm
    assert lm is not None
    found = tiny.parts.sum_weights(["the dog", "the weather is good, and this is the house"])
    letters = found.letters
    assert found.lm is not None
    assert found.lm.word_counts.tolist() == [2, 0]
    assert letters.lengths[1] > len(lm.gain)
    script = int(tiny.parts.script[letters.scripts[0]])
    added = lm.scores(found.lm, script, np.arange(2), letters.lengths)
    assert (added[0] != 0).all()
    assert (added[1] == 0).all()


def test_a_model_without_it(corpus_folder: Path) -> None:
    plain = train(corpus_folder, method="nfc", **SMALL, lm_gain=(0.0,) * len(calibration.KNOTS))
    assert not [name for name in plain.arrays if name.startswith(char_lm.PREFIX)]
    assert Discriminative(plain, "", "plain").probabilities(["the dog"])[0].argmax() == plain.labels.index("eng")


def test_keys_come_back() -> None:
    keys = np.array([5, 900, 4_000_000_000, 3, 7], dtype=np.uint32)
    assert np.cumsum(char_lm.pack(keys), dtype=np.uint32).tolist() == keys.tolist()


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("keys", np.zeros_like, "damaged"),
        ("keys", lambda own: own[:-1], "do not fit"),
        ("keys", lambda own: own.astype(np.float32), "type and shape"),
        ("gain", lambda own: own * 0, "no weight at any length"),
        ("gain", lambda own: own - 1, "no weight at any length"),
        ("gain", lambda own: own + 1, "too long to sum weights"),
        ("letter", lambda own: own + np.inf, "NaN or infinity"),
        ("word", lambda own: own + 1e9, "greater values"),
        ("text", lambda own: own[1:], "type and shape"),
        ("step", lambda own: own * np.nan, "NaN or infinity"),
        ("values", lambda own: own[1:], "do not fit"),
        ("keys", lambda own: own.astype(np.uint64), "type and shape"),
        ("keys", lambda own: np.zeros(5 << 20, own.dtype), "as many n-grams as slots"),
        ("gaps", lambda own: own.astype(np.uint16) + 256, "type and shape"),
        ("values", lambda own: own.astype(np.int16), "type and shape"),
        ("features", lambda own: own[::-1].copy(), "do not fit"),
        ("features", lambda own: np.full_like(own, 2**31 - 1), "do not fit"),
        ("features", lambda own: own + np.array([[0, 1], [0, 0]], own.dtype), "do not fit its n-grams"),
        ("bits", lambda _: 25, "bits"),
        ("bits", lambda _: 3, "damaged"),
    ],
)
def test_hostile_models_are_refused(tiny_model: Model, name: str, change: Any, message: str) -> None:
    arrays, parameters = dict(tiny_model.arrays), dict(tiny_model.parameters)
    where: dict[str, Any] = parameters if name == "bits" else arrays
    where[char_lm.PREFIX + name] = change(where[char_lm.PREFIX + name])
    with pytest.raises(ModelError, match=message):
        Discriminative(Model("nfc", tiny_model.labels, parameters, arrays), "", "hostile")


@pytest.mark.parametrize("name", ["keys", "features", "gaps", "values", "step", "gain", "letter", "word", "text"])
def test_models_that_lack_a_part_of_it_are_refused(tiny_model: Model, name: str) -> None:
    arrays = {own: array for own, array in tiny_model.arrays.items() if own != char_lm.PREFIX + name}
    with pytest.raises(ModelError, match=r"hostile: the array 'spelling_.*' is missing"):
        Discriminative(Model("nfc", tiny_model.labels, tiny_model.parameters, arrays), "", "hostile")


def test_a_model_whose_texts_do_not_end_with_a_space_has_none(tiny_model: Model) -> None:
    with pytest.raises(ModelError, match="needs a space"):
        Discriminative(
            Model("nfc", tiny_model.labels, {**tiny_model.parameters, "closed": False}, tiny_model.arrays), "", ""
        )


def test_nothing_is_said_of_scripts_whose_words_are_not_parted() -> None:
    texts = [{"": ["这是中文"] * 9}, {"": ["これは日本語"]}, {"": ["the dog"] * 9}, {"": ["das haus"]}]
    scripts = [(registry.number("EAST ASIA"), np.array([0, 1])), (registry.number("LATIN"), np.array([2, 3]))]
    arrays, _ = witten_bell.fit_char_lms(texts, scripts, TrainingOptions(lm_least=0.0))
    assert arrays["spelling_features"][0].tolist() == [0, 0]
    assert arrays["spelling_text"].tolist() == [0, 0, 0, pytest.approx(4 * log(8 / 63))]
