"""The texts of languages, with where each comes from."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.export.tables import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from graphlang.maps.selection import Selection


class TextRow(NamedTuple):
    """The text of a page, and where it comes from."""

    url: str
    date: str | None
    source: str  #: file that it was read from
    offset: int | None  #: of its record there
    language: str
    script: str | None
    confidence: float
    method: str
    title: str
    main: str  #: main content
    text: str  #: the whole visible text: the main content, then navigation and the like
    cut: int  #: 1 where the text was longer than the limit of the ingest


COLUMNS: Final = TextRow._fields


def texts(connection: sqlite3.Connection, selection: Selection, *, whole: bool = True) -> Table:
    """Texts of fetched pages that count, in order of their ids.

    ``main`` is the main content; ``text`` the whole visible text: the main content, then navigation and the like.
    ``source`` and ``offset`` say which record of which file it is, ``cut`` is 1 where the text was longer than the
    limit of the ingest.

    Args:
        connection: a collection.
        selection: which pages count.
        whole: with the whole text; else ``text`` is left out.
    """
    source, values = selection.source()
    rows = connection.execute(
        "SELECT chosen_ones.url, chosen_ones.date, sources.name, captures.offset, chosen_ones.language,"
        " chosen_ones.script, chosen_ones.confidence, chosen_ones.method, texts.title,"
        " SUBSTR(texts.text, 1, texts.main), texts.text, LENGTH(texts.text) < captures.length"
        f" FROM {source} AS chosen_ones JOIN texts ON texts.page = chosen_ones.page"
        " JOIN captures ON captures.page = chosen_ones.page JOIN sources ON sources.id = captures.source"
        " WHERE texts.text <> '' ORDER BY chosen_ones.page",
        values,
    )
    if whole:
        return Table(COLUMNS, rows)
    return Table((*COLUMNS[:10], COLUMNS[11]), ((*row[:10], row[11]) for row in rows))


def write_txt(table: Table, file: IO[bytes]) -> int:
    """Write texts alone, a paragraph a line and an empty line behind each page; returns the number of pages.

    The whole text if the table has it, else the main content.

    Args:
        table: what `texts` gives; is read to its end.
        file: is left open.
    """
    column = table.columns.index("text" if "text" in table.columns else "main")
    out = io.TextIOWrapper(file, encoding="utf-8", newline="")
    written = 0
    for lines in _paragraphs(table, column):
        out.write("\n".join(lines) + "\n\n")
        written += 1
    out.flush()
    out.detach()
    return written


def _paragraphs(table: Table, column: int) -> Iterator[list[str]]:
    for row in table.rows:
        lines = [line.strip() for line in _text(row[column]).splitlines()]
        kept = [line for line in lines if line]
        if kept:
            yield kept


def _text(value: Any) -> str:
    return str(value or "")
