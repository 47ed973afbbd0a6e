"""From training text to the arrays of `char_lm.CharLM`: script by script, as `witten_bell` weighs the n-grams."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphlang.content.nfc import char_lm, weight_codec
from graphlang.content.nfc.char_lm import PREFIX
from graphlang.content.ngrams.keys import LONGEST, keys_of
from graphlang.content.ngrams.vocabulary import admissible, bits_for
from graphlang.content.text.normalise import blocks, normalise
from graphlang.content.text.scripts import EAST_ASIA, registry
from graphlang.content.training.discriminative import witten_bell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.content.training.options import TrainingOptions

_STEP = 0.5
_TABLE = 8_000_000  # weights of one script's common n-grams that may stand in a table
_BITS = 22  # of the table of n-grams at most: it must not push that of the vectors out of the cache


def arrays(
    texts: Sequence[Mapping[str, Sequence[str]]],
    scripts: Sequence[tuple[int, NDArray[np.int64]]],
    options: TrainingOptions,
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Count the words of all labels, and weigh their n-grams.

    Args:
        texts: Training lines of every label by genre (`genres`).
        scripts: The scripts' numbers (`scripts.registry`), and the labels of each.
        options: How to train.

    Returns:
        The model's arrays, and its parameters.
    """
    lines = [[line for some in own.values() for line in some] for own in texts]
    sizes = np.array([sum(map(len, own)) for own in lines], dtype=np.float64)
    letter, word = np.zeros(len(lines), dtype=np.float32), np.zeros(len(lines), dtype=np.float32)
    found: list[witten_bell.CharLMs | None] = []
    for script, labels in scripts:
        made = None
        if len(labels) > 1 and registry.name(script) != EAST_ASIA:  # where there are no spaces between words
            made = witten_bell.estimate([words(lines[i], script) for i in labels.tolist()], least=options.lm_least)
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
        kept = np.array(sorted(own, key=own.__getitem__), dtype=np.int64)
        chosen = made.weights[kept]
        small = weight_codec.quantise(chosen.data.astype(np.float32), _STEP)
        whole = sparse.csr_array((small, chosen.indices, chosen.indptr), shape=chosen.shape).toarray()
        common, rare = weight_codec.dense_first(
            whole, np.rint(made.worth[kept]).astype(np.int64), _TABLE // len(labels)
        )
        order = np.concatenate([common, rare])
        numbers.append((len(common), len(order)))
        packed.append(np.array([own[i] for i in kept[order].tolist()], dtype=np.uint32))
        steps.append(whole[order].reshape(-1))
    gaps, values = weight_codec.squeeze(np.concatenate(steps))
    text = options.lm_text_exponent * np.log(sizes / sizes.max())
    for made, (_, labels) in zip(found, scripts, strict=True):
        if made is None:
            text[labels] = 0  # such a script has no language model, and no prior of it
    made_arrays = {
        "keys": char_lm.pack(np.concatenate(packed)),
        "features": np.array(numbers, dtype=np.int32),
        "gaps": gaps,
        "values": values,
        "step": np.array([_STEP], dtype=np.float32),
        "gain": np.array(options.lm_gain, dtype=np.float32) * np.array(options.inverse_temperatures, dtype=np.float32),
        "letter": letter,
        "word": word,
        "text": text.astype(np.float32),
    }
    return {f"{PREFIX}{name}": array for name, array in made_arrays.items()}, {f"{PREFIX}bits": bits}


def _admitted(found: Sequence[witten_bell.CharLMs | None]) -> tuple[list[dict[int, int]], int]:
    """Of each script the n-grams that can stand in one table, with their keys; and the bits of that table.

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


def words(lines: Sequence[str], script: int) -> dict[str, int]:
    """The normalised words of some lines, those in one script, and how often they occur.

    Args:
        lines: Of a label.
        script: A number of `scripts.registry`.
    """
    longest = max(map(len, lines), default=1)
    counts: Counter[str] = Counter()
    for begin, end in blocks(lines, limit=longest):
        wanted = np.full(end - begin, script, dtype=np.uint8)
        letters = normalise(lines[begin:end], limit=longest, one_script=True, wanted=wanted)
        symbols = letters.symbols.astype("<u4", copy=False)
        counts.update(symbols.tobytes().decode("utf-32-le", "surrogatepass").split(" "))
    return {word: number for word, number in counts.items() if 0 < len(word) <= LONGEST - 2}
