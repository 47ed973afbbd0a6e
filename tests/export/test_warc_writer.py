"""Records that are put together here, against warcio's writer and reader."""

import gzip
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from graphlang.export.warc_writer import RecordWriter, one_line, record, record_id

#: What stands in one line of a header, and what a page may hold.
line = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
DATE = "2012-06-01T00:00:00Z"


def of_warcio(kind: str, url: str, digest: str, said: list[tuple[str, str]], block: bytes) -> bytes:
    fields = [
        *(("WARC-Type", kind), ("WARC-Target-URI", url), ("WARC-Date", DATE)),
        ("WARC-Record-ID", f"<urn:uuid:{record_id(f'{kind} {DATE} {url} {digest}')}>"),
        *(*said, ("Content-Type", "text/plain"), ("Content-Length", str(len(block)))),
    ]
    file = io.BytesIO()
    writer = WARCWriter(file, gzip=False, warc_version="1.1")
    headers = StatusAndHeaders("", fields, protocol="WARC/1.1")
    payload = io.BytesIO(block)
    writer.write_record(writer.create_warc_record(url, kind, payload=payload, length=len(block), warc_headers=headers))
    return file.getvalue()


@given(st.sampled_from(["metadata", "conversion"]), line, line, line, st.binary(max_size=300))
def test_a_record_is_that_of_warcio(kind: str, url: str, digest: str, value: str, block: bytes) -> None:
    said = [("WARC-Refers-To-Target-URI", value)]
    found = record(kind, (url, DATE, digest), [*said, ("WARC-Refers-To-Date", "")], "text/plain", block)
    assert found == of_warcio(kind, url, digest, said, block)


def test_no_value_begins_a_line_of_its_own() -> None:
    said = [("WARC-Identified-Content-Language", "deu\r\nWARC-Type: warcinfo\r\n\r\n")]
    found = record("metadata", ("http://a/\r\nX: y", "2012\n", ""), said, "text/plain", b"")
    assert found.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:4] == [
        b"WARC-Type: metadata",
        b"WARC-Target-URI: http://a/  X: y",
        b"WARC-Date: 2012 ",
    ]
    assert b"WARC-Identified-Content-Language: deu  WARC-Type: warcinfo    \r\n" in found
    assert one_line("\u202e \x7f\x00") == "\u202e   "


@pytest.mark.parametrize("fast", [True, False], ids=["isal", "zlib"])
def test_records_are_members_that_readers_find(monkeypatch: pytest.MonkeyPatch, *, fast: bool) -> None:
    if fast:
        pytest.importorskip("isal")
    else:

        def absent(name: str) -> None:
            raise ImportError(name)

        monkeypatch.setattr("graphlang.export.warc_writer.import_module", absent)
    urls = [f"http://a.example/{number}" for number in range(40)]
    blocks = [bytes(range(256)) * (number % 9) for number in range(40)]
    file = io.BytesIO()
    writer = RecordWriter(file)
    members = []
    for url, block in zip(urls, blocks, strict=True):
        members.append(record("conversion", (url, DATE, ""), (), "text/plain", block))
        writer.write(members[-1])
    writer.flush()
    data = file.getvalue()
    assert gzip.decompress(data) == b"".join(members)
    for expected in members:  # each is a member by itself
        one = zlib.decompressobj(wbits=31)
        assert one.decompress(data) == expected
        assert one.eof
        data = one.unused_data
    assert data == b""
    file.seek(0)
    read = [
        (found.rec_headers["WARC-Target-URI"], found.content_stream().read())
        for found in ArchiveIterator(file, check_digests="raise")
    ]
    assert read == list(zip(urls, blocks, strict=True))
