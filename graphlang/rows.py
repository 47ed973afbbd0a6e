"""Rows of a collection, read when they are iterated: a stream for loops, a table for notebooks."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from graphlang.arguments import checked, length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pandas as pd
    import polars as pl
    import pyarrow as pa

Row = TypeVar("Row")


class Rows(Generic[Row]):
    """Rows with named fields, which are read each time they are iterated.

    Args:
        kind: makes a row of a tuple of its values.
        columns: names of its fields.
        read: gives the rows, each as a tuple of their values.

    Attributes:
        columns: names of the fields, in the order of the columns of a table.

    >>> from typing import NamedTuple
    >>> Page = NamedTuple("Page", [("url", str), ("length", int)])
    >>> pages = Rows(Page._make, Page._fields, lambda: [("http://a.example/", 12), ("http://b.example/", 7)])
    >>> [page.length for page in pages], pages.first().url, pages.columns
    ([12, 7], 'http://a.example/', ('url', 'length'))
    """

    def __init__(
        self, kind: Callable[[Any], Row], columns: Iterable[str], read: Callable[[], Iterable[tuple[Any, ...]]]
    ) -> None:
        self._kind = kind
        self.columns = tuple(columns)
        self._read = read

    def __iter__(self) -> Iterator[Row]:
        return map(self._kind, self._read())

    def __repr__(self) -> str:
        return f"<Rows of {', '.join(self.columns)}>"

    def tuples(self) -> Iterator[tuple[Any, ...]]:
        """Return the rows as plain tuples, which is fastest."""
        return iter(self._read())

    def first(self) -> Row | None:
        """Return the first row; None where there is none."""
        return next(iter(self), None)

    @checked(count=length)
    def head(self, count: int = 10) -> list[Row]:
        """Return the first rows.

        Args:
            count: how many at most.

        Raises:
            TypeError: `count` is not an integer.
            ValueError: `count` is negative.
        """
        return list(islice(self, min(count, sys.maxsize)))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return all rows, each as a dictionary by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self._read()]

    def to_pandas(self) -> pd.DataFrame:
        """Return all rows as a `pandas.DataFrame`.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas as pd  # noqa: PLC0415  an extra

        return pd.DataFrame.from_records(list(self._read()), columns=list(self.columns))

    def to_polars(self) -> pl.DataFrame:
        """Return all rows as a `polars.DataFrame`.

        Raises:
            ImportError: polars is not installed.
        """
        import polars as pl  # noqa: PLC0415  an extra

        return pl.DataFrame(list(self._read()), schema=list(self.columns), orient="row", infer_schema_length=None)

    def to_arrow(self) -> pa.Table:
        """Return all rows as a `pyarrow.Table`.

        Raises:
            ImportError: pyarrow is not installed.
        """
        import pyarrow as pa  # noqa: PLC0415  an extra

        rows = list(self._read())
        columns = zip(*rows, strict=True) if rows else ((),) * len(self.columns)
        return pa.table({name: list(values) for name, values in zip(self.columns, columns, strict=True)})
