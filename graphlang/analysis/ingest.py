"""Read files into the collection with one writer and parallel readers; interrupted or repeated runs are safe."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphlang import plugins
from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import InputError
from graphlang.db.connection import list_companion_files
from graphlang.db.records import Page, Problem
from graphlang.db.write import sources
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import HostParts, Writer, finish
from graphlang.ingest import ArchiveFiles, Limits, SkippedFile, discover_files
from graphlang.ingest.files.file_slice import read_signature
from graphlang.printing import quantity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graphlang.ingest import PrestartedWorkers
    from graphlang.ingest.links.canonical import HostNames
    from graphlang.ingest.read_batches import Batch


_BATCHES = 4  # batches written in one transaction
_CLOCK_TICK = 100_000_000  # nanoseconds within which two changes of a file may have the same time
_BYTES = 8 << 20  # bytes of pages after which a transaction ends


class _Reading(NamedTuple):
    """State of a file before its digest was computed."""

    path: Path
    source: int
    signature: tuple[object, ...]
    begun: int  # nanoseconds
    unread: bool


@dataclass(slots=True)
class Ingested:
    """Result of ``ingest``."""

    files: int = 0  #: files read, at least in part
    already_read: list[Path] = field(default_factory=list)  #: files whose bytes had been read before
    #: Files already read that no reader recognised; a plug-in installed since may recognise them.
    unrecognised: list[Path] = field(default_factory=list)
    #: Files already read, or interrupted, that were read with other options.
    options_changed: list[tuple[Path, tuple[sources.OptionChange, ...]]] = field(default_factory=list)
    #: Skipped files of folders, and files of the database, with the reason.
    skipped: list[SkippedFile] = field(default_factory=list)
    #: Files that could not be read to their end, or that changed meanwhile: the next call reads them again.
    unfinished: list[Path] = field(default_factory=list)
    pages: int = 0  #: read by this call
    links: int = 0  #: stored by this call
    further_captures: int = 0  #: pages of this call that are further captures of a URL
    stored_captures: int = 0  #: of these, those stored with their dates
    keep: Keep = Keep.ALL  #: which captures to store
    problems: int = 0  #: problems of all these files, including earlier calls
    seconds: float = 0.0

    def __repr__(self) -> str:
        """Return the main counts, as a notebook shows them.

        >>> Ingested(files=1, pages=2, problems=1)
        <Ingested: 1 file, 2 pages, 0 links, 1 problem>
        """
        counts = ((self.files, "file"), (self.pages, "page"), (self.links, "link"), (self.problems, "problem"))
        return f"<Ingested: {', '.join(quantity(number, noun) for number, noun in counts)}>"


def _identify_file(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a file; None if it does not exist, as a log that SQLite just removed."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _exclude_database(connection: sqlite3.Connection, archives: ArchiveFiles) -> ArchiveFiles:
    """Remove the database's own files, which a pattern of the shell may include."""
    # As bytes: file names may be invalid UTF-8.
    (name,) = connection.execute("SELECT CAST(file AS BLOB) FROM pragma_database_list WHERE name = 'main'").fetchone()
    db = Path(os.fsdecode(name))
    reasons = {file: reason for path, reason in list_companion_files(db) if (file := _identify_file(path)) is not None}
    skipped = {
        path: SkippedFile(path, reasons[file]) for path in archives.files if (file := _identify_file(path)) in reasons
    }
    if not skipped:
        return archives
    return ArchiveFiles(
        [file for file in archives.files if file not in skipped], sorted([*archives.skipped, *skipped.values()])
    )


def ingest(
    connection: sqlite3.Connection,
    files: Iterable[str | Path] | ArchiveFiles,
    *,
    names: Mapping[Path, str] | None = None,
    keep: Keep = Keep.ALL,
    limits: Limits | None = None,
    again: bool = False,
    workers: int = 1,
    prestarted: PrestartedWorkers | None = None,
    progress: Progress = SILENT,
) -> Ingested:
    """Read files and folders, or the result of `find_archives`, into the collection.

    Files whose bytes are already in the collection are skipped; an interrupted file is resumed. The database does not
    depend on the number of workers and interruptions.

    ``names`` are those of files in the collection; default: their paths. ``keep`` chooses the captures of a URL to
    store. With ``again`` files are read again with these limits; stored pages stay until they are replaced. ``workers``
    processes parse pages; 1 parses in this process. The caller ends unused ones of ``prestarted``. Raise an InputError
    if a file or folder does not exist, or cannot be read at all.
    """
    started = time.perf_counter()
    archives = _exclude_database(connection, files if isinstance(files, ArchiveFiles) else find_archives(files))
    done = Ingested(skipped=archives.skipped, keep=keep)
    queue: list[tuple[Path, int]] = []
    ids: list[int] = []
    sizes: list[int] = []
    readings: list[_Reading] = []
    source_ids: set[int] = set()
    digested = 0
    progress.stage("digest", _measure_files(archives.files), "bytes")
    for path in archives.files:
        before = (prestarted.signatures.get(path) if prestarted is not None else None) or read_signature(path)
        started_ns = time.time_ns()
        try:
            source = sources.register(
                connection,
                path,
                name=(names or {}).get(path),
                keep=keep,
                options=asdict(limits or Limits()),
                repeat=again,
            )
        except OSError as error:
            msg = f"cannot read {path}: {error.strerror or error}"
            raise InputError(msg) from error
        source_ids.add(source.id)
        digested += source.size
        if source.changed:
            done.options_changed.append((Path((names or {}).get(path, path)), source.changed))
        progress.advance(digested)
        if source.finished or source.id in ids:
            done.already_read.append(Path((names or {}).get(path, path)))
            if plugins.list_plugins(plugins.READERS) and _is_unrecognised(connection, source.id):
                done.unrecognised.append(done.already_read[-1])
        else:
            queue.append((path, source.position))
            ids.append(source.id)
            sizes.append(source.size)
            readings.append(_Reading(path, source.id, before, started_ns, source.unread))
    if queue:
        from graphlang.ingest import iterate_batches  # noqa: PLC0415 - all formats: slow to import, and nothing may be new

        progress.stage("ingest", sum(sizes), "bytes")
        read = iterate_batches(queue, limits=limits or Limits(), workers=workers, prestarted=prestarted)
        _write_batches(connection, _join_batches(read), readings, sizes, done, names or {}, progress)
    finish(connection)
    done.problems = sum(_count_problems(connection, source) for source in source_ids)
    done.seconds = time.perf_counter() - started
    return done


