"""The kernels of the graph on sound and on damaged arrays, for the sanitisers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph import adjacency
from graphlang.graph.data import Evidence, Graph
from graphlang.graph.native import belief_steps, couplings, language_tables
from graphlang.graph.native import link_order as link_order_kernels
from graphlang.graph.propagation import link_order
from graphlang.graph.propagation.compatibility import EdgeCompatibility
from graphlang.graph.propagation.edge_features import EdgeFeatures
from graphlang.graph.propagation.inference import propagate
from graphlang.graph.propagation.message_weights import compute_message_weights
from graphlang.graph.propagation.messages import Messages, classify_links, group_by_class, link_messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

TURNS = 30


def workout(seed: int) -> str:
    rng = np.random.default_rng(seed)
    refused = 0
    for _ in range(TURNS):
        n = int(rng.choice([1, 2, 7, 60]))
        rate = float(rng.choice([0, 0, 0.02]))
        for step in (walk, learn, speak, sort_broken_links, move, whole):
            try:
                step(rng, n, lambda array: bent(rng, array, rate))  # noqa: B023  called at once
            except ValueError:
                refused += 1
    assert 0 < refused < 4 * TURNS, refused
    return f"went through {refused}"


def bent(rng: Generator, array: Any, rate: float) -> Any:
    """An array of which some numbers are others."""
    wild = [1, -1, 9, 2**30, -(2**30), 2**15 - 1]
    if array.dtype == np.int64:
        wild += [2**40, -(2**62), 2**62]
    some = [w for w in wild if abs(w) <= np.iinfo(array.dtype).max]
    return np.where(rng.random(array.shape) < rate, rng.choice(some, array.shape), array).astype(array.dtype)


def web(rng: Generator, n: int) -> adjacency.SortedLinks:
    m = int(rng.integers(0, 6 * n))
    ends = rng.integers(0, n, (2, m)).astype(np.int32)
    ordinals = rng.choice(np.array([-32768, -1, 0, 1, 2, 3, 9, 32767], np.int16), m)
    return adjacency.sort_links(Graph(n, *ends, np.full(m, 7, np.uint8), np.full(m, -1, np.int16), None, ordinals))


def walk(rng: Generator, n: int, bend: Callable[[Any], Any]) -> None:
    links = web(rng, n)
    broken = replace(links, target=bend(links.target), in_source=bend(links.in_source), out_start=bend(links.out_start))
    broken.reciprocal()
    adjacency.find_first_links(bend(links.target), n)
    adjacency.order_by_target(broken.target, n)
    broken.find_incident(rng.random(n) < 0.5)
    key = rng.integers(0, 2**64, n, np.uint64)
    broken.draw(slice(0, links.m), rng.random(n) < 0.7, np.zeros(256, np.bool_), key, 2**63)
    adjacency.find_reached(bend(links.source), broken.target, rng.random(n) < 0.7)


def learn(rng: Generator, n: int, bend: Callable[[Any], Any]) -> None:
    links = web(rng, n)
    every = np.arange(links.m, dtype=np.int32)
    broken = replace(
        links,
        source=bend(links.source),
        target=bend(links.target),
        in_source=bend(links.in_source),
        in_start=bend(links.in_start),
    )
    longest = int(rng.integers(0, 9))
    EdgeFeatures(broken, bend(every), longest)
    shape = EdgeFeatures(links, bend(every), longest)
    shape._links = replace(links, source=bend(links.source), target=bend(links.target))
    shape.compute(bend(every))
    shape.log_odds(every, *np.ones((3, 14)))
    coupling = rng.random(links.m, np.float32)
    host = rng.integers(-1 if rng.random() < 0.1 else 0, n, n).astype(np.int32)
    of_links = (bend(links.source), bend(links.target), links.kind, coupling)
    tables = (np.zeros((2, n)), np.zeros(n), np.zeros(256), bend(np.ones(256, np.uint8)), np.zeros(256, np.bool_))
    couplings.couplings(0.1, 0.9, *of_links, bend(host), *tables, None, np.empty_like(coupling))
    compute_message_weights(links.source, bend(links.target), coupling, host, 2.0)


def speak(rng: Generator, n: int, bend: Callable[[Any], Any]) -> None:
    links = web(rng, n)
    order = np.argsort(links.target, kind="stable").astype(np.int32)
    host, every = rng.integers(0, n, n).astype(np.int32), np.arange(n, dtype=np.int32)
    coupling = rng.random(links.m, np.float32)
    level = rng.integers(0, 33, links.m).astype(np.uint8)
    start = adjacency.find_first_links(links.target, n)
    through_links = (bend(start), bend(order), bend(links.source), coupling, level)
    of_pages = (every, every, host)
    classes = group_by_class(classify_links(link_messages(*through_links, *of_pages), *of_pages, between=n))
    size = int(rng.integers(1, 9))
    even = np.full((n, size), 1 / size)
    model = EdgeCompatibility(
        links.source, links.target, links.kind, coupling, coupling, even * 0, even * 0, even, even
    )
    prior, senders = even.astype(np.float32), classes.sender
    kept = int(rng.integers(1, size + 1))
    slots = np.sort(np.argsort(rng.random((n, size)), axis=1)[:, :kept], axis=1).astype(np.int16)
    heard = Messages(model, prior, prior[:1], bend(slots))
    believed = np.full((n, kept + 1), 0.1, np.float32)
    at = bend(np.maximum(senders - 1, 0))
    said = heard.logs(
        bend(classes.group),
        classes.coupling,
        bend(senders),
        bend(senders),
        believed,
        at,
        to_target=bool(rng.integers(2)),
    )
    numbers = bend(np.arange(len(said)))
    broken = replace(classes, start=bend(classes.start))
    heard.accumulate(broken, [(numbers, said)], np.zeros((n, kept + 1)), np.zeros(n, np.uint8))


def sort_broken_links(rng: Generator, n: int, bend: Callable[[Any], Any]) -> None:
    links = web(rng, n)
    broken = replace(links, target=bend(links.target), out_start=bend(links.out_start))
    label, host = rng.integers(-1, 4, n).astype(np.int16), rng.integers(0, 3, n).astype(np.int32)
    for backwards in (False, True):
        several = rng.random(3) < 0.7
        link_order.list_contexts(broken, bend(label), bend(host), several, 4, backwards=backwards)
    page, context = rng.integers(0, n, (2, 3 * n)).astype(np.int32)
    start, cells, share = np.empty(n + 1, np.int64), np.empty(3 * n, np.int32), np.empty(3 * n)
    count = link_order_kernels.link_shares(n, bend(page), bend(context), start, cells, share, np.zeros(n, np.uint32))
    cells, share = bend(cells[:count]), share[:count]
    first, named, counts = np.empty(n + 1, np.int64), np.empty(count, np.int32), np.empty(count)
    known = link_order_kernels.link_counts(n, bend(start), cells, share, bend(label), first, named, counts, np.zeros(4))
    given = (bend(start), cells, share, bend(first), bend(named[:known]), counts[:known])
    link_order_kernels.link_ratios(n, n, *given, bend(np.arange(n)), np.zeros((n, 4)))


def move(rng: Generator, n: int, bend: Callable[[Any], Any]) -> None:
    size, ranks = (int(number) for number in rng.integers(1, 40, 2))
    languages, column = rng.integers(-1, 9, (n, ranks)).astype(np.int16), rng.integers(-1, size, 9).astype(np.int16)
    table, largest, sums = np.empty((n, size), np.float32), np.empty(n, np.float32), np.zeros(size)
    language_tables.score_table(bend(languages), rng.random((n, ranks), np.float32), bend(column), table)
    language_tables.row_maxima(table, largest)
    language_tables.best_columns(table, np.empty((n, int(rng.integers(0, size + 1))), np.int64))
    language_tables.column_sums(table, sums)
    numbers, logs = bend(np.flatnonzero(rng.random(n) < 0.5)), np.empty((n, size), np.float32)
    logs = logs[: len(numbers)]
    belief_steps.neighbour_log_odds(8.0, numbers, rng.normal(0, 9, (n, size)), largest[: len(numbers)], None, logs)
    belief, last, damping = np.zeros((n + 1, size), np.float32), table.copy(), np.zeros(n, np.float32)
    made = np.zeros((n + 1, size), np.float32), np.empty(len(numbers), np.uint8), np.empty(1, np.float32)
    belief_steps.move_beliefs(1e-3, 0.3, -0.2, 0.9, numbers, logs, belief, last, damping, *made)


def whole(rng: Generator, n: int, bend: Callable[[Any], Any]) -> None:  # noqa: ARG001  sound arrays: nothing is refused
    links = web(rng, n)
    graph = Graph(n, links.source, links.target, links.kind, links.hreflang, None, links.ordinal)
    languages = rng.integers(-1, 40, (n, 1)).astype(np.int16)
    scores = np.where(languages >= 0, rng.random((n, 1)), 0).astype(np.float32)
    length = np.where(languages[:, 0] >= 0, rng.integers(1, 500, n), 0).astype(np.int32)
    codes = tuple(f"q{number}" for number in range(40))
    answer = propagate(graph, Evidence(codes, languages, scores, length, rng.integers(0, 3, n).astype(np.int32)))
    assert np.isfinite(answer.probabilities).all()
