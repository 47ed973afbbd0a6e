"""Many URLs at once are split into the same hosts, domains and suffixes as one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest.links.canonical import HostNames, split_host, split_hosts
from graphlang.ingest.links.native import places as kernels
from graphlang.native.kernels import KernelError
from graphlang.public_suffix import MARKS, read_rules

if TYPE_CHECKING:
    from collections.abc import Callable

LABELS = st.sampled_from(["a", "b-1", "x_y", "-", "1", "A", "ä", "xn--p1ai", "", "a b", "%41", "@"])
NAMES = st.one_of(
    st.sampled_from(sorted(read_rules())),
    st.sampled_from(["example", "b1", "1.2.3.4", "[::1]", "com.", "city.kobe.jp", "kobe.jp", "github.io"]),
)
URLS = st.tuples(
    st.sampled_from(["http://", "https://", "HTTP://", "ftp://", "http:", "http://u@", ""]),
    st.lists(LABELS, max_size=3),
    NAMES,
    st.sampled_from(["", ":", ":8080", ":x", ":80:80"]),
    st.sampled_from(["/", "/x/y:z?a=b.co.uk", "", "?x/", "#/", "/ä"]),
).map(lambda parts: f"{parts[0]}{'.'.join([*parts[1], parts[2]])}{''.join(parts[3:])}")


@given(st.lists(URLS, max_size=8))
def test_they_are_those_of_each_url_alone(urls: list[str]) -> None:
    assert split_hosts(urls) == [split_host(url) for url in urls]


def test_every_rule_of_the_list_decides_as_it_does_for_one() -> None:
    urls = [f"http://{before}{name}/" for name in read_rules() for before in ("", "a.", "b-1.a.", "c.b-1.a.")]
    assert split_hosts(urls) == [split_host(url) for url in urls]


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("http://www.bbc.co.uk/news", HostNames("www.bbc.co.uk", "bbc.co.uk", "co.uk", "uk")),
        ("https://a.b.unknown:8080/", HostNames("a.b.unknown", "b.unknown", "unknown", "unknown")),
        ("http://www.city.kobe.jp/", HostNames("www.city.kobe.jp", "city.kobe.jp", "kobe.jp", "jp")),
        ("http://a.b.kobe.jp/", HostNames("a.b.kobe.jp", "a.b.kobe.jp", "b.kobe.jp", "jp")),
        ("http://co.uk/", HostNames("co.uk", None, "co.uk", "uk")),
        ("http://alice.github.io/", HostNames("alice.github.io", "alice.github.io", "github.io", "io")),
        ("http://localhost/", HostNames("localhost", None, None, None)),
        ("http://192.0.2.1/", HostNames("192.0.2.1", None, None, None)),
    ],
)
def test_places(url: str, where: HostNames) -> None:
    assert split_hosts([url, "http://a.example/", url]) == [
        where,
        HostNames("a.example", "a.example", "example", "example"),
        where,
    ]


def test_the_kernel_knows_the_kinds_of_rules() -> None:
    named = [kernels.PLACES_EXACT, kernels.PLACES_BELOW, kernels.PLACES_NOT]
    assert dict(zip(named, ["", "*.", "!"], strict=True)) == MARKS


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(MemoryError):
        kernels.places_new(b"a\0b\0", b"\1")
    table, some = kernels.places_new(b"a\0", b"\1"), memoryview(bytearray(4)).cast("i")
    with pytest.raises(KernelError, match="sizes of arrays do not fit their content"):
        kernels.places_find(table, b"http://a.b/\0http://a.b/\0", some, some, some, some, some)


def test_no_sanitiser_complains_of_places(under_sanitisers: Callable[..., str]) -> None:
    answer = under_sanitisers(Path(__file__).with_name("workout_places.py"))
    assert answer.startswith("went through")
