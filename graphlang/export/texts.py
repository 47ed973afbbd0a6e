"""The texts of languages, with where each comes from."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.db.records import inflated
from graphlang.db.values import refused
from graphlang.export.tables import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

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
    main: str  #: main content; a line feed ends a line or paragraph
    text: str  #: the whole visible text: the main content, then navigation and the like
    cut: int  #: 1 where the text was longer than the limit of the ingest


COLUMNS: Final = TextRow._fields


@dataclass
class Told:
    """What there is to say of texts that were read."""

    texts: int = 0
    cut: int = 0  #: of these, those that were longer than the limit of the ingest

    def words(self) -> list[str]:
        """A sentence; none where no text is cut.

        >>> Told(9, 2).words()
        ["2 of 9 texts are cut: 'graphlang ingest --again --text-limit none' keeps them whole"]
        """
        if not self.cut:
            return []
        words = f"{self.cut:,} of {self.texts:,} texts are cut"
        return [f"{words}: 'graphlang ingest --again --text-limit none' keeps them whole"]


def texts(
    connection: sqlite3.Connection, selection: Selection, *, whole: bool = True, told: Told | None = None
) -> Table:
    """Texts of fetched pages that count, in order of their ids.

    ``main`` is the main content; ``text`` the whole visible text: the main content, then navigation and the like. A
    line feed ends a line or paragraph. ``source`` and ``offset`` say which record of which file it is, ``cut`` is 1
    where the text was longer than the limit of the ingest.

    Args:
        connection: a collection.
        selection: which pages count.
        whole: with the whole text; else ``text`` is left out.
        told: is told of the texts as they are read.
    """
    source, values = selection.source()
    rows = connection.execute(
        "SELECT chosen_ones.url, chosen_ones.date, sources.name, captures.offset, chosen_ones.language,"
        " chosen_ones.script, chosen_ones.confidence, chosen_ones.method, texts.title,"
        " texts.text, texts.main, texts.rest, captures.length"
        f" FROM {source} AS chosen_ones JOIN texts ON texts.page = chosen_ones.page"
        " JOIN captures ON captures.page = chosen_ones.page JOIN sources ON sources.id = captures.source"
        " WHERE texts.text <> '' ORDER BY chosen_ones.page",
        values,
    )
    found = _rows(rows, told or Told())
    if whole:
        return Table(COLUMNS, found)
    return Table((*COLUMNS[:10], COLUMNS[11]), ((*row[:10], row[11]) for row in found))


def _rows(rows: Iterable[tuple[Any, ...]], told: Told) -> Iterator[tuple[Any, ...]]:
    for *facts, text, main, rest, length in rows:
        if rest is not None:
            try:
                text += inflated(rest, length - len(text))  # noqa: PLW2901 - the whole of it
            except (TypeError, ValueError) as error:
                raise refused("texts.rest", str(error), "what 'deflated' gives") from error
        cut = len(text) < length
        told.texts += 1
        told.cut += cut
        yield (*facts, text[:main], text, int(cut))


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
