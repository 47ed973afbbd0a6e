"""The kernels over lists of links, against counting by sets; and with the sanitisers of addresses and behaviour."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.graph import features, native
from graphlang.graph.evidence import Graph
from graphlang.graph.matrix import Links, canonical

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parents[2] / "graphlang" / "graph"
SOURCES = [FOLDER / f"_{name}.c" for name in ("links", "shape", "shares", "voices", "messages")]
PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=40)


def links_of(pairs: list[tuple[int, int]], n: int = 9) -> Links:
    ends = np.array(pairs, np.int32).reshape(-1, 2)
    m = len(ends)
    return canonical(Graph(n, ends[:, 0], ends[:, 1], np.full(m, 7, np.uint8), np.full(m, -1, np.int16)))


@given(PAIRS, st.integers(0, 6))
def test_what_the_ends_of_links_have_in_common(pairs: list[tuple[int, int]], longest: int) -> None:
    distinct = {(s, t) for s, t in pairs if s != t}
    links = links_of(pairs)
    assert list(zip(links.source.tolist(), links.target.tolist(), strict=True)) == sorted(distinct)
    assert links.reciprocal().tolist() == [(t, s) in distinct for s, t in sorted(distinct)]
    outs = {p: {t for s, t in distinct if s == p} for p in range(9)}
    ins = {p: {s for s, t in distinct if t == p} for p in range(9)}
    assert [links.origin[links.into[p] : links.into[p + 1]].tolist() for p in range(9)] == [
        sorted(ins[p]) for p in range(9)
    ]
    out, into = ({p: found if len(found) <= longest else set() for p, found in lists.items()} for lists in (outs, ins))
    everything = np.arange(links.m)
    shape = features.Shape(links, everything)
    shape._graph.longest = longest
    found = shape.features(everything)
    expected = []
    for s, t in sorted(distinct):
        targets, sources, detours = len(out[s] & out[t]), len(into[s] & into[t]), len(out[s] & into[t])
        degrees = [len(outs[s]), len(ins[t]), len(outs[t]), len(ins[s])]
        mutual = [len(outs[p] & ins[p]) for p in (s, t)]
        expected.append(
            [
                float((t, s) in distinct),
                *np.log1p([*degrees, *mutual]),
                *np.abs(np.log1p(degrees[:2]) - np.log1p(degrees[2:])),
                *np.log1p([targets, sources, detours]),
                targets / max(1, len(outs[s]) + len(outs[t]) - targets),
                sources / max(1, len(ins[s]) + len(ins[t]) - sources),
            ]
        )
    assert found == pytest.approx(np.array(expected).reshape(-1, 14), abs=1e-6)
    middle, width, weights = np.linspace(-1, 1, 14, dtype=np.float32), np.full(14, 0.3, np.float32), np.arange(14.0)
    odds = np.clip((found - middle) / width, -4, 4) @ weights
    assert shape.odds(everything, middle, width, weights) == pytest.approx(odds, abs=1e-4)


@given(PAIRS, st.lists(st.booleans(), min_size=9, max_size=9))
def test_evidence_reaches_along_chains_of_links(pairs: list[tuple[int, int]], silent: list[bool]) -> None:
    ends = np.array(pairs, np.int32).reshape(-1, 2)
    heard = {page for page in range(9) if not silent[page]}
    for _ in range(9):
        heard |= {a for pair in pairs for a, b in (pair, pair[::-1]) if b in heard}
    found = native.reached(ends[:, 0].copy(), ends[:, 1].copy(), np.array(silent))
    assert found.tolist() == [page in heard and silent[page] for page in range(9)]


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    links = links_of([tuple(pair) for pair in rng.integers(0, 60, (900, 2)).tolist()], 60)
    everything = np.arange(links.m)
    alone = features.Shape(links, everything).features(everything)
    monkeypatch.setattr(native, "LEAST", 100)
    monkeypatch.setattr(native, "cores", lambda: 3)
    assert len(native.shares(links.m)) == 3
    assert (features.Shape(links, everything).features(everything) == alone).all()
    steps = features.Shape(links, everything)._steps(everything)
    monkeypatch.setattr(features, "LEAST", steps)
    monkeypatch.setattr(features, "AFFORDABLE", 0)
    assert features.Shape(links, everything).longest == features.LONGEST[0]


def test_a_graph_that_would_cost_too_much_compares_shorter_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    # a ring of 60 pages that all link to a hub: looking through the hub's list for each of these links is what costs
    links = links_of([(n, 0) for n in range(1, 61)] + [(n, n % 60 + 1) for n in range(1, 61)], 61)
    everything = np.arange(links.m)
    assert features.Shape(links, everything).longest == features.LONGEST[0]
    monkeypatch.setattr(features, "LEAST", 600)
    monkeypatch.setattr(features, "AFFORDABLE", 0)
    shape = features.Shape(links, everything)
    assert shape.longest == 30
    to_hub = links.target == 0
    detours = features.NAMES.index("detours")  # from each page over the next one to the hub
    assert not shape.features(everything)[to_hub, detours].any()  # the hub's list is left out
    monkeypatch.setattr(features, "LEAST", 0)
    shape = features.Shape(links, everything)
    assert shape.longest == 0
    assert not shape.features(everything)[:, 9:].any()


def test_arrays_that_do_not_fit_are_refused() -> None:
    one, bounds = np.zeros(1, np.int32), np.array([0, 1], np.int64)
    for start, target in ((bounds[:1], one), (np.array([0, 2]), one), (np.array([1, 0, 1]), one), (bounds, one[:0])):
        with pytest.raises(ValueError, match="bounds"):
            native.reciprocal(start, target, bounds, one)
    shape = features.Shape(links_of([(0, 1)]), one)
    for numbers in (one + 1, one - 1):
        with pytest.raises(ValueError, match="a link that is not there"):
            shape.features(numbers)
    with pytest.raises(ValueError, match="of 14 features"):
        shape.odds(one, np.ones(3, np.float32), np.ones(14, np.float32), np.ones(14))
    with pytest.raises(ValueError, match="a page that is not there"):
        native.order(one + 1, bounds)
    with pytest.raises(ValueError, match="a page that is not there"):
        native.origins(one, one + 1, bounds)
    with pytest.raises(ValueError, match="arrays of 1 and 0"):
        native.canonical(one, one[:0])


WORKOUT = """
import sys
from dataclasses import replace
from types import SimpleNamespace
import numpy as np
from graphlang.graph import native
native.find_spec = lambda name: SimpleNamespace(origin=f"{sys.argv[1]}/{name.rpartition('.')[2]}.so")
from graphlang.graph.couplings import Couplings
from graphlang.graph.evidence import Graph
from graphlang.graph.features import Shape
from graphlang.graph.matrix import canonical
from graphlang.graph.messages import Messages
from graphlang.graph.shares import shares
from graphlang.graph.voices import voices
rng = np.random.default_rng(2004)
refused = 0
for n in (1, 2, 7, 60) * 90:
    m = int(rng.integers(0, 6 * n))
    ends = rng.integers(0, n, (2, m)).astype(np.int32)
    links = canonical(Graph(n, *ends, np.full(m, 7, np.uint8), np.full(m, -1, np.int16)))
    host = rng.integers(0, n, n).astype(np.int32)
    bond = rng.random(links.m, np.float32)
    order = np.argsort(links.target, kind="stable").astype(np.int32)
    rate = float(rng.choice([0, 0, 0.02]))
    def wild(a):
        return a + (rng.random(len(a)) < rate) * rng.choice([1, -1, 9, 2**30, -2**30], len(a)).astype(a.dtype)
    try:
        bent = replace(links, target=wild(links.target), origin=wild(links.origin), start=wild(links.start))
        native.origins(links.source, bent.target, wild(links.into))
        native.order(bent.target, wild(links.into))
        native.reached(links.source, bent.target, rng.random(n) < 0.7)
        shape = Shape(bent, wild(np.arange(links.m)))
        shape._graph.longest = int(rng.integers(0, 9))
        shape.features(wild(np.arange(links.m)))
        shape.odds(np.arange(links.m), *np.ones((3, 14)))
        shares(links.source, bent.target, bond, wild(host), 2.0)
        levels = rng.integers(0, 33, links.m).astype(np.uint8)
        through = (wild(order), wild(links.target), wild(links.source), bond, host[links.source], levels)
        every = np.arange(n, dtype=np.int32)
        heard = voices(*through, every, host, every)
        size = int(rng.integers(1, 9))
        even = np.full((n, size), 1 / size)
        model = Couplings(bond, bond, links.source, np.zeros(n), even, even)
        prior, senders = even.astype(np.float32), heard.sender
        kept = int(rng.integers(1, size + 1))
        slots = np.sort(np.argsort(rng.random((n, size)), axis=1)[:, :kept], axis=1).astype(np.int16)
        through = Messages(model, prior, prior[:1], slots)
        believed = np.full((n, kept + 1), 0.1, np.float32)
        given = (wild(heard.host), heard.bond, wild(senders), wild(senders), believed, wild(np.maximum(senders - 1, 0)))
        said = through.logs(*given, inward=bool(n % 2))
        sums = np.zeros((n, kept + 1)), np.zeros(n, np.uint8)
        through.hear(heard, wild(np.arange(len(said))), said, *sums)
    except ValueError:
        refused += 1
assert 0 < refused < 240, refused
print("went through", refused)
"""


def test_no_sanitiser_complains(sanitised: Callable[..., str]) -> None:
    assert sanitised(SOURCES, WORKOUT).startswith("went through")
