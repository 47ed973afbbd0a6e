"""ccTLD and ccTLD+ (Baykan et al. 2008, section 3.2): the language of the country that the host ends in.

The paper lists the ccTLDs of its five languages: `PAPER_CCTLDS`. For all other languages the official and main
languages of a country come from `graphlang.codes.languages.official`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from graphlang.codes import languages
from graphlang.urls.tokens import TLD, find_runs, find_zones, hash_tokens, hash_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


#: the ccTLDs of section 3.2
PAPER_CCTLDS: Mapping[str, tuple[str, ...]] = {
    "fra": ("fr", "tn", "dz", "mg"),
    "deu": ("de", "at"),
    "ita": ("it",),
    "spa": ("es", "cl", "mx", "ar", "co", "pe", "ve"),
    "eng": ("au", "ie", "nz", "us", "gov", "mil", "gb", "uk"),
}
#: what ccTLD+ adds to English
PLUS_DOMAINS = ("com", "org")


def hash_top_level(urls: Sequence[str]) -> NDArray[np.uint64]:
    """[URLs] the hash of the top-level domain of each URL's host; 0 where it has none (no dot, an IP address)."""
    tokens = find_runs(urls)
    last = np.flatnonzero(find_zones(tokens) == TLD)
    answer = np.zeros(len(urls), dtype=np.uint64)
    answer[tokens.rows()[last]] = hash_tokens(tokens)[last]
    return answer


def paper_cctld(urls: Sequence[str], *, plus: bool = False) -> NDArray[np.str_]:
    """[URLs] one of the paper's five languages, or the empty string.

    >>> paper_cctld(["http://www.example.at/", "http://example.com/"]).tolist()
    ['deu', '']
    >>> paper_cctld(["http://example.com/"], plus=True).tolist()
    ['eng']
    """
    hashes = hash_top_level(urls)
    answer = np.full(len(urls), "", dtype="<U3")
    for language, domains in PAPER_CCTLDS.items():
        listed = domains + PLUS_DOMAINS if plus and language == "eng" else domains
        answer[np.isin(hashes, hash_words(listed))] = language
    return answer


class CcTld:
    """ccTLD for all languages, as a method of graphlang.

    `share` is the probability of the main language of a country; on the training URLs it is about .8.
    """

    def __init__(self, *, plus: bool, share: float = 0.8) -> None:
        self.name = "url-cctld+" if plus else "url-cctld"
        self.hash = ""  # there is no model
        self.share = share
        table = _main_languages()
        if plus:
            table = {**table, **dict.fromkeys(PLUS_DOMAINS, "eng")}
        self.labels = tuple(sorted(set(table.values())))
        domains = hash_words(list(table))
        order = np.argsort(domains)
        self._domains = domains[order]
        self._column = np.array([self.labels.index(label) for label in table.values()])[order]

    def describe(self) -> dict[str, object]:
        """The parameters, for the record of a run."""
        return {"method": self.name, "labels": len(self.labels), "share": self.share}

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Float32 (URLs, labels): `share` for the country's main language; evenly spread where there is no country."""
        size = len(self.labels)
        answer = np.full((len(urls), size), 1 / size, dtype=np.float32)
        decided = self.decisions(urls)
        answer[decided.any(axis=1)] = (1 - self.share) / (size - 1)
        answer[decided] = self.share
        return answer

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Yes for the country's main language, (urls, labels); only no where there is no country."""
        domains = hash_top_level(urls)
        place = np.minimum(np.searchsorted(self._domains, domains), len(self._domains) - 1)
        rows = np.flatnonzero(self._domains[place] == domains)
        answer = np.zeros((len(urls), len(self.labels)), dtype=bool)
        answer[rows, self._column[place[rows]]] = True
        return answer


def list_cctlds(languages_wanted: Sequence[str]) -> dict[str, list[str]]:
    """The ccTLDs of each language: the paper's for its five, elsewhere those of countries whose main language it is.

    >>> list_cctlds(["deu", "por"])["deu"]
    ['at', 'de']
    """
    cctlds: dict[str, list[str]] = {language: [] for language in languages_wanted}
    for domain, language in sorted(_main_languages().items()):
        if language in cctlds and (language not in PAPER_CCTLDS or domain in PAPER_CCTLDS[language]):
            cctlds[language].append(domain)
    return cctlds


@cache
def _main_languages() -> dict[str, str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    table = {a + b: official[0] for a in letters for b in letters if (official := languages.official(a + b))}
    return {**table, **{domain: code for code, domains in PAPER_CCTLDS.items() for domain in domains}}
