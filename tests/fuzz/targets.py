"""What is thrown at each reader, and what must hold of what it gives."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import zipfile
import zlib
from typing import TYPE_CHECKING, NamedTuple

from fastwarc.stream_io import Lz4Writer, ZstdWriter

from graphlang.db.records import Page, Problem
from graphlang.ingest import Limits, iterate_batches
from graphlang.ingest.files.byte_ranges import ByteRange, cut_ranges, find_record, is_splittable
from graphlang.ingest.formats.observatory_store import write_record
from graphlang.ingest.formats.record_reader import RecordReader
from graphlang.ingest.html.document import read_document
from graphlang.ingest.links.canonical import canonical_url, host, public_suffix, strip_url, tld
from graphlang.ingest.links.resolve import Joiner
from graphlang.ingest.payload.charset import decode
from graphlang.ingest.payload.http import parse_response
from graphlang.public_suffix import find_registered_domain

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

LIMITS = Limits(max_payload=200_000, max_header=20_000)
TAGS = (
    *("a href=x", "a href=/y rel=nofollow", "nav", "header", "footer", "aside", "ul", "li", "ol", "template", "svg"),
    *("object", "canvas", "video", "audio", "select", "option", "table", "tr", "td", "p", "div", "b", "i", "span"),
    *("br", "title", "base href=/", "meta name=robots content=none", "script", "style", "noscript", "iframe src=z"),
    *("textarea", "article", "main", "math", "foreignObject", "frameset", "frame src=f", "body", "html lang=de"),
    *("head", 'div role="navigation"', "div id=cookie-banner", "datalist", "applet", "xmp", "plaintext", "form"),
    *("button", "label", "h1", "link rel=canonical href=/c", "colgroup", "caption"),
)
WORDS = ("Deutsch", "English", "Français", "cookies", "x", " ", "\0", "&nbsp;", "&#0;", "日本語", "<!--", "-->", "]]>")
CODECS = (
    *("utf-8", "utf-16", "utf-16le", "utf-32be", "cp1251", "koi8-r", "cp932", "euc-jp", "iso2022_jp", "iso2022_kr"),
    *("hz", "gb18030", "big5hkscs", "cp949", "johab", "mac-cyrillic", "cp874"),
)
LABELS = (
    *(None, "utf-8", "utf-16", "utf-32", "iso-8859-1", "windows-1251", "koi8-r", "shift_jis", "euc-jp", "iso-2022-jp"),
    *("iso-2022-kr", "hz", "gb2312", "big5", "euc-kr", "johab", "x-mac-cyrillic", "tis-620", "replacement", "utf-7"),
)
REFERENCES = (
    *("/a/b?c=d&sid=0123456789abcdef0123456789abcdef", "../x", "//b.example/y", "?q", "#f"),
    *("http://c.example:80/z/../w", "https://user:p@d.example/%7E", "http://[::1]/", "mailto:x", "javascript:void(0)"),
    *("http://bücher.example/ä", "http.html", "https:page", "a;jsessionid=1?utm_source=x", "http://1.2.3/"),
    *("\\\\e.example\\f", " g ", "data:,x"),
)


class Target(NamedTuple):
    """What is thrown at, and with what."""

    seeds: list[bytes]  #: sound inputs; without any, pages are made up
    check: Callable[[bytes, Path], None]


def warc(number: int, body: bytes = b"<p>page<a href=x>y</a>", kind: str = "response", mime: str = "") -> bytes:
    """One WARC record."""
    block = body if mime else b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return (
        (
            f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://a.example/{number}\r\n"
            f"Content-Type: {mime or 'application/http'}\r\nContent-Length: {len(block)}\r\n\r\n"
        ).encode()
        + block
        + b"\r\n\r\n"
    )


def arc(number: int) -> bytes:
    """One ARC record."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page"
    return f"http://a.example/{number} 192.0.2.1 20061121001700 text/html {len(block)}\n".encode() + block + b"\n"


