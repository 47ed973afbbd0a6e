"""On an executor: digests of archives, by which a collection knows them again."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from graphlang.cluster.tables import SOURCES
from graphlang.db.write.sources import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graphlang.cluster.reading.archives import Archive


def digests_of_files(archives: Sequence[Archive]) -> Iterator[pa.RecordBatch]:
    """The digests of local archives.

    Args:
        archives: files that this executor sees; of one that cannot be read the digest is that of its name.

    Yields:
        Rows of `graphlang.cluster.tables.SOURCES`.
    """
    for archive in archives:
        try:
            row = (archive.number, archive.text, *digest_of(Path(archive.name)))
        except OSError:
            row = unread(archive)
        yield _batch(row)


def digests_of(by_path: Mapping[str, Archive], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The digests of archives that Spark brings.

    Args:
        by_path: the archives.
        batches: ``path`` and ``content``.

    Yields:
        As `digests_of_files`.
    """
    for batch in batches:
        for path, content in zip(batch.column("path").to_pylist(), batch.column("content"), strict=True):
            if path in by_path:
                data = memoryview(content.as_buffer())
                yield _batch((by_path[path].number, by_path[path].text, hashlib.sha256(data).hexdigest(), len(data)))


def unread(archive: Archive) -> tuple[int, str, str, int]:
    """A row of `graphlang.cluster.tables.SOURCES` for an archive that cannot be read; who reads it tells what is wrong.

    Args:
        archive: whose name has to do for its bytes.
    """
    digest = hashlib.sha256(f"unread:{archive.name}".encode("utf-8", "surrogateescape")).hexdigest()
    return (archive.number, archive.text, digest, 0)


def _batch(row: tuple[int, str, str, int]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([dict(zip(SOURCES.names, row, strict=True))], schema=SOURCES)
