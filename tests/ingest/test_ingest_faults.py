from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING

import pytest
from fastwarc.stream_io import Lz4Writer, ZstdWriter

if TYPE_CHECKING:
    from conftest import Archive, Read


def urls(pages: list) -> list[str]:
    return [page.url.removeprefix("http://a.example/") for page in pages]


def kinds(problems: list) -> list[str]:
    return [problem.kind for problem in problems]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "a.warc.gz"),
        (b"\n\n", "a.txt"),
        (b"\r\n", "a.warc"),
        (b"PK\x03\x04 no archive of ours", "a.zip"),
        (b"%PDF-1.4", "a"),
        (gzip.compress(b"some words", mtime=0), "a.gz"),
        (gzip.compress(b"", mtime=0), "a.gz"),
    ],
)
def test_a_file_that_is_no_archive_says_so(read: Read, data: bytes, name: str) -> None:
    pages, problems = read(data, name=name)
    assert (pages, kinds(problems)) == ([], ["not-an-archive"])


def test_a_name_makes_a_damaged_file_an_archive(archive: Archive, read: Read) -> None:
    pages, problems = read(b"x" * 200_000 + b"\n" + archive.warc("http://a.example/1"))
    assert (urls(pages), kinds(problems)) == (["1"], ["garbage"])


def test_length_too_small(archive: Archive, read: Read) -> None:
    bad = archive.warc("http://a.example/1", b"<p>all of it").replace(b"Content-Length: 56", b"Content-Length: 20")
    assert b"Length: 20" in bad
    pages, problems = read(bad + archive.warc("http://a.example/2"))
    assert (urls(pages), kinds(problems)) == (["1", "2"], ["bad-length"])
    assert pages[0].text == "all of it"


@pytest.mark.parametrize("claimed", [b"90", b"5000", b"99999999999"])
def test_length_too_large_costs_one_record(archive: Archive, read: Read, claimed: bytes) -> None:
    bad = archive.warc("http://a.example/1").replace(b"Content-Length: 52", b"Content-Length: " + claimed)
    assert claimed in bad
    rest = [archive.warc(f"http://a.example/{number}") for number in (2, 3)]
    pages, problems = read(bad + b"".join(rest))
    assert (urls(pages), kinds(problems)) == (["1", "2", "3"], ["bad-length"])
    pages, problems = read(bad + b"".join(rest), max_payload=60)
    assert (urls(pages), kinds(problems)) == (["1", "2", "3"], ["bad-length"])
    pages, problems = read(archive.gz(bad, *rest))
    assert (urls(pages), kinds(problems)) == (["1", "2", "3"], ["truncated"])


@pytest.mark.parametrize("length", [b"", b"Content-Length: many\r\n", b"Content-Length: -4\r\n"])
def test_length_missing(archive: Archive, read: Read, length: bytes) -> None:
    bad = archive.warc("http://a.example/1").replace(b"Content-Length: 52\r\n", length)
    pages, problems = read(bad + archive.warc("http://a.example/2"))
    assert (urls(pages), kinds(problems)) == (["1", "2"], ["bad-length"])


def test_garbage_between_records(archive: Archive, read: Read) -> None:
    one, two = archive.warc("http://a.example/1"), archive.warc("http://a.example/2")
    pages, problems = read(one + b"garbage\r\nmore\r\n" + two)
    assert [page.text for page in pages] == ["Hello", "Hello"]
    assert [(problem.kind, problem.offset) for problem in problems] == [("garbage", len(one))]
    pages, problems = read(one.rstrip() + b"garbage\r\nmore\r\n" + two)
    assert urls(pages) == ["1", "2"]
    assert kinds(problems) == ["bad-length"]  # it may as well be the end of the first record


def test_damage_to_a_magic_leaves_the_record_before_it_alone(archive: Archive, read: Read) -> None:
    one, two, three = (archive.warc(f"http://a.example/{number}") for number in range(3))
    pages, problems = read(one + b"X" + two[1:] + three)
    assert [(page.url[-1], page.text) for page in pages] == [("0", "Hello"), ("2", "Hello")]
    assert [(problem.kind, problem.offset) for problem in problems] == [("garbage", len(one))]


