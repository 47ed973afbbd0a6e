"""The tables that readers start from, `languages` and `sites`: what `graphlang.cluster.views` asks of Spark."""

from __future__ import annotations

import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graphlang.cluster.files.answers import INFERRED
from graphlang.cluster.files.buckets import Buckets, in_bucket
from graphlang.cluster.files.facts import FACTS, FACTS_TABLE, TOLD, TOLD_TABLE
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import LANGUAGES, SITES
from graphlang.cluster.views import split
from graphlang.codes import languages as codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphlang.cluster.files.parts import Parts
    from graphlang.cluster.files.stage import Stages

#: What is told of the pages of a site in one language, by the table that it comes from and its folder.
_SENT: Final = {"captures": (FACTS_TABLE, FACTS), INFERRED: (TOLD_TABLE, TOLD)}
_SITE: Final = ("host", "domain", "suffix", "tld", "language")
_COUNTS: Final = {"pages": pa.int64(), "every": pa.int64(), "confidence": pa.float64(), "length": pa.int64()}
#: Of some pages of a site in a language: how many were read, all, and sums. ``page`` is a digest of the host, by which
#: a site comes to one task.
_SUMS: Final = pa.schema([("page", pa.int64()), *((name, pa.string()) for name in _SITE), *_COUNTS.items()])
_SUMS_TABLE: Final = f"{WORK}/sums"
_ROWS: Final = 1 << 16


class View(NamedTuple):
    """What is the same in all rows."""

    labels: Sequence[str]  #: that answers may have
    method: str
    run: int
    linked: bool  #: whether URLs that were only linked to are answered for; else they are pending


def languages(stages: Stages, view: View, many: int) -> None:
    """Make both tables.

    Args:
        stages: of the job; all answers are known.
        view: what is the same in all rows.
        many: buckets of pages.
    """
    # Tables that Spark made were not handed to the tasks that have the pages.
    lacking = {table: folder for table, (folder, _) in _SENT.items() if not stages.has(folder)}
    tables = {"languages": LANGUAGES, "sites": SITES, _SUMS_TABLE: None, **dict.fromkeys(lacking.values())}
    stages.begin("languages", tables)
    _taken(stages, [(table, path) for table in lacking for path in stages.files(table)], partial(_spread, many))
    both = [stages.files(folder, ".arrow") for folder, _ in _SENT.values()]
    rows = _taken(stages, range(many), partial(_told, both, view, many, str(stages.out)))
    sums = stages.files(_SUMS_TABLE, ".arrow")
    found = stages.each(range(many), partial(_sites, sums, many))
    stages.end("languages", tables, (part for _, parts in found for part in parts), {"languages": rows})


def _taken(stages: Stages, groups: Sequence[Any], work: Any) -> int:
    """Do some work, and take in the files; rows of Parquet among them."""
    parts = [part for _, some in stages.each(groups, work) for part in some]
    return sum(part.rows for part in stages.take(parts) if part.table == "languages")


def _spread(many: int, group: tuple[str, str], parts: Parts) -> None:
    """Hand rows to the tasks that have their pages."""
    table, path = group
    folder, schema = _SENT[table]
    sent = Buckets(parts, folder, Path(path).stem, schema, many)
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS, columns=schema.names, use_threads=False):
            sent.write(batch.select(schema.names))
    sent.close()


def _told(both: Sequence[Sequence[str]], view: View, many: int, out: str, number: int, parts: Parts) -> None:  # noqa: PLR0917  internal
    """The languages of the pages of a bucket, and sums of them by site."""
    stem = f"part-{number:05d}"
    path = Path(out, "pages", f"{stem}.parquet")
    if not path.exists():  # a bucket without pages
        return
    with pq.ParquetFile(path) as file:
        pages = file.read(use_threads=False)
    facts, told = (
        in_bucket(files, number, many, schema) for files, (_, schema) in zip(both, _SENT.values(), strict=True)
    )
    made = languages_of(pages, facts, told, view)
    written = parts.parquet("languages", stem, LANGUAGES)
    for batch in made.to_batches(max_chunksize=_ROWS):
        written.write(batch)
    sums = Buckets(parts, _SUMS_TABLE, stem, _SUMS, many)
    for batch in sums_of(made).to_batches():
        sums.write(batch)
    sums.close()


