from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphlang.db.records import Declaration, Link, LinkKind

if TYPE_CHECKING:
    from conftest import Archive, Read

A, X = "http://a.example/dir/page", "http://a.example/dir/x"


@pytest.mark.parametrize(
    ("body", "links"),
    [
        ("<a href=x>", [Link(X, LinkKind.ANCHOR)]),
        ("<area href=x>", [Link(X, LinkKind.AREA)]),
        ("<frameset><frame src=x></frameset>", [Link(X, LinkKind.FRAME)]),
        (
            "<frameset><frameset><frame src=x></frameset><a href=y></frameset><frame src=z>",
            [Link(X, LinkKind.FRAME)],
        ),
        ("<iframe src=x></iframe>", [Link(X, LinkKind.IFRAME)]),
        ("<meta http-equiv=Refresh content='5; URL=x'>", [Link(X, LinkKind.REFRESH)]),
        ("<meta http-equiv=refresh content=\"0;url='x'\">", [Link(X, LinkKind.REFRESH)]),
        # the steps of the HTML standard
        *(
            (f'<meta http-equiv=refresh content="{content}">', [Link(X, LinkKind.REFRESH)])
            for content in (
                *("0;x", "0, x", "1.5 x", ".5;x", " 0 ; url = x ", "0;url='x' y", "0;url=&quot;x&quot;y", "0;url='x"),
            )
        ),
        *(
            (f'<meta http-equiv=refresh content="{content}">', [])
            for content in (
                *("30", " 30", "30;", "5; url=", "5; url=''", "x", ";url=x", "-1;url=x", "0url=x", "", "0;url=page"),
            )
        ),
        ("<link rel=canonical href=x>", [Link(X, LinkKind.CANONICAL)]),
        ("<link rel=alternate hreflang=de-AT href=x>", [Link(X, LinkKind.ALTERNATE, hreflang="de-AT")]),
        ("<link rel=alternate type=application/rss+xml href=x><link rel=stylesheet href=y>", []),
        ("<a href=x hreflang=fr>", [Link(X, LinkKind.ANCHOR, hreflang="fr")]),
        ("<a href=x rel='noopener NoFollow'>", [Link(X, LinkKind.ANCHOR, nofollow=True)]),
        ("<meta name=robots content='noindex, nofollow'><a href=x>", [Link(X, LinkKind.ANCHOR, nofollow=True)]),
        ("<meta name=robots content='index, max-image-preview:none'><a href=x>", [Link(X, LinkKind.ANCHOR)]),
        ("<a href=x rel=nofollow><a href=x>", [Link(X, LinkKind.ANCHOR)]),
        # one link for each target, of the kind with the highest precedence
        ("<a href=x><a href=./x#top><a href='http://A.example/dir/x'>", [Link(X, LinkKind.ANCHOR)]),
        ("<a href=x><iframe src=x></iframe><area href=x>", [Link(X, LinkKind.IFRAME)]),
        (
            "<a href=x><link rel=alternate hreflang=fr href=x><link rel=canonical href=x>",
            [Link(X, LinkKind.CANONICAL, hreflang="fr")],
        ),
        # what leads nowhere, or not away
        ("<a href='#top'><a href=''><a href=page><a href='page#x'><a>", []),
        ("<a href='mailto:a@b.example'><a href='javascript:x()'><a href='data:text/html,x'><a href='tel:1'>", []),
        ("<a href='http://'><a href='ftp://b.example/'>", []),
        ("<script>document.write('<a href=x>')</script><!-- <a href=x> -->", []),
        # base
        ("<base href='/dir/'><a href=x>", [Link(X, LinkKind.ANCHOR)]),
        ("<a href=x><base href='//b.example/c/'>", [Link("http://b.example/c/x", LinkKind.ANCHOR)]),
        (
            "<base target=_top><base href='http://b.example/'><base href='/no/'><a href=x>",
            [Link("http://b.example/x", LinkKind.ANCHOR)],
        ),
        ("<base href='javascript:x'><a href=x>", [Link(X, LinkKind.ANCHOR)]),
    ],
)
def test_links_of_a_page(archive: Archive, read: Read, body: str, links: list[Link]) -> None:
    (page,), problems = read(archive.warc(A, body.encode()))
    assert list(page.links) == links
    assert problems == []


