"""From training text to the arrays of `spelling.Spelling`: script by script, as `backoff` weighs them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphlang.content import backoff, spelling, weights
from graphlang.content.ngrams import LONGEST, admissible, bits_for, blocks, keys_of
from graphlang.content.normalise import normalise
from graphlang.content.scripts import EAST_ASIA, registry
from graphlang.content.spelling import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.content.options import Options

_STEP = 0.5
_TABLE = 8_000_000  # weights of one script's common n-grams that may stand in a table
_BITS = 22  # of the table of n-grams at most: it must not push that of the vectors out of the cache


def arrays(
    texts: Sequence[Mapping[str, Sequence[str]]], scripts: Sequence[tuple[int, NDArray[np.int64]]], options: Options
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Count the words of all labels, and weigh their n-grams.

    Args:
        texts: Training lines of every label by kind (`kinds`).
        scripts: The scripts' numbers (`scripts.registry`), and the labels of each.
        options: How to train.

    Returns:
        The model's arrays, and its parameters.
    """
    lines = [[line for some in own.values() for line in some] for own in texts]
    sizes = np.array([sum(map(len, own)) for own in lines], dtype=np.float64)
    letter, word = np.zeros(len(lines), dtype=np.float32), np.zeros(len(lines), dtype=np.float32)
    found: list[backoff.Spellings | None] = []
    for script, labels in scripts:
        made = None
        if len(labels) > 1 and registry.name(script) != EAST_ASIA:  # where there are no spaces between words
            made = backoff.spellings([_words(lines[i], script) for i in labels.tolist()], least=options.spelt)
        if made is not None:
            letter[labels], word[labels] = made.letter, made.word
        found.append(made)
    keys, bits = _admitted(found)
    numbers: list[tuple[int, int]] = []
    packed: list[NDArray[np.uint32]] = [np.zeros(0, dtype=np.uint32)]
    steps: list[NDArray[np.int8]] = [np.zeros(0, dtype=np.int8)]
    for made, own, (_, labels) in zip(found, keys, scripts, strict=True):
        if made is None:
            numbers.append((0, 0))
            continue
        places = np.array(sorted(own, key=own.__getitem__), dtype=np.int64)
        chosen = made.weights[places]
        small = weights.quantise(chosen.data.astype(np.float32), _STEP)
        whole = sparse.csr_array((small, chosen.indices, chosen.indptr), shape=chosen.shape).toarray()
        common, rare = weights.dense_first(whole, np.rint(made.worth[places]).astype(np.int64), _TABLE // len(labels))
        order = np.concatenate([common, rare])
        numbers.append((len(common), len(order)))
        packed.append(np.array([own[i] for i in places[order].tolist()], dtype=np.uint32))
        steps.append(whole[order].reshape(-1))
    gaps, values = weights.squeeze(np.concatenate(steps))
    text = options.written * np.log(sizes / sizes.max())
    for made, (_, labels) in zip(found, scripts, strict=True):
        if made is None:
            text[labels] = 0  # nothing at all is said of how they are spelt
    made_arrays = {
        "keys": spelling.pack(np.concatenate(packed)),
        "features": np.array(numbers, dtype=np.int32),
        "gaps": gaps,
        "values": values,
        "step": np.array([_STEP], dtype=np.float32),
        "gain": np.array(options.spelling, dtype=np.float32) * np.array(options.tempering, dtype=np.float32),
        "letter": letter,
        "word": word,
        "text": text.astype(np.float32),
    }
    return {f"{PREFIX}{name}": array for name, array in made_arrays.items()}, {f"{PREFIX}bits": bits}


def _admitted(found: Sequence[backoff.Spellings | None]) -> tuple[list[dict[int, int]], int]:
    """Of each script the n-grams that can stand in one table, with their keys; and how large it is (`ngrams`).

    Of those that want one place, the one stays that is worth most.
    """
    every = [ngram for made in found if made is not None for ngram in made.ngrams]
    worth = np.concatenate([np.zeros(0), *(made.worth for made in found if made is not None)])
    bits = min(_BITS, bits_for(len(every)))
    order = np.argsort(-worth, kind="stable")
    kept = np.zeros(len(every), dtype=np.bool_)
    kept[order[admissible([every[i] for i in order.tolist()], bits=bits)]] = True
    keys = keys_of(every)
    admitted: list[dict[int, int]] = []
    begin = 0
    for made in found:
        end = begin + (0 if made is None else len(made.ngrams))
        mine = np.flatnonzero(kept[begin:end])
        admitted.append(dict(zip(mine.tolist(), keys[begin:end][mine].tolist(), strict=True)))
        begin = end
    return admitted, bits


def _words(lines: Sequence[str], script: int) -> dict[str, int]:
    """The normalised words of some lines, those in one script, and how often they occur."""
    longest = max(map(len, lines), default=1)
    counts: Counter[str] = Counter()
    for begin, end in blocks(lines, limit=longest):
        wanted = np.full(end - begin, script, dtype=np.uint8)
        letters = normalise(lines[begin:end], limit=longest, one_script=True, wanted=wanted)
        symbols = letters.symbols.astype("<u4", copy=False)
        counts.update(symbols.tobytes().decode("utf-32-le", "surrogatepass").split(" "))
    return {word: number for word, number in counts.items() if 0 < len(word) <= LONGEST - 2}
