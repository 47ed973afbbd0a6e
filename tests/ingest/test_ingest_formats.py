"""WACZ, JSONL, mirrors, readers of other packages; what the user names."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastwarc.stream_io import ZstdWriter

from graphlang import plugins
from graphlang.analysis.ingest import ingest
from graphlang.db import create
from graphlang.db.records import Link, LinkKind, Page
from graphlang.ingest import Limits, expand_paths, iterate_batches
from graphlang.ingest.files.discover import read_list, save_stream
from graphlang.ingest.formats.wget_mirror import find_mirrored_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Archive, Read

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[3] / "shared" / "data"))


def zipped(*entries: tuple[str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_wacz_is_its_archives_in_the_order_of_names(read: Read, archive: Archive, how: int) -> None:
    data = zipped(
        ("archive/b.warc.gz", archive.gz(archive.warc("http://a.example/2"), archive.warc("http://a.example/3"))),
        ("pages/pages.jsonl", b'{"format": "json-pages-1.0"}'),
        ("archive/a.warc", archive.warc("http://a.example/1")),
        ("archive/../../evil.warc", archive.warc("http://a.example/4")),
        how=how,
    )
    pages, problems = read(data, "a.wacz")
    assert [page.url[-1] for page in pages] == ["4", "1", "2", "3"]
    assert not problems
    if how == zipfile.ZIP_STORED:
        at = {page.url[-1]: page.offset for page in pages}
        assert data[at["1"] :].startswith(b"WARC/1.0")
        assert gzip.decompress(data[at["3"] : data.index(b"PK", at["3"])]).startswith(b"WARC/1.0")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_wacz_with_one_name_twice(read: Read, archive: Archive) -> None:
    entries = [("archive/a.warc", archive.warc(f"http://a.example/{number}")) for number in (1, 2)]
    pages, problems = read(zipped(*entries), "a.wacz")
    assert ([page.url[-1] for page in pages], problems) == (["1", "2"], [])


def test_wacz_with_an_archive_in_zstd(read: Read, archive: Archive, tmp_path: Path) -> None:
    with (tmp_path / "a.zst").open("wb") as file:
        writer = ZstdWriter(file)
        writer.write(archive.warc("http://a.example/1") * 2)
        writer.close()
    pages, problems = read(zipped(("archive/a.warc.zst", (tmp_path / "a.zst").read_bytes())), "a.wacz")
    assert ([page.url[-1] for page in pages], problems) == (["1", "1"], [])


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_wacz_with_the_texts_of_pages(read: Read, archive: Archive, how: int) -> None:
    read_list = (
        b'{"format": "json-pages-1.0", "id": "pages", "title": "All"}\n'
        b'{"url": "http://a.example/1", "ts": "2020-10-07T21:22:36Z", "title": "One"}\n'
        b'{"url": "http://a.example/2", "ts": "2020-10-07T21:22:36Z", "text": "two  words"}\n'
        b"no JSON\n"
    )
    data = zipped(("archive/a.warc", archive.warc("http://a.example/1")), ("pages/pages.jsonl", read_list), how=how)
    pages, problems = read(data, "a.wacz")
    assert [(p.url, p.parts, p.date != "") for p in pages] == [
        ("http://a.example/1", "both", True),
        ("http://a.example/2", "text", False),
    ]
    assert pages[1].text == "two words"
    assert [p.kind for p in problems] == ["bad-json"]


def test_wacz_that_lies(read: Read, archive: Archive) -> None:
    data = zipped(("archive/a.warc", archive.warc("http://a.example/1")))
    assert [p.kind for p in read(data[:-30], "a.wacz")[1]] == ["not-an-archive"]
    assert [p.kind for p in read(zipped(("other", b"x")))[1]] == ["not-an-archive"]
    end = data.rindex(b"PK\x05\x06")
    huge = data[: end + 12] + struct.pack("<L", 1 << 30) + data[end + 16 :]
    assert [p.kind for p in read(huge)[1]] == ["too-large"]
    # An entry before the file, found by the fuzzer: the directory is 100 bytes larger than it says it is.
    shifted = data[: end + 16] + struct.pack("<L", struct.unpack_from("<L", data, end + 16)[0] + 100) + data[end + 20 :]
    assert [p.kind for p in read(shifted)[1]] == ["damaged"]
    # Found by the fuzzer: damage that makes an entry one of bzip2, whose errors look like those of a disk.
    bzip2 = data[: data.index(b"PK\x01\x02") + 10] + b"\x0c" + data[data.index(b"PK\x01\x02") + 11 :]
    assert [p.kind for p in read(bzip2)[1]] == ["not-an-archive"]
    bomb = zipped(("archive/a.warc.gz", b"\0" * 3_000_000), how=zipfile.ZIP_DEFLATED)
    assert read(bomb)[0] == []


def test_wacz_with_a_damaged_name_before_a_deflated_archive(read: Read, archive: Archive) -> None:
    # Found by the fuzzer: the name of the entry is said to be UTF-8 and is not.
    entries = [(f"archive/{name}.warc", archive.warc(f"http://a.example/{name}")) for name in ("\u00e9", "z")]
    data = zipped(*entries, how=zipfile.ZIP_DEFLATED)
    pages, problems = read(data.replace("\u00e9".encode(), b"\xc3\x28", 1), "a.wacz")
    assert [page.url[-1] for page in pages] == ["z"]
    assert [p.kind for p in problems][:1] == ["damaged"]


@pytest.mark.skipif(not (DATA / "warc/py-wacz").is_dir(), reason="the shared data are not on this machine")
def test_wacz_of_others() -> None:
    for name in ("valid_example_1.wacz", "valid_example_2.wacz", "valid_signed_example_1.wacz"):
        items = [item for batch in iterate_batches([(DATA / "warc/py-wacz" / name, 0)]) for item in batch.items]
        assert any(isinstance(item, Page) and item.text for item in items), name


def lines(*values: Any) -> bytes:
    return b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in values)


@pytest.mark.parametrize("squeezed", [False, True])
def test_jsonl_in_the_words_of_several_programs(read: Read, *, squeezed: bool) -> None:
    data = lines(
        {"url": "http://a.example/1", "text": "Uno\n dos", "timestamp": "2019-04-25T12:57:54Z"},
        {"text": "tres", "metadata": {"url": "http://a.example/2", "date": "2020-01-02 03:04:05"}},
        b"",
        {"content": "four", "warc_headers": {"warc-target-uri": "http://a.example/3"}, "title": "T"},
        {"uri": "http://a.example/4", "links": ["5", {"url": "/6", "rel": "nofollow"}, 7], "status": 200},
    )
    pages, problems = read(gzip.compress(data, mtime=0) if squeezed else data, "a.jsonl")
    assert not problems
    assert [(p.url[-1], p.text, p.date, p.title, p.parts) for p in pages] == [
        ("1", "Uno\ndos", "2019-04-25T12:57:54Z", "", "text"),
        ("2", "tres", "2020-01-02T03:04:05Z", "", "text"),
        ("3", "four", "", "T", "text"),
        ("4", "", "", "", "both"),
    ]
    assert pages[3].links == (
        Link("http://a.example/6", LinkKind.ANCHOR, nofollow=True),
        Link("http://a.example/5", LinkKind.ANCHOR),
    )
    assert (pages[3].status, pages[0].offset) == (200, 0)


def test_jsonl_in_the_words_of_an_index(read: Read) -> None:
    first = {"url": "http://a.example/1", "timestamp": "20240102030405", "status": "404", "text": "", "content": "x"}
    second = {"url": "http://a.example/2", "date": "2024", "timestamp": "2024-01-02T03:04:05.678Z", "status": "warc"}
    pages, problems = read(lines(first, second))
    assert not problems
    assert [(p.date, p.status, p.text) for p in pages] == [
        ("2024-01-02T03:04:05Z", 404, "x"),
        ("2024-01-02T03:04:05.678Z", None, ""),
    ]


def test_jsonl_with_bad_lines(read: Read) -> None:
    good = {"url": "http://a.example/1", "text": "x"}
    bad = [b"{", b"[1]", {"text": "no url"}, {"url": "mailto:x"}, b'"' + b"x" * 3000 + b'"', b"[" * 900, b"\xff{}"]
    pages, problems = read(lines(good, *bad, good), max_json=2000)
    assert len(pages) == 2
    assert [problem.kind for problem in problems] == [
        *("bad-json", "bad-json", "bad-url", "bad-url", "too-large", "bad-json", "bad-json")
    ]
    assert pages[1].offset == len(lines(good, *bad)) + 1


def test_jsonl_with_half_of_a_surrogate_pair_can_be_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        lines(
            {"url": "http://a.example/1", "title": "T\ud83d", "text": "cut \ud83d", "mime": "x\udc00"},
            {"url": "http://a.example/\udc00", "links": [{"url": "/x\ud83d", "hreflang": "d\udc00", "text": "\ud83d"}]},
            b'{"url": "http://a.example/3", "text": "raw \xed\xa0\x80"}',
        )
    )
    with closing(create(tmp_path / "a.db")) as connection:
        ingest(connection, [path], limits=Limits(anchor_texts=True))
        assert connection.execute(
            "SELECT url, title, text FROM pages LEFT JOIN texts ON page = id ORDER BY id"
        ).fetchall() == [
            ("http://a.example/1", "T\ufffd", "cut \ufffd"),
            ("http://a.example/%EF%BF%BD", None, None),
            ("http://a.example/x%EF%BF%BD", None, None),
            ("http://a.example/3", "", "raw \ufffd"),
        ]
        assert connection.execute("SELECT hreflang FROM links").fetchall() == [("d\ufffd",)]
        assert connection.execute("SELECT text FROM anchor_texts").fetchall() == [("\ufffd",)]


@pytest.mark.parametrize(
    ("written", "date"),
    [
        (20240102030405, "2024-01-02T03:04:05Z"),
        (20240102, "2024-01-02"),
        (2024, "2024"),
        (1704164645, ""),  # seconds since 1970 are no date of digits
        (1704164645000, ""),
        (2024.5, ""),
        (True, ""),
    ],
)
def test_a_date_of_digits_may_be_a_number(read: Read, written: object, date: str) -> None:
    (page,), problems = read(json.dumps({"url": "http://a.example/", "text": "x", "date": written}).encode(), "a.jsonl")
    assert (page.date, problems) == (date, [])


def test_a_line_without_end_costs_no_memory(read: Read) -> None:
    bomb = gzip.compress(b'{"url": "' + b"x" * 50_000_000 + b'"}\n{"url": "http://a.example/", "text": "x"}', mtime=0)
    pages, problems = read(bomb, "a.jsonl.gz", max_json=100_000)
    assert [page.url for page in pages] == ["http://a.example/"]
    assert [problem.kind for problem in problems] == ["too-large"]


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("a.example/index.html", "http://a.example/"),
        ("mirror/www.a.example/b/c.html", "http://www.a.example/b/c.html"),
        ("a.example+8080/x y?p=1&q=%2F2", "http://a.example:8080/x%20y?p=1&q=%2F2"),
        ("https/a.example/index.html?x=1", "https://a.example/?x=1"),
        ("www.a.pl/b.html", "http://www.a.pl/b.html"),
        ("192.0.2.1/a", "http://192.0.2.1/a"),
        ("a.example/b/page.html.orig", "http://a.example/b/page.html"),
        ("bücher.example/é", "http://bücher.example/%C3%A9"),
        ("notes/page.html/x", None),
        ("a.example", None),
    ],
)
def test_url_of_a_mirrored_file(path: str, url: str | None) -> None:
    assert find_mirrored_url(tuple(path.split("/"))) == url


def test_a_mirror_is_read_in_the_order_of_paths(tmp_path: Path) -> None:
    root = tmp_path / "mirror"
    for path, text in {
        "a.example/index.html": "<p>start<a href=b/c.html>c</a>",
        "a.example/b/c.html": "<p>changed",
        "a.example/b/c.html.orig": "<p>original",
        "a.example/i.png": "\x89PNG",
        "a.example/robots.txt": "User-agent: *",
        "notes/x.html": "<p>no host",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "a.example/loop").symlink_to(root)
    assert expand_paths([root]) == [root]
    expected = [("http://a.example/b/c.html", "original"), ("http://a.example/", "startc")]
    for start in (0, 1, 2):
        items = [item for batch in iterate_batches([(root, start)]) for item in batch.items]
        assert [(p.url, p.text) for p in items if isinstance(p, Page)] == expected[start:]
    links = [item.links for batch in iterate_batches([(root, 0)]) for item in batch.items if isinstance(item, Page)]
    assert links[1][0].url == "http://a.example/b/c.html"


def test_links_that_wget_changed_lead_to_the_pages(tmp_path: Path) -> None:
    """What wget 1.21 writes with -mkEH, of pages that say ``/b/``, ``/?p=1`` and ``http://b.example/c``."""
    for path, text in {
        "a.example/index.html": '<a href="b/index.html">1</a><a href="index.html%3Fp=1.html">2</a>',
        "a.example/b/index.html": '<a href="../index.html">3</a><a href="../../b.example/c.html">4</a>',
        "a.example/index.html?p=1.html": '<a href="index.html?x">self</a><a href="http://c.example/index.html">5</a>',
        "b.example/c.html": '<a href="../a.example/index.html">6</a>',
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"<html><p>{text}")
    pages = [item for batch in iterate_batches([(tmp_path, 0)]) for item in batch.items if isinstance(item, Page)]
    assert {page.url: [link.url for link in page.links] for page in pages} == {
        "http://a.example/": ["http://a.example/b/", "http://a.example/?p=1.html"],
        "http://a.example/b/": ["http://a.example/", "http://b.example/c.html"],
        "http://a.example/?p=1.html": ["http://a.example/?x", "http://c.example/index.html"],
        "http://b.example/c.html": ["http://a.example/"],
    }


