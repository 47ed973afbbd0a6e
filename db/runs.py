"""What was computed and how: runs, their predictions and scores, and the one that is chosen.

Nothing is overwritten. A run that was stopped halfway is either continued (content runs go through the pages in order
of ids) or dropped before the next one starts, so that stopping leaves no trace. A run that is not finished belongs to
the connection that started it, or went on with it, and no other writes to it.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphlang.db import corrections, lock, snapshot, values
from graphlang.db.collection import count_pages
from graphlang.db.connection import Writer
from graphlang.db.errors import LockedError, StoreError
from graphlang.db.soundness import MOST
from graphlang.db.write import sources

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

_READ = 100_000
#: What can be a run's answers; `linked_answers` are those for URLs that were only linked to.
_TABLES = ("predictions", "scores", "linked_answers")
BLOCK = 64  #: pages of a row of `linked_answers`
_BASE = 127  #: of the digits in it, each in a byte from 1 on: SQL reads them as characters of ASCII
_DIGITS = 10_000  #: a confidence of 1
CELL = 8  #: bytes of a page's answer in it
_ONE = 1.001  #: no confidence is greater, rounding being allowed for


@dataclass(frozen=True, slots=True)
class Run:
    """One row of ``runs``."""

    id: int
    kind: str
    method: str
    model: str | None
    model_hash: str | None
    parameters: dict[str, Any]
    seeds: tuple[int, ...]
    collection: str
    version: str
    started: str
    finished: str | None
    pages: int | None
    rounds: int | None
    converged: bool | None
    inputs: str | None
    linked: bool | None  #: whether URLs that were only linked to have their answers yet; None: nothing is kept apart

    @property
    def at(self) -> str | None:
        """The moment whose captures it saw (``graphlang.db.snapshot``); None: the pages' own captures."""
        found = self.parameters.get("at")
        return None if found is None else str(found)


class Answers(NamedTuple):
    """Answers for some pages, as arrays of equal length; -1 in a label column means none."""

    pages: NDArray[np.int64]  #: page ids
    label: NDArray[np.int64]  #: ``labels.id``
    confidence: NDArray[np.float64]
    runner_up: NDArray[np.int64]
    runner_up_confidence: NDArray[np.float64]
    characters: NDArray[np.int64]
    encodings: Sequence[str | None] | None = None  #: of methods over bytes; not read back by `read_answers`
    read: Sequence[int] | None = None  #: digests of what was read of the pages; not read back by `read_answers`


class Scores(NamedTuple):
    """Score lists of all pages of a run: matrices of shape (pages of the collection, k)."""

    label: NDArray[np.int32]  #: ``labels.id``, -1 padding, best first
    score: NDArray[np.float32]


_COLUMNS = ", ".join(Run.__slots__)
#: SQL: the moment of a run, see `Run.at`.
AT = "IIF(JSON_VALID(runs.parameters), JSON_EXTRACT(runs.parameters, '$.at'), NULL)"
_COPY = tuple(
    f"INSERT INTO {table} SELECT ?, {columns} FROM {table} WHERE run = ? AND page IN (SELECT value FROM json_each(?))"
    f" ORDER BY {key}"
    for table, columns, key in (
        (
            "predictions",
            "page, label, confidence, runner_up, runner_up_confidence, characters, encoding, read",
            "page",
        ),
        ("scores", "page, rank, label, score", "page, rank"),
    )
)


#: What columns hold that are never empty, and those that may be.
_TEXTS = {"kind", "method", "collection", "version", "started"}
_PERHAPS = {"model": str, "model_hash": str, "finished": str, "inputs": str, "pages": int, "rounds": int}


