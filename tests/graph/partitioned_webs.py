"""Small collections to cut into partitions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import Evidence, Graph, Signal
from graphlang.graph.partitioned.partition import Partition

if TYPE_CHECKING:
    from local_driver import Run

CODES = tuple(f"q{letter}a" for letter in "abcdef")
SITE = 40  #: pages of a host


def web(seed: int, hosts: int = 6, within: float = 0.85) -> tuple[Graph, Evidence]:
    """Hosts of two languages each; a third of the pages is short or empty; links within hosts and between them.

    Of the long pages one in ten is in both languages.
    """
    rng = np.random.default_rng(seed)
    n, m = SITE * hosts, 6 * SITE * hosts
    host = np.arange(n, dtype=np.int32) // SITE
    truth = np.where(rng.random(n) < 0.2, host + 1, host) % len(CODES)
    source = rng.integers(0, n, m)
    near = source // SITE * SITE + rng.integers(0, SITE, m)
    target = np.where(rng.random(m) < within, near, rng.integers(0, n, m))
    kind = rng.choice(np.array([7, 7, 7, 6, 3, 1], np.uint8), m)
    ends = source.astype(np.int32), target.astype(np.int32)
    hreflang = np.where(rng.random(m) < 0.05, truth[target], -1).astype(np.int16)
    graph = Graph(n, *ends, kind, hreflang, None, rng.permutation(m).astype(np.int16))
    length = np.where(rng.random(n) < 0.35, rng.integers(0, 40, n), 900).astype(np.int32)
    lists = np.stack([truth, (truth + 1) % len(CODES)], axis=1).astype(np.int16)
    scores = np.where(length[:, None] < 40, np.float32([0.45, 0.4]), np.float32([0.9, 0.05])).astype(np.float32)
    lists[length < 10], scores[length < 10], length[length < 10] = -1, 0, 0
    declared = np.where(rng.random(n) < 0.4, truth, -1)[:, None].astype(np.int16)
    signal = Signal(declared, (declared >= 0).astype(np.float32), 0.7)
    named = np.where(rng.random(n) < 0.3, rng.integers(0, len(CODES), n), -1)[:, None].astype(np.int16)
    url = Signal(named, (named >= 0) * np.float32(0.8))
    directory = host * 3 + rng.integers(0, 3, n).astype(np.int32)
    return graph, Evidence(CODES, lists, scores, length, host, directory, {"declared": signal, "url": url})


def partitions(graph: Graph, evidence: Evidence, number: np.ndarray, ids: np.ndarray) -> list[Partition]:
    """The collection in partitions, each with the links from and to its pages."""
    found = []
    for part in np.unique(number):
        rows = np.flatnonzero(number == part)
        some = (number[graph.source] == part) | (number[graph.target] == part)
        signals = {
            name: replace(one, languages=one.languages[rows], probabilities=one.probabilities[rows])
            for name, one in evidence.signals.items()
        }
        assert evidence.directory is not None
        assert graph.ordinal is not None
        found.append(
            Partition(
                evidence.codes,
                ids[rows],
                evidence.host[rows].astype(np.int64),
                evidence.directory[rows].astype(np.int64),
                evidence.languages[rows],
                evidence.probabilities[rows],
                evidence.length[rows],
                ids[graph.source[some]],
                ids[graph.target[some]],
                graph.kind[some],
                graph.hreflang[some],
                graph.ordinal[some],
                signals,
            )
        )
    return found


def answers(done: Run, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Language and probabilities of each page, in the order of the ids."""
    pages = np.concatenate(done.pages)
    order = np.argsort(pages)[np.argsort(np.argsort(ids))]
    languages = np.concatenate([found.languages for found in done.answers])[order]
    return languages, np.concatenate([found.probabilities for found in done.answers])[order]


def shuffled(part: Partition, seed: int) -> Partition:
    rng = np.random.default_rng(seed)
    rows, links = rng.permutation(len(part.pages)), rng.permutation(len(part.source))
    of_pages = ("pages", "host", "directory", "languages", "probabilities", "length")
    of_links = ("source", "target", "kind", "hreflang", "ordinal")
    signals = {
        name: replace(signal, languages=signal.languages[rows], probabilities=signal.probabilities[rows])
        for name, signal in part.signals.items()
    }
    return replace(
        part,
        signals=signals,
        **{name: getattr(part, name)[rows] for name in of_pages},
        **{name: getattr(part, name)[links] for name in of_links},
    )
