"""Rows of a collection, read when they are iterated: a stream for loops, a table for notebooks."""

from __future__ import annotations

import sys
from html import escape
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from graphlang.arguments import check_arguments, length
from graphlang.printing import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pandas as pd
    import polars as pl
    import pyarrow as pa

Row = TypeVar("Row")
_SHOWN = 10  # rows that a notebook shows
_LONGEST = 80  # characters of a cell that it shows


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
    >>> len(pages), pages[1].length, pages[:1] == pages.head(1)
    (2, 7, True)
    """

    def __init__(
        self, kind: Callable[[Any], Row], columns: Iterable[str], read: Callable[[], Iterable[tuple[Any, ...]]]
    ) -> None:
        self._kind = kind
        self.columns = tuple(columns)
        self._read = read

        self._begun = True

    def __iter__(self) -> Iterator[Row]:
        self._begun = False
        return map(self._kind, chain.from_iterable(self._begin()))

    def _begin(self) -> Iterator[Iterable[tuple[Any, ...]]]:
        self._begun = True
        yield self._read()

    def __len__(self) -> int:
        if not self._begun:  # list() asks for the length first, and does without
            raise TypeError("rows that are about to be read have no length yet")
        return sum(1 for _ in self._read())

    def __bool__(self) -> bool:
        return next(iter(self._read()), None) is not None

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        rows: Iterator[Row] = map(self._kind, self._read())
        if isinstance(place, slice):
            bounds = (place.start, place.stop, place.step)
            is_forward = all(bound is None or bound >= 0 for bound in bounds) and place.step != 0
            return list(islice(rows, *bounds)) if is_forward else list(rows)[place]
        if place < 0:
            return list(rows)[place]
        for row in islice(rows, place, place + 1):
            return row
        raise IndexError(f"there is no row {place}")

    def __repr__(self) -> str:
        return f"<Rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """Return the first rows as a table for a notebook."""
        rows = list(islice(self._read(), _SHOWN + 1))
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        lines = ["".join(f"<td>{_format_cell(value)}</td>" for value in row) for row in rows[:_SHOWN]]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        note = "<p>and more rows</p>" if len(rows) > _SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"

    def tuples(self) -> Iterator[tuple[Any, ...]]:
        """Return the rows as plain tuples, which is fastest."""
        return iter(self._read())

    def first(self) -> Row | None:
        """Return the first row; None where there is none."""
        return next(iter(self), None)

    @check_arguments(count=length)
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


def _format_cell(value: Any) -> str:
    """Return a value as HTML: short, and without control characters of a crawl.

    >>> _format_cell("<b>"), _format_cell(0.123456), _format_cell(None)
    ('&lt;b&gt;', '0.1235', '')
    """
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else visible(str(value))
    return escape(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
