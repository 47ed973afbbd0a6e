"""Answers for unfetched URLs: eight bytes each, in blocks of 64 pages, which SQL and Python read alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.db import values
from graphlang.db.collection import count_pages
from graphlang.db.statements import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

BLOCK: Final = 64  #: pages of a row of ``linked_answers``
_CELL: Final = 8  #: bytes of a page's answer
ROW_BYTES: Final = BLOCK * _CELL
_BASE: Final = 127  #: of the digits, each in a byte from 1 on: SQL reads them as ASCII characters
_SCALE: Final = 10_000  #: a confidence of 1
_SCANNED: Final = 1 << 14  #: pages that `count_answered_pages` looks at in one call


class LinkedAnswers(NamedTuple):
    """Answers for consecutive pages, as arrays of equal length; -1 in a label column means none."""

    label: NDArray[np.integer[Any]]  #: ``labels.id``
    confidence: NDArray[np.floating[Any]]
    runner_up: NDArray[np.integer[Any]]
    runner_up_confidence: NDArray[np.floating[Any]]


def write_linked_answers(
    connection: sqlite3.Connection, run: int, blocks: Iterable[LinkedAnswers], *, first: int = 0
) -> int:
    """Write the answers of a finished run for unfetched URLs, and return how many URLs have one.

    ``blocks`` have answers for all pages after the first ones, none for fetched pages. All but the last have a multiple
    of `BLOCK` pages, and each is one transaction. An interrupted call loses nothing: `count_answered_pages` returns
    where to resume. ``first`` pages, a multiple of `BLOCK`, already have their answers.
    """
    answered = 0
    for answers in blocks:
        answered += write_block_answers(connection, run, first, answers)
        first += -(-len(answers.label) // BLOCK) * BLOCK
    with transaction(connection):
        connection.execute("UPDATE runs SET linked = 1 WHERE id = ?", (run,))
    return answered


def write_block_answers(connection: sqlite3.Connection, run: int, first: int, answers: LinkedAnswers) -> int:
    """Write the answers for the pages after ``first`` in one transaction, and return how many have one.

    ``first`` is a multiple of `BLOCK`. Raises ValueError for a label beyond two digits.
    """
    rows = _pack(answers)
    filled = np.flatnonzero(rows.any(axis=1))
    answered = int((answers.label >= 0).sum())
    with transaction(connection):
        connection.executemany(
            "INSERT INTO linked_answers VALUES (?, ?, ?)",
            ((run, first // BLOCK + block, rows[block].tobytes()) for block in filled.tolist()),
        )
        connection.execute("UPDATE runs SET pages = pages + ? WHERE id = ?", (answered, run))
    return answered


def count_answered_pages(connection: sqlite3.Connection, run: int, after: int = 0) -> int:
    """Return how many pages, from the first on, need no more answers of a finished run.

    The result is the number of pages or a multiple of `BLOCK`. It may be too small, because a call scans a limited
    number of pages; ``after`` pages are known to need none.
    """
    pages = count_pages(connection)
    (last,) = connection.execute("SELECT MAX(block) FROM linked_answers WHERE run = ?", (run,)).fetchone()
    if last is not None:
        values.check_type("linked_answers.block", [last], int)
        values.check_range("linked_answers.block", np.array([last]), 0, (pages - 1) // BLOCK)
        after = max(after, (last + 1) * BLOCK)
    until = min(after + _SCANNED, pages)
    row = connection.execute(
        "SELECT id FROM pages WHERE id > ?1 AND id <= ?2"
        " AND NOT EXISTS (SELECT 1 FROM captures WHERE page = id)"
        " AND NOT EXISTS (SELECT 1 FROM predictions WHERE run = ?3 AND page = id) ORDER BY id LIMIT 1",
        (after, until, run),
    ).fetchone()
    return min(until if row is None else (int(row[0]) - 1) // BLOCK * BLOCK, pages)


def drop_linked_answers(connection: sqlite3.Connection, pages: Iterable[int]) -> int:
    """Remove the answers of all runs for some unfetched pages, within a transaction; return how many there were."""
    blocks: dict[int, list[int]] = {}
    for page in pages:
        blocks.setdefault((page - 1) // BLOCK, []).append((page - 1) % BLOCK)
    dropped = 0
    for block, places in blocks.items():
        rows = connection.execute("SELECT run, cells FROM linked_answers WHERE block = ?", (block,)).fetchall()
        for run, cells in rows:
            _check_cells([cells])
            remaining = np.frombuffer(cells, dtype=np.uint8).reshape(BLOCK, -1).copy()
            answered = int(remaining[places].any(axis=1).sum())
            remaining[places] = 0
            connection.execute(
                "UPDATE linked_answers SET cells = ? WHERE run = ? AND block = ?", (remaining.tobytes(), run, block)
            )
            connection.execute("UPDATE runs SET pages = pages - ? WHERE id = ?", (answered, run))
            dropped += answered
    return dropped


def read_linked_answers(connection: sqlite3.Connection, run: int) -> NDArray[np.float64]:
    """Read the answers of a run for unfetched URLs, with the first six columns of `RunAnswers`: shape (pages, 6)."""
    rows = connection.execute("SELECT block, cells FROM linked_answers WHERE run = ? ORDER BY block", (run,)).fetchall()
    if not rows:
        return np.zeros((0, 6))
    blocks, cells = zip(*rows, strict=True)
    values.check_type("linked_answers.block", blocks, int)
    _check_cells(cells)
    values.check_range("linked_answers.block", np.array(blocks), 0, (count_pages(connection) - 1) // BLOCK)
    pages = (np.array(blocks, dtype=np.int64)[:, None] * BLOCK + np.arange(1, BLOCK + 1)).ravel()
    table = _unpack(b"".join(cells))
    answered = table[:, 0] >= 0
    return np.column_stack([pages[answered], table[answered], np.zeros(int(answered.sum()))])


def count_linked_answers(connection: sqlite3.Connection, run: int, labels: Collection[int]) -> tuple[int, int]:
    """Count the answers of a run for unfetched URLs, and those whose label or runner-up is none of ``labels``."""
    count = unknown = 0
    ids = np.array([-1, *labels])
    for (cells,) in connection.execute(
        "SELECT cells FROM linked_answers WHERE run = ? AND LENGTH(cells) = ? AND typeof(cells) = 'blob'",
        (run, ROW_BYTES),
    ):
        label, runner_up = (column.astype(np.int64) for column in _unpack(cells)[:, ::2].T)
        count += int((label >= 0).sum())
        unknown += int((~np.isin(label, ids) | ~np.isin(runner_up, ids)).sum())
    return count, unknown


def _check_cells(rows: Iterable[Any]) -> None:
    for cells in rows:
        values.check_type("linked_answers.cells", [cells], bytes)
        if len(cells) != ROW_BYTES:
            raise values.value_error("the length of linked_answers.cells", len(cells), f"{ROW_BYTES} bytes")


def _pack(answers: LinkedAnswers) -> NDArray[np.uint8]:
    """Return the cells of pages, a row for each block, as ``schema.sql`` describes them."""
    count = len(answers.label)
    cells = np.zeros((-(-count // BLOCK) * BLOCK, _CELL), dtype=np.uint8)
    for place, (label, confidence) in enumerate(
        ((answers.label, answers.confidence), (answers.runner_up, answers.runner_up_confidence))
    ):
        answered = np.flatnonzero(label >= 0)
        numbers = np.asarray(label)[answered].astype(np.int64)
        if len(numbers) and numbers.max() >= _BASE**2:
            raise ValueError(f"label {numbers.max()} is outside 0..{_BASE**2 - 1}")
        levels = np.round(np.clip(np.asarray(confidence)[answered], 0, 1) * _SCALE).astype(np.int64)
        for at, digits in ((4 * place, numbers), (4 * place + 2, levels)):
            cells[answered, at], cells[answered, at + 1] = digits // _BASE + 1, digits % _BASE + 1
    return cells.reshape(-1, BLOCK * _CELL)


def _unpack(cells: bytes) -> NDArray[np.float64]:
    """Return label, confidence, runner-up and its confidence of pages, shape (pages, 4); a label of -1 means none."""
    digits = np.frombuffer(cells, dtype=np.uint8).reshape(-1, 4, 2).astype(np.float64)
    table = np.where(digits[:, :, 0] > 0, (digits[:, :, 0] - 1) * _BASE + digits[:, :, 1] - 1, -1)
    table[:, 1::2] = np.maximum(table[:, 1::2], 0) / _SCALE
    return table
