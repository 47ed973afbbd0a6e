"""What ``ingest`` reads, and how: lists, standard input, mirrors, bytes, options, files read again; and ``convert``."""

import gzip
import io
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from graphlang.cli.main import cli

Call = Callable[..., Result]
PAGE = (
    "<title>Museum</title><p>Das Museum ist jeden Tag von zehn bis achtzehn Uhr geöffnet <a href=/b?utm_source=x>b</a>"
)


def record(url: str, body: bytes, *, kind: str = "response", mime: str = "text/html", date: str = "2024") -> bytes:
    block = body
    content = mime
    if kind == "response":
        block = f"HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\n\r\n".encode() + body
        content = "application/http"
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}-01-01T00:00:00Z\r\n"
        f"Content-Type: {content}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def rows(db: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(db)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_standard_input_is_read_and_known_again(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    data = gzip.compress(record("http://a.example/", PAGE.encode()), mtime=0)
    result = CliRunner().invoke(cli, ["ingest", str(db), "-"], input=data)
    assert result.exit_code == 0, result.output
    assert rows(db, "SELECT name, finished FROM sources") == [("-", 1)]
    again = CliRunner().invoke(cli, ["ingest", str(db), "-"], input=data)
    assert "already read: -\n" in again.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.db"]  # the copy is gone


