"""Archives as other tools leave them: one tiny archive for each point of their public bug reports."""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest

from graphlang.ingest import discover_files
from graphlang.ingest.files.discover import INDEX
from graphlang.ingest.payload.http import detect_form, parse_media_type

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.ingest.conftest import Archive, Read

GERMAN = "Der Nebel liegt noch über dem Tal, als der Müller die Tür öffnet und die Säcke lädt."


def _gzip(data: bytes) -> bytes:
    """Compress without the time of day, which would give each worker other names of tests."""
    return gzip.compress(data, mtime=0)


def header(*lines: str) -> bytes:
    """Return an HTTP header with a status line."""
    return "".join(f"{line}\r\n" for line in ("HTTP/1.1 200 OK", *lines)).encode("latin-1")


# ---- media types


@pytest.mark.parametrize(
    "written",
    [
        *(
            "application/unknown",
            "unknown/unknown",
            "text/htm",
            "application/html",
            "html/text",
            "httpd/unix-directory",
        ),
        *(
            "magnus-internal/shtml",
            "binary/octet-stream",
            "application/x-httpd-php",
            "null",
            "none",
            "Array",
            "*/*",
            "",
        ),
        *('"text/html"', "content-type: text/html", "text/xhtml", "text/*", 'application"/octet-stream"', "plain/text"),
        *("application/octet-stream, text/html", "text/php", "multipart/x-mixed-replace", "text/vnd.wap.wml"),
    ],
)
def test_html_under_a_media_type_that_nobody_knows_is_read(written: str, archive: Archive, read: Read) -> None:
    body = f"<!DOCTYPE html><title>T</title><p>{GERMAN} <a href=/x>x</a>".encode()
    (page,), problems = read(archive.warc("http://a.example/", body, http=header(f"Content-Type: {written}")))
    assert (page.text, [link.url for link in page.links]) == (f"{GERMAN} x", ["http://a.example/x"])
    assert not problems


@pytest.mark.parametrize("begin", ["<b>", "<!-- x --> ", "<iframe></iframe>", "<ul><li>", "", "<h1 class=x>", "<br/>"])
def test_a_payload_without_a_media_type_is_sniffed(begin: str, archive: Archive, read: Read) -> None:
    (page,), _ = read(archive.warc("http://a.example/", f"{begin}{GERMAN}".encode(), http=header()))
    assert page.text == GERMAN


@pytest.mark.parametrize("kind", ["text/x-markdown", "text/csv", "text/x-rst", "text/vtt", "application/txt"])
def test_text_of_any_kind_is_read(kind: str) -> None:
    assert detect_form(kind, GERMAN.encode()) == "text"


@pytest.mark.parametrize(
    ("mime", "payload"),
    [
        ("text/css", b"p { color: red }"),
        ("application/json", b'{"a": 1}'),
        ("", b'{"a": 1}'),
        ("", b"var x = 1;"),
        ("", b"/* style */ p { }"),
        ("unknown/unknown", b"(function () { return 1 })()"),
        ("image/x-icon", b"<html>"),
        ("application/octet-stream", b"plain words"),
        ("text/rtf", rb"{\rtf1 words}"),
        ("", bytes(range(32)) * 4),
        ("text/html", zlib.compress(GERMAN.encode() * 9)),
    ],
)
def test_programs_and_data_are_no_text(mime: str, payload: bytes) -> None:
    assert not detect_form(mime, payload)


@pytest.mark.parametrize(
    ("written", "parsed"),
    [
        ("text/html, text/plain", ("text/plain", None)),
        ("text/html; charset=koi8-r, text/html", ("text/html", "koi8-r")),
        ("text/html, */*", ("text/html", None)),
        ("text/html, nonsense", ("text/html", None)),
        ('text/html; title="a, b"; charset=utf-8', ("text/html", "utf-8")),
        ("text/html; xcharset=koi8-r", ("text/html", None)),
    ],
)
def test_the_last_valid_media_type_counts(written: str, parsed: tuple[str, str | None]) -> None:
    assert parse_media_type(written) == parsed


def test_many_comments_before_the_root_take_no_time() -> None:
    comments = b"<!---->" * 500
    assert [detect_form("text/plain", comments + end) for end in (b"<x", b"<rss>")] == ["text", "html"]


# ---- answers


