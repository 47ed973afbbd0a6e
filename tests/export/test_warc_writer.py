"""Records of exports: what warcio and gzip read of them."""

import gzip
import io
import zlib

import pytest
from warcio.archiveiterator import ArchiveIterator

from graphlang.export.warc import RecordWriter, join_lines

DATE = "2012-06-01T00:00:00Z"


def write_record(about: tuple[str, str, str], said: list[tuple[str, str]], block: bytes) -> bytes:
    file = io.BytesIO()
    writer = RecordWriter(file)
    writer.write_page_record("metadata", about, said, "text/plain", block)
    writer.flush()
    return gzip.decompress(file.getvalue())


def test_a_record() -> None:
    said = [("WARC-Refers-To-Target-URI", "http://\u00e9.example/"), ("WARC-Refers-To-Date", "")]
    assert write_record(("http://\u00e9.example/", DATE, "ABC"), said, b"deu").decode().split("\r\n") == [
        "WARC/1.1",
        "WARC-Type: metadata",
        "WARC-Target-URI: http://\u00e9.example/",
        f"WARC-Date: {DATE}",
        "WARC-Record-ID: <urn:uuid:02191c55-a48f-5b93-b3e0-e000cf2fc8ed>",
        "WARC-Refers-To-Target-URI: http://\u00e9.example/",
        "Content-Type: text/plain",
        "Content-Length: 3",
        "WARC-Payload-Digest: sha1:Y3HX3UPZZSPLDEQ424BF7UQUQLXJ3KJD",
        "WARC-Block-Digest: sha1:Y3HX3UPZZSPLDEQ424BF7UQUQLXJ3KJD",
        "",
        "deu",
        "",
        "",
    ]


def test_no_value_begins_a_line_of_its_own() -> None:
    said = [("WARC-Identified-Content-Language", "deu\r\nWARC-Type: warcinfo\r\n\r\n")]
    found = write_record(("http://a/\r\nX: y", "2012\n", ""), said, b"")
    assert found.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:4] == [
        b"WARC-Type: metadata",
        b"WARC-Target-URI: http://a/  X: y",
        b"WARC-Date: 2012 ",
    ]
    assert b"WARC-Identified-Content-Language: deu  WARC-Type: warcinfo    \r\n" in found
    assert join_lines("\u202e \x7f\x00") == "\u202e   "


@pytest.mark.parametrize("fast", [True, False], ids=["isal", "zlib"])
def test_records_are_members_that_readers_find(monkeypatch: pytest.MonkeyPatch, *, fast: bool) -> None:
    if fast:
        pytest.importorskip("isal")
    else:

        def absent(name: str) -> None:
            raise ImportError(name)

        monkeypatch.setattr("graphlang.export.warc.import_module", absent)
    urls = [f"http://a.example/{number}" for number in range(40)]
    blocks = [bytes(range(256)) * (number % 9) for number in range(40)]
    file = io.BytesIO()
    writer = RecordWriter(file)
    for url, block in zip(urls, blocks, strict=True):
        writer.write_page_record("conversion", (url, DATE, ""), (), "text/plain", block)
    writer.flush()
    data = file.getvalue()
    for url, block in zip(urls, blocks, strict=True):  # each is a member by itself
        one = zlib.decompressobj(wbits=31)
        record = one.decompress(data)
        assert one.eof
        assert f"\r\nWARC-Target-URI: {url}\r\n".encode() in record
        assert record.endswith(b"\r\n\r\n" + block + b"\r\n\r\n")
        data = one.unused_data
    assert data == b""
    file.seek(0)
    read = [
        (found.rec_headers["WARC-Target-URI"], found.content_stream().read())
        for found in ArchiveIterator(file, check_digests="raise")
    ]
    assert read == list(zip(urls, blocks, strict=True))