def _run(row: Sequence[Any]) -> Run:
    fields = dict(zip(Run.__slots__, row, strict=True))
    for name, value in fields.items():
        if (name in _TEXTS and not isinstance(value, str)) or (
            name in _PERHAPS and not (value is None or isinstance(value, _PERHAPS[name]))
        ):
            raise values.refused(f"runs.{name}", value)
    fields["parameters"] = values.json_of("runs.parameters", fields["parameters"], dict)
    fields["seeds"] = tuple(values.json_of("runs.seeds", fields["seeds"], list))
    # A run starts from others that are older, so that going back from one to the next comes to an end.
    if not all(type(seed) is int and 0 < seed < fields["id"] for seed in fields["seeds"]):
        raise values.refused("runs.seeds", row[Run.__slots__.index("seeds")], f"earlier runs than {fields['id']}")
    for name in ("converged", "linked"):
        fields[name] = None if fields[name] is None else bool(fields[name])
    return Run(**fields)


def every(connection: sqlite3.Connection) -> list[Run]:
    """All runs, oldest first."""
    return [_run(row) for row in connection.execute(f"SELECT {_COLUMNS} FROM runs ORDER BY id")]


def get(connection: sqlite3.Connection, run: int) -> Run:
    """One run.

    Args:
        connection: the collection.
        run: its id.

    Raises:
        StoreError: there is no such run, or it was never finished.
    """
    row = connection.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (run,)).fetchone()
    if row is None:
        msg = f"there is no run {run} in this database"
        raise StoreError(msg)
    found = _run(row)
    if found.finished is None:
        msg = f"run {run} was stopped before its end; repeat its command to finish it"
        raise StoreError(msg)
    return found


def origin(connection: sqlite3.Connection, run: Run) -> Run:
    """The run that another one started from.

    Args:
        connection: the collection.
        run: a vote, a propagation, or any other that starts from one.

    Raises:
        StoreError: it names none, or one that is not there or not finished.
    """
    if not run.seeds:
        raise values.refused("runs.seeds", "[]", f"the run that run {run.id} started from")
    return get(connection, run.seeds[0])


def any_of(connection: sqlite3.Connection, run: int) -> Run:
    """One run, finished or not.

    Args:
        connection: the collection.
        run: the run's id, which there is.

    Raises:
        StoreError: it holds what no run does.
    """
    with values.reading("runs"):
        return _run(connection.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (run,)).fetchone())


def absent(connection: sqlite3.Connection, run: int) -> bool:
    """Whether there is no such run.

    Args:
        connection: the collection.
        run: the run's id.
    """
    return connection.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is None


def count_answers(connection: sqlite3.Connection, run: int, labels: Collection[int]) -> tuple[int, int]:
    """How many answers a run has, and how many of those for URLs that were only linked to have no label.

    Args:
        connection: the collection.
        run: the run's id.
        labels: ids that there are.
    """
    (count,) = connection.execute("SELECT COUNT(*) FROM predictions WHERE run = ?", (run,)).fetchone()
    strange = 0
    for (cells,) in connection.execute(
        "SELECT cells FROM linked_answers WHERE run = ? AND LENGTH(cells) = ? AND typeof(cells) = 'blob'",
        (run, CELL * BLOCK),
    ):
        label, runner_up = (column.astype(np.int64) for column in _unpacked(cells)[:, ::2].T)
        count += int((label >= 0).sum())
        known = np.array([-1, *labels])
        strange += int((~np.isin(label, known) | ~np.isin(runner_up, known)).sum())
    return count, strange


def latest(connection: sqlite3.Connection, *kinds: str) -> Run | None:
    """The newest finished run of one of the kinds over the pages' own captures, or over those that are shown.

    Args:
        connection: the collection.
        kinds: values of ``runs.kind``.

    Returns:
        The run, or None where there is none.
    """
    marks = ", ".join("?" * len(kinds))
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM runs WHERE kind IN ({marks}) AND finished IS NOT NULL"
        f" AND COALESCE({AT}, ?) IS ? ORDER BY id DESC LIMIT 1",
        (*kinds, shown := snapshot.moment(connection), shown),
    ).fetchone()
    return None if row is None else _run(row)


def of_moment(connection: sqlite3.Connection, moment: str) -> Run | None:
    """The newest finished run over the captures of a moment: an inference, else a vote, else one over texts.

    Args:
        connection: the collection.
        moment: as `graphlang.db.snapshot.Moment` has it.
    """
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM runs WHERE {AT} = ? AND finished IS NOT NULL"
        " ORDER BY kind = 'content', kind = 'vote', id DESC LIMIT 1",
        (moment,),
    ).fetchone()
    return None if row is None else _run(row)


