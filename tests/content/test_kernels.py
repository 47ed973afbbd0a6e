"""The kernels in C against the same thing written plainly, for one text, a character at a time."""

from __future__ import annotations

import gc
import math
import re
import threading
import unicodedata
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from graphlang.content import calibration
from graphlang.content import registry as methods
from graphlang.content import score_lists as top_k
from graphlang.content.nfc.sparse_weights import ScriptWeights, unpack
from graphlang.content.nfc.weight_codec import squeeze
from graphlang.content.ngrams.keys import compute_keys
from graphlang.content.ngrams.vocabulary import Vocabulary, choose_bits, find_admissible
from graphlang.content.text import windows
from graphlang.content.text.normalise import Letters, count_normalised, fold, join_texts, normalise
from graphlang.content.text.scripts import EAST_ASIA, LATIN, SHARE, registry
from graphlang.modelfile import Model
from graphlang.native.kernels import KernelError
from graphlang.papers.byte_profiles import ByteProfile, ProfileIndex, unpack_keys

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from numpy.typing import NDArray

MASK = 0xFFFFFFFF
#: What joins the character before it: marks, Arabic hamza and madda, vowels and finals of Hangul, marks of kana.
COMPOSES = re.compile("[\u0300-\u036f\u0653-\u0655\u1161-\u1175\u11a8-\u11c2\u3099\u309a]")
#: Names of letters in other shapes, without the letter.
SHAPES = {
    "LATIN LETTER SMALL CAPITAL",
    *(f"{shape} LATIN CAPITAL LETTER" for shape in ("CIRCLED", "NEGATIVE CIRCLED", "SQUARED", "NEGATIVE SQUARED")),
    *("CIRCLED LATIN SMALL LETTER", "PARENTHESIZED LATIN SMALL LETTER", "PARENTHESIZED LATIN CAPITAL LETTER"),
}


def letter(character: str) -> str:
    """What becomes of one character: a small letter, a space, or nothing."""
    category = unicodedata.category(character)
    if category == "Cf":
        return ""
    *shape, last = unicodedata.name(character, "?").split()
    if category in {"So", "Ll"} and " ".join(shape) in SHAPES and len(last) == 1:
        return last.lower()
    if category[0] not in "LM":
        return " "
    plain = unicodedata.normalize("NFKC", character)
    return (plain if len(plain) == 1 else character).lower()[0]


def letters(text: str) -> str:
    if COMPOSES.search(text):
        text = unicodedata.normalize("NFC", text)
    return "".join(map(letter, text))


def script_of(letters_: str) -> int:
    """The rule of `scripts`, in words there."""
    others: Counter[int] = Counter()
    latin = 0
    for c in letters_:
        if c == " ":
            continue
        own = registry.script(ord(c))
        if c < "\u0370" or own == LATIN:
            latin += 1
        elif own:
            others[own] += 1
    weighed = {own: count * (3 if registry.name(own) == EAST_ASIA else 1) for own, count in others.items()}
    if not weighed:
        return LATIN
    best = min(weighed, key=lambda own: (-weighed[own], own))
    weight = sum(weighed.values())
    wins = others[best] >= 2 and weight >= SHARE * (weight + latin)
    return best if wins or not latin else LATIN


def of_script(letters_: str, script: int) -> str:
    def stays(c: str) -> bool:
        if "\u0300" <= c < "\u0370":
            return True
        own = LATIN if c < "\u0300" else registry.script(ord(c))
        return own in {0, script}

    return "".join(c if c == " " or stays(c) else " " for c in letters_)


def spaced(letters_: str, *, closed: bool) -> str:
    return "".join(f"{word} " for word in letters_.split(" ") if word)[: None if closed else -1]


def mix(key: int) -> int:
    key = key * 0x85EBCA6B & MASK
    key ^= key >> 15
    return key * 0x9E3779B1 & MASK


