"""The language graph of a collection: which languages link to which.

After R. G. Caminero and Y. Mikami, "Links between languages on the Web" (2006; see also "Languages of the World Wide
Web", 2011): pages are grouped by language, and links between pages of different sites become links between
languages. Links within a site show how it is built, so only links between sites count here.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.codes import languages
from graphlang.db import collection
from graphlang.maps.graph_measures import LinkIndex, compute_betweenness, compute_shapes, count_steps_between
from graphlang.maps.web_graph import number_sites

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.maps.graph_measures import Shape
    from graphlang.maps.selection import Selection

#: Pages of a component up to which its diameter is exact; above, it is a lower bound, found by sweeps.
EXACT: Final = 2_000
_NO_LANGUAGE: Final = (languages.UND, languages.ZXX)


class Pair(NamedTuple):
    """Links from pages in a language to pages in a language, which may be the same."""

    source: str
    target: str
    links: int  #: between pages of different sites
    share: float  #: of all off-site links of the source language


class Language(NamedTuple):
    """A language as a node of the graph."""

    language: str
    name: str
    pages: int
    links_out: int  #: off-site links of its pages, to pages in any language
    links_in: int
    introversion: float  #: share of them that stay in the language
    extroversion: float  #: share that leads to others
    betweenness: float  #: how often it lies on the shortest paths between two others, 0 to 1: an intermediary language
    components: int  #: strongly connected components of its pages, by all links between them
    largest: int  #: pages in the largest
    diameter: int  #: longest shortest path in the largest component; of large ones a lower bound, found by sweeps


class LanguageGraph(NamedTuple):
    """Languages and the links between them."""

    languages: list[Language]  #: the most pages first
    pairs: list[Pair]  #: in order of source and target by pages


def read_language_graph(
    connection: sqlite3.Connection, selection: Selection, *, unit: str = "domain", components: bool = True
) -> LanguageGraph:
    """Count links between languages: those of fetched pages that count, and their targets."""
    return read_first_graph(connection, selection, (unit,), components=components)[1]


def read_first_graph(
    connection: sqlite3.Connection, selection: Selection, units: Sequence[str], *, components: bool = True
) -> tuple[str, LanguageGraph]:
    """Return the language graph of the first of these units that has links, else of the last, and that unit."""
    unit, names, pages, (begins, ends, links), shape = count_language_links(
        connection, selection, units, components=components
    )
    out = np.bincount(begins, weights=links, minlength=len(names)).astype(np.int64)
    into = np.bincount(ends, weights=links, minlength=len(names)).astype(np.int64)
    inner = np.bincount(begins[begins == ends], weights=links[begins == ends], minlength=len(names))
    pairs = [
        Pair(names[i], names[j], count, count / int(out[i]))
        for i, j, count in zip(begins.tolist(), ends.tolist(), links.tolist(), strict=True)
    ]
    between = compute_betweenness(LinkIndex(len(names), begins, ends))[0]
    nodes = []
    for number, language in enumerate(names):
        total = int(out[number])
        inner_share = float(inner[number] / total) if total else 0.0
        nodes.append(
            Language(
                *(language, languages.name(language), int(pages[number]), total, int(into[number])),
                *(inner_share, 1 - inner_share if total else 0.0, float(between[number])),
                *(shape[number] if shape else (0, 0, 0)),
            )
        )
    return unit, LanguageGraph(nodes, pairs)


class LinkCounts(NamedTuple):
    """Number of links for each pair of languages, sorted by both."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    links: NDArray[np.int64]


class LanguageLinks(NamedTuple):
    """Languages as numbers, with their pages and links."""

    unit: str  #: the first that has links
    names: list[str]  #: codes by number, the most pages first, equals by code
    pages: NDArray[np.int64]  #: of each language
    links: LinkCounts
    shape: list[Shape]  #: of each language; empty if not requested


@singledispatch
def count_language_links(
    connection: Any, selection: Selection, units: Sequence[str], *, components: bool
) -> LanguageLinks:
    """Count the pages of languages, and their links by the first of these units that has any."""
    language_of_page, names, pages = _read_page_languages(connection, selection)
    unit, counts, same = _count_links(connection, units, language_of_page, len(names), keep=components)
    shape = compute_shapes(language_of_page, len(names), *same, exact=EXACT) if components else []
    return LanguageLinks(unit, names, pages, counts, shape)