@pytest.mark.parametrize(
    ("line", "status", "kinds"),
    [
        ("\r\nHTTP/1.1 200 OK", 200, []),
        ("HTTP/1.1 OK", None, ["bad-http"]),
        ("HTTP/1.1 null", None, ["bad-http"]),
        ("HTTP/1.1: 200 OK", 200, ["bad-http"]),
        ("HTTP 200 OK", 200, ["bad-http"]),
        ("HTTP/1.10 200", 200, ["bad-http"]),
        ("HTTP/1.1 2000 OK", None, ["bad-http"]),
        ("HTTP/1.0 200 Connection established\r\n\r\nHTTP/1.1 404 Not Found", 404, []),
        ("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK", 200, []),
    ],
)
def test_odd_status_lines(line: str, status: int | None, kinds: list[str], archive: Archive, read: Read) -> None:
    http = f"{line}\r\nContent-Type: text/html\r\n".encode()
    (page,), problems = read(archive.warc("http://a.example/", GERMAN.encode(), http=http))
    assert (page.text, page.status, page.mime) == (GERMAN, status, "text/html")
    assert [problem.kind for problem in problems] == kinds


_BODY = f"<p>{GERMAN}".encode()


@pytest.mark.parametrize(
    ("encoding", "payload"),
    [
        ("gzip", zlib.compress(_BODY)),
        ("deflate", _gzip(_BODY)),
        ("gzip", b"\r\n" + _gzip(_BODY)),
        ("gzip;q=1", _gzip(_BODY)),
        ("x-deflate", zlib.compress(_BODY)),
        ("identity", _gzip(_BODY)),
        ("utf-8", _gzip(_BODY)),
        ("gzip, gzip", _gzip(_BODY)),
        ("gzip", GERMAN.encode()),
        ("binary", _BODY),
        ("text/html", _BODY),
        ("UTF-8", _BODY),
        ("ISO-8859-1", _BODY),
    ],
)
def test_content_encodings_that_say_something_else(encoding: str, payload: bytes, archive: Archive, read: Read) -> None:
    http = header("Content-Type: text/html; charset=utf-8", f"Content-Encoding: {encoding}")
    (page,), problems = read(archive.warc("http://a.example/", payload, http=http))
    assert (page.text, problems) == (GERMAN, [])


def test_a_page_in_gzip_is_unpacked_if_no_field_says_so(archive: Archive, read: Read) -> None:
    (page,), problems = read(archive.warc("http://a.example/", _gzip(_BODY), http=header("Content-Type: text/html")))
    assert (page.text, problems) == (GERMAN, [])


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (b"5\r\nHello\r\n\r\n6\r\n there\r\n\r\n0\r\n\r\n", "Hello there"),
        (b"Bad\r\nwords stay", "Bad words stay"),
        (b"Add\nwords", "Add words"),
        (b"5\r\nHello\r\n3\r\n yo", "Hello yo"),
        (b"<p>Joined already", "Joined already"),
    ],
)
def test_chunks_as_servers_write_them(payload: bytes, text: str, archive: Archive, read: Read) -> None:
    http = header("Content-Type: text/html", "Transfer-Encoding: chunked")
    (page,), problems = read(archive.warc("http://a.example/", payload, http=http))
    assert (page.text, problems) == (text, [])


# ---- URLs and dates


def test_raw_bytes_of_a_target_uri_meet_the_link_that_leads_there(archive: Archive, read: Read) -> None:
    linking = archive.arc("http://a.example/", '<meta charset=latin1><a href="/s?x=école">x</a>'.encode("latin-1"))
    linked = archive.arc("http://a.example/s?x=\xe9cole").replace("\xe9".encode(), b"\xe9")
    (first, second), _ = read(linking + linked, "a.arc")
    assert [link.url for link in first.links] == [second.url] == ["http://a.example/s?x=%E9cole"]


@pytest.mark.parametrize("colon", [b": ", b":\r\n ", b"\r\n : "])
def test_raw_bytes_of_a_target_uri_and_of_a_location_stay(colon: bytes, archive: Archive, read: Read) -> None:
    http = b"HTTP/1.1 302 Found\r\nLocation" + colon + b"/\xed\xee\r\n"
    record = archive.warc("http://a.example/RAW", b"", http=http).replace(b"RAW", b"\xed\xee\xe2")
    (page,), _ = read(record)
    assert (page.url, [link.url for link in page.links]) == ("http://a.example/%ED%EE%E2", ["http://a.example/%ED%EE"])