def key_of(gram: str) -> int:
    """Of an n-gram of up to five characters; of a longer word, with the spaces around it."""
    if len(gram) <= 5:
        key = 1
        for c in gram:
            key = (key + ord(c)) * 0x9E3779B1 & MASK
        return key
    total = 0
    for place, c in enumerate(gram[1:-1]):
        mixed = ord(c) * 0x85EBCA6B & MASK
        mixed ^= mixed >> 15
        total += (mixed + 1) * pow(0x9E3779B1, place, 1 << 32)
    total &= MASK
    total ^= total >> 16
    return total * 0x85EBCA6B & MASK


def features(text: str, vocabulary: list[str]) -> list[int]:
    """Features of a normalised text, in the order in which they begin."""
    number = {mix(key_of(gram)): index for index, gram in enumerate(vocabulary)}
    orders = sorted({len(gram) for gram in vocabulary if len(gram) <= 5})
    has_words = any(len(gram) > 5 for gram in vocabulary)
    found = []
    for place in range(len(text)):
        round_and_round = text[place:] + text * 6
        grams = [round_and_round[:order] for order in orders]
        if has_words and text[place] != " " and (place == 0 or text[place - 1] == " "):
            word = text[place:].partition(" ")[0]
            grams += [f" {word} "] * (len(word) > 3)
        found += [number[key] for gram in grams if (key := mix(key_of(gram))) in number]
    return found


# Letters of many scripts beside each other, marks, capitals, characters that vanish, and what Python calls text.
ANY = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("aAbé  ñÑßİıǅﬁＡ1_😀\u0300\u0301\u00ad\u200d\ud800\udfffжЖяβΩאبश्ท中の한𞤀\U0010ffff\x00\n"),
    ),
    max_size=60,
)


@given(st.lists(ANY, max_size=6), st.integers(0, 4), st.booleans(), st.booleans())
def test_letters_are_those_of_the_definition(texts: list[str], margin: int, closed: bool, one_script: bool) -> None:
    made = normalise(texts, limit=1000, margin=margin, closed=closed, one_script=one_script)
    for row, text in enumerate(texts):
        expected = letters(text)
        if one_script:
            script = script_of(expected)
            assert made.scripts[row] == script
            expected = of_script(expected, script)
        expected = spaced(expected, closed=closed)
        start, length = int(made.starts[row]), int(made.lengths[row])
        assert length == len(expected)
        wrapped = (expected * 6)[: length + margin] if expected else " " * margin
        assert "".join(map(chr, made.symbols[start : start + length + margin].tolist())) == wrapped


@given(st.lists(ANY, max_size=6))
@example(["plain words, of \u00ad and\u00ad more, d\u00e9j\u00e0 vu"])
def test_lengths_are_those_of_the_definition(texts: list[str]) -> None:
    texts = [*texts, *((text * 40)[:1000] for text in texts)]  # plain text is counted 32 characters at a time
    found = count_normalised(texts, limit=1000).tolist()
    assert found == [len(spaced(letters(text), closed=True).removesuffix(" ")) for text in texts]


GRAMS = st.text("ab жल", max_size=40)


@given(
    st.lists(GRAMS, max_size=6),
    st.sets(st.text("ab жल", min_size=1, max_size=5), max_size=30),
    st.sets(st.text("abжल", min_size=4, max_size=9), max_size=5),
    st.booleans(),
)
def test_features_are_those_of_a_loop(texts: list[str], grams: set[str], words: set[str], closed: bool) -> None:
    every = sorted(grams | {f" {word} " for word in words})
    every = [every[i] for i in find_admissible(every, bits=choose_bits(len(every))).tolist()]
    vocabulary = Vocabulary(every)
    made = normalise(texts, limit=1000, margin=4, closed=closed)
    found, offsets = vocabulary.find(made)
    for row, text in enumerate(texts):
        expected = features(spaced(letters(text), closed=closed), every)
        assert found[offsets[row] : offsets[row + 1]].tolist() == expected


