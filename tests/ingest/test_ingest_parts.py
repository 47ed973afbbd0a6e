"""WET and WAT: halves of a page; and what a record says of itself."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastwarc.stream_io import ZstdWriter

from graphlang.db.records import Declaration, Link, LinkKind, Page
from graphlang.ingest import iterate_batches

if TYPE_CHECKING:
    from conftest import Archive, Read

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[3] / "shared" / "data"))
WHIRLWIND = DATA / "warc" / "whirlwind-python"


def record(kind: str, mime: str, block: bytes, extra: str = "") -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.example/x\r\nWARC-Date: 2026-11-21T00:17:00Z\r\n"
        f"{extra}Content-Type: {mime}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def test_wet_is_text_without_links(read: Read) -> None:
    pages, problems = read(record("conversion", "text/plain", "Título\n Uno  dos\n\ttres".encode()))
    assert not problems
    (page,) = pages
    assert (page.url, page.parts, page.title) == ("http://a.example/x", "text", "Título")
    assert page.text == "Título\nUno dos\ntres"
    assert (page.length, page.main_length, page.links) == (19, 19, ())


def test_other_conversions_and_metadata_are_no_pages(read: Read) -> None:
    data = record("conversion", "image/png", b"x") + record("metadata", "application/warc-fields", b"via: x")
    assert read(data) == ([], [])


def wat(**answer: Any) -> bytes:
    envelope = {
        "WARC-Header-Metadata": {
            "WARC-Type": "response",
            "WARC-Target-URI": "http://a.example/x/y",
            "WARC-Date": "2025-01-02T03:04:05Z",
        },
        "Payload-Metadata": {"HTTP-Response-Metadata": answer},
    }
    return record("metadata", "application/json", json.dumps({"Envelope": envelope}).encode())


def test_wat_is_links_without_text(read: Read) -> None:
    pages, problems = read(
        wat(
            **{
                "Response-Message": {"Status": "200"},
                "Headers": {"Content-Type": "text/html; charset=utf-8", "Content-Language": "es"},
                "Entity-Length": "120",
                "HTML-Metadata": {
                    "Head": {
                        "Title": "Uno\n dos",
                        "Metas": [{"name": "robots", "content": "noindex, follow"}],
                        "Link": [
                            {"path": "LINK@/href", "url": "/de", "rel": "alternate", "hreflang": "de"},
                            {"path": "LINK@/href", "url": "/style.css", "rel": "stylesheet"},
                        ],
                    },
                    "Links": [
                        {"path": "A@/href", "url": "z", "text": "Z"},
                        {"path": "A@/href", "url": "#top"},
                        {"path": "IMG@/src", "url": "i.png"},
                        {"path": "A@/href", "url": "//b.example/", "rel": "nofollow"},
                    ],
                },
            }
        )
    )
    assert not problems
    (page,) = pages
    assert (page.url, page.date, page.parts) == ("http://a.example/x/y", "2025-01-02T03:04:05Z", "links")
    assert (page.status, page.mime, page.size, page.title, page.text) == (200, "text/html", 120, "Uno dos", "")
    assert page.links == (
        Link("http://a.example/de", LinkKind.ALTERNATE, hreflang="de"),
        Link("http://b.example/", LinkKind.ANCHOR, nofollow=True),
        Link("http://a.example/x/z", LinkKind.ANCHOR),
    )
    assert page.declared == (Declaration("http-content-language", "es"), Declaration("robots", "noindex"))


def test_wat_with_half_of_a_surrogate_pair(read: Read) -> None:
    (page,), _ = read(
        wat(**{"Headers": {"Content-Language": "e\ud800"}, "HTML-Metadata": {"Head": {"Title": "T\ud800"}}})
    )
    assert (page.title, page.declared) == ("T\ufffd", (Declaration("http-content-language", "e\ufffd"),))


@pytest.mark.parametrize(
    "block",
    [b"{", b"[]", b'{"Envelope": 3}', b"[" * 100_000, b'{"Envelope": {"WARC-Header-Metadata": {"WARC-Type": 1}}}'],
)
def test_metadata_of_any_form_cost_no_more_than_a_problem(read: Read, block: bytes) -> None:
    pages, problems = read(record("metadata", "application/json", block))
    assert not pages
    assert [problem.kind for problem in problems] in ([], ["bad-json"])


@pytest.mark.skipif(not WHIRLWIND.is_dir(), reason="the shared data are not on this machine (GRAPHLANG_DATA)")
def test_the_text_of_a_page_agrees_with_the_page() -> None:
    names = ("whirlwind.warc.gz", "whirlwind.warc.wet.gz", "whirlwind.warc.wat.gz")
    items = [item for batch in iterate_batches([(WHIRLWIND / name, 0) for name in names]) for item in batch.items]
    whole, text = [item for item in items if isinstance(item, Page)]  # the WAT file describes the request alone
    assert len(items) == 2
    assert (whole.parts, text.parts) == ("both", "text")
    assert (whole.url, whole.date, whole.title) == (text.url, text.date, text.title)
    words = set(whole.text.split())
    assert sum(word in words for word in text.text.split()) > 0.9 * len(text.text.split()) > 500


@pytest.mark.parametrize(
    ("http", "body"),
    [
        (b"X-Robots-Tag: NoIndex\r\n", b"<p>x"),
        (b"", b"<meta name=Robots content='noindex,follow'><p>x"),
        (b"", b"<meta name=robots content=none><p>x"),
    ],
)
def test_noindex_is_kept_as_evidence(read: Read, archive: Archive, http: bytes, body: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + http
    ((page,), _) = read(archive.warc("http://a.example/", body, http=head))
    assert page.declared == (Declaration("robots", "noindex"),)


@pytest.mark.parametrize(
    ("lines", "noindex", "nofollow"),
    [
        ([b"otherbot: noindex", b"nofollow"], False, True),
        ([b"otherbot: nofollow, nosnippet", b"NOINDEX"], True, False),
        ([b"noarchive", b"otherbot: none", b"unavailable_after: 25 Jun 2030", b"none"], True, True),
        ([b"otherbot: none", b"thirdbot: none"], False, False),
        ([b"otherbot: noarchive, none"], False, False),
        ([b"noarchive", b"nofollow"], False, True),
    ],
)
@pytest.mark.parametrize("more", [b"", b"X-Powered-By: caf\xe9\r\n"])  # beyond ASCII no kernel reads the lines
def test_what_is_said_to_one_robot_ends_with_its_line(
    read: Read, archive: Archive, lines: list[bytes], more: bytes, *, noindex: bool, nofollow: bool
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + more
    head += b"".join(b"X-Robots-Tag: %s\r\n" % line for line in lines)
    ((page,), problems) = read(archive.warc("http://a.example/", b"<a href=b>b</a>", http=head))
    assert not problems
    assert page.declared == ((Declaration("robots", "noindex"),) if noindex else ())
    assert page.links == (Link("http://a.example/b", LinkKind.ANCHOR, nofollow=nofollow),)


@pytest.mark.parametrize(
    "content", [b"index, follow, max-image-preview:none", b"max-snippet: -1, max-video-preview: none"]
)
def test_the_size_of_previews_is_not_about_the_index(read: Read, archive: Archive, content: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: " + content + b"\r\n"
    ((page,), _) = read(archive.warc("http://a.example/", b'<meta name=robots content="%s">' % content, http=head))
    assert page.declared == ()


def test_a_revisit_says_what_it_refers_to(read: Read, archive: Archive) -> None:
    extra = b"WARC-Refers-To-Target-URI: http://B.example\r\nWARC-Refers-To-Date: 2020-01-02T03:04:05Z\r\n"
    ((page,), _) = read(archive.warc("http://a.example/", b"", kind="revisit", extra=extra))
    assert (page.revisit_of, page.revisit_date) == ("http://b.example/", "2020-01-02T03:04:05Z")
    ((page,), _) = read(archive.warc("http://a.example/", b"", kind="revisit"))
    assert (page.revisit_of, page.revisit_date) == ("http://a.example/", "")


@pytest.mark.parametrize(("kind", "missed"), [("revisit", []), ("response", ["no HTTP status line"])])
def test_a_revisit_without_a_block_is_whole(read: Read, archive: Archive, kind: str, missed: list[str]) -> None:
    record = archive.warc("http://a.example/", b"", kind=kind, http=None)
    pages, problems = read(record.replace(b"text/html", b"application/http; msgtype=response"))
    assert ([page.status for page in pages], [one.reason for one in problems]) == ([None], missed)


def test_what_a_revisit_repeats_of_the_header_comes_with_the_original(read: Read, archive: Archive) -> None:
    for status, declared in ((200, 0), (304, 0), (302, 1)):
        http = b"HTTP/1.1 %d X\r\nContent-Language: de\r\n" % status
        ((page,), _) = read(archive.warc("http://a.example/", b"", kind="revisit", http=http))
        assert (page.status, len(page.declared)) == (status, declared)


def test_a_digest_in_hexadecimal_is_the_same_digest(read: Read, archive: Archive) -> None:
    extra = b"WARC-Payload-Digest: sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709\r\n"
    ((page,), _) = read(archive.warc("http://a.example/", b"", kind="revisit", extra=extra))
    assert page.digest == "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"


#: Of "abc": the example of FIPS 180, in base 16 and (RFC 4648) in base 32.
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
ABC_32 = "XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ===="


@pytest.mark.parametrize(
    "given", [f"sha-256:{ABC}", f"sha256:{ABC.upper()}", f"SHA256:{ABC_32}", f"sha256:{ABC_32[:-4]}"]
)
def test_a_digest_of_another_algorithm_is_the_same_however_it_is_written(
    read: Read, archive: Archive, given: str
) -> None:
    extra = f"WARC-Payload-Digest: {given}\r\n".encode()
    for kind, payload in (("response", b"abc"), ("revisit", b"")):
        ((page,), _) = read(archive.warc("http://a.example/", payload, kind=kind, extra=extra))
        assert page.digest == f"sha256:{ABC}"


@pytest.mark.parametrize(
    "given",
    [
        "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",  # of nothing: all captures of a page had one content
        "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        f"sha1:{ABC[:32]}",
        "sha1:=cmd|' /C calc'!A0".ljust(37, "x"),
        f"sha256:{ABC[:40]}",
        f"md4:{ABC[:32]}",
        "sha1:",
        "",
    ],
)
def test_what_cannot_be_the_digest_that_it_is_called_is_worked_out(read: Read, archive: Archive, given: str) -> None:
    extra = f"WARC-Payload-Digest: {given}\r\n".encode()
    ((page,), _) = read(archive.warc("http://a.example/", b"abc", extra=extra))
    assert page.digest == "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"  # SHA-1, as FIPS 180 has it


def test_zstd_content_is_decoded(read: Read, archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "body.zst"
    with path.open("wb") as file:
        writer = ZstdWriter(file)
        writer.write(b"<p>squeezed")
        writer.close()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: zstd\r\n"
    ((page,), problems) = read(archive.warc("http://a.example/", path.read_bytes(), http=head))
    assert (page.text, problems) == ("squeezed", [])
    ((page,), problems) = read(archive.warc("http://a.example/", path.read_bytes()[:9] + b"\xff" * 9, http=head))
    assert [problem.kind for problem in problems] == ["bad-encoding"]