def wat(kind: str = "response") -> bytes:
    """One WAT record."""
    links = [{"path": "A@/href", "url": "x"}, {"path": "IFRAME@/src", "url": "/y"}]
    head = {"Title": "t", "Base": "http://b.example/", "Metas": [{"name": "robots", "content": "none"}], "Link": links}
    described = {
        "WARC-Header-Metadata": {"WARC-Type": kind, "WARC-Target-URI": "http://a.example/"},
        "Payload-Metadata": {
            "HTTP-Response-Metadata": {
                "Response-Message": {"Status": "200"},
                "Headers": {"Content-Type": "text/html", "Link": "<z>; rel=canonical"},
                "HTML-Metadata": {"Head": head, "Links": links},
            }
        },
    }
    return warc(1, json.dumps({"Envelope": described}).encode(), "metadata", "application/json")


def stored(record: bytes) -> bytes:
    """One record of a store file."""
    head, _, block = record.partition(b"\r\n\r\n")
    file = io.BytesIO()
    write_record(file, head + b"\r\n\r\n", block.removesuffix(b"\r\n\r\n"))
    return file.getvalue()


def framed(writer: type[ZstdWriter | Lz4Writer], *parts: bytes) -> bytes:
    """Compress each part into a frame of its own."""
    file = io.BytesIO()
    for part in parts:
        one = writer(file)
        one.write(part)
        one.finish()
    return file.getvalue()


def zipped(how: int) -> bytes:
    """A WACZ file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, data in (
            ("archive/a.warc.gz", gzip.compress(warc(1), mtime=0) + gzip.compress(warc(2), mtime=0)),
            ("archive/b.warc", warc(3)),
            ("pages/pages.jsonl", b"{}"),
        ):
            archive.writestr(zipfile.ZipInfo(name), data, how)  # a name alone would take the time of day
    return file.getvalue()


def answers() -> list[bytes]:
    """HTTP answers in every encoding."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n"
    body = b"<p>page"
    return [
        head + b"\r\n" + body,
        head + b"Transfer-Encoding: chunked\r\n\r\n4\r\n<p>p\r\n3;x=y\r\nage\r\n0\r\n\r\n",
        head + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(body, mtime=0),
        head + b"Content-Encoding: deflate, gzip\r\n\r\n" + gzip.compress(zlib.compress(body), mtime=0),
        head + b"Content-Encoding: br\r\n\r\n\x0b\x03\x80<p>page\x03",
        head + b"Content-Encoding: zstd\r\n\r\n" + framed(ZstdWriter, body),
        b":status: 200\r\ncontent-type: text/html\r\n\r\n" + body,
        b"HTTP/1.1 302\r\nLocation: /x\r\nLocation: /y\r\nLink: <a>; rel=alternate; hreflang=de\r\n folded: x\r\n\r\n",
    ]


def check_file(data: bytes, folder: Path) -> None:
    """Read a file of any format."""
    path = folder / "input"
    path.write_bytes(data)
    check_path(path)


def check_path(path: Path) -> None:
    """Read a file or folder as a whole, and from its middle on."""
    positions = [0]
    items: list[Page | Problem] = []
    for batch in iterate_batches([(path, 0)], limits=LIMITS):
        items += batch.items
        positions.append(batch.position)
    failed = [item for item in items if isinstance(item, Problem) and item.kind in {"failed", "unreadable"}]
    assert not failed, failed
    assert positions == sorted(positions)
    for item in items:
        assert item.url is None or len(item.url) <= LIMITS.max_url
        if isinstance(item, Problem):
            assert len(item.reason) <= 1_000
        else:
            assert len(item.text) <= LIMITS.text_limit
            assert len(item.links) <= LIMITS.max_links
    middle = positions[-1] // 2
    rest = [item for batch in iterate_batches([(path, middle)], limits=LIMITS) for item in batch.items]
    assert items[len(items) - len(rest) :] == rest, "reading was not taken up where it was stopped"


