from __future__ import annotations

import gzip
from calendar import monthrange
from itertools import product
from typing import TYPE_CHECKING

import pytest
from fastwarc.stream_io import Lz4Writer, ZstdWriter

from graphlang.db.records import Page
from graphlang.ingest import iterate_batches
from graphlang.ingest.formats.dates import parse_date

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Archive, Read

URLS = [f"http://a.example/{number}" for number in range(5)]


def test_every_compression_of_a_warc_gives_the_same_pages(archive: Archive, read: Read, tmp_path: Path) -> None:
    records = [archive.warc(url, b"<title>T</title><p>some words") for url in URLS]
    plain = b"".join(records)
    wholes = {"plain": plain, "each": archive.gz(*records), "over all": gzip.compress(plain, mtime=0)}
    for name, writer in (("zst", ZstdWriter), ("lz4", Lz4Writer)):
        path = tmp_path / name
        with path.open("wb") as file:
            stream = writer(file)
            stream.write(plain)
            stream.close()
        wholes[name] = path.read_bytes()
    for name, data in wholes.items():
        pages, problems = read(data)
        assert [page.url for page in pages] == URLS, name
        assert {(page.title, page.text, page.status, page.date) for page in pages} == {
            ("T", "some words", 200, "2026-11-21T00:17:00Z")
        }
        assert problems == []


def test_offsets_are_those_of_the_records_or_of_their_gzip_members(archive: Archive, read: Read) -> None:
    records = [archive.warc(url) for url in URLS]
    assert [page.offset for page in read(b"".join(records))[0]] == [len(records[0]) * n for n in range(5)]
    starts = [len(archive.gz(*records[:n])) for n in range(5)]
    assert [page.offset for page in read(archive.gz(*records))[0]] == starts
    assert {page.offset for page in read(gzip.compress(b"".join(records), mtime=0))[0]} == {0}


def test_an_arc_is_known_by_its_content(archive: Archive, read: Read) -> None:
    version = b"1 0 Somebody\nURL IP-address Archive-date Content-type Archive-length\n"
    head = b"filedesc://x.arc 0.0.0.0 20061121001700 text/plain %d\n" % len(version) + version + b"\n"
    records = [head, archive.arc("http://a.example/1"), archive.arc("http://a.example/2", b"<p>two")]
    for data in (b"".join(records), archive.gz(*records)):
        pages, problems = read(data, name="nameless")
        assert [(page.url, page.text, page.status, page.date) for page in pages] == [
            ("http://a.example/1", "Hello", 200, "2006-11-21T00:17:00Z"),
            ("http://a.example/2", "two", 200, "2006-11-21T00:17:00Z"),
        ]
        assert problems == []


def test_only_responses_resources_and_revisits_of_web_addresses_are_pages(archive: Archive, read: Read) -> None:
    revisit = b"WARC-Refers-To-Target-URI: http://a.example/first\r\n"
    data = (
        archive.warc("http://a.example/", kind="warcinfo", http=None)
        + archive.warc("http://a.example/", kind="request")
        + archive.warc("http://a.example/", kind="metadata", http=None)
        + archive.warc("http://a.example/", kind="conversion", http=None).replace(b"text/html", b"image/png")
        + archive.warc("dns:a.example", b"1.2.3.4", http=None)
        + archive.warc("urn:uuid:1", kind="resource", http=None)
        + archive.warc("<http://a.example/r>", b"<p>resource", kind="resource", http=None)
        + archive.warc("http://a.example/again", b"", kind="revisit", extra=revisit)
    )
    pages, problems = read(data)
    assert [(page.url, page.status, page.text, page.revisit_of) for page in pages] == [
        ("http://a.example/r", None, "resource", None),
        ("http://a.example/again", 200, "", "http://a.example/first"),
    ]
    assert problems == []


@pytest.mark.parametrize("kind", ["response", "resource"])
def test_only_a_pair_of_brackets_is_none_of_the_url(archive: Archive, read: Read, kind: str) -> None:
    """The bracket at the end of a URL is the URL's, where there is none before it: links to it have it too."""
    http = {} if kind == "response" else {"http": None}
    pages, problems = read(
        archive.warc("<http://a.example/>", b"<a href='x>'>x</a>", kind=kind, **http)
        + archive.warc("http://a.example/x>", kind=kind, **http)
        + archive.warc("<http://a.example/y>>", kind=kind, **http)
    )
    assert [page.url for page in pages] == ["http://a.example/", "http://a.example/x%3E", "http://a.example/y%3E"]
    assert ([link.url for link in pages[0].links], problems) == (["http://a.example/x%3E"], [])


