"""Links between languages, and between sites, counted by Spark: what `graphlang.maps` counts in arrays of all pages."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphlang.cluster.maps.tables import Tables
from graphlang.cluster.spark_session import errors_in_one_line
from graphlang.maps.graphs import language_graph, site_graph
from graphlang.maps.graphs.measures.components import Shape, shapes
from graphlang.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphlang.maps.selection import Selection

#: Of a language or site with more links within it no components are worked out: they would not fit one task's memory.
MOST: Final = 20_000_000
#: Links between pages that count, ``one`` and ``other``; both have a ``name``.
_LINKED: Final = (
    " FROM links JOIN ({pages}) AS one ON one.page = links.source JOIN ({pages}) AS other ON other.page = links.target"
)
#: Pages in the order in which `graphlang.cluster.database.table_rows` numbers them, and the links between those of one
#: name.
_WITHIN: Final = """
SELECT counted.name, counted.page, captures.source, captures.offset, NULL AS target,
    CASE WHEN captures.page IS NULL THEN pages.url END AS url
FROM ({pages}) AS counted JOIN pages ON pages.page = counted.page LEFT JOIN captures ON captures.page = counted.page
UNION ALL
SELECT one.name, one.page, NULL, NULL, other.page, NULL {linked} WHERE one.name = other.name
"""
_NAMED: Final = 5  # of those that have too many
_SHAPE: Final = "name string, components bigint, largest bigint, diameter bigint"


class TooManyLinksWarning(UserWarning):
    """Components of some languages or sites were not worked out; in one line."""


@language_graph.counted.register(Tables)
def _languages(
    tables: Tables, selection: Selection, units: Sequence[str], *, components: bool
) -> language_graph.Counted:
    source, values = selection.source()
    pages = f"SELECT language AS name, * FROM {source} WHERE language NOT IN ('und', 'zxx')"
    linked = _LINKED.format(pages=pages)
    rows = tables.execute(f"SELECT name, COUNT(*) FROM ({pages}) GROUP BY 1 ORDER BY 2 DESC, 1", values)
    numbers = {name: number for number, (name, _) in enumerate(rows)}
    unit, links = units[-1], _pairs([], numbers)
    for unit in units:
        query = f"SELECT one.name, other.name, COUNT(*){linked} WHERE one.{unit} IS DISTINCT FROM other.{unit}"
        links = _pairs(tables.execute(f"{query} GROUP BY 1, 2", values), numbers)
        if len(links[0]):
            break
    shape = _shapes(tables, numbers, pages, values, language_graph.EXACT) if components else []
    counts = np.array([count for _, count in rows], dtype=np.int64)
    return language_graph.Counted(unit, list(numbers), counts, language_graph.Counts(*links), shape)


@site_graph.counted.register(Tables)
def _sites(
    tables: Tables, selection: Selection, rank: Mapping[str, int], unit: str, *, measures: bool
) -> tuple[site_graph.Counted, list[Shape]]:
    source, values = selection.source()
    pages = f"SELECT {unit} AS name, page FROM {source}"
    query = f"SELECT one.name, other.name, COUNT(*){_LINKED.format(pages=pages)} WHERE one.name <> other.name"
    links = _pairs(tables.execute(f"{query} GROUP BY 1, 2", values), rank)
    return site_graph.Counted(*links), _shapes(tables, rank, pages, values, site_graph.EXACT) if measures else []


def _pairs(rows: Iterable[tuple[str, str, int]], numbers: Mapping[str, int]) -> tuple[Any, Any, Any]:
    """How many links lead from what to what, by their numbers and in order of these."""
    found = sorted((numbers[one], numbers[other], links) for one, other, links in rows)
    table = np.array(found, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _shapes(tables: Tables, names: Iterable[str], pages: str, values: dict[str, Any], exact: int) -> list[Shape]:
    """The components of the pages of each name, each in one task; zeros where it has too many links, and a warning."""
    linked = _LINKED.format(pages=pages)
    counts = tables.execute(f"SELECT one.name, COUNT(*){linked} WHERE one.name = other.name GROUP BY 1", values)
    large = [name for name, links in counts if links > MOST]
    within = tables.spark.sql(_WITHIN.format(pages=pages, linked=linked), args=values)
    if large:
        told = ", ".join(visible(name) for name in sorted(large)[:_NAMED]) + (", ..." if len(large) > _NAMED else "")
        words = f"no components of {told}: more than {MOST:,} links lie within each, too many for one task"
        warnings.warn(TooManyLinksWarning(words), stacklevel=2)
        within = within[~within.name.isin(large)]
    with errors_in_one_line():
        rows = within.groupBy("name").applyInArrow(_shape_of(exact), _SHAPE).collect()
    found = {name: Shape(*sizes) for name, *sizes in rows}
    return [found.get(name, Shape(0, 0, 0)) for name in names]


def _shape_of(exact: int) -> Callable[[pa.Table], pa.Table]:
    """What works out the components of one name on an executor."""

    def shape_of(rows: pa.Table) -> pa.Table:
        order = [(name, "ascending") for name in ("source", "offset", "url", "page")]
        pages = rows.filter(pc.is_null(rows["target"])).sort_by(order)["page"].to_numpy()
        links = rows.filter(pc.is_valid(rows["target"]))
        ranked = np.argsort(pages)
        source, target = (ranked[np.searchsorted(pages[ranked], links[end].to_numpy())] for end in ("page", "target"))
        (its,) = shapes(np.zeros(len(pages), dtype=np.int32), 1, source, target, exact=exact)
        columns = {name: [size] for name, size in its._asdict().items()}
        return pa.table({"name": rows["name"][:1].combine_chunks(), **columns})

    return shape_of
