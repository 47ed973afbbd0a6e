"""The first two stages: read archives into captures and problems, and list every URL that they name once.

Tasks read archives, or byte ranges of them, into rows (`read_pieces`); `row_to_page` restores pages from rows.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphlang.cluster.archives import Piece, cut_archives, find_misread, find_reason, local_file
from graphlang.cluster.page_ids import CollisionError, NewUrls, PageIds, compute_page_id
from graphlang.cluster.stages import BucketFile, read_bucket
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import PAGES, PROBLEMS, RANGE, RECORDS
from graphlang.db.records import Declaration, Links, Page, Problem, inflate_text, split_text
from graphlang.ingest.files.byte_ranges import ByteRange, find_record
from graphlang.ingest.formats.detect import open_range
from graphlang.ingest.links.canonical import split_host
from graphlang.ingest.page import Parser, is_candidate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from graphlang.cluster.archives import Archive
    from graphlang.cluster.stages import Stages, TaskOutput
    from graphlang.cluster.storage import Location
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
            self._append({**page_to_row(item, self._ids)})
        else:
            self._append(_problem_to_row(item))

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


def page_to_row(page: Page, ids: PageIds) -> dict[str, Any]:
    """Return the columns that a page fills."""
    links = Links.from_links(page.links)
    targets = links.urls.split(b"\0")[:-1]
    own_id, *targets_ids = ids.of([page.url.encode(), *targets])
    row = {name: getattr(page, _RENAMED.get(name, name)) for name in _PLAIN}
    if page.rest:
        row["text"] = page.text + inflate_text(page.rest, page.length)
    return row | {
        "page": own_id,
        "revisit_page": None if page.revisit_of is None else compute_page_id(page.revisit_of.encode(), ids.key),
        "declared": [declaration._asdict() for declaration in page.declared],
        "link_urls": links.urls,
        "link_ids": targets_ids,
        "link_kinds": links.kinds,
        "hreflangs": [{"place": place, "value": value} for place, value in links.hreflangs],
    }


def row_to_page(row: Mapping[str, Any]) -> Page:
    """Return the page of a row of `page_to_row`, without the words of links."""
    fields: dict[str, Any] = {_RENAMED.get(name, name): row[name] for name in _PLAIN}
    fields["text"], fields["rest"] = split_text(fields["text"])
    hreflangs = tuple((entry["place"], entry["value"]) for entry in row["hreflangs"])
    return Page(
        **fields,
        declared=tuple(Declaration(entry["source"], entry["value"]) for entry in row["declared"]),
        links=Links(row["link_urls"], row["link_kinds"], hreflangs),
    )


def _problem_to_row(problem: Problem) -> dict[str, Any]:
    texts = {"url": problem.url, "kind": problem.kind, "reason": problem.reason}
    cleaned = {name: None if text is None else _make_valid(text) for name, text in texts.items()}
    return {**cleaned, "offset": problem.offset}


def _make_valid(text: str) -> str:
    """Replace what no UTF-8 text can hold: problems quote archives."""
    return text.encode("utf-8", "replace").decode()


_BATCH_ROWS: Final = 256  # of a batch at most
_BATCH_BYTES: Final = 8 << 20  # of records, after which a batch is closed
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
                        if len(rows) >= _BATCH_ROWS or size >= _BATCH_BYTES:
                            yield rows.batch()
                            size = 0
                    ended = reader.ended
    except OSError as error:
        rows.add(Problem("unreadable", find_reason(error), reached))
    rows.end(RANGE, first=-1 if begin is None else begin, ended=ended, stop=stop)
    yield rows.batch()


RECORDS_TABLE: Final = f"{WORK}/records"
URLS_TABLE: Final = f"{WORK}/urls"
#: Pages with several captures, ascending: a file for each bucket that has any, not compressed, so that all tasks of a
#: machine share it in memory.
SEVERAL_TABLE: Final = f"{WORK}/several"
SEVERAL: Final = pa.schema([("page", pa.int64())])
#: A URL of a capture or a link; or how many captures a page has, without the URL.
NAMED: Final = pa.schema([("page", pa.int64()), ("url", pa.string()), ("captures", pa.int32())])
_RANGE_COLUMNS: Final = ["source", "begin", "found", "ended", "stop"]
_WAITING_URLS: Final = 1 << 15  # before they are written
_AUTHORITY: Final = r"^(?P<authority>[^/]*//[^/]*/?)"
_ROWS: Final = 1 << 17


class _ReadFile(NamedTuple):
    """The pieces of one file of captures."""

    ranges: list[dict[str, Any]]  #: byte ranges
    stem: str  #: of the file
    borrowers: int  #: revisit records that may borrow the content of another capture

    def archives(self) -> set[int]:
        """Return the archives that they are of."""
        return {row["source"] for row in self.ranges}


def read_archives(  # noqa: PLR0917  internal
    stages: Stages,
    archives: Sequence[Archive],
    limits: Limits,
    cores: int,
    bucket_count: int,
    key: bytes = b"",
) -> None:
    """Stage ``read``: captures, problems, and the URLs that they name, by bucket of pages; ``key`` is of page ids."""
    tables = {RECORDS_TABLE: RECORDS, "problems": PROBLEMS, URLS_TABLE: None}
    stages.begin("read", tables)
    work = partial(_read_task, limits, bucket_count, key)
    groups = [(f"part-{number:05d}", task) for number, task in enumerate(cut_archives(archives, cores))]
    first = stages.run(groups, work)
    # The start of a byte range is first a guess. An archive where one was wrong is read again, as a whole.
    again = find_misread(row for results, _ in first for result in results for row in result.ranges)
    whole = cut_archives([archive for archive in archives if archive.number in again], 0)
    second = stages.run([(f"whole-{number:05d}", task) for number, task in enumerate(whole)], work)
    results_kept = [(result, files) for results, files in first for result in results if not again & result.archives()]
    results_kept += [(result, files) for results, files in second for result in results]
    files_taken = [file for result, files in results_kept for file in files if file.name.startswith(f"{result.stem}.")]
    borrowers = sum(result.borrowers for result, _ in results_kept)
    stages.end("read", tables, files_taken, {"buckets": bucket_count, "borrowers": borrowers, "key": key.hex()})


def _read_task(
    limits: Limits, bucket_count: int, key: bytes, group: tuple[str, Sequence[Piece]], output: TaskOutput
) -> list[_ReadFile]:
    """Read the pieces of a task; those of an archive that is cut get files of their own: it may be read again."""
    stem, listed = group
    return [
        _read_file(limits, bucket_count, key, f"{stem}-{number}", list(cut), output)
        for number, (_, cut) in enumerate(groupby(listed, _cut_archive))
    ]


def _cut_archive(piece: Piece) -> int:
    """Return the number of an archive that is cut; -1 for a whole one."""
    return -1 if piece.first and piece.stop is None else piece.archive.number


def _read_file(  # noqa: PLR0917  internal
    limits: Limits, bucket_count: int, key: bytes, stem: str, listed: Sequence[Piece], output: TaskOutput
) -> _ReadFile:
    records = output.rows(RECORDS_TABLE, stem, RECORDS)
    problems = output.rows("problems", stem, PROBLEMS)
    urls = BucketFile(output, URLS_TABLE, stem, NAMED, bucket_count)
    ranges: list[dict[str, Any]] = []
    new, captures, borrowers = NewUrls(), Counter[int](), 0
    for batch in read_pieces(listed, limits, new, key=key):
        kind = batch.column("kind")
        if kind.null_count < batch.num_rows:
            ranges += batch.filter(pc.equal(kind, RANGE)).select(_RANGE_COLUMNS).to_pylist()
            problems.write(batch.filter(pc.not_equal(kind, RANGE)).select(PROBLEMS.names))
            batch = batch.filter(pc.is_null(kind))  # noqa: PLW2901
        records.write(batch)
        captures.update(batch.column("page").to_pylist())
        borrowers += _count_borrowers(batch)
        if len(new.ids) > _WAITING_URLS:
            urls.write(_name_urls(new))
    urls.write(_name_urls(new))
    counted = [pa.array(list(captures), pa.int64()), pa.nulls(len(captures), pa.string())]
    urls.write(pa.RecordBatch.from_arrays([*counted, pa.array(list(captures.values()), pa.int32())], schema=NAMED))
    urls.close()
    return _ReadFile(ranges, stem, borrowers)


def _name_urls(new: NewUrls) -> pa.RecordBatch:
    urls = pa.array(new.urls, pa.binary()).cast(pa.string())
    columns = [pa.array(new.ids, pa.int64()), urls, pa.nulls(len(urls), pa.int32())]
    new.ids.clear()
    new.urls.clear()
    return pa.RecordBatch.from_arrays(columns, schema=NAMED)


def _count_borrowers(batch: pa.RecordBatch) -> int:
    """Count the revisit records without content, but for redirects (`graphlang.db.write.captures`)."""
    if batch.column("revisit_of").null_count == batch.num_rows:
        return 0
    status = batch.column("status")
    moved = pc.and_(pc.and_(pc.greater_equal(status, 300), pc.less(status, 400)), pc.not_equal(status, 304))
    empty = pc.and_(pc.is_valid(batch.column("revisit_of")), pc.equal(batch.column("size"), 0))
    return int(pc.sum(pc.and_(empty, pc.invert(moved.fill_null(False)))).as_py() or 0)  # noqa: FBT003 - the value


def list_pages(stages: Stages, bucket_count: int) -> None:
    """Stage ``pages``: every URL that was read or linked to, once; and which pages have several captures."""
    tables = {"pages": PAGES, SEVERAL_TABLE: None}
    stages.begin("pages", tables)
    work = partial(_list_bucket, stages.files(URLS_TABLE, ".arrow"), bucket_count)
    done = stages.run(range(bucket_count), work)
    files_taken = [file for _, files in done for file in files]
    stages.end("pages", tables, files_taken, {"several": sum(several for several, _ in done)})


def _list_bucket(files: Sequence[Location], bucket_count: int, number: int, output: TaskOutput) -> int:
    """Write the pages of a bucket by ascending id; return how many have several captures."""
    rows = read_bucket(files, number, bucket_count, NAMED)
    placed = append_sites(distinct_urls(rows.filter(pc.is_valid(rows["url"])).select(["page", "url"])))
    pages = output.rows("pages", f"part-{number:05d}", PAGES)
    for batch in placed.to_batches(max_chunksize=_ROWS):
        pages.write(batch)
    captured = rows.filter(pc.is_valid(rows["captures"]))
    page, row = np.unique(captured["page"].to_numpy(), return_inverse=True)
    repeated = page[np.bincount(row, captured["captures"].to_numpy(), len(page)) > 1]
    if len(repeated):
        name = f"part-{number:05d}.arrow"
        location = output.location(SEVERAL_TABLE, name)
        with location.open_output() as file, pa.ipc.new_file(file, SEVERAL) as writer:
            writer.write_batch(pa.RecordBatch.from_arrays([pa.array(repeated)], schema=SEVERAL))
        output.add(SEVERAL_TABLE, location, name, len(repeated))
    return len(repeated)


def distinct_urls(named: pa.Table) -> pa.Table:
    """Return each URL once, by ascending id.

    >>> distinct_urls(pa.table({"page": [7, 3, 7], "url": ["http://a/", "http://b/", "http://a/"]})).to_pylist()
    [{'page': 3, 'url': 'http://b/'}, {'page': 7, 'url': 'http://a/'}]
    """
    page = named["page"].to_numpy()
    order = np.argsort(page, kind="stable")
    page = page[order]
    new = np.ones(len(page), np.bool_)
    new[1:] = page[1:] != page[:-1]
    if new.all():
        return named.take(pa.array(order))
    again = np.flatnonzero(~new)
    urls = named["url"]
    here, before = urls.take(pa.array(order[again])), urls.take(pa.array(order[again - 1]))
    differ = np.flatnonzero(pc.not_equal(here, before).to_numpy(zero_copy_only=False))
    if len(differ):
        at = int(differ[0])
        first, second = sorted((here[at].as_py(), before[at].as_py()))
        raise CollisionError(f"two URLs have the same 64-bit id {page[again[at]]}: {first} and {second}")
    return named.take(pa.array(order[new]))


@lru_cache(maxsize=1 << 17)  # a process works on several buckets, which have the same sites
def _site_of(authority: str) -> tuple[str, str, str, str]:
    host, domain, suffix, tld = split_host(authority)
    return host, domain or host, suffix or "", tld or ""


def append_sites(named: pa.Table) -> pa.Table:
    """Append host, registered domain, public suffix and top-level domain: rows of `PAGES`."""
    urls = named["url"].combine_chunks()
    if isinstance(urls, pa.ChunkedArray):  # nothing at all
        return PAGES.empty_table()
    matches = pc.extract_regex(urls, _AUTHORITY)
    # A URL without an authority is its own key.
    keys = pc.if_else(pc.is_valid(matches), matches.field("authority"), urls).dictionary_encode()
    rows = [_site_of(authority) for authority in keys.dictionary.to_pylist()]
    columns = list(zip(*rows, strict=True)) if rows else [()] * 4
    sites = [pa.array(list(column), pa.string()).take(keys.indices) for column in columns]
    return pa.Table.from_arrays([named["page"], urls, *sites], schema=PAGES)
