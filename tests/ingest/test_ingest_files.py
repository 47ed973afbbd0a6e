from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from graphlang.db.records import Page, Problem
from graphlang.ingest import Limits, discover_files, expand_paths, iterate_batches
from graphlang.ingest.files import decompress
from graphlang.ingest.formats.observatory_store import COOKIE

if TYPE_CHECKING:
    from collections.abc import Callable


def test_folders_are_searched_and_files_taken_as_they_are(tmp_path: Path) -> None:
    names = ["b/x.warc.gz", "b/a/y.arc", "b/Z.WARC", "b/n.txt", "b/w.warc.zst", "b/w.warc.lz4", "b/x.cdx.gz", "odd.bin"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "b" / "folder.warc").mkdir()
    found = expand_paths([str(tmp_path / "odd.bin"), tmp_path / "b", tmp_path / "b" / "Z.WARC"])
    assert [path.relative_to(tmp_path).as_posix() for path in found] == [
        "odd.bin",
        "b/Z.WARC",
        "b/a/y.arc",
        "b/w.warc.lz4",
        "b/w.warc.zst",
        "b/x.warc.gz",
    ]


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no such file or folder: .*gone"):
        expand_paths([tmp_path / "gone"])
    assert expand_paths([]) == []


def test_an_empty_name_is_not_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.warc").write_bytes(WARC)
    monkeypatch.chdir(tmp_path)
    assert expand_paths(["."]) == [Path("a.warc")]
    with pytest.raises(FileNotFoundError, match="an empty name"):
        expand_paths([""])


def test_a_folder_without_anything_to_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").touch()
    (tmp_path / "b.warc").touch()
    with pytest.raises(FileNotFoundError, match=r"no archive and no mirrored page in this folder: .*a"):
        expand_paths([tmp_path / "b.warc", tmp_path / "a"])
    assert expand_paths([tmp_path / "*"]) == [tmp_path / "b.warc"]


def test_a_folder_that_stays_closed_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crawl" / "closed").mkdir(parents=True)
    (tmp_path / "crawl" / "a.warc").touch()
    closed_to_everybody(monkeypatch)
    with pytest.raises(PermissionError, match="closed"):
        expand_paths([tmp_path / "crawl"])


def test_a_closed_folder_of_a_mirror_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.example" / "closed").mkdir(parents=True)
    (tmp_path / "a.example" / "b.html").write_text("<html>b")
    closed_to_everybody(monkeypatch)
    items = [item for batch in iterate_batches([(tmp_path, 0)]) for item in batch.items]
    assert [item.url if isinstance(item, Page) else item.reason for item in items] == [
        "http://a.example/b.html",
        "a.example/closed: Permission denied",
    ]


