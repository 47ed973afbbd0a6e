"""Archive files -> pages, without a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.arguments import check_arguments, flag, worker_count
from graphlang.ingest import batches, expand
from graphlang.ingest.limits import check_limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphlang.db.records import Page, Problem
    from graphlang.ingest import Limits


@check_arguments(workers=worker_count, follow_links=flag)
def read(
    *files: str | Path, limits: Limits | None = None, workers: int = 1, follow_links: bool = False
) -> Iterator[Page | Problem]:
    """Read the pages of archive files, one after the other.

    Args:
        files: archives, or folders that hold them, in any format that `graphlang ingest` reads.
        limits: how much of a page is kept, see `Limits`.
        workers: processes that parse; the pages and their order are the same with any number.
        follow_links: whether symbolic links within folders are followed.

    Yields:
        Each `Page`; and a `Problem` for each record that could not be read, or not whole, before the page of it.

    Raises:
        OSError: a file or folder does not exist.
        TypeError: an argument of another type.
        ValueError: `workers` is not within 1 and 256.
    """
    bounds = check_limits(limits)
    sources = [(path, 0) for path in expand(files, follow_links=follow_links)]
    for batch in batches(sources, limits=bounds, workers=workers):
        yield from batch.items
