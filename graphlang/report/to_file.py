"""The report of a collection, as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.whole_file import replacing

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path


def write_report(connection: sqlite3.Connection, output: Path, title: str) -> None:
    """Write the report of a collection to a file.

    Args:
        connection: a collection.
        output: the file, which is replaced when all is written.
        title: the page's heading.

    Raises:
        InputError: ``SOURCE_DATE_EPOCH`` is no time.
    """
    page = report_of(connection, title)
    with replacing(output) as file:
        file.write(page)


def report_of(connection: sqlite3.Connection, title: str) -> bytes:
    """The report of a collection, HTML in UTF-8.

    Args:
        connection: a collection.
        title: the page's heading.

    Raises:
        InputError: ``SOURCE_DATE_EPOCH`` is no time.
    """
    from graphlang.report.page import report as page_of  # noqa: PLC0415 - 'run' needs it only with --report

    return page_of(connection, title=title).encode("utf-8", "replace")
