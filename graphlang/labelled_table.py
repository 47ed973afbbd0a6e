"""Tables of labelled URLs: gold files, and reviews that were filled in."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from graphlang.db import InputError
from graphlang.files import open_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DELIMITERS: Final = "\t,;"  # spreadsheets choose one by their locale


def read_labelled_rows(path: str | Path | Any, needed: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a UTF-8 table with a header line, or of a DataFrame, as cells by column.

    Columns are separated by tabs, commas or semicolons, whichever is most frequent in the header. Between commas and
    semicolons a cell may be in double quotes; between tabs these are ordinary characters.

    Raises:
        InputError: the file cannot be read, lacks one of the `needed` columns or has it twice, or has a row of another
            length than its header.
    """
    if not isinstance(path, str | Path):
        yield from _read_frame(path, needed)
        return
    try:
        with open_text(path, encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            file.seek(0)
            delimiter = max(_DELIMITERS, key=head.count)
            quoting: Literal[0, 3] = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
            reader = csv.DictReader(file, delimiter=delimiter, quoting=quoting, strict=True)
            header = list(reader.fieldnames or ())
            if missing := [name for name in needed if name not in header]:
                names = " and no column ".join(missing)
                raise InputError(
                    f"{path} has no column {names} (a header line is needed, with tabs, commas or semicolons)"
                )
            if twice := [name for name in needed if header.count(name) > 1]:
                raise InputError(f"{path} has more than one column {twice[0]}")  # which of them counts?
            for row in reader:
                if None in row or None in row.values():
                    raise InputError(f"{path}, line {reader.line_num}: another number of columns than the header has")
                yield row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        if isinstance(error, UnicodeDecodeError):
            reason = "not a text in UTF-8"
        raise InputError(f"cannot read {path}: {reason}") from error


def _read_frame(frame: Any, needed: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of pandas or polars, of `Rows`, or of dictionaries."""
    if hasattr(frame, "to_dicts"):
        rows = frame.to_dicts()
    else:
        empty_as_none = hasattr(frame, "to_dict")  # of pandas
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records") if empty_as_none else frame
    for row in rows:
        if missing := [name for name in needed if name not in row]:
            raise InputError(f"the table has no column {' and no column '.join(missing)}")
        yield {name: "" if row[name] is None else str(row[name]) for name in needed}