@pytest.mark.parametrize(
    ("fields", "date"),
    [
        ("192.0.2.1 20061121001700", "2006-11-21T00:17:00Z"),
        ("192.0.2.1 20061121", "2006-11-21"),
        ("192.0.2.1 2006112100", "2006-11-21"),
        ("192.0.2.1 200611210017001234", "2006-11-21T00:17:00Z"),
        ("192.0.2.1 20061121001700-x", "2006-11-21T00:17:00Z"),
        ("20061121001700 192.0.2.1", "2006-11-21T00:17:00Z"),
    ],
)
def test_dates_of_arc_files(fields: str, date: str, archive: Archive, read: Read) -> None:
    (page,), problems = read(
        archive.arc("http://a.example/").replace(b"192.0.2.1 20061121001700", fields.encode()), "a.arc"
    )
    assert (page.date, page.text, problems) == (date, "Hello", [])


# ---- markup


@pytest.mark.parametrize(
    ("markup", "text", "links"),
    [
        ("<x-y><template shadowrootmode=open><p>shown</template><p>light</x-y>", "shown\nlight", []),
        ("<template shadowroot=open>shown<template>hidden</template></template> light", "shown light", []),
        ("<template><template shadowrootmode=open>hidden</template></template>light", "light", []),
        ("<p>before<iframe srcdoc='<p>in &lt;b&gt;<a href=/x>it</a>' src=y></iframe>", "before\nin it", ["/x"]),
        ("<svg><a xlink:href=/s><text>x</text></a></svg><a xlink:href=/no>y</a>", "y", ["/s"]),
    ],
)
def test_markup_that_browsers_show(markup: str, text: str, links: list[str], archive: Archive, read: Read) -> None:
    (page,), _ = read(archive.warc("http://a.example/", markup.encode()))
    assert page.text == text
    assert [link.url for link in page.links] == [f"http://a.example{link}" for link in links]


@pytest.mark.parametrize(
    "markup",
    [
        '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:p>text <h:a href="/x">x</h:a></h:p></h:html>',
        '<!DOCTYPE html [ <!ENTITY a "b"> ]><html><p>text <a href="/x">x</a></p></html>',
    ],
)
def test_xhtml_with_prefixes_and_declarations(markup: str, archive: Archive, read: Read) -> None:
    http = header("Content-Type: application/xhtml+xml")
    (page,), _ = read(archive.warc("http://a.example/", markup.encode(), http=http))
    assert (page.text, [link.url for link in page.links]) == ("text x", ["http://a.example/x"])


def test_a_deck_of_wml_is_read(archive: Archive, read: Read) -> None:
    body = b'<?xml version="1.0"?><wml><card title="M"><p>text <a href="z.wml">z</a></p></card></wml>'
    (page,), _ = read(archive.warc("http://a.example/", body, http=header("Content-Type: text/vnd.wap.wml")))
    assert (page.text, [link.url for link in page.links]) == ("text z", ["http://a.example/z.wml"])


# ---- records and files


@pytest.mark.parametrize("kind", ["xhr", "fetch"])
def test_what_scripts_fetch_is_no_page(kind: str, archive: Archive, read: Read) -> None:
    extra = f"WARC-Resource-Type: {kind}\r\n".encode()
    document = archive.warc("http://a.example/", extra=b"WARC-Resource-Type: document\r\n")
    pages, problems = read(document + archive.warc("http://a.example/part", extra=extra))
    assert ([page.url for page in pages], problems) == (["http://a.example/"], [])


@pytest.mark.parametrize(
    ("uri", "mime", "body"),
    [
        ("urn:text:http://a.example/", b"text/plain", "shown by the browser"),
        ("onreadydom:http://a.example/", b"text/html", "<p>shown by <b>the browser</b> <a href=/x></a>"),
    ],
)
def test_rendered_text_is_a_part_of_its_page(uri: str, mime: bytes, body: str, archive: Archive, read: Read) -> None:
    record = archive.warc(uri, body.encode(), kind="resource", http=None).replace(b"text/html", mime)
    (page,), problems = read(record)
    assert (page.url, page.text, page.parts, problems) == ("http://a.example/", "shown by the browser", "text", [])


def test_a_conversion_to_html_is_the_text_of_its_page(archive: Archive, read: Read) -> None:
    (page,), _ = read(archive.warc("http://a.example/", b"<p>text <a href=/x>x</a>", kind="conversion", http=None))
    assert (page.text, page.parts, list(page.links)) == ("text x", "text", [])


