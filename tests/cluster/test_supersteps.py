"""The tasks of a cluster, one after the other in one process, do what `local_driver` does."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyarrow")

import numpy as np

from graphlang.cluster import parcels, steps
from graphlang.cluster.arrays import number_labels
from graphlang.cluster.parcels import (
    ASKED,
    BESIDE,
    COUNTS,
    FACTS,
    LINKS,
    MOTION,
    MOVED,
    OBSERVED,
    PARTITION,
    PREPARED,
    READY,
    ROUTES,
    STATE,
    SURVEY,
)
from graphlang.graph.options import Options
from graphlang.graph.partitioned import list_counts
from graphlang.graph.partitioned.learning import join_samples, learn, merge_surveys
from graphlang.graph.partitioned.partition import Cut

sys.path.append(str(Path(__file__).parents[1] / "graph"))
from local_driver import run
from partitioned_webs import partitions, web

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.graph.partitioned.partition import Partition

    Rows = list[dict[str, Any]]


def to(rows: Rows, number: int) -> Any:
    return parcels.make_table([row for row in rows if row["partition"] == number])


def of(rows: Rows, *senders: int) -> Rows:
    return [row for row in rows if row["sender"] in senders]


def between(rows: Rows, least: int, beyond: int) -> Rows:
    return [row for row in rows if least <= row["sender"] < beyond]


def every(work: Callable[..., Any], given: Any, *rows: Rows) -> Rows:
    """The rows that all partitions answer theirs with."""
    numbers = sorted({row["partition"] for row in rows[0]})
    return [row for one in numbers for row in work(given, *(to(some, one) for some in rows)).to_pylist()]


def for_driver(rows: Rows, sender: int) -> list[Any]:
    some = of(rows, sender)
    return [parcels.open_parcels(to(some, number))[sender] for number in sorted({row["partition"] for row in some})]


def make_rows(parts: list[Partition]) -> Rows:
    owner = {page: number for number, part in enumerate(parts) for page in part.pages.tolist()}
    rows: Rows = []
    for number, part in enumerate(parts):
        none = np.zeros(len(part.pages), np.bool_)
        ghosts = part.ghosts()
        beside = {
            "ghosts": ghosts,
            "homes": np.int32([owner[page] for page in ghosts.tolist()]),
            "labels": part.languages,
            "no_letters": none,
            "unknown": none,
            "characters": part.length,
            "read": ~none,
            "default_labels": np.zeros((len(part.pages), 0), np.int16),
        }
        rows += parcels.make_parcel(number, PARTITION, part) + parcels.make_parcel(number, BESIDE, beside)
    return rows


def prepare_rows(own: Rows, given: dict[str, Any]) -> tuple[Rows, steps.Shared]:
    begun = every(steps.survey_partition, steps.Shared(**given), own)
    given["survey"] = merge_surveys(for_driver(begun, SURVEY))
    met = every(steps.meet_neighbours, steps.Shared(**given), own, between(begun, 0, LINKS))
    places = between(met, 0, LINKS)
    near = between(met, -99, 0) + every(steps.find_links, steps.Shared(**given), own, between(met, ASKED, 2 * ASKED))
    given["counts"] = list_counts.add_list_counts(
        for_driver(every(steps.count_contexts, steps.Shared(**given), own, places), COUNTS)
    )
    seen = every(steps.observe_partition, steps.Shared(**given), own, near + places)
    given["learned"] = learn(given["survey"], join_samples(for_driver(seen, OBSERVED)), given["cut"])
    near += of(seen, parcels.ORDERED)
    return every(steps.make_ready, steps.Shared(**given), own, near), steps.Shared(**given)


def test_tasks_take_the_supersteps_of_the_local_driver_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "SNAPSHOTS", {2, 4})
    graph, evidence = web(1)
    ids = np.random.default_rng(1).permutation(graph.n).astype(np.int64)
    number = np.where(evidence.host == 0, 0, 1 + evidence.host % 2)
    # partition 0 has no border: it is settled from the first superstep on, and stands where it stood
    kept = (number == 0)[graph.source] == (number == 0)[graph.target]
    columns = {name: getattr(graph, name)[kept] for name in ("source", "target", "kind", "hreflang", "ordinal")}
    parts = [one.sort() for one in partitions(replace(graph, **columns), evidence, number, ids)]
    done = run(parts)
    options, named = Options(), number_labels([f"{code}_Latn" for code in evidence.codes], {})
    told = {"labels": named, "weights": {}, "options": options, "cut": Cut(), "most_links": 10**6}
    said, given = prepare_rows(make_rows(parts), told)
    assert [one["most"] for one in for_driver(said, MOVED)] == [0, 1, 1]
    said = every(steps.prepare_partition, given, of(said, READY, ROUTES, FACTS), between(said, 0, LINKS))
    own, moved = of(said, PREPARED, ROUTES, FACTS, MOTION), []
    for superstep in range(1, done.supersteps + 1):
        news = between(said, 0, LINKS) + of(said, STATE)
        said = every(partial(steps.take_superstep, options), superstep, own, news)
        moved.append(max(one["most"] for one in for_driver(said, MOVED)))
        stood = of(said, MOTION)
        assert len(stood) == (3 if superstep in {2, 4} else 0)
        if stood:
            own = [row for row in own if row["sender"] != MOTION] + stood
    assert done.supersteps > 4
    assert moved == list(done.moved)
    for state, step in zip(for_driver(said, STATE), done.steps, strict=True):
        assert state["sent"].data.tobytes() == step.border.data.tobytes()
    answered = every(steps.answer_partition, given, own, between(said, 0, LINKS) + of(said, STATE))
    found = {row["page"]: (row["label"], row["confidence"]) for row in answered}
    names = np.array(named.names)
    for pages, answer in zip(done.pages, done.answers, strict=True):
        labels, sure = zip(*(found[page] for page in pages.tolist()), strict=True)
        assert list(labels) == names[answer.language].tolist()
        assert list(sure) == pytest.approx(answer.confidence.tolist(), abs=1e-6)
