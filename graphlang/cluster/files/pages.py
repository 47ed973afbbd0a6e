"""The table of pages: every URL that was read or linked to, once; and which pages have several captures."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphlang.cluster.files.buckets import in_bucket
from graphlang.cluster.files.read import NAMED, URLS_TABLE
from graphlang.cluster.reading.page_ids import CollisionError
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import PAGES
from graphlang.ingest.links.canonical import place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphlang.cluster.files.parts import Parts
    from graphlang.cluster.files.stage import Stages

#: Pages with several captures, ascending: a file for each bucket that has any, not compressed, so that all tasks of a
#: machine share it in memory.
SEVERAL_TABLE: Final = f"{WORK}/several"
SEVERAL: Final = pa.schema([("page", pa.int64())])
_AUTHORITY: Final = r"^(?P<authority>[^/]*//[^/]*/?)"
_ROWS: Final = 1 << 17


def pages(stages: Stages, many: int) -> None:
    """Make the table.

    Args:
        stages: of the job; archives are read.
        many: buckets of pages.
    """
    tables = {"pages": PAGES, SEVERAL_TABLE: None}
    stages.begin("pages", tables)
    work = partial(_of_bucket, stages.files(URLS_TABLE, ".arrow"), many)
    found = stages.each(range(many), work)
    stages.end("pages", tables, (part for _, parts in found for part in parts), {"several": sum(n for n, _ in found)})


def _of_bucket(files: Sequence[str], many: int, number: int, parts: Parts) -> int:
    """The pages of a bucket, by ascending id; how many have several captures."""
    rows = in_bucket(files, number, many, NAMED)
    named = distinct(rows.filter(pc.is_valid(rows["url"])).select(["page", "url"]))
    made = placed(named)
    file = parts.parquet("pages", f"part-{number:05d}", PAGES)
    for batch in made.to_batches(max_chunksize=_ROWS):
        file.write(batch)
    captured = rows.filter(pc.is_valid(rows["captures"]))
    page, row = np.unique(captured["page"].to_numpy(), return_inverse=True)
    repeated = page[np.bincount(row, captured["captures"].to_numpy(), len(page)) > 1]
    if len(repeated):
        name = f"part-{number:05d}.arrow"
        path = parts.path(SEVERAL_TABLE, name)
        with pa.ipc.new_file(path, SEVERAL) as writer:
            writer.write_batch(pa.RecordBatch.from_arrays([pa.array(repeated)], schema=SEVERAL))
        parts.add(SEVERAL_TABLE, path, name, len(repeated))
    return len(repeated)


def distinct(named: pa.Table) -> pa.Table:
    """Each URL once, by ascending id.

    Args:
        named: ``page`` and ``url``.

    Raises:
        CollisionError: two URLs have the same id.

    >>> distinct(pa.table({"page": [7, 3, 7], "url": ["http://a/", "http://b/", "http://a/"]})).to_pylist()
    [{'page': 3, 'url': 'http://b/'}, {'page': 7, 'url': 'http://a/'}]
    """
    page = named["page"].to_numpy()
    order = np.argsort(page, kind="stable")
    page = page[order]
    new = np.ones(len(page), np.bool_)
    new[1:] = page[1:] != page[:-1]
    if new.all():
        return named.take(pa.array(order))
    again = np.flatnonzero(~new)
    urls = named["url"]
    here, before = urls.take(pa.array(order[again])), urls.take(pa.array(order[again - 1]))
    differ = np.flatnonzero(pc.not_equal(here, before).to_numpy(zero_copy_only=False))
    if len(differ):
        at = int(differ[0])
        one, other = sorted((here[at].as_py(), before[at].as_py()))
        raise CollisionError(f"two URLs have the same 64-bit id {page[again[at]]}: {one} and {other}")
    return named.take(pa.array(order[new]))


@lru_cache(maxsize=1 << 17)  # a process makes several buckets, in which the same sites stand
def _site_of(authority: str) -> tuple[str, str, str, str]:
    host, domain, suffix, tld = place(authority)
    return host, domain or host, suffix or "", tld or ""


def placed(named: pa.Table) -> pa.Table:
    """Append host, registered domain, public suffix and top-level domain.

    Args:
        named: ``page`` and ``url``.

    Returns:
        Rows of `graphlang.cluster.tables.PAGES`.
    """
    urls = named["url"].combine_chunks()
    if isinstance(urls, pa.ChunkedArray):  # nothing at all
        return PAGES.empty_table()
    found = pc.extract_regex(urls, _AUTHORITY)
    # What has no authority stands for itself.
    keys = pc.if_else(pc.is_valid(found), found.field("authority"), urls).dictionary_encode()
    rows = [_site_of(authority) for authority in keys.dictionary.to_pylist()]
    columns = list(zip(*rows, strict=True)) if rows else [()] * 4
    sites = [pa.array(list(one), pa.string()).take(keys.indices) for one in columns]
    return pa.Table.from_arrays([named["page"], urls, *sites], schema=PAGES)
