"""Custom-made features (Baykan et al. 2008, section 3.1): country codes, dictionaries, cities, hyphens.

The paper counts 74 features for five languages but names only their kinds. Here a language has 14: its country code as
the top-level domain, elsewhere before the first slash, and after it; tokens in its dictionary, its cities and its
trained dictionary, each in the whole URL, before and after the first slash; tokens in any of the three before and after
the first slash. Flags of .com, .org and .net and the number of hyphens make it 5 * 14 + 4 = 74: the paper's number, and
a list that has everything it names, though it may have divided them otherwise.

Results are reported for the 15 of its greedy selection, three for each language: is its country code before the first
slash, how many tokens are in its dictionary, how many in its trained dictionary. `Custom.best` are those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy  # .sparse is loaded where it is used, for that takes a tenth of a second

from graphlang.urls.tokens.token_position import HOST, PATH, SCHEME, TLD, zones
from graphlang.urls.tokens.tokenize import SHORTEST, STOP, hashes, runs, word_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.urls.baykan2008.lexicon import Lexicon

#: generic domains that have a flag each
GENERIC = ("com", "org", "net")
_LISTS = ("dictionary", "cities", "trained dictionary")
_ZONES = ("", " before the first /", " after the first /")
#: what is known of a language, in the order of the columns
KINDS = (
    "code is the TLD",
    "code before the first /",
    "code after the first /",
    *(f"tokens in {name}{zone}" for name in _LISTS for zone in _ZONES),
    *(f"tokens in any list{zone}" for zone in _ZONES[1:]),
)
#: of these, the paper's choice
BEST = ("code before the first /", "tokens in dictionary", "tokens in trained dictionary")
_HYPHEN = ord("-")


@dataclass(frozen=True)
class Custom:
    """What the features are computed from. The languages of the lists are numbered as in ``languages``."""

    languages: tuple[str, ...]
    codes: Lexicon  #: country codes (ccTLDs) of each language
    words: Lexicon  #: dictionary
    cities: Lexicon  #: names of cities
    trained: Lexicon  #: trained dictionary

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in the order of the columns of `counts`: kind by kind, then those of no language."""
        each = (f"{language}: {kind}" for kind in KINDS for language in self.languages)
        return (*each, *(f".{domain}" for domain in GENERIC), "hyphens")

    def chosen(self, *, every: bool = False) -> Chosen:
        """The paper's choice of features, or every one."""
        return Chosen(self, np.arange(len(self.names)) if every else self.best)

    @property
    def best(self) -> NDArray[np.int64]:
        """Columns of the paper's choice."""
        size = len(self.languages)
        return np.concatenate([np.arange(size) + KINDS.index(kind) * size for kind in BEST])

    def counts(self, urls: Sequence[str]) -> scipy.sparse.csr_matrix:
        """[URLs, features] counts and flags, float64."""
        return scipy.sparse.csr_matrix(scipy.sparse.hstack(list(self._columns(urls)), format="csr"))

    def _columns(self, urls: Sequence[str]) -> Iterator[scipy.sparse.csr_matrix]:
        tokens = runs(urls)
        zone, code, row = zones(tokens), word_hash(tokens), tokens.rows()
        before = (zone == HOST) | (zone == TLD)
        size = len(self.languages)

        def table(token: NDArray[np.int64], column: NDArray[np.int64], width: int) -> scipy.sparse.csr_matrix:
            ones = np.ones(len(token))
            found = scipy.sparse.csr_matrix((ones, (row[token], column)), shape=(len(urls), width))
            found.sum_duplicates()
            return found

        token, language = self.codes.find(code)
        for where in (zone == TLD, before, zone == PATH):
            held = where[token]
            flags = table(token[held], language[held], size)
            flags.data[:] = 1
            yield flags

        plain = np.flatnonzero(
            (zone != SCHEME) & (tokens.end - tokens.start >= SHORTEST) & ~np.isin(code, hashes(STOP))
        )
        pairs = []
        for lists in (self.words, self.cities, self.trained):
            token, language = lists.find(code[plain])
            pairs.append(plain[token] * size + language)
            for where in (None, before, ~before):
                held = slice(None) if where is None else where[plain[token]]
                yield table(plain[token][held], language[held], size)
        token, language = np.divmod(np.unique(np.concatenate(pairs)), max(size, 1))
        for where in (before, ~before):
            yield table(token[where[token]], language[where[token]], size)

        last = np.flatnonzero(zone == TLD)
        for domain in GENERIC:
            is_it = last[code[last] == hashes([domain])[0]]
            yield table(is_it, np.zeros(len(is_it), dtype=np.int64), 1)
        hyphen = np.searchsorted(np.flatnonzero(tokens.characters == _HYPHEN), tokens.first)
        yield scipy.sparse.csr_matrix(np.diff(hyphen).astype(np.float64)[:, None])


@dataclass(frozen=True, slots=True)
class Chosen:
    """Some of the custom features."""

    custom: Custom
    columns: NDArray[np.int64]

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in the order of the columns of `counts`."""
        names = self.custom.names
        return tuple(names[column] for column in self.columns)

    def counts(self, urls: Sequence[str]) -> scipy.sparse.csr_matrix:
        """[URLs, features] of the chosen columns."""
        return scipy.sparse.csr_matrix(self.custom.counts(urls)[:, self.columns])