def closed_to_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to list the folder `closed`; the tests may run as root, for whom a mode closes nothing."""

    def refusing(real: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def scan(path: Any) -> Any:
            if os.fspath(path).endswith("closed"):
                raise PermissionError(13, "Permission denied", os.fspath(path))
            return real(path)

        return scan

    monkeypatch.setattr(os, "scandir", refusing(os.scandir))
    monkeypatch.setattr(os, "listdir", refusing(os.listdir))


WARC = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
ARC = b"http://a.example/ 192.0.2.1 20060102030405 text/html 0\n\n"
PAGE = b'{"url": "http://a.example/", "text": "page"}\n'


def zipped(name: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("other", bytes(100_000))  # names stand far from the beginning
        made.writestr(name, WARC)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("part-00001", WARC),
        ("crawl.warc.gz.1", gzip.compress(WARC, mtime=0)),
        ("a.warc.gz.open", gzip.compress(WARC, mtime=0)),
        ("y.gz", gzip.compress(ARC, mtime=0)),
        ("y", bz2.compress(WARC)),
        ("z", lzma.compress(WARC)),
        ("z.zst", zstandard.compress(WARC)),
        ("lists", b"\xef\xbb\xbf" + PAGE),
        ("lists.gz", gzip.compress(PAGE, mtime=0)),
        ("museum", COOKIE + bytes(28)),
        ("crawl.zip", zipped("archive/a.warc")),
        ("newlines", b"\r\n" + WARC),
        # the name says it, whatever is in it
        ("empty.warc", b""),
        ("cut.warc.bz2", b"BZ"),
        ("noise.ARC.XZ", b"noise"),
    ],
)
def test_files_of_a_folder_are_told_by_their_first_bytes(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    assert discover_files([tmp_path]) == ([tmp_path / name], [])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty", b""),
        ("notes.txt", b"WARC files are here\n"),
        ("urls.txt", b"http://a.example/\nhttp://b.example/\n"),
        ("package.json", b'{"name": "x", "url": "http://a.example/"}'),
        ("pretty.json", b'{\n "url": "http://a.example/", "text": "x"}'),
        ("other.zip", zipped("a.warc")),
        ("text.gz", gzip.compress(b"text", mtime=0)),
        ("cut.gz", gzip.compress(WARC, mtime=0)[:12]),
        ("x.xz", b"\xfd7zXZ\0noise"),
    ],
)
def test_other_files_of_a_folder_are_passed_over_and_named(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / "a.warc").write_bytes(WARC)
    (tmp_path / name).write_bytes(data)
    assert discover_files([tmp_path]) == ([tmp_path / "a.warc"], [(tmp_path / name, "no archive")])
    assert discover_files([tmp_path / name]) == ([tmp_path / name], [])  # who names it has it read


def test_links_in_folders_are_followed_only_where_the_user_says_so(tmp_path: Path) -> None:
    outside, crawl = tmp_path / "outside", tmp_path / "crawl"
    for folder in (outside, crawl):
        folder.mkdir()
        (folder / "own.warc").write_bytes(WARC)
    (crawl / "passwd.warc").symlink_to("/etc/passwd")
    (crawl / "deep").symlink_to(outside)
    (crawl / "back").symlink_to(crawl)
    (crawl / "gone.warc").symlink_to(tmp_path / "gone")
    os.mkfifo(crawl / "pipe.warc")
    links = [(crawl / name, "symbolic link") for name in ("back", "deep", "gone.warc")]
    rest = [(crawl / "passwd.warc", "symbolic link"), (crawl / "pipe.warc", "no regular file")]
    assert discover_files([crawl]) == ([crawl / "own.warc"], links + rest)
    assert discover_files([f"{crawl}/*.warc"]) == (
        [crawl / "own.warc", crawl / "pipe.warc"],
        [(crawl / name, "symbolic link") for name in ("gone.warc", "passwd.warc")],
    )
    assert discover_files([f"{crawl}/**/own.warc"]).files == [crawl / "own.warc"]
    followed = discover_files([crawl], follow_links=True)
    assert followed.files == [crawl / "deep/own.warc", crawl / "own.warc", crawl / "passwd.warc"]
    assert followed.skipped == [
        (crawl / "gone.warc", "No such file or directory"),
        (crawl / "pipe.warc", "no regular file"),
    ]
    # what the user names is read, link or not
    assert discover_files([crawl / "passwd.warc", crawl / "deep"]).files == [
        crawl / "passwd.warc",
        crawl / "deep/own.warc",
    ]
    (outside / "own.warc").unlink()
    (outside / "own.warc").symlink_to("/etc/passwd")
    words = "no archive and no mirrored page in this folder but 1 symbolic link: --follow-links follows it"
    with pytest.raises(FileNotFoundError, match=words):
        discover_files([outside])


@pytest.mark.parametrize("path", ["http://a.example/x.warc.gz", Path("https://a.example/x"), "s3://bucket/key"])
def test_an_address_is_no_file(path: str | Path) -> None:
    words = r"graphlang fetches nothing, it reads files on this machine: '(http|https|s3)://[^/]"
    with pytest.raises(FileNotFoundError, match=words):
        discover_files([path])


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_a_file_that_unpacks_to_too_much_is_not_read_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(decompress, "UNPACKED_FREELY", 1 << 20)
    (tmp_path / "bomb").write_bytes(
        pack(WARC.replace(b"response", b"warcinfo").replace(b" 0\r", b" 9999999\r") + bytes(16 << 20))
    )
    [batch] = iterate_batches([(tmp_path / "bomb", 0)], limits=Limits(max_ratio=10))
    assert [item.reason for item in batch.items if isinstance(item, Problem)] == [
        "the file unpacks to more than 10 times its size; the rest was not read"
    ]
