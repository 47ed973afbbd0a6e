"""Pages read in two calls of C are those that the parser makes of them step by step, or are left to it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest.limits import Limits
from graphlang.ingest.native import ordinary_page as kernels
from graphlang.ingest.page import Parser
from graphlang.ingest.payload.http import AnswerSplitter
from graphlang.ingest.raw import RawRecord
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.db.records import Page

FUZZ = Path(__file__).parents[1] / "fuzz"
NARROW = Limits(max_links=5, max_url=60, max_depth=6, text_limit=40, title_limit=9)
WIDE = Limits()
HEAD = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %b\r\nWARC-Date: %b\r\nWARC-Payload-Digest: %b\r\n"
    b"Content-Length: 99\r\n\r\n"
)
URLS = st.sampled_from(
    [
        *(b"http://a.example/b/c?d", b"HTTP://A.example/../x#y", b"<https://a.example/>"),
        *(b"http://a.example/" + b"z" * 60, b"https:a.example", b"http://b\xc3\xbc.example/", b"ftp://a.example/"),
        *(b"", b"http://[", b"http://a.example/\t"),
    ]
)
DATES = st.sampled_from([b"2026-11-21T00:00:00Z", b"2026", b"", b"yesterday", b"20261121000000"])
DIGESTS = st.sampled_from([b"sha1:" + b"a" * 32, b"SHA1:" + b"0f" * 20, b"sha1:x", b"md5:" + b"a" * 32, b""])
FIELDS = st.sampled_from(
    [
        *(b"X-Robots-Tag: noindex", b"X-Robots-Tag: nofollow", b"Content-Language: de"),
        *(b"Link: <http://c.example/>; rel=canonical", b"X: y", b"Link: </wp-json/>; rel=https://api.w.org/"),
        *(b"Refresh: 0; url=/x", b"Location: /moved", b"Content-Encoding: gzip", b"Transfer-Encoding: chunked"),
    ]
)
TYPES = st.sampled_from(
    [
        *(b"text/html; charset=utf-8", b"text/html", b"TEXT/HTML;charset=UTF8", b"text/html; charset=iso-8859-1", b""),
        *(b"application/xhtml+xml; charset=utf-8", b"text/plain; charset=utf-8", b"image/png", b"text/html; charset=x"),
    ]
)
FRAGMENTS = st.sampled_from(
    [
        *("<title>", "<title>GrÃ¼ÃŸe, ", "</title>", "A &amp; \u00ad B\n c", "<html lang=de>"),
        *("<html xml:lang='pt-BR' lang=''>", "<base href=/sub/>", "<meta charset=utf-8>", "<meta charset=koi8-r>"),
        *("<meta name=robots content='noindex, nofollow'>", "<meta http-equiv=refresh content='1; url=/r'>"),
        *("<meta http-equiv=refresh content=30>", "<?xml encoding='utf-8'?>"),
        *("<meta http-equiv=content-language content=fr>", "<meta name=description content=x>", "<!doctype html>"),
        *("<!-- x -->", "<a href=x>", "<a href='/y?z'>", "</a>", "<a href=//b.example rel=nofollow>"),
        *("<a href=/de hreflang=de>", "<a href='#'>", "<a href='http://ü.example/'>", "<a href='http://u@b.example'>"),
        *("<a href=mailto:x>", "<area href=q>", "<iframe src=i>", "<link rel=alternate hreflang=fr href=/fr>"),
        *("<link rel=canonical href=/c>", "<frameset><frame src=f>", "<nav>Home</nav>", "<header>Top"),
        *("<footer>End</footer>", "<li><a href=/1>English</a>", "<li><a href=/2>Deutsch</a>", "<p>", "<div>"),
        *("</div>", "<ul>", "</ul>", "Grüße aus Köln ", "GrÃ¼ÃŸe aus KÃ¶ln, ", "<img alt='Ã¼ber Ã¤hnliche GrÃ¶ÃŸen'>"),
        *("Ð\u009fÑ€Ð¸Ð²ÐµÑ‚ ", "\u65e5\u672c\u8a9e ", "word " * 30, "\0", "&#0;", "\x1b", "~{"),
        *("<a href=/" + "l" * 70 + ">", "<article>", "<main>", "</main>", "\ufeff", " ", "\n", "\t<", "x\u2003y"),
        "long " * 2500,
    ]
)
BODIES = st.lists(FRAGMENTS, max_size=14).map(lambda parts: "".join(parts).encode())
DAMAGE = st.sampled_from([b"", b"", b"", b"\xff", b"\xc3", b"\xed\xa0\x80", b"%PDF-1.4", b"\xef\xbb\xbf", b"\x1f\x8b"])


#: How a server encodes a payload, by its field; many archives have the payload decoded, and the field left.
ENCODERS = {
    b"Content-Encoding: gzip": lambda payload: gzip.compress(payload, mtime=0),
    b"Transfer-Encoding: chunked": lambda payload: (
        b"%x\r\n%s\r\n0\r\n\r\n" % (len(payload), payload) if payload else b""
    ),
}


def _record(head: bytes, answer: bytes, limits: Limits) -> RawRecord:
    """As a member is read, with the parts of its answer."""
    return RawRecord(7, head, answer, answer=AnswerSplitter(limits).split(head, answer))


@pytest.mark.parametrize(
    "limits",
    [WIDE, NARROW, Limits(all_bytes=True), Limits(anchor_texts=True), Limits(plain_urls=True), Limits(text_limit=None)],
)
def test_pages_are_those_of_the_parser(monkeypatch: pytest.MonkeyPatch, limits: Limits) -> None:
    by_steps, parser = Parser(limits), Parser(limits)
    monkeypatch.setattr(by_steps, "_parse_ordinary", lambda *_: None)

    @given(
        st.tuples(URLS, DATES, DIGESTS),
        st.sampled_from([b"200 OK", b"200 OK", b"404 Not Found", b"302 Found", b"304 Not Modified", b"099"]),
        TYPES,
        st.lists(FIELDS, max_size=1),
        st.tuples(DAMAGE, BODIES, DAMAGE),
        st.booleans(),
        st.booleans(),
    )
    def check(  # noqa: PLR0917 - the parts of a record
        head: tuple[bytes, ...],
        status: bytes,
        content_type: bytes,
        more: list[bytes],
        body: tuple[bytes, ...],
        member: bool,
        encoded: bool,
    ) -> None:
        lines = (b"HTTP/1.1 " + status, b"Content-Type: " + content_type, *more)
        answer = b"".join(line + b"\r\n" for line in lines) + b"\r\n"
        payload = b"".join(body)
        answer += ENCODERS.get(b"".join(more), bytes)(payload) if encoded else payload
        record = _record(HEAD % head, answer, limits)
        if not member:
            record = record._replace(answer=None)
        assert parser.parse(record) == by_steps.parse(record)

    check()


def _read(body: bytes, content_type: bytes = b"text/html; charset=utf-8", limits: Limits = WIDE) -> Page | None:
    head = HEAD % (b"http://a.example/b/c", b"2026-11-21T00:00:00Z", b"")
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: " + content_type + b"\r\n\r\n" + body
    parts = AnswerSplitter(limits).split(head, answer)
    assert parts is not None
    return Parser(limits)._parse_ordinary(0, answer, parts)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<p>x", b"text/html; charset=utf-8"),
        (b"\n <meta charset=utf-8><p>x", b"text/html"),
        ("<p>ü".encode() + b" " * 3000 + b"<meta charset=latin1>", b"text/html"),
        (b"\xef\xbb\xbf<meta charset=latin1><p>\xc3\xbc", b"text/html"),
        (b"<a href='http://u@b.example'>", b"text/html; charset=utf-8"),
        (
            b"<meta name=robots content=nofollow><base href=/d/><a href=e hreflang=de>\xc3\xbc",
            b"text/html;charset=utf8",
        ),
        (
            b"<nav>Home</nav><footer><a href=x rel=nofollow>y</a></footer>" + b"word " * 4000,
            b"text/html; charset=utf-8",
        ),
        ("<p>Größe: Ã¼, Ã¤, Ã¶, für heißt hier also fÃ¼r, schöne Grüße, ähnlich".encode(), b"text/html; charset=utf-8"),
        ("<p title='GrÃ¼ÃŸe aus KÃ¶ln'>x".encode(), b"text/html; charset=utf-8"),
    ],
)
def test_ordinary_pages_are_not_left(body: bytes, content_type: bytes) -> None:
    assert _read(body, content_type) is not None


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"\xef\xbb\xbf", b"%PDF-1.4", b"<p>\xff", b"<div>" * 600, "<p>GrÃ¼ÃŸe aus KÃ¶ln".encode()),
        b"<meta http-equiv=refresh content='0; url=/x'>",
        b"".join(b"<a href=%d>" % number for number in range(5001)),
        b"<a href=" + b"x" * 3000 + b">",
    ],
)
def test_what_is_out_of_the_ordinary_is_left(body: bytes) -> None:
    assert _read(body) is None


@pytest.mark.parametrize("body", [b"<p>\xfc", b"<p>\0", b"<p>\x1b", b"<p>~{", b"<meta charset=latin1>"])
def test_what_may_be_in_another_charset_is_left_where_nobody_says_utf_8(body: bytes) -> None:
    assert _read(body, b"text/html") is None


def test_pages_say_on_whose_word_they_are_utf_8() -> None:
    bodies = (b"<p>x", b"<meta charset=utf-8>", b"<?xml version='1.0' encoding='utf-8'?>", b"\xef\xbb\xbf<p>")
    found = [_read(body, b"text/html") for body in bodies]
    assert [page and page.charset_from for page in found] == ["utf-8", "meta", "xml", "bom"]


def test_links_beyond_the_plain_ones_are_joined_one_by_one() -> None:
    page = _read("<base href=/d/><a href=e>e</a><a href='http://ü.example/'>".encode())
    assert page is not None
    assert [link.url for link in page.links] == ["http://a.example/d/e", "http://xn--tda.example/"]


def test_a_place_behind_the_block_is_refused() -> None:
    reader, said = kernels.ordinary_page_new(1), kernels.new_ordinary_page_result()
    with pytest.raises(KernelError):
        kernels.ordinary_page_read(reader, b"<p>", 4, 9, 9, 0, said)
    links = kernels.new_ordinary_page_links()
    kernels.ordinary_page_gather(reader, b"", b"http://a.example/", nofollow=False, longest=99, most=9, links=links)
    assert (links.left, links.kinds_size) == (0, 0)


def test_no_sanitiser_complains(under_sanitisers: Callable[..., str]) -> None:
    answer = under_sanitisers(Path(__file__).with_name("workout_ordinary_page.py"), str(FUZZ))
    assert answer.startswith("went through ")