def check_mirror(data: bytes, folder: Path) -> None:
    """Read a folder whose names are the first lines of the input."""
    names, _, content = data.partition(b"\n\n")
    root = folder / "mirror"
    shutil.rmtree(root, ignore_errors=True)
    for name in names.split(b"\n")[:4]:
        parts = [part[:200] for part in name.split(b"/")[:8] if part not in {b"", b".", b".."} and b"\0" not in part]
        place = root.joinpath(*(part.decode("utf-8", "surrogateescape") for part in parts)) if parts else root / "x"
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        except (FileExistsError, IsADirectoryError, NotADirectoryError):
            continue  # a name that stands for a file and a folder
    if root.exists():
        check_path(root)


def check_byte_ranges(data: bytes, folder: Path) -> None:
    """Read a file as a whole and in byte ranges."""
    path = folder / "input"
    path.write_bytes(data)
    found = []
    reached: int | None = 0
    with path.open("rb", buffering=0) as file:
        whole = list(RecordReader(file, "a.warc.gz", LIMITS))
        for one in cut_ranges(ByteRange(path, 0, 0, exact=True), 0, len(data), 0):
            if reached is None or reached >= one.stop:
                continue
            find_record(file, one.begin, one.stop)
            file.seek(0)
            reader = RecordReader(file, "a.warc.gz", LIMITS, begin=reached, stop=one.stop)
            found += reader
            reached = reader.ended
    with path.open("rb", buffering=0) as file:
        cut = is_splittable(file)
    if cut:
        assert found == whole, "the byte ranges are not the file"


def check_html(data: bytes, folder: Path) -> None:
    """Decode and read a page."""
    del folder
    page = read_document(decode(data).text, LIMITS)
    assert 0 <= page.main_length <= len(page.text)


def check_charset(data: bytes, folder: Path) -> None:
    """Decode under a label that the input chooses."""
    del folder
    label = LABELS[zlib.crc32(data) % len(LABELS)]
    found = decode(data, label)
    again = decode(data, label)
    assert found == again
    assert found.source.partition(",")[0] in {"bom", "http", "xml", "meta", "utf-8", "detector", "default"}
    text = found.text.decode() if isinstance(found.text, bytes) else found.text
    assert len(text) <= len(data) + 4


def check_url(data: bytes, folder: Path) -> None:
    """Resolve references against bases."""
    del folder
    written, _, base_written = data.decode("utf-8", "surrogateescape").partition("\n")
    base = canonical_url(base_written) or "http://a.example/b/c?d"
    url = canonical_url(written, base)
    reference = written.strip()
    joined = Joiner().join([written, written], base)
    assert joined[0] == joined[1]
    if reference.partition("#")[0] and len(reference) < 300 and not set(reference) & set("\t\r\n"):
        assert joined[0] == canonical_url(reference.partition("#")[0], base), (written, base)
    if url is not None:
        assert url.startswith(("http://", "https://"))
        assert url.isascii()
        assert "#" not in url
        assert canonical_url(url) == url, url
        name = host(url)
        for one in (find_registered_domain(name), public_suffix(name), tld(name)):
            assert one is None or name.rstrip(".").endswith(one), name
        assert canonical_url(strip_url(url)) == strip_url(url), url


def check_http(data: bytes, folder: Path) -> None:
    """Take an answer apart."""
    del folder
    found = parse_response(data, 2_000, 5_000)
    assert found.status is None or 0 <= found.status <= 999
    encoded = "content-encoding" in found.fields
    assert len(found.payload) <= (max(5_000, len(data)) if encoded else len(data))
    assert all(name == name.lower() for name in found.fields)


