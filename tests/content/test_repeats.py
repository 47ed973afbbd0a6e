"""A few words said again and again are read once: repetition is no evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content.discriminative.model import Discriminative
from graphlang.content.text import repeats
from graphlang.content.text.normalise import Characters, characters
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


def expected(words: list[str]) -> bool:
    """Whether the first word is one of the next two; what follows a word that is too long does not count."""
    some = words[:3]
    long = [len(word) > 24 for word in some]
    some = some[: long.index(True)] if any(long) else some
    return some[:1] != [] and some[0].lower() in [word.lower() for word in some[1:]]


@given(every=st.lists(WORDS, max_size=5), gap=GAPS, edges=st.booleans())
def test_suspects_are_those_of_the_definition(every: list[list[str]], gap: str, edges: bool) -> None:
    texts = [gap.join(words) for words in every]
    if edges:
        texts = [f"{gap}{text}{gap}" for text in texts]
    found = repeats.suspects(characters(texts)).tolist()
    assert found == [row for row, words in enumerate(every) if expected(words)]


@given(words=WORDS, times=st.integers(3, 5), gap=GAPS)
def test_what_is_said_three_times_is_read_once(words: list[str], times: int, gap: str) -> None:
    some = list(dict.fromkeys(word.lower() for word in words))
    assert repeats.once(gap.join(words * times)) == " ".join(some)
    assert repeats.once(gap.join(some)) is None


def test_texts_outside_their_batch_are_refused() -> None:
    outside = Characters(np.zeros(3, dtype=np.uint32), np.array([1]), np.array([4]))
    with pytest.raises(KernelError, match="ends"):
        repeats.suspects(outside)
