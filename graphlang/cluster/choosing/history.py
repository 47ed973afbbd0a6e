"""Captures of pages besides their own (``--keep all``), by the rules of `graphlang.db.write.history`.

All captures of a page stand together here, so that a list takes the place of the database's rows: each date and payload
is one entry, and of each content that is not that of the page's own capture one entry is whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from graphlang.cluster.choosing.links import links_of
from graphlang.cluster.reading.records import row_of
from graphlang.cluster.tables import HISTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphlang.cluster.reading.page_ids import PageIds
    from graphlang.db.records import Page
    from graphlang.db.write.choose_capture import Facts, Rest

_REDIRECTS: Final = range(300, 400)
#: What only an entry has that is whole.
_CONTENT: Final = ("title", "text", "main")


@dataclass(slots=True)
class _Entry:
    facts: Facts
    page: Page
    file: tuple[int, str]
    whole: bool

    def holds(self, payload: str) -> bool:
        facts = self.facts
        return self.whole and facts.digest == payload and facts.size > 0 and facts.status not in _REDIRECTS


class OtherCaptures:
    """The captures of one page that are not its own."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    def take(self, rest: Rest | None, page: Page | None, file: tuple[int, str], own: Facts) -> None:
        """Look at what one more capture led to.

        Args:
            rest: of two captures the one that is not kept; None where there is none.
            page: that capture, where there is one.
            file: number and name of its archive.
            own: facts of the page's own capture from now on.
        """
        if rest is not None and page is not None and (rest.facts.digest or not rest.facts.revisit):
            self._add(_Entry(rest.facts, page, file, whole=True), own)
        if own.payload and (same := self._holder(own.payload)) is not None:
            same.whole = False  # the page's own capture holds its content from now on

    def _holder(self, payload: str) -> _Entry | None:
        return next((entry for entry in self._entries if entry.holds(payload)), None)

    def _add(self, entry: _Entry, own: Facts) -> None:
        facts = entry.facts
        if (facts.date, facts.digest) == (own.date, own.digest):
            return
        held = facts.payload and (facts.payload == own.payload or self._holder(facts.payload) is not None)
        entry.whole = not (facts.revisit or held)
        known = next((one for one in self._entries if _same_time(one.facts, facts)), None)
        if known is not None:
            if not (entry.whole and facts.payload):
                return
            self._entries.remove(known)  # it waits for its content, or had that of the capture that gives way
        self._entries.append(entry)

    def rows(self, ids: PageIds) -> Iterator[dict[str, Any]]:
        """The entries as rows with the columns of captures, and ``number`` and ``whole``.

        Args:
            ids: of pages.
        """
        for number, entry in enumerate(self._entries):
            source, file = entry.file
            row = row_of(entry.page, ids) | {
                "source": source,
                "file": file,
                "number": number,
                "whole": int(entry.whole),
            }
            if not entry.whole:
                row |= dict.fromkeys(_CONTENT) | {"declared": [], "link_ids": [], "link_kinds": b"", "hreflangs": []}
            yield row


def _same_time(one: Facts, other: Facts) -> bool:
    return (one.date, one.digest) == (other.date, other.digest)


def history_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On an executor: other captures with their links, as they are kept.

    Args:
        batches: rows with the columns of `graphlang.cluster.tables.CHOSEN`.

    Yields:
        Rows of `graphlang.cluster.tables.HISTORY`.
    """
    for batch in batches:
        rows = batch.to_pylist()
        for place, row in enumerate(rows):
            (links,) = links_of([batch.slice(place, 1)])
            row["links"] = links.drop_columns(["source"]).to_pylist()
        yield pa.RecordBatch.from_pylist(rows, schema=HISTORY)
