"""Write and read the answers, scores and shares of runs, and the labels they use."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.db import statements, values
from graphlang.db.collection import count_pages
from graphlang.db.runs.lifecycle import check_owner
from graphlang.db.runs.linked_answers import count_linked_answers, read_linked_answers
from graphlang.db.statements import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_BATCH: Final = 100_000  #: rows read at once
_MOST_CONFIDENCE: Final = 1.001  #: 1 and an allowance for rounding
_COPY: Final = tuple(
    f"INSERT INTO {table} SELECT ?, {columns} FROM {table} WHERE run = ? AND page IN (SELECT value FROM json_each(?))"
    f" ORDER BY {key}"
    for table, columns, key in (
        (
            "predictions",
            "page, label, confidence, runner_up, runner_up_confidence, characters, encoding, read",
            "page",
        ),
        ("scores", "page, rank, label, score", "page, rank"),
        ("page_shares", "page, rank, label, share", "page, rank"),
    )
)


class RunAnswers(NamedTuple):
    """Answers for some pages, as arrays of equal length; -1 in a label column means none."""

    pages: NDArray[np.int64]  #: page ids
    label: NDArray[np.int64]  #: ``labels.id``
    confidence: NDArray[np.float64]
    runner_up: NDArray[np.int64]
    runner_up_confidence: NDArray[np.float64]
    characters: NDArray[np.int64]
    encodings: Sequence[str | None] | None = None  #: of methods that read bytes; `read_answers` leaves them out
    read: Sequence[int] | None = None  #: digests of the input for each page; `read_answers` leaves them out


class PageShare(NamedTuple):
    """The share of one language in a page in several languages."""

    page: int
    rank: int  #: 1 for the greatest share
    label: int  #: ``labels.id``
    share: float  #: of its letters


class StoredScores(NamedTuple):
    """Score lists of some pages, concatenated; s scores in all."""

    counts: NDArray[np.int32]  #: scores of each page, shape (pages,)
    label: NDArray[np.int32]  #: ``labels.id``, best first for each page, shape (s,)
    score: NDArray[np.float32]  #: shape (s,)


def write_answers(
    connection: sqlite3.Connection,
    run: int,
    answers: RunAnswers,
    top: tuple[NDArray[np.integer[Any]], NDArray[np.floating[Any]]] | None = None,
    *,
    shares: Sequence[PageShare] = (),
    copied: tuple[int, Sequence[int]] | None = None,
) -> None:
    """Write the answers of an unfinished run of this connection, one row a page, in one transaction.

    ``top`` has label ids and scores, both of shape (pages, k), best first; -1 marks no label. ``shares`` are those of
    pages in several languages. ``copied`` is an earlier run, and further pages whose answers, scores and shares are
    copied.
    """
    with transaction(connection):
        check_owner(connection, run)
        has_second = (answers.runner_up >= 0).tolist()
        second, confidence = answers.runner_up.tolist(), _round(answers.runner_up_confidence)
        optional = [column for column in (answers.encodings, answers.read) if column]
        marks = ", ".join("?" if column else "NULL" for column in (answers.encodings, answers.read))
        statements.insert_columns(
            connection,
            "INSERT INTO predictions",
            (
                answers.pages.tolist(),
                answers.label.tolist(),
                _round(answers.confidence),
                [label if has else None for label, has in zip(second, has_second, strict=True)],
                [value if has else None for value, has in zip(confidence, has_second, strict=True)],
                answers.characters.tolist(),
                *optional,
            ),
            row=f"({run}, ?, ?, ?, ?, ?, ?, {marks})",
        )
        if top is not None:
            labels, scores = top
            page, rank = np.nonzero(np.asarray(labels) >= 0)
            statements.insert_columns(
                connection,
                "INSERT INTO scores",
                (
                    answers.pages[page].tolist(),
                    (rank + 1).tolist(),
                    np.asarray(labels)[page, rank].tolist(),
                    _round(np.asarray(scores)[page, rank]),
                ),
                row=f"({run}, ?, ?, ?, ?)",
            )
        rows = [(run, share.page, share.rank, share.label, round(share.share, 6)) for share in shares]
        statements.insert_rows(connection, "INSERT INTO page_shares", rows)
        if copied is not None:
            for statement in _COPY:
                connection.execute(statement, (run, copied[0], json.dumps(list(copied[1]))))


def _round(numbers: NDArray[np.floating[Any]]) -> list[float]:
    """Round to six digits: further ones differ between machines and mean nothing."""
    rounded: list[float] = np.round(np.asarray(numbers, dtype=np.float64), 6).tolist()
    return rounded


def read_answers(connection: sqlite3.Connection, run: int) -> RunAnswers:
    """Read all answers of a run in order of page ids, or raise StoreError if no run has such values.

    Answers for unfetched URLs have 0 characters, and confidences with four digits.
    """
    query = (
        "SELECT page, label, confidence, COALESCE(runner_up, -1), COALESCE(runner_up_confidence, 0), characters"
        " FROM predictions WHERE run = ? ORDER BY page"
    )
    linked = read_linked_answers(connection, run)
    table = np.concatenate([*_read_tables(connection, "predictions", query, (run,), 6), linked])
    values.check_range("predictions.page", table[:, 0], 1, count_pages(connection))
    for place, name in enumerate(("label", "runner_up")):
        check_labels(connection, f"predictions.{name}", table[:, 1 + 2 * place], minimum=1 if not place else -1)
        values.check_range(f"predictions.{name}_confidence", table[:, 2 + 2 * place], 0, _MOST_CONFIDENCE)
    values.check_range("predictions.characters", table[:, 5], 0, values.MOST)
    if len(linked):
        table = table[np.argsort(table[:, 0], kind="stable")]
    whole = table.astype(np.int64)
    return RunAnswers(whole[:, 0], whole[:, 1], table[:, 2], whole[:, 3], table[:, 4], whole[:, 5])


def _read_tables(
    connection: sqlite3.Connection, name: str, query: str, parameters: Sequence[Any], width: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the rows of a query as arrays of shape (rows, width), `_BATCH` rows at a time."""
    cursor = connection.execute(query, parameters)
    while rows := cursor.fetchmany(_BATCH):
        yield values.to_array(name, rows, width)