@given(
    st.lists(st.text("abжल", min_size=4, max_size=38).map(" {} ".format), max_size=5),
    st.lists(st.text(min_size=1, max_size=5)),
)
def test_keys_are_those_of_the_definition(words: list[str], grams: list[str]) -> None:
    grams = [gram for gram in grams if "\n" not in gram]
    assert compute_keys([*words, *grams]).tolist() == [key_of(gram) for gram in [*words, *grams]]


def test_a_huge_text_is_counted_in_the_room_of_its_limit() -> None:
    text = "x" * 100_000_000
    made = normalise([text, "x"], limit=240, margin=3, one_script=True)
    assert made.lengths.tolist() == [244, 2]
    assert len(made.symbols) == 252
    assert windows.cut([text], 4, 42)[0].texts() == ["x" * 42]


def test_more_features_than_the_kernel_looks_up_at_once() -> None:
    found, offsets = Vocabulary(["a", "aa", "aaa"]).find(normalise(["a" * 9_999], limit=10**6, margin=2))
    assert offsets.tolist() == [0, 9_999 * 3 - 3]  # a letter before the space has no pair, nor two letters a triple
    assert np.bincount(found).tolist() == [9_999, 9_998, 9_997]


@pytest.mark.parametrize("longest", [1, 40, 127, 128, 129, 700])
def test_features_of_many_and_of_long_texts_are_those_of_a_loop(longest: int) -> None:
    """Texts are looked up some together, and long ones in parts; a word may begin in one part and end in the next."""
    random = np.random.default_rng(longest)
    words = ["".join(random.choice(list("abж"), size=n)) for n in (1, 2, 4, 5, 7, 12, 33)]
    every = sorted({*"abж", "ab", "ba ", "жabж", "abжab", *(f" {word} " for word in words if len(word) > 3)})
    vocabulary = Vocabulary(every)
    texts = [" ".join(random.choice(words, size=longest))[: random.integers(longest + 1)] for _ in range(80)]
    found, offsets = vocabulary.find(normalise(texts, limit=1000, margin=4))
    for row, text in enumerate(texts):
        expected = features(spaced(text, closed=True), every)
        assert found[offsets[row] : offsets[row + 1]].tolist() == expected


BEHIND = np.zeros(16, np.int32)