def test_garbage_between_gzip_members(archive: Archive, read: Read) -> None:
    one, two = archive.warc("http://a.example/1"), archive.warc("http://a.example/2")
    pages, problems = read(archive.gz(one) + b"garbage" + archive.gz(two))
    assert (urls(pages), kinds(problems)) == (["1", "2"], ["damaged"])
    assert problems[0].reason == "7 bytes that are not gzip"


def test_padding_between_and_behind_records_is_nothing(archive: Archive, read: Read) -> None:
    one, two = archive.warc("http://a.example/1"), archive.warc("http://a.example/2")
    pages, problems = read(one + b"\r\n\r\n\n" + two[:-4])
    assert (urls(pages), kinds(problems)) == (["1", "2"], [])


def test_file_cut_within_the_last_record(archive: Archive, read: Read) -> None:
    data = archive.warc("http://a.example/1") + archive.warc("http://a.example/2", b"<p>only the first words are left")
    pages, problems = read(data[:-20])
    assert (urls(pages), kinds(problems)) == (["1", "2"], ["truncated"])
    assert pages[1].text == "only the firs"
    pages, problems = read(data[:-150])
    assert (urls(pages), kinds(problems)) == (["1"], ["truncated"])


def test_gzip_cut_within_the_last_member(archive: Archive, read: Read) -> None:
    words = b" ".join(b"%d" % (n * 7919) for n in range(2000))
    whole = archive.gz(archive.warc("http://a.example/1"), archive.warc("http://a.example/2", words))
    pages, problems = read(whole[:-2000])
    assert (urls(pages), kinds(problems)) == (["1", "2"], ["truncated"])
    assert pages[1].text.startswith("0 7919 15838 ")


def test_gzip_damaged_within_a_member(archive: Archive, read: Read) -> None:
    words = b" ".join(b"%d" % (n * 7919) for n in range(5000))
    members = [archive.gz(archive.warc(f"http://a.example/{number}", words)) for number in range(3)]
    middle = len(members[1]) // 2
    broken = members[1][:middle] + b"\xff" * 40 + members[1][middle + 40 :]
    pages, problems = read(members[0] + broken + members[2])
    assert urls(pages) == ["0", "1", "2"]
    assert {problem.offset for problem in problems} == {len(members[0])}
    assert pages[1].text.startswith("0 7919 15838 ")


def test_gzip_with_a_wrong_checksum_keeps_its_record(archive: Archive, read: Read) -> None:
    member = archive.gz(archive.warc("http://a.example/1"))
    pages, problems = read(member[:-8] + b"\0" * 4 + member[-4:] + archive.gz(archive.warc("http://a.example/2")))
    assert (urls(pages), kinds(problems)) == (["1", "2"], ["damaged"])


def test_member_whose_magic_is_gone(archive: Archive, read: Read) -> None:
    members = [archive.gz(archive.warc(f"http://a.example/{number}")) for number in range(3)]
    pages, problems = read(members[0] + b"xx" + members[1][2:] + members[2])
    assert urls(pages) == ["0", "2"]
    assert kinds(problems) == ["damaged"]


@pytest.mark.parametrize(
    "tail", ["garbage", "the magic of the last member is gone", "a record that is not compressed", "cut"]
)
def test_what_lies_behind_the_last_gzip_member_is_told(archive: Archive, read: Read, tail: str) -> None:
    member, record = archive.gz(archive.warc("http://a.example/1")), archive.warc("http://a.example/2")
    tails = {"garbage": b"x" * 300_000, "a record that is not compressed": record, "cut": archive.gz(record)[:3]}
    pages, problems = read(member + tails.get(tail, b"xx" + archive.gz(record)[2:]), "a.warc.gz")
    assert (urls(pages), kinds(problems)) == (["1"], ["damaged"])
    assert problems[0].offset == len(member)