def read_scores(connection: sqlite3.Connection, run: int, pages: NDArray[np.bool_], width: int) -> StoredScores:
    """Read the score lists of a run, at most ``width`` labels a page, in order of page ids, or raise a StoreError.

    The list of the page ``id`` is read if ``pages[id - 1]``; pages without scores have an empty list.
    """
    query = "SELECT page, rank, label, score FROM scores WHERE run = ? AND rank <= ? ORDER BY page, rank"
    counts: NDArray[Any] = np.zeros(len(pages), dtype=np.uint8 if width < np.iinfo(np.uint8).max else np.int32)
    labels, scores = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.float32)]
    for table in _read_tables(connection, "scores", query, (run, width), 4):
        values.check_range("scores.page", table[:, 0], 1, len(pages))
        values.check_range("scores.rank", table[:, 1], 1, width)
        check_labels(connection, "scores.label", table[:, 2], minimum=1)
        values.check_range("scores.score", table[:, 3], 0, _MOST_CONFIDENCE)
        row = table[:, 0].astype(np.int64) - 1
        selected, row = table[pages[row]], row[pages[row]]
        first = np.flatnonzero(np.diff(row, prepend=-1))  # the rows of a page follow each other
        counts[row[first]] += np.diff(first, append=len(row)).astype(counts.dtype)
        labels.append(selected[:, 2].astype(np.int32))
        scores.append(selected[:, 3].astype(np.float32))
    return StoredScores(counts[pages].astype(np.int32), np.concatenate(labels), np.concatenate(scores))


def count_answers(connection: sqlite3.Connection, run: int, labels: Collection[int]) -> tuple[int, int]:
    """Count the answers of a run, and among those for unfetched URLs the ones with unknown labels."""
    (count,) = connection.execute("SELECT COUNT(*) FROM predictions WHERE run = ?", (run,)).fetchone()
    linked, unknown = count_linked_answers(connection, run, labels)
    return count + linked, unknown