def start(
    connection: sqlite3.Connection,
    *,
    kind: str,
    method: str,
    parameters: Mapping[str, Any],
    version: str,
    model: str | None = None,
    model_hash: str | None = None,
    seeds: Iterable[int] = (),
) -> Run:
    """Start a run, or find the one that these parameters mean.

    Args:
        connection: a collection opened for writing.
        kind: what the run does: a value of ``runs.kind``.
        method: how: the name of the method or algorithm.
        parameters: all that its answers depend on, and JSON can hold; kept with its keys sorted. On a connection that
            shows a moment (``graphlang.db.snapshot``) that is added, as ``at``.
        version: of graphlang.
        model: name of the model's file; None where there is none.
        model_hash: SHA-256 of the model; None where there is none.
        seeds: ids of the runs that it reads, in the order that the method takes them.

    Returns:
        If the collection has not grown since a run of the same kind, method, model, parameters and seeds, that run:
        finished (there is nothing to do) or stopped halfway (go on after ``last_page``). Else a new run. What is not
        finished is this connection's from now on.

    Raises:
        LockedError: another process is writing a run.
        StoreError: the collection was not opened for writing.
    """
    started_from = list(seeds)
    shown = snapshot.moment(connection)
    parameters = dict(parameters) | ({} if shown is None else {"at": shown})
    identity = (
        kind,
        method,
        model,
        model_hash,
        json.dumps(parameters, sort_keys=True),
        json.dumps(started_from),
        state(connection, started_from),
        version,
    )
    token = _token(connection)
    with _transaction(connection):
        row = connection.execute(
            f"SELECT {_COLUMNS} FROM runs WHERE (kind, method, parameters, seeds, collection, version)"
            " = (?, ?, ?, ?, ?, ?) AND model IS ? AND model_hash IS ? ORDER BY id DESC LIMIT 1",
            (*identity[:2], *identity[4:], *identity[2:4]),
        ).fetchone()
        if row is not None:
            found = _run(row)
            if found.finished is None:
                _check_abandoned(connection, found.id)
                connection.execute("UPDATE runs SET owner = ? WHERE id = ?", (token, found.id))
            return found
        _drop_unfinished(connection)
        cursor = connection.execute(
            "INSERT INTO runs (kind, method, model, model_hash, parameters, seeds, collection, version, started, owner)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*identity, now(), token),
        )
        row = connection.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (cursor.lastrowid,)).fetchone()
    return _run(row)


def state(connection: sqlite3.Connection, seeds: Sequence[int]) -> str:
    """What a run sees of the collection: where it is the same, so are the answers.

    Args:
        connection: the collection.
        seeds: runs that it starts from. A run without any answers each page by itself, and sees no corrections.
    """
    return sources.state(connection) + (corrections.state(connection) if seeds else "")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _token(connection: sqlite3.Connection) -> str:
    held = connection.lock if isinstance(connection, Writer) else None
    if held is None:
        msg = "the collection was not opened for writing"
        raise StoreError(msg)
    return held.token


def _check_abandoned(connection: sqlite3.Connection, run: int) -> None:
    """Make sure that no other process is writing an unfinished run; the lock should see to that, but it is a file."""
    method, owner = connection.execute("SELECT method, owner FROM runs WHERE id = ?", (run,)).fetchone()
    pid = None if owner is None else lock.alive(str(owner))
    if pid is not None:
        msg = f"run {run} ({method}) is being written by process {pid}: wait for it"
        raise LockedError(msg)


def _check_own(connection: sqlite3.Connection, run: int) -> None:
    """Make sure that a run is not finished and belongs to this connection."""
    token = _token(connection)
    row = connection.execute("SELECT owner, finished FROM runs WHERE id = ?", (run,)).fetchone()
    if row is None:
        msg = f"run {run} is gone: another process has dropped it"
    elif row[1] is not None:
        msg = f"run {run} is finished, and nothing is added to it"
    elif row[0] != token:
        msg = f"run {run} belongs to another process by now: start again"
    else:
        return
    raise StoreError(msg)