def test_links_of_the_http_header(archive: Archive, read: Read) -> None:
    def answer(status: str, *fields: str) -> tuple[Link, ...]:
        http = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", "Content-Type: text/html", *fields))
        (page,), _ = read(archive.warc(A, b"", http=http.encode()))
        return page.links

    assert answer("302 Found", "Location: x#y") == (Link(X, LinkKind.REDIRECT),)
    assert answer("200 OK", "Location: x") == ()
    assert answer("301 Moved", "location: /dir/page") == ()
    assert answer("301", "Location: x", "Location: y") == (Link(X, LinkKind.REDIRECT),)
    assert answer("200 OK", "Refresh: 0; url=x") == (Link(X, LinkKind.REFRESH),)
    assert answer("200 OK", 'Link: <x>; rel="canonical"') == (Link(X, LinkKind.CANONICAL),)
    assert answer(
        "200 OK", "Link: <x>; rel=alternate; hreflang=de, <y>; rel=next", 'link: </z>; hreflang="fr"; rel="alternate"'
    ) == (
        Link(X, LinkKind.ALTERNATE, hreflang="de"),
        Link("http://a.example/z", LinkKind.ALTERNATE, hreflang="fr"),
    )


@pytest.mark.parametrize(
    ("words", "nofollow"),
    [
        ("noindex, NoFollow", True),
        ("none", True),
        ("noindex", False),
        ("otherbot: nofollow", False),
        ("noarchive, otherbot: noindex, nofollow", False),
        ("nofollow, otherbot: noindex", True),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", True),
    ],
)
def test_a_server_says_nofollow_as_a_page_does(archive: Archive, read: Read, words: str, *, nofollow: bool) -> None:
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nX-Robots-Tag: {words}\r\n".encode()
    (page,), _ = read(archive.warc(A, b"<a href=x>", http=http))
    assert list(page.links) == [Link(X, LinkKind.ANCHOR, nofollow=nofollow)]


def test_links_beyond_the_limit_are_told(archive: Archive, read: Read) -> None:
    body = b"".join(b"<a href=%d>" % n for n in range(12)) + b"<a href=/" + b"u" * 3000 + b">"
    (page,), problems = read(archive.warc(A, body), max_links=5)
    assert [link.url for link in page.links] == [f"http://a.example/dir/{n}" for n in range(5)]
    assert [(problem.kind, problem.reason) for problem in problems] == [
        ("bad-url", "1 reference to URLs of more than 2048 characters left out"),
        ("too-many-links", "7 references beyond 5 targets left out"),
    ]


def test_declared_languages(archive: Archive, read: Read) -> None:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Language: de, en\r\n"
    body = b"<html lang=de-AT xml:lang=de><meta http-equiv=content-language content=' fr '><p lang=it>x"
    (page,), _ = read(archive.warc(A, body, http=http))
    assert page.declared == (
        Declaration("html-lang", "de-AT"),
        Declaration("xml-lang", "de"),
        Declaration("meta-content-language", "fr"),
        Declaration("http-content-language", "de, en"),
    )
    (page,), _ = read(archive.warc(A, b"<html lang=''><p>x"))
    assert page.declared == ()


@pytest.mark.parametrize(
    ("charset", "written", "path"),
    [
        ("utf-8", "/п?q=мир", "/%D0%BF?q=%D0%BC%D0%B8%D1%80"),
        ("koi8-r", "/п?q=мир&x=%20y#мир", "/%D0%BF?q=%CD%C9%D2&x=%20y"),
        ("euc-kr", "/?q=한국", "/?q=%C7%D1%B1%B9"),
        ("shift_jis", "/?q=表", "/?q=%95\\"),  # the second byte is ASCII
        ("iso-8859-1", "/?q=&#1078;é", "/?q=%26%231078%3B%E9"),  # what the charset lacks is a character reference
        ("koi8-r", "/мир", "/%D0%BC%D0%B8%D1%80"),
    ],
)
@pytest.mark.parametrize("element", ["<a href='{}'>", "<a rel=x hreflang=ru href='{}'>", "<area href='{}'>"])
def test_queries_are_in_the_charset_of_the_page(  # noqa: PLR0917
    archive: Archive, read: Read, element: str, charset: str, written: str, path: str
) -> None:
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset={charset}\r\n".encode()
    (page,), _ = read(archive.warc(A, element.format(written).encode(charset), http=http))
    assert [link.url for link in page.links] == ["http://a.example" + path]


def test_words_of_links_stay_with_queries_in_another_charset(archive: Archive, read: Read) -> None:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n"
    (page,), _ = read(archive.warc(A, "<a href='?q=мир'>Привет</a>".encode("koi8-r"), http=http), anchor_texts=True)
    assert [(link.url, link.text) for link in page.links] == [("http://a.example/dir/page?q=%CD%C9%D2", "Привет")]
