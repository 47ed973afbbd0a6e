"""A collection that has grown: what is brought up to date equals what a fresh run over all of it says."""

from __future__ import annotations

import json
import weakref
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphlang.analysis import graph_input, signals
from graphlang.analysis.classify import classify, classify_urls
from graphlang.analysis.propagate import propagate
from graphlang.analysis.read_ahead import CachedLoader
from graphlang.analysis.update import update_run
from graphlang.analysis.vote import vote
from graphlang.content import registry
from graphlang.db import Link, LinkKind, Page, StoreError, collection, create
from graphlang.db.remove import remove
from graphlang.db.runs.lifecycle import finish_run, start_run
from graphlang.db.runs.run import get_chosen_run, get_run
from graphlang.db.write import sources
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import HostParts, Writer, finish
from graphlang.graph.options import Options
from graphlang.urls import url_methods

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from graphlang.db.runs.run import Run

TEXTS = (
    "",
    "Hallo Welt",
    "1 2 3",
    "Menü",
    "The quick brown fox jumps over the lazy dog, and the dog does not mind it in the least. " * 4,
    "Der schnelle braune Fuchs springt über den faulen Hund, und der Hund hat nichts dagegen. " * 4,
    "Le vif renard brun saute par-dessus le chien paresseux, et le chien n'y voit aucun mal. " * 4,
)
IDENTIFIER = registry.load("nfc")
URLS = url_methods.load()


def page(number: int, date: int, text: int, targets: Sequence[int]) -> Page:
    links = tuple(Link(f"http://{n % 3}.example/{n}", LinkKind.ANCHOR) for n in targets)
    url = f"http://{number % 3}.example/{number}"
    return Page(url=url, offset=0, date=f"{2000 + date}", status=200, text=TEXTS[text], links=links)


def site(url: str) -> HostParts:
    host = url.split("/")[2]
    return HostParts(host, host, "example", "example")


def add(connection: sqlite3.Connection, name: str, pages: Sequence[Page]) -> None:
    source = connection.execute(
        "INSERT INTO sources (name, sha256, bytes) VALUES (?, ?, 1) RETURNING id", (name, name)
    ).fetchone()[0]
    Writer(connection, site, keep=Keep.LAST).add(source, pages, position=len(pages), finished=True)
    finish(connection)


def read_run(connection: sqlite3.Connection, run: Run) -> list[tuple[Any, ...]]:
    """Answers and scores, with labels by name: their numbers depend on what came first."""
    rows: list[tuple[Any, ...]] = connection.execute(
        "SELECT page, 0, labels.label, confidence, characters FROM predictions"
        " JOIN labels ON labels.id = predictions.label WHERE run = ?1 UNION ALL"
        " SELECT page, rank, labels.label, score, 0 FROM scores JOIN labels ON labels.id = scores.label"
        " WHERE run = ?1 ORDER BY 1, 2",
        (run.id,),
    ).fetchall()
    return rows


