"""The kernels over texts, for the sanitisers: texts of all kinds, damaged arrays, damaged models."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang import modelfile
from graphlang.content import registry
from graphlang.content import score_lists as top_k
from graphlang.content.nfc import doubt, model
from graphlang.content.nfc.model import Discriminative
from graphlang.content.ngrams import count_all
from graphlang.content.ngrams.vocabulary import Vocabulary
from graphlang.content.segments import decode, spans, units
from graphlang.content.text.normalise import Characters, Letters, count_folded, fold, join_texts, normalise
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]

CODES = (*range(0x20, 0x500), *range(0x900, 0xA00), *range(0x4E00, 0x4F00), 0xD800, 0x200D, 0x1E900, 0x10FFFF)
LETTERS = [*map(chr, CODES), *([" ", "a", "e", "the"] * 200)]
WRONG = (0,) * 40 + (1, -1, 5, 2**62, -(2**62))
REFUSED = (KernelError, ValueError, MemoryError, OverflowError)


def workout(seed: int, tiny: str) -> str:
    chance = random.Random(seed)  # noqa: S311 - the same in every thread
    whole_batches(chance)
    return f"went through {damaged_arrays(chance, tiny)} {damaged_lists(chance)} {damaged_models(seed, tiny)}"


def text(chance: random.Random, most: int) -> str:
    return "".join(chance.choices(LETTERS, k=chance.randrange(most)))


def whole_batches(chance: random.Random) -> None:
    identifier = registry.load("nfc")
    for most in (2, 20, 900):
        top_k.choose_top(identifier.probabilities([text(chance, most) for _ in range(12)]), 20)
    identifier.probabilities(["x" * 100_000, "", "\ud800", "e\u0301" * 9000])
    many = normalise([" ".join(["abcd"] * chance.randrange(30)) for _ in range(70)], limit=1000, margin=0)
    Vocabulary(["a", " abcd "]).find(many, step=chance.choice((1, 8, 64, 128)))
    for method in ("nfc-2004", "byte-trigrams"):
        registry.load(method).probabilities([text(chance, 300) for _ in range(12)])


def damaged_arrays(chance: random.Random, tiny: str) -> bool:
    """Numbers of arrays that say where something stands, some of them wrong."""
    identifier: Any = registry.load(tiny)

    def wild(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return array + np.array([chance.choice(WRONG) for _ in array])

    refused = 0
    for _ in range(80):
        given = join_texts([text(chance, 12) for _ in range(4)])
        try:
            given = Characters(given.symbols, wild(given.begins), wild(given.ends))
            count_folded(given)
            made = fold(given, margin=4, closed=True, one_script=True)
            scripts = identifier.parts.script[made.scripts]
            made = Letters(made.symbols, wild(made.starts), wild(made.lengths), 4)
            features, offsets = identifier.vocabulary.find(made)
            identifier.parts.weights.sum_features(wild(features).astype(np.int32), wild(offsets), scripts)
            identifier.parts.weights.sum_features(
                wild(features).astype(np.int32), offsets, wild(scripts).astype(np.uint8)
            )
            sums = identifier.parts.weights.sum_features(features, offsets, scripts)
            answer = np.zeros((4, len(identifier.labels)), np.float32)
            into = {"to": wild(np.arange(4)), "answer": answer, "outliers": 0.01}
            both = sums, identifier.parts.weights
            identifier.parts.scores.fill_probabilities(*both, lengths=wild(made.lengths), offsets=wild(offsets), **into)
            some = Letters(made.symbols, wild(made.starts), wild(made.lengths), 4)
            known = {"char_lm": identifier.parts.char_lm, "lm_sums": identifier.parts.char_lm.find(some, scripts)}
            identifier.parts.scores.fill_probabilities(
                *both, lengths=wild(made.lengths), offsets=offsets, **into, **known
            )
            count_all.tally(made, (1, 3, 5), within_words=True).rank_ngrams(5)
            model.add_rows(np.zeros((4, 16), np.int16), wild(np.array([0, 3, 1, 2])), wild(np.array([0, 2, 4])))
            likely = np.random.default_rng(chance.randrange(99)).dirichlet(np.full(9, 0.05), 40).astype(np.float32)
            told = decode.compute_support(likely, spans.COSTS)
            few = {"offsets": np.array([0, 30, 40]), "border": np.ones(40, bool), "costs": spans.COSTS, "labels": 9}
            decode.find_paths(told, **few)
            decode.find_paths(told, **{**few, "offsets": wild(few["offsets"])})
            identifier.parts.weights.sum_label(features, wild(offsets), np.zeros(4, np.int64))
            with suppress(*REFUSED):
                strangers(identifier, features, offsets, sums=sums, answer=answer, wild=wild)
            units.count_letters(given)
        except REFUSED:
            refused += 1
    return 0 < refused < 80


def strangers(
    identifier: Any, features: Array, offsets: Array, *, sums: Any, answer: Array, wild: Callable[[Array], Array]
) -> None:
    """What doubts the languages of four texts, with some wrong numbers."""
    weights, scores, long = identifier.parts.weights, identifier.parts.scores, np.full(4, 99)
    into = {"letters": long, "to": wild(np.arange(4)), "answer": answer}
    known = {"prior": scores.prior, "foreign": int(wild(np.zeros(1))[0]), "outliers": 0.01}
    for windows_of in (np.arange(5), wild(np.arange(5)), np.array([0, 2, 2, 3, 4]), np.array([0, 1, 2, 3, 3])):
        with suppress(*REFUSED):
            about = {
                "features": offsets,
                "offsets": windows_of,
                "to": into["to"][: len(windows_of) - 1],
                "answer": answer,
            }
            scores.find_best(sums, weights, letters=long, **about)
            scores.fill_mixture(sums, weights, lengths=wild(np.full(4, 30)), **known, **about)
    with suppress(*REFUSED):
        scores.fill_mixture(
            sums,
            weights,
            lengths=long,
            features=wild(offsets),
            offsets=np.arange(5),
            to=long - 99,
            answer=answer,
            **known,
        )
    best = scores.find_best(sums, weights, features=wild(offsets), offsets=np.arange(5), **into)
    wrong = doubt.BestLabels(wild(best.label), best.fit, best.margin)
    columns, script = weights.list_columns(), np.zeros(4, np.int64)
    base = scores.base
    kinds = doubt.number_kinds(identifier.vocabulary.sizes)
    greatest = np.zeros(len(kinds), np.int32)
    with suppress(*REFUSED):
        weights.compare_features(
            features, offsets, script, script, columns=columns, base=base, kinds=kinds[:-1], greatest=greatest[:-1]
        )
    ngrams = weights.compare_features(
        features, wild(offsets), wild(script), wild(script), columns=columns, base=base, kinds=kinds, greatest=greatest
    )
    about = {"columns": columns, "features": long, "ngrams": ngrams, "base": base, "prior": scores.prior}
    with suppress(*REFUSED):
        doubt.discount(wrong, script=wild(script), **{**about, "ngrams": None}, **into)
    with suppress(*REFUSED):
        doubt.discount(wrong, script=wild(script), **about, has_next_stage=True, **into)
    lm, letters = identifier.parts.char_lm, identifier.parts.sum_weights(["the dogs", "", "dog", "x"]).letters
    with suppress(*REFUSED):
        lm.estimate_likelihood(
            Letters(letters.symbols, wild(letters.starts), wild(letters.lengths), letters.margin), wild(script)
        )
    likelihood = lm.estimate_likelihood(letters, script)
    doubt.discount(wrong, script=wild(script), likelihood=likelihood, **about, **into)


def damaged_lists(chance: random.Random) -> bool:
    """Lists of n-grams in something like UTF-8."""
    refused = 0
    for _ in range(40):
        lines = [chr(chance.choice(CODES)).encode("utf-8", "surrogatepass") * chance.randrange(4) for _ in range(4)]
        damaged = bytearray(b"\n".join(dict.fromkeys(lines)))
        for _ in range(chance.randrange(3)):
            if damaged:
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            Vocabulary(bytes(damaged[: chance.randrange(len(damaged) + 1)]), bits=12)
        except ValueError:
            refused += 1
    return 0 < refused < 40


def damaged_models(seed: int, tiny: str) -> bool:
    """Models with some numbers more, fewer or other ones: refused, or their answers are probabilities."""
    model = modelfile.read(tiny)[0]
    draws, taken, chance = np.random.default_rng(seed), 0, random.Random(seed)  # noqa: S311
    texts = [text(chance, most) for most in (2, 9, 20, 31, 60, 170, 500) for _ in range(3)]
    texts += ["the dog", "wo", "που", "", "a" * 40]
    for _ in range(20):
        arrays = {name: array.copy() for name, array in model.arrays.items()}
        for name in draws.choice(sorted(arrays), 1 + draws.integers(2), replace=False):
            arrays[name] = damaged(draws, arrays[name])
        try:
            hostile = Discriminative(modelfile.Model("nfc", model.labels, model.parameters, arrays), "", "hostile")
        except modelfile.ModelError:
            continue
        sums = hostile.probabilities(texts).sum(axis=1)
        assert ((np.abs(sums - 1) < 1e-4) | (sums == 0)).all(), sums
        taken += 1
    return 0 < taken < 20


def damaged(draws: np.random.Generator, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    own, kind = array.reshape(-1), array.dtype
    most: Any = np.iinfo(kind) if kind.kind in "iu" else np.finfo(np.float16)
    for _ in range(draws.integers(3) if len(own) else 0):
        own[draws.integers(len(own))] = draws.choice([0, 1, 2, 40, own[0], most.max, most.min])
    if draws.integers(3):
        return array
    begin, end = np.sort(draws.integers(len(own) + 1, size=2))
    own = np.concatenate([own[:begin], own[end:] if draws.integers(2) else own])
    return own if array.ndim == 1 else own[: len(own) // array.shape[1] * array.shape[1]].reshape(-1, array.shape[1])
