"""On an executor: choose the main capture of each page, keep the others, and list the links of captures.

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
from graphlang.db.write.choose_capture import CaptureProperties, Choice, Keep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from graphlang.db.records import Page
    from graphlang.db.write.choose_capture import Rest

_ROWS = 256


def choose(batches: Iterable[pa.RecordBatch], keep: Keep, key: bytes = b"") -> Iterator[pa.RecordBatch]:
    """Yield rows of `CHOSEN`: one a page, and with `Keep.ALL` those of its other captures.

    The batches have rows of `RECORDS`, those of a page together and in the order of reading. ``key`` is
    that of page ids.
    """
    ids = PageIds(key=key)
    rows: list[dict[str, Any]] = []
    page: _Own | None = None
    for batch in batches:
        for row in batch.to_pylist():
            if page is None or page.page != row["page"]:
                if page is not None:
                    rows += page.rows(ids)
                page = _Own(row)
            else:
                page.take(row, keep)
            if len(rows) >= _ROWS:
                yield pa.RecordBatch.from_pylist(rows, schema=CHOSEN)
                rows = []
    if page is not None:
        rows += page.rows(ids)
    yield pa.RecordBatch.from_pylist(rows, schema=CHOSEN)


class _Own:
    """The capture that is a page's own so far."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.page: int = row["page"]
        capture = page_of(row)
        self._choice = Choice(CaptureProperties.of(capture), 1, capture, 0)
        self._files = {id(capture): (row["source"], row["file"])}
        self._chosen: Page = capture
        self._others = OtherCaptures()

    def take(self, row: dict[str, Any], keep: Keep) -> None:
        """Look at one more capture."""
        capture, before = page_of(row), self._chosen
        file, held = (row["source"], row["file"]), self._files[id(before)]
        rest = self._choice.take(capture, 0, keep)
        after = self._choice.page or before
        if after is capture:
            self._files = {id(after): file}
        elif after is not before:  # joined of two parts: it stands where its text does
            self._files = {id(after): file if capture.parts == "text" else held}
        self._chosen = after
        if keep is Keep.ALL:
            other = None if rest is None else rest.page
            self._others.take(rest, other, file if other is capture else held, self._choice.facts)

    def rows(self, ids: PageIds) -> Iterator[dict[str, Any]]:
        """Yield the main capture, then the others."""
        source, file = self._files[id(self._chosen)]
        yield row_of(self._chosen, ids) | {"source": source, "file": file, "captures": self._choice.count}
        yield from self._others.rows(ids)


_REDIRECTS: Final = range(300, 400)
#: What only an entry has that is whole.
_CONTENT: Final = ("title", "text", "main")


@dataclass(slots=True)
class _Entry:
    facts: CaptureProperties
    page: Page
    file: tuple[int, str]
    whole: bool

    def holds(self, payload: str) -> bool:
        facts = self.facts
        return self.whole and facts.digest == payload and facts.size > 0 and facts.status not in _REDIRECTS


class OtherCaptures:
    """The captures of one page besides its own: one entry for each date and payload.

    One entry is whole for each content that the main capture does not hold.
    """

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    def take(self, rest: Rest | None, page: Page | None, file: tuple[int, str], own_facts: CaptureProperties) -> None:
        """Take the capture that the page's own one displaced, or that lost to it.

        ``own_facts`` are those of the main capture from now on.
        """
        if rest is not None and page is not None and (rest.facts.digest or not rest.facts.revisit):
            self._add(_Entry(rest.facts, page, file, whole=True), own_facts)
        if own_facts.payload and (same := self._holder(own_facts.payload)) is not None:
            same.whole = False  # the main capture holds its content from now on

    def _holder(self, payload: str) -> _Entry | None:
        return next((entry for entry in self._entries if entry.holds(payload)), None)

    def _add(self, entry: _Entry, own_facts: CaptureProperties) -> None:
        facts = entry.facts
        if (facts.date, facts.digest) == (own_facts.date, own_facts.digest):
            return
        held = facts.payload and (facts.payload == own_facts.payload or self._holder(facts.payload) is not None)
        entry.whole = not (facts.revisit or held)
        same = next((other for other in self._entries if _is_same_time(other.facts, facts)), None)
        if same is not None:
            if not (entry.whole and facts.payload):
                return
            self._entries.remove(same)  # it waits for its content, or had that of the capture that gives way
        self._entries.append(entry)

    def rows(self, ids: PageIds) -> Iterator[dict[str, Any]]:
        """Yield the entries with the columns of captures, and ``number`` and ``whole``."""
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


def _is_same_time(facts: CaptureProperties, other: CaptureProperties) -> bool:
    return (facts.date, facts.digest) == (other.date, other.digest)


def history_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of `HISTORY`: other captures with their links."""
    for batch in batches:
        rows = batch.to_pylist()
        for place, row in enumerate(rows):
            (links,) = links_of([batch.slice(place, 1)])
            row["links"] = links.drop_columns(["source"]).to_pylist()
        yield pa.RecordBatch.from_pylist(rows, schema=HISTORY)


def links_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of `LINKS` in the order of the captures, without links of a page to itself."""
    for batch in batches:
        counts = batch.column("link_ids").value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        source = np.repeat(batch.column("page").to_numpy(), counts)
        target = batch.column("link_ids").flatten().to_numpy()
        kinds = np.frombuffer(b"".join(batch.column("link_kinds").to_pylist()), dtype=np.uint8)
        hreflangs = _hreflangs(batch, counts)
        elsewhere = source != target
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(source[elsewhere]),
                pa.array(target[elsewhere]),
                link_kinds().take(pa.array((kinds[elsewhere] & ~np.uint8(NOFOLLOW)) - 1)),
                pa.array((kinds[elsewhere] >= NOFOLLOW).astype(np.int32)),
                pa.array(hreflangs[elsewhere], type=pa.string()),
                pa.array(_places(counts, elsewhere)),
            ],
            schema=LINKS,
        )


def _hreflangs(batch: pa.RecordBatch, counts: NDArray[np.int64]) -> NDArray[Any]:
    hreflangs = np.full(int(counts.sum()), None, dtype=object)
    first = np.cumsum(counts) - counts
    for start, listed in zip(first.tolist(), batch.column("hreflangs").to_pylist(), strict=True):
        for hreflang in listed or ():
            hreflangs[start + hreflang["place"]] = hreflang["value"]
    return hreflangs


def _places(counts: NDArray[np.int64], elsewhere: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the place of each link among those of its page that are kept."""
    before: NDArray[np.int64] = np.cumsum(elsewhere) - elsewhere
    first = np.append(before, elsewhere.sum())[np.cumsum(counts) - counts]
    places: NDArray[np.int32] = (before - np.repeat(first, counts))[elsewhere].astype(np.int32)
    return places