def test_a_byte_order_mark_before_the_first_record_is_no_garbage(archive: Archive, read: Read) -> None:
    pages, problems = read(b"\xef\xbb\xbf" + archive.warc("http://a.example/") + archive.warc("http://b.example/"))
    assert (len(pages), problems) == (2, [])


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ({"u": "http://a.example/", "text": "t", "ts": "2021-03-04T05:06:07Z"}, "2021-03-04T05:06:07Z"),  # HPLT 2
        ({"url": "http://a.example/", "maintext": "t", "date_publish": "2021-03-04 05:06:07"}, "2021-03-04T05:06:07Z"),
        ({"source": "http://a.example/", "text": "t", "date": "2021-03-04"}, "2021-03-04"),  # trafilatura
        ({"source": "cc", "text": "t", "metadata": {"warc_url": "http://a.example/"}}, ""),  # Dolma
        ({"url": "http://a.example/", "raw_content": "t", "date_download": "2021-03-04"}, "2021-03-04"),  # cc_net
        ({"_source": {"url": "http://a.example/", "content": "t"}}, ""),  # Elasticsearch
        ({"markdown": "t", "metadata": {"sourceURL": "http://a.example/"}}, ""),  # Firecrawl
        ({"URL": "http://a.example/", "Text": ["t"], "Date": "2021-03-04"}, "2021-03-04"),
    ],
)
def test_json_lines_of_other_programs(line: dict[str, object], date: str, tmp_path: Path, read: Read) -> None:
    data = json.dumps(line).encode() + b"\n"
    (page,), problems = read(data, "a.jsonl")
    assert (page.url, page.text, page.date, problems) == ("http://a.example/", "t", date, [])
    (tmp_path / "pages").write_bytes(data)
    assert tmp_path / "pages" in discover_files([tmp_path]).files


@pytest.mark.parametrize("name", ["html", "body", "content"])
def test_markup_in_json_lines_is_read_as_a_page(name: str, read: Read) -> None:
    line = {"link": "http://a.example/", "date": "2021-03-04", name: "<!DOCTYPE html><title>T</title><a href=/x>t</a>"}
    (page,), problems = read(json.dumps(line).encode(), "a.jsonl")
    assert (page.url, page.title, page.text, page.date, problems) == ("http://a.example/", "T", "t", "2021-03-04", [])
    assert [link.url for link in page.links] == ["http://a.example/x"]


def test_a_json_line_without_a_text_is_a_problem(read: Read) -> None:
    pages, (problem,) = read(b'{"url": "http://a.example/", "words": "t"}', "a.jsonl")
    assert (pages, problem.kind, problem.url) == ([], "bad-record", "http://a.example/")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (
            "a.cdx",
            b" CDX N b a m s k r M S V g\ncom,example)/ 20210304050607 http://example.com/ - -\n",
        ),
        ("a.cdxj", b'com,example)/ 20210304050607 {"url": "http://example.com/"}\n'),
        ("index", b"com,example)/ 20210304050607 http://example.com/ text/html 200 A - - 9 0 a.warc\n"),
        ("list", b"http://a.example/ 192.0.2.1 20061121001700 text/html 12\n" * 9),
        ("crawl.log", b"2021-03-04T05:06:07.000Z 200 9 http://a.example/ - - text/html\n"),
    ],
)
def test_an_index_beside_archives_is_passed_over(
    name: str, data: bytes, tmp_path: Path, archive: Archive, read: Read
) -> None:
    (tmp_path / "a.warc").write_bytes(archive.warc("http://a.example/"))
    (tmp_path / name).write_bytes(data)
    found = discover_files([tmp_path])
    assert [path.name for path in found.files] == ["a.warc"]
    assert [(path.name, reason) for path, reason in found.skipped] == [(name, INDEX)]
    pages, problems = read(data, name)
    assert (pages, [problem.kind for problem in problems]) == ([], ["not-an-archive"])


def _tar(name: str, data: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for member, content in (("readme.txt", b"words"), (name, data)):
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def _zip(name: str, data: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as file:
        file.writestr(name, data)
    return packed.getvalue()


_LINE = b'{"url": "http://a.example/", "text": "Hello"}'


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.tar", lambda record: _tar("x/a.warc", record)),
        ("a.tar", lambda record: _tar("x/a.wacz", _zip("archive/a.warc", record))),
        ("a.tar.gz", lambda record: _gzip(_tar("x/a.warc.gz", _gzip(record)))),
        ("a.zip", lambda record: _zip("a.warc", record)),
        ("a.wacz", lambda record: _zip("b.wacz", _zip("archive/a.warc", record))),
        ("a.wacz", lambda record: _zip("archive/b.wacz", _zip("archive/a.warc", record), zipfile.ZIP_DEFLATED)),
        ("a.warc.gz", lambda record: _gzip(_gzip(record))),
        ("a.tar", lambda _: _tar("x/a.jsonl.gz", _gzip(_LINE))),
        ("a.zip", lambda _: _zip("x/a.jsonl", _LINE, zipfile.ZIP_DEFLATED)),
        ("a.zip", lambda _: _zip("x/a.html", b"<!-- saved from url=(0017)http://a.example/ --><p>Hello")),
    ],
)
def test_archives_within_other_files(name: str, pack: Callable[[bytes], bytes], archive: Archive, read: Read) -> None:
    (page,), problems = read(pack(archive.warc("http://a.example/")), name)
    assert (page.url, page.text, problems) == ("http://a.example/", "Hello", [])


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.tar", _tar("readme", b"words"), "not-an-archive"),
        ("a.tar", _tar("a.warc", b"WARC/1.0" * 99)[:1700], "truncated"),
        ("a.zip", _zip("readme", b"words"), "not-an-archive"),
        ("a.wacz", _zip("b.wacz", _zip("c.wacz", _zip("d.wacz", b""))), "not-an-archive"),
        ("a.gz", _gzip(_gzip(b"words")), "not-an-archive"),
    ],
)
def test_faults_of_other_files_around_archives(name: str, data: bytes, kind: str, read: Read) -> None:
    pages, problems = read(data, name)
    assert not pages
    assert kind in {problem.kind for problem in problems}


