"""The kernels built with the sanitisers of addresses and of undefined behaviour, fed with anything, and nonsense."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES = Path(__file__).parents[2] / "graphlang" / "content"
KERNELS = ("_letters", "_ngrams", "_scores", "_tally")

WORKOUT = """
import random, sys
from pathlib import Path
import numpy as np
from graphlang.content import kernel

built, plain = Path(sys.argv[1]), kernel.Library.__init__
def sanitised(self, module, path=None):
    plain(self, module, str(built / (module.rpartition(".")[2] + ".so")))
kernel.Library.__init__ = sanitised

from graphlang import modelfile
from graphlang.content import answers, methods, pieces, tally
from graphlang.content.ngrams import Vocabulary
from graphlang.content.normalise import Characters, Letters, characters, fold, normalise
from graphlang.content.refined import Refined

random.seed(2004)
codes = (*range(0x20, 0x500), *range(0x900, 0xA00), *range(0x4E00, 0x4F00), 0xD800, 0x200D, 0x1E900, 0x10FFFF)
some = [chr(c) for c in codes]
def text(most):
    return "".join(random.choices(some + [" ", "a", "e", "the"] * 200, k=random.randrange(most)))

identifier = methods.load("nfc")
for most in (2, 20, 300, 3000):
    answers.top(identifier.probabilities([text(most) for _ in range(60)]), 20)
identifier.probabilities(["x" * 100_000, "", "\\ud800", "e\\u0301" * 9000])
for method in ("nfc-2004", "byte-trigrams"):
    methods.load(method).probabilities([text(300) for _ in range(60)])

refused = 0
for _ in range(3000):
    given = characters([text(12) for _ in range(4)])
    wild = lambda a: a + np.array([random.choice((0,) * 40 + (1, -1, 5, 2**62, -2**62)) for _ in a])
    try:
        given = Characters(given.symbols, wild(given.begins), wild(given.ends))
        made = fold(given, margin=4, closed=True, one_script=True)
        scripts = identifier._script[made.scripts]
        made = Letters(made.symbols, wild(made.starts), wild(made.lengths), 4)
        features, offsets = identifier.vocabulary.find(made)
        identifier._weights.sums(wild(features).astype(np.int32), wild(offsets), scripts)
        identifier._weights.sums(wild(features).astype(np.int32), offsets, wild(scripts).astype(np.uint8))
        sums = identifier._weights.sums(features, offsets, scripts)
        answer = np.zeros((4, len(identifier.labels)), np.float32)
        into = {"places": wild(np.arange(4)), "answer": answer, "odd": 0.01}
        identifier._scores.answers(
            sums, identifier._weights, lengths=wild(made.lengths), offsets=wild(offsets), **into
        )
        spelt = identifier._spelling.read(Letters(made.symbols, wild(made.starts), wild(made.lengths), 4), scripts)
        identifier._scores.answers(
            sums, identifier._weights, lengths=wild(made.lengths), offsets=offsets, **into,
            spelling=identifier._spelling, spelt=spelt,
        )
        counted = tally.tally(made, (1, 3, 5), words=True)
        counted.ranks(5)
        pieces.together(np.zeros((4, 9), np.float32), np.ones(4, bool), wild(np.array([0, 2, 4])), 3)
    except (kernel.KernelError, ValueError, MemoryError, OverflowError):
        refused += 1
assert 0 < refused < 3000, refused

refused = 0
for _ in range(3000):  # lists of n-grams in something like UTF-8
    lines = [chr(random.choice(codes)).encode("utf-8", "surrogatepass") * random.randrange(4) for _ in range(4)]
    damaged = bytearray(b"\\n".join(dict.fromkeys(lines)))
    for _ in range(random.randrange(3)):
        if damaged:
            damaged[random.randrange(len(damaged))] = random.randrange(256)
    try:
        Vocabulary(bytes(damaged[: random.randrange(len(damaged) + 1)]))
    except ValueError:
        refused += 1
assert 0 < refused < 3000, refused

tiny = modelfile.read(sys.argv[2])[0]
chance, taken = np.random.default_rng(2004), 0
texts = [text(most) for most in (2, 9, 20, 31, 60, 170, 500) for _ in range(3)] + ["the dog", "wo", "που", "", "a" * 40]
for _ in range(1500):  # models with some numbers more, fewer or other ones
    arrays = {name: array.copy() for name, array in tiny.arrays.items()}
    for name in chance.choice(sorted(arrays), 1 + chance.integers(2), replace=False):
        own, kind = arrays[name].reshape(-1), arrays[name].dtype
        most = np.iinfo(kind) if kind.kind in "iu" else np.finfo(np.float16)
        for _ in range(chance.integers(3) if len(own) else 0):
            own[chance.integers(len(own))] = chance.choice([0, 1, 2, 40, own[0], most.max, most.min])
        if not chance.integers(3):
            begin, end = np.sort(chance.integers(len(own) + 1, size=2))
            own = np.concatenate([own[:begin], own[end:] if chance.integers(2) else own])
            shape = arrays[name].shape
            arrays[name] = own if len(shape) == 1 else own[: len(own) // shape[1] * shape[1]].reshape(-1, shape[1])
    try:
        hostile = Refined(modelfile.Model("nfc", tiny.labels, tiny.parameters, arrays), "", "hostile")
    except modelfile.ModelError:
        continue
    chances = hostile.probabilities(texts).sum(axis=1)
    assert ((np.abs(chances - 1) < 1e-4) | (chances == 0)).all(), chances
    taken += 1
assert 0 < taken < 1500, taken
print("went through", refused, taken)
"""


def test_no_sanitiser_complains(sanitised: Callable[..., str], tiny_model_path: Path) -> None:
    kernels = [SOURCES / f"{name}.c" for name in KERNELS]
    assert "went through" in sanitised(kernels, WORKOUT, str(tiny_model_path))
