"""Links between sites, and how far sites keep to their own language (Caminero and Mikami 2006)."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.db import collection
from graphlang.maps.graph_measures import LinkIndex, compute_betweenness, compute_shapes, count_steps_between
from graphlang.maps.sites import list_sites
from graphlang.maps.web_graph import find_selected_pages, number_sites

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.maps.graph_measures import Shape
    from graphlang.maps.selection import Selection
    from graphlang.maps.sites import Site

#: Pages of a site's largest component up to which its diameter is exact; above, it is a lower bound.
EXACT: Final = 256
#: Distances are those between this many sites, the ones with the most pages, by paths over all sites.
NEAR: Final = 1_000


class SiteLinks(NamedTuple):
    """A site and its links to other sites."""

    site: str
    language: str  #: the commonest
    pages: int
    links_out: int  #: links between pages, to other sites
    links_in: int
    sites_out: int  #: different sites that it links to
    sites_in: int
    introversion: float  #: share of ``links_out`` that lead to sites of the same language
    extroversion: float  #: the rest
    betweenness: float  #: how often it lies on the shortest paths between two others, 0 to 1: an intermediary site
    components: int  #: strongly connected components of its pages, by the links between them
    largest: int  #: pages in the largest
    diameter: int  #: longest shortest path in the largest component; of large ones a lower bound, found by sweeps


class SitePair(NamedTuple):
    """Links from the pages of one site to those of another."""

    source: str
    target: str
    links: int
    share: float  #: of all links of the source to other sites
    source_language: str
    target_language: str


class SiteDistance(NamedTuple):
    """The shortest path from one site to another along outgoing links."""

    source: str
    target: str
    steps: int


class SiteGraph(NamedTuple):
    """Sites and the links between them; numbers are places in ``sites``."""

    sites: list[SiteLinks]  #: the most pages first
    link_index: LinkIndex
    links: NDArray[np.int64]  #: how many links between pages each pair has, in order of source and target
    pairs: NDArray[np.int64]  #: of which sites; shape (pairs, 2)
    followed: int  #: number of sites that the betweenness is computed from; an estimate unless these are all


def read_site_graph(
    connection: sqlite3.Connection, selection: Selection, *, unit: str = "domain", measures: bool = True
) -> SiteGraph:
    """Count the sites that count, and the links between them.

    The components are those of all pages that count, whether they were fetched or only linked to.
    """
    sites = sorted(list_sites(connection, unit, selection, unfetched=True), key=lambda site: (-site.pages, site.site))
    rank = {site.site: number for number, site in enumerate(sites)}
    (source, target, links), shape = count_site_links(connection, selection, rank, unit, measures=measures)
    index = LinkIndex(len(sites), source, target)
    between, followed = compute_betweenness(index) if measures else (np.zeros(len(sites)), len(sites))
    _, language = np.unique([site.language for site in sites] or [""], return_inverse=True)
    same = np.where(language[source] == language[target], links, 0)

    def sum_by_site(at: NDArray[np.int64], weights: NDArray[np.int64] | None) -> list[int]:
        sums: list[int] = np.bincount(at, weights=weights, minlength=len(sites)).astype(np.int64).tolist()
        return sums

    counts = (
        *(sum_by_site(source, links), sum_by_site(target, links), sum_by_site(source, None), sum_by_site(target, None)),
        *(sum_by_site(source, same), between.tolist()),
    )
    shapes: Sequence[tuple[int, int, int]] = shape or [(0, 0, 0)] * len(sites)
    rows = [
        _make_row(site, numbers, site_shape) for site, site_shape, *numbers in zip(sites, shapes, *counts, strict=True)
    ]
    return SiteGraph(rows, index, links, np.stack((source, target), axis=1), followed)


class SiteLinkCounts(NamedTuple):
    """Number of links for each pair of sites, in order of both; sites are numbers."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    links: NDArray[np.int64]


@singledispatch
def count_site_links(
    connection: Any, selection: Selection, rank: Mapping[str, int], unit: str, *, measures: bool
) -> tuple[SiteLinkCounts, list[Shape]]:
    """Count the links between sites, and measure the components of each."""
    numbers, names = number_sites(connection, unit)
    of_name = np.array([rank.get(name, -1) for name in names], dtype=np.int32)
    of_page = np.where(find_selected_pages(connection, selection), of_name[numbers], np.int32(-1))
    pairs, inside = _count_links(connection, of_page, len(rank), keep=measures)
    return SiteLinkCounts(*pairs), compute_shapes(of_page, len(rank), *inside, exact=EXACT) if measures else []


def _make_row(site: Site, numbers: list[Any], shape: tuple[int, int, int]) -> SiteLinks:
    links_out, links_in, sites_out, sites_in, same, between = numbers
    inner = same / links_out if links_out else 0.0
    outer = 1 - inner if links_out else 0.0
    links = links_out, links_in, sites_out, sites_in
    return SiteLinks(site.site, site.language, site.pages, *links, inner, outer, between, *shape)


def list_site_pairs(graph: SiteGraph) -> Iterator[SitePair]:
    """Yield pairs of sites with links from the first to the second."""
    for (source, target), links in zip(graph.pairs.tolist(), graph.links.tolist(), strict=True):
        begin, end = graph.sites[source], graph.sites[target]
        yield SitePair(begin.site, end.site, links, links / begin.links_out, begin.language, end.language)


def list_site_distances(graph: SiteGraph) -> Iterator[SiteDistance]:
    """Yield exact distances between the `NEAR` sites with the most pages, where a path connects them."""
    names = [site.site for site in graph.sites]
    for source, target, steps in count_steps_between(graph.link_index, np.arange(min(NEAR, len(names)))):
        yield SiteDistance(names[source], names[target], steps)


def _count_links(
    connection: sqlite3.Connection, of_page: NDArray[np.int32], size: int, *, keep: bool
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], list[NDArray[np.int32]]]:
    """Count links between different sites; with ``keep`` also list those within sites."""
    keys, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    inside = [np.zeros((2, 0), dtype=np.int32)]
    for source, target in collection.read_link_ends(connection):
        source_site, target_site = of_page[source], of_page[target]
        counted = (source_site >= 0) & (target_site >= 0)
        across = counted & (source_site != target_site)
        pairs = np.unique(source_site[across].astype(np.int64) * size + target_site[across], return_counts=True)
        keys.append(pairs[0])
        counts.append(pairs[1])
        if keep:
            inside.append(np.stack((source, target))[:, counted & ~across])
    distinct, place = np.unique(np.concatenate(keys), return_inverse=True)
    links = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(links, place, np.concatenate(counts))
    begins, ends = np.divmod(distinct, max(size, 1))
    return (begins, ends, links), list(np.concatenate(inside, axis=1))
