"""Custom-made features (Baykan et al. 2008, section 3.1): country codes, dictionaries, cities, hyphens.

The paper ends up with 74 features for five languages but names only their kinds, and reports results for the 15 of its
greedy selection: for each language, is its country code before the first slash, how many tokens are in its dictionary,
how many in its trained dictionary. `Custom.names` lists ours; `Custom.best` marks the 15 (three for each language).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.places import HOST, PATH, SCHEME, TLD, zones
from graphlang.urls.tokens import SHORTEST, STOP, hashes, runs, word_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

#: generic domains that have a flag each
GENERIC = ("com", "org", "net")
_HYPHEN = ord("-")


@dataclass(frozen=True)
class Custom:
    """What the features are computed from. All arrays are hashes of tokens (`tokens.hashes`)."""

    languages: tuple[str, ...]
    codes: Mapping[str, NDArray[np.uint64]]  #: country codes (ccTLDs) of each language
    words: Mapping[str, NDArray[np.uint64]]  #: dictionary
    trained: Mapping[str, NDArray[np.uint64]]  #: trained dictionary
    cities: Mapping[str, NDArray[np.uint64]] = field(default_factory=dict)  #: names of cities; none, no such features

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in the order of the columns of `values`."""
        kinds = ["code is the TLD", "code before the first /", "code after the first /"]
        for lists in ("dictionary", "trained dictionary", *(("cities",) if self.cities else ())):
            kinds += [f"tokens in {lists}", f"tokens in {lists} before the first /"]
        each = [f"{language}: {kind}" for language in self.languages for kind in kinds]
        return (*each, *(f".{domain}" for domain in GENERIC), "hyphens")

    @property
    def best(self) -> NDArray[np.int64]:
        """Columns of the paper's choice: code before the first slash, dictionary, trained dictionary."""
        ends = ("code before the first /", "tokens in dictionary", "tokens in trained dictionary")
        return np.array([n for n, name in enumerate(self.names) if name.endswith(tuple(f": {end}" for end in ends))])

    def values(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """[URLs, features] counts and flags."""
        tokens = runs(urls)
        zone = zones(tokens)
        code, row = word_hash(tokens), tokens.rows()
        before = (zone == HOST) | (zone == TLD)
        plain = (zone != SCHEME) & (tokens.end - tokens.start >= SHORTEST) & ~np.isin(code, hashes(STOP))

        def count(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
            return np.bincount(row[chosen], minlength=len(urls))

        columns: list[NDArray[np.bool_ | np.int64]] = []
        for language in self.languages:
            own = np.isin(code, self.codes[language])
            columns += [count(own & (zone == TLD)) > 0, count(own & before) > 0, count(own & (zone == PATH)) > 0]
            for lists in (self.words, self.trained, *((self.cities,) if self.cities else ())):
                held = np.isin(code, lists[language]) & plain
                columns += [count(held), count(held & before)]
        columns += [count((code == hashes([domain])[0]) & (zone == TLD)) > 0 for domain in GENERIC]
        hyphen = np.searchsorted(np.flatnonzero(tokens.characters == _HYPHEN), tokens.first)
        columns.append(np.diff(hyphen))
        return np.stack(columns, axis=1).astype(np.float32)
