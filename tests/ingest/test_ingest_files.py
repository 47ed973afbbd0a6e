from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from graphlang.ingest import expand

if TYPE_CHECKING:
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
