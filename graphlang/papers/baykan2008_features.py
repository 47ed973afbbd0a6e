"""The features of Baykan et al. 2008, section 3.1: words, trigrams, and custom-made ones.

Words and trigrams are counts over a vocabulary that is learnt from the training URLs.

The paper has 74 custom-made features for five languages but names only their kinds. Here a language has 14: its country
code as the top-level domain, elsewhere before the first slash, and after it; tokens in its dictionary, its cities and
its trained dictionary, each in the whole URL, before and after the first slash; tokens in any of the three before and
after the first slash. With flags for .com, .org and .net and the number of hyphens, these are 5 * 14 + 4 = 74 features,
the number of the paper, though its division may differ. The paper reports results for the 15 of its greedy selection,
three per language (`CustomFeatures.paper_columns`): whether the country code is before the first slash, and the number
of tokens in the dictionary and in the trained dictionary.

``tests/urls/make_lists.py`` makes ``data/url-lists.npz``: the commonest words of running text, and cities of more than
15,000 people from GeoNames (CC BY 4.0; the credit is in the same folder).

ccTLD and ccTLD+ (section 3.2) answer with the language of the country of the host. The paper lists the ccTLDs of its
five languages: `PAPER_CCTLDS`. For other languages, `graphlang.codes.territories.list_official_languages` has the
official and main languages of a country.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # scipy.sparse is imported on first use: it takes a tenth of a second

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.modelfile import Model, ModelError, take_array
from graphlang.urls.tokens import (
    HOST,
    PATH,
    SCHEME,
    SHORTEST_TOKEN,
    STOP_WORDS,
    TLD,
    find_runs,
    find_zones,
    hash_ngrams,
    hash_tokens,
    hash_words,
    tokenize,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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
    """Hash the top-level domain of each URL, [URLs]; 0 without one (no dot, an IP address)."""
    tokens = find_runs(urls)
    last = np.flatnonzero(find_zones(tokens) == TLD)
    answer = np.zeros(len(urls), dtype=np.uint64)
    answer[tokens.find_urls()[last]] = hash_tokens(tokens)[last]
    return answer


def answer_from_cctld(urls: Sequence[str], *, plus: bool = False) -> NDArray[np.str_]:
    """Answer with one of the five languages of the paper, or an empty string, [URLs].

    >>> answer_from_cctld(["http://www.example.at/", "http://example.com/"]).tolist()
    ['deu', '']
    >>> answer_from_cctld(["http://example.com/"], plus=True).tolist()
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

    `share` is the probability of the main language of a country, about 0.8 on the training URLs.
    """

    share = 0.8

    def __init__(self, *, plus: bool) -> None:
        self.name = "url-cctld+" if plus else "url-cctld"
        self.hash = ""  # there is no model
        table = _list_main_languages()
        if plus:
            table = {**table, **dict.fromkeys(PLUS_DOMAINS, "eng")}
        self.labels = tuple(sorted(set(table.values())))
        domains = hash_words(list(table))
        order = np.argsort(domains)
        self._domains = domains[order]
        self._column = np.array([self.labels.index(label) for label in table.values()])[order]

    def describe(self) -> dict[str, object]:
        """Describe the method, for the record of a run."""
        return {"method": self.name, "labels": len(self.labels), "share": self.share}

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Compute probabilities, (URLs, labels): `share` for the main language; uniform without a country."""
        size = len(self.labels)
        answer = np.full((len(urls), size), 1 / size, dtype=np.float32)
        decided = self.decisions(urls)
        answer[decided.any(axis=1)] = (1 - self.share) / (size - 1)
        answer[decided] = self.share
        return answer

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Accept the main language of the country, (urls, labels); none without a country."""
        domains = hash_top_level(urls)
        place = np.minimum(np.searchsorted(self._domains, domains), len(self._domains) - 1)
        rows = np.flatnonzero(self._domains[place] == domains)
        answer = np.zeros((len(urls), len(self.labels)), dtype=bool)
        answer[rows, self._column[place[rows]]] = True
        return answer


def list_cctlds(codes: Sequence[str]) -> dict[str, list[str]]:
    """List the ccTLDs of each language: those in the paper, else of the countries whose main language it is.

    >>> list_cctlds(["deu", "por"])["deu"]
    ['at', 'de']
    """
    cctlds: dict[str, list[str]] = {language: [] for language in codes}
    for domain, language in sorted(_list_main_languages().items()):
        if language in cctlds and (language not in PAPER_CCTLDS or domain in PAPER_CCTLDS[language]):
            cctlds[language].append(domain)
    return cctlds


@cache
def _list_main_languages() -> dict[str, str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    table = {
        a + b: official[0] for a in letters for b in letters if (official := languages.list_official_languages(a + b))
    }
    return {**table, **{domain: code for code, domains in PAPER_CCTLDS.items() for domain in domains}}


_DOWN = np.uint64(32)


def shorten_hash(code: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return the upper half of each hash."""
    return (code >> _DOWN).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Word lists: pairs of a word and a language that lists it, sorted by word, then by language."""

    word: NDArray[np.uint32]  #: [pairs]
    language: NDArray[np.int16]  #: [pairs] number of the language

    def find(self, code: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find every pair of a token and a language that lists it, sorted by token.

        Shapes: code [tokens].

        >>> german_and_french = Lexicon.from_hashes([hash_words(["haus", "wort"]), hash_words(["mot", "wort"])])
        >>> token, language = german_and_french.find(hash_words(["wort", "word", "haus"]))
        >>> token.tolist(), language.tolist()
        ([0, 0, 2], [0, 1, 0])
        """
        hashes = shorten_hash(code)
        begin = np.searchsorted(self.word, hashes)
        count = np.searchsorted(self.word, hashes, side="right") - begin
        token = np.repeat(np.arange(len(code)), count)
        offset = np.arange(len(token)) - np.repeat(np.cumsum(count) - count, count)
        return token, self.language[np.repeat(begin, count) + offset].astype(np.int64)

    def select(self, numbers: Sequence[int]) -> Lexicon:
        """Select lists by their numbers, and renumber them in this order; -1 is an empty list."""
        new = np.full(max(int(self.language.max(initial=-1)), *numbers, -1) + 2, -1, dtype=np.int16)
        for place, number in enumerate(numbers):
            if number >= 0:
                new[number] = place
        language = new[self.language]
        return Lexicon._sort(self.word[language >= 0], language[language >= 0])

    @classmethod
    def from_hashes(cls, lists: Iterable[NDArray[np.uint64]]) -> Lexicon:
        """Make a lexicon from the hashes of the words of each language."""
        word_lists = [np.unique(shorten_hash(hashes)) for hashes in lists]
        language = np.repeat(np.arange(len(word_lists)), [len(hashes) for hashes in word_lists]).astype(np.int16)
        return cls._sort(np.concatenate([*word_lists, np.zeros(0, dtype=np.uint32)]), language)

    @classmethod
    def from_words(cls, lists: Mapping[str, Iterable[str]], languages: Sequence[str]) -> Lexicon:
        """Make a lexicon from words, which have only letters; a language without a list gets an empty one."""
        return cls.from_hashes([hash_words(list(lists.get(language, ()))) for language in languages])

    @classmethod
    def _sort(cls, word: NDArray[np.uint32], language: NDArray[np.int16]) -> Lexicon:
        order = np.lexsort((language, word))
        return cls(word[order], language[order])


