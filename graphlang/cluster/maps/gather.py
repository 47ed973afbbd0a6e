"""What `graphlang.maps` asks of a database in words of SQLite's own, asked of tables."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from graphlang.cluster.maps.tables import Tables
from graphlang.db import InputError
from graphlang.maps.gathered import COLUMNS, gathered, others_answered
from graphlang.maps.own_text import beside_own_text
from graphlang.maps.selection import Gathered, Selection, content_run, outdated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@content_run.register(Tables)
def _content_run(tables: Tables) -> int | None:
    rows = tables.execute("SELECT id, kind, parameters, seeds, chosen FROM runs WHERE finished IS NOT NULL ORDER BY id")
    content = {run: parameters for run, kind, parameters, *_ in rows if kind == "content"}
    behind = [one for run, *_, seeds, chosen in rows if chosen for one in (run, *json.loads(seeds)) if one in content]
    of_today = [run for run, parameters in content.items() if json.loads(parameters).get("at") is None]
    return max(behind or of_today, default=None)


@outdated.register(Tables)
def _outdated(tables: Tables) -> None:
    """Tables are made anew as a whole: no run stands beside captures that it has not seen.

    Args:
        tables: of a cluster.
    """


@gathered.register(Tables)
@contextmanager
def _gathered(
    tables: Tables, selection: Selection, *, also: Sequence[str] = (), yearly: bool = False
) -> Iterator[Selection]:
    """As `graphlang.maps.gathered`; Spark keeps what was gathered, in memory or on its disks."""
    everyone = replace(selection, wanted=(), below=None, min_confidence=0.0, fetched=None, gathered=None)
    source, values = everyone.source()
    columns = tuple(dict.fromkeys((*COLUMNS, *also)))
    chosen = ", ".join(columns)
    query = f"SELECT {chosen} FROM {beside_own_text(source)}"
    name = "gathered_captures" if yearly else "gathered_pages"
    if yearly:
        refuse_other_years(tables)
        query, columns = (
            f"SELECT SUBSTR(date, 1, 4) AS year, {chosen} FROM ({query}) WHERE fetched = 1",
            ("year", *columns),
        )
    frame = tables.spark.sql(query, args=values | {"own": content_run(tables)}).persist()
    frame.createOrReplaceTempView(name)
    try:
        yield replace(selection, gathered=Gathered(name, columns))
    finally:
        tables.spark.catalog.dropTempView(name)
        frame.unpersist()


def refuse_other_years(tables: Tables) -> None:
    """Refuse to count by year where captures of other years have answers.

    Args:
        tables: of a collection.

    Raises:
        InputError: they have.
    """
    if others_answered(tables):
        raise InputError(
            "captures of other years have languages of their own here: count them in a database, which"
            " 'graphlang import' makes"
        )
