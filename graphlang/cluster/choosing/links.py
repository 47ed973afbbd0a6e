"""On an executor: the links of captures, one a row; and the URLs that captures name, each with its id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from graphlang.cluster.reading.page_ids import CollisionError
from graphlang.cluster.tables import LINKS, PAGES, link_kinds
from graphlang.db.records import NOFOLLOW
from graphlang.ingest.links.canonical import place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

_REMEMBERED: Final = 1 << 20  # URLs that a task names only once
URLS: Final = pa.schema([("page", pa.int64()), ("url", pa.string())])


def links_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The links of captures, but for those of a page to itself.

    Args:
        batches: rows with the columns ``page``, ``link_ids``, ``link_kinds`` and ``hreflangs``.

    Yields:
        Rows of `graphlang.cluster.tables.LINKS`, in the order of the captures.
    """
    for batch in batches:
        counts = batch.column("link_ids").value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        source = np.repeat(batch.column("page").to_numpy(), counts)
        target = batch.column("link_ids").flatten().to_numpy()
        kinds = np.frombuffer(b"".join(batch.column("link_kinds").to_pylist()), dtype=np.uint8)
        hreflangs = _hreflangs(batch, counts)
        kept = source != target
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(source[kept]),
                pa.array(target[kept]),
                link_kinds().take(pa.array((kinds[kept] & ~np.uint8(NOFOLLOW)) - 1)),
                pa.array((kinds[kept] >= NOFOLLOW).astype(np.int32)),
                pa.array(hreflangs[kept], type=pa.string()),
                pa.array(_places(counts, kept)),
            ],
            schema=LINKS,
        )


def _hreflangs(batch: pa.RecordBatch, counts: NDArray[np.int64]) -> NDArray[Any]:
    found = np.full(int(counts.sum()), None, dtype=object)
    first = np.cumsum(counts) - counts
    for start, listed in zip(first.tolist(), batch.column("hreflangs").to_pylist(), strict=True):
        for one in listed or ():
            found[start + one["place"]] = one["value"]
    return found


def _places(counts: NDArray[np.int64], kept: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The place of each link that is kept among those of its page that are."""
    before: NDArray[np.int64] = np.cumsum(kept) - kept
    first = np.append(before, kept.sum())[np.cumsum(counts) - counts]
    found: NDArray[np.int32] = (before - np.repeat(first, counts))[kept].astype(np.int32)
    return found


def urls_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The URLs of captures and of all that they link to, each with its id.

    Args:
        batches: rows with the columns ``page``, ``url``, ``link_ids`` and ``link_urls``.

    Yields:
        Rows of `URLS`; what a task has named lately it does not name again.
    """
    named: dict[int, None] = {}
    for batch in batches:
        pages: list[int] = []
        urls: list[bytes] = []
        columns = (batch.column(name).to_pylist() for name in ("page", "url", "link_ids", "link_urls"))
        for page, url, ids, targets in zip(*columns, strict=True):
            for one, written in zip([page, *ids], [url.encode(), *targets.split(b"\0")[:-1]], strict=True):
                if one not in named:
                    named[one] = None
                    pages.append(one)
                    urls.append(written)
        if len(named) > _REMEMBERED:
            named.clear()
        yield pa.RecordBatch.from_arrays(
            [pa.array(pages, type=pa.int64()), pa.array(urls, type=pa.binary()).cast(pa.string())], schema=URLS
        )


def pages_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Each URL once, with its host, registered domain, public suffix and top-level domain.

    Args:
        batches: rows of `URLS`; all with one id come to the same task.

    Yields:
        Rows of `graphlang.cluster.tables.PAGES`.

    Raises:
        CollisionError: two URLs have the same id.
    """
    known: dict[int, str] = {}
    sites: dict[str, tuple[str, str, str, str]] = {}
    for batch in batches:
        rows, found = [], []
        for row, (page, url) in enumerate(
            zip(batch.column("page").to_pylist(), batch.column("url").to_pylist(), strict=True)
        ):
            before = known.setdefault(page, url)
            if before is not url:
                if before != url:
                    one, other = sorted((before, url))
                    raise CollisionError(f"two URLs have the same 64-bit id {page}: {one} and {other}")
                continue
            authority = url[: url.find("/", url.find("//") + 2) + 1 or None]
            site = sites.get(authority)
            if site is None:
                if len(sites) > _REMEMBERED:
                    sites.clear()
                host, domain, suffix, tld = place(url)
                site = sites[authority] = (host, domain or host, suffix or "", tld or "")
            rows.append(row)
            found.append(site)
        taken = batch.take(pa.array(rows, type=pa.int64()))
        columns = zip(*found, strict=True) if found else ((),) * 4
        yield pa.RecordBatch.from_arrays(
            [*taken.columns, *(pa.array(list(one), type=pa.string()) for one in columns)], schema=PAGES
        )