_RSS = (
    "<rss><channel><title>T</title><item><title>One</title><link>http://a.example/1</link><guid>x1</guid>"
    "<description>&lt;p&gt;words &lt;a href='/2'&gt;two&lt;/a&gt;</description></item></channel></rss>"
)
_ATOM = (
    '<?xml version="1.0"?><feed><entry><title>One</title><link href="/1"/><id>x</id>'
    '<content type="html"><![CDATA[<p>words <a href="/2">two</a>]]></content></entry></feed>'
)
_RDF = (
    '<!-- x --><rdf:RDF xmlns="http://purl.org/rss/1.0/"><item><title>One</title><link>http://a.example/1</link>'
    "<description>words &lt;a href='/2'&gt;two&lt;/a&gt;</description></item></rdf:RDF>"
)
_ATOM_WITH_PREFIX = (
    '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>One</a:title><a:link href="/1"/>'
    '<a:content>words &lt;a href="/2"&gt;two&lt;/a&gt;</a:content></a:entry></a:feed>'
)
_SITEMAP = (
    '<urlset><url><loc>http://a.example/1</loc><xhtml:link rel="alternate" hreflang="de" href="/2"/>'
    "<lastmod>2021-03-04</lastmod></url></urlset>"
)


@pytest.mark.parametrize(
    ("mime", "markup", "text"),
    [
        ("application/rss+xml", _RSS, "T\nOne\nwords two"),
        ("text/html", _RSS, "T\nOne\nwords two"),
        ("text/html; charset=utf-8", _ATOM, "One\nwords two"),
        ("text/html; charset=utf-8", _RDF, "One\nwords two"),
        ("text/plain", _RDF, "One\nwords two"),
        ("application/octet-stream", _RSS, "T\nOne\nwords two"),
        ("text/html", _ATOM_WITH_PREFIX, "One\nwords two"),
        ("application/x-gzip", _SITEMAP, ""),
        ("application/atom+xml", _ATOM, "One\nwords two"),
        ("text/xml", _SITEMAP, ""),
        ("text/xml", re.sub("(</?)(?=url|loc)", r"\1n:", _SITEMAP), ""),
    ],
)
def test_feeds_and_sitemaps(mime: str, markup: str, text: str, archive: Archive, read: Read) -> None:
    http = header(f"Content-Type: {mime}")
    body = _gzip(markup.encode()) if mime.endswith("gzip") else markup.encode()
    (page,), problems = read(archive.warc("http://a.example/feed", body, http=http))
    assert (page.text, page.charset, problems) == (text, None, [])
    assert page.mime.endswith("xml")  # and without a charset: no page in maps and texts
    assert {link.url for link in page.links} == {"http://a.example/1", "http://a.example/2"}


@pytest.mark.parametrize(
    ("cut", "limit", "kind"),
    [(-200, 1 << 20, "bad-encoding"), (None, 5_000, "too-large")],
)
def test_a_sitemap_in_gzip_that_is_read_in_part_is_a_problem(
    cut: int | None, limit: int, kind: str, archive: Archive, read: Read
) -> None:
    urls = "".join(f"<url><loc>http://a.example/{place * 7919 % 10007}</loc></url>" for place in range(500))
    packed = _gzip(f"<urlset>{urls}</urlset>".encode())[:cut]
    record = archive.warc("http://a.example/sitemap", packed, http=header("Content-Type: application/x-gzip"))
    (page,), problems = read(record, max_payload=limit)
    assert 50 < len(page.links) < 500
    assert [problem.kind for problem in problems] == [kind]
