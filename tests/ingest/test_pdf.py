"""The text of PDF documents, which is read only with ``--pdf``."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest

from graphlang.ingest import Limits, iterate_batches, read_payload

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ingest.conftest import Archive, Read

pytest.importorskip("pypdf")

HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n"


def document(*lines: str, pages: int = 1, stream: bytes | None = None) -> bytes:
    """A document of pages with the same lines; ``stream`` takes the place of what they show."""
    shown = "".join(f"({line}) Tj T* " for line in lines)
    content = zlib.compress(f"BT /F1 12 Tf 14 TL 72 720 Td {shown}ET".encode("latin-1")) if stream is None else stream
    kids = " ".join(f"{5 + n} 0 R" for n in range(pages))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content),
        *[b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>"] * pages,
        b"<< /Title (The mill) >>",
    ]
    data = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info {size - 1} 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


MILL = document("The miller opened the door ear-", "ly, and loaded the first sacks.")


def test_the_text_of_a_document(archive: Archive, read: Read) -> None:
    (page,), problems = read(archive.warc("http://a.example/", MILL, http=HTTP), pdf=True)
    assert (page.title, page.text) == ("The mill", "The miller opened the door early, and loaded the first sacks.")
    assert (page.charset, page.charset_from, page.main_length, problems) == ("utf-8", "pdf", len(page.text), [])


def test_by_default_a_document_has_no_text(archive: Archive, read: Read) -> None:
    (page,), problems = read(archive.warc("http://a.example/", MILL, http=HTTP))
    assert (page.text, page.charset, page.mime, page.size, problems) == ("", None, "application/pdf", len(MILL), [])


def test_pages_are_read_up_to_the_limit_of_a_text(archive: Archive, read: Read) -> None:
    many = archive.warc("http://a.example/", document("x" * 60, pages=9), http=HTTP)
    assert read(many, pdf=True, text_limit=100)[0][0].length == 2 * 60 + 1
    assert read(many, pdf=True)[0][0].length == 9 * 60 + 8


@pytest.mark.parametrize(
    "data",
    [
        MILL[:200],
        b"%PDF-1.4\n",
        MILL.replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]"),
        document(stream=zlib.compress(bytes(100_000_000))),  # more than a stream may unpack to
    ],
)
def test_a_document_that_cannot_be_read_is_a_problem(data: bytes, archive: Archive, read: Read) -> None:
    (page,), (problem,) = read(archive.warc("http://a.example/", data, http=HTTP), pdf=True)
    assert (page.text, page.charset, problem.kind) == ("", None, "bad-pdf")


def test_without_the_package_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_payload.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(OSError, match=r"pip install 'graphlang\[pdf\]'"):
        next(iterate_batches([(tmp_path / "a.warc", 0)], limits=Limits(pdf=True)))
