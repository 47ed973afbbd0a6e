from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from graphlang.db.records import Page
from graphlang.ingest import batches, expand

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_folders_are_searched_and_files_taken_as_they_are(tmp_path: Path) -> None:
    names = ["b/x.warc.gz", "b/a/y.arc", "b/Z.WARC", "b/n.txt", "b/w.warc.zst", "b/w.warc.lz4", "b/x.cdx.gz", "odd.bin"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "b" / "folder.warc").mkdir()
    found = expand([str(tmp_path / "odd.bin"), tmp_path / "b", tmp_path / "b" / "Z.WARC"])
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
        expand([tmp_path / "gone"])
    assert expand([]) == []


def test_a_folder_without_anything_to_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").touch()
    (tmp_path / "b.warc").touch()
    with pytest.raises(FileNotFoundError, match=r"no archive and no mirrored page in this folder: .*a"):
        expand([tmp_path / "b.warc", tmp_path / "a"])
    assert expand([tmp_path / "*"]) == [tmp_path / "b.warc"]


def test_a_folder_that_stays_closed_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crawl" / "closed").mkdir(parents=True)
    (tmp_path / "crawl" / "a.warc").touch()
    closed_to_everybody(monkeypatch)
    with pytest.raises(PermissionError, match="closed"):
        expand([tmp_path / "crawl"])


def test_a_closed_folder_of_a_mirror_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.example" / "closed").mkdir(parents=True)
    (tmp_path / "a.example" / "b.html").write_text("<html>b")
    closed_to_everybody(monkeypatch)
    items = [item for batch in batches([(tmp_path, 0)]) for item in batch.items]
    assert [item.url if isinstance(item, Page) else item.reason for item in items] == [
        "http://a.example/b.html",
        "a.example/closed: Permission denied",
    ]


def closed_to_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may be allowed everything: so the folder of this name cannot be closed by its mode."""

    def refusing(real: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def scan(path: Any) -> Any:
            if os.fspath(path).endswith("closed"):
                raise PermissionError(13, "Permission denied", os.fspath(path))
            return real(path)

        return scan

    monkeypatch.setattr(os, "scandir", refusing(os.scandir))
    monkeypatch.setattr(os, "listdir", refusing(os.listdir))