def languages_of(pages: pa.Table, facts: pa.Table, told: pa.Table, view: View) -> pa.Table:
    """One row a page with its language.

    Args:
        pages: with the columns `graphlang.cluster.tables.PAGES`, by ascending id.
        facts: of the captures of some.
        told: the answers for some.
        view: what is the same in all rows.

    Returns:
        Rows of `graphlang.cluster.tables.LANGUAGES`.
    """
    facts, told = (_beside(pages["page"].to_numpy(), one) for one in (facts, told))
    known = sorted({*view.labels, codes.UND, codes.ZXX})
    names = [pa.array(list(one), pa.string()) for one in zip(*map(split, known), strict=True)]
    best, second = (
        pc.index_in(told[name].combine_chunks(), value_set=pa.array(known)) for name in ("label", "runner_up_label")
    )
    fetched = pc.is_valid(facts["page"])
    nothing = pc.invert(pc.or_(fetched, pc.is_valid(told["page"])))
    rows = len(pages)
    columns = {name: pages[name] for name in pages.column_names}
    columns |= {name: facts[name] for name in FACTS.names if name != "page"}
    columns |= {
        "language": names[0].take(best).fill_null(codes.UND),
        "script": names[1].take(best),
        "confidence": told["confidence"].fill_null(0.0),
        "runner_up": names[0].take(second),
        "runner_up_confidence": told["runner_up_confidence"],
        "method": pa.repeat(pa.scalar(view.method), rows),
        "run": pa.repeat(pa.scalar(view.run, pa.int32()), rows),
        "fetched": fetched.cast(pa.int32()),
        "characters": told["characters"],
        "encoding": told["encoding"],
        "pending": nothing.cast(pa.int32()) if not view.linked else pa.repeat(pa.scalar(0, pa.int32()), rows),
    }
    return pa.Table.from_arrays([columns[name] for name in LANGUAGES.names], schema=LANGUAGES)


def _beside(pages: Any, rows: pa.Table) -> pa.Table:
    """The row of each page, nulls where there is none."""
    page = rows["page"].to_numpy()
    order = np.argsort(page, kind="stable")
    at = np.searchsorted(page[order], pages)
    at[at == len(page)] = 0
    has = page[order][at] == pages if len(page) else np.zeros(len(pages), np.bool_)
    found = order[at] if len(page) else np.zeros(len(pages), np.int64)
    return rows.take(pa.array(found, mask=~has))


def sums_of(pages: pa.Table) -> pa.Table:
    """Counts and sums by site and language, of some pages.

    Args:
        pages: of `languages_of`.
    """
    added = pages.select([*_SITE, "fetched", "confidence"]).append_column("length", pages["length"].fill_null(0))
    found = added.group_by(list(_SITE), use_threads=False).aggregate(
        [("fetched", "sum"), ([], "count_all"), ("confidence", "sum"), ("length", "sum")]
    )
    hosts = found["host"].combine_chunks()
    digest = pa.array([zlib.crc32(host.encode()) for host in hosts.to_pylist()], pa.int64())
    counts = [found[name] for name in ("fetched_sum", "count_all", "confidence_sum", "length_sum")]
    return pa.Table.from_arrays([digest, *(found[name] for name in _SITE), *counts], schema=_SUMS)


def _sites(files: Sequence[str], many: int, number: int, parts: Parts) -> None:
    """The sites whose hosts a task has."""
    rows = in_bucket(files, number, many, _SUMS)
    added = rows.group_by(list(_SITE), use_threads=False).aggregate([(name, "sum") for name in _COUNTS])
    added = added.sort_by([("host", "ascending"), ("language", "ascending")])
    read, every, confidence, length = (added[f"{name}_sum"] for name in _COUNTS)
    columns = {name: added[name] for name in _SITE} | {
        "pages": read,
        "unfetched": pc.subtract(every, read),
        "confidence": pc.divide(confidence, every.cast(pa.float64())),
        "length": length,
    }
    made = pa.Table.from_arrays([columns[name] for name in SITES.names], schema=SITES)
    written = parts.parquet("sites", f"part-{number:05d}", SITES)
    for batch in made.to_batches(max_chunksize=_ROWS):
        written.write(batch)
