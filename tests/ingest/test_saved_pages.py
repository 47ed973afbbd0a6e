"""Pages that a browser saved: HTML that names its URL, MHTML, HAR, and arrays of JSON."""

from __future__ import annotations

import base64
import json
import quopri
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest import discover_files
from graphlang.ingest.files.decompress import Chunk
from graphlang.ingest.formats.jsonl import _ARRAY, split_array

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ingest.conftest import Archive, Read

URL = "http://a.example/b?c=1&d=2"
PAGE = "<title>Mühle</title><p>Der Müller <a href=/x>geht</a>"
BROWSER = "Thu Jan 07 2021 01:00:00 GMT+0100 (Central European Standard Time)"


@pytest.mark.parametrize(
    ("mark", "date"),
    [
        (f"<!-- saved from url=(0026){URL} --><html>", None),
        (
            f"<html><!--\n Page saved with SingleFile \n url: {URL} \n saved date: {BROWSER}\n-->",
            "2021-01-07T00:00:00Z",
        ),
        (f"<!-- Saved from {URL} at 2021-01-07T00:00:00Z using monolith v2.8.1 --><html>", "2021-01-07T00:00:00Z"),
        (
            (
                f"<html><!-- Mirrored from {URL[7:]} by HTTrack Website Copier/3.x [XR&CO'2014],"
                " Thu, 07 Jan 2021 01:02:03 GMT -->"
            ),
            "2021-01-07T01:02:03Z",
        ),
        (
            f"<html><meta name='savepage-url' content='{URL}'><meta name='savepage-date' content='{BROWSER}'>",
            "2021-01-07T00:00:00Z",
        ),
        (
            f'<html data-scrapbook-source="{URL.replace("&", "&amp;")}" data-scrapbook-create="20210107010203456">',
            "2021-01-07T01:02:03Z",
        ),
        (f"<html><link rel=canonical href='{URL}'>", None),
        (f"<html><meta property='og:url' content='{URL}'>", None),
        (f"<!-- saved from url=(0014)about:internet --><html><link href='{URL}' rel='canonical'>", None),
    ],
)
def test_a_saved_page_names_its_url(mark: str, date: str | None, tmp_path: Path, read: Read) -> None:
    data = f"<!DOCTYPE html>{mark}<meta charset=utf-8>{PAGE}".encode()
    (page,), problems = read(data, "page.html")
    assert (page.url, page.title, page.text, problems) == (URL, "Mühle", "Der Müller geht", [])
    assert [link.url for link in page.links] == ["http://a.example/x"]
    assert page.date == date or (date is None and page.date > "2021")
    assert discover_files([tmp_path]).files == [tmp_path / "page.html"]


def test_an_html_file_without_its_url_is_a_problem(tmp_path: Path, read: Read) -> None:
    pages, (problem,) = read(b"<!DOCTYPE html><p>words", "page.html")
    assert (pages, problem.kind) == ([], "bad-url")
    with pytest.raises(FileNotFoundError):
        discover_files([tmp_path])


def test_the_path_of_a_mirror_goes_before_what_its_pages_name(tmp_path: Path) -> None:
    folder = tmp_path / "www.b.example"
    folder.mkdir()
    (folder / "a.html").write_text(f"<html><!-- saved from url=(0026){URL} --><p>words")
    assert discover_files([tmp_path]).files == [tmp_path]


def _part(mime: str, location: str, body: bytes, encoding: str = "") -> bytes:
    head = f"Content-Type: {mime}\r\nContent-Location: {location}\r\n"
    if encoding == "quoted-printable":
        body = quopri.encodestring(body)
    elif encoding == "base64":
        body = base64.encodebytes(body)
    return f"{head}Content-Transfer-Encoding: {encoding}\r\n\r\n".encode() + body


def _mail(*parts: bytes, fields: str = "", end: bytes = b"--\r\n", boundary: str = "----x") -> bytes:
    head = f"From: <Saved by Blink>\r\n{fields}Date: Thu, 7 Jan 2021 01:00:00 +0100\r\nMIME-Version: 1.0\r\n"
    head += f'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="{boundary}"\r\n\r\n'
    line = b"\r\n--" + boundary.encode()
    return head.encode() + b"".join(line + b"\r\n" + part for part in parts) + line + end


IMAGE = _part("image/png", "http://a.example/i.png", b"\x89PNG", "base64")
HTML = PAGE.encode()


@pytest.mark.parametrize(
    "data",
    [
        _mail(_part("text/html", URL, HTML, "quoted-printable"), IMAGE),
        _mail(_part("text/html; charset=utf-8", URL, HTML, "base64"), IMAGE),
        _mail(IMAGE, _part("text/html", URL, HTML, "8bit")),
        _mail(_part("text/html", URL[:20] + "\r\n " + URL[20:], HTML, "binary")),
        _mail(_part("text/html", "cid:frame-1@mhtml.blink", HTML), fields=f"Snapshot-Content-Location: {URL}\r\n"),
        _mail(_part("text/html", URL, HTML)).replace(b"\r\n", b"\n"),
        _mail(_part("text/html", URL, HTML), end=b""),  # the file was cut
        _mail(_mail(_part("text/html", URL, HTML), boundary="y").split(b"1.0\r\n", 1)[1]),
        f"MIME-Version: 1.0\r\nDate: Thu, 7 Jan 2021 00:00:00 GMT\r\nContent-Location: {URL}\r\n".encode()
        + b"Content-Type: text/html\r\n\r\n"
        + HTML,
    ],
)
def test_the_page_of_an_mhtml_file(data: bytes, read: Read) -> None:
    (page,), problems = read(data, "page.mhtml")
    assert (page.url, page.title, page.text, problems) == (URL, "Mühle", "Der Müller geht", [])
    assert page.date == "2021-01-07T00:00:00Z"


