"""Short texts: a few words repeated again and again are read once, because repetition is no evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.content.nfc import short_texts
from graphlang.content.nfc.model import Discriminative
from graphlang.content.text.normalise import Characters, join_texts
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from graphlang.modelfile import Model


@pytest.mark.parametrize("text", ["the the the", "The, the... the! THE", "the " * 200, "the\n" * 30 + "the"])
def test_a_word_is_no_surer_for_being_said_again(tiny_model: Model, text: str) -> None:
    identifier = Discriminative(tiny_model, "", "")
    once, again = identifier.probabilities(["the", text])
    assert once.max() > 0
    assert again.tolist() == once.tolist()


def test_several_words_said_again_are_read_once_each_and_the_texts_beside_them_as_before(tiny_model: Model) -> None:
    identifier = Discriminative(tiny_model, "", "")
    texts = ["das haus das haus das haus", "where is the dog", "das haus", "the the the", "the"]
    every = identifier.probabilities(texts)
    assert every[0].tolist() == every[2].tolist()
    assert every[3].tolist() == every[4].tolist()
    assert every[1].tolist() == identifier.probabilities(texts[1:2])[0].tolist()


def test_words_said_twice_are_left_as_they_are(tiny_model: Model) -> None:
    identifier = Discriminative(tiny_model, "", "")
    once, twice = identifier.probabilities(["the", "the the"])
    assert twice.tolist() != once.tolist()


WORDS = st.lists(st.sampled_from(["ok", "OK", "no", "né", "NÉ", "да", "x" * 24, "y" * 25]), min_size=1, max_size=7)
GAPS = st.sampled_from([" ", ", ", "...", "\n", "\xa0", "-"])


def expected(words: list[str], after: list[str]) -> bool:
    """Whether the first word is one of the next two, and each word in ASCII may stand there three times on average.

    What follows a word that is too long does not count among the first, nor does what is in another window.
    """
    some = words[:3]
    long = [len(word) > 24 for word in some]
    some = some[: long.index(True)] if any(long) else some
    recurs = some[:1] != [] and some[0].lower() in [word.lower() for word in some[1:]]
    every = words + after
    return recurs and len(every) >= 3 * len({word.lower() for word in every if word.isascii()})


@settings(max_examples=40)
@given(every=st.lists(st.tuples(WORDS, WORDS), max_size=5), gap=GAPS, edges=st.booleans(), windows=st.booleans())
def test_suspects_are_those_of_the_definition(
    every: list[tuple[list[str], list[str]]], gap: str, edges: bool, windows: bool
) -> None:
    texts = [gap.join(words) for pair in every for words in pair]
    if edges:
        texts = [f"{gap}{text}{gap}" for text in texts]
    found = short_texts.find_repetitive(
        join_texts(texts), np.arange(0, len(texts) + 1, 2) if windows else None
    ).tolist()
    pairs = every if windows else [(words, []) for pair in every for words in pair]
    assert found == [row for row, (words, after) in enumerate(pairs) if expected(words, after)]


@given(words=st.lists(WORDS, min_size=1, max_size=4), gap=GAPS)
def test_whatever_is_read_once_is_a_suspect_if_its_first_word_comes_again(words: list[list[str]], gap: str) -> None:
    every = [word for some in words for word in some]
    texts = join_texts([gap.join([every[0], *every])])
    if len(every[0]) <= 24 and short_texts.drop_repetitions(gap.join([every[0], *every])) is not None:
        assert short_texts.find_repetitive(texts).tolist() == [0]


def test_many_different_words_are_none_to_be_read_once() -> None:
    text = "a a " + " ".join(f"word{number}" for number in range(100))
    assert short_texts.find_repetitive(join_texts([text, "a a " + "b c d " * 1000])).tolist() == [1]


@given(words=WORDS, times=st.integers(3, 5), gap=GAPS)
def test_what_is_said_three_times_is_read_once(words: list[str], times: int, gap: str) -> None:
    some = list(dict.fromkeys(word.lower() for word in words))
    assert short_texts.drop_repetitions(gap.join(words * times)) == " ".join(some)
    assert short_texts.drop_repetitions(gap.join(some)) is None


def test_texts_outside_their_batch_are_refused() -> None:
    outside = Characters(np.zeros(3, dtype=np.uint32), np.array([1]), np.array([4]))
    with pytest.raises(KernelError, match="ends"):
        short_texts.find_repetitive(outside)
