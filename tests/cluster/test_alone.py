"""The inference in one task is that of one machine, with or without the URLs that were only linked to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import graphlang as gl

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import example, given
from hypothesis import strategies as st

from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster import load as loading
from graphlang.cluster import one_task as module
from graphlang.cluster.arrays import hash_hosts
from graphlang.cluster.import_tables import to_database
from graphlang.cluster.one_task import TABLES, OneTask, infer_tables
from graphlang.cluster.storage import Location
from graphlang.content import registry
from graphlang.graph.options import Options
from graphlang.graph.partitioned.partition import find_host, hash_name

if TYPE_CHECKING:
    from pathlib import Path

ANSWERED = ["label", "confidence", "runner_up_label", "runner_up_confidence", "characters"]


@pytest.fixture(scope="module")
def loaded(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one machine finds, as tables."""
    folder = tmp_path_factory.mktemp("alone")
    crawl = gl.open(folder / "crawl.db")
    crawl.ingest(archives)
    crawl.classify()
    crawl.propagate()
    loading.export_database(folder / "crawl.db", folder / "tables")
    return folder / "tables"


def list_answers(batches: Any) -> dict[int, list[Any]]:
    return {row["page"]: [row[name] for name in ANSWERED] for batch in batches for row in batch.to_pylist()}


def inferred(tables: Path, *, linked: bool) -> dict[int, list[Any]]:
    task = OneTask(registry.load("nfc").labels, SIGNALS, Options(), 1000, linked)
    folder = Location.of(str(tables))
    pages = [(folder / name, columns) for name, columns in TABLES.items()]
    return list_answers(infer_tables(task, pages, folder / "links"))


def read(tables: Path, *, scored: bool) -> dict[int, list[Any]]:
    """What one machine answers for pages that it read, or for those that were only linked to."""
    rows = pq.read_table(tables / "answers" / "run=2", partitioning=None).to_pylist()
    return {row["page"]: [row[name] for name in ANSWERED] for row in rows if bool(row["scores"]) is scored}


@pytest.mark.parametrize("together", [1, 1 << 18], ids=["one by one", "all at once"])
def test_one_task_answers_what_one_machine_does(together: int, loaded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOGETHER", together)
    found = inferred(loaded, linked=True)
    only_linked, fetched = read(loaded, scored=False), read(loaded, scored=True)
    assert only_linked
    assert fetched
    assert found == only_linked | fetched


def test_what_was_only_linked_to_can_wait(loaded: Path) -> None:
    few, every = (inferred(loaded, linked=linked) for linked in (False, True))
    assert few == {page: every[page] for page in read(loaded, scored=True)}


def test_a_database_works_out_what_waits(loaded: Path, tmp_path: Path) -> None:
    runs = pq.read_table(loaded / "runs").to_pylist()
    assert [row["linked"] for row in runs] == [None, 1]
    rows = pq.read_table(loaded / "answers" / "run=2", partitioning=None)
    waiting = tmp_path / "tables"
    for name in ("pages", "captures", "links", "problems", "sources", "answers/run=1"):
        (waiting / name).parent.mkdir(parents=True, exist_ok=True)
        (waiting / name).symlink_to(loaded / name)
    (waiting / "answers" / "run=2").mkdir()
    pq.write_table(rows.filter(rows["scores"].is_valid()), waiting / "answers" / "run=2" / "part.parquet")
    (waiting / "runs").mkdir()
    columns = pq.read_table(loaded / "runs").schema
    asked_for = pa.Table.from_pylist([row | {"linked": row["linked"] and 0} for row in runs], columns)
    pq.write_table(asked_for, waiting / "runs" / "part.parquet")
    to_database(loaded, tmp_path / "all.db")
    to_database(waiting, tmp_path / "waiting.db")
    assert [row.language for row in gl.open(tmp_path / "waiting.db").pages(everything=True)] == [
        row.language for row in gl.open(tmp_path / "all.db").pages(everything=True)
    ]


@given(st.lists(st.text("a/?#:é\n."), max_size=5), st.lists(st.text(), max_size=3))
@example(["http:////a", "http://", "//?a", "a/b", ""], ["http://a.example/x"])
def test_hosts_of_many_urls_are_those_of_each(some: list[str], others: list[str]) -> None:
    found = hash_hosts(pa.chunked_array([some, others], pa.string()))
    assert found.tolist() == [hash_name(find_host(url.encode())) for url in [*some, *others]]
