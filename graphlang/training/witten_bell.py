"""Estimate character language models, interpolated after Witten & Bell, as weights of n-grams.

The probability of a letter after the letters before it, in a word and the spaces around it, is that of Witten & Bell
(1991, "The zero-frequency problem", method C, interpolated): with k(g) the occurrences of n-gram g = hc, t(h) those of
its context h and T(h) the number of different letters that follow h,

    p(c | h) = (k(g) + T(h) p(c | h without its first letter)) / (t(h) + T(h)).

The probability of a word interpolates the product of its letters with the count of the word: words are the highest
order, with the beginning of a word as context. Its log is a sum over the n-grams of the word, so it costs no more than
an inner product: an n-gram in the text adds log(1 + k(g) / (T(h) p)), its *lift*, and as a context it adds
log(T(h) / (t(h) + T(h))), which is negative. So the model knows not only which n-grams a language has, but also how
unlikely another letter is after each context.

N-grams that add little to the likelihood of a language's words are dropped, and their share goes to shorter ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from graphlang.content.nfc import char_lm, weight_codec
from graphlang.content.nfc.char_lm import PREFIX
from graphlang.content.ngrams.keys import LONGEST, MAX_ORDER, compute_keys
from graphlang.content.ngrams.vocabulary import choose_bits, find_admissible
from graphlang.content.text.normalise import cut_blocks, normalise
from graphlang.content.text.scripts import EAST_ASIA, registry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.training.training_options import TrainingOptions

    Numbers = NDArray[np.int64]
    Floats = NDArray[np.float64]


_LETTER_BITS = 12  # of a letter, so that an n-gram of five fits in 64 bits
_LETTER_MASK = (1 << _LETTER_BITS) - 1
_SPACE = 1
_NEVER_DROPPED = 2  # n-grams of up to this many letters are never dropped
#: Exponent of the count of a word: the letters of rare words resemble those of unknown words more (development lines).
_POWER = 0.6


@dataclass(frozen=True, slots=True)
class CharLMs:
    """The models of the languages of one script.

    `ngrams` are features of a `Vocabulary`: n-grams, and longer words between two spaces, with `weights` (features,
    languages). `worth` is the contribution of each feature to the log-likelihood of all languages' words. `letter` and
    `word` (languages,) are the weights of every letter and space, and of every word.
    """

    ngrams: list[str]
    weights: sparse.csr_array
    worth: Floats
    letter: Floats
    word: Floats


class _Order(NamedTuple):
    """The n-grams of one length: sorted keys, counts, probability of the last letter, and weights so far."""

    keys: Numbers
    counts: Floats
    probability: Floats
    weights: Floats


class _LanguageModel(NamedTuple):
    orders: list[_Order]
    vocabulary: list[str]
    lifts: Floats  # of the words
    counts: Floats  # of the words
    letter: float
    word: float


def estimate_char_lms(word_counts: Sequence[Mapping[str, int]], *, least_gain: float) -> CharLMs | None:
    """Estimate the models of one script from the word counts of each language.

    Words and n-grams that add less than `least_gain` to the log-likelihood are dropped. Return None if the script has
    too many letters (scripts whose characters are words).
    """
    alphabet = sorted({letter for counts in word_counts for letter in "".join(counts)})
    if not alphabet or len(alphabet) + _SPACE >= _LETTER_MASK:
        return None
    numbers = np.zeros(ord(alphabet[-1]) + 1, dtype=np.int64)
    numbers[[ord(letter) for letter in alphabet]] = np.arange(len(alphabet)) + _SPACE + 1
    numbers[ord(" ")] = _SPACE
    languages = [_estimate_language(counts, numbers, len(alphabet) + 1, least_gain) for counts in word_counts]
    long_words: dict[str, int] = {}
    keys, labels, weights, worth = [], [], [], []
    for label, language in enumerate(languages):
        for order in language.orders:
            is_nonzero = order.weights != 0
            keys.append(order.keys[is_nonzero])
            weights.append(order.weights[is_nonzero])
            worth.append(np.abs(order.weights[is_nonzero]) * order.counts[is_nonzero])
            labels.append(np.full(len(keys[-1]), label))
        is_nonzero = language.lifts != 0
        vocabulary = [language.vocabulary[position] for position in np.flatnonzero(is_nonzero).tolist()]
        keys.append(np.array([_pack_word(word, numbers, long_words) for word in vocabulary], dtype=np.int64))
        weights.append(language.lifts[is_nonzero])
        worth.append((language.lifts * language.counts)[is_nonzero])
        labels.append(np.full(len(vocabulary), label))
    unique_keys, row = np.unique(np.concatenate(keys), return_inverse=True)
    matrix = sparse.coo_array(
        (np.concatenate(weights), (row, np.concatenate(labels))), shape=(len(unique_keys), len(word_counts))
    ).tocsr()  # it sums the weights of an n-gram and of an equal short word
    names = list(long_words)
    ngrams = [_unpack_ngram(key, alphabet) if key > 0 else f" {names[-1 - key]} " for key in unique_keys.tolist()]
    total = np.bincount(row, weights=np.concatenate(worth), minlength=len(unique_keys)).astype(np.float64)
    letter = np.array([language.letter for language in languages])
    word = np.array([language.word for language in languages])
    return CharLMs(ngrams, matrix, total, letter, word)


def _pack_word(word: str, numbers: Numbers, long_words: dict[str, int]) -> int:
    """Pack a word into a key: that of the n-gram with its spaces if it is short enough, else a negative number."""
    if len(word) > MAX_ORDER - 2:
        return -1 - long_words.setdefault(word, len(long_words))
    key = _SPACE
    for letter in f"{word} ":
        key = key << _LETTER_BITS | int(numbers[ord(letter)])
    return key


def _unpack_ngram(key: int, alphabet: list[str]) -> str:
    letters = ""
    while key:
        letters = (" " if key & _LETTER_MASK == _SPACE else alphabet[(key & _LETTER_MASK) - _SPACE - 1]) + letters
        key >>= _LETTER_BITS
    return letters


def _estimate_language(counts: Mapping[str, int], numbers: Numbers, letters: int, least_gain: float) -> _LanguageModel:
    vocabulary = list(counts)
    occurrences = np.fromiter(counts.values(), dtype=np.float64, count=len(vocabulary))
    if not vocabulary:
        return _LanguageModel([], [], np.zeros(0), occurrences, -float(np.log(letters)), 0.0)
    text = f" {'  '.join(vocabulary)} "
    symbols = numbers[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")]
    sizes = np.fromiter(map(len, vocabulary), dtype=np.int64, count=len(vocabulary)) + 2
    word = np.repeat(np.arange(len(vocabulary)), sizes)
    position = (
        np.arange(len(symbols)) - (np.cumsum(sizes) - sizes)[word]
    )  # the space before a word has position 0: it is context and not predicted
    damped = (occurrences**_POWER)[word]
    orders: list[_Order] = []
    logs = np.zeros(len(symbols))
    start = 0.0  # weight of the start of a word as a context
    letter = 0.0
    key = symbols
    for size in range(1, MAX_ORDER + 1):
        if size > 1:
            key = np.concatenate([[0], key[:-1]]) << _LETTER_BITS | symbols
        ends = np.flatnonzero(position >= max(1, size - 1))
        if not len(ends):
            break
        keys, which = np.unique(key[ends], return_inverse=True)
        number = np.bincount(which, weights=damped[ends], minlength=len(keys)).astype(np.float64)
        if size == 1:
            order, letter = _estimate_letters(keys, number, letters)
        else:
            order, contexts, back = _estimate_longer(
                keys, number, orders[-1], size, 0.0 if size <= _NEVER_DROPPED else least_gain
            )
            has_context = contexts != _SPACE
            start += float(back[~has_context].sum())
            orders[-1].weights[np.searchsorted(orders[-1].keys, contexts[has_context])] += back[has_context]
        orders.append(order)
        logs[ends] = np.log(order.probability[which])
    logs_of_words = np.bincount(word, weights=logs, minlength=len(vocabulary))
    # Words are the highest order. In logs, because the product of the letters of a long word may underflow.
    lifts = np.logaddexp(0, np.log(occurrences) - np.log(len(vocabulary)) - logs_of_words)
    rare = occurrences * lifts < least_gain
    free = len(vocabulary) + float(occurrences[rare].sum())
    lifts = np.where(rare, 0, np.logaddexp(0, np.log(occurrences) - np.log(free) - logs_of_words))
    space = int(np.searchsorted(orders[0].keys, _SPACE))
    word_weight = float(orders[0].weights[space]) + start + float(np.log(free / (occurrences.sum() + len(vocabulary))))
    orders[0].weights[space] = 0  # each word has one: its weight is part of `word_weight`
    return _LanguageModel(orders, vocabulary, lifts, occurrences, letter, word_weight)


def _estimate_letters(keys: Numbers, number: Floats, letters: int) -> tuple[_Order, float]:
    """Estimate single letters, backed off to equal shares, and the log-probability of an unseen letter."""
    types, total = len(keys), number.sum()
    probability = (number + types / letters) / (total + types)
    return _Order(keys, number, probability, np.log1p(number * letters / types)), float(
        np.log(types / (total + types) / letters)
    )


def _estimate_longer(
    keys: Numbers, number: Floats, shorter: _Order, size: int, least_gain: float
) -> tuple[_Order, Numbers, Floats]:
    """Estimate n-grams of `size` letters, their contexts, and the log share that contexts leave to shorter ones."""
    context = keys >> _LETTER_BITS
    first = np.flatnonzero(np.concatenate([[True], context[1:] != context[:-1]]))
    group = np.repeat(np.arange(len(first)), np.diff(first, append=len(keys)))
    types = np.diff(first, append=len(keys)).astype(np.float64)
    total = np.add.reduceat(number, first)
    backed = shorter.probability[np.searchsorted(shorter.keys, keys & ((1 << _LETTER_BITS * (size - 1)) - 1))]
    dropped = number * np.log1p(number / (types[group] * backed)) < least_gain
    free = types + np.bincount(group, weights=np.where(dropped, number, 0), minlength=len(first))
    counts = np.where(dropped, 0, number)
    probability = (counts + free[group] * backed) / (total + types)[group]
    lift = np.log1p(counts / (free[group] * backed))
    return _Order(keys, number, probability, lift), context[first], np.log(free / (total + types))


_STEP = 0.5
_DENSE_WEIGHTS = 8_000_000  # most weights of a script's common n-grams in a dense table
_TABLE_BITS = 22  # most bits of the n-gram table: a larger one would evict that of the vectors from the cache


def fit_char_lms(
    texts: Sequence[Mapping[str, Sequence[str]]],
    scripts: Sequence[tuple[int, NDArray[np.int64]]],
    options: TrainingOptions,
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Fit the character language models of all scripts to the lines of all labels; return arrays and parameters."""
    lines = [[line for genre_lines in label_texts.values() for line in genre_lines] for label_texts in texts]
    sizes = np.array([sum(map(len, label_texts)) for label_texts in lines], dtype=np.float64)
    letter, word = np.zeros(len(lines), dtype=np.float32), np.zeros(len(lines), dtype=np.float32)
    models: list[CharLMs | None] = []
    for script, labels in scripts:
        model = None
        if len(labels) > 1 and registry.name(script) != EAST_ASIA:  # where there are no spaces between words
            model = estimate_char_lms(
                [count_words(lines[i], script) for i in labels.tolist()], least_gain=options.lm_least
            )
        if model is not None:
            letter[labels], word[labels] = model.letter, model.word
        models.append(model)
    keys, bits = _admit_ngrams(models)
    numbers: list[tuple[int, int]] = []
    packed: list[NDArray[np.uint32]] = [np.zeros(0, dtype=np.uint32)]
    steps: list[NDArray[np.int8]] = [np.zeros(0, dtype=np.int8)]
    for model, row_keys, (_, labels) in zip(models, keys, scripts, strict=True):
        if model is None:
            numbers.append((0, 0))
            continue
        rows = np.array(sorted(row_keys, key=row_keys.__getitem__), dtype=np.int64)
        chosen = model.weights[rows]
        small = weight_codec.quantise(chosen.data.astype(np.float32), _STEP)
        table = sparse.csr_array((small, chosen.indices, chosen.indptr), shape=chosen.shape).toarray()
        common, rare = weight_codec.split_dense(
            table, np.rint(model.worth[rows]).astype(np.int64), _DENSE_WEIGHTS // len(labels)
        )
        order = np.concatenate([common, rare])
        numbers.append((len(common), len(order)))
        packed.append(np.array([row_keys[i] for i in rows[order].tolist()], dtype=np.uint32))
        steps.append(table[order].reshape(-1))
    gaps, values = weight_codec.squeeze(np.concatenate(steps))
    text = options.lm_text_exponent * np.log(sizes / sizes.max())
    for model, (_, labels) in zip(models, scripts, strict=True):
        if model is None:
            text[labels] = 0  # no prior without a language model
    arrays = {
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
    return {f"{PREFIX}{name}": array for name, array in arrays.items()}, {f"{PREFIX}bits": bits}


def _admit_ngrams(models: Sequence[CharLMs | None]) -> tuple[list[dict[int, int]], int]:
    """Choose the n-grams of each script that fit in one table: their keys by row, and the bits of the table.

    Of n-grams with the same slot, the one with the greatest worth stays.
    """
    ngrams = [ngram for model in models if model is not None for ngram in model.ngrams]
    worth = np.concatenate([np.zeros(0), *(model.worth for model in models if model is not None)])
    bits = min(_TABLE_BITS, choose_bits(len(ngrams)))
    order = np.argsort(-worth, kind="stable")
    is_admitted = np.zeros(len(ngrams), dtype=np.bool_)
    is_admitted[order[find_admissible([ngrams[i] for i in order.tolist()], bits=bits)]] = True
    keys = compute_keys(ngrams)
    admitted: list[dict[int, int]] = []
    begin = 0
    for model in models:
        end = begin + (0 if model is None else len(model.ngrams))
        rows = np.flatnonzero(is_admitted[begin:end])
        admitted.append(dict(zip(rows.tolist(), keys[begin:end][rows].tolist(), strict=True)))
        begin = end
    return admitted, bits


def count_words(lines: Sequence[str], script: int) -> dict[str, int]:
    """Count the normalised words of lines that are in one script."""
    longest = max(map(len, lines), default=1)
    counts: Counter[str] = Counter()
    for begin, end in cut_blocks(lines, limit=longest):
        line_scripts = np.full(end - begin, script, dtype=np.uint8)
        letters = normalise(lines[begin:end], limit=longest, one_script=True, row_scripts=line_scripts)
        symbols = letters.symbols.astype("<u4", copy=False)
        counts.update(symbols.tobytes().decode("utf-32-le", "surrogatepass").split(" "))
    return {word: number for word, number in counts.items() if 0 < len(word) <= LONGEST - 2}