def test_frames_of_an_mhtml_file_are_pages(read: Read) -> None:
    frames = [_part("text/html", url, b"<p>frame") for url in ("http://b.example/", "about:blank", "cid:1")]
    pages, problems = read(_mail(_part("text/html", URL, HTML), *frames), "page.mht")
    assert ([page.url for page in pages], problems) == ([URL, "http://b.example/"], [])


@pytest.mark.parametrize(
    ("data", "kinds"),
    [
        (_mail(_part("text/html", "cid:1", HTML)), ["bad-url"]),
        (_mail(IMAGE), ["not-an-archive"]),
        (_mail(_part("text/html", URL, HTML * 8)), ["too-large"]),
        (_mail(_part("text/html", URL, HTML), _part("image/png", "", b"x" * 900)), ["too-large"]),
    ],
)
def test_faults_of_mhtml_files(data: bytes, kinds: list[str], read: Read) -> None:
    assert [problem.kind for problem in read(data, "page.mhtml", max_payload=400)[1]] == kinds


def _entry(url: str = URL, status: int = 200, mime: str = "text/html", **further: Any) -> dict[str, Any]:
    content = {"mimeType": mime, **({"text": further.pop("text")} if "text" in further else {})}
    if "encoding" in further:
        content["encoding"] = further.pop("encoding")
    answer = {"status": status, "headers": further.pop("headers", []), "content": content}
    return {"startedDateTime": "2021-01-07T01:00:00.123+01:00", "request": {"url": url}, "response": answer, **further}


def _har(*entries: object) -> bytes:
    return json.dumps({"log": {"version": "1.2", "pages": [{"title": '"entries": ['}], "entries": entries}}).encode()


@pytest.mark.parametrize(
    "entry",
    [
        _entry(mime="text/html; charset=windows-1251", text=PAGE),
        _entry(mime="text/html; charset=utf-8", text=base64.b64encode(HTML).decode(), encoding="base64"),
        _entry(status=304, text=PAGE),
        _entry(text=PAGE, _resourceType="document", headers=[{"name": "Link", "value": "\r\nX: 1"}, 7]),
    ],
)
def test_the_page_of_a_har(entry: dict[str, Any], read: Read) -> None:
    (page,), problems = read(_har(_entry(status=0), _entry(text="{}", _resourceType="xhr"), entry), "a.har")
    assert (page.url, page.status, page.title, page.text, problems) == (URL, 200, "Mühle", "Der Müller geht", [])
    assert page.date == "2021-01-07T00:00:00Z"


def test_a_har_has_redirects_and_images_as_an_archive_has(read: Read) -> None:
    move = _entry(status=301, headers=[{"name": "Location", "value": "/new"}])
    pages, problems = read(_har(move, _entry(mime="image/png", text="iVBO", encoding="base64")), "x.har")
    assert ([(page.status, page.mime, page.text) for page in pages], problems) == (
        [(301, "text/html", ""), (200, "image/png", "")],
        [],
    )
    assert [link.url for link in pages[0].links] == ["http://a.example/new"]


@pytest.mark.parametrize(
    ("data", "kinds"),
    [
        (_har("x", 7, None, [], {}), []),
        (_har(_entry(text=PAGE))[:-9], ["truncated"]),
        (_har(_entry(text="x" * 5_000)), ["too-large"]),
        (_har(_entry(url="data:,x", text=PAGE)), []),
        (_har(_entry(url="http://", text=PAGE)), ["bad-url"]),
        (b'{"log": {"entries": [{"request": tru}]}}', ["bad-json"]),
        (b'{"log": {"version": "1.2"}}', ["truncated"]),
    ],
)
def test_faults_of_a_har(data: bytes, kinds: list[str], read: Read) -> None:
    pages, problems = read(data, "a.har", max_json=4_000)
    assert ([page.text for page in pages if not kinds], [problem.kind for problem in problems]) == ([], kinds)


JSON = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=3), max_size=5), st.integers(1, 40), st.booleans())
def test_objects_of_an_array_do_not_depend_on_the_pieces(
    objects: list[dict[str, Any]], size: int, escape: bool
) -> None:
    data = json.dumps(objects, ensure_ascii=escape).encode("utf-8", "surrogatepass") + b" {]"
    pieces = [Chunk(data[at : at + size], at) for at in range(0, len(data), size)]
    values = list(split_array(pieces, _ARRAY, 1_000_000))
    assert [json.loads(one.decode("utf-8", "surrogatepass")) for _, one, _ in values] == objects
    assert all(data.startswith(one, offset) for offset, one, _ in values)


def test_an_object_that_is_too_long_costs_itself(read: Read) -> None:
    long, short = {"url": URL, "text": '\\"}' * 900_000}, {"url": URL, "text": "words"}
    pages, problems = read(json.dumps([short, long, short], indent=1).encode(), "pages.json", max_json=1_000_000)
    assert ([page.text for page in pages], [problem.kind for problem in problems]) == (
        ["words", "words"],
        ["too-large"],
    )


def test_lists_of_what_a_browser_loaded_are_no_pages(archive: Archive, read: Read) -> None:
    info = json.dumps({"url": URL, "urls": {URL: {"status": 200, "mime": "text/html", "type": "Document"}}}).encode()
    record = archive.warc(f"urn:pageinfo:{URL}", info, kind="resource", http=None)
    pages, problems = read(record + archive.warc(URL))
    assert ([page.text for page in pages], problems) == (["Hello"], [])
