"""The kernels over lists of links, against counting by sets; and with the sanitisers of addresses and behaviour."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.graph import features, native
from graphlang.graph.evidence import Graph
from graphlang.graph.matrix import Links, canonical

SOURCE = Path(__file__).parents[2] / "graphlang" / "graph" / "_links.c"
FLAGS = ("-O1", "-g", "-std=c11", "-shared", "-fPIC", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
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
    assert links.common(np.arange(links.m), longest).tolist() == [
        [len(out[s] & out[t]), len(into[s] & into[t]), len(out[s] & into[t])] for s, t in sorted(distinct)
    ]


def test_a_graph_that_would_cost_too_much_compares_shorter_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    # a hub with 60 targets in a ring: comparing its list with those of all its targets is what costs
    links = links_of([(0, n) for n in range(1, 61)] + [(n, n % 60 + 1) for n in range(1, 61)], 61)
    everything = np.arange(links.m)
    assert features.Shape(links, everything).longest == features.LONGEST[0]
    monkeypatch.setattr(features, "LEAST", 600)
    monkeypatch.setattr(features, "AFFORDABLE", 0)
    shape = features.Shape(links, everything)
    assert shape.longest == 30
    common = shape.features(everything)[:, features.NAMES.index("common targets")]
    assert common[:60].tolist() == [0] * 60  # the hub's list is left out
    monkeypatch.setattr(features, "LEAST", 0)
    shape = features.Shape(links, everything)
    assert shape.longest == 0
    assert not shape.features(everything)[:, 9:].any()


def test_arrays_that_do_not_fit_are_refused() -> None:
    one, bounds = np.zeros(1, np.int32), np.array([0, 1], np.int64)
    for start, target in ((bounds[:1], one), (np.array([0, 2]), one), (np.array([1, 0, 1]), one), (bounds, one[:0])):
        with pytest.raises(ValueError, match="bounds"):
            native.reciprocal(start, target, bounds, one)
    with pytest.raises(ValueError, match="a page that is not there"):
        native.common(one, one + 1, bounds, one, bounds, one, 9)
    with pytest.raises(ValueError, match="a page that is not there"):
        native.origins(one, one + 1, bounds)
    with pytest.raises(ValueError, match="arrays of 1 and 0"):
        native.canonical(one, one[:0])


WORKOUT = """
import sys
from types import SimpleNamespace
import numpy as np
from graphlang.graph import native
native.find_spec = lambda name: SimpleNamespace(origin=sys.argv[1])
from graphlang.graph.evidence import Graph
from graphlang.graph.matrix import canonical
rng = np.random.default_rng(2004)
refused = 0
for n in (1, 2, 7, 60) * 60:
    m = int(rng.integers(0, 6 * n))
    ends = rng.integers(0, n, (2, m)).astype(np.int32)
    links = canonical(Graph(n, *ends, np.full(m, 7, np.uint8), np.full(m, -1, np.int16)))
    links.reciprocal()
    links.common(np.arange(links.m), int(rng.integers(0, 9)))
    wild = lambda a: a + (rng.random(len(a)) < 0.02) * rng.choice([1, -1, 9, 2**30, -2**30], len(a)).astype(a.dtype)
    try:
        start, into = wild(links.start), wild(links.into)
        native.origins(links.source, wild(links.target), into)
        native.reciprocal(start, wild(links.target), into, wild(links.origin))
        native.common(wild(links.source), wild(links.target), start, links.target, into, links.origin, 9)
    except ValueError:
        refused += 1
assert 0 < refused < 240, refused
print("went through", refused)
"""


def test_no_sanitiser_complains(tmp_path: Path) -> None:
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        pytest.skip("no C compiler")
    library = subprocess.run(
        [compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if not Path(library).exists():
        pytest.skip("this compiler has no sanitisers")
    built = tmp_path / "links.so"
    subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(built)], check=True)
    done = subprocess.run(
        [sys.executable, "-P", "-c", WORKOUT, str(built)],
        env={**os.environ, "LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("went through")
