"""Which partition each page belongs to: hosts stay whole unless they are larger than a limit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from graphlang.analysis.arrays.graph_input import SHORT
from graphlang.cluster.tables import ddl
from graphlang.codes import languages
from graphlang.graph.partitioned.assign import Cuts, cut_host, partition_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: ``unknown``: whether the page has a long text in a language that is not known; its links say nothing.
ASSIGNED: Final = pa.schema([("page", pa.int64()), ("partition", pa.int32()), ("unknown", pa.bool_())])
_UNKNOWN: Final = f"coalesce(label = '{languages.UND}' AND characters >= {SHORT}, false) AS unknown"
#: SQL for what `graphlang.graph.partitioned.assign.host_of` says of a URL, and `directory_of`.
HOST: Final = "regexp_extract(url, '//([^/?#]*)', 1)"
_DIRECTORY: Final = r"regexp_extract(split_part(url, '?', 1), '^([\\s\\S]*)/', 1)"


def cuts_of(pages: Any, limit: int) -> Cuts:
    """Where the hosts are cut that have more pages than a limit.

    Args:
        pages: a DataFrame with the column ``url``.
        limit: pages.

    Returns:
        Something for each directory of such a host, which is all that the driver sees.
    """
    hosts = pages.selectExpr(f"{HOST} AS host").groupBy("host").count().where(f"count > {limit}")
    named = [row["host"] for row in hosts.collect()]
    if not named:
        return Cuts(limit)
    large = hosts.select("host").hint("broadcast")
    urls = pages.selectExpr("url", f"{HOST} AS host").join(large, "host", "left_semi")
    counted = urls.selectExpr("host", f"{_DIRECTORY} AS directory").groupBy("host", "directory").count()
    directories: dict[bytes, dict[bytes, int]] = {}
    for host, directory, count in counted.toLocalIterator():
        directories.setdefault(host.encode(), {})[directory.encode()] = count
    return Cuts(limit, {host: cut_host(of, limit) for host, of in sorted(directories.items())})


def assigned(pages: Any, cuts: Cuts, partitions: int) -> Any:
    """Every page with its partition: a DataFrame of `ASSIGNED`.

    Args:
        pages: a DataFrame with the columns ``page``, ``url``, ``label`` and ``characters``.
        cuts: of `cuts_of`.
        partitions: how many there are.
    """
    shared = pages.sparkSession.sparkContext.broadcast(cuts)
    return pages.selectExpr("page", "url", _UNKNOWN).mapInArrow(partial(_assign, shared, partitions), ddl(ASSIGNED))


def _assign(shared: Any, partitions: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        urls = [url.encode() for url in batch.column("url").to_pylist()]
        pages = batch.column("page")
        number = partition_of(urls, pages.to_numpy(), shared.value, partitions)
        yield pa.RecordBatch.from_arrays([pages, pa.array(number), batch.column("unknown")], schema=ASSIGNED)
