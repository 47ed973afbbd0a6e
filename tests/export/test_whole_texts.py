"""Texts longer than what methods read: cut, or kept whole beside it; with their lines, also of earlier captures."""

from __future__ import annotations

import gzip
import json
import sqlite3
import zlib
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from graphlang.db.records import deflate_text, inflate_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., Any]

URL = "http://museum.example/"
LINE = "Das Museum liegt am Hafen und zeigt alte Boote."  # 47 characters
MAIN = "\n".join([LINE] * 250)  # 250 * 48 - 1 characters
WHOLE = f"{MAIN}\nStart\nKarte"
MARKUP = f"<nav><li>Start<li>Karte</nav>{''.join(f'<p>{LINE}' for _ in range(250))}"


def archive(path: Path, captures: list[tuple[str, str]]) -> Path:
    """An archive of captures of one page: (date, HTML)."""
    with path.open("wb") as file:
        for date, body in captures:
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body.encode()
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {URL}\r\nWARC-Date: {date}\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + http + b"\r\n\r\n", mtime=0))
    return path


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return archive(tmp_path / "crawl.warc.gz", [("2012-06-01T00:00:00Z", MARKUP)])


def ask(db: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(query).fetchall()


def read(graphlang: Call, db: Path, crawl: Path, *how: object) -> None:
    assert graphlang("run", crawl, "--db", db, "--workers", 1, *how).exit_code == 0


def test_by_default_what_methods_read_is_kept_and_the_cut_is_said(graphlang: Call, crawl: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    read(graphlang, db, crawl)
    result = graphlang("texts", db)
    row = json.loads(result.stdout)
    assert (row["main"], row["text"], row["cut"]) == (WHOLE[:10_000], WHOLE[:10_000], 1)
    assert result.stderr == "1 of 1 text is cut: 'graphlang ingest --again --text-limit none' keeps it whole\n"
    target = tmp_path / "texts.jsonl"
    assert "1 of 1 text is cut" in graphlang("export", db, "--what", "texts", "-o", target).stderr
    assert ask(db, "SELECT LENGTH(text), main, rest FROM texts") == [(10_000, 10_000, None)]


def test_whole_texts_come_back_line_by_line_and_no_answer_changes(graphlang: Call, crawl: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    read(graphlang, db, crawl)
    answers = "SELECT page, label, confidence, characters, read FROM predictions ORDER BY run, page"
    before = ask(db, answers)
    changed = graphlang("ingest", db, crawl, "--workers", 1, "--text-limit", "none")
    assert "--text-limit 10000, now none" in changed.stderr
    assert graphlang("ingest", db, crawl, "--workers", 1, "--text-limit", "none", "--again").exit_code == 0
    assert ask(db, "SELECT LENGTH(text), main, LENGTH(rest) < 200 FROM texts") == [(10_000, len(MAIN), 1)]
    assert graphlang("classify", db).exit_code == 0
    assert ask(db, answers)[-1] == before[0]

    result = graphlang("texts", db)
    row = json.loads(result.stdout)
    assert (row["main"], row["text"], row["cut"], result.stderr) == (MAIN, WHOLE, 0, "")
    assert graphlang("texts", db, "--format", "txt").stdout == f"{WHOLE}\n\n"
    assert graphlang("texts", db, "--format", "txt", "--main").stdout == f"{MAIN}\n\n"
    for more, body in (((), WHOLE), (("--main",), MAIN)):
        target = tmp_path / "texts.wet.gz"
        assert graphlang("export", db, "--what", "wet", "-o", target, *more).exit_code == 0
        with target.open("rb") as file:
            assert [record.content_stream().read().decode() for record in ArchiveIterator(file)][1:] == [body]


def test_any_other_limit_cuts_there(graphlang: Call, crawl: Path, tmp_path: Path) -> None:
    for limit in (0, 1, 100, 9_999, 10_001, 11_999, 12_010):
        db = tmp_path / f"{limit}.db"
        assert graphlang("ingest", db, crawl, "--workers", 1, "--text-limit", limit).exit_code == 0
        (row,) = [json.loads(line) for line in graphlang("texts", db).stdout.splitlines()] or [None]
        if limit == 0:
            assert row is None
        else:
            assert (row["main"], row["text"], row["cut"]) == (MAIN[:limit], WHOLE[:limit], int(limit < len(WHOLE)))
    assert graphlang("ingest", tmp_path / "x.db", crawl, "--text-limit", "all").exit_code == 2


def test_captures_of_other_years_are_kept_whole(graphlang: Call, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    years = [(f"{year}-06-01T00:00:00Z", MARKUP.replace("alte", str(year))) for year in (2010, 2011, 2012)]
    crawl = archive(tmp_path / "years.warc.gz", years)
    assert graphlang("ingest", db, crawl, "--workers", 1, "--text-limit", "none").exit_code == 0
    rows = ask(db, "SELECT date, text, main, rest, length FROM history ORDER BY date")
    assert [row[0][:4] for row in rows] == ["2010", "2011"]
    for date, text, main, rest, length in rows:
        assert text + zlib.decompress(rest).decode() == WHOLE.replace("alte", date[:4])
        assert (main, length) == (len(MAIN), len(WHOLE))
    again = graphlang("ingest", db, crawl, "--workers", 1, "--text-limit", "20", "--again")
    assert again.exit_code == 0
    assert ask(db, "SELECT LENGTH(text), main, rest FROM history") == [(20, 20, None)] * 2
    assert ask(db, "SELECT LENGTH(text), main, rest FROM texts") == [(20, 20, None)]


@pytest.mark.parametrize(
    "rest",
    [
        b"no stream",
        zlib.compress(b"x" * 2_012),  # one character more than the page has
        zlib.compress(b"x" * 2_000)[:-1],
        zlib.compress(b"\xff"),
        zlib.compress(b"x" * 100_000_000, 9),
        None,
    ],
)
def test_a_rest_that_no_graphlang_wrote_is_an_error_of_one_line(
    graphlang: Call, crawl: Path, tmp_path: Path, rest: bytes | None
) -> None:
    db = tmp_path / "crawl.db"
    read(graphlang, db, crawl, "--text-limit", "none")
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("UPDATE texts SET rest = ?", (rest,))
        connection.commit()
    result = graphlang("texts", db, "-o", tmp_path / "texts.jsonl")
    assert result.exit_code == (0 if rest is None else 3)
    lines = result.stderr.splitlines()
    assert lines[-1].startswith("1 of 1 text is cut" if rest is None else "Error: texts.rest is ")
    assert lines[:-1] == ([f"1 text to {tmp_path / 'texts.jsonl'}"] if rest is None else [])


@given(st.text(max_size=200), st.integers(0, 200))
def test_what_is_deflated_comes_back_or_is_refused(text: str, most: int) -> None:
    data = deflate_text(text)
    if len(text) > most and data:
        with pytest.raises(ValueError, match="characters"):
            inflate_text(data, most)
    else:
        assert inflate_text(data, most) == text


def test_halves_of_surrogate_pairs_keep_their_place() -> None:
    assert inflate_text(deflate_text("a\ud800b"), 3) == "a?b"
