"""On an executor: choose a page's own capture of several, keep the others, and list the links of captures.

The rules are those of `graphlang.db.write`: all captures of a page are in one batch here, so that a list takes the
place of the database's rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from graphlang.cluster.page_ids import PageIds
from graphlang.cluster.reading import page_of, row_of
from graphlang.cluster.tables import CHOSEN, HISTORY, LINKS, link_kinds
from graphlang.db.records import NOFOLLOW
from graphlang.db.write.choose_capture import Choice, Facts, Keep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from graphlang.db.records import Page
    from graphlang.db.write.choose_capture import Rest

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
