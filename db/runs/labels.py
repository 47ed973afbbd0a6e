"""Labels that runs answer with: a number for each language, with its script where that tells it apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.db import statements, values

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from numpy.typing import NDArray

_KNOWN = "SELECT label, id FROM labels"


def enter_labels(connection: sqlite3.Connection, labels: Iterable[tuple[str, str, str | None]]) -> list[int]:
    """Ids of labels, given as (label, language, script); new ones are entered.

    Args:
        connection: a collection opened for writing.
        labels: each as (label, ISO 639-3 code, ISO 15924 code or None).

    Returns:
        One id for each, in the order given.
    """
    rows = list(labels)
    known = dict(connection.execute(_KNOWN))
    new: dict[str, tuple[str, str, str | None]] = {}
    for row in rows:
        if row[0] not in known:
            new.setdefault(row[0], row)
    if new:
        statements.insert_rows(connection, "INSERT INTO labels (label, language, script)", list(new.values()))
        known = dict(connection.execute(_KNOWN))
    return [int(known[label]) for label, _, _ in rows]


def all_labels(connection: sqlite3.Connection) -> dict[int, tuple[str, str, str | None]]:
    """All labels: id -> (label, language, script)."""
    with values.reading("labels"):
        rows = connection.execute("SELECT id, label, language, script FROM labels").fetchall()
    values.check_type("labels.label", [row[1] for row in rows], str)
    values.check_type("labels.language", [row[2] for row in rows], str)
    values.check_type("labels.script", [row[3] for row in rows if row[3] is not None], str)
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def check_labels(connection: sqlite3.Connection, where: str, label: NDArray[Any], *, least: int = 0) -> None:
    """Refuse labels that the collection does not have; -1, where ``least`` allows it, stands for none.

    Args:
        connection: the collection.
        where: the column that they are from, for the error.
        label: numbers of labels, of any shape.
        least: the least number that may be there: -1, 0 or 1.

    Raises:
        StoreError: one that the collection does not have.
    """
    known = np.array([number for (number,) in connection.execute("SELECT id FROM labels")], dtype=np.int64)
    most = int(known.max(initial=0))
    values.check_range(where, label, least, most)
    there = np.zeros(most + 2, dtype=np.bool_)
    there[known] = True
    there[-1] = True  # of none
    if not there[label.astype(np.int64)].all():
        raise values.refused(where, int(label[~there[label.astype(np.int64)]][0]), "a label that there is")