@pytest.mark.parametrize("writer", [ZstdWriter, Lz4Writer])
@pytest.mark.parametrize("damage", ["magic", "block", "garbage", "padding"])
def test_reading_goes_on_at_the_next_frame(
    archive: Archive, read: Read, writer: type[ZstdWriter | Lz4Writer], damage: str
) -> None:
    def framed(number: int) -> bytes:
        file = io.BytesIO()
        packed = writer(file)
        packed.write(archive.warc(f"http://a.example/{number}"))
        packed.close()
        return file.getvalue()

    first, second, third = map(framed, range(3))
    if damage in {"magic", "block"}:
        at = 0 if damage == "magic" else 7 if writer is Lz4Writer else 6
        second = second[:at] + bytes(byte ^ 0xFF for byte in second[at : at + 3]) + second[at + 3 :]
        told, found = ["damaged"], ["0", "2"]
    else:
        second = {"garbage": b"garbage", "padding": bytes(99)}[damage] + second
        told, found = (["damaged"] if damage == "garbage" else []), ["0", "1", "2"]
    pages, problems = read(first + second + third, "a.warc")
    assert (urls(pages), kinds(problems)) == (found, told)
    assert {problem.offset for problem in problems} <= {len(first)}


@pytest.mark.parametrize("padding", [b"\0" * 300_000, b"\r\n"])
def test_padding_around_gzip_members_is_nothing(archive: Archive, read: Read, padding: bytes) -> None:
    members = [archive.gz(archive.warc(f"http://a.example/{number}")) for number in range(2)]
    pages, problems = read(members[0] + padding + members[1] + padding, "a.warc.gz")
    assert (urls(pages), problems) == (["0", "1"], [])


def test_record_larger_than_the_limit_is_read_in_part(archive: Archive, read: Read) -> None:
    big = archive.warc("http://a.example/1", b"<p>start " + b"x" * 3_000_000)
    small = archive.warc("http://a.example/2")
    for data in (big + small, archive.gz(big, small), gzip.compress(big + small, mtime=0)):
        pages, problems = read(data, max_payload=1000)
        assert (urls(pages), kinds(problems)) == (["1", "2"], ["too-large"])
        assert pages[0].text.startswith("start xxx")
        assert pages[0].size < 1000


def test_bomb_of_a_gzip_within_a_gzip(archive: Archive, read: Read) -> None:
    bomb = gzip.compress(b"<p>a " + b"\0" * 50_000_000, mtime=0)
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n"
    data = archive.warc("http://a.example/1", bomb, http=http) + archive.warc("http://a.example/2")
    pages, problems = read(data, max_payload=100_000)
    assert (urls(pages), kinds(problems)) == (["1", "2"], ["too-large"])
    assert pages[0].size == 100_000


def test_header_without_end(archive: Archive, read: Read) -> None:
    endless = b"WARC/1.0\r\nWARC-Type: response\r\n" + b"X: y\r\n" * 50_000
    pages, problems = read(endless + b"\r\n" + archive.warc("http://a.example/2"), max_header=10_000)
    assert (urls(pages), kinds(problems)) == (["2"], ["bad-header"])
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + b"X: y\r\n" * 50_000
    data = archive.warc("http://a.example/1", http=http) + archive.warc("http://a.example/2")
    pages, problems = read(data, max_header=10_000)
    assert (urls(pages), kinds(problems)) == (["1", "2"], ["bad-http"])


def test_headers_without_end_one_after_another_are_passed_over_together(archive: Archive, read: Read) -> None:
    endless = b"WARC/1.0\r\nWARC-Type: response\r\n" * 2_000
    pages, problems = read(endless + b"\r\n" + archive.warc("http://a.example/2"), max_header=10_000)
    assert urls(pages) == ["2"]
    assert kinds(problems).count("bad-header") == 6  # one for each 10,000 bytes of them, not one for each of them
    assert len(problems) < 10


def test_a_record_behind_a_header_without_end_is_found(archive: Archive, read: Read) -> None:
    endless = b"WARC/1.0\r\nWARC-Type: response\r\n" + b"X: y\r\n" * 1_500
    two, three = archive.warc("http://a.example/2"), archive.warc("http://a.example/3")
    pages, problems = read(endless + two + three, max_header=9_200)
    assert (urls(pages), kinds(problems)) == (["2", "3"], ["bad-header"])


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://" + "a" * 1_000_000, "bad-url"),
        ("http://a b/", "bad-url"),
        ("", "bad-record"),
        ("http://[::1/", "bad-url"),
        ("a.example/1", "bad-url"),
        ("//a.example/1", "bad-url"),
        ("a.example:8080/1", "bad-url"),
        ("localhost:80", "bad-url"),
    ],
)
def test_target_uri_that_is_none(archive: Archive, read: Read, url: str, kind: str) -> None:
    pages, problems = read(archive.warc(url) + archive.warc("http://a.example/2"), max_header=2_000_000)
    assert (urls(pages), kinds(problems)) == (["2"], [kind])
    assert len(problems[0].url or "") <= 500