@st.composite
def weights(draw: st.DrawFn) -> tuple[ScriptWeights, list[tuple[int, np.ndarray]], list[list[int]], list[int]]:
    """Weights of scripts as tables and as lists; the same as plain tables; texts as features, and their scripts."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    plain, blocks, tables, starts, rest, first = [], [], [], [], [np.zeros(0, int)], 0
    for _ in range(draw(st.integers(1, 3))):
        common, rare, width = draw(st.integers(0, 7)), draw(st.integers(0, 7)), draw(st.integers(1, 40))
        steps = random.integers(-40, 41, size=(common + rare, width))
        steps[common:][random.random((rare, width)) < 0.7] = 0
        half = -(-width // 16) * 8
        both = np.zeros((common + 1, 2 * half), dtype=np.int64)
        both[:common, :width] = steps[:common]
        table = (both[:, :half] + 40) + 256 * (both[:, half:] + 40)
        row, column = np.nonzero(steps[common:])
        blocks.append((first, common, rare, half, sum(map(len, tables)), sum(map(len, starts))))
        starts.append(np.searchsorted(row, np.arange(rare + 1)) + sum(map(len, rest)))
        rest.append(column * 256 + steps[common:][row, column] % 256)
        tables.append(table.ravel())
        plain.append((first, steps))
        first += common + rare
    texts = draw(st.lists(st.lists(st.integers(0, first + 3), max_size=40), max_size=5))
    scripts = [draw(st.integers(0, len(plain))) for _ in texts]  # also in none of them
    labels = tuple(slice(3, 3 + own.shape[1]) for _, own in plain)
    made = ScriptWeights(
        tuple(map(str, range(len(plain)))),
        labels,
        np.array(blocks, dtype=np.int64),
        np.concatenate(tables).astype(np.uint16),
        np.concatenate(starts).astype(np.int32),
        np.concatenate([*rest, BEHIND]).astype(np.int32),
    )
    return made, plain, texts, scripts


def sums_of(made: ScriptWeights, texts: list[list[int]], scripts: list[int]) -> dict[int, list[int]]:
    """The sums of each text that is in a script."""
    flat = np.array([feature for own in texts for feature in own], dtype=np.int32)
    sums = made.sum_features(flat, np.cumsum([0, *map(len, texts)]), np.array(scripts, dtype=np.uint8))
    found = {}
    for script, rows, own in made.iterate_scripts(sums):
        assert all(scripts[row] == script for row in rows)
        labels = made.labels[script]
        assert not own[:, labels.stop - labels.start :].any()
        found |= dict(zip(rows.tolist(), own[:, : labels.stop - labels.start].tolist(), strict=True))
    return found


@given(weights())
def test_sums_are_those_of_a_loop(
    given_: tuple[ScriptWeights, list[tuple[int, np.ndarray]], list[list[int]], list[int]],
) -> None:
    made, plain, texts, scripts = given_
    expected = {}
    for row, (own, script) in enumerate(zip(texts, scripts, strict=True)):
        if script < len(plain):
            first, steps = plain[script]
            chosen = [steps[f - first] for f in own if 0 <= f - first < len(steps)]
            expected[row] = sum(chosen, np.zeros(steps.shape[1], int)).tolist()
    assert sums_of(made, texts, scripts) == expected


def test_sums_of_more_features_than_the_kernel_asks_for_at_once() -> None:
    """In one text, and in all together; half of them have rows in the table, half have lists."""
    blocks = np.array([[0, 1, 1, 16, 0, 0]], dtype=np.int64)
    table = np.full(32, 40 + 256 * 40, dtype=np.uint16)
    table[:2] += np.array([1, -2], dtype=np.int16).astype(np.uint16)
    rest = np.concatenate([np.array([256 + 3], np.int32), BEHIND])
    made = ScriptWeights(("",), (slice(0, 2),), blocks, table, np.array([0, 1], np.int32), rest)
    texts = [[0, 1] * 600, [0] * 999, [1] * 999, *([[0, 1]] * 300)]
    found = sums_of(made, texts, [0] * len(texts))
    assert [found[row] for row in range(4)] == [[600, 600], [999, -1998], [0, 2997], [1, 1]]
    assert all(found[row] == [1, 1] for row in range(3, 303))


def test_sums_of_lists_longer_than_the_kernel_copies_at_once() -> None:
    lengths = [900, 3, 511, 700]
    rest = np.concatenate([*(np.arange(n, dtype=np.int32) * 256 + 1 for n in lengths), BEHIND])
    starts = np.cumsum([0, *lengths]).astype(np.int32)
    blocks, none = np.array([[0, 0, 4, 456, 0, 0]]), np.full(456, 40 * 257, np.uint16)
    made = ScriptWeights(("",), (slice(0, 900),), blocks, none, starts, rest)
    found = sums_of(made, [[0, 1, 2, 3], [1, 2, 1]], [0, 0])
    assert found[0] == [4] * 3 + [3] * 508 + [2] * 189 + [1] * 200
    assert found[1] == [3] * 3 + [1] * 508 + [0] * 389


ROWS = st.lists(st.lists(st.floats(-200, 200, width=32), min_size=19, max_size=19), min_size=1, max_size=5)


@given(ROWS)
def test_softmax_is_that_of_the_definition(rows: list[list[float]]) -> None:
    has_letters = np.arange(len(rows)) % 2 == 0
    prior = np.linspace(-1, 1, 19).astype(np.float32)
    made = calibration.compute_probabilities(np.array(rows, dtype=np.float32), prior, has_letters)
    for row, own, speaks in zip(rows, made, has_letters, strict=True):
        sums = [np.float32(a) + b for a, b in zip(row, prior, strict=True)]
        probabilities = [math.exp(float(x) - float(max(sums))) for x in sums]
        expected = np.array([x / sum(probabilities) for x in probabilities]) * speaks
        assert own == pytest.approx(expected, rel=2e-5, abs=1e-30)


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), min_size=7, max_size=7), max_size=4),
    st.integers(0, 9),
)
def test_the_best_are_those_of_a_sort(rows: list[list[float]], k: int) -> None:
    probabilities = np.array(rows, dtype=np.float32).reshape(-1, 7)
    index, value = top_k.choose_top(probabilities, k)
    for row, place, best in zip(probabilities.tolist(), index.tolist(), value.tolist(), strict=True):
        order = [i for i in sorted(range(7), key=lambda i: (-row[i], i)) if row[i] > 0][:k]
        assert place == order + [-1] * (k - len(order))
        assert best == [row[i] for i in order] + [0.0] * (k - len(order))


@given(st.integers(0, 2**32), st.integers(1, 20), st.integers(1, 20))
def test_products_are_those_of_whole_matrices(seed: int, profiles_: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(1, 9, size=(profiles_, 30)) * (random.random((profiles_, 30)) < random.random(30))
    values[0, 0] = 1  # one n-gram at least
    grams = [np.flatnonzero(own) for own in values]
    made = [ByteProfile(str(i), "utf-8", own.astype(np.uint32), own.astype(np.uint32)) for i, own in enumerate(grams)]
    index = ProfileIndex(made, 4, [values[i, own].astype(np.float32) for i, own in enumerate(grams)])
    known = np.unique(np.concatenate(grams))
    counts = random.integers(0, 3, size=(rows, len(known)))
    found = index.multiply(sparse.csr_array(counts.astype(np.float32)))
    assert found.tolist() == (counts @ values[:, known].T).tolist()
    assert index.table.find(unpack_keys(known.astype(np.uint32), 4)).tolist() == list(range(len(known)))


def test_arrays_that_do_not_fit_are_refused() -> None:
    made = normalise(["abc def"], limit=99, margin=1)
    with pytest.raises(ValueError, match="2 places"):
        Vocabulary(["abc"]).find(made)
    beyond = Letters(made.symbols, made.starts + 5, made.lengths, 1)
    with pytest.raises(KernelError):
        Vocabulary(["ab"]).find(beyond)
    blocks, some = np.array([[0, 0, 0, 8, 0, 0]]), np.zeros(1, np.uint8)
    block = ScriptWeights(("",), (slice(0, 1),), blocks, np.zeros(8, np.uint16), np.zeros(1, np.int32), BEHIND)
    block.sum_features(np.zeros(3, np.int32), np.array([0, 3]), some)
    with pytest.raises(KernelError):
        block.sum_features(np.zeros(3, np.int32), np.array([0, 4]), some)
    with pytest.raises(KernelError):
        block.sum_features(np.zeros(3, np.int64), np.array([0, 3]), some)  # type: ignore[arg-type]
    for wrong in (
        (0, -1),
        (1, 1),
        (2, 1),
        (3, 4),
        (3, 16),
        (4, 8),
        (5, 1),
    ):  # rows, lists, widths and places that there are not
        damaged = blocks.copy()
        damaged[0, wrong[0]] = wrong[1]
        with pytest.raises(KernelError):
            replace(block, blocks=damaged).sum_features(np.zeros(3, np.int32), np.array([0, 3]), some)
    with pytest.raises(KernelError):
        replace(block, rest=BEHIND[1:]).sum_features(np.zeros(3, np.int32), np.array([0, 3]), some)


TEXT = np.array([1, 2, 3], np.uint32)


def numbers(kind: str, *given_: float) -> NDArray[Any]:
    return np.array(given_, dtype=kind)


def scan(kernels: ModuleType, begin: int, end: int, symbol: int = 1) -> object:
    text = np.array([1, 2, symbol], np.uint32)
    pages = kernels.LETTERS_PAGES
    where = numbers("i8", begin), numbers("i8", end)
    return kernels.letters_scan(text, *where, bytes(pages), bytearray(pages), bytearray(1))


@pytest.mark.parametrize(
    ("kernels", "call", "words"),
    [
        ("letters", lambda k: scan(k, 0, 4), "ends[0] = 4 is outside 0..3"),
        ("letters", lambda k: scan(k, -1, 3), "begins[0] = -1 is outside 0..3"),
        ("letters", lambda k: scan(k, 0, 3, 0x110000), "symbols[2] = 1114112 is outside 0..1114111"),
        (
            "ngrams",
            lambda k: k.ngrams_word_keys(TEXT, numbers("i8", 2), numbers("i8", 1), numbers("u4", 0)),
            "ends[0] = 1 is outside 2..3",
        ),
        (
            "ngrams",
            lambda k: k.ngrams_unpack(
                gaps=numbers("u1", 1),
                values=numbers("i1", 7),
                state=numbers("i8", 0, 2**63 - 1, 0),
                first=0,
                rows=1,
                common=1,
                width=1,
                half=8,
                limit=40,
                table=np.zeros(16, np.uint16),
                starts=numbers("i4", 0),
                rest=numbers("i4", 0),
            ),
            "state[1] = 9223372036854775807 is outside -1..4611686018427387903",
        ),
        (
            "scores",
            lambda k: k.scores_softmax(numbers("f4", 1, 2), None, None, 0.0),
            "scores has shape (2,), expected (rows, width)",
        ),
        (
            "tally",
            lambda k: k.tally_find(
                numbers("u8", 1), numbers("u8", 9, 9, 9), numbers("i4", 0, 0, 0), 9, numbers("i4", 0)
            ),
            "tally_find: sizes of arrays do not fit their content",
        ),
    ],
)
def test_a_kernel_names_what_it_refuses(kernels: str, call: Callable[[ModuleType], object], words: str) -> None:
    with pytest.raises(KernelError) as refused:
        call(import_module(f"graphlang.content.native.{kernels}"))
    assert str(refused.value) == words


@given(st.integers(0, 2**32), st.integers(0, 5), st.integers(1, 20), st.integers(0, 9))
def test_scores_are_those_of_the_definition(seed: int, rows: int, labels: int, behind: int) -> None:
    random = np.random.default_rng(seed)
    sums = random.integers(-999, 999, size=(rows, labels + behind)).astype(np.int16)
    of_rows = {
        name: random.normal(size=rows).astype(np.float32)
        for name in ("scale", "base_scale", "bias_scale", "prior_scale")
    }
    of_labels = {name: random.normal(size=labels).astype(np.float32) for name in ("base", "bias", "prior")}
    a, b, c, d = (own[:, None].astype(float) for own in of_rows.values())
    x, y, z = of_labels.values()
    expected = sums[:, :labels] * a + b * x + c * y + d * z
    assert calibration.compute_linear(sums, **of_rows, **of_labels) == pytest.approx(expected, rel=1e-4, abs=1e-3)


@given(
    st.integers(0, 2**32), st.lists(st.tuples(st.integers(1, 40), st.integers(0, 5), st.integers(0, 300)), min_size=1)
)
def test_weights_come_back_from_a_model_file(seed: int, scripts: list[tuple[int, int, int]]) -> None:
    """Of each script: labels, features in the table, and features as lists; few have any weight."""
    random = np.random.default_rng(seed)
    plain = []
    for labels, common, rare in scripts:
        steps = random.integers(-40, 41, size=(common + rare, labels)) * (random.random((common + rare, labels)) < 0.02)
        plain.append(steps.astype(np.int8))
    gaps, values = squeeze(np.concatenate([own.ravel() for own in plain]))
    made = unpack(
        Model(
            "nfc",
            tuple(f"l{i}" for i in range(sum(own.shape[1] for own in plain))),
            {"scripts": [f"s{i}" for i in range(len(plain))]},
            {
                "script": np.repeat(np.arange(len(plain)), [own.shape[1] for own in plain]).astype(np.uint8),
                "features": np.array([(common, common + rare) for _, common, rare in scripts], dtype=np.int32),
                "gaps": gaps,
                "values": values,
            },
        ),
        sum(len(own) for own in plain),
        "made up",
    )
    first = 0
    for script, own in enumerate(plain):
        texts = [[first + f] for f in range(len(own))]
        found = sums_of(made, texts, [script] * len(texts))
        assert [found[row] for row in range(len(texts))] == own.tolist()
        first += len(own)


def test_lists_of_weights_that_lead_astray_are_refused() -> None:
    """Where a list begins and ends, and which column a weight is of, are looked at where they are used."""
    blocks, none = np.array([[0, 0, 2, 8, 0, 0]]), np.full(8, 40 * 257, np.uint16)
    sound = ScriptWeights(
        ("",), (slice(0, 16),), blocks, none, np.array([0, 1, 2], np.int32), np.append([1, 257], BEHIND)
    )
    sound = replace(sound, rest=sound.rest.astype(np.int32))
    assert sums_of(sound, [[0, 1]], [0])[0][:3] == [1, 1, 0]
    for wrong, words in (
        ([0, -1, 2], r"starts\[1\] = -1 is outside 0..2"),
        ([0, 1, 3], r"starts\[2\] = 3 is outside 1..2"),
        ([-5, 1, 2], r"starts\[0\] = -5 is outside 0..2"),
        ([0, 1 << 30, 2], r"starts\[1\] = 1073741824 is outside 0..2"),
    ):
        with pytest.raises(KernelError, match=words):
            sums_of(replace(sound, starts=np.array(wrong, np.int32)), [[0, 1]], [0])
    for column in (16, 1 << 22, -1):
        rest = sound.rest.copy()
        rest[1] = column * 256 + 1
        with pytest.raises(KernelError, match=rf"rest\[1\] = {rest[1]} is outside 0..4095"):
            sums_of(replace(sound, rest=rest), [[0, 1]], [0])


def test_probabilities_do_not_depend_on_what_other_threads_do_with_memory() -> None:
    """The kernel of the scores was handed the address of an array that had been freed; others wrote there meanwhile."""
    identifier = methods.load("nfc")
    texts = ["the cat is on the mat", "wo ist das haus", "η γάτα", "xyz", ""] * 20
    expected = identifier.probabilities(texts)
    stop = threading.Event()

    def write() -> None:
        sizes = [3 * n for n in range(1, 41)]
        while not stop.is_set():
            _ = [np.full(size, -1, dtype=np.int64) for size in sizes]
            gc.collect(0)

    def ask(_: int) -> bool:
        return all((identifier.probabilities(texts) == expected).all() for _ in range(40))

    with ThreadPoolExecutor(6) as threads:
        writing = [threads.submit(write) for _ in range(2)]
        try:
            assert list(threads.map(ask, range(4))) == [True] * 4
        finally:
            stop.set()
        for one in writing:
            one.result()


def test_what_is_no_code_point_is_refused() -> None:
    given_ = join_texts(["ab"])
    symbols = given_.symbols.copy()
    symbols[1] = 0x110000
    with pytest.raises(KernelError):
        fold(type(given_)(symbols, given_.begins, given_.ends), margin=0, closed=True, one_script=False)
