"""The features of Baykan et al. 2008, section 3.1: words, trigrams, and custom-made ones.

Words and trigrams are counts over a vocabulary that is learnt from the training URLs.

The paper counts 74 custom-made features for five languages but names only their kinds. Here a language has 14: its
country code as the top-level domain, elsewhere before the first slash, and after it; tokens in its dictionary, its
cities and its trained dictionary, each in the whole URL, before and after the first slash; tokens in any of the three
before and after the first slash. Flags of .com, .org and .net and the number of hyphens make it 5 * 14 + 4 = 74: the
paper's number, and everything that it names, though it may have divided them otherwise. Results are reported for the 15
of its greedy selection, three for each language: is its country code before the first slash, how many tokens are in its
dictionary, how many in its trained dictionary. `CustomFeatures.best` are those.

``data/url-lists.npz`` is made by ``tests/urls/make_lists.py``: the commonest words of running text, and cities of more
than 15,000 people from GeoNames (CC BY 4.0; the note of credit is beside the table).

ccTLD and ccTLD+ (section 3.2) answer with the language of the country that the host ends in. The paper lists the ccTLDs
of its five languages: `PAPER_CCTLDS`. For all other languages the official and main languages of a country come from
`graphlang.codes.languages.official`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # .sparse is loaded where it is used, for that takes a tenth of a second

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.modelfile import Model, ModelError, take
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
    """[URLs] the hash of the top-level domain of each URL's host; 0 where it has none (no dot, an IP address)."""
    tokens = find_runs(urls)
    last = np.flatnonzero(find_zones(tokens) == TLD)
    answer = np.zeros(len(urls), dtype=np.uint64)
    answer[tokens.rows()[last]] = hash_tokens(tokens)[last]
    return answer


def answer_from_cctld(urls: Sequence[str], *, plus: bool = False) -> NDArray[np.str_]:
    """[URLs] one of the paper's five languages, or the empty string.

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


_DOWN = np.uint64(32)


def shorten_hash(code: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The upper half of each hash."""
    return (code >> _DOWN).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Pairs of a word and a language that lists it, ascending by word, then by language."""

    word: NDArray[np.uint32]  #: [pairs]
    language: NDArray[np.int16]  #: [pairs] number of the language

    def find(self, code: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return every (token, language) such that the language lists the token, by token.

        Shapes: code [tokens].

        >>> german_and_french = Lexicon.of([hash_words(["haus", "wort"]), hash_words(["mot", "wort"])])
        >>> token, language = german_and_french.find(hash_words(["wort", "word", "haus"]))
        >>> token.tolist(), language.tolist()
        ([0, 0, 2], [0, 1, 0])
        """
        words = shorten_hash(code)
        begin = np.searchsorted(self.word, words)
        count = np.searchsorted(self.word, words, side="right") - begin
        token = np.repeat(np.arange(len(code)), count)
        offset = np.arange(len(token)) - np.repeat(np.cumsum(count) - count, count)
        return token, self.language[np.repeat(begin, count) + offset].astype(np.int64)

    def only(self, numbers: Sequence[int]) -> Lexicon:
        """The lists of some languages, renumbered in the order given; -1 is an empty list."""
        new = np.full(max(int(self.language.max(initial=-1)), *numbers, -1) + 2, -1, dtype=np.int16)
        for place, number in enumerate(numbers):
            if number >= 0:
                new[number] = place
        numbers_kept = new[self.language]
        return Lexicon._sort(self.word[numbers_kept >= 0], numbers_kept[numbers_kept >= 0])

    @classmethod
    def of(cls, lists: Iterable[NDArray[np.uint64]]) -> Lexicon:
        """Make a lexicon from the hashes of the words of each language."""
        words = [np.unique(shorten_hash(hashes)) for hashes in lists]
        language = np.repeat(np.arange(len(words)), [len(hashes) for hashes in words]).astype(np.int16)
        return cls._sort(np.concatenate([*words, np.zeros(0, dtype=np.uint32)]), language)

    @classmethod
    def from_words(cls, lists: Mapping[str, Iterable[str]], languages: Sequence[str]) -> Lexicon:
        """Make a lexicon from words as strings, each of letters only; languages without a list have an empty one."""
        return cls.of([hash_words(list(lists.get(language, ()))) for language in languages])

    @classmethod
    def _sort(cls, word: NDArray[np.uint32], language: NDArray[np.int16]) -> Lexicon:
        order = np.lexsort((language, word))
        return cls(word[order], language[order])


TRIGRAM = 3


