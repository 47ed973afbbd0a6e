"""An archive that is there when archives are listed, and not when it is read: told, and the rest goes on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow.parquet as pq

from graphlang.cluster import frames
from graphlang.cluster.files import job
from graphlang.cluster.reading.archives import Archive
from graphlang.cluster.tables import RANGE
from graphlang.db import InputError
from graphlang.ingest import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result


def test_a_job_goes_on_without_them(
    spark: Any,
    archives: Path,
    tmp_path: Path,
    graphlang: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del spark  # which the verb takes
    shutil.copytree(archives, folder := tmp_path / "archives")
    find, digests = frames.find, job.sources

    def found(*given: Any) -> Any:
        listed = find(*given)
        (folder / "a.warc.gz").unlink()  # before its bytes are looked at
        return listed

    def read(*given: Any) -> Any:
        known = digests(*given)
        (folder / "d.warc.gz").unlink()  # when its bytes are known
        return known

    monkeypatch.setattr(frames, "find", found)
    monkeypatch.setattr(job, "sources", read)
    told = graphlang("cluster", "run", folder, "-o", tmp_path / "tables", "--no-linked")
    assert told.exit_code == 1, told.stderr
    assert "3 archives: 5 pages read" in told.stderr
    assert "2 problems" in told.stderr
    rows = pq.read_table(tmp_path / "tables" / "problems").to_pylist()
    assert sorted((Path(row["file"]).name, row["kind"], row["reason"]) for row in rows) == [
        ("a.warc.gz", "unreadable", "No such file or directory"),
        ("d.warc.gz", "unreadable", "No such file or directory"),
    ]
    named = pq.read_table(tmp_path / "tables" / "sources").to_pylist()
    assert [(Path(row["name"]).name, row["bytes"] > 0) for row in sorted(named, key=lambda row: row["source"])] == [
        ("a.warc.gz", False),
        ("b.warc.gz", True),
        ("d.warc.gz", True),
    ]
    rows = pq.read_table(tmp_path / "tables" / "languages").to_pylist()
    told = {(row["fetched"], row["pending"], row["language"] == "und"): row["url"] for row in rows}
    assert told.keys() == {(1, 0, False), (1, 0, True), (0, 1, True)}
    assert told[1, 0, True] == "http://other.example/2", "the page in no known language"
    (propagation,) = (row for row in pq.read_table(tmp_path / "tables" / "runs").to_pylist() if row["chosen"])
    assert (propagation["linked"], propagation["pages"]) == (0, sum(row["fetched"] for row in rows) - 1)


def test_what_spark_brings_goes_on_without_them(spark: Any, archives: Path, tmp_path: Path) -> None:
    named = shutil.copy(archives / "b.warc.gz", tmp_path / "b[2] {x}.warc.gz")  # which is no pattern
    names = [f"file:{named}", f"file:{tmp_path / 'gone.warc.gz'}"]
    listed = [Archive(number, name, 99, remote=True) for number, name in enumerate(names)]
    digests = sorted(frames.sources_of(spark, listed).collect())
    assert [(row.source, row.name, row.bytes > 0) for row in digests] == [(0, names[0], True), (1, names[1], False)]
    rows = frames.records_of(spark, listed, Limits(), str(tmp_path / "work")).collect()
    assert sum(row.kind is None for row in rows) == 5
    assert [(row.file, row.kind, row.reason) for row in rows if row.kind not in {None, RANGE}] == [
        (names[1], "unreadable", "No such file or directory")
    ]
    with pytest.raises(InputError, match=r"cannot read file:.*gone.warc.gz: it was there, and is not any more"):
        frames.sources_of(spark, listed[1:])
