"""Crawls of one site in several years: Danish in 2010, English in 2011, German in 2012."""

from __future__ import annotations

import gzip
import json
import uuid
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Call = Callable[..., Result]

DANISH = (
    "Museet ligger ved havnen og viser gamle både, net og søkort. Hver morgen åbner en kvinde den tunge dør, og de"
    " første gæster venter allerede i regnen. Om eftermiddagen er der kage og varm te til alle, som har lyst."
)
ENGLISH = (
    "The museum lies at the harbour and shows old boats, nets and charts. Every morning a woman opens the heavy door,"
    " and the first visitors are already waiting in the rain. In the afternoon there is cake and hot tea for everyone."
)
GERMAN = (
    "Das Museum liegt am Hafen und zeigt alte Boote, Netze und Karten. Jeden Morgen öffnet eine Frau die schwere Tür,"
    " und die ersten Gäste warten schon im Regen. Am Nachmittag gibt es Kuchen und heißen Tee für alle, die mögen."
)
SITE = "http://museum.example/"


def html(text: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">.</a>' for link in links)
    return f"<!doctype html><html><body><p>{text}</p>{anchors}</body></html>"


def archive(path: Path, captures: list[tuple[str, str, str]]) -> Path:
    """An archive of (URL, date, HTML)."""
    with path.open("wb") as file:
        for url, date, body in captures:
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body.encode()
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
                f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url + date)}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + http + b"\r\n\r\n", mtime=0))
    return path


@pytest.fixture
def crawls(tmp_path: Path) -> list[Path]:
    """One archive a year: two long pages and a short one, ``anna.html``, and one that stays English."""
    found = []
    for year, text in ((2010, DANISH), (2011, ENGLISH), (2012, GERMAN)):
        date = f"{year}-03-01T12:00:00Z"
        links = ("/", "/boats.html", "/anna.html", "/en.html")
        pages = [
            (SITE, date, html(text, *links)),
            (f"{SITE}boats.html", date, html(f"{text[60:]} {text[:60]}", *links)),
            (f"{SITE}anna.html", date, html("Anna", "/", "/boats.html")),
            (f"{SITE}en.html", date, html(ENGLISH.replace("museum", "gallery"), "/")),
        ]
        found.append(archive(tmp_path / f"{year}.warc.gz", pages))
    return found


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        ("all", "8 of them are further captures of a URL: 8 are kept with their dates (--keep all)"),
        ("first", "8 of them are further captures of a URL: one of each URL is kept, the others are dropped (--keep"),
    ],
)
def test_it_is_said_what_became_of_further_captures(
    graphlang: Call, crawls: list[Path], tmp_path: Path, keep: str, words: str
) -> None:
    result = graphlang("ingest", tmp_path / "a.db", *crawls, "--workers", 1, "--keep", keep)
    assert result.exit_code == 0, result.stderr
    assert words in result.stderr
    facts = {row["what"]: row["count"] for row in _rows(graphlang("info", tmp_path / "a.db", "--format", "jsonl"))}
    assert facts["pages read"] == 4
    assert facts["captures kept beside their own"] == (8 if keep == "all" else 0)
    # anna.html and en.html stay as they are
    assert facts["captures kept with another content"] == (4 if keep == "all" else 0)


def test_what_says_nothing_new_is_told_apart(graphlang: Call, crawls: list[Path], tmp_path: Path) -> None:
    again = tmp_path / "again.warc.gz"
    again.write_bytes(crawls[0].read_bytes() + gzip.compress(b""))  # other bytes, the same records
    graphlang("ingest", tmp_path / "a.db", crawls[0], crawls[1], "--workers", 1)
    result = graphlang("ingest", tmp_path / "a.db", again, "--workers", 1)
    words = "4 of them are further captures of a URL: 4 say nothing that was not known (--keep all)"
    assert words in result.stderr


def _rows(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]
