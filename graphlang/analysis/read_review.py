"""Corrections from a table that somebody has filled in, as `graphlang review` wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.analysis.correct import Said
from graphlang.labelled_table import labelled_rows

if TYPE_CHECKING:
    from pathlib import Path


def read_review(path: str | Path) -> list[Said]:
    """What a table says of pages: rows whose column ``language`` is empty say nothing.

    Args:
        path: CSV with a header line and the columns ``url`` and ``language``, and perhaps ``note``; separated by
            commas, semicolons or tabs, in UTF-8.

    Raises:
        InputError: the file cannot be read, lacks a column, or has a row of another length.
    """
    return [
        Said(row["url"].strip(), row["language"].strip(), row.get("note", "").strip())
        for row in labelled_rows(path, ("url", "language"))
        if row["language"].strip()
    ]
