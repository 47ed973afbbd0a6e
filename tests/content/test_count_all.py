"""Counting all n-grams, the table of keys, and rows of bytes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.content.ngrams import bytes_input
from graphlang.content.ngrams.count_all import MAX_ROWS, KeyTable, compute_tally_keys, decode_ngrams, tally
from graphlang.content.text.normalise import Letters, normalise


def grams_of(text: str, order: int) -> list[tuple[str, int]]:
    letters = normalise([text], limit=100, margin=4, closed=False)
    counted = tally(letters, [order])
    chosen, _ = counted.rank_ngrams(100)
    grams = decode_ngrams(letters, counted.place[chosen], counted.order[chosen])
    return list(zip(grams, counted.count[chosen].tolist(), strict=True))


def test_the_paper_lists_eight_trigrams_of_nine() -> None:
    # Hayati 2004, section 3.1: "there are always as many n-grams as characters in the text".
    given_there = ["the", "he ", "e q", "qui", "uic", "ick", "ckt", "kth"]
    assert [gram for gram, _ in grams_of("the quick", 3)] == [*given_there[:3], " qu", *given_there[3:]]


def test_ties_go_to_the_shorter_and_then_to_the_earlier() -> None:
    letters = normalise(["abab"], limit=100, margin=4, closed=False)
    counted = tally(letters, (1, 2, 3))
    chosen, rank = counted.rank_ngrams(4)
    assert decode_ngrams(letters, counted.place[chosen], counted.order[chosen]) == ["a", "b", "ab", "ba"]
    assert rank.tolist() == [1, 2, 3, 4]
    assert counted.count.tolist() == [2] * 6
    assert counted.totals.tolist() == [12]


def test_words_only() -> None:
    read = bytes_input.make_rows([b"ab c"], limit=100)
    counted = tally(read, (1, 2, 3), within_words=True)
    found = decode_ngrams(read, counted.place, counted.order)
    assert sorted(found) == sorted([" ", "a", "b", "c", " a", "ab", "b ", " c", "c ", " ab", "ab ", " c "])


def naive(data: bytes, order: int) -> Counter[bytes]:
    return Counter(data[i : i + order] for i in range(len(data) - order + 1))


@given(st.lists(st.binary(max_size=30), min_size=1, max_size=6), st.integers(1, 5))
def test_counts_are_those_of_a_loop(data: list[bytes], order: int) -> None:
    read = bytes_input.make_rows(data, limit=100)
    counted = tally(read, [order])
    grams = decode_ngrams(read, counted.place, counted.order)
    for row in range(len(data)):
        start, size = int(read.starts[row]), int(read.lengths[row])
        own = bytes(read.symbols[start : start + size].astype(np.uint8))
        mine = {
            gram.encode("latin-1"): count
            for gram, count, where in zip(grams, counted.count.tolist(), counted.row.tolist(), strict=True)
            if where == row
        }
        assert mine == dict(naive(own, order))
        assert counted.totals[row] == max(0, len(own) - order + 1)


@given(st.lists(st.binary(max_size=30), max_size=6), st.booleans())
def test_rows_of_bytes_are_folded(data: list[bytes], edges: bool) -> None:
    read = bytes_input.make_rows(data, limit=100, edges=edges)
    for item, start, size in zip(data, read.starts.tolist(), read.lengths.tolist(), strict=True):
        own = bytes(read.symbols[start : start + size].astype(np.uint8))
        words = b" ".join(part for part in item.translate(bytes.maketrans(b"\t\n\v\f\r", b"     ")).split(b" ") if part)
        assert own == (b" " + words + b" " if edges and words else words)


def test_digits_can_part_words() -> None:
    read = bytes_input.make_rows([b"ab12cd"], limit=100, blank=bytes_input.WHITE + bytes_input.DIGITS)
    assert bytes(read.symbols.astype(np.uint8)) == b" ab cd "


def test_sampling_is_even_and_bounded() -> None:
    assert bytes_input.sample(b"x" * 10**6, 400) == b" ".join([b"x" * 100] * 4)
    assert bytes_input.sample(b"short", 5) == b"short"


def test_letters_in_bytes() -> None:
    assert bytes_input.has_letters([b"", b"12 - !", b"a", b"\xe3"]).tolist() == [False, False, True, True]


@given(st.lists(st.integers(0, 2**48 - 1), unique=True, max_size=300), st.lists(st.integers(0, 2**48 - 1), max_size=50))
def test_every_key_is_found_and_no_other(keys: list[int], others: list[int]) -> None:
    table = KeyTable(np.array(keys, dtype=np.uint64))
    assert table.find(np.array(keys, dtype=np.uint64)).tolist() == list(range(len(keys)))
    strange = [key for key in others if key not in keys]
    assert table.find(np.array(strange, dtype=np.uint64)).tolist() == [-1] * len(strange)


def test_keys_that_crowd_one_place_are_all_found() -> None:
    # Keys that differ in the lowest bits of the slot's hash only by chance: a thousand of them fill runs of slots.
    keys = np.arange(1_000, dtype=np.uint64) << np.uint64(37)
    assert KeyTable(keys).find(keys).tolist() == list(range(1_000))
    with pytest.raises(ValueError, match="twice"):
        KeyTable(np.array([1, 1], dtype=np.uint64))


def test_keys_of_strings_are_those_of_texts() -> None:
    read = bytes_input.make_rows([b"abc"], limit=9, edges=False)
    assert compute_tally_keys(["abc", "b"])[0] == tally(read, [3]).key[0]
    assert compute_tally_keys(["b"])[0] in tally(read, [1]).key


def test_too_many_rows() -> None:
    many = np.zeros(MAX_ROWS + 1, dtype=np.int64)
    with pytest.raises(ValueError, match="rows"):
        tally(Letters(np.zeros(0, np.uint32), many, many, 0), [1])
