"""What a thread reads ahead is what the step that asks for it would have read."""

from __future__ import annotations

import gc
import sqlite3
import threading
import weakref
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.analysis import graph_input, signals
from graphlang.analysis.classify import classify
from graphlang.analysis.read_ahead import CachedLoader, PrefetchThread
from graphlang.content import registry
from graphlang.db import Declaration, Link, LinkKind, Page, StoreError, collection, create
from graphlang.db.write import sources
from graphlang.db.write.writer import HostParts, Writer, finish

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n"
SHORT = ENDLESS.replace("FROM n)", "FROM n LIMIT 3000)")
FEW = graph_input.ClampLimits(0, 0.0, 0)


def add(connection: sqlite3.Connection, path: Path, *pages: Page) -> None:
    path.write_bytes(path.name.encode())
    source = sources.register(connection, path).id
    writer = Writer(connection, lambda url: HostParts(url.split("/")[2], "a.example", "example", "example"))
    writer.add(source, list(pages), position=1, finished=True)
    finish(connection)


def page(number: int, links: Sequence[int]) -> Page:
    return Page(
        url=f"http://h{number % 2}.example/de/{number}",
        offset=0,
        status=200,
        text="Das Museum der Gezeiten liegt am Hafen und zeigt alte Boote." * (number % 3),
        declared=(Declaration("html-lang", "de"),),
        links=tuple(Link(f"http://h{target % 2}.example/de/{target}", LinkKind.ANCHOR) for target in links),
    )


@pytest.fixture
def db(tmp_path: Path) -> Path:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, tmp_path / "a", page(1, [2, 3, 9]), page(2, [1, 8]), page(3, [2, 7]))
        classify(connection, registry.load("nfc"))
    return tmp_path / "a.db"


def test_what_was_begun_is_what_the_step_would_have_read(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights, asked = dict.fromkeys(signals.NAMES, 0.5), np.zeros(0, np.int64)
    readers: list[str] = []
    for module, name in ((collection, "read_edges"), (signals, "load")):

        def noted(*given: object, read: object = getattr(module, name), **how: object) -> object:
            readers.append(threading.current_thread().name.partition("_")[0])
            return read(*given, **how)  # type: ignore[operator]

        monkeypatch.setattr(module, name, noted)
    with closing(create(db)) as connection, PrefetchThread(db) as ahead:
        run = graph_input.find_seed_run(connection, None)
        alone = CachedLoader(one_graph=True)(connection, run)
        expected = alone.make_input(weights, requested=asked, limits=FEW)
        assert readers == ["MainThread", "MainThread"]
        readers.clear()
        load = CachedLoader(one_graph=True, prefetch=(weights, ahead))
        load.begin_links()
        loaded = load(connection, run)
        loaded.make_input(None, requested=asked, limits=FEW)  # as the vote asks
        found = loaded.make_input(weights, requested=asked, limits=FEW)
        assert readers == ["graphlang", "graphlang"]
        assert found.graph.source.tolist() == expected.graph.source.tolist() == [0, 0, 1, 2, 2]
        assert found.evidence.directory is not None
        assert expected.evidence.directory is not None
        assert found.evidence.directory.tolist() == expected.evidence.directory.tolist() == [0, 1, 0, 0]
        assert found.evidence.signals.keys() == set(weights)
        for name, signal in expected.evidence.signals.items():
            assert np.array_equal(found.evidence.signals[name].languages, signal.languages), name
            assert np.array_equal(found.evidence.signals[name].probabilities, signal.probabilities), name
        loaded.make_input({"url": 1.0}, requested=asked, limits=FEW)  # other weights, which no thread has begun
        assert readers == ["graphlang", "graphlang", "MainThread"]


def test_without_somebody_to_read_ahead_nothing_is_begun(db: Path) -> None:
    with closing(create(db)) as connection:
        load = CachedLoader()
        load.begin_links()
        assert len(load(connection, graph_input.find_seed_run(connection, None)).make_input().graph.source) == 7


def test_at_the_end_nothing_is_waited_for(db: Path) -> None:
    with PrefetchThread(db) as ahead:
        counted = ahead.begin(lambda connection: connection.execute("SELECT COUNT(*) FROM links").fetchone())
        assert counted.result() == (7,)
        begun = ahead.begin(lambda connection: connection.execute(ENDLESS).fetchone())
        waiting = ahead.begin(lambda connection: connection.execute("SELECT 1").fetchone())
        while not begun.running():
            pass
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        begun.result()
    assert waiting.done()  # told or given up, and never waited for
    assert not [one for one in threading.enumerate() if one.name.startswith("graphlang")]


def test_at_the_end_many_short_queries_are_not_waited_for(db: Path) -> None:
    ended = threading.Event()

    def read(connection: sqlite3.Connection) -> None:
        while not ended.wait(0.004):  # and then nothing is to be interrupted
            connection.execute(SHORT).fetchone()

    giving_up = threading.Timer(5, ended.set)  # the bound on the steps of a connection is further off
    giving_up.start()
    with PrefetchThread(db) as ahead:
        begun = ahead.begin(read)
    giving_up.cancel()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        begun.result()


def test_what_was_taken_is_not_kept(db: Path) -> None:
    with PrefetchThread(db) as ahead:
        made = ahead.begin(lambda _: np.zeros(3)).result()
        ahead.begin(lambda _: None).result()  # the thread is done with the first
        kept = weakref.ref(ahead.begin(lambda _: np.zeros(3)).result())
        del made
        gc.collect()
        assert kept() is None


def test_what_cannot_be_read_is_told_to_whoever_asks(tmp_path: Path) -> None:
    with PrefetchThread(tmp_path / "none.db") as ahead:
        begun = ahead.begin(lambda connection: connection.execute("SELECT 1"))
        with pytest.raises(StoreError, match="no such database"):
            begun.result()