def _write_batches(  # noqa: PLR0917 - the state of one call of `ingest`
    connection: sqlite3.Connection,
    read: Iterator[Batch],
    readings: Sequence[_Reading],
    sizes: Sequence[int],
    done: Ingested,
    names: Mapping[Path, str],
    progress: Progress,
) -> None:
    """Write batches, and count them in ``done``."""
    writer = Writer(connection, find_site, keep=done.keep, sites=find_sites)
    before = 0
    for batch in read:
        reading = readings[batch.source]
        change = _find_change(connection, reading) if batch.last else None
        items = batch.items if change is None or batch.failed else [*batch.items, change]
        finished = batch.last and change is None and not batch.failed
        counts = writer.add(reading.source, items, position=batch.position, finished=finished)
        done.pages += counts.pages
        done.links += counts.links
        done.problems += counts.problems
        done.further_captures += counts.further_captures
        done.stored_captures += counts.stored_captures
        progress.advance(before + batch.bytes_read, pages=done.pages, links=done.links, problems=done.problems)
        if batch.last:
            before += sizes[batch.source]
            done.files += 1
            if not finished:
                done.unfinished.append(Path(names.get(reading.path, reading.path)))


def _find_change(connection: sqlite3.Connection, reading: _Reading) -> Problem | None:
    """Return the problem of a file that changed while it was read, and delete its digest."""
    if reading.unread:
        return Problem("unreadable", "the system could not read the whole file for its digest", 0)
    if read_signature(reading.path) == reading.signature and not _is_racy(connection, reading):
        return None
    sources.forget_digest(connection, reading.source, reading.path)
    return Problem("changed", "the file changed while it was read", 0)


def _is_racy(connection: sqlite3.Connection, reading: _Reading) -> bool:
    """Return whether a file has changed although its time is too recent to show the change."""
    if reading.path.is_dir() or reading.begun - reading.path.stat().st_mtime_ns > _CLOCK_TICK:
        return False
    (stored,) = connection.execute("SELECT sha256 FROM sources WHERE id = ?", (reading.source,)).fetchone()
    return bool(sources.digest_content(reading.path)[0] != stored)


def _is_unrecognised(connection: sqlite3.Connection, source: int) -> bool:
    query = "SELECT 1 FROM problems WHERE source = ? AND kind = 'not-an-archive' AND offset = 0 LIMIT 1"
    return connection.execute(query, (source,)).fetchone() is not None


def _count_problems(connection: sqlite3.Connection, source: int) -> int:
    (count,) = connection.execute("SELECT COUNT(*) FROM problems WHERE source = ?", (source,)).fetchone()
    return int(count)


def _join_batches(read: Iterable[Batch]) -> Iterator[Batch]:
    """Join batches of a file, since a transaction costs as much as writing dozens of pages."""
    waiting: list[Batch] = []
    size = 0
    for batch in read:
        waiting.append(batch)
        size += sum(item.size for item in batch.items if isinstance(item, Page))
        if batch.last or len(waiting) == _BATCHES or size >= _BYTES:
            yield replace(batch, items=[item for waiting_batch in waiting for item in waiting_batch.items])
            waiting, size = [], 0


def find_archives(files: Iterable[str | Path], *, follow_links: bool = False) -> ArchiveFiles:
    """Find the files to read.

    ``follow_links`` follows symbolic links within folders. Raise an InputError if a file does not exist, or has nothing
    to read.
    """
    try:
        return discover_files(files, follow_links=follow_links)
    except OSError as error:
        msg = f"cannot read {error.filename or ''}: {error.strerror or error}".replace(" :", ":")
        raise InputError(msg) from error


def _measure_files(paths: list[Path]) -> int | None:
    """Return the size of all files; None if one is a folder or cannot be read."""
    try:
        return None if any(path.is_dir() for path in paths) else sum(path.stat().st_size for path in paths)
    except OSError:
        return None  # reported when it is opened


def find_site(url: str) -> HostParts:
    """Return the row of the table ``hosts`` for a canonical URL."""
    from graphlang.ingest.links.canonical import split_host  # noqa: PLC0415 - as above

    return _make_host_parts(split_host(url))


def find_sites(urls: Sequence[str]) -> list[HostParts]:
    """Return the rows of the table ``hosts`` for canonical URLs."""
    from graphlang.ingest.links.canonical import split_hosts  # noqa: PLC0415 - as above

    return list(map(_make_host_parts, split_hosts(urls)))


def _make_host_parts(place_of_url: HostNames) -> HostParts:
    host, domain, suffix, tld = place_of_url
    return HostParts(host, domain or host, suffix or "", tld or "")
