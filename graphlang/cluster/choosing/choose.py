"""On an executor: of several captures of a URL the one that is the page's own, by the rule of the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from graphlang.cluster.choosing.history import OtherCaptures
from graphlang.cluster.reading.page_ids import PageIds
from graphlang.cluster.reading.records import page_of, row_of
from graphlang.cluster.tables import CHOSEN
from graphlang.db.write.choose_capture import Choice, Facts, Keep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphlang.db.records import Page

_ROWS = 256


def choose(batches: Iterable[pa.RecordBatch], keep: Keep) -> Iterator[pa.RecordBatch]:
    """Choose one capture of each page.

    Args:
        batches: rows of `graphlang.cluster.tables.RECORDS`, those of a page together and in the order of reading.
        keep: which of several captures is the page's own.

    Yields:
        Rows of `graphlang.cluster.tables.CHOSEN`: one a page, and with `Keep.ALL` those of its other captures.
    """
    ids = PageIds()
    rows: list[dict[str, Any]] = []
    own: _Own | None = None
    for batch in batches:
        for row in batch.to_pylist():
            if own is None or own.page != row["page"]:
                if own is not None:
                    rows += own.rows(ids)
                own = _Own(row)
            else:
                own.take(row, keep)
            if len(rows) >= _ROWS:
                yield pa.RecordBatch.from_pylist(rows, schema=CHOSEN)
                rows = []
    if own is not None:
        rows += own.rows(ids)
    yield pa.RecordBatch.from_pylist(rows, schema=CHOSEN)


class _Own:
    """The capture that is a page's own so far."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.page: int = row["page"]
        capture = page_of(row)
        self._choice = Choice(Facts.of(capture), 1, capture, 0)
        self._files = {id(capture): (row["source"], row["file"])}
        self._kept: Page = capture
        self._others = OtherCaptures()

    def take(self, row: dict[str, Any], keep: Keep) -> None:
        """Look at one more."""
        capture, before = page_of(row), self._kept
        file, held = (row["source"], row["file"]), self._files[id(before)]
        rest = self._choice.take(capture, 0, keep)
        after = self._choice.page or before
        if after is capture:
            self._files = {id(after): file}
        elif after is not before:  # joined of two parts: it stands where its text does
            self._files = {id(after): file if capture.parts == "text" else held}
        self._kept = after
        if keep is Keep.ALL:
            other = None if rest is None else rest.page
            self._others.take(rest, other, file if other is capture else held, self._choice.facts)

    def rows(self, ids: PageIds) -> Iterator[dict[str, Any]]:
        """What is kept."""
        source, file = self._files[id(self._kept)]
        yield row_of(self._kept, ids) | {"source": source, "file": file, "captures": self._choice.count}
        yield from self._others.rows(ids)
