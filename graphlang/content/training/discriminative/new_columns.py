"""Columns for languages that a trained model does not have: their weights, without the text of the others.

The weight of an n-gram in a language is how much commoner it is there than expected (`logistic_regression.start`), and
what is expected follows from how often it stands in everybody's text (`occurrences`): no other text is needed. N-grams
of the new text that the model has never met are added, the commonest first: as many as the amount of text would have
chosen in a full training. What the character language model of the others knows is not new, and is left out, for nobody
knows how common it is with them.

An n-gram that stands a few times in little text is less sure than it looks: what was counted is lowered by `DISCOUNT`,
as absolute discounting has it (Ney, Essen and Kneser 1994).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.nfc import weight_codec
from graphlang.content.ngrams.keys import LONGEST, MAX_ORDER, keys_of
from graphlang.content.ngrams.vocabulary import Vocabulary, slots_of
from graphlang.content.text.normalise import blocks, normalise
from graphlang.content.text.scripts import EAST_ASIA, registry
from graphlang.content.training.discriminative import logistic_regression

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DISCOUNT = 0.35
SEEN = 5  #: times that a new n-gram must stand in the text


@dataclass(frozen=True, slots=True)
class NewColumns:
    """What some new languages of one script bring.

    Attributes:
        ngrams: N-grams and words that are new.
        steps: Weights of the old features and the new ones, (features, languages).
        occurrences: Of the old features and the new ones in the new text, (features,).
        base: What every n-gram adds, (languages,).
    """

    ngrams: list[str]
    steps: NDArray[np.int8]
    occurrences: Floats
    base: NDArray[np.float32]


def columns(
    texts: Sequence[Sequence[str]],
    *,
    script: str,
    old: Sequence[str],
    occurrences: Floats,
    letters: float,
    known: Collection[int],
    taken: NDArray[np.bool_],
    wanted: Sequence[int],
    smoothing: float,
    step: float,
    bits: int,
) -> NewColumns:
    """Weights of new languages of one script.

    Args:
        texts: Training lines of each.
        script: Its name.
        old: The n-grams and words that the model has for the script.
        occurrences: How often each of these stands in the text of the old languages, (features,).
        letters: Characters of that text.
        known: Keys of other n-grams that the old languages have.
        taken: Slots of the table that are taken, (2 ** bits,); those of new n-grams are added.
        wanted: How many new n-grams each language may bring.
        smoothing: Characters of a text of no particular language added to each language's own.
        step: The unit of weights.
        bits: Size of the table of n-grams, log 2.
    """
    number = registry.number(script)
    new: dict[str, None] = {}
    have = set(old)
    for own, most in zip(texts, wanted, strict=True):
        new |= dict.fromkeys(_new(own, number, have, known, taken, most=most, bits=bits))
    ngrams = list(new)
    vocabulary = Vocabulary([*old, *ngrams], bits=bits)
    counts = np.stack([_count(vocabulary, own, number) for own in texts])
    sizes = np.array([sum(map(len, own)) for own in texts], dtype=np.float64)
    every = counts.sum(axis=0) + np.concatenate([occurrences, np.zeros(len(ngrams))])
    expected = np.maximum(every * (smoothing / (letters + sizes.sum())), 1e-6)
    weights = np.log1p(np.maximum(counts - DISCOUNT, 0) / expected).T
    return NewColumns(
        ngrams,
        weight_codec.quantise(weights.astype(np.float32), step),
        counts.sum(axis=0),
        np.log(smoothing / (sizes + smoothing)).astype(np.float32),
    )


def _count(vocabulary: Vocabulary, lines: Sequence[str], script: int) -> Floats:
    longest = max(map(len, lines), default=1)
    features, _ = logistic_regression.find(vocabulary, lines, limit=longest, closed=True, script=script)
    return np.bincount(features, minlength=len(vocabulary)).astype(np.float64)


def _new(
    lines: Sequence[str],
    script: int,
    have: Collection[str],
    known: Collection[int],
    taken: NDArray[np.bool_],
    *,
    most: int,
    bits: int,
) -> list[str]:
    """The commonest n-grams and words of some lines that nobody has, as many as there is room for."""
    counts: Counter[str] = Counter()
    orders = range(1, MAX_ORDER) if registry.name(script) == EAST_ASIA else range(2, MAX_ORDER + 1)
    for begin, end in blocks(lines, limit=10_000):
        wanted = np.full(end - begin, script, dtype=np.uint8)
        letters = normalise(lines[begin:end], limit=10_000, margin=MAX_ORDER - 1, one_script=True, wanted=wanted)
        for first, length in zip(letters.starts.tolist(), letters.lengths.tolist(), strict=True):
            text = "".join(map(chr, letters.symbols[first : first + length + MAX_ORDER - 1].tolist()))
            for order in orders:
                counts.update([text[place : place + order] for place in range(length)])
            counts.update(f" {word} " for word in text[:length].split() if MAX_ORDER - 2 < len(word) <= LONGEST - 2)
    often = [(gram, number) for gram, number in counts.items() if number >= SEEN and gram not in have and gram.strip()]
    often.sort(key=lambda item: (-item[1], item[0]))
    grams = [gram for gram, _ in often]
    chosen: list[str] = []
    keys = keys_of(grams)
    for gram, key, slot in zip(grams, keys.tolist(), slots_of(keys, bits=bits).tolist(), strict=True):
        if len(chosen) == most:
            break
        if key not in known and not taken[slot]:
            taken[slot] = True
            chosen.append(gram)
    return chosen