def read_answered_pages(connection: sqlite3.Connection, run: int) -> NDArray[np.int64]:
    """Return the ids of the pages with an answer of the run, ascending; unfetched URLs are left out."""
    query = "SELECT page FROM predictions WHERE run = ? ORDER BY page"
    tables = list(_read_tables(connection, "predictions", query, (run,), 1))
    return np.concatenate([np.zeros((0, 1)), *tables])[:, 0].astype(np.int64)


def find_last_page(connection: sqlite3.Connection, run: int) -> int:
    """Return the greatest page id with an answer of the run, or 0."""
    return int(connection.execute("SELECT COALESCE(MAX(page), 0) FROM predictions WHERE run = ?", (run,)).fetchone()[0])


def read_digests(connection: sqlite3.Connection, run: int, pages: Sequence[int]) -> dict[int, int]:
    """Return the digests of the content of pages that a run read, by page id, for ids in ascending order.

    Pages between the first and the last id are included; pages without a digest are left out.
    """
    if not pages:
        return {}
    query = "SELECT page, read FROM predictions WHERE run = ? AND page BETWEEN ? AND ? AND read IS NOT NULL"
    return dict(connection.execute(query, (run, pages[0], pages[-1])))


def read_short_page_digests(
    connection: sqlite3.Connection, run: int, shorter: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids, ascending, and digests of pages with fewer than ``shorter`` characters: two arrays (pages,)."""
    cursor = connection.execute(
        "SELECT page, read FROM predictions WHERE run = ? AND characters < ? AND read IS NOT NULL ORDER BY page",
        (run, shorter),
    )
    parts = [np.zeros((0, 2), dtype=np.int64)]
    while rows := cursor.fetchmany(_BATCH):
        with values.translate_errors("predictions"):
            parts.append(np.array(rows, dtype=np.int64))
    table = np.concatenate(parts)
    values.check_range("predictions.page", table[:, 0], 1, count_pages(connection))
    return table[:, 0], table[:, 1]


def enter_labels(connection: sqlite3.Connection, labels: Iterable[tuple[str, str, str | None]]) -> list[int]:
    """Return the ids of labels, each given as (label, ISO 639-3 code, ISO 15924 code or None); insert new ones."""
    query = "SELECT label, id FROM labels"
    rows = list(labels)
    ids = dict(connection.execute(query))
    new: dict[str, tuple[str, str, str | None]] = {}
    for row in rows:
        if row[0] not in ids:
            new.setdefault(row[0], row)
    if new:
        statements.insert_rows(connection, "INSERT INTO labels (label, language, script)", list(new.values()))
        ids = dict(connection.execute(query))
    return [int(ids[label]) for label, _, _ in rows]


def read_labels(connection: sqlite3.Connection) -> dict[int, tuple[str, str, str | None]]:
    """Return all labels: id -> (label, language, script)."""
    with values.translate_errors("labels"):
        rows = connection.execute("SELECT id, label, language, script FROM labels").fetchall()
    values.check_type("labels.label", [row[1] for row in rows], str)
    values.check_type("labels.language", [row[2] for row in rows], str)
    values.check_type("labels.script", [row[3] for row in rows if row[3] is not None], str)
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def check_labels(connection: sqlite3.Connection, where: str, label: NDArray[Any], *, minimum: int = 0) -> None:
    """Raise StoreError unless all label ids exist; a ``minimum`` of -1 allows -1, which means none."""
    ids = np.array([number for (number,) in connection.execute("SELECT id FROM labels")], dtype=np.int64)
    greatest = int(ids.max(initial=0))
    values.check_range(where, label, minimum, greatest)
    exists = np.zeros(greatest + 2, dtype=np.bool_)
    exists[ids] = True
    exists[-1] = True  # of none
    if not exists[label.astype(np.int64)].all():
        raise values.value_error(where, int(label[~exists[label.astype(np.int64)]][0]), "a label that there is")
