"""What the inference takes from the URL of a page, stored once: it never changes, and reading it is faster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphlang.db import values
from graphlang.db.collection import count_pages
from graphlang.db.statements import transaction

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

#: A page in ``url_evidence.cells``.
CELL: Final = np.dtype([("page", "<i4"), ("directory", "<i8"), ("language", "S3"), ("probability", "<f4")])
_CELLS: Final = 1 << 16  #: of a row
_MOST: Final = 1.001  #: 1 and an allowance for rounding


def read_url_evidence(connection: sqlite3.Connection, model: str) -> NDArray[Any]:
    """Return the stored cells by a URL model, ascending by page, or raise a StoreError for values that cannot be."""
    rows = connection.execute("SELECT cells FROM url_evidence WHERE model = ? ORDER BY id", (model,)).fetchall()
    for (cells,) in rows:
        values.check_type("url_evidence.cells", [cells], bytes)
        if len(cells) % CELL.itemsize:
            raise values.value_error("the length of url_evidence.cells", len(cells), f"a multiple of {CELL.itemsize}")
    table = np.frombuffer(b"".join(cells for (cells,) in rows), CELL)
    values.check_range("url_evidence: a page", table["page"], 1, count_pages(connection))
    values.check_range("url_evidence: a probability", table["probability"], 0, _MOST)
    return table[np.argsort(table["page"], kind="stable")]


def write_url_evidence(connection: sqlite3.Connection, model: str, cells: NDArray[Any]) -> None:
    """Store the cells of pages that have none by this URL model, and drop those by another model."""
    with transaction(connection):
        connection.execute("DELETE FROM url_evidence WHERE model <> ?", (model,))
        connection.executemany(
            "INSERT INTO url_evidence (model, cells) VALUES (?, ?)",
            ((model, cells[at : at + _CELLS].tobytes()) for at in range(0, len(cells), _CELLS)),
        )
