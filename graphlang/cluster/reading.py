"""On an executor: read archives, or byte ranges of them, into rows of captures and problems.

And rows back into pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from graphlang.cluster.archives import Piece, local_file, reason_of
from graphlang.cluster.page_ids import NewUrls, PageIds, page_id
from graphlang.cluster.tables import RANGE, RECORDS
from graphlang.db.records import Declaration, Links, Page, Problem, inflate_text, split_text
from graphlang.ingest.files.byte_ranges import ByteRange, find_record
from graphlang.ingest.formats.detect import open_range
from graphlang.ingest.page import Parser, is_candidate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from graphlang.cluster.page_ids import NewUrls
    from graphlang.ingest import Limits
    from graphlang.ingest.raw import Item

#: Columns of a row that have other names than the fields of a page.
_RENAMED: Final = {"main": "main_length"}
_PLAIN: Final = (
    *("url", "offset", "date", "status", "mime", "charset", "charset_from", "length", "size", "digest", "revisit_of"),
    *("revisit_date", "parts", "title", "text", "main", "visible"),
)


class RecordRows:
    """Collects rows of `RECORDS` and returns them as batches; ``begin`` is where the byte range begins."""

    def __init__(self, source: int, file: str, begin: int, new: NewUrls | None = None, key: bytes = b"") -> None:
        self._where = {"source": source, "file": file, "begin": begin}
        self._columns: dict[str, list[Any]] = {name: [] for name in RECORDS.names}
        self._ids = PageIds(new, key)
        self._place = 0

    def __len__(self) -> int:
        return len(self._columns["kind"])

    def add(self, item: Item) -> None:
        """Add a page, or a problem."""
        if isinstance(item, Page):
            self._append({**row_of(item, self._ids)})
        else:
            self._append(_row_of_problem(item))

    def end(self, kind: str, *, first: int, ended: int | None, stop: int) -> None:
        """Add a row about the byte range; ``first`` is where its first record begins, -1 for none."""
        self._append({"kind": kind, "found": first, "ended": ended, "stop": stop})

    def batch(self) -> pa.RecordBatch:
        """Return the rows that were added since the last batch."""
        columns = [pa.array(self._columns[field.name], type=field.type) for field in RECORDS]
        for values in self._columns.values():
            values.clear()
        return pa.RecordBatch.from_arrays(columns, schema=RECORDS)

    def _append(self, row: dict[str, Any]) -> None:
        row |= self._where
        row["place"] = self._place
        self._place += 1
        for name, values in self._columns.items():
            values.append(row.get(name))


def row_of(page: Page, ids: PageIds) -> dict[str, Any]:
    """Return the columns that a page fills."""
    links = Links.of(page.links)
    targets = links.urls.split(b"\0")[:-1]
    own_id, *targets_ids = ids.of([page.url.encode(), *targets])
    row = {name: getattr(page, _RENAMED.get(name, name)) for name in _PLAIN}
    if page.rest:
        row["text"] = page.text + inflate_text(page.rest, page.length)
    return row | {
        "page": own_id,
        "revisit_page": None if page.revisit_of is None else page_id(page.revisit_of.encode(), ids.key),
        "declared": [declaration._asdict() for declaration in page.declared],
        "link_urls": links.urls,
        "link_ids": targets_ids,
        "link_kinds": links.kinds,
        "hreflangs": [{"place": place, "value": value} for place, value in links.hreflangs],
    }


def page_of(row: Mapping[str, Any]) -> Page:
    """Return the page of a row of `row_of`, without the words of links."""
    fields: dict[str, Any] = {_RENAMED.get(name, name): row[name] for name in _PLAIN}
    fields["text"], fields["rest"] = split_text(fields["text"])
    hreflangs = tuple((entry["place"], entry["value"]) for entry in row["hreflangs"])
    return Page(
        **fields,
        declared=tuple(Declaration(entry["source"], entry["value"]) for entry in row["declared"]),
        links=Links(row["link_urls"], row["link_kinds"], hreflangs),
    )


def _row_of_problem(problem: Problem) -> dict[str, Any]:
    texts = {"url": problem.url, "kind": problem.kind, "reason": problem.reason}
    cleaned = {name: None if text is None else _utf8(text) for name, text in texts.items()}
    return {**cleaned, "offset": problem.offset}


def _utf8(text: str) -> str:
    """Replace what no UTF-8 text can hold: problems quote archives."""
    return text.encode("utf-8", "replace").decode()


_ROWS: Final = 256  # of a batch at most
_BYTES: Final = 8 << 20  # of records, after which a batch is closed
_ALL: Final = 1 << 62  # behind the end of any file


def read_pieces(
    pieces: Sequence[Piece], limits: Limits, new: NewUrls | None = None, *, key: bytes = b""
) -> Iterator[pa.RecordBatch]:
    """Yield rows of `graphlang.cluster.tables.RECORDS` from the pieces of a task.

    They depend on the archives and the limits alone, so that a task may be repeated anywhere. An archive that cannot be
    read is a row; nothing that an archive holds is raised. ``new`` gets the URLs of pages and of their links. ``key``
    is that of page ids.
    """
    parser = Parser(limits)
    for piece in pieces:
        yield from _read_piece(piece, parser, limits, new, key)


def _read_piece(
    piece: Piece, parser: Parser, limits: Limits, new: NewUrls | None, key: bytes
) -> Iterator[pa.RecordBatch]:
    rows = RecordRows(piece.archive.number, piece.archive.text, piece.begin, new, key)
    stop = _ALL if piece.stop is None else piece.stop
    begin: int | None = piece.begin
    ended: int | None = None
    reached = 0
    try:
        with local_file(piece.archive) as path:
            byte_range = ByteRange(path, piece.begin, stop, exact=piece.first)
            if not piece.first:
                with byte_range.open() as file:
                    begin = find_record(file, piece.begin, min(stop, piece.archive.size))
            if begin is not None:
                with open_range(byte_range, limits, begin) as reader:
                    size = 0
                    for raw in reader:
                        reached = reader.bytes_read
                        if is_candidate(raw):
                            for item in parser.parse(raw):
                                rows.add(item)
                            size += len(raw.block)
                        if len(rows) >= _ROWS or size >= _BYTES:
                            yield rows.batch()
                            size = 0
                    ended = reader.ended
    except OSError as error:
        rows.add(Problem("unreadable", reason_of(error), reached))
    rows.end(RANGE, first=-1 if begin is None else begin, ended=ended, stop=stop)
    yield rows.batch()
