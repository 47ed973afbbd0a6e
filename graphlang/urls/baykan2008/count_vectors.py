"""Words and trigrams of URLs as counts over a vocabulary that is learnt from the training URLs (section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy  # .sparse is loaded where it is used, for that takes a tenth of a second

from graphlang.urls.tokens.letter_ngrams import ngrams
from graphlang.urls.tokens.tokenize import tokenize, word_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

TRIGRAM = 3


def words(urls: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hash of every token, and [urls + 1] where those of each URL start."""
    tokens = tokenize(urls)
    return word_hash(tokens), tokens.indptr


def trigrams(urls: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hash of every trigram within the tokens, ends marked, and [urls + 1] where those of each URL start.

    >>> len(trigrams(["weather"])[0])  # _we wea eat ath the her er_
    7
    """
    return ngrams(tokenize(urls), TRIGRAM)


#: the feature sets by the names that methods use
KINDS: dict[str, Callable[[Sequence[str]], tuple[NDArray[np.uint64], NDArray[np.int64]]]] = {
    "words": words,
    "trigrams": trigrams,
}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The features that training has seen."""

    kind: str  #: key of `KINDS`
    hashes: NDArray[np.uint64]  #: ascending

    @property
    def names(self) -> tuple[str, ...]:
        """The hashes in hexadecimal: the words themselves are not kept."""
        return tuple(f"{code:016x}" for code in self.hashes.tolist())

    def counts(self, urls: Sequence[str]) -> scipy.sparse.csr_matrix:
        """[URLs, features] how often each known feature stands in each URL; unknown features are left out."""
        found, first = KINDS[self.kind](urls)
        place = np.searchsorted(self.hashes, found)
        held = np.append(self.hashes, np.uint64(0))[place] == found
        held &= place < len(self.hashes)
        counted = np.concatenate(([0], np.cumsum(held)))[first]
        shape = (len(urls), len(self.hashes))
        table = scipy.sparse.csr_matrix((np.ones(int(counted[-1])), place[held], counted), shape=shape)
        table.sum_duplicates()
        return table


def learn(kind: str, urls: Sequence[str], least: int = 1) -> Vocabulary:
    """All features of the URLs that occur ``least`` times or more.

    Args:
        kind: A key of `KINDS`.
        urls: Of training.
        least: Occurrences of a feature that is kept, at least.

    >>> vocabulary = learn("words", ["http://a.de/haus/haus", "http://b.de/"])
    >>> vocabulary.counts(["http://haus.de/haus"]).sum()
    np.float64(3.0)
    """
    found, count = np.unique(KINDS[kind](urls)[0], return_counts=True)
    return Vocabulary(kind, found[count >= least])
