"""On an executor: archives, or byte ranges of them, into rows of captures and problems."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphlang.cluster.reading.archives import Piece
from graphlang.cluster.reading.records import RecordRows
from graphlang.cluster.tables import RANGE
from graphlang.db.records import Problem
from graphlang.ingest.files.byte_ranges import ByteRange, find_record
from graphlang.ingest.formats.detect import open_range
from graphlang.ingest.page import Parser, is_candidate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from graphlang.cluster.reading.archives import Archive
    from graphlang.cluster.reading.page_ids import NewUrls
    from graphlang.ingest import Limits

_ROWS: Final = 256  # of a batch at most
_BYTES: Final = 8 << 20  # of records, after which a batch is closed
_ALL: Final = 1 << 62  # behind the end of any file


def read_pieces(pieces: Sequence[Piece], limits: Limits, new: NewUrls | None = None) -> Iterator[pa.RecordBatch]:
    """Read the pieces of a task.

    What comes out depends on the archives and the limits alone, so that a task may be repeated anywhere. What cannot be
    read is told in a row; nothing that an archive holds is raised.

    Args:
        pieces: what to read.
        limits: bounds of a record.
        new: gets the URLs of pages and of what they link to, each with its id.

    Yields:
        Rows of `graphlang.cluster.tables.RECORDS`.
    """
    parser = Parser(limits)
    for piece in pieces:
        yield from _read(piece, Path(piece.archive.name), parser, limits, new)


def read_content(archive: Archive, content: Any, limits: Limits) -> Iterator[pa.RecordBatch]:
    """Read an archive whose bytes Spark has brought; they are put into a temporary file, since readers go back.

    Args:
        archive: where they come from.
        content: all its bytes.
        limits: bounds of a record.

    Yields:
        As `read_pieces`.
    """
    name = archive.name.rsplit("/", 1)[-1]
    with tempfile.TemporaryDirectory(prefix="graphlang-") as folder:
        # Of the name only the end: it is a hint for damaged files, and must not lead elsewhere.
        path = Path(folder, f"archive{''.join(Path(name).suffixes[-2:])[:20]}")
        path.write_bytes(content)
        yield from _read(Piece(archive, 0, None, first=True), path, Parser(limits), limits)


def _read(
    piece: Piece, path: Path, parser: Parser, limits: Limits, new: NewUrls | None = None
) -> Iterator[pa.RecordBatch]:
    rows = RecordRows(piece.archive.number, piece.archive.text, piece.begin, new)
    stop = _ALL if piece.stop is None else piece.stop
    byte_range = ByteRange(path, piece.begin, stop, exact=piece.first)
    found: int | None = piece.begin
    ended: int | None = None
    try:
        if not piece.first:
            with byte_range.opened() as file:
                found = find_record(file, piece.begin, min(stop, piece.archive.size))
        if found is not None:
            with open_range(byte_range, limits, found) as reader:
                size = 0
                for raw in reader:
                    if is_candidate(raw):
                        for item in parser.parse(raw):
                            rows.add(item)
                        size += len(raw.block)
                    if len(rows) >= _ROWS or size >= _BYTES:
                        yield rows.batch()
                        size = 0
                ended = reader.ended
    except OSError as error:
        rows.add(Problem("unreadable", error.strerror or str(error), 0))
    rows.end(RANGE, found=-1 if found is None else found, ended=ended, stop=stop)
    yield rows.batch()
