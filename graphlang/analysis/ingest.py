"""Read files into the collection: one writer, readers in parallel, safe to stop and to repeat."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphlang import plugins
from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import InputError
from graphlang.db.connection import its_files
from graphlang.db.records import Page, Problem
from graphlang.db.write import sources
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import Site, Writer, finish
from graphlang.ingest import ArchiveFiles, Limits, SkippedFile, batches, discover_files
from graphlang.ingest.files.file_slice import file_signature
from graphlang.ingest.links.canonical import Place, find_places, place

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graphlang.ingest import PrestartedWorkers
    from graphlang.ingest.read_batches import Batch


_BATCHES = 4  # that are written in one transaction
_CLOCK_TICK = 100_000_000  # nanoseconds: two changes of a file within them may have the same time
_BYTES = 8 << 20  # and bytes of their pages, after which it ends


class _Reading(NamedTuple):
    """A file that is read, as it was before its digest was taken."""

    path: Path
    source: int
    signature: tuple[object, ...]
    begun: int  # nanoseconds
    unread: bool


@dataclass(slots=True)
class Ingested:
    """What a call of ``ingest`` did."""

    files: int = 0  #: files that were read, at least in part
    known: list[Path] = field(default_factory=list)  #: files whose bytes had been read before
    #: Those of them that were no archive then, where readers of other packages are asked now, which may know them.
    refused: list[Path] = field(default_factory=list)
    #: Those of them, and of the files that were begun before, that were read with other options.
    changed: list[tuple[Path, tuple[sources.Change, ...]]] = field(default_factory=list)
    #: Files of folders, and of the database, that were passed over, and why.
    passed: list[SkippedFile] = field(default_factory=list)
    #: Files that the system could not read to their end, or that changed meanwhile: the next call reads them again.
    unfinished: list[Path] = field(default_factory=list)
    pages: int = 0  #: read by this call
    links: int = 0  #: stored by this call
    others: int = 0  #: of the pages read by this call, captures of URLs that had one
    kept: int = 0  #: of these, those that are kept with their dates beside the pages' own
    keep: Keep = Keep.ALL  #: which captures were asked for
    problems: int = 0  #: of all the files given, those of earlier calls included
    seconds: float = 0.0


def _identity(path: Path) -> tuple[int, int] | None:
    """What two paths to one file have in common; None where there is none, as where SQLite just took its log away."""
    try:
        known = path.stat()
    except FileNotFoundError:
        return None
    return known.st_dev, known.st_ino


def _without_own(connection: sqlite3.Connection, named: ArchiveFiles) -> ArchiveFiles:
    """What was named but for the database: a pattern of the shell names it, too, when a command is repeated."""
    # As bytes: a file's name need be no UTF-8.
    (name,) = connection.execute("SELECT CAST(file AS BLOB) FROM pragma_database_list WHERE name = 'main'").fetchone()
    db = Path(os.fsdecode(name))
    own = {known: words for path, words in its_files(db) if (known := _identity(path)) is not None}
    passed = {file: SkippedFile(file, own[known]) for file in named.files if (known := _identity(file)) in own}
    if not passed:
        return named
    return ArchiveFiles(
        [file for file in named.files if file not in passed], sorted([*named.skipped, *passed.values()])
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
    """Read files and folders into the collection.

    Files whose bytes are already in the collection are passed over; one that was cut off goes on where it stopped.
    The database does not depend on the number of workers, nor on where and how often the work was stopped.

    Args:
        connection: a collection opened for writing.
        files: archives, or folders that hold them; or what `found` made of them.
        names: what some of the files are called in the collection, if not by their paths.
        keep: which of several captures of a URL are kept.
        limits: how much of a page is kept, see ``graphlang.ingest.Limits``.
        again: read files again that were read before, with these limits; what they held stays until it is replaced.
        workers: processes that parse pages; 1 parses in this process.
        prestarted: these processes, where they were started before; whoever did so ends those that were not needed.
        progress: told of bytes, pages and links.

    Raises:
        InputError: a file or folder does not exist, or cannot be read at all.
    """
    started = time.perf_counter()
    wanted = _without_own(connection, files if isinstance(files, ArchiveFiles) else found(files))
    done = Ingested(passed=wanted.skipped, keep=keep)
    queue: list[tuple[Path, int]] = []
    ids: list[int] = []
    sizes: list[int] = []
    readings: list[_Reading] = []
    given: set[int] = set()
    looked = 0
    progress.stage("digest", _bytes(wanted.files), "bytes")
    for path in wanted.files:
        before = (prestarted.signatures.get(path) if prestarted is not None else None) or file_signature(path)
        begun = time.time_ns()
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
        given.add(source.id)
        looked += source.size
        if source.changed:
            done.changed.append((Path((names or {}).get(path, path)), source.changed))
        progress.advance(looked)
        if source.finished or source.id in ids:
            done.known.append(Path((names or {}).get(path, path)))
            if plugins.list_plugins(plugins.READERS) and _was_no_archive(connection, source.id):
                done.refused.append(done.known[-1])
        else:
            queue.append((path, source.position))
            ids.append(source.id)
            sizes.append(source.size)
            readings.append(_Reading(path, source.id, before, begun, source.unread))
    if queue:
        progress.stage("ingest", sum(sizes), "bytes")
        read = batches(queue, limits=limits or Limits(), workers=workers, prestarted=prestarted)
        _write_batches(connection, _together(read), readings, sizes, done, names or {}, progress)
    finish(connection)
    done.problems = sum(_problems(connection, source) for source in given)
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
    """Write what is read, and count it in ``done``."""
    writer = Writer(connection, site_of, keep=done.keep, sites=sites_of)
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
        done.others += counts.others
        done.kept += counts.kept
        progress.advance(before + batch.bytes_read, pages=done.pages, links=done.links, problems=done.problems)
        if batch.last:
            before += sizes[batch.source]
            done.files += 1
            if not finished:
                done.unfinished.append(Path(names.get(reading.path, reading.path)))


def _find_change(connection: sqlite3.Connection, reading: _Reading) -> Problem | None:
    """Return the problem of a file whose digest is not that of the bytes that were read, and forget this digest."""
    if reading.unread:
        return Problem("unreadable", "the system could not read the whole file for its digest", 0)
    if file_signature(reading.path) == reading.signature and not _is_racy(connection, reading):
        return None
    sources.forget_digest(connection, reading.source, reading.path)
    return Problem("changed", "the file changed while it was read", 0)


def _is_racy(connection: sqlite3.Connection, reading: _Reading) -> bool:
    """Return whether a file was written to so shortly before that its time may not show a change, and has changed."""
    if reading.path.is_dir() or reading.begun - reading.path.stat().st_mtime_ns > _CLOCK_TICK:
        return False
    (stored,) = connection.execute("SELECT sha256 FROM sources WHERE id = ?", (reading.source,)).fetchone()
    return bool(sources.digest_of(reading.path)[0] != stored)


def _was_no_archive(connection: sqlite3.Connection, source: int) -> bool:
    query = "SELECT 1 FROM problems WHERE source = ? AND kind = 'not-an-archive' AND offset = 0 LIMIT 1"
    return connection.execute(query, (source,)).fetchone() is not None


def _problems(connection: sqlite3.Connection, source: int) -> int:
    (count,) = connection.execute("SELECT COUNT(*) FROM problems WHERE source = ?", (source,)).fetchone()
    return int(count)


def _together(read: Iterable[Batch]) -> Iterator[Batch]:
    """Bring some batches of a file into one: a transaction costs as much as dozens of pages in it."""
    held: list[Batch] = []
    size = 0
    for batch in read:
        held.append(batch)
        size += sum(item.size for item in batch.items if isinstance(item, Page))
        if batch.last or len(held) == _BATCHES or size >= _BYTES:
            yield replace(batch, items=[item for one in held for item in one.items])
            held, size = [], 0


def found(files: Iterable[str | Path], *, follow_links: bool = False) -> ArchiveFiles:
    """Find the files that are to be read, before anything is written.

    Args:
        files: archives, folders that hold them, patterns.
        follow_links: whether symbolic links within folders are followed.

    Raises:
        InputError: one does not exist, or holds nothing to read.
    """
    try:
        return discover_files(files, follow_links=follow_links)
    except OSError as error:
        msg = f"cannot read {error.filename or ''}: {error.strerror or error}".replace(" :", ":")
        raise InputError(msg) from error


def _bytes(paths: list[Path]) -> int | None:
    """Of all files together; None where one of them is a folder, or cannot be looked at."""
    try:
        return None if any(path.is_dir() for path in paths) else sum(path.stat().st_size for path in paths)
    except OSError:
        return None  # whoever opens it will say so


def site_of(url: str) -> Site:
    """What stands in the table ``hosts`` for the host of a URL.

    Args:
        url: canonical.
    """
    return _site(place(url))


def sites_of(urls: Sequence[str]) -> list[Site]:
    """What stands in the table ``hosts`` for the host of each URL.

    Args:
        urls: canonical.
    """
    return list(map(_site, find_places(urls)))


def _site(found: Place) -> Site:
    host, domain, suffix, tld = found
    return Site(host, domain or host, suffix or "", tld or "")
