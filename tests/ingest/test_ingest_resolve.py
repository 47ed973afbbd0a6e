"""The kernel that joins references gives the library's answer, or none; what it merges is what a dictionary would."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphlang.db.records import pack_texts, unpack_texts
from graphlang.ingest.links import resolve
from graphlang.ingest.links.canonical import canonical_url
from graphlang.ingest.links.resolve import Joiner

if TYPE_CHECKING:
    from collections.abc import Callable

BASE = "http://a.example/b/c/d?q"
BASES = (
    BASE,
    "https://a.example:8080/",
    "http://a.example/x.html",
    "http://a.example/x/?a/b",
    "https://a.example/b//c/",
    "http://a.example:443/b/c;d",
)
PIECES = st.lists(
    st.sampled_from(
        [
            *("a", "B", "1", ".", "..", "/", "//", "/../", "/./", "?", "#", "%2e", "%2E.", "%41", "%", "-", "--", "_"),
            *("~", ":", ":80", ":443", ":8080", ":0080", ":99999", "@", "[", "]", "http:", "https://", "HTTP://"),
            *("mailto:", "c.example", "C.Example", "xn--", "0x7f", "1.2", "a.1b", "example.", " ", "\t", "\n", "\x0b"),
            *("\x1c", "\x00", "\x7f", "\x85", "\xa0", "\u2003", "\u3000", "ä", "ж", "日", "😀", "\ud800", "\\", ","),
            *(";", "=", "&", "'", '"', "<", ">", "`", "{", "|", "}", "^", "!", "$", "(", "*", "+"),
        ]
    ),
    max_size=10,
).map("".join)


def resolve_one(written: str, base: str) -> str | None:
    stripped = written.strip()
    return canonical_url(stripped, base) if stripped and not stripped.startswith("#") else None


@given(PIECES, st.sampled_from(BASES))
@example("a/../..//./%2e./b", BASE)
@example("//C.example:443/..?'", "https://a.example:8080/")
@example("http://a.example:080/", BASE)
@example("\u3000a", BASE)
@example("a ?b #c", BASE)
@example("a/%2E%2e/b", BASE)
@example("/a^b?a^b|`", BASE)
def test_joining_many_is_joining_each(written: str, base: str) -> None:
    expected = resolve_one(written, base)
    joiner = Joiner()
    assert joiner.join([written], base) == [expected]
    assert joiner.join([written, "x", written], base)[::2] == [expected, expected]


@given(st.sampled_from(["", " ", "http:", "http://", "HTTPS://", "https://a.example", "http://a.example/"]), PIECES)
@example("http://", "a.example/x#y\0z")
@example("http://", "\0a.example/")
@example("http://", "a.example /")
@example("http://a.example/", "\u2003")
def test_an_absolute_url_is_the_librarys(before: str, behind: str) -> None:
    assert Joiner().make_absolute(before + behind) == canonical_url(before + behind)


@given(st.text(max_size=60))
def test_any_text_joins_or_not_but_never_raises(written: str) -> None:
    (url,) = Joiner().join([written], BASE)
    assert url is None or canonical_url(url) == url


@pytest.mark.parametrize("base", ["http://a.example", "about:blank", "http://", "http://ä.example/", "", "http://a b/"])
def test_a_base_that_is_not_canonical_is_left_to_the_library(base: str) -> None:
    assert Joiner().join(["x", "//b.example"], base) == [resolve_one("x", base), resolve_one("//b.example", base)]


def test_a_zero_within_a_reference_parts_nothing() -> None:
    joined = Joiner().join(["a\0b", "\0c\0", "d"], "http://a.example/")
    assert joined == ["http://a.example/a%00b", "http://a.example/c", "http://a.example/d"]
    merged = Joiner().merge(pack_texts(["a\0b", "c"]), BASE, seeds=b"", max_url=99, max_links=9)
    assert unpack_texts(merged.targets) == ["http://a.example/b/c/a%00b", "http://a.example/b/c/c"]


def test_unusual_references_are_remembered_until_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolve, "_CACHE_SIZE", 10)
    joiner = Joiner()
    for number in range(100):
        assert joiner.join([f"p\t{number}", f"../{number}"], BASE) == [
            f"http://a.example/b/c/p{number}",
            f"http://a.example/b/{number}",
        ]
        assert 1 <= len(joiner._cache) <= 10
    before = len(joiner._cache)
    joiner.join(["\t".join("x" * 1_000)], BASE)
    assert len(joiner._cache) == before  # one that is long is not worth the memory


@given(
    st.lists(st.text("abä.\t#/:", max_size=4), max_size=30),
    st.lists(st.sampled_from([f"{BASE[:21]}{name}" for name in ("", "a", "b", "ab")]), unique=True),
    st.integers(20, 30),
    st.integers(0, 6),
)
def test_merging_is_what_a_dictionary_would_do(written: list[str], seeds: list[str], longest: int, most: int) -> None:
    targets: list[str] = []
    hit, too_long, skipped = set(), 0, 0
    for url in (resolve_one(reference, BASE) for reference in written):
        if url in seeds:
            hit.add(url)
        elif url is None or url in targets:
            continue
        elif len(url) > longest:
            too_long += 1
        elif len(targets) >= most:
            skipped += 1
        else:
            targets.append(url)
    merged = Joiner().merge(pack_texts(written), BASE, seeds=pack_texts(seeds), max_url=longest, max_links=most)
    assert unpack_texts(merged.targets) == targets if targets else not merged.targets
    assert merged.distinct == len(targets)
    assert {seed for seed, byte in zip(seeds, merged.hits, strict=True) if byte} == hit
    assert (merged.too_long, merged.skipped) == (too_long, skipped)


def test_thousands_of_targets_are_kept_apart() -> None:
    joiner = Joiner()
    written = [f"/{number % 20_000}" for number in range(40_000)]
    for _ in range(2):  # what the first page needed is gone
        merged = joiner.merge(pack_texts(written), BASE, seeds=pack_texts([BASE]), max_url=99, max_links=30_000)
        assert unpack_texts(merged.targets) == [f"http://a.example/{number}" for number in range(20_000)]


def test_no_sanitiser_complains_of_the_joiner(under_sanitisers: Callable[..., str]) -> None:
    answer = under_sanitisers(Path(__file__).with_name("workout_links.py"))
    assert answer.startswith("went through ")


PLAIN = st.sampled_from(
    ["a", "b-c", "x--y", "-a", "1", "0x1f", "xn--a", ".", "..", "/", "//", "~", "_", "%41", "é", "A"]
)


@given(
    st.sampled_from(["http://", "https://", "HTTP://", "http:/"]),
    st.lists(PLAIN, max_size=4).map(".".join),
    st.sampled_from(["a.example", "localhost", "a.example:80", "1.2", "a.b1", "a-.de", ""]),
    st.lists(PLAIN | st.sampled_from(["?", "=", "&", "#", "+", ";", "'", " "]), max_size=8).map("".join),
)
@example("http://", "www", "a.example", "/a/b.html?c=d/../e")
@example("http://", "www", "a.example", " #")  # a blank that does not stand at the end
def test_a_url_that_looks_canonical_is_as_the_library_writes_it(scheme: str, before: str, host: str, path: str) -> None:
    for url in (f"{scheme}{host}/{path}", f"{scheme}{before}.{host}/{path}", f"{scheme}{before}.{host}{path}"):
        assert Joiner().make_absolute(url) == canonical_url(url)
