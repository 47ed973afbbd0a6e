"""Which partition each page belongs to: hosts stay whole unless they are larger than a limit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from graphlang.cluster.tables import ddl
from graphlang.graph.partitioned.assign import Cuts, cut_host, directory_of, host_of, key_of, partition_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ASSIGNED: Final = pa.schema(
    [("page", pa.int64()), ("partition", pa.int32()), ("host", pa.int64()), ("directory", pa.int64())]
)
#: SQL for what `host_of` and `directory_of` say of a URL.
_HOST: Final = "regexp_extract(url, '//([^/?#]*)', 1)"
_DIRECTORY: Final = r"regexp_extract(split_part(url, '?', 1), '^([\\s\\S]*)/', 1)"
_REMEMBERED: Final = 1 << 18


def cuts_of(pages: Any, limit: int) -> Cuts:
    """Where the hosts are cut that have more pages than a limit.

    Args:
        pages: a DataFrame with the column ``url``.
        limit: pages.

    Returns:
        Something for each directory of such a host, which is all that the driver sees.
    """
    hosts = pages.selectExpr(f"{_HOST} AS host").groupBy("host").count().where(f"count > {limit}")
    named = [row["host"] for row in hosts.collect()]
    if not named:
        return Cuts(limit)
    large = hosts.select("host").hint("broadcast")
    urls = pages.selectExpr("url", f"{_HOST} AS host").join(large, "host", "left_semi")
    counted = urls.selectExpr("host", f"{_DIRECTORY} AS directory").groupBy("host", "directory").count()
    directories: dict[bytes, dict[bytes, int]] = {}
    for host, directory, count in counted.toLocalIterator():
        directories.setdefault(host.encode(), {})[directory.encode()] = count
    return Cuts(limit, {host: cut_host(of, limit) for host, of in sorted(directories.items())})


def assigned(pages: Any, cuts: Cuts, partitions: int) -> Any:
    """Every page with its partition, and the keys of its host and directory: a DataFrame of `ASSIGNED`.

    Args:
        pages: a DataFrame with the columns ``page`` and ``url``.
        cuts: of `cuts_of`.
        partitions: how many there are.
    """
    shared = pages.sparkSession.sparkContext.broadcast(cuts)
    return pages.select("page", "url").mapInArrow(partial(_assign, shared, partitions), ddl(ASSIGNED))


def _assign(shared: Any, partitions: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    keys: dict[bytes, int] = {}

    def key(name: bytes) -> int:
        found = keys.get(name)
        if found is None:
            if len(keys) > _REMEMBERED:
                keys.clear()
            found = keys[name] = key_of(name)
        return found

    for batch in batches:
        urls = [url.encode() for url in batch.column("url").to_pylist()]
        pages = batch.column("page")
        number = partition_of(urls, pages.to_numpy(), shared.value, partitions)
        hosts = [key(host_of(url)) for url in urls]
        directories = [key(directory_of(url)) for url in urls]
        columns = [pages, pa.array(number), pa.array(hosts, type=pa.int64()), pa.array(directories, type=pa.int64())]
        yield pa.RecordBatch.from_arrays(columns, schema=ASSIGNED)