def same(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> None:
    assert [(*row[:3], row[4]) for row in one] == [(*row[:3], row[4]) for row in other]
    assert [row[3] for row in one] == pytest.approx([row[3] for row in other], abs=1e-6)


def test_texts_of_hosts_without_a_new_capture_are_not_read_again(tmp_path: Path) -> None:
    german, english, french = 5, 4, 6
    with closing(create(tmp_path / "crawl.db")) as connection:
        add(connection, "a", [page(0, 0, german, []), page(1, 0, german, []), page(4, 0, german, [])])
        classify(connection, IDENTIFIER)
        # Nothing but a new reading changes texts, so this change is not seen until the host has a new capture.
        connection.execute("UPDATE texts SET text = ?", (TEXTS[french],))
        add(connection, "b", [page(2, 0, english, []), page(3, 0, english, [])])  # host 0 has page 3, host 2 page 2
        run = classify(connection, IDENTIFIER)
        rows = connection.execute(
            "SELECT url, labels.label FROM predictions JOIN pages ON pages.id = page"
            " JOIN labels ON labels.id = predictions.label WHERE run = ?",
            (run.id,),
        )
        languages = {url.removeprefix("http://"): label for url, label in rows}
    assert languages == {
        "0.example/0": "fra",
        "0.example/3": "eng",
        "1.example/1": "deu",
        "1.example/4": "deu",
        "2.example/2": "eng",
    }


CRAWL = st.lists(
    st.builds(
        page,
        st.integers(0, 7),
        st.integers(0, 3),
        st.integers(0, len(TEXTS) - 1),
        st.lists(st.integers(0, 9), max_size=4, unique=True),
    ),
    max_size=8,
)


def main_job(connection: sqlite3.Connection, *, title: bool) -> tuple[Run, ...]:
    """What `run` does after it has read the files."""
    load = CachedLoader(one_graph=True)
    content = classify(connection, IDENTIFIER, title=title)
    voted = vote(connection, linked=False, load=load)
    return content, voted, propagate(connection, update=True, linked=False, load=load.take)


@settings(max_examples=10)
@given(st.lists(CRAWL, min_size=2, max_size=4).filter(lambda parts: bool(parts[0])), st.booleans())
# A page that was only linked to is read later: nothing else changes, but its answer becomes a row of its own.
@example(parts=[[page(1, 0, 0, [0])], [page(0, 0, 0, [])]], title=False)
def test_increments_equal_a_fresh_run_over_everything(parts: list[list[Page]], title: bool) -> None:
    with TemporaryDirectory() as name:
        with closing(create(Path(name) / "grown.db")) as grown:
            for number, part in enumerate(parts):
                add(grown, str(number), part)
                increments = main_job(grown, title=title)
            assert get_chosen_run(grown) == increments[-1]
            answers = [read_run(grown, run) for run in increments]
        with closing(create(Path(name) / "fresh.db")) as fresh:
            for number, part in enumerate(parts):
                add(fresh, str(number), part)
            full = main_job(fresh, title=title)
            for found, run in zip(answers, full, strict=True):
                same(found, read_run(fresh, run))
            assert increments[-1].inputs == full[-1].inputs


class Counting:
    """The identifier, with the texts that it was asked for."""

    def __init__(self) -> None:
        self.name, self.labels, self.hash, self.asked = IDENTIFIER.name, IDENTIFIER.labels, IDENTIFIER.hash, 0

    def describe(self) -> dict[str, Any]:
        return IDENTIFIER.describe()

    def probabilities(self, texts: Sequence[str]) -> Any:
        self.asked += len(texts)
        return IDENTIFIER.probabilities(texts)


def test_only_texts_that_are_new_are_identified(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", [page(1, 0, 4, [2]), page(2, 0, 5, [1]), page(3, 0, 6, [])])
        counting = Counting()
        classify(connection, counting)
        assert counting.asked == 3
        # a newer capture of page 2 in French, one of page 3 that says the same as before, and page 4
        add(connection, "b", [page(2, 1, 6, [1]), page(3, 1, 6, []), page(4, 0, 1, [])])
        run = classify(connection, counting)
        assert counting.asked == 5
        languages = dict(connection.execute("SELECT url, language FROM page_languages"))
        assert languages["http://1.example/1"] == "eng"
        assert languages["http://2.example/2"] == languages["http://0.example/3"] == "fra"
        assert run.pages == 4


def test_urls_that_were_known_are_not_asked_again(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", [page(1, 0, 4, [2])])
        before = classify_urls(connection, URLS)
        add(connection, "b", [page(3, 0, 4, [1])])
        asked: list[str] = []

        class Asked:
            name, labels, hash = URLS.name, URLS.labels, URLS.hash
            describe = staticmethod(URLS.describe)

            @staticmethod
            def probabilities(urls: Sequence[str]) -> Any:
                asked.extend(urls)
                return URLS.probabilities(urls)

        run = classify_urls(connection, Asked())
        assert asked == ["http://0.example/3"]
        assert run.pages == 3
        assert read_run(connection, run)[: len(read_run(connection, before))] == read_run(connection, before)


def test_each_url_is_read_for_evidence_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    find = signals._find_languages

    def find_and_count(identifier: Any, urls: Sequence[str]) -> Any:
        asked.extend(urls)
        return find(identifier, urls)

    monkeypatch.setattr(signals, "_find_languages", find_and_count)
    first, later = [f"http://{number % 3}.example/{number}" for number in (1, 2)], "http://0.example/3"
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", [page(1, 0, 4, [2])])
        classify(connection, IDENTIFIER)
        propagate(connection)
        assert asked == first
        add(connection, "b", [page(3, 0, 4, [1])])
        run = propagate(connection, update=True)
        assert asked == [*first, later]
        propagate(connection, signals=dict.fromkeys(signals.NAMES, 0.5))
        connection.execute("UPDATE url_evidence SET model = 'other'")
        asked.clear()
        again = propagate(connection, signals=dict.fromkeys(signals.NAMES, 1.0), options=Options(rounds=199))
        assert asked == [*first, later]
        assert read_run(connection, again) == read_run(connection, run)
        assert connection.execute("SELECT COUNT(*) FROM url_evidence").fetchone() == (1,)
        remove(connection, [later], [], host_of=lambda url: site(url).host, canonical=str)
        assert connection.execute("SELECT COUNT(*) FROM url_evidence").fetchone() == (0,)


def test_where_nothing_has_changed_the_earlier_run_is_chosen_again(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", [page(1, 0, 4, [2]), page(2, 0, 1, [])])
        classify(connection, IDENTIFIER)
        first = propagate(connection)
        add(connection, "b", [])  # a file without a page
        connection.execute("UPDATE sources SET position = 1 WHERE name = 'b'")
        again = propagate(connection, update=True)
        assert again == replace(first, collection=again.collection)
        assert again.collection == sources.digest_state(connection) != first.collection  # or verbs would say: not seen
        assert get_chosen_run(connection) == again
        assert connection.execute("SELECT COUNT(*) FROM runs WHERE finished IS NULL").fetchone() == (0,)
        assert propagate(connection) == again  # it starts from the content run of the chosen one


def test_a_model_that_is_not_at_hand_is_told(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", [page(1, 0, 4, [])])
        run = start_run(connection, kind="content", method="nfc", model_hash="other", parameters={}, version="1")
        finish_run(connection, run.id, pages=0)
        run = get_run(connection, run.id)
        assert update_run(connection, run) == run
        add(connection, "b", [page(2, 0, 4, [])])
        with pytest.raises(StoreError, match="the model of run 1"):
            update_run(connection, run)
        assert json.loads(connection.execute("SELECT seeds FROM runs").fetchone()[0]) == []


def test_two_steps_that_read_the_same_read_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", [page(1, 0, 4, [2, 3]), page(2, 0, 1, [1]), page(3, 0, 5, [2])])
        classify(connection, IDENTIFIER)
        apart = [read_run(connection, vote(connection)), read_run(connection, propagate(connection))]
        connection.execute("UPDATE runs SET version = 'other' WHERE kind <> 'content'")
        reads: list[int] = []
        plain = collection.read_edges
        monkeypatch.setattr(collection, "read_edges", lambda given, **how: reads.append(1) or plain(given, **how))
        load = CachedLoader()
        together = [read_run(connection, step(connection, load=load)) for step in (vote, propagate)]
        assert together == apart
        assert reads == [1]


def test_the_last_step_keeps_what_was_read_to_itself(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", [page(1, 0, 4, [2, 3]), page(2, 0, 1, [1]), page(3, 0, 5, [2])])
        run = classify(connection, IDENTIFIER)
        load = CachedLoader(one_graph=True)
        loaded = weakref.ref(load(connection, run))
        assert load(connection, run) is loaded()
        last = load.take(connection, run)
        assert last is loaded()
        del last
        assert loaded() is None


def test_links_are_let_go_of_once_there_is_a_graph_and_read_anew_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(create(tmp_path / "a.db")) as connection:
        add(connection, "a", [page(1, 0, 4, [2, 3, 9]), page(2, 0, 1, [1, 8]), page(3, 0, 5, [2])])
        run = classify(connection, IDENTIFIER)
        reads: list[int] = []
        plain = collection.read_edges
        monkeypatch.setattr(collection, "read_edges", lambda given, **how: reads.append(1) or plain(given, **how))
        kept, let_go = graph_input.LoadedRun(connection, run), graph_input.LoadedRun(connection, run, one_graph=True)
        reads.clear()
        few, all_listen = graph_input.ClampLimits(0, 0.0, 0), graph_input.ClampLimits(10**6, 1.0, 10**6)
        for listening, asked, expected in (
            (few, [], 0),
            (few, [], 0),  # the graph that there is
            (few, [4], 1),
            (all_listen, [4], 2),
            (None, [], 3),
            (all_listen, [4], 3),
        ):
            graphs = [
                one.make_input(requested=np.array(asked, np.int64), limits=listening).graph for one in (kept, let_go)
            ]
            assert len(reads) == expected
            for name in ("n", "pages", "source", "target", "kind", "hreflang", "ordinal", "leaves"):
                of_kept, of_other = (getattr(graph, name) for graph in graphs)
                assert np.array_equal(of_kept, of_other), name