def markup(chance: random.Random) -> bytes:
    """A page of elements in each other, many of them open, closed twice or where they may not be."""
    parts = []
    for _ in range(chance.randrange(1, 120)):
        tag = chance.choice(TAGS)
        parts.append(
            chance.choice(
                (f"<{tag}>", f"<{tag}>", f"</{tag.split()[0]}>", chance.choice(WORDS), f"<{tag}/>", f"<{tag}")
            )
        )
    return "".join(parts).encode()


def targets(chance: random.Random) -> dict[str, Target]:
    """Return all readers and their seeds, by name."""
    records = [warc(n, markup(chance)) for n in range(4)]
    wet = warc(1, b"text", "conversion", "text/plain")
    line = json.dumps({"url": "http://a.example/", "text": "x", "links": ["y", {"url": "z"}]}).encode()
    several = [warc(n, chance.randbytes(200)) for n in range(40)]
    packed = (
        lambda one: gzip.compress(one, mtime=0),
        lambda one: framed(ZstdWriter, one),
        lambda one: framed(Lz4Writer, one),
    )
    many = [b"".join(several), b"".join(arc(n) for n in range(40)), *(b"".join(map(pack, several)) for pack in packed)]
    revisit = warc(5, kind="revisit").replace(
        b"\r\n\r\n", b"\r\nWARC-Refers-To-Target-URI: http://a.example/1\r\n\r\n", 1
    )
    text = "<meta charset=x><p>Grüße, Привет, 日本語、한국어 中文 ไทย"
    pages = [text.encode(codec, "replace") for codec in CODECS]
    urls = [f"{one}\n{other}".encode() for one in REFERENCES for other in ("http://a.example/b/c?d", one)]
    content = {"mimeType": "text/html", "text": "<p>page<a href=x>y</a>"}
    asked = {"request": {"url": "http://a.example/"}, "response": {"status": 200, "content": content}}
    har = json.dumps({"log": {"entries": [asked, asked]}}).encode()
    mhtml = b"Snapshot-Content-Location: http://a.example/\r\nMIME-Version: 1.0\r\n"
    mhtml += b"Content-Type: multipart/related; boundary=b\r\n"
    mhtml += b"\r\n--b\r\nContent-Type: text/html\r\nContent-Location: http://a.example/\r\n\r\n<p>page\r\n--b--\r\n"
    saved = b"<!DOCTYPE html><html><head><link rel=canonical href=http://a.example/></head><p>page</html>"
    names = [b"a.example/b/index.html\na.example/c?d=1.html\nhttps/b.example+8080/x.html.orig\n\n<html><p>page"]
    return {
        "warc": Target([b"".join(records), records[0] + revisit + records[1]], check_file),
        "gzip": Target(
            [b"".join(gzip.compress(one, mtime=0) for one in records), gzip.compress(b"".join(records), mtime=0)],
            check_file,
        ),
        "frames": Target([framed(ZstdWriter, *records), framed(Lz4Writer, *records)], check_file),
        "arc": Target([b"".join(arc(n) for n in range(4))], check_file),
        "wet": Target([wet + wet, gzip.compress(wet, mtime=0)], check_file),
        "wat": Target([wat() + wat("revisit") + wat("request")], check_file),
        "wacz": Target([zipped(zipfile.ZIP_STORED), zipped(zipfile.ZIP_DEFLATED)], check_file),
        "store": Target([b"".join(stored(one) for one in records)], check_file),
        "jsonl": Target([line + b"\n" + line, gzip.compress(line, mtime=0)], check_file),
        "har": Target([har, gzip.compress(har, mtime=0)], check_file),
        "mhtml": Target([mhtml], check_file),
        "saved": Target([saved], check_file),
        "mirror": Target(names, check_mirror),
        "byte_ranges": Target(many, check_byte_ranges),
        "html": Target([], check_html),
        "charset": Target(pages, check_charset),
        "url": Target(urls, check_url),
        "http": Target(answers(), check_http),
    }