def test_what_is_no_text_is_a_page_without_text(archive: Archive, read: Read) -> None:
    def typed(name: str, body: bytes) -> bytes:
        return archive.warc(
            "http://a.example/" + name, body, http=b"HTTP/1.1 404 No\r\nContent-Type: " + name.encode() + b"\r\n"
        )

    pages, _ = read(
        typed("image/png", b"\x89PNG...")
        + typed("text/html", b"%PDF-1.4 wrongly served")
        + typed("text/plain", b"a <b> c")
        + typed("application/xhtml+xml", b"<html><p>x")
        + typed("text/css", b"p { color: red }")
        + typed("application/octet-stream", b"<!DOCTYPE html><p>y")
    )
    assert [(page.text, page.charset is None) for page in pages] == [
        ("", True),
        ("", True),
        ("a <b> c", False),
        ("x", False),
        ("", True),
        ("y", False),
    ]
    assert {page.status for page in pages} == {404}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"\x7fELF\x02\x01\x01 a program", ""),
        (b"N\bNA\bAM\bME", "N\bNA\bAM\bME"),
        (b"a text from DOS\r\n\x1a", "a text from DOS \x1a"),
        ("\u0142\u0105ka".encode("utf-16"), "łąka"),
        (("日本語 \u0101" * 9).encode("utf-16be"), ("日本語 \u0101" * 9)),
    ],
)
def test_what_is_served_as_plain_text_may_be_none(archive: Archive, read: Read, body: bytes, text: str) -> None:
    (page,), _ = read(archive.warc("http://a.example/", body, http=b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"))
    assert (page.text, page.charset is None) == (text, not text)


def test_a_record_in_segments_is_told(archive: Archive, read: Read) -> None:
    first = archive.warc("http://a.example/", extra=b"WARC-Segment-Number: 1\r\n")
    second = archive.warc("http://a.example/", kind="continuation", http=None, extra=b"WARC-Segment-Number: 2\r\n")
    pages, problems = read(first + second)
    assert ([page.text for page in pages], [problem.kind for problem in problems]) == (["Hello"], ["segmented"])


def test_text_is_cut_at_the_limit_and_its_length_kept(archive: Archive, read: Read) -> None:
    (page,), problems = read(archive.warc("http://a.example/", b"<p>" + b"word " * 100), text_limit=12)
    assert (page.text, page.length) == ("word word wo", 499)
    assert problems == []


def test_the_digest_is_that_of_the_payload(archive: Archive, read: Read) -> None:
    # "abc" is the example of FIPS 180; its digest there is A9993E36 4706816A BA3E2571 7850C26C 9CD0D89D.
    (page,), _ = read(archive.warc("http://a.example/", b"abc"))
    assert page.digest == "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"
    given = b"WARC-Payload-Digest: sha1:" + b"A" * 32 + b"\r\n"
    (page,), _ = read(archive.warc("http://a.example/", b"abc", extra=given))
    assert page.digest == "A" * 32


@pytest.mark.parametrize("compressed", [False, True])
def test_reading_resumes_at_every_position(archive: Archive, tmp_path: Path, *, compressed: bool) -> None:
    records = [archive.warc(f"http://a.example/{number}") for number in range(150)]
    records[7] = b"garbage between records\r\n"
    records[70] = archive.warc("http://a.example/", kind="request")
    path = tmp_path / "a.warc"
    path.write_bytes(archive.gz(*records) if compressed else b"".join(records))
    whole = [(batch.position, batch.items) for batch in iterate_batches([(path, 0)])]
    everything = [item for _, items in whole for item in items]
    assert len(whole) > 2
    assert len(everything) == 149
    for place, (position, _) in enumerate(whole):
        rest = [item for batch in iterate_batches([(path, position)]) for item in batch.items]
        assert rest == [item for _, items in whole[place + 1 :] for item in items]
    for position in range(0, 152, 13):
        rest = [item for batch in iterate_batches([(path, position)]) for item in batch.items]
        assert rest == everything[len(everything) - len(rest) :]


def test_two_workers_give_what_one_gives(archive: Archive, tmp_path: Path) -> None:
    sources = []
    for name in ("b", "a"):
        path = tmp_path / name
        records = [archive.warc(f"http://{name}.example/{n}", b"<a href=x>%d</a>" % n) for n in range(200)]
        path.write_bytes(b"".join(records)[:-30])
        sources.append((path, 0))
    (tmp_path / "empty").touch()
    sources.insert(1, (tmp_path / "empty", 0))
    one = list(iterate_batches(sources, workers=1))
    assert list(iterate_batches(sources, workers=2)) == one
    assert [batch.source for batch in one if batch.last] == [0, 1, 2]
    assert sum(isinstance(item, Page) for batch in one for item in batch.items) == 400
    assert [batch.bytes_read for batch in one if batch.last] == [path.stat().st_size for path, _ in sources]


def test_a_file_that_is_not_there_is_a_problem_of_its_own(archive: Archive, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_bytes(archive.warc("http://a.example/"))
    items = [batch.items for batch in iterate_batches([(tmp_path / "gone", 0), (there, 0), (tmp_path, 0)])]
    assert [getattr(item[0], "kind", "page") for item in items] == ["unreadable", "page", "not-an-archive"]


def test_wrong_arguments_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="worker"):
        iterate_batches([(tmp_path, 0)], workers=0)
    with pytest.raises(ValueError, match="position"):
        iterate_batches([(tmp_path, -1)])


@pytest.mark.parametrize(
    ("written", "date"),
    [
        *((one, one) for one in ("2014", "2014-01", "2014-01-02", "2014-01-02T03:04:05.000000006Z")),
        ("2014-01-02T03:04", "2014-01-02T03:04Z"),
        ("2014-01-02t03:04:05z", "2014-01-02T03:04:05Z"),
        ("2014-01-02T03:04:05+00:00", "2014-01-02T03:04:05Z"),
        ("2004-02-30T12:00:00Z", "2004-02"),
        ("2004-02-29T12:00:00Z", "2004-02-29T12:00:00Z"),
        ("2003-02-29T12:00:00Z", "2003-02"),
        *((one, "") for one in ("", "2014-1", "2014-01T03:04", "2014-01-02T03", "2008-10-294T05:21:46-0700", "now")),
    ],
)
def test_dates_of_any_precision(archive: Archive, read: Read, written: str, date: str) -> None:
    record = archive.warc("http://a.example/").replace(b"2026-11-21T00:17:00Z", written.encode())
    assert [page.date for page in read(record)[0]] == [date]


@pytest.mark.parametrize("year", [1, 4, 100, 400, 1900, 2000, 2023, 2024, 9996, 9999])
def test_days_are_those_of_the_calendar(year: int) -> None:
    for month, day in product(range(14), range(33)):
        known = 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]
        part = f"{year:04}-{month:02}" if 1 <= month <= 12 else f"{year:04}"
        written = f"{year:04}-{month:02}-{day:02}"
        assert parse_date(written) == parse_date(written.replace("-", "")) == (written if known else part)
        assert parse_date(f"{written}T12:34:56Z") == (f"{written}T12:34:56Z" if known else part)


@pytest.mark.parametrize(("written", "date"), [("20061121", "2006-11-21"), ("200611210017", "2006-11-21T00:17Z")])
def test_dates_of_an_arc_that_are_cut(archive: Archive, read: Read, written: str, date: str) -> None:
    record = archive.arc("http://a.example/").replace(b"20061121001700", written.encode())
    assert [page.date for page in read(record, "a.arc")[0]] == [date]


XHTML = b"""<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head>
<body><!-- <b/> --><p>Guten <a id="top"/>Tag<br/><iframe src="/f"/>
<textarea name="q"/><![CDATA[1 < 2]]><a href="/x">x</a></p>
</body></html>"""


@pytest.mark.parametrize("served", [b"application/xhtml+xml", b"text/xml", b"application/xml; charset=utf-8"])
def test_empty_elements_of_xhtml_do_not_swallow_the_page(archive: Archive, read: Read, served: bytes) -> None:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: " + served + b"\r\n"
    (page,), problems = read(archive.warc("http://a.example/", XHTML, http=http))
    assert (page.text, problems) == ("Guten Tag\n1 < 2x", [])
    assert [link.url for link in page.links] == ["http://a.example/f", "http://a.example/x"]


def test_in_html_a_slash_closes_nothing(archive: Archive, read: Read) -> None:
    (page,), _ = read(archive.warc("http://a.example/", XHTML))
    assert page.text == ""
