"""The byte path from the command line: bytes kept at ingest, read by a byte method, encodings counted by ``info``."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Call = Callable[..., Result]
RUSSIAN = "Музей открыт каждый день с десяти до восемнадцати часов, кроме понедельника. Вход для детей свободный. "


def record(url: str, body: bytes) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def test_an_undeclared_koi8_page_is_named_with_its_encoding(graphlang: Call, tmp_path: Path) -> None:
    page = f"<p>{RUSSIAN}</p>" * 3
    (tmp_path / "a.warc").write_bytes(
        record("http://a.example/", page.encode("koi8-r")) + record("http://b.example/", page.encode())
    )
    db = tmp_path / "a.db"
    assert graphlang("ingest", db, tmp_path / "a.warc").exit_code == 0
    assert graphlang("classify", db, "--method", "byte-trigrams").exit_code == 0
    connection = sqlite3.connect(db)
    answers = connection.execute("SELECT url, language, encoding FROM page_languages ORDER BY url").fetchall()
    connection.close()
    # The other page is sound UTF-8: its charset is in no doubt, and its text was read.
    assert answers == [("http://a.example/", "rus", "koi8-r"), ("http://b.example/", "rus", None)]
    counted = graphlang("info", db, "--encodings", "--format", "csv")
    assert counted.stdout.splitlines() == [
        "language,charset,charset_from,encoding,pages",
        "rus,koi8-r,detector,koi8-r,1",
        "rus,utf-8,utf-8,,1",
    ]
