"""What every table of a cluster is read with on its way into a database: batches of rows, and pages' numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.db import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    import pyarrow.dataset as ds
    from numpy.typing import NDArray

ROWS: Final = 1 << 16  #: of a batch


class TableRows:
    """The tables of a folder, and the numbers that pages get: as they were read, then by URL.

    Args:
        tables: by name.

    Raises:
        InputError: a page stands twice in the table of pages, or is not there.
    """

    def __init__(self, tables: dict[str, ds.Dataset]) -> None:
        self.tables = tables
        order = self._order()
        self._sorted = np.argsort(order, kind="stable")
        self.hashes = order[self._sorted]  #: of all pages, ascending; shape (pages,)
        if (self.hashes[1:] == self.hashes[:-1]).any():
            raise InputError("a page stands twice in the table pages")

    def _order(self) -> NDArray[np.int64]:
        """Hashed ids in the order in which pages get their numbers: as they were read, then by URL."""
        read = self.tables["captures"].to_table(columns=["page", "source", "offset"])
        read = read.sort_by([("source", "ascending"), ("offset", "ascending"), ("page", "ascending")])
        first = read["page"].to_numpy()
        every = self.tables["pages"].to_table(columns=["page", "url"]).sort_by([("url", "ascending")])
        every = every["page"].to_numpy()
        if not np.isin(first, every).all():
            raise InputError("the table captures names a page that the table pages does not have")
        return np.concatenate([first, every[~np.isin(every, first)]]).astype(np.int64)

    def ids(self, hashes: NDArray[np.int64], what: str) -> NDArray[np.int64]:
        """Numbers of pages, from 1 on.

        Args:
            hashes: their ids in the tables, shape (n,).
            what: the table that names them.

        Raises:
            InputError: there is no such page.
        """
        at = np.minimum(np.searchsorted(self.hashes, hashes), max(len(self.hashes) - 1, 0))
        if len(hashes) and not (len(self.hashes) and (self.hashes[at] == hashes).all()):
            raise InputError(f"the table {what} names a page that the table pages does not have")
        return self._sorted[at] + 1

    def rows(self, name: str, columns: Sequence[str], size: int = ROWS) -> Iterator[pa.RecordBatch]:
        """The rows of a table, in batches.

        Args:
            name: of the table.
            columns: that are wanted.
            size: rows of a batch at most.
        """
        return (batch for batch in self.tables[name].to_batches(columns=list(columns), batch_size=size) if len(batch))
