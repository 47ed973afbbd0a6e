"""The example crawl is what its scripts build, and holds what its README promises."""

from __future__ import annotations

import csv
import html
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from warcio.archiveiterator import ArchiveIterator

from graphlang.codes.languages import code, likely_script

EXAMPLES = Path(__file__).parents[2] / "examples"


class Record(NamedTuple):
    kind: str
    url: str
    status: str
    mime: str
    body: bytes


@cache
def records() -> tuple[Record, ...]:
    with (EXAMPLES / "crawl.warc.gz").open("rb") as stream:
        found = []
        for record in ArchiveIterator(stream):
            http = record.http_headers
            found.append(
                Record(
                    record.rec_type,
                    record.rec_headers.get_header("WARC-Target-URI") or "",
                    http.get_statuscode() if http else "",
                    (http.get_header("Content-Type") or "") if http else "",
                    record.content_stream().read(),
                )
            )
        return tuple(found)


@cache
def gold() -> tuple[dict[str, str], ...]:
    with (EXAMPLES / "crawl.gold.tsv").open(encoding="utf-8") as table:
        return tuple(csv.DictReader(table, delimiter="\t"))


def responses() -> dict[str, Record]:
    return {record.url: record for record in records() if record.kind == "response"}


def test_building_it_gives_the_committed_bytes(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "make_crawl.py"), "--output", str(tmp_path)]
    subprocess.run(command, check=True, cwd=tmp_path)
    for name in ("crawl.warc.gz", "crawl.gold.tsv"):
        assert (tmp_path / name).read_bytes() == (EXAMPLES / name).read_bytes(), name


def test_its_digests_are_right() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", str(EXAMPLES / "crawl.warc.gz")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_it_is_as_large_as_promised() -> None:
    assert (EXAMPLES / "crawl.warc.gz").stat().st_size < 1_000_000
    pages = [record for record in records() if record.kind == "response" and record.status == "200"]
    assert len(pages) >= 300
    assert len({urlsplit(record.url).hostname for record in pages}) >= 30
    languages = {row["language"] for row in gold()} - {"zxx"}
    assert len(languages) == 35
    assert all(code(language) == language for language in languages)
    assert len({likely_script(language) for language in languages}) == 11


def test_every_language_has_pages_of_every_length() -> None:
    counts = Counter((row["language"], row["bucket"]) for row in gold())
    for language in {row["language"] for row in gold()} - {"zxx"}:
        assert counts[language, "full"] >= 2
        assert counts[language, "short"] >= 3
        assert counts[language, "tiny"] >= 5
        assert counts[language, "unfetched"] == 1


def test_at_least_sixty_tiny_pages_do_not_tell_their_language() -> None:
    alike = Counter(
        record.body.split(b"<p>")[1].split(b"</p>")[0] for record in responses().values() if b"<p>" in record.body
    )
    languages: dict[bytes, set[str]] = {}
    for row in gold():
        record = responses().get(row["url"])
        if record and row["bucket"] == "tiny" and b"<p>" in record.body:
            languages.setdefault(record.body.split(b"<p>")[1].split(b"</p>")[0], set()).add(row["language"])
    undecidable = [text for text, used_by in languages.items() if len(used_by - {"zxx"}) > 1]
    assert sum(alike[text] for text in undecidable) >= 60


def test_gold_names_each_url_once_and_only_pages_of_the_crawl() -> None:
    urls = [row["url"] for row in gold()]
    assert len(set(urls)) == len(urls)
    for row in gold():
        assert (row["url"] in responses()) == (row["bucket"] != "unfetched"), row
        if row["bucket"] != "unfetched":
            assert responses()[row["url"]].status == "200"


def test_never_fetched_targets_are_linked_to() -> None:
    bodies = b"".join(record.body for record in responses().values())
    assert all(row["url"].encode() in bodies for row in gold() if row["bucket"] == "unfetched")


@pytest.mark.parametrize(
    ("what", "least"),
    [
        (b"<frameset", 2),
        (b"<iframe", 1),
        (b'http-equiv="refresh"', 1),
        (b'rel="canonical"', 1),
        (b'rel="alternate" hreflang', 30),
        (b'rel="nofollow"', 1),
        (b'content="nofollow"', 1),
        (b'content="noindex"', 1),
        (b"<base ", 1),
        (b"<area ", 1),
        (b"<script", 1),
        (b"<style", 1),
        (b"%PDF", 1),
        (b"\x89PNG", 1),
        (b"\xff\xfe", 1),
    ],
)
def test_it_holds_what_makes_crawls_hard(what: bytes, least: int) -> None:
    assert sum(what in record.body for record in responses().values()) >= least


def test_it_holds_every_kind_of_record_and_answer() -> None:
    assert Counter(record.kind for record in records() if record.kind != "response") == {
        "warcinfo": 1,
        "request": 1,
        "metadata": 1,
        "revisit": 1,
    }
    assert Counter(record.status for record in responses().values() if record.status != "200") == {
        "301": 3,
        "302": 2,
        "404": 1,
    }


@pytest.mark.parametrize(
    ("host", "charset"),
    [
        ("elaionas.graphlang-example.gr", "iso-8859-7"),
        ("eki.graphlang-example.jp", "euc-jp"),
        ("naru.graphlang-example.kr", "euc-kr"),
        ("halaszkunyho.example", "iso-8859-2"),
        ("molen.graphlang-example.nl", "windows-1252"),
    ],
)
def test_some_sites_declare_their_charset_nowhere(host: str, charset: str) -> None:
    pages = [
        record for record in responses().values() if urlsplit(record.url).hostname == host and record.status == "200"
    ]
    assert all("charset" not in record.mime and b"charset" not in record.body for record in pages)
    assert any(not record.body.isascii() for record in pages)
    for record in pages:
        record.body.decode(charset)


def test_a_site_and_a_page_lie_about_their_charset() -> None:
    lies = set()
    for record in responses().values():
        if "utf-8" in record.mime:
            try:
                record.body.decode()
            except UnicodeDecodeError:
                lies.add(urlsplit(record.url).hostname)
                assert "а" in record.body.decode("windows-1251")
    assert lies == {"rozi.graphlang-example.bg", "ladja.graphlang-example.ru"}


def test_two_pages_have_no_inlinks_and_a_splash_page_only_leads_away() -> None:
    bodies = b"".join(record.body.replace(b"\0", b"") for record in responses().values())
    linked = {found.decode() for found in re.findall(rb'(?:href="|src="|url=)([^">]+)', bodies)}
    unlinked = {row["url"] for row in gold()} - {html.unescape(url) for url in linked}
    orphans = {"http://piekarnia.graphlang-example.pl/orphan.html", "http://maktaba.example/9752b8ff2c.html"}
    assert unlinked == {*orphans, "http://eki.graphlang-example.jp/"}
