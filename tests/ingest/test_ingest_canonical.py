from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publicsuffixlist import PublicSuffixList

from graphlang import public_suffix as suffixes
from graphlang.ingest.links.canonical import canonical_url, host, public_suffix, split_host, tld
from graphlang.public_suffix import find_registered_domain

BASE = "http://a.example/b/c/d?q"


@pytest.mark.parametrize(
    ("written", "url"),
    [
        # RFC 3986, section 5.4, on our base
        ("g", "http://a.example/b/c/g"),
        ("./g", "http://a.example/b/c/g"),
        ("g/", "http://a.example/b/c/g/"),
        ("/g", "http://a.example/g"),
        ("//g.example", "http://g.example/"),
        ("?y", "http://a.example/b/c/d?y"),
        ("g?y", "http://a.example/b/c/g?y"),
        ("#s", "http://a.example/b/c/d?q"),
        ("g#s", "http://a.example/b/c/g"),
        ("..", "http://a.example/b/"),
        ("../g", "http://a.example/b/g"),
        ("../../../g", "http://a.example/g"),
        ("/./g", "http://a.example/g"),
        ("g;x=1/../y", "http://a.example/b/c/y"),
        # the WHATWG's own rules
        ("  HTTPS://B.Example:443/%7Ex ", "https://b.example/%7Ex"),
        ("http:\\\\b.example\\x", "http://b.example/x"),
        ("http://b.example:8080", "http://b.example:8080/"),
        ("/a b\tc\n", "http://a.example/a%20bc"),
        ("/ä?ä", "http://a.example/%C3%A4?%C3%A4"),
        ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("/\ud800", "http://a.example/%EF%BF%BD"),
        ("http://b\ud800.example/", None),
        # our own
        ("http://user:secret@b.example/@x", "http://b.example/@x"),
        ("mailto:a@b.example", None),
        ("javascript:void(0)", None),
        ("data:text/html,x", None),
        ("ftp://b.example/", None),
        ("http://", None),
        ("http://a b/", None),
        ("http://[::1/", None),
        ("/" + "x" * 100_000, None),
    ],
)
def test_canonical_urls(written: str, url: str | None) -> None:
    assert canonical_url(written, BASE) == url


def test_a_canonical_url_is_its_own_canonical_form() -> None:
    assert canonical_url("http://a.example") == "http://a.example/"
    assert canonical_url("http://a.example/") == "http://a.example/"
    assert canonical_url("a.example/") is None


@pytest.mark.parametrize(
    ("url", "name", "domain", "suffix", "top"),
    [
        ("http://www.bbc.co.uk/x", "www.bbc.co.uk", "bbc.co.uk", "co.uk", "uk"),
        ("http://a.b.example.de:81/", "a.b.example.de", "example.de", "de", "de"),
        ("http://someone.github.io/", "someone.github.io", "someone.github.io", "github.io", "io"),
        ("http://co.uk/", "co.uk", None, "co.uk", "uk"),
        ("http://localhost/", "localhost", None, None, None),
        ("http://192.0.2.1:80/", "192.0.2.1", None, None, None),
        ("http://[2001:db8::1]:80/", "[2001:db8::1]", None, None, None),
        ("http://xn--mnchen-3ya.de/", "xn--mnchen-3ya.de", "xn--mnchen-3ya.de", "de", "de"),
        ("http://a.example./", "a.example.", "a.example", "example", "example"),
        ("http://a.example?q", "a.example", "a.example", "example", "example"),
    ],
)
def test_host_and_what_it_belongs_to(
    url: str, name: str, domain: str | None, suffix: str | None, top: str | None
) -> None:
    assert host(url) == name
    assert (find_registered_domain(name), public_suffix(name), tld(name)) == (domain, suffix, top)


LIST = PublicSuffixList()
ICANN = PublicSuffixList(only_icann=True)
# Not of digits: four of these are an address, which has no suffix.
LABELS = [
    label
    for label in sorted({label for rule in LIST._publicsuffix for label in rule.lstrip("!").split(".")} - {"*"})[::40]
    if not label.isdigit()
]
NAMES = st.one_of(
    st.sampled_from(sorted(rule.lstrip("!").replace("*", "any") for rule in LIST._publicsuffix)),
    st.lists(st.sampled_from(["www", "kobe", "city", "ck", "jp", "uk", "co", "github", "io", *LABELS]), min_size=1).map(
        ".".join
    ),
)


@given(st.lists(st.sampled_from(["a", "www", "b-c"]), max_size=4), NAMES)
def test_suffixes_and_domains_are_those_that_the_library_finds(before: list[str], name: str) -> None:
    name = ".".join([*before, name])
    where = split_host(f"http://{name}:80/x")
    expected = (LIST.privatesuffix(name), LIST.publicsuffix(name)) if "." in name else (None, None)
    assert (where.domain, where.suffix) == expected
    assert (find_registered_domain(name), public_suffix(name)) == expected
    assert (where.host, where.tld) == (name, tld(name))
    assert split_host(f"http://{name}/x") == where  # by the name above it, where that tells
    assert find_registered_domain(name, private=False) == (ICANN.privatesuffix(name) if "." in name else None)


@pytest.mark.parametrize(
    "url",
    [
        *("http://1.2.3.4/", "http://a.b.3.4/", "http://[::1]/", "http://a.b.example./", "http://a.b.example"),
        *("http://a/", "http://www.city.kobe.jp/", "http://any.kobe.jp/", "http://a.any.kobe.jp/"),
        "http://b.github.io/x/y.z.w/",
    ],
)
def test_where_a_page_is_follows_from_its_host(url: str) -> None:
    where, name = split_host(url), host(url)
    assert where == (name, find_registered_domain(name), public_suffix(name), tld(name))


def test_rules_are_those_that_the_library_reads() -> None:
    rules = set()
    for name, kinds in suffixes.read_rules().items():
        rules |= {mark + name for kind, mark in suffixes.MARKS.items() if kinds & kind}
    assert rules == LIST._publicsuffix
