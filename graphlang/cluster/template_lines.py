"""The stage ``templates``: count the lines that the pages of each host share, as `graphlang.analysis.templates` does.

A task for each file of captures sends digests of lines to the task of their host; that one counts them. Classification
then reads the counts of the hosts in its file.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from graphlang.analysis.ingest import find_site
from graphlang.analysis.templates import COMPARED, digest_url
from graphlang.cluster.stages import BucketFile, read_batches, read_bucket
from graphlang.cluster.storage import WORK
from graphlang.content.template_lines import REPEATED, PageText, Templates, list_page_lines
from graphlang.db import records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphlang.cluster.stages import Stages, TaskOutput
    from graphlang.cluster.storage import Location

TEMPLATES_TABLE: Final = f"{WORK}/templates"
_SENT_TABLE: Final = f"{WORK}/sent-lines"
#: A row a page; ``page`` is the digest of its host, so that buckets hold whole hosts.
_SENT: Final = pa.schema(
    [("page", pa.int64()), ("url", pa.binary()), ("content", pa.int64()), ("lines", pa.list_(pa.int64()))]
)
_TEMPLATES: Final = pa.schema(
    [("host", pa.int64()), ("pages", pa.int64()), ("lines", pa.list_(pa.int64())), ("counts", pa.list_(pa.int64()))]
)
_ROWS: Final = 1024


class DigestedCounts(Mapping[str, int]):
    """The counts of `Templates`, by digests of lines."""

    def __init__(self, counts: dict[int, int]) -> None:
        self._counts = counts

    def __getitem__(self, line: str) -> int:
        """Return the count of a line."""
        return self._counts[_digest(line)]

    def __iter__(self) -> Iterator[str]:
        """Digests have no lines to iterate over."""
        raise TypeError("lines are known by their digests alone")

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self._counts)


def count_lines(stages: Stages, bucket_count: int) -> None:
    """Write the template lines of each host."""
    tables: dict[str, pa.Schema | None] = {_SENT_TABLE: None, TEMPLATES_TABLE: _TEMPLATES}
    stages.begin("templates", tables)
    sent = stages.run(stages.files("captures"), partial(_send, bucket_count))
    stages.take(file for _, files in sent for file in files)
    done = stages.run(range(bucket_count), partial(_count, stages.files(_SENT_TABLE, ".arrow"), bucket_count))
    stages.end("templates", tables, [file for _, files in done for file in files], {})


def read_templates(files: Sequence[Location], hosts: set[int]) -> dict[int, Templates]:
    """Return the template lines of some hosts, by the digest of the host."""
    templates = {}
    for location in files:
        for batch in read_batches(location, _TEMPLATES.names, _ROWS):
            for row in batch.to_pylist():
                if row["host"] in hosts:
                    counts = dict(zip(row["lines"], row["counts"], strict=True))
                    templates[row["host"]] = Templates(DigestedCounts(counts), row["pages"])
    return templates


def digest_hosts(urls: Iterable[str]) -> list[int]:
    """Return a digest of the host of each URL."""
    return [_digest(_find_host(url.split("/", 3)[2])) for url in urls]


def make_page_texts(columns: Mapping[str, list[Any]]) -> list[PageText]:
    """Return pages as a database stores them: texts cut at what methods read."""
    texts = [(text or "")[: records.READ] for text in columns["text"]]
    titles = [title or "" for title in columns.get("title", [""] * len(texts))]
    mains = [
        len(text) if main is None else main
        for main, text in zip(columns.get("main", [None] * len(texts)), texts, strict=True)
    ]
    return list(map(PageText, titles, texts, mains))


def _send(bucket_count: int, location: Location, output: TaskOutput) -> None:
    """Send the lines of a file's pages, of each host `COMPARED` at most."""
    lowest: dict[int, list[tuple[bytes, int, list[int]]]] = defaultdict(list)
    for batch in read_batches(location, ["url", "title", "text", "main"], _ROWS):
        columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
        for url, host, page in zip(columns["url"], digest_hosts(columns["url"]), make_page_texts(columns), strict=True):
            if page.text or page.title:
                lines = sorted({_digest(line) for line in list_page_lines(page)})
                lowest[host].append((digest_url(url), _digest(page.content), lines))
                if len(lowest[host]) >= 2 * COMPARED:
                    lowest[host] = sorted(lowest[host])[:COMPARED]
    sent = BucketFile(output, _SENT_TABLE, location.name.removesuffix(".parquet"), _SENT, bucket_count)
    for host, pages in lowest.items():
        rows = sorted(pages)[:COMPARED]
        urls, contents, lines = map(list, zip(*rows, strict=True))
        sent.write(pa.record_batch([pa.array([host] * len(rows), pa.int64()), urls, contents, lines], schema=_SENT))
    sent.close()


def _count(sent: Sequence[Location], bucket_count: int, number: int, output: TaskOutput) -> None:
    """Count the lines of the hosts of a bucket."""
    rows = read_bucket(sent, number, bucket_count, _SENT)
    hosts = rows["page"].to_numpy()
    table = output.rows(TEMPLATES_TABLE, f"part-{number:05d}", _TEMPLATES)
    for host in np.unique(hosts).tolist():
        pages = rows.filter(pa.array(hosts == host)).to_pylist()
        by_content: dict[int, set[int]] = defaultdict(set)
        for page in sorted(pages, key=lambda row: row["url"])[:COMPARED]:
            by_content[page["content"]].update(page["lines"])
        counts = Counter(line for lines in by_content.values() for line in lines)
        repeated = {line: count for line, count in sorted(counts.items()) if count >= REPEATED}
        if repeated:
            columns = [[host], [len(by_content)], [list(repeated)], [list(repeated.values())]]
            table.write(pa.record_batch(columns, schema=_TEMPLATES))


@lru_cache(1024)
def _find_host(authority: str) -> str:
    return find_site(f"http://{authority}/").host


@lru_cache(1 << 16)
def _digest(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