def test_every_format_is_read_alike_by_any_number_of_workers(
    tmp_path: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphlang.ingest.workers.process._SMALL", 0)
    mirror = tmp_path / "a.example"
    mirror.mkdir()
    (mirror / "index.html").write_text("<p>x")
    files = {
        "a.jsonl": lines(*({"url": f"http://a.example/{n}", "text": "x"} for n in range(200)), b"{"),
        "a.wacz": zipped(("archive/a.warc", archive.warc("http://a.example/1"))),
        "a.store": b"junk",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    sources = [(tmp_path / name, 0) for name in files] + [(mirror, 0)]
    for whole in (1 << 22, 0):  # by a worker, or here
        monkeypatch.setattr("graphlang.ingest.read_batches._WHOLE", whole)
        one, two = (
            [(batch.source, item) for batch in iterate_batches(sources, workers=workers) for item in batch.items]
            for workers in (1, 2)
        )
        assert one == two
        assert len(one) == 204


READER = """
def reader(head, name):
    if name == "x.broken":
        raise ValueError(name)
    return pages if head.startswith(b"MINE") and name.endswith(".mine") else None

def pages(file):
    from graphlang.db.records import Page

    for number, line in enumerate(file.read().split(b"\\n")[1:]):
        yield Page("http://a.example/" + line.decode(), number)
        if line == b"bad":
            raise KeyError(line)
"""


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package as pip would install it."""
    metadata = tmp_path / "mine-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[graphlang.readers]\nmine = mine_of_a_test:reader\n")
    (tmp_path / "mine_of_a_test.py").write_text(READER)
    monkeypatch.syspath_prepend(tmp_path)
    plugins._search_plugins.cache_clear()
    yield
    plugins._search_plugins.cache_clear()


@pytest.mark.usefixtures("added")
def test_readers_of_other_packages_are_not_loaded_unless_somebody_asks(read: Read) -> None:
    assert [problem.kind for problem in read(b"MINE\n1", "x.mine")[1]] == ["not-an-archive"]
    assert "mine_of_a_test" not in sys.modules


@pytest.mark.usefixtures("added")
def test_a_reader_of_another_package(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(plugins.VARIABLE, "1")
    pages, problems = read(b"MINE\n1\n2", "x.mine")
    assert ([page.url[-1] for page in pages], problems) == (["1", "2"], [])
    pages, problems = read(b"MINE\n1\nbad\n2", "x.mine")
    assert len(pages) == 2
    assert [(p.kind, p.reason) for p in problems] == [("failed", "the reader mine failed: KeyError: b'bad'")]
    assert [p.kind for p in read(b"MINE\n1", "x.other")[1]] == ["not-an-archive"]
    pages, problems = read(b"MINE", "x.broken")
    assert [(p.kind, p.reason) for p in problems] == [("failed", "the reader mine failed: ValueError: x.broken")]


def test_patterns_lists_and_streams(tmp_path: Path) -> None:
    for name in ("b.warc.gz", "a.wacz", "c.txt", "d/e.arc"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    names = [path.relative_to(tmp_path).as_posix() for path in expand_paths([tmp_path])]
    assert names == ["a.wacz", "b.warc.gz", "d/e.arc"]
    assert [path.name for path in expand_paths([f"{tmp_path}/*.w*", tmp_path / "c.txt"])] == [
        "a.wacz",
        "b.warc.gz",
        "c.txt",
    ]
    assert [path.name for path in expand_paths([f"{tmp_path}/**/*.arc"])] == ["e.arc"]
    with pytest.raises(FileNotFoundError, match="no such file"):
        expand_paths([f"{tmp_path}/*.none"])
    (tmp_path / "paths.txt").write_text("# crawls\n\nb.warc.gz\n /x y/z \n")
    with (tmp_path / "paths.txt").open() as lines:
        assert read_list(lines) == ["b.warc.gz", "/x y/z"]
    assert save_stream(io.BytesIO(b"bytes"), tmp_path).read_bytes() == b"bytes"