def test_what_is_not_meant_as_a_page_is_no_problem(archive: Archive, read: Read) -> None:
    others = b"".join(archive.warc(url) for url in ("dns:a.example", "data:text/html,x", "urn:x:y", "about:blank"))
    of_a_file = archive.warc("crawl-00000.warc.gz", b"{}", kind="metadata", http=None)
    assert read(others + of_a_file.replace(b"text/html", b"application/json")) == ([], [])


def test_target_uri_that_is_not_utf8(archive: Archive, read: Read) -> None:
    data = archive.warc("http://a.example/XX").replace(b"XX", b"\xe9\xff")
    pages, problems = read(data)
    assert urls(pages) == ["%E9%FF"]
    assert problems == []


def test_status_line_missing(archive: Archive, read: Read) -> None:
    pages, problems = read(archive.warc("http://a.example/1", b"<html><p>naked", http=b""))
    assert (urls(pages), kinds(problems)) == (["1"], ["bad-http"])
    assert (pages[0].status, pages[0].text) == (None, "naked")


@pytest.mark.parametrize(
    "nest",
    [
        *(b"<div>" * 100_000, b"<ul><li>" * 50_000, b"".join(b"<b id=%d><p>" % n for n in range(20_000))),
        *(b"<p " + b" ".join(b"a%d=1" % n for n in range(200_000)) + b">", b"<svg>" + b"<g>" * 100_000),
        *(b"<table><tr><td>" * 30_000, b"<b>" * 1_000_000, b"<!--" * 200_000, b"<script>" * 100_000),
        *(b"<a href='" * 100_000, b"<x/y='" * 100_000, b"<" * 1_000_000, b"&" * 1_000_000, b"&#" * 500_000),
    ],
    ids=range(14),
)
def test_markup_that_would_take_minutes_and_gigabytes(archive: Archive, read: Read, nest: bytes) -> None:
    data = archive.warc("http://a.example/1", b"<title>T</title><p>before <a href=x>x</a>" + nest + b"after")
    pages, _ = read(data + archive.warc("http://a.example/2"))
    assert urls(pages) == ["1", "2"]
    assert pages[0].title == "T"
    assert pages[0].text.startswith("before x")
    assert [link.url for link in pages[0].links][:1] == ["http://a.example/x"]


def test_a_million_links(archive: Archive, read: Read) -> None:
    body = b"".join(b"<a href=/%d>" % n for n in range(1_000_000))
    (page,), problems = read(archive.warc("http://a.example/", body), max_links=100)
    assert len(page.links) == 100
    assert {"too-many-links"} <= set(kinds(problems))


def test_url_of_a_megabyte_in_a_link(archive: Archive, read: Read) -> None:
    body = b"<a href='/" + b"u" * 1_000_000 + b"'>x</a><a href=/y>"
    (page,), problems = read(archive.warc("http://a.example/", body))
    assert [link.url for link in page.links] == ["http://a.example/y"]
    assert page.text == "x"
    del problems


def test_arc_with_a_length_too_large(archive: Archive, read: Read) -> None:
    one = archive.arc("http://a.example/1").replace(b" 52\n", b" 90\n")
    assert b" 90\n" in one
    pages, problems = read(one + archive.arc("http://a.example/2") + archive.arc("http://a.example/3"))
    assert (urls(pages), kinds(problems)) == (["1", "2", "3"], ["bad-length"])


def test_deflated_payload_in_both_forms(archive: Archive, read: Read) -> None:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: deflate\r\n"
    raw = zlib.compressobj(wbits=-15)
    bare = raw.compress(b"<p>bare") + raw.flush()
    pages, problems = read(
        archive.warc("http://a.example/1", zlib.compress(b"<p>wrapped"), http=http)
        + archive.warc("http://a.example/2", bare, http=http)
    )
    assert [page.text for page in pages] == ["wrapped", "bare"]
    assert problems == []
