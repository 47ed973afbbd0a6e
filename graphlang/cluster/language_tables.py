"""The stage ``languages``: the tables `languages` and `sites`, with the columns of the database's views."""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphlang.cluster.captures import FACTS, FACTS_TABLE
from graphlang.cluster.one_task import INFERRED, SENT_ANSWERS, SENT_ANSWERS_TABLE
from graphlang.cluster.stages import BucketFile, read_batches, read_bucket
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import LANGUAGES, PAGES, SITES, split_label
from graphlang.codes import languages as codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphlang.cluster.stages import Stages, TaskOutput
    from graphlang.cluster.storage import Location

#: Rows sent to the buckets of pages: by table, their folder and columns.
_SENT: Final = {"captures": (FACTS_TABLE, FACTS), INFERRED: (SENT_ANSWERS_TABLE, SENT_ANSWERS)}
_SITE: Final = ("host", "domain", "suffix", "tld", "language")
_COUNTS: Final = {"pages": pa.int64(), "every": pa.int64(), "confidence": pa.float64(), "length": pa.int64()}
#: Of some pages of a site in a language: how many were read, all, and sums. ``page`` is a digest of the host, by which
#: a site comes to one task.
_SUMS: Final = pa.schema([("page", pa.int64()), *((name, pa.string()) for name in _SITE), *_COUNTS.items()])
_SUMS_TABLE: Final = f"{WORK}/sums"
_ROWS: Final = 1 << 16


class View(NamedTuple):
    """The values that are the same in all rows."""

    labels: Sequence[str]  #: that answers may have
    method: str
    run: int
    linked: bool  #: whether URLs that were only linked to are answered for; else they are pending


def write_languages(stages: Stages, view: View, bucket_count: int) -> None:
    """Write both tables; all answers are known."""
    # Tables that Spark wrote were not sent to the tasks of their pages' buckets.
    lacking = {table: folder for table, (folder, _) in _SENT.items() if not stages.has(folder)}
    tables = {"languages": LANGUAGES, "sites": SITES, _SUMS_TABLE: None, **dict.fromkeys(lacking.values())}
    stages.begin("languages", tables)
    _run_and_take(
        stages, [(table, file) for table in lacking for file in stages.files(table)], partial(_send, bucket_count)
    )
    sent = [stages.files(folder, ".arrow") for folder, _ in _SENT.values()]
    work = partial(_write_bucket, sent, view, bucket_count, stages.folder)
    rows = _run_and_take(stages, range(bucket_count), work)
    sums = stages.files(_SUMS_TABLE, ".arrow")
    done = stages.run(range(bucket_count), partial(_write_sites, sums, bucket_count))
    stages.end("languages", tables, [file for _, files in done for file in files], {"languages": rows})


def _run_and_take(stages: Stages, groups: Sequence[Any], work: Any) -> int:
    """Run tasks, take in their files, and return the number of rows of languages."""
    files = [file for _, task_files in stages.run(groups, work) for file in task_files]
    return sum(file.rows for file in stages.take(files) if file.table == "languages")


def _send(bucket_count: int, group: tuple[str, Location], output: TaskOutput) -> None:
    """Send the rows of a file to the tasks of their pages' buckets."""
    table, location = group
    folder, schema = _SENT[table]
    sent = BucketFile(output, folder, location.name.removesuffix(".parquet"), schema, bucket_count)
    for batch in read_batches(location, schema.names, _ROWS):
        sent.write(batch.select(schema.names))
    sent.close()


def _write_bucket(  # noqa: PLR0917  internal
    sent: Sequence[Sequence[Location]], view: View, bucket_count: int, folder: Location, number: int, output: TaskOutput
) -> None:
    """Write the languages of the pages of a bucket, and sums of them by site."""
    stem = f"part-{number:05d}"
    location = folder / "pages" / f"{stem}.parquet"
    if not location.exists():  # a bucket without pages
        return
    pages = pa.Table.from_batches(read_batches(location, PAGES.names, _ROWS), PAGES)
    facts, answers = (
        read_bucket(files, number, bucket_count, schema)
        for files, (_, schema) in zip(sent, _SENT.values(), strict=True)
    )
    rows = list_page_languages(pages, facts, answers, view)
    languages = output.rows("languages", stem, LANGUAGES)
    for batch in rows.to_batches(max_chunksize=_ROWS):
        languages.write(batch)
    sums = BucketFile(output, _SUMS_TABLE, stem, _SUMS, bucket_count)
    for batch in sum_languages(rows).to_batches():
        sums.write(batch)
    sums.close()


