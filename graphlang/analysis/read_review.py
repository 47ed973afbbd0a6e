"""Corrections from a table that somebody has filled in, as `graphlang review` wrote it."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from graphlang.analysis.correct import Said
from graphlang.db import InputError
from graphlang.regular_file import open_text

if TYPE_CHECKING:
    from pathlib import Path

_NEEDED = ("url", "language")
_DELIMITERS = ",;\t"  # what spreadsheets write, by the language that they speak


def read_review(path: str | Path) -> list[Said]:
    """What a table says of pages: rows whose column ``language`` is empty say nothing.

    Args:
        path: CSV with a header line and the columns ``url`` and ``language``, and perhaps ``note``; separated by
            commas, semicolons or tabs, in UTF-8.

    Raises:
        InputError: the file cannot be read, lacks a column, or has a row of another length.
    """
    try:
        with open_text(path, encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            file.seek(0)
            delimiter = max(_DELIMITERS, key=head.count)
            reader = csv.DictReader(file, delimiter=delimiter, strict=True)
            if lacking := [name for name in _NEEDED if name not in (reader.fieldnames or ())]:
                raise InputError(f"{path} has no column {' and no column '.join(lacking)} (a header line is needed)")
            said = []
            for row in reader:
                if row["language"] is None or None in row:
                    raise InputError(f"{path}, line {reader.line_num}: another number of columns than the header has")
                if row["language"].strip():
                    said.append(Said(row["url"].strip(), row["language"].strip(), (row.get("note") or "").strip()))
            return said
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read {path}: {reason}") from error
