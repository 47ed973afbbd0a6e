"""The counting core against a loop over the text."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content.ngrams.keys import compute_keys, find_words
from graphlang.content.ngrams.vocabulary import Vocabulary, choose_bits, find_admissible
from graphlang.content.text.normalise import cut_blocks, normalise

WORDS = st.text("abcé жल्", max_size=20)


def test_the_papers_example_wraps_round() -> None:
    trigrams = ["the", "he ", "e q", " qu", "qui", "uic", "ick", "ckt", "kth"]  # the paper's list forgets " qu"
    vocabulary = Vocabulary([*trigrams, "khe"])
    counts = vocabulary.count(normalise(["the quick"], limit=100, margin=2, closed=False)).toarray()
    assert counts.tolist() == [[1] * 9 + [0]]


@given(st.lists(WORDS, max_size=6), st.integers(1, 5))
def test_counts_are_those_of_a_loop(texts: list[str], order: int) -> None:
    def loop(text: str) -> Counter[str]:
        normal = "".join(word + " " for word in text.split())
        return Counter((normal * 6)[i : i + order] for i in range(len(normal)))

    expected = [loop(text) for text in texts]
    grams = sorted(set().union(*expected)) or ["a" * order]
    grams = [grams[i] for i in find_admissible(grams, bits=choose_bits(len(grams))).tolist()]
    letters = normalise(texts, limit=100, margin=order - 1)
    counts = Vocabulary(grams).count(letters).toarray()
    assert counts.tolist() == [[counter[gram] for gram in grams] for counter in expected]


def test_orders_are_counted_together_and_unknown_ngrams_not_at_all() -> None:
    vocabulary = Vocabulary(["a", "ab", "b a"])
    counts = vocabulary.count(normalise(["ab ab", "zzz", ""], limit=100, margin=2)).toarray()
    assert counts.tolist() == [[2, 2, 2], [0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("step", [1, 2, 4, 8, 16, 32, 64, 128])
@pytest.mark.parametrize("number", [1, 8, 19, 25, 60])
def test_words_are_all_found_however_few_ngrams_are(step: int, number: int) -> None:
    """Rows of words of four letters: no others have as many in a row, and of n-grams a row asks for one or two."""
    vocabulary = Vocabulary(["a", " abcd "])
    letters = normalise([" ".join(["abcd"] * number)] * 70, limit=1000, margin=1, closed=False)
    [row] = {
        tuple(letters.symbols[at : at + size].tolist())
        for at, size in zip(letters.starts, letters.lengths, strict=True)
    }
    at_steps = sum(row[at] == ord("a") for at in range(0, len(row), step))
    found, offsets = vocabulary.find(letters, step=step)
    assert np.diff(offsets).tolist() == [at_steps + number] * 70
    assert np.bincount(found, minlength=2).tolist() == [70 * at_steps, 70 * number]


def test_of_two_ngrams_that_want_one_slot_the_first_stays() -> None:
    grams = [chr(0x4E00 + i) for i in range(200)]
    kept = find_admissible(grams, bits=6)
    assert len(kept) <= 64
    assert kept[0] == 0
    Vocabulary([grams[i] for i in kept.tolist()], bits=6)
    with pytest.raises(ValueError, match="slot"):
        Vocabulary(grams, bits=6)


@given(st.lists(st.text("abcжल", min_size=1, max_size=3), unique=True, max_size=9), st.integers(1, 8))
def test_a_table_of_any_size_is_made_again_of_its_parts(grams: list[str], bits: int) -> None:
    grams = [grams[i] for i in find_admissible(grams, bits=bits).tolist()][: (1 << bits) - 1]
    made = Vocabulary(grams, bits=bits)
    assert sum(int(word).bit_count() for word in made.marks) == len(made.entries) == len(grams)
    again = Vocabulary.from_parts(np.frombuffer(made.lines, np.uint8), made.sizes, made.marks, made.entries, bits=bits)
    letters = normalise([*grams, "cба", "".join(grams)], limit=100, margin=2)
    assert again.ngrams == made.ngrams
    assert (again.count(letters) != made.count(letters)).nnz == 0
    with pytest.raises(ValueError, match="not as many entries"):
        Vocabulary.from_parts(made.lines, made.sizes, made.marks, np.append(made.entries, np.uint32(0)), bits=bits)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="do not fit each other"):
        Vocabulary.from_parts(made.lines, made.sizes, np.append(made.marks, np.uint64(0)), made.entries, bits=bits)  # type: ignore[arg-type]


@pytest.mark.parametrize("grams", [["abcdef"], [""], ["ab", ""], ["two words"], [" a b  c "], [" opens"], ["x" * 60]])
def test_what_is_no_ngram_and_no_word_is_refused(grams: list[str]) -> None:
    with pytest.raises(ValueError, match=r"1 to 5|one character at least"):
        Vocabulary(grams)


def test_more_ngrams_than_any_table_has_slots_are_not_looked_at() -> None:
    with pytest.raises(ValueError, match="at most 16,777,216"):
        Vocabulary(b"a\n" * (1 << 24) + b"a")
    with pytest.raises(ValueError, match="at most 1 are possible"):
        compute_keys(["a\nb"])
    with pytest.raises(ValueError, match="one character at least"):
        compute_keys([""])


@given(st.lists(st.text("abжल", min_size=4, max_size=12), min_size=1, max_size=8), st.integers(1, 4))
def test_words_are_found_wherever_they_stand(words: list[str], margin: int) -> None:
    distinct = list(dict.fromkeys(words))
    vocabulary = Vocabulary([f" {word} " for word in distinct])
    texts = ["", " ".join(words), *words, f"x{words[0]} {words[0]}x", "42"]
    counts = vocabulary.count(normalise(texts, limit=1000, margin=margin)).toarray()
    assert counts.tolist() == [[text.split().count(word) for word in distinct] for text in texts]


@given(st.lists(st.text("abж ", max_size=12), max_size=6), st.integers(0, 4), st.booleans())
def test_words_begin_and_end_where_they_do_in_each_text(texts: list[str], margin: int, closed: bool) -> None:
    letters = normalise(texts, limit=1000, margin=margin, closed=closed)
    begins, ends = find_words(letters)
    found = ["".join(map(chr, letters.symbols[i:j].tolist())) for i, j in zip(begins, ends, strict=True)]
    assert found == [word for text in texts for word in text.split()]


def test_words_and_ngrams_side_by_side() -> None:
    vocabulary = Vocabulary(["ol", " whole ", " a "])
    counts = vocabulary.count(normalise(["a whole whole a", "wholes"], limit=100, margin=2)).toarray()
    assert counts.tolist() == [[2, 2, 2], [1, 0, 0]]


def test_blocks_cover_everything_once() -> None:
    texts = ["x" * n for n in (0, 5, 100, 3, 3, 3)]
    runs = cut_blocks(texts, limit=50, characters=40)
    assert [i for a, b in runs for i in range(a, b)] == list(range(6))
    assert cut_blocks([], limit=5) == []


def test_a_character_beyond_the_basic_plane_is_one_symbol() -> None:
    counts = Vocabulary(["𞤀"]).count(normalise(["𞤀𞤀"], limit=9, margin=0)).toarray()
    assert counts.tolist() in ([[2]], [[0]])  # Adlam capitals become small letters
    small = Vocabulary(["𞤀".lower()]).count(normalise(["𞤀𞤀"], limit=9, margin=0)).toarray()
    assert small.tolist() == [[2]]
    assert np.asarray(counts).sum() == 0