def reuse(connection: sqlite3.Connection, run: Run, *, choose_it: bool) -> bool:
    """Whether ``start`` found a run that is done; then it is chosen, if that is wanted, and there is no more to do.

    Args:
        connection: a collection opened for writing.
        run: what ``start`` gave.
        choose_it: whether the views are to show it.
    """
    if run.finished is None:
        return False
    if choose_it and run.at is None:
        choose(connection, run.id)
    return True


def earlier(
    connection: sqlite3.Connection, run: Run, *, inputs: str | None = None, any_time: bool = False
) -> Run | None:
    """The newest finished run of the same kind, method, model, parameters and version, whatever collection it saw.

    Args:
        connection: the collection.
        run: the run to compare with; it is not an answer itself.
        inputs: what that run must have read, where not given any.
        any_time: also where it saw the captures of another moment.
    """
    timeless = "IIF(JSON_VALID(parameters), JSON_REMOVE(parameters, '$.at'), NULL) = JSON_REMOVE(?3, '$.at')"
    same = timeless if any_time else "parameters = ?3"
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM runs WHERE (kind, method) = (?1, ?2) AND {same} AND version = ?4 AND model IS ?5"
        " AND model_hash IS ?6 AND id <> ?7 AND finished IS NOT NULL AND (?8 IS NULL OR inputs = ?8)"
        " ORDER BY id DESC LIMIT 1",
        (
            *(run.kind, run.method, json.dumps(run.parameters, sort_keys=True), run.version),
            *(run.model, run.model_hash, run.id, inputs),
        ),
    ).fetchone()
    return None if row is None else _run(row)


def digests(connection: sqlite3.Connection, run: int, pages: Sequence[int]) -> dict[int, int]:
    """Digests of what a run read of some pages, in ascending order of ids; a page that it kept none of is left out.

    Args:
        connection: the collection.
        run: the run's id.
        pages: ids, ascending.

    Returns:
        The digest of each page by its id, and of the other pages that the run read between the first id and the last.
    """
    if not pages:
        return {}
    return dict(
        connection.execute(
            "SELECT page, read FROM predictions WHERE run = ? AND page BETWEEN ? AND ? AND read IS NOT NULL",
            (run, pages[0], pages[-1]),
        )
    )