def list_page_languages(pages: pa.Table, facts: pa.Table, answers: pa.Table, view: View) -> pa.Table:
    """Return rows of `LANGUAGES`, one for each page."""
    facts, answers = (_align_rows(pages["page"].to_numpy(), rows_known) for rows_known in (facts, answers))
    labels_known = sorted({*view.labels, codes.UND, codes.ZXX})
    names = [
        pa.array(list(rows_known), pa.string()) for rows_known in zip(*map(split_label, labels_known), strict=True)
    ]
    best, second = (
        pc.index_in(answers[name].combine_chunks(), value_set=pa.array(labels_known))
        for name in ("label", "runner_up_label")
    )
    fetched = pc.is_valid(facts["page"])
    nothing = pc.invert(pc.or_(fetched, pc.is_valid(answers["page"])))
    rows = len(pages)
    columns = {name: pages[name] for name in pages.column_names}
    columns |= {name: facts[name] for name in FACTS.names if name != "page"}
    columns |= {
        "language": names[0].take(best).fill_null(codes.UND),
        "script": names[1].take(best),
        "confidence": answers["confidence"].fill_null(0.0),
        "runner_up": names[0].take(second),
        "runner_up_confidence": answers["runner_up_confidence"],
        "method": pa.repeat(pa.scalar(view.method), rows),
        "run": pa.repeat(pa.scalar(view.run, pa.int32()), rows),
        "fetched": fetched.cast(pa.int32()),
        "characters": answers["characters"],
        "encoding": answers["encoding"],
        "pending": nothing.cast(pa.int32()) if not view.linked else pa.repeat(pa.scalar(0, pa.int32()), rows),
    }
    return pa.Table.from_arrays([columns[name] for name in LANGUAGES.names], schema=LANGUAGES)


def _align_rows(pages: Any, rows: pa.Table) -> pa.Table:
    """Return the row of each page, nulls where there is none."""
    page = rows["page"].to_numpy()
    order = np.argsort(page, kind="stable")
    at = np.searchsorted(page[order], pages)
    at[at == len(page)] = 0
    has = page[order][at] == pages if len(page) else np.zeros(len(pages), np.bool_)
    row_of = order[at] if len(page) else np.zeros(len(pages), np.int64)
    return rows.take(pa.array(row_of, mask=~has))


def sum_languages(pages: pa.Table) -> pa.Table:
    """Count and sum pages by site and language."""
    added = pages.select([*_SITE, "fetched", "confidence"]).append_column("length", pages["length"].fill_null(0))
    sums = added.group_by(list(_SITE), use_threads=False).aggregate(
        [("fetched", "sum"), ([], "count_all"), ("confidence", "sum"), ("length", "sum")]
    )
    hosts = sums["host"].combine_chunks()
    digest = pa.array([zlib.crc32(host.encode()) for host in hosts.to_pylist()], pa.int64())
    counts = [sums[name] for name in ("fetched_sum", "count_all", "confidence_sum", "length_sum")]
    return pa.Table.from_arrays([digest, *(sums[name] for name in _SITE), *counts], schema=_SUMS)


def _write_sites(files: Sequence[Location], bucket_count: int, number: int, output: TaskOutput) -> None:
    """Write the sites whose hosts are in a bucket."""
    rows = read_bucket(files, number, bucket_count, _SUMS)
    added = rows.group_by(list(_SITE), use_threads=False).aggregate([(name, "sum") for name in _COUNTS])
    added = added.sort_by([("host", "ascending"), ("language", "ascending")])
    pages, total, confidence, length = (added[f"{name}_sum"] for name in _COUNTS)
    columns = {name: added[name] for name in _SITE} | {
        "pages": pages,
        "unfetched": pc.subtract(total, pages),
        "confidence": pc.divide(confidence, total.cast(pa.float64())),
        "length": length,
    }
    sites = output.rows("sites", f"part-{number:05d}", SITES)
    for batch in pa.Table.from_arrays([columns[name] for name in SITES.names], schema=SITES).to_batches():
        sites.write(batch)
