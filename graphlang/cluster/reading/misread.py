"""On an executor: archives whose byte ranges do not fit each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def misread(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Find the archives that have to be read again as a whole.

    Where a byte range begins is first a guess, which an archive within an archive can deceive. Each has to begin where
    the one before it ended.

    Args:
        batches: byte ranges in order: ``source``, ``begin``, ``found`` (where its first record begins, -1 none),
            ``ended`` (where the next one begins, null at the end of the file) and ``stop``.

    Yields:
        The column ``source``, each archive once.
    """
    wrong = misread_of(row for batch in batches for row in batch.to_pylist())
    yield pa.RecordBatch.from_arrays([pa.array(wrong, type=pa.int32())], names=["source"])


def misread_of(rows: Iterable[Mapping[str, Any]]) -> list[int]:
    """The same of plain rows.

    Args:
        rows: see `misread`.

    Returns:
        the number of each such archive, once.
    """
    wrong: dict[int, None] = {}
    source, expected = -1, None
    for row in rows:
        if row["source"] != source:
            source, expected = row["source"], 0
        taken_in = expected is None or expected >= row["stop"]  # by the byte range before
        if row["found"] < 0 and taken_in:
            continue
        if taken_in or row["found"] != expected:
            wrong[source] = None
        expected = row["ended"]
    return list(wrong)