def test_a_list_of_files_from_a_file_and_from_standard_input(graphlang: Call, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.warc").write_bytes(record(f"http://{name}.example/", PAGE.encode()))
    (tmp_path / "list.txt").write_text(f"# two\n{tmp_path}/a.warc\n\n", encoding="utf-8")
    db = tmp_path / "a.db"
    result = graphlang("ingest", db, tmp_path / "b.warc", "--from", tmp_path / "list.txt")
    assert result.exit_code == 0, result.output
    assert rows(db, "SELECT COUNT(*) FROM captures") == [(2,)]
    piped = CliRunner().invoke(cli, ["ingest", str(tmp_path / "c.db"), "--from", "-"], input=f"{tmp_path}/a.warc\n")
    assert piped.exit_code == 0, piped.output
    (tmp_path / "list.txt").write_text("# none\n", encoding="utf-8")
    nothing = graphlang("ingest", db, "--from", tmp_path / "list.txt")
    assert (nothing.exit_code, "lists no files" in nothing.stderr) == (2, True)
    assert graphlang("ingest", db).exit_code == 2


def test_wet_and_wat_of_one_page_become_one_capture_in_any_order(graphlang: Call, tmp_path: Path) -> None:
    url = "http://a.example/"
    envelope = {
        "WARC-Header-Metadata": {
            "WARC-Type": "response",
            "WARC-Target-URI": url,
            "WARC-Date": "2024-01-01T00:00:00Z",
        },
        "Payload-Metadata": {
            "HTTP-Response-Metadata": {
                "Response-Message": {"Status": "200"},
                "Headers": {"Content-Type": "text/html"},
                "HTML-Metadata": {"Head": {"Title": "Museum"}, "Links": [{"path": "A@/href", "url": "/b"}]},
            }
        },
    }
    described = json.dumps({"Envelope": envelope}).encode()
    (tmp_path / "a.wat").write_bytes(record(url, described, kind="metadata", mime="application/json", date="2025"))
    (tmp_path / "a.wet").write_bytes(record(url, "Museum\nGeöffnet".encode(), kind="conversion", mime="text/plain"))
    for order in (("a.wat", "a.wet"), ("a.wet", "a.wat")):
        db = tmp_path / f"{order[0]}.db"
        assert graphlang("ingest", db, *(tmp_path / name for name in order)).exit_code == 0
        assert rows(db, "SELECT title, text FROM texts") == [("Museum", "Museum\nGeöffnet")]
        assert rows(db, "SELECT target FROM links") == [(2,)]
        assert rows(db, "SELECT status, mime, parts, captures FROM captures") == [(200, "text/html", "joined", 1)]


def test_a_mirror_is_read_by_its_paths_once(graphlang: Call, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    (mirror / "www.a.example" / "b").mkdir(parents=True)
    (mirror / "www.a.example" / "index.html").write_text(f"<html>{PAGE}", encoding="utf-8")
    (mirror / "www.a.example" / "b" / "index.html").write_text("<html><p>zwei", encoding="utf-8")
    db = tmp_path / "a.db"
    assert graphlang("ingest", db, mirror).exit_code == 0
    urls = "SELECT url FROM captures JOIN pages ON id = page ORDER BY url"
    assert rows(db, urls) == [("http://www.a.example/",), ("http://www.a.example/b/",)]
    assert "already read" in graphlang("ingest", db, mirror).stderr
    (mirror / "www.a.example" / "c.html").write_text("<html><p>drei", encoding="utf-8")
    assert graphlang("ingest", db, mirror).exit_code == 0
    assert rows(db, "SELECT COUNT(*) FROM captures") == [(3,)]


def test_keep_and_its_record(graphlang: Call, tmp_path: Path) -> None:
    captures = [record("http://a.example/", f"<p>{date}".encode(), date=date) for date in ("2021", "2019", "2020")]
    (tmp_path / "a.warc").write_bytes(b"".join(captures))
    for keep, kept in (("best", "2021"), ("first", "2019"), ("last", "2021"), ("longest", "2021")):
        db = tmp_path / f"{keep}.db"
        assert graphlang("ingest", db, tmp_path / "a.warc", "--keep", keep).exit_code == 0
        assert rows(db, "SELECT text FROM texts") == [(kept,)]
        assert rows(db, "SELECT keep FROM sources") == [(keep,)]
        assert rows(db, "SELECT captures FROM captures") == [(3,)]


def test_bytes_are_kept_where_the_charset_is_in_doubt_or_where_they_are_asked_for(
    graphlang: Call, tmp_path: Path
) -> None:
    koi8 = "<p>Музей открыт каждый день с десяти до восемнадцати часов".encode("koi8-r")
    (tmp_path / "a.warc").write_bytes(
        record("http://a.example/", koi8) + record("http://b.example/", "<p>geöffnet &auml;".encode())
    )
    assert graphlang("ingest", tmp_path / "a.db", tmp_path / "a.warc").exit_code == 0
    kept = "SELECT url, bytes FROM visible_bytes JOIN pages ON id = page ORDER BY url"
    assert rows(tmp_path / "a.db", kept) == [("http://a.example/", koi8[3:])]
    assert graphlang("ingest", tmp_path / "b.db", tmp_path / "a.warc", "--bytes").exit_code == 0
    assert rows(tmp_path / "b.db", kept) == [
        ("http://a.example/", koi8[3:]),
        ("http://b.example/", "geöffnet ä".encode()),
    ]


def test_plain_urls(graphlang: Call, tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(record("http://a.example/?fbclid=7", PAGE.encode()))
    assert graphlang("ingest", tmp_path / "a.db", tmp_path / "a.warc", "--plain-urls").exit_code == 0
    assert rows(tmp_path / "a.db", "SELECT url FROM pages") == [("http://a.example/",), ("http://a.example/b",)]


def test_convert_there_and_back(graphlang: Call, tmp_path: Path) -> None:
    data = b"".join(record(f"http://a.example/{n}", PAGE.encode()) for n in range(3))
    (tmp_path / "a.warc").write_bytes(data)
    there = graphlang("convert", tmp_path / "a.warc", tmp_path / "a.store")
    assert (there.exit_code, there.stdout) == (0, f"3 records written to {tmp_path}/a.store\n")
    back = graphlang("convert", tmp_path / "a.store", tmp_path / "b.warc.gz")
    assert (back.exit_code, back.stdout) == (0, f"3 records written to {tmp_path}/b.warc.gz\n")
    assert gzip.decompress((tmp_path / "b.warc.gz").read_bytes()) == data
    for name in ("a.warc", "a.store", "b.warc.gz"):
        assert graphlang("ingest", tmp_path / f"{name}.db", tmp_path / name).exit_code == 0
        assert rows(tmp_path / f"{name}.db", "SELECT COUNT(*) FROM captures") == [(3,)]


@pytest.mark.parametrize(
    ("target", "words"), [("b.txt", "must end in .store"), ("a.warc", "SOURCE itself"), ("no/b.store", "No such file")]
)
def test_convert_refuses(graphlang: Call, tmp_path: Path, target: str, words: str) -> None:
    (tmp_path / "a.warc").write_bytes(record("http://a.example/", b"x"))
    result = graphlang("convert", tmp_path / "a.warc", tmp_path / target)
    assert result.exit_code != 0
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_convert_tells_what_was_damaged_and_what_is_no_record(graphlang: Call, tmp_path: Path) -> None:
    whole = io.BytesIO(record("http://a.example/", b"x") * 2).getvalue()
    (tmp_path / "a.warc").write_bytes(whole[:-20])
    result = graphlang("convert", tmp_path / "a.warc", tmp_path / "a.store")
    assert (result.exit_code, "truncated" in result.stderr) == (1, True)
    (tmp_path / "a.jsonl").write_text('{"url": "http://a.example/", "text": "x"}\n', encoding="utf-8")
    result = graphlang("convert", tmp_path / "a.jsonl", tmp_path / "b.store")
    assert (result.exit_code, "not-a-record" in result.stderr) == (1, True)


RUSSIAN = "Музей открыт каждый день с десяти до восемнадцати часов, кроме понедельника. Вход для детей свободный. "


def test_an_undeclared_koi8_page_is_named_with_its_encoding(graphlang: Call, tmp_path: Path) -> None:
    page = f"<p>{RUSSIAN}</p>" * 3
    (tmp_path / "a.warc").write_bytes(
        record("http://a.example/", page.encode("koi8-r")) + record("http://b.example/", page.encode())
    )
    db = tmp_path / "a.db"
    assert graphlang("ingest", db, tmp_path / "a.warc").exit_code == 0
    assert graphlang("classify", db, "--method", "byte-trigrams").exit_code == 0
    answers = rows(db, "SELECT url, language, encoding FROM page_languages ORDER BY url")
    # The other page is sound UTF-8: its charset is in no doubt, and its text was read.
    assert answers == [("http://a.example/", "rus", "koi8-r"), ("http://b.example/", "rus", None)]
    counted = graphlang("info", db, "--encodings", "--format", "csv")
    assert counted.stdout.splitlines() == [
        "language,charset,charset_from,encoding,pages",
        "rus,koi8-r,detector,koi8-r,1",
        "rus,utf-8,utf-8,,1",
    ]


LENGTHS = "SELECT LENGTH(text) FROM texts ORDER BY page"


def test_other_options_are_said_and_again_reads_with_them(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    assert graphlang("run", museum, "--db", db, "--workers", 1, "--text-limit", 20, "--keep", "last").exit_code == 0
    short = rows(db, LENGTHS)
    assert max(short) == (20,)
    result = graphlang("ingest", db, museum, "--workers", 1, "--bytes")
    assert result.stderr.splitlines()[1] == (
        f"read with other options: {museum} (--text-limit 20, now 10000; --bytes off, now on; --keep last, now all):"
        " --again reads with the options given now"
    )
    assert rows(db, LENGTHS) == short
    assert graphlang("ingest", db, museum, "--workers", 1, "--again").exit_code == 0
    assert max(rows(db, LENGTHS)) > (200,)
    assert "other options" not in graphlang("ingest", db, museum, "--workers", 1).stderr
    assert rows(db, "SELECT COUNT(*), SUM(captures) FROM captures") == [(5, 5)]


def test_what_was_read_again_is_identified_again(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    graphlang("run", museum, "--db", db, "--workers", 1, "--text-limit", 1)
    characters = "SELECT MAX(characters) FROM page_languages"
    before = rows(db, characters)
    assert graphlang("run", museum, "--db", db, "--workers", 1, "--again").exit_code == 0
    assert rows(db, characters) > before
    assert rows(db, "SELECT language FROM page_languages ORDER BY page LIMIT 1") == [("deu",)]