def hash_word_features(urls: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hash of every token, and [urls + 1] where those of each URL start."""
    tokens = tokenize(urls)
    return hash_tokens(tokens), tokens.indptr


def hash_trigram_features(urls: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The hash of every trigram within the tokens, ends marked, and [urls + 1] where those of each URL start.

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
    """The features that training has seen."""

    kind: str  #: key of `COUNT_KINDS`
    hashes: NDArray[np.uint64]  #: ascending

    @property
    def names(self) -> tuple[str, ...]:
        """The hashes in hexadecimal: the words themselves are not kept."""
        return tuple(f"{code:016x}" for code in self.hashes.tolist())

    def counts(self, urls: Sequence[str]) -> scipy.sparse.csr_matrix:
        """[URLs, features] occurrences of each known feature in each URL."""
        hashes, first = COUNT_KINDS[self.kind](urls)
        place = np.searchsorted(self.hashes, hashes)
        is_known = np.append(self.hashes, np.uint64(0))[place] == hashes
        is_known &= place < len(self.hashes)
        counted = np.concatenate(([0], np.cumsum(is_known)))[first]
        shape = (len(urls), len(self.hashes))
        table = scipy.sparse.csr_matrix((np.ones(int(counted[-1])), place[is_known], counted), shape=shape)
        table.sum_duplicates()
        return table


def learn_vocabulary(kind: str, urls: Sequence[str], least: int = 1) -> UrlVocabulary:
    """Learn the features that occur ``least`` times or more in the URLs.

    >>> vocabulary = learn_vocabulary("words", ["http://a.de/haus/haus", "http://b.de/"])
    >>> vocabulary.counts(["http://haus.de/haus"]).sum()
    np.float64(3.0)
    """
    hashes, count = np.unique(COUNT_KINDS[kind](urls)[0], return_counts=True)
    return UrlVocabulary(kind, hashes[count >= least])


#: generic domains that have a flag each
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
#: of these, the paper's choice
PAPER_CHOICE = ("code before the first /", "tokens in dictionary", "tokens in trained dictionary")
_HYPHEN = ord("-")


@dataclass(frozen=True)
class CustomFeatures:
    """The lists behind the features; languages are numbered as in ``languages``."""

    languages: tuple[str, ...]
    codes: Lexicon  #: country codes (ccTLDs) of each language
    words: Lexicon  #: dictionary
    cities: Lexicon  #: names of cities
    trained: Lexicon  #: trained dictionary

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in the order of the columns of `counts`: kind by kind, then those of no language."""
        each = (f"{language}: {kind}" for kind in CUSTOM_KINDS for language in self.languages)
        return (*each, *(f".{domain}" for domain in GENERIC_DOMAINS), "hyphens")

    def choose(self, *, every: bool = False) -> ChosenFeatures:
        """The paper's choice of features, or every one."""
        return ChosenFeatures(self, np.arange(len(self.names)) if every else self.best)

    @property
    def best(self) -> NDArray[np.int64]:
        """Columns of the paper's choice."""
        size = len(self.languages)
        return np.concatenate([np.arange(size) + CUSTOM_KINDS.index(kind) * size for kind in PAPER_CHOICE])

    def counts(self, urls: Sequence[str]) -> scipy.sparse.csr_matrix:
        """[URLs, features] counts and flags, float64."""
        return scipy.sparse.csr_matrix(scipy.sparse.hstack(list(self._columns(urls)), format="csr"))

    def _columns(self, urls: Sequence[str]) -> Iterator[scipy.sparse.csr_matrix]:
        tokens = find_runs(urls)
        zone, code, row = find_zones(tokens), hash_tokens(tokens), tokens.rows()
        before = (zone == HOST) | (zone == TLD)
        size = len(self.languages)

        def table(token: NDArray[np.int64], column: NDArray[np.int64], width: int) -> scipy.sparse.csr_matrix:
            ones = np.ones(len(token))
            counts = scipy.sparse.csr_matrix((ones, (row[token], column)), shape=(len(urls), width))
            counts.sum_duplicates()
            return counts

        token, language = self.codes.find(code)
        for where in (zone == TLD, before, zone == PATH):
            held = where[token]
            flags = table(token[held], language[held], size)
            flags.data[:] = 1
            yield flags

        plain = np.flatnonzero(
            (zone != SCHEME) & (tokens.end - tokens.start >= SHORTEST_TOKEN) & ~np.isin(code, hash_words(STOP_WORDS))
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
        names = self.custom.names
        return tuple(names[column] for column in self.columns)

    def counts(self, urls: Sequence[str]) -> scipy.sparse.csr_matrix:
        """[URLs, features] of the chosen columns."""
        return scipy.sparse.csr_matrix(self.custom.counts(urls)[:, self.columns])


_FILE = Path(__file__).parents[1] / "data" / "url-lists.npz"
LISTS_METHOD = "url-lists"


def save_lists(path: Path, languages: Sequence[str], words: Lexicon, cities: Lexicon, about: dict[str, object]) -> str:
    """Write the table. Returns its SHA-256."""
    arrays: dict[str, NDArray[Any]] = {
        "word": words.word, "word_language": words.language, "city": cities.word, "city_language": cities.language,
    }  # fmt: skip
    return Model(LISTS_METHOD, tuple(languages), about, arrays).save(path)


@cache
def _read_lists() -> tuple[tuple[str, ...], Lexicon, Lexicon, str]:
    content, digest = modelfile.read(_FILE)
    if content.method != LISTS_METHOD:
        raise ModelError(f"{_FILE}: no table of words")
    words, cities = (
        Lexicon(
            take(content, name, "u", (None,), str(_FILE)), take(content, f"{name}_language", "i", (None,), str(_FILE))
        )
        for name in ("word", "city")
    )
    return content.labels, words, cities, digest


def digest_lists() -> str:
    """SHA-256 of the table, which a model compares with the lists of its training."""
    return _read_lists()[3]


def make_custom(languages: Sequence[str], trained: Lexicon) -> CustomFeatures:
    """The custom features of these languages, with trained dictionaries numbered in their order.

    >>> from graphlang.papers.baykan2008_features import CUSTOM_KINDS
    >>> made = make_custom(["deu", "fra"], Lexicon.of([]))
    >>> row = made.counts(["http://berlin.example.fr/das-haus"]).toarray()[0]
    >>> [name for name, value in zip(made.names, row) if value][:3]
    ['fra: code is the TLD', 'fra: code before the first /', 'deu: tokens in dictionary']
    """
    labels, words, cities, _ = _read_lists()
    place = {language: number for number, language in enumerate(labels)}
    numbers = [place.get(language, -1) for language in languages]
    codes = Lexicon.from_words(list_cctlds(languages), languages)
    return CustomFeatures(tuple(languages), codes, words.only(numbers), cities.only(numbers), trained)
