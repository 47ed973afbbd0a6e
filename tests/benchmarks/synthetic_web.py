"""A synthetic web of any size, for timings: what it is made of is stated here, and nothing about it is real.

Hosts have a power law of sizes, and so do the outlinks and inlinks of pages. A host has a main language, 92 % of its
pages have that; 95 % of the links keep the language, three in four stay on the host. Links are distinct and none leads
to its own page. 30 % of the pages are short and a third of those have no text at all; what the text alone says is right
for 70 % of the short pages and 99.9 % of the others.
"""

from __future__ import annotations

import numpy as np

from graphlang.graph.data import Evidence, Graph

ANCHOR = 7


def web(pages: int, links: int, languages: int = 30, seed: int = 1) -> tuple[Graph, Evidence, np.ndarray]:
    """Links, evidence and the true language of each page.

    Raises:
        ValueError: more links than so many pages have room for in this model.
    """
    rng = np.random.default_rng(seed)
    host = _hosts(rng, pages)
    hosts = int(host[-1]) + 1
    popular = np.sort(rng.dirichlet(np.full(languages, 0.5)))[::-1]
    main = rng.choice(languages, hosts, p=popular)
    truth = np.where(rng.random(pages) < 0.92, main[host], rng.choice(languages, pages, p=popular)).astype(np.int16)
    source, target = _links(rng, host, truth, links, languages)
    kinds, none = np.full(links, ANCHOR, np.uint8), np.full(links, -1, np.int16)
    return Graph(pages, source, target, kinds, none), _evidence(rng, host, truth, languages), truth


def _hosts(rng: np.random.Generator, pages: int) -> np.ndarray:
    sizes = np.ceil((rng.pareto(1.1, pages // 10 + 10) + 1) * 10).astype(np.int64)
    sizes = np.minimum(sizes, max(10, pages // 20))
    ends = np.cumsum(sizes)
    return np.searchsorted(ends, np.arange(pages), side="right").astype(np.int32)


def _links(
    rng: np.random.Generator, host: np.ndarray, truth: np.ndarray, links: int, languages: int
) -> tuple[np.ndarray, np.ndarray]:
    pages = len(host)
    eager = np.minimum(rng.pareto(1.8, pages) + 0.5, 50)  # how many outlinks, in proportion
    here = _Choice(host.astype(np.int64) * languages + truth)  # the pages of a host in one language
    alike, anywhere = _Choice(truth), _Choice(host)
    keys = np.zeros(0, np.int64)
    for attempt in range(8):
        wanted = int(1.1 * (links - len(keys)) * (1 + attempt)) + 100
        source = np.repeat(np.arange(pages, dtype=np.int32), rng.poisson(eager * (wanted / eager.sum())))
        draw = rng.random(len(source), np.float32)
        keep, home = draw < 0.89, rng.random(len(source), np.float32) < 0.75
        target = np.empty(len(source), np.int32)
        for part, choice in ((keep & home, here), (keep & ~home, alike), (~keep & home, anywhere)):
            target[part] = choice.draw(rng, source[part])
        wild = ~keep & ~home
        target[wild] = (pages * rng.random(int(wild.sum())) ** 3).astype(np.int32)
        del draw, keep, home
        ours = source != target
        fresh = source[ours].astype(np.int64) * pages + target[ours]
        del source, target, ours
        keys = np.concatenate([keys, fresh])
        del fresh
        keys.sort()
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
        if len(keys) >= links:
            break
    else:
        raise ValueError(f"{pages:,} pages have no room for {links:,} links")
    dropped = rng.choice(len(keys), len(keys) - links, replace=False)
    stays = np.ones(len(keys), bool)
    stays[dropped] = False
    keys = keys[stays]
    return (keys // pages).astype(np.int32), (keys % pages).astype(np.int32)


class _Choice:
    """A page of the same group, the first ones of a group far more often than the last."""

    def __init__(self, group: np.ndarray) -> None:
        self.order = np.argsort(group, kind="stable").astype(np.int32)
        ordered = group[self.order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        size = np.diff(np.append(starts, len(group)))
        self.start, self.size = np.empty(len(group), np.int32), np.empty(len(group), np.int32)
        self.start[self.order], self.size[self.order] = np.repeat(starts, size), np.repeat(size, size)

    def draw(self, rng: np.random.Generator, pages: np.ndarray) -> np.ndarray:
        place = self.size[pages] * rng.random(len(pages)) ** 2
        return self.order[self.start[pages] + place.astype(np.int32)]


def _evidence(rng: np.random.Generator, host: np.ndarray, truth: np.ndarray, languages: int) -> Evidence:
    pages = len(host)
    short = rng.random(pages) < 0.3
    silent = short & (rng.random(pages) < 0.33)
    length = np.where(short, rng.integers(5, 50, pages), rng.integers(300, 5000, pages)).astype(np.int32)
    length[silent] = 0
    right = rng.random(pages) < np.where(short, 0.7, 0.999)
    first = np.where(right, truth, rng.integers(0, languages, pages)).astype(np.int16)
    second = (np.where(right, first + 1, truth) % languages).astype(np.int16)
    second = np.where(second == first, (first + 1) % languages, second).astype(np.int16)
    scores = np.where(short, 0.6, 0.98).astype(np.float32)
    lists = np.stack([first, second], axis=1)
    chances = np.stack([scores, (1 - scores) * np.float32(0.7)], axis=1)
    lists[silent], chances[silent] = -1, 0
    return Evidence(tuple(f"q{i:02d}" for i in range(languages)), lists, chances, length, host)
