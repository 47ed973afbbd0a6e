"""Language models of characters, interpolated after Witten & Bell, as weights of n-grams: how likely a word is.

The probability of a letter after those before it, within a word and the spaces around it, is that of Witten & Bell
(1991, "The zero-frequency problem", method C, interpolated): with k(g) the occurrences of n-gram g = hc, t(h) those of
its context h and T(h) the number of different letters that follow h,

    p(c | h) = (k(g) + T(h) p(c | h without its first letter)) / (t(h) + T(h)).

A word is what is left of its letters' product, or what its own count says, whichever way it came: words are the highest
order, whose context is that a word begins. The log of all this is a sum over the n-grams of the word, and so costs no
more than an inner product: an n-gram that was seen adds log(1 + k(g) / (T(h) p)), its *lift*, and as a context it adds
log(T(h) / (t(h) + T(h))), which is negative: that is what such a model knows beyond weights of what a language writes,
namely how surprising it is that something else follows here.

What adds little to the likelihood of a language's own words is left out, and its share given back to the shorter ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from graphlang.content.ngrams.keys import MAX_ORDER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Floats = NDArray[np.float64]

_BITS = 12  # of a letter: five of them are an n-gram in 64 bits
_MASK = (1 << _BITS) - 1
_SPACE = 1
_ALWAYS = 2  # n-grams of so many letters are never left out
_POWER = (
    0.6  # of a word's count: the letters of rare words are more like those of words never seen (on development lines)
)


@dataclass(frozen=True, slots=True)
class CharLMs:
    """The models of the languages of one script.

    Attributes:
        ngrams: Features as `vocabulary.Vocabulary` takes them: n-grams, and longer words between two spaces.
        weights: (features, languages).
        worth: What each feature adds to the log-likelihood of all languages' words.
        letter: What every letter and space adds, of each language.
        word: What every word adds, of each language.
    """

    ngrams: list[str]
    weights: sparse.csr_array
    worth: Floats
    letter: Floats
    word: Floats


class _Order(NamedTuple):
    """The n-grams of one length: sorted keys, counts, and probability of the last letter; weights, to be completed."""

    keys: Numbers
    counts: Floats
    probability: Floats
    weights: Floats


class _Language(NamedTuple):
    orders: list[_Order]
    words: list[str]
    lifts: Floats  # of the words
    counts: Floats  # of the words
    letter: float
    word: float


def estimate(words: Sequence[Mapping[str, int]], *, least: float) -> CharLMs | None:
    """Count the words of each language, and weigh their n-grams.

    Args:
        words: Of each language of a script, its normalised words and how often they stand in its text.
        least: What an n-gram, or a word, must add to the log-likelihood of a language's words in order to be kept.

    Returns:
        The models; None where the script has more letters than fit (those that write words and not sounds).
    """
    alphabet = sorted({letter for own in words for letter in "".join(own)})
    if not alphabet or len(alphabet) + _SPACE >= _MASK:
        return None
    numbers = np.zeros(ord(alphabet[-1]) + 1, dtype=np.int64)
    numbers[[ord(letter) for letter in alphabet]] = np.arange(len(alphabet)) + _SPACE + 1
    numbers[ord(" ")] = _SPACE
    found = [_language(own, numbers, len(alphabet) + 1, least) for own in words]
    names: dict[str, int] = {}
    keys, labels, weights, worth = [], [], [], []
    for label, own in enumerate(found):
        for order in own.orders:
            kept = order.weights != 0
            keys.append(order.keys[kept])
            weights.append(order.weights[kept])
            worth.append(np.abs(order.weights[kept]) * order.counts[kept])
            labels.append(np.full(len(keys[-1]), label))
        kept = own.lifts != 0
        named = [own.words[position] for position in np.flatnonzero(kept).tolist()]
        keys.append(np.array([_key(word, numbers, names) for word in named], dtype=np.int64))
        weights.append(own.lifts[kept])
        worth.append((own.lifts * own.counts)[kept])
        labels.append(np.full(len(named), label))
    every, row = np.unique(np.concatenate(keys), return_inverse=True)
    matrix = sparse.coo_array(
        (np.concatenate(weights), (row, np.concatenate(labels))), shape=(len(every), len(words))
    ).tocsr()  # what one n-gram is told twice, as such and as a short word, is added up
    longer = list(names)
    ngrams = [_ngram(key, alphabet) if key > 0 else f" {longer[-1 - key]} " for key in every.tolist()]
    total = np.bincount(row, weights=np.concatenate(worth), minlength=len(every)).astype(np.float64)
    letter, word = np.array([own.letter for own in found]), np.array([own.word for own in found])
    return CharLMs(ngrams, matrix, total, letter, word)


def _key(word: str, numbers: Numbers, names: dict[str, int]) -> int:
    """The key of a word: that of the n-gram which it is between its spaces, if that is short enough, else negative."""
    if len(word) > MAX_ORDER - 2:
        return -1 - names.setdefault(word, len(names))
    key = _SPACE
    for letter in f"{word} ":
        key = key << _BITS | int(numbers[ord(letter)])
    return key


def _ngram(key: int, alphabet: list[str]) -> str:
    letters = ""
    while key:
        letters = (" " if key & _MASK == _SPACE else alphabet[(key & _MASK) - _SPACE - 1]) + letters
        key >>= _BITS
    return letters


def _language(counts: Mapping[str, int], numbers: Numbers, letters: int, least: float) -> _Language:
    words = list(counts)
    often = np.fromiter(counts.values(), dtype=np.float64, count=len(words))
    if not words:
        return _Language([], [], np.zeros(0), often, -float(np.log(letters)), 0.0)
    text = f" {'  '.join(words)} "
    symbols = numbers[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")]
    sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words)) + 2
    word = np.repeat(np.arange(len(words)), sizes)
    position = (
        np.arange(len(symbols)) - (np.cumsum(sizes) - sizes)[word]
    )  # the space before a word is 0, given and not told
    damped = (often**_POWER)[word]
    orders: list[_Order] = []
    logs = np.zeros(len(symbols))
    start = 0.0  # what it adds that a word begins, as a context
    letter = 0.0
    key = symbols
    for size in range(1, MAX_ORDER + 1):
        if size > 1:
            key = np.concatenate([[0], key[:-1]]) << _BITS | symbols
        ends = np.flatnonzero(position >= max(1, size - 1))
        if not len(ends):
            break
        keys, which = np.unique(key[ends], return_inverse=True)
        number = np.bincount(which, weights=damped[ends], minlength=len(keys)).astype(np.float64)
        if size == 1:
            order, letter = _letters(keys, number, letters)
        else:
            order, contexts, back = _longer(keys, number, orders[-1], size, 0.0 if size <= _ALWAYS else least)
            known = contexts != _SPACE
            start += float(back[~known].sum())
            orders[-1].weights[np.searchsorted(orders[-1].keys, contexts[known])] += back[known]
        orders.append(order)
        logs[ends] = np.log(order.probability[which])
    logs_of_words = np.bincount(word, weights=logs, minlength=len(words))
    # Words as the highest order; in the log, for the product of a long word's letters may be too small to divide by.
    lifts = np.logaddexp(0, np.log(often) - np.log(len(words)) - logs_of_words)
    rare = often * lifts < least
    free = len(words) + float(often[rare].sum())
    lifts = np.where(rare, 0, np.logaddexp(0, np.log(often) - np.log(free) - logs_of_words))
    space = int(np.searchsorted(orders[0].keys, _SPACE))
    whole = float(orders[0].weights[space]) + start + float(np.log(free / (often.sum() + len(words))))
    orders[0].weights[space] = 0  # each word has one
    return _Language(orders, words, lifts, often, letter, whole)


def _letters(keys: Numbers, number: Floats, letters: int) -> tuple[_Order, float]:
    """Single letters, which are backed off to all letters alike; and what a letter that was never seen has."""
    types, total = len(keys), number.sum()
    probability = (number + types / letters) / (total + types)
    return _Order(keys, number, probability, np.log1p(number * letters / types)), float(
        np.log(types / (total + types) / letters)
    )


def _longer(keys: Numbers, number: Floats, shorter: _Order, size: int, least: float) -> tuple[_Order, Numbers, Floats]:
    """N-grams of more letters; their contexts, and the log of what these leave to shorter ones."""
    context = keys >> _BITS
    first = np.flatnonzero(np.concatenate([[True], context[1:] != context[:-1]]))
    group = np.repeat(np.arange(len(first)), np.diff(first, append=len(keys)))
    types = np.diff(first, append=len(keys)).astype(np.float64)
    total = np.add.reduceat(number, first)
    backed = shorter.probability[np.searchsorted(shorter.keys, keys & ((1 << _BITS * (size - 1)) - 1))]
    dropped = number * np.log1p(number / (types[group] * backed)) < least
    free = types + np.bincount(group, weights=np.where(dropped, number, 0), minlength=len(first))
    kept = np.where(dropped, 0, number)
    probability = (kept + free[group] * backed) / (total + types)[group]
    lift = np.log1p(kept / (free[group] * backed))
    return _Order(keys, number, probability, lift), context[first], np.log(free / (total + types))
