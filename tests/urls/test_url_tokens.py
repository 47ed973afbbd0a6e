"""Section 3.1 of Baykan et al. 2008: tokens and trigrams, computed by hand; and malformed URLs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.papers.baykan2008_features import hash_trigram_features, learn_vocabulary
from graphlang.urls.readable_text import MOST_CHARACTERS, make_readable
from graphlang.urls.tokens import (
    HOST,
    PATH,
    SCHEME,
    TLD,
    find_positions,
    find_runs,
    find_zones,
    hash_ngrams,
    hash_tokens,
    hash_words,
    join_letters,
    tokenize,
)


def test_the_paper_s_own_example() -> None:
    assert tokenize(["http://www.internetwordstats.com/africa2.htm"]).to_strings() == [
        "internetwordstats",
        "com",
        "africa",
    ]


def test_single_letters_digits_and_stop_tokens_are_dropped() -> None:
    tokens = tokenize(["https://www.a.example/1/index.html?b=Fr", "", "x", "http://de.example/"])
    assert tokens.to_strings() == ["example", "fr", "de", "example"]
    assert tokens.indptr.tolist() == [0, 2, 2, 2, 4]


def test_accents_and_case_are_folded_and_other_scripts_kept() -> None:
    assert tokenize(["/Actualités-ŁÓDŹ", "/Новости", "/漢字"]).to_strings() == ["actualites", "lodz", "новости", "漢字"]


def test_the_trigrams_of_weather() -> None:
    vocabulary = learn_vocabulary("trigrams", ["weather"])
    assert len(vocabulary.hashes) == 7  # _we wea eat ath the her er_
    # of "the": _th the he_; only "the" is a trigram of weather
    assert vocabulary.counts(["the"]).sum() == 1
    assert hash_trigram_features(["weather", "it", ""])[1].tolist() == [0, 7, 9, 9]  # it: _it it_


def test_no_ngram_crosses_from_one_token_to_the_next() -> None:
    apart, _ = hash_ngrams(tokenize(["ab-cd"]), 3)
    alone = np.concatenate([hash_ngrams(tokenize([word]), 3)[0] for word in ("ab", "cd")])
    assert sorted(apart.tolist()) == sorted(alone.tolist())


@pytest.mark.parametrize(("n", "count"), [(2, 4), (3, 3), (4, 2), (5, 1), (6, 0)])
def test_number_of_ngrams_of_a_word_of_three_letters(n: int, count: int) -> None:
    assert len(hash_ngrams(tokenize(["abc"]), n)[0]) == count  # _abc_ has 5 places


def test_an_ngram_of_one_letter_is_refused() -> None:
    with pytest.raises(ValueError, match="two letters"):
        hash_ngrams(tokenize(["abc"]), 1)


def test_the_line_of_letters_has_a_mark_around_every_token() -> None:
    letters, first = join_letters(tokenize(["ab.cd", "", "ef"]))
    assert letters.tobytes().decode("utf-16-le") == "\0ab\0cd\0ef\0"
    assert first.tolist() == [0, 6, 6, 9]


def test_a_word_has_the_same_hash_in_any_position() -> None:
    here = hash_tokens(tokenize(["http://fr.example/page", "page"]))
    assert here[2] == here[3] == hash_words(["PAGE"])[0]
    assert len(set(here.tolist())) == 3


def test_hashes_takes_words_only() -> None:
    with pytest.raises(ValueError, match="run of letters"):
        hash_words(["two words"])


@pytest.mark.parametrize(
    ("url", "zone"),
    [
        ("http://de.example.fr/it", [SCHEME, HOST, HOST, TLD, PATH]),
        ("http://me@host.fr:80/it", [SCHEME, SCHEME, HOST, TLD, PATH]),
        ("//host.fr?x.de", [HOST, TLD, PATH, PATH]),
        ("host.fr#it", [HOST, TLD, PATH]),
        ("http://127.0.0.1/de", [SCHEME, PATH]),
        ("localhost/de", [HOST, PATH]),
        ("a/b//c.de", [HOST, PATH, PATH, PATH]),
        ("http://", [SCHEME]),
    ],
)
def test_zones(url: str, zone: list[int]) -> None:
    assert find_zones(find_runs([url])).tolist() == zone
    # neighbours in the batch do not change the answer
    between = find_runs(["http://x.y/z", url, "q.r"])
    assert find_zones(between)[between.indptr[1] : between.indptr[2]].tolist() == zone


def _place(url: str, token: int) -> int:
    tokens = find_runs([url])
    return int(find_positions(tokens, find_zones(tokens))[token])


def test_places_tell_a_code_from_a_preposition() -> None:
    alone = _place("http://a.b/de/", 3)
    assert _place("http://a.b/de", 3) == _place("http://a.b/de?x", 3) == alone
    assert _place("http://a.b/casa-de-papel", 4) != alone
    assert _place("http://a.b/de-la", 3) != _place("http://a.b/x-de", 4)
    assert _place("http://a.b/pt-BR/", 3) == _place("http://a.b/pt_BR/", 3) == alone


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://xn--mnchen-3ya.de/", "http://münchen.de/"),
        ("/%D0%BC%D0%B8%D1%80", "/мир"),
        ("/caf%E9", "/café"),  # Latin-1
        ("/100%", "/100%"),
        ("/%zz%", "/%zz%"),
        ("http://xn--.de/", "http://.de/"),
        ("http://xn--\ud800.de/", None),
        ("data:text/html;base64,SGFsbG8=", ""),
        ("JavaScript:void(0)", ""),
        ("mailto:me@host.de", ""),
        ("", ""),
    ],
)
def test_readable(url: str, text: str | None) -> None:
    assert make_readable(url) == text or text is None


def test_a_character_cut_at_the_limit_leaves_the_rest_sound() -> None:
    assert make_readable("/" * (MOST_CHARACTERS - 4) + "%D0%BC") == "/" * (MOST_CHARACTERS - 4)


def test_a_megabyte_is_cut() -> None:
    tokens = tokenize(["ab" * 500_000, "http://b.fr/" + "%D0%BC" * 300_000])
    assert len(tokens.characters) <= 2 * (MOST_CHARACTERS + 1)


@given(st.lists(st.text(max_size=40) | st.from_regex(r"https?://[a-z.%-]{0,20}(/[%a-fA-F0-9]{0,12})?"), max_size=6))
def test_any_string_is_cut_into_tokens_that_do_not_depend_on_the_batch(urls: list[str]) -> None:
    together = tokenize(urls)
    words = together.to_strings()
    for number, url in enumerate(urls):
        assert words[together.indptr[number] : together.indptr[number + 1]] == tokenize([url]).to_strings()
    assert all(len(word) >= 2 for word in words)