TRIGRAM = 3


def hash_word_features(urls: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hash every token; also return where the tokens of each URL start, [urls + 1]."""
    tokens = tokenize(urls)
    return hash_tokens(tokens), tokens.indptr


def hash_trigram_features(urls: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hash every trigram within tokens, ends marked; also return where those of each URL start, [urls + 1].

    >>> len(hash_trigram_features(["weather"])[0])  # _we wea eat ath the her er_
    7
    """
    return hash_ngrams(tokenize(urls), TRIGRAM)


#: the feature sets by the names that methods use
COUNT_KINDS: dict[str, Callable[[Sequence[str]], tuple[NDArray[np.uint64], NDArray[np.int64]]]] = {
    "words": hash_word_features,
    "trigrams": hash_trigram_features,
}


@dataclass(frozen=True, slots=True)
class UrlVocabulary:
    """The features of the training URLs."""

    kind: str  #: key of `COUNT_KINDS`
    hashes: NDArray[np.uint64]  #: ascending

    @property
    def names(self) -> tuple[str, ...]:
        """The hashes in hexadecimal: the model does not store the words."""
        return tuple(f"{code:016x}" for code in self.hashes.tolist())

    def counts(self, urls: Sequence[str]) -> scipy.sparse.csr_matrix:
        """Count the occurrences of each feature in each URL, [URLs, features]."""
        hashes, first = COUNT_KINDS[self.kind](urls)
        place = np.searchsorted(self.hashes, hashes)
        is_known = np.append(self.hashes, np.uint64(0))[place] == hashes
        is_known &= place < len(self.hashes)
        offsets = np.concatenate(([0], np.cumsum(is_known)))[first]
        shape = (len(urls), len(self.hashes))
        table = scipy.sparse.csr_matrix((np.ones(int(offsets[-1])), place[is_known], offsets), shape=shape)
        table.sum_duplicates()
        return table


def learn_vocabulary(kind: str, urls: Sequence[str], least_count: int = 1) -> UrlVocabulary:
    """Learn the features that occur at least `least_count` times in the URLs.

    >>> vocabulary = learn_vocabulary("words", ["http://a.de/haus/haus", "http://b.de/"])
    >>> vocabulary.counts(["http://haus.de/haus"]).sum()
    np.float64(3.0)
    """
    hashes, count = np.unique(COUNT_KINDS[kind](urls)[0], return_counts=True)
    return UrlVocabulary(kind, hashes[count >= least_count])


#: generic domains, each with a flag
GENERIC_DOMAINS = ("com", "org", "net")
_LISTS = ("dictionary", "cities", "trained dictionary")
_ZONES = ("", " before the first /", " after the first /")
#: the features of a language, in the order of the columns
CUSTOM_KINDS = (
    "code is the TLD",
    "code before the first /",
    "code after the first /",
    *(f"tokens in {name}{zone}" for name in _LISTS for zone in _ZONES),
    *(f"tokens in any list{zone}" for zone in _ZONES[1:]),
)
#: those that the paper selects
PAPER_CHOICE = ("code before the first /", "tokens in dictionary", "tokens in trained dictionary")
_HYPHEN = ord("-")


@dataclass(frozen=True)
class CustomFeatures:
    """The word lists of the features, numbered in the order of `languages`."""

    languages: tuple[str, ...]
    codes: Lexicon  #: country codes (ccTLDs) of each language
    dictionary: Lexicon
    cities: Lexicon  #: names of cities
    trained: Lexicon  #: trained dictionary

    @property
    def names(self) -> tuple[str, ...]:
        """The features in the order of the columns of `counts`: kind by kind, then those without a language."""
        each = (f"{language}: {kind}" for kind in CUSTOM_KINDS for language in self.languages)
        return (*each, *(f".{domain}" for domain in GENERIC_DOMAINS), "hyphens")

    def choose(self, *, all_features: bool = False) -> ChosenFeatures:
        """Choose the features that the paper selects, or all of them."""
        return ChosenFeatures(self, np.arange(len(self.names)) if all_features else self.paper_columns)

    @property
    def paper_columns(self) -> NDArray[np.int64]:
        """The columns of the features that the paper selects."""
        size = len(self.languages)
        return np.concatenate([np.arange(size) + CUSTOM_KINDS.index(kind) * size for kind in PAPER_CHOICE])

    def counts(self, urls: Sequence[str]) -> scipy.sparse.csr_matrix:
        """Count features and set flags, [URLs, features]."""
        return scipy.sparse.csr_matrix(scipy.sparse.hstack(list(self._count_columns(urls)), format="csr"))

    def _count_columns(self, urls: Sequence[str]) -> Iterator[scipy.sparse.csr_matrix]:
        tokens = find_runs(urls)
        zone, code, row = find_zones(tokens), hash_tokens(tokens), tokens.find_urls()
        is_host = (zone == HOST) | (zone == TLD)
        size = len(self.languages)

        def table(token: NDArray[np.int64], column: NDArray[np.int64], width: int) -> scipy.sparse.csr_matrix:
            ones = np.ones(len(token))
            counts = scipy.sparse.csr_matrix((ones, (row[token], column)), shape=(len(urls), width))
            counts.sum_duplicates()
            return counts

        token, language = self.codes.find(code)
        for in_zone in (zone == TLD, is_host, zone == PATH):
            held = in_zone[token]
            flags = table(token[held], language[held], size)
            flags.data[:] = 1
            yield flags

        plain = np.flatnonzero(
            (zone != SCHEME) & (tokens.end - tokens.start >= SHORTEST_TOKEN) & ~np.isin(code, hash_words(STOP_WORDS))
        )
        pairs = []
        for lists in (self.dictionary, self.cities, self.trained):
            token, language = lists.find(code[plain])
            pairs.append(plain[token] * size + language)
            for in_zone in (None, is_host, ~is_host):
                held = slice(None) if in_zone is None else in_zone[plain[token]]
                yield table(plain[token][held], language[held], size)
        token, language = np.divmod(np.unique(np.concatenate(pairs)), max(size, 1))
        for in_zone in (is_host, ~is_host):
            yield table(token[in_zone[token]], language[in_zone[token]], size)

        last = np.flatnonzero(zone == TLD)
        for domain in GENERIC_DOMAINS:
            is_it = last[code[last] == hash_words([domain])[0]]
            yield table(is_it, np.zeros(len(is_it), dtype=np.int64), 1)
        hyphen = np.searchsorted(np.flatnonzero(tokens.characters == _HYPHEN), tokens.first)
        yield scipy.sparse.csr_matrix(np.diff(hyphen).astype(np.float64)[:, None])


@dataclass(frozen=True, slots=True)
class ChosenFeatures:
    """A selection of the custom features."""

    custom: CustomFeatures
    columns: NDArray[np.int64]

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in the order of the columns of `counts`."""
        all_names = self.custom.names
        return tuple(all_names[column] for column in self.columns)

    def counts(self, urls: Sequence[str]) -> scipy.sparse.csr_matrix:
        """Count the chosen features, [URLs, features]."""
        return scipy.sparse.csr_matrix(self.custom.counts(urls)[:, self.columns])


_FILE = Path(__file__).parents[1] / "data" / "url-lists.npz"
LISTS_METHOD = "url-lists"


def save_lists(
    path: Path, languages: Sequence[str], dictionary: Lexicon, cities: Lexicon, about: dict[str, object]
) -> str:
    """Write the file of word lists, and return its SHA-256."""
    arrays: dict[str, NDArray[Any]] = {
        "word": dictionary.word,
        "word_language": dictionary.language,
        "city": cities.word,
        "city_language": cities.language,
    }
    return Model(LISTS_METHOD, tuple(languages), about, arrays).save(path)


@cache
def _read_lists() -> tuple[tuple[str, ...], Lexicon, Lexicon, str]:
    content, digest = modelfile.read(_FILE)
    if content.method != LISTS_METHOD:
        raise ModelError(f"{_FILE}: no file of word lists")
    dictionary, cities = (
        Lexicon(
            take_array(content, name, "u", (None,), str(_FILE)),
            take_array(content, f"{name}_language", "i", (None,), str(_FILE)),
        )
        for name in ("word", "city")
    )
    return content.labels, dictionary, cities, digest


def digest_lists() -> str:
    """Return the SHA-256 of the word lists, which must be those of a model's training."""
    return _read_lists()[3]


def make_custom(languages: Sequence[str], trained: Lexicon) -> CustomFeatures:
    """Make the custom features of languages, with trained dictionaries in the same order.

    >>> features = make_custom(["deu", "fra"], Lexicon.from_hashes([]))
    >>> row = features.counts(["http://berlin.example.fr/das-haus"]).toarray()[0]
    >>> [name for name, value in zip(features.names, row) if value][:3]
    ['fra: code is the TLD', 'fra: code before the first /', 'deu: tokens in dictionary']
    """
    labels, dictionary, cities, _ = _read_lists()
    place = {language: number for number, language in enumerate(labels)}
    numbers = [place.get(language, -1) for language in languages]
    codes = Lexicon.from_words(list_cctlds(languages), languages)
    return CustomFeatures(tuple(languages), codes, dictionary.select(numbers), cities.select(numbers), trained)
