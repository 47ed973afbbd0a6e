"""Answers for URLs that were only linked to: eight bytes each, in blocks of pages, that SQL and Python read alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.db import values
from graphlang.db.collection import count_pages
from graphlang.db.statements import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from graphlang.db.runs.answers import LinkedAnswers


BLOCK = 64  #: pages of a row of `linked_answers`
CELL = 8  #: bytes of a page's answer in it
_BASE = 127  #: of the digits in it, each in a byte from 1 on: SQL reads them as characters of ASCII
_DIGITS = 10_000  #: a confidence of 1
_LOOKED_AT = 1 << 14  #: pages in a row of which `answered_to` looks whether they were fetched


def write_linked(connection: sqlite3.Connection, run: int, parts: Iterable[LinkedAnswers], *, first: int = 0) -> int:
    """Write the answers of a finished run for the URLs that were only linked to, each part in a transaction.

    Who is stopped between two parts has lost nothing: `answered_to` says where to go on.

    Args:
        connection: the collection.
        run: the run.
        parts: answers for all pages behind the first ones, the fetched ones among them without any; each part but the
            last has a multiple of ``BLOCK`` pages.
        first: pages that have their answers already, a multiple of ``BLOCK``.

    Returns:
        How many of these pages have an answer.

    Raises:
        ValueError: a label that has no place in a cell.
    """
    answered = 0
    for part in parts:
        answered += write_part(connection, run, first, part)
        first += -(-len(part.label) // BLOCK) * BLOCK
    with transaction(connection):
        connection.execute("UPDATE runs SET linked = 1 WHERE id = ?", (run,))
    return answered


def write_part(connection: sqlite3.Connection, run: int, first: int, part: LinkedAnswers) -> int:
    """Write the answers for some pages, in one transaction.

    Args:
        connection: the collection.
        run: the run.
        first: pages before these, a multiple of ``BLOCK``.
        part: answers for the pages behind these, the fetched ones among them without any.

    Returns:
        How many of them have an answer.

    Raises:
        ValueError: a label that has no place in a cell.
    """
    rows = _cells(part)
    filled = np.flatnonzero(rows.any(axis=1))
    answered = int((part.label >= 0).sum())
    with transaction(connection):
        connection.executemany(
            "INSERT INTO linked_answers VALUES (?, ?, ?)",
            ((run, first // BLOCK + block, rows[block].tobytes()) for block in filled.tolist()),
        )
        connection.execute("UPDATE runs SET pages = pages + ? WHERE id = ?", (answered, run))
    return answered


def answered_to(connection: sqlite3.Connection, run: int, after: int = 0) -> int:
    """How many pages, from the first on, need no more answers of a run: all, or a multiple of ``BLOCK``.

    Of pages without an answer in a row only so many are looked at as take no time, so that there may be more.

    Args:
        connection: the collection.
        run: a finished run.
        after: so many are known to need none.

    Raises:
        StoreError: a row of ``linked_answers`` that is no block of the collection's pages.
    """
    pages = count_pages(connection)
    (last,) = connection.execute("SELECT MAX(block) FROM linked_answers WHERE run = ?", (run,)).fetchone()
    if last is not None:
        values.check_type("linked_answers.block", [last], int)
        values.check_range("linked_answers.block", np.array([last]), 0, (pages - 1) // BLOCK)
        after = max(after, (last + 1) * BLOCK)
    until = min(after + _LOOKED_AT, pages)
    row = connection.execute(
        "SELECT id FROM pages WHERE id > ?1 AND id <= ?2"
        " AND NOT EXISTS (SELECT 1 FROM captures WHERE page = id)"
        " AND NOT EXISTS (SELECT 1 FROM predictions WHERE run = ?3 AND page = id) ORDER BY id LIMIT 1",
        (after, until, run),
    ).fetchone()
    return min(until if row is None else (int(row[0]) - 1) // BLOCK * BLOCK, pages)


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
            values.check_type("linked_answers.cells", [cells], bytes)
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


def read_linked(connection: sqlite3.Connection, run: int) -> NDArray[np.float64]:
    """Answers for URLs that were only linked to, with the columns of `RunAnswers`, shape (pages, 6).

    Args:
        connection: the collection.
        run: the run's id.

    Raises:
        StoreError: a row that is no block of answers.
    """
    rows = connection.execute("SELECT block, cells FROM linked_answers WHERE run = ? ORDER BY block", (run,)).fetchall()
    if not rows:
        return np.zeros((0, 6))
    blocks, cells = zip(*rows, strict=True)
    values.check_type("linked_answers.block", blocks, int)
    values.check_type("linked_answers.cells", cells, bytes)
    if wrong := [len(cell) for cell in cells if len(cell) != CELL * BLOCK]:
        raise values.refused("the length of linked_answers.cells", wrong[0], f"{CELL * BLOCK} bytes")
    values.check_range("linked_answers.block", np.array(blocks), 0, (count_pages(connection) - 1) // BLOCK)
    pages = (np.array(blocks, dtype=np.int64)[:, None] * BLOCK + np.arange(1, BLOCK + 1)).ravel()
    found = unpacked(b"".join(cells))
    known = found[:, 0] >= 0
    return np.column_stack([pages[known], found[known], np.zeros(int(known.sum()))])


def _cells(part: LinkedAnswers) -> NDArray[np.uint8]:
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


def unpacked(cells: bytes) -> NDArray[np.float64]:
    """Label, confidence, runner-up and its confidence of pages, shape (pages, 4); a label of -1 is none.

    Args:
        cells: of some rows of ``linked_answers``, one after the other.
    """
    digits = np.frombuffer(cells, dtype=np.uint8).reshape(-1, 4, 2).astype(np.float64)
    found = np.where(digits[:, :, 0] > 0, (digits[:, :, 0] - 1) * _BASE + digits[:, :, 1] - 1, -1)
    found[:, 1::2] = np.maximum(found[:, 1::2], 0) / _DIGITS
    return found