class _Links(NamedTuple):
    """Links between pages; rows are page id - 1."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]


def _count_links(
    connection: sqlite3.Connection, units: Sequence[str], language_of_page: NDArray[np.int32], size: int, *, keep: bool
) -> tuple[str, LinkCounts, _Links]:
    """Count links between languages by the first unit that has any; with ``keep`` also list those within languages."""
    sites = {unit: number_sites(connection, unit)[0] for unit in units if unit != "page"}
    tried = list(units)
    parts: dict[str, list[LinkCounts]] = {unit: [] for unit in units}
    same: list[_Links] = []
    for all_sources, all_targets in collection.read_link_ends(connection):
        counted = (language_of_page[all_sources] >= 0) & (language_of_page[all_targets] >= 0)
        source, target = all_sources[counted], all_targets[counted]
        source_language, target_language = language_of_page[source], language_of_page[target]
        if keep:
            same.append(_Links(source[source_language == target_language], target[source_language == target_language]))
        for unit in tried:
            number = sites.get(unit)
            across_sites = source != target if number is None else number[source] != number[target]
            if across_sites.any():
                parts[unit].append(
                    _sum_links(
                        source_language[across_sites],
                        target_language[across_sites],
                        np.ones(int(across_sites.sum()), dtype=np.int64),
                        size,
                    )
                )
        # Units after the first one with links are not needed any more.
        tried = tried[: next((place + 1 for place, unit in enumerate(tried) if parts[unit]), len(tried))]
    unit = tried[-1]
    begins, ends, links = map(np.concatenate, zip(_NO_COUNTS, *parts[unit], strict=True))
    same_links = _Links(*map(np.concatenate, zip(_NO_LINKS, *same, strict=True)))
    return unit, _sum_links(begins, ends, links, size), same_links


_NO_COUNTS: Final = LinkCounts(*[np.zeros(0, dtype=np.int64)] * 3)
_NO_LINKS: Final = _Links(*[np.zeros(0, dtype=np.int32)] * 2)


def _sum_links(source: NDArray[Any], target: NDArray[Any], links: NDArray[np.int64], size: int) -> LinkCounts:
    """Sum the links of each pair of languages."""
    keys, place = np.unique(source.astype(np.int64) * (size + 1) + target, return_inverse=True)
    begins, ends = np.divmod(keys, size + 1)
    sums = np.zeros(len(keys), dtype=np.int64)
    np.add.at(sums, place, links)
    return LinkCounts(begins, ends, sums)


class Distance(NamedTuple):
    """The shortest path from a language to another along outgoing off-site links."""

    source: str
    target: str
    steps: int


def list_distances(graph: LanguageGraph) -> Iterator[Distance]:
    """Yield the distances between languages that a path connects, in order of their codes."""
    names = sorted(source.language for source in graph.languages)
    number = {name: place for place, name in enumerate(names)}
    links = np.array([(number[pair.source], number[pair.target]) for pair in graph.pairs], dtype=np.int64).reshape(
        -1, 2
    )
    index = LinkIndex(len(names), links[:, 0], links[:, 1])
    for source, target, steps in count_steps_between(index, np.arange(len(names))):
        yield Distance(names[source], names[target], steps)


def _read_page_languages(
    connection: sqlite3.Connection, selection: Selection
) -> tuple[NDArray[np.int32], list[str], NDArray[np.int64]]:
    """Read the language of each page, as a number; languages are sorted by pages."""
    source, values = selection.write_source()
    numbers: dict[str, int] = {}
    language_of_page = np.full(collection.count_pages(connection), -1, dtype=np.int32)
    for page, language in connection.execute(f"SELECT page, language FROM {source}", values):
        if language not in _NO_LANGUAGE:
            language_of_page[page - 1] = numbers.setdefault(language, len(numbers))
    names = list(numbers)
    counts = np.bincount(language_of_page[language_of_page >= 0], minlength=len(names))
    order = np.array(sorted(range(len(names)), key=lambda number: (-counts[number], names[number])), dtype=np.int64)
    rank = np.full(len(names) + 1, -1, dtype=np.int32)  # -1 is the last index
    rank[order] = np.arange(len(names))
    return rank[language_of_page], [names[number] for number in order], counts[order]
