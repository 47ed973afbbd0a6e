"""Dictionaries for the custom features (Baykan et al. 2008, section 3.1): trained ones, and common words of text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.tokens.tokenize import Tokens, runs, tokenize, word_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

#: a word of the trained dictionary of a language has at least this many letters
SHORTEST = 3
#: appears in this share of the URLs of the language
SHARE = 0.0001
#: and so many of the URLs with it are of the language
PURITY = 0.8


def trained(urls: Sequence[str], label: NDArray[np.int64], classes: int) -> list[NDArray[np.uint64]]:
    """The trained dictionary of each class: hashes of its tokens, ascending.

    A token is in the dictionary of X if it appears in 0.01 % or more of the URLs of X, and 80 % or more of the URLs in
    which it appears are of X. A URL counts once, however often it has the token.

    Args:
        urls: Of training.
        label: [URLs] the class of each.
        classes: How many there are.

    >>> from graphlang.urls.tokens.tokenize import hashes
    >>> urls = ["http://arcor.de/"] * 5 + ["http://galeon.es/", "http://arcor.es/"]
    >>> german, spanish = trained(urls, np.array([0, 0, 0, 0, 0, 1, 1]), 2)
    >>> german.tolist() == hashes(["arcor"]).tolist(), spanish.tolist() == hashes(["galeon"]).tolist()
    (True, True)
    """
    tokens = _long(tokenize(urls))
    seen, token = np.unique(word_hash(tokens), return_inverse=True)
    pairs = np.unique(token * len(urls) + tokens.rows())
    containing = np.zeros((len(seen), classes))
    np.add.at(containing, (pairs // len(urls), label[pairs % len(urls)]), 1)
    share = containing / np.maximum(np.bincount(label, minlength=classes), 1)
    pure = containing >= PURITY * containing.sum(axis=1, keepdims=True)
    chosen = (share >= SHARE) & pure & (containing > 0)
    return [seen[chosen[:, number]] for number in range(classes)]


def _long(tokens: Tokens) -> Tokens:
    return tokens.kept(tokens.end - tokens.start >= SHORTEST)


def common_words(lines: Iterable[str], size: int = 20_000) -> NDArray[np.uint64]:
    """The most frequent words of running text, folded as URLs spell them: hashes, ascending.

    It stands in for the spelling dictionary of the paper, whose successors are under licences that forbid copying here.

    Args:
        lines: Of running text.
        size: Words that are kept at most.

    >>> from graphlang.urls.tokens.tokenize import hashes
    >>> words = common_words(["Das Café, das Haus"], size=1)
    >>> words.tolist() == hashes(["das"]).tolist()
    True
    """
    counts: Counter[int] = Counter()
    block: list[str] = []
    for line in lines:
        block.append(line[:1000].replace("%", " "))
        if len(block) == 10_000:  # noqa: PLR2004 lines at a time
            counts.update(_hashes(block))
            block = []
    counts.update(_hashes(block))
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:size]
    return np.sort(np.array([word for word, _ in best], dtype=np.uint64))


def _hashes(lines: list[str]) -> list[int]:
    values: list[int] = word_hash(_long(runs(lines))).tolist()
    return values
