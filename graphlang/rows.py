"""Rows of a collection, read when they are looked at: a stream for loops, a table for notebooks."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from graphlang.arguments import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pandas as pd
    import polars as pl
    import pyarrow as pa

Row = TypeVar("Row")


class Rows(Generic[Row]):
    """Rows with named fields; nothing is read before somebody looks, and every look reads anew.

    Args:
        kind: the type of a row, a NamedTuple or a frozen dataclass.
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
        """The rows as plain tuples: the fastest way through many of them."""
        return iter(self._read())

    def first(self) -> Row | None:
        """The first row; None where there is none."""
        return next(iter(self), None)

    def head(self, count: int = 10) -> list[Row]:
        """The first rows.

        Args:
            count: how many at most.

        Raises:
            TypeError: `count` is no whole number.
            ValueError: `count` is negative.
        """
        return list(islice(self, min(whole_number("count", count, least=0), sys.maxsize)))

    def to_dicts(self) -> list[dict[str, Any]]:
        """All rows, each as a dictionary by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self._read()]

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a `pandas.DataFrame`.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas as pd  # noqa: PLC0415  an extra

        return pd.DataFrame.from_records(list(self._read()), columns=list(self.columns))

    def to_polars(self) -> pl.DataFrame:
        """All rows as a `polars.DataFrame`.

        Raises:
            ImportError: polars is not installed.
        """
        import polars as pl  # noqa: PLC0415  an extra

        return pl.DataFrame(list(self._read()), schema=list(self.columns), orient="row", infer_schema_length=None)

    def to_arrow(self) -> pa.Table:
        """All rows as a `pyarrow.Table`.

        Raises:
            ImportError: pyarrow is not installed.
        """
        import pyarrow as pa  # noqa: PLC0415  an extra

        rows = list(self._read())
        columns = zip(*rows, strict=True) if rows else ((),) * len(self.columns)
        return pa.table({name: list(values) for name, values in zip(self.columns, columns, strict=True)})
