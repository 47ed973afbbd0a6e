"""The features of the shipped URL model: words, short tokens with their position, 4-grams, letters beyond ASCII.

Baykan et al. 2008 take words or trigrams or custom features. The shipped model takes all three at once, with the
position of short tokens, because a language code is a sign in some positions and a common word in others. Every feature
is a bucket, the upper bits of its hash; features of all kinds share the buckets.

Training works with these arrays. The loaded model sums the same features in a kernel (`native/url_sums.c`), in less
than half the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.urls.tokens import (
    SCHEME,
    SHORTEST_TOKEN,
    TLD,
    Tokens,
    find_positions,
    find_runs,
    find_zones,
    hash_ngrams,
    hash_tokens,
    mix_bits,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse


#: a bucket is the upper 22 bits of a hash; 200,000 features in 4 million buckets leave 95 % of the rest alone
BUCKET_BITS = 22
#: tokens up to this length are paired with their position
LONGEST_SHORT = 3
#: letters of an n-gram
NGRAM_LETTERS = 4
_DOWN = np.uint64(64 - BUCKET_BITS)
_POSITIONED = np.uint64(0xA24BAED4963EE407)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_LETTER = np.uint64(1 << 40)
_BLOCK = np.uint64(1 << 41)
_ASCII = 128


class FeatureKind(NamedTuple):
    """The features of one kind for a batch of URLs: those of URL u are ``bucket[first[u]:first[u + 1]]``."""

    bucket: NDArray[np.int64]
    first: NDArray[np.int64]


def extract_features(urls: Sequence[str]) -> dict[str, FeatureKind]:
    """Extract the features of each URL by kind: ``word``, ``place``, ``ngram``, ``letter``, ``block`` of code points.

    >>> features = extract_features(["http://www.example.fr/"])
    >>> {name: len(kind.bucket) for name, kind in features.items()}
    {'word': 2, 'place': 2, 'ngram': 8, 'letter': 0, 'block': 0}
    """
    tokens = find_runs(urls)
    zone = find_zones(tokens)
    code = hash_tokens(tokens)
    length = tokens.end - tokens.start
    body = (zone != SCHEME) & (zone != TLD) & (length >= SHORTEST_TOKEN)
    short = (zone == TLD) | ((zone != SCHEME) & (length <= LONGEST_SHORT) & (length >= SHORTEST_TOKEN))
    positioned = hash_positioned(code[short], find_positions(tokens, zone)[short])
    grams, grams_first = hash_ngrams(tokens.select(body & (length >= LONGEST_SHORT)), NGRAM_LETTERS)
    beyond = np.flatnonzero(tokens.characters >= _ASCII)
    letters = tokens.characters[beyond].astype(np.uint64)
    letters_first = np.searchsorted(beyond, tokens.first)
    return {
        "word": FeatureKind(to_bucket(code[body]), _find_first(tokens, body)),
        "place": FeatureKind(to_bucket(positioned), _find_first(tokens, short)),
        "ngram": FeatureKind(to_bucket(grams), grams_first),
        "letter": FeatureKind(to_bucket(mix_bits(letters + _LETTER)), letters_first),
        "block": FeatureKind(to_bucket(mix_bits(letters // np.uint64(_ASCII) + _BLOCK)), letters_first),
    }


def hash_positioned(code: NDArray[np.uint64], position: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the hash of a token (`hash_tokens`) at a position (`tokens.find_positions`).

    Shapes: code [tokens], position [tokens].
    """
    return mix_bits(code + _POSITIONED + position.astype(np.uint64) * _STEP)


def to_bucket(code: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the bucket of a hash, 0 to 2 ** `BUCKET_BITS` - 1."""
    return (code >> _DOWN).astype(np.int64)


def damp_ngrams(ngrams: NDArray[np.int64], enough: float) -> NDArray[np.float32]:
    """Return the factor of n-grams by their number in each URL: 1 up to ``enough``, then falling as the square root.

    The n-grams of a long path repeat the same evidence, and would outvote the country and the codes.

    Shapes: ngrams [URLs].

    >>> damp_ngrams(np.array([0, 8, 32]), 8).tolist()
    [1.0, 1.0, 0.5]
    """
    return np.sqrt(enough / np.maximum(ngrams, enough), dtype=np.float32)


def to_matrix(
    kinds: dict[str, FeatureKind], row: NDArray[np.int32], scale: dict[str, float], enough: float = np.inf
) -> sparse.csr_matrix:
    """Return a CSR matrix of URLs x features: occurrences of each feature, times the scale of its kind.

    Shapes: row [2 ** BITS].
    """
    from scipy import sparse  # noqa: PLC0415 - training needs it, and no answer

    parts = []
    columns = int(row.max()) + 1
    for name, kind in kinds.items():
        column = row[kind.bucket]
        is_feature = column >= 0
        count = np.concatenate(([0], np.cumsum(is_feature)))
        first = count[kind.first]
        values = np.full(int(count[-1]), scale.get(name, 1.0), dtype=np.float32)
        if name == "ngram" and np.isfinite(enough):
            known_counts = np.diff(first)
            values *= np.repeat(damp_ngrams(known_counts, enough), known_counts)
        shape = (len(kind.first) - 1, columns)
        parts.append(sparse.csr_matrix((values, column[is_feature], first), shape=shape))
    total = parts[0]
    for matrix in parts[1:]:
        total = total + matrix
    return total.tocsr()


def _find_first(tokens: Tokens, keep: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(keep)))[tokens.indptr]
