"""The search for weights: what it takes and what it leaves, by losses written down."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from graphlang.analysis.graph_input import GraphInput
from graphlang.analysis.progress import SILENT
from graphlang.analysis.propagate import SIGNALS
from graphlang.db import StoreError
from graphlang.db.runs.run import Run
from graphlang.evaluation import tune
from graphlang.evaluation.evaluate import Gold
from graphlang.graph.data import Evidence, Graph, Signal
from graphlang.graph.propagation.inference import Options


def test_the_defaults_are_those_of_the_shipped_file() -> None:
    shipped = json.loads((files("graphlang") / "data" / "weights.json").read_text(encoding="utf-8"))
    assert set(shipped) == set(tune.SEARCHED)
    assert {name: getattr(Options(), name, SIGNALS.get(name)) for name in shipped} == shipped


def test_a_gain_must_exceed_two_standard_errors_over_the_sites() -> None:
    before = np.array([1.0, 1.0, 1.0, 1.0])
    # gains 0.1, 0.2, 0.1, 0.2: mean 0.15, standard deviation 0.0577, standard error 0.0289
    assert tune._is_better(before - [0.1, 0.2, 0.1, 0.2], before)
    # gains 1, 0, 0, 0: mean 0.25, standard error 0.25
    assert not tune._is_better(before - [1, 0, 0, 0], before)
    assert not tune._is_better(before, before)
    assert not tune._is_better(before + 0.1, before)
    assert tune._is_better(before[:2] - [1, 0], before[:2])


def collection(sites: int, *, liar: bool) -> tuple[GraphInput, Gold]:
    """Sites of four pages, two of them long in German, a short one linked to both, and one without a link.

    A signal calls the short ones French; a liar is wrong (the reliability of a signal is learned from long pages, of
    which this one says nothing).
    """
    n = 4 * sites
    languages = np.full((n, 2), -1, np.int16)
    languages[0::4, 0] = languages[1::4, 0] = 0
    languages[2::4] = [0, 1]
    chances = np.where(languages >= 0, np.float32(0.95), np.float32(0))
    chances[2::4] = [0.5, 0.45]
    length = np.tile(np.array([1000, 1000, 10, 0], np.int32), sites)
    host = np.repeat(np.arange(sites, dtype=np.int32), 4)
    said = np.full((n, 1), -1, np.int16)
    said[2::4] = 1
    signal = Signal(said, (said >= 0).astype(np.float32))
    evidence = Evidence(("deu", "fra"), languages, chances, length, host, None, {"declared": signal})
    source = (np.arange(sites, dtype=np.int32) * 4).repeat(2)
    target = source + np.tile(np.array([1, 2], np.int32), sites)
    rest = (np.full(2 * sites, 7, np.uint8), np.full(2 * sites, -1, np.int16))
    run = Run(**dict.fromkeys(Run.__dataclass_fields__))  # type: ignore[arg-type]  nothing of it is looked at
    none, graph = np.zeros(n, np.bool_), Graph(n, source, target, *rest)
    of_rows = (none, none, np.arange(1, n + 1), ~none, np.full(n, -1), np.zeros(0, np.int64))
    seeds = GraphInput(run, graph, evidence, languages.astype(np.int32), {}, *of_rows)
    answer = "deu" if liar else "fra"
    gold = Gold([4 * i + k for i in range(sites) for k in (3, 4)], [answer] * (2 * sites), [""] * (2 * sites))
    return seeds, gold


START = dict.fromkeys(tune.SEARCHED, 1.0) | {"degree": 6.0}


def test_a_signal_that_lies_on_every_site_loses_its_weight() -> None:
    lying, honest = tune.tune([collection(6, liar=True)], START), tune.tune([collection(6, liar=False)], START)
    assert (lying.weights["declared"], honest.weights["declared"]) == (0.0, 1.5)
    assert (lying.sites, lying.pages) == (6, 6)  # pages without a link do not count
    assert lying.loss < lying.loss_before
    assert lying.held_out is not None
    assert lying.held_out_before is not None
    assert lying.held_out < lying.held_out_before


def test_sites_of_several_collections_are_different_sites() -> None:
    both = tune.tune([collection(2, liar=True), collection(3, liar=True)], START)
    assert (both.sites, both.pages, both.weights["declared"]) == (5, 5, 0.0)
    # where collections disagree, no weight is better for all
    torn = tune.tune([collection(3, liar=True), collection(3, liar=False)], START)
    assert 0 < torn.weights["declared"] < 1.5
    assert torn.sites == 6


def test_gold_that_is_not_there_is_told() -> None:
    seeds, _ = collection(2, liar=True)
    with pytest.raises(StoreError, match="none of the gold pages"):
        tune.tune([(seeds, Gold([1], ["swa"], [""]))], START, progress=SILENT)