def readings(connection: sqlite3.Connection, run: int, shorter: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pages with fewer than so many characters, and a digest of what the run read of each, where it kept one.

    Args:
        connection: the collection.
        run: the run's id.
        shorter: characters; only pages with fewer.

    Returns:
        Page ids, ascending, and a digest for each: two arrays of shape (pages,).
    """
    cursor = connection.execute(
        "SELECT page, read FROM predictions WHERE run = ? AND characters < ? AND read IS NOT NULL ORDER BY page",
        (run, shorter),
    )
    parts = [np.zeros((0, 2), dtype=np.int64)]
    while rows := cursor.fetchmany(_READ):
        with values.reading("predictions"):
            parts.append(np.array(rows, dtype=np.int64))
    table = np.concatenate(parts)
    values.within("predictions.page", table[:, 0], 1, count_pages(connection))
    return table[:, 0], table[:, 1]


def drop_unfinished(connection: sqlite3.Connection) -> None:
    """Forget runs that were stopped halfway.

    Raises:
        LockedError: another process is writing one of them.
    """
    with _transaction(connection):
        _drop_unfinished(connection)


def _drop_unfinished(connection: sqlite3.Connection) -> None:
    for (run,) in connection.execute("SELECT id FROM runs WHERE finished IS NULL").fetchall():
        _check_abandoned(connection, run)
        _drop_answers(connection, run)
        connection.execute("DELETE FROM runs WHERE id = ?", (run,))


def _drop_answers(connection: sqlite3.Connection, run: int) -> None:
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE run = ?", (run,))


def forget(connection: sqlite3.Connection, run: int) -> None:
    """Drop a run with its answers, whatever it is and whosever.

    Args:
        connection: within a transaction.
        run: the run's id.
    """
    _drop_answers(connection, run)
    connection.execute("DELETE FROM runs WHERE id = ?", (run,))


def clear(connection: sqlite3.Connection, run: int) -> None:
    """Forget what a run that was stopped halfway had written.

    Args:
        connection: a collection opened for writing.
        run: the run's id.

    Raises:
        StoreError: the run does not belong to this connection.
    """
    with _transaction(connection):
        _check_own(connection, run)
        _drop_answers(connection, run)


def last_page(connection: sqlite3.Connection, run: int) -> int:
    """The greatest page id that the run has answered; 0 if none.

    Args:
        connection: the collection.
        run: the run's id.
    """
    return int(connection.execute("SELECT COALESCE(MAX(page), 0) FROM predictions WHERE run = ?", (run,)).fetchone()[0])


def write(
    connection: sqlite3.Connection,
    run: int,
    answers: Answers,
    top: tuple[NDArray[np.integer[Any]], NDArray[np.floating[Any]]] | None = None,
    *,
    copied: tuple[int, Sequence[int]] | None = None,
) -> None:
    """Write the answers for some pages in one transaction.

    Args:
        connection: the collection.
        run: the run, not finished.
        answers: one row a page.
        top: label ids and scores, both of shape (pages, k), best first; a label of -1 is not written.
        copied: an earlier run, and other pages that have its answers and scores in this run, too.

    Raises:
        StoreError: the run is finished, or does not belong to this connection.
    """
    with _transaction(connection):
        _check_own(connection, run)
        runner_up = answers.runner_up
        connection.executemany(
            "INSERT INTO predictions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            zip(
                [run] * len(answers.pages),
                answers.pages.tolist(),
                answers.label.tolist(),
                _tidy(answers.confidence),
                [None if label < 0 else label for label in runner_up.tolist()],
                [
                    None if label < 0 else value
                    for label, value in zip(runner_up.tolist(), _tidy(answers.runner_up_confidence), strict=True)
                ],
                answers.characters.tolist(),
                answers.encodings or repeat(None, len(answers.pages)),
                answers.read or repeat(None, len(answers.pages)),
                strict=True,
            ),
        )
        if top is not None:
            labels, scores = top
            row, rank = np.nonzero(np.asarray(labels) >= 0)
            connection.executemany(
                "INSERT INTO scores VALUES (?, ?, ?, ?, ?)",
                zip(
                    [run] * len(row),
                    answers.pages[row].tolist(),
                    (rank + 1).tolist(),
                    np.asarray(labels)[row, rank].tolist(),
                    _tidy(np.asarray(scores)[row, rank]),
                    strict=True,
                ),
            )
        if copied is not None:
            for statement in _COPY:
                connection.execute(statement, (run, copied[0], json.dumps(list(copied[1]))))


class Linked(NamedTuple):
    """Answers for pages one after the other by id, as arrays of equal length; -1 in a label column means none."""

    label: NDArray[np.integer[Any]]  #: ``labels.id``
    confidence: NDArray[np.floating[Any]]
    runner_up: NDArray[np.integer[Any]]
    runner_up_confidence: NDArray[np.floating[Any]]


def write_linked(connection: sqlite3.Connection, run: int, parts: Iterable[Linked]) -> int:
    """Write the answers of a finished run for the URLs that were only linked to, all of them in one transaction.

    Args:
        connection: the collection.
        run: the run.
        parts: answers for all pages from the first on, the fetched ones among them without any; each part but the last
            has a multiple of ``BLOCK`` pages.

    Returns:
        How many pages have an answer.

    Raises:
        ValueError: a label that has no place in a cell.
    """
    answered = first = 0
    with _transaction(connection):
        connection.execute("DELETE FROM linked_answers WHERE run = ?", (run,))
        for part in parts:
            rows = _cells(part)
            answered += int((part.label >= 0).sum())
            filled = np.flatnonzero(rows.any(axis=1))
            connection.executemany(
                "INSERT INTO linked_answers VALUES (?, ?, ?)",
                ((run, first + block, rows[block].tobytes()) for block in filled.tolist()),
            )
            first += len(rows)
        connection.execute("UPDATE runs SET linked = 1, pages = pages + ? WHERE id = ?", (answered, run))
    return answered


def drop_linked(connection: sqlite3.Connection, pages: Iterable[int]) -> int:
    """Take pages out of what runs answered for URLs that were only linked to; returns how many answers there were.

    Args:
        connection: within a transaction.
        pages: ids.
    """
    blocks: dict[int, list[int]] = {}
    for page in pages:
        blocks.setdefault((page - 1) // BLOCK, []).append((page - 1) % BLOCK)
    dropped = 0
    for block, places in blocks.items():
        rows = connection.execute("SELECT run, cells FROM linked_answers WHERE block = ?", (block,)).fetchall()
        for run, cells in rows:
            values.of_type("linked_answers.cells", [cells], bytes)
            if len(cells) != CELL * BLOCK:
                raise values.refused("the length of linked_answers.cells", len(cells), f"{CELL * BLOCK} bytes")
            left = np.frombuffer(cells, dtype=np.uint8).reshape(BLOCK, -1).copy()
            answered = int(left[places].any(axis=1).sum())
            left[places] = 0
            connection.execute(
                "UPDATE linked_answers SET cells = ? WHERE run = ? AND block = ?", (left.tobytes(), run, block)
            )
            connection.execute("UPDATE runs SET pages = pages - ? WHERE id = ?", (answered, run))
            dropped += answered
    return dropped


def _cells(part: Linked) -> NDArray[np.uint8]:
    """Cells of pages, a row for each block; see the table's documentation."""
    count = len(part.label)
    found = np.zeros((-(-count // BLOCK) * BLOCK, CELL), dtype=np.uint8)
    for place, (label, chance) in enumerate(
        ((part.label, part.confidence), (part.runner_up, part.runner_up_confidence))
    ):
        known = np.flatnonzero(label >= 0)
        numbers = np.asarray(label)[known].astype(np.int64)
        if len(numbers) and numbers.max() >= _BASE**2:
            raise ValueError(f"label {numbers.max()} is outside 0..{_BASE**2 - 1}")
        levels = np.round(np.clip(np.asarray(chance)[known], 0, 1) * _DIGITS).astype(np.int64)
        for at, digits in ((4 * place, numbers), (4 * place + 2, levels)):
            found[known, at], found[known, at + 1] = digits // _BASE + 1, digits % _BASE + 1
    return found.reshape(-1, BLOCK * CELL)


def _tidy(values: NDArray[np.floating[Any]]) -> list[float]:
    # Six digits: what is beyond differs from machine to machine and means nothing.
    return [float(value) for value in np.round(np.asarray(values, dtype=np.float64), 6).tolist()]


def finish(
    connection: sqlite3.Connection,
    run: int,
    *,
    pages: int,
    rounds: int | None = None,
    converged: bool | None = None,
    inputs: str | None = None,
    linked: bool | None = None,
    choose: bool = True,
) -> None:
    """Close a run; it becomes the chosen one unless told otherwise. ``linked``: see `Run`.

    Args:
        connection: a collection opened for writing.
        run: the run's id.
        pages: how many have an answer.
        rounds: of the inference; None where the method has none.
        converged: whether the inference came to rest; None where the method has no rounds.
        inputs: digest of all that the run read; None where none was taken.
        linked: whether URLs that were only linked to have their answers; None: they are not kept apart. See `Run`.
        choose: whether the views show this run from now on.

    Raises:
        StoreError: the run is finished, or does not belong to this connection.
    """
    with _transaction(connection):
        _check_own(connection, run)
        connection.execute(
            "UPDATE runs SET finished = ?, pages = ?, rounds = ?, converged = ?, inputs = ?, linked = ?,"
            " owner = NULL WHERE id = ?",
            (now(), pages, rounds, None if converged is None else int(converged), inputs, linked, run),
        )
        if choose and snapshot.moment(connection) is None:
            connection.execute("INSERT OR REPLACE INTO chosen VALUES (1, ?)", (run,))


def choose(connection: sqlite3.Connection, run: int) -> None:
    """Let the views show this run.

    Args:
        connection: a collection opened for writing.
        run: the run's id.

    Raises:
        StoreError: there is no such run, it was never finished, or it saw the captures of another time.
    """
    if (moment := get(connection, run).at) is not None:
        raise StoreError(f"run {run} is of {moment}: the views show the pages' own captures")
    connection.execute("INSERT OR REPLACE INTO chosen VALUES (1, ?)", (run,))


def chosen(connection: sqlite3.Connection) -> Run | None:
    """The run that the views show, if any."""
    row = connection.execute("SELECT run FROM chosen").fetchone()
    if row is None:
        return None
    values.of_type("chosen.run", row, int)
    return get(connection, row[0])


def label_ids(connection: sqlite3.Connection, labels: Iterable[tuple[str, str, str | None]]) -> list[int]:
    """Ids of labels, given as (label, language, script); new ones are entered.

    Args:
        connection: a collection opened for writing.
        labels: each as (label, ISO 639-3 code, ISO 15924 code or None).

    Returns:
        One id for each, in the order given.
    """
    rows = list(labels)
    # Not OR IGNORE: a row that is ignored uses up an id all the same, and ids would tell how often a job was begun.
    connection.executemany(
        "INSERT INTO labels (label, language, script) SELECT ?1, ?2, ?3"
        " WHERE NOT EXISTS (SELECT 1 FROM labels WHERE label = ?1)",
        rows,
    )
    known = dict(connection.execute("SELECT label, id FROM labels"))
    return [int(known[label]) for label, _, _ in rows]


def labels(connection: sqlite3.Connection) -> dict[int, tuple[str, str, str | None]]:
    """All labels: id -> (label, language, script)."""
    with values.reading("labels"):
        rows = connection.execute("SELECT id, label, language, script FROM labels").fetchall()
    values.of_type("labels.label", [row[1] for row in rows], str)
    values.of_type("labels.language", [row[2] for row in rows], str)
    values.of_type("labels.script", [row[3] for row in rows if row[3] is not None], str)
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def _check_labels(connection: sqlite3.Connection, where: str, label: NDArray[Any], *, least: int = 0) -> None:
    """Refuse labels that the collection does not have; -1, where ``least`` allows it, stands for none."""
    known = np.array([number for (number,) in connection.execute("SELECT id FROM labels")], dtype=np.int64)
    most = int(known.max(initial=0))
    values.within(where, label, least, most)
    there = np.zeros(most + 2, dtype=np.bool_)
    there[known] = True
    there[-1] = True  # of none
    if not there[label.astype(np.int64)].all():
        raise values.refused(where, int(label[~there[label.astype(np.int64)]][0]), "a label that there is")


def read_answers(connection: sqlite3.Connection, run: int) -> Answers:
    """All answers of a run, in order of page ids.

    Args:
        connection: the collection.
        run: the run's id.

    Returns:
        One row a page; for URLs that were only linked to, 0 characters, and confidences rounded to four digits.

    Raises:
        StoreError: an answer for no page, with a label that there is not, or whose confidence is no probability.
    """
    cursor = connection.execute(
        "SELECT page, label, confidence, COALESCE(runner_up, -1), COALESCE(runner_up_confidence, 0), characters"
        " FROM predictions WHERE run = ? ORDER BY page",
        (run,),
    )
    parts: list[NDArray[np.float64]] = []
    while rows := cursor.fetchmany(_READ):
        parts.append(values.table_of("predictions", rows, 6))
    if len(linked := _read_linked(connection, run)):
        parts.append(linked)
    table = np.concatenate(parts) if parts else np.zeros((0, 6))
    _check_answers(connection, table)
    if len(linked):
        table = table[np.argsort(table[:, 0], kind="stable")]
    whole = table.astype(np.int64)
    return Answers(whole[:, 0], whole[:, 1], table[:, 2], whole[:, 3], table[:, 4], whole[:, 5])


def _check_answers(connection: sqlite3.Connection, table: NDArray[np.float64]) -> None:
    """Refuse answers, as columns of `Answers`, that no run can have given."""
    values.within("predictions.page", table[:, 0], 1, count_pages(connection))
    for place, name in enumerate(("label", "runner_up")):
        _check_labels(connection, f"predictions.{name}", table[:, 1 + 2 * place], least=1 if not place else -1)
        values.within(f"predictions.{name}_confidence", table[:, 2 + 2 * place], 0, _ONE)
    values.within("predictions.characters", table[:, 5], 0, MOST)


def _read_linked(connection: sqlite3.Connection, run: int) -> NDArray[np.float64]:
    """Answers for URLs that were only linked to, with the columns of `Answers`, shape (pages, 6)."""
    rows = connection.execute("SELECT block, cells FROM linked_answers WHERE run = ? ORDER BY block", (run,)).fetchall()
    if not rows:
        return np.zeros((0, 6))
    blocks, cells = zip(*rows, strict=True)
    values.of_type("linked_answers.block", blocks, int)
    values.of_type("linked_answers.cells", cells, bytes)
    if wrong := [len(cell) for cell in cells if len(cell) != CELL * BLOCK]:
        raise values.refused("the length of linked_answers.cells", wrong[0], f"{CELL * BLOCK} bytes")
    values.within("linked_answers.block", np.array(blocks), 0, (count_pages(connection) - 1) // BLOCK)
    pages = (np.array(blocks, dtype=np.int64)[:, None] * BLOCK + np.arange(1, BLOCK + 1)).ravel()
    found = _unpacked(b"".join(cells))
    known = found[:, 0] >= 0
    return np.column_stack([pages[known], found[known], np.zeros(int(known.sum()))])


def _unpacked(cells: bytes) -> NDArray[np.float64]:
    """Label, confidence, runner-up and its confidence of pages, shape (pages, 4); a label of -1 is none."""
    digits = np.frombuffer(cells, dtype=np.uint8).reshape(-1, 4, 2).astype(np.float64)
    found = np.where(digits[:, :, 0] > 0, (digits[:, :, 0] - 1) * _BASE + digits[:, :, 1] - 1, -1)
    found[:, 1::2] = np.maximum(found[:, 1::2], 0) / _DIGITS
    return found


def read_scores(connection: sqlite3.Connection, run: int, row_of: NDArray[np.integer[Any]], width: int) -> Scores:
    """The score lists of a run.

    Args:
        connection: the collection.
        run: the run.
        row_of: where the page ``id`` stands in what is returned: ``row_of[id - 1]``, -1 for pages that are left out.
        width: at most so many labels a page.

    Raises:
        StoreError: a score of no page, with a label that there is not, or that is no probability.
    """
    cursor = connection.execute(
        "SELECT page, rank, label, score FROM scores WHERE run = ? AND rank <= ? ORDER BY page, rank", (run, width)
    )
    parts = []
    while rows := cursor.fetchmany(_READ):
        table = values.table_of("scores", rows, 4)
        values.within("scores.page", table[:, 0], 1, len(row_of))
        values.within("scores.rank", table[:, 1], 1, width)
        _check_labels(connection, "scores.label", table[:, 2], least=1)
        values.within("scores.score", table[:, 3], 0, _ONE)
        table[:, 0] = row_of[table[:, 0].astype(np.int64) - 1]
        parts.append(table[table[:, 0] >= 0])
    longest = max((int(part[:, 1].max()) for part in parts if len(part)), default=1)
    pages = int(row_of.max(initial=-1)) + 1
    label = np.full((pages, longest), -1, dtype=np.int32)
    score = np.zeros((pages, longest), dtype=np.float32)
    for part in parts:
        row, rank = part[:, 0].astype(np.int64), part[:, 1].astype(np.int64) - 1
        label[row, rank] = part[:, 2].astype(np.int32)
        score[row, rank] = part[:, 3]
    return Scores(label, score)


def now() -> str:
    """The time, ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
