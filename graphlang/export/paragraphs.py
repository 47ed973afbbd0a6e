"""The paragraphs of texts, each with its own language: a page may hold a menu, a quotation or a comment in another."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.content.segments.spans import find_spans
from graphlang.export.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.content.identifier import Identifier
    from graphlang.content.segments.spans import Span

_TEXTS: Final = 64  # that are read together


class ParagraphRow(NamedTuple):
    """A paragraph of a page."""

    url: str  #: of the page
    date: str | None  #: of the capture, ISO 8601
    page_language: str  #: the language of the page, ISO 639-3
    paragraph: int  #: its number in the text, from 1
    is_main: int  #: 1 where it is main content
    language: str  #: of the paragraph, ISO 639-3: the one that most of it is in; und if unknown
    script: str | None  #: ISO 15924
    confidence: float  #: mean probability of the language in the part of the text that the paragraph is in
    text: str  #: the paragraph


def split_paragraphs(table: Table, identifier: Identifier) -> Table:
    """Return the paragraphs of the texts of a table, in its order, with their languages.

    A paragraph is read together with those around it: a language seldom changes with each line.
    """
    place = {name: table.columns.index(name) for name in ("url", "date", "language", "main")}
    column = table.columns.index("text" if "text" in table.columns else "main")

    def rows() -> Iterator[tuple[Any, ...]]:
        texts = iter(table.rows)
        while batch := list(islice(texts, _TEXTS)):
            for row, spans in zip(batch, find_spans(identifier, [row[column] for row in batch]), strict=True):
                page = tuple(row[place[name]] for name in ("url", "date", "language"))
                main = len(row[place["main"]])
                for number, (begin, line, label, confidence) in enumerate(_paragraphs(row[column], spans), start=1):
                    language, script = (label, None) if label == languages.UND else languages.split(label)
                    yield (*page, number, int(begin < main), language, script, confidence, line)

    return Table(ParagraphRow._fields, rows())


def sort_by_language(table: Table) -> Table:
    """Return the rows of a table in order of languages, by a temporary file."""

    def rows() -> Iterator[tuple[Any, ...]]:
        with closing(sqlite3.connect("")) as file:
            columns = ", ".join(f'"{name}"' for name in table.columns)
            file.execute(f"CREATE TABLE rows ({columns})")
            file.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * len(table.columns))})", table.rows)
            yield from file.execute("SELECT * FROM rows ORDER BY language, rowid")

    return Table(table.columns, rows())


def _paragraphs(text: str, spans: list[Span]) -> Iterator[tuple[int, str, str, float]]:
    """Yield where each paragraph begins, the paragraph, and label and confidence of the span that has most of it."""
    begin = first = 0
    for line in text.split("\n"):
        end = begin + len(line)
        while first < len(spans) and spans[first].end <= begin:
            first += 1
        best, most = None, 0
        for span in spans[first:]:
            if span.begin >= end:
                break
            common = min(span.end, end) - max(span.begin, begin)
            if common > most:
                best, most = span, common
        if line.strip():
            yield begin, line.strip(), best.label if best else languages.UND, best.confidence if best else 0.0
        begin = end + 1
