"""What the encodings of crawlers cost: the same archive with its payloads plain, in chunks, in gzip, and in both.

    python tests/benchmarks/transfer_encodings.py ../shared/data/web/menu-full.warc.gz

Crawlers that keep the answers of servers as they came keep ``Transfer-Encoding: chunked`` and ``Content-Encoding:
gzip``. All four forms are read by turns in one process, ``--rounds`` times. The table has the least processor time for
a page, its ratio to the plain form, and what undoing the encodings alone costs. The pages must be equal.
"""

from __future__ import annotations

import argparse
import gzip
import io
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import graphlang as gl
from graphlang.ingest.limits import Limits
from graphlang.ingest.payload.content_encoding import decode_payload

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK: Final = 8_192  # as servers write them


def in_chunks(payload: bytes) -> bytes:
    """Return a payload in chunks (RFC 9112, 7.1).

    >>> in_chunks(b"<p>x")
    b'4\\r\\n<p>x\\r\\n0\\r\\n\\r\\n'
    """
    parts = [payload[at : at + _CHUNK] for at in range(0, len(payload), _CHUNK)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


FORMS: Final[dict[str, tuple[dict[str, str], Callable[[bytes], bytes]]]] = {
    "plain": ({}, bytes),
    "chunked": ({"Transfer-Encoding": "chunked"}, in_chunks),
    "gzip": ({"Content-Encoding": "gzip"}, gzip.compress),
    "both": (
        {"Content-Encoding": "gzip", "Transfer-Encoding": "chunked"},
        lambda payload: in_chunks(gzip.compress(payload)),
    ),
}


def write_form(archive: Path, form: str, target: Path) -> list[bytes]:
    """Write the responses of an archive in a form; return the encoded payloads."""
    fields, encode = FORMS[form]
    payloads = []
    with archive.open("rb") as source, target.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for record in ArchiveIterator(source, no_record_parse=False):
            if record.rec_type != "response" or record.http_headers is None:
                continue
            payload = encode(record.content_stream().read())
            dropped = {name.lower() for name in fields} | {"content-length", "content-encoding", "transfer-encoding"}
            kept = [(name, value) for name, value in record.http_headers.headers if name.lower() not in dropped]
            headers = StatusAndHeaders(record.http_headers.statusline, [*kept, *fields.items()], protocol="HTTP/1.1")
            date = record.rec_headers.get_header("WARC-Date")
            uri = record.rec_headers.get_header("WARC-Target-URI")
            writer.write_record(
                writer.create_warc_record(
                    uri, "response", io.BytesIO(payload), http_headers=headers, warc_headers_dict={"WARC-Date": date}
                )
            )
            payloads.append(payload)
    return payloads


def read_pages(path: Path) -> tuple[float, list[tuple[str, str, object]]]:
    """Return processor seconds, and what was read."""
    begun = time.process_time()
    pages = [item for item in gl.read(path) if isinstance(item, gl.Page)]
    return time.process_time() - begun, [(page.url, page.text, page.links) for page in pages]


def undo(payloads: list[bytes], form: str) -> float:
    """Return the processor seconds of undoing the encodings alone."""
    fields = {name.lower(): value for name, value in FORMS[form][0].items()}
    most = Limits().max_payload
    begun = time.process_time()
    for payload in payloads:
        decode_payload(payload, fields, most)
    return time.process_time() - begun


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        files = {form: Path(folder, f"{form}.warc.gz") for form in FORMS}
        payloads = {form: write_form(arguments.archive, form, path) for form, path in files.items()}
        seconds = dict.fromkeys(FORMS, float("inf"))
        decoding = dict.fromkeys(FORMS, float("inf"))
        pages = {}
        for _ in range(arguments.rounds):
            for form, path in files.items():
                spent, pages[form] = read_pages(path)
                seconds[form] = min(seconds[form], spent)
                decoding[form] = min(decoding[form], undo(payloads[form], form))
    count = len(pages["plain"])
    print(f"{count} pages\nform     µs a page  ratio  undoing alone, µs")
    for form in FORMS:
        if pages[form] != pages["plain"]:
            raise SystemExit(f"{form}: other pages than plain")
        ratio = seconds[form] / seconds["plain"]
        print(f"{form:8} {seconds[form] / count * 1e6:9.0f} {ratio:6.2f} {decoding[form] / count * 1e6:18.0f}")


if __name__ == "__main__":
    main()
