"""The texts of languages, with where each comes from."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.db.records import inflate_text
from graphlang.db.values import value_error
from graphlang.export.cdxj import rank_codes
from graphlang.export.corpora import NearDuplicates, Quality, measure_quality
from graphlang.export.tables import Table
from graphlang.maps import shares
from graphlang.maps.pages import write_captures_sql
from graphlang.printing import quantity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from graphlang.maps.selection import Selection


class TextRow(NamedTuple):
    """The text of a capture, and its source."""

    url: str  #: of the page
    date: str | None  #: of the capture, ISO 8601
    source: str  #: file that it was read from
    offset: int | None  #: of its record there
    status: int | None  #: of HTTP; None where the record has none
    language: str  #: ISO 639-3
    script: str | None  #: ISO 15924
    confidence: float  #: probability of the language
    method: str  #: of the chosen run
    title: str  #: of the page
    main: str  #: main content; a line feed ends a line or paragraph
    text: str  #: the whole visible text: the main content, then navigation and the like
    cut: int  #: 1 where the text was longer than the limit of the ingest
    digest: str  #: of the payload: SHA-1 in base 32, or as the archive has it (``sha256:ab...``); empty where not known
    by_text: str | None  #: the language that the text alone is in
    by_text_confidence: float | None  #: its probability
    languages: str  #: up to three codes with commas between: the page's language, then the others by share
    shares: str  #: the part of the letters that each of them has


COLUMNS: Final = TextRow._fields


@dataclass
class TextCounts:
    """Counts of texts that were read."""

    texts: int = 0
    cut: int = 0  #: of these, those that were longer than the limit of the ingest
    repeated: int = 0  #: that are left out, because an earlier page has the same

    def describe(self) -> list[str]:
        """Return sentences about texts that were cut or left out.

        >>> TextCounts(9, 2).describe()
        ["2 of 9 texts are cut: 'graphlang ingest --again --text-limit none' keeps them whole"]
        """
        sentences = []
        if self.repeated:
            sentences.append(
                f"{quantity(self.repeated, 'text')} left out: an earlier page has the same or nearly the same text"
            )
        if self.cut:
            single = self.cut == 1
            sentence = f"{self.cut:,} of {quantity(self.texts, 'text')} {'is' if single else 'are'} cut"
            again = "'graphlang ingest --again --text-limit none' keeps"
            sentences.append(f"{sentence}: {again} {'it' if single else 'them'} whole")
        return sentences


def read_texts(
    connection: sqlite3.Connection,
    selection: Selection,
    *,
    whole: bool = True,
    counts: TextCounts | None = None,
    codes: bool = False,
    unique: bool = False,
    near: float | None = None,
    quality: bool = False,
    by_language: bool = False,
) -> Table:
    """Read the texts of captures that count, in order of page ids, or of languages, those of a page by date.

    ``main`` is the main content; ``text`` the whole visible text: the main content, then navigation and the like. A
    line feed ends a line or paragraph. ``source`` and ``offset`` are the file and the position of the record; ``cut``
    is 1 if the text was longer than the limit of the ingest. A text that several captures have is repeated. With
    ``unique`` each main content in a language comes once; with ``near`` so do all that share this part of their runs of
    words. ``quality`` adds the columns of `Quality`.
    """
    excluded = () if whole else ("text",)
    names = tuple(name for name in (*COLUMNS, *(["codes"] if codes else [])) if name not in excluded)
    counts = counts or TextCounts()
    rows = _read_rows(connection, selection, counts, by_language=by_language)
    if unique:
        rows = _drop_repeated(rows, counts)
    if near is not None:
        rows = _drop_near(rows, near, counts)
    if names == COLUMNS:
        table = Table(COLUMNS, (row[:-1] for row in rows))
    else:
        places = [(*COLUMNS, "codes").index(name) for name in names]
        table = Table(names, (tuple(row[place] for place in places) for row in rows))
    if quality:
        column = names.index("text" if whole else "main")
        language = names.index("language")
        rows = ((*row, *measure_quality(row[column], row[language])) for row in table.rows)
        return Table((*names, *Quality._fields), rows)
    return table


#: Facts of a capture, in the order of `COLUMNS` up to the title.
_FACTS: Final = (
    "pages.url, pages.date, (SELECT name FROM sources WHERE sources.id = pages.source), pages.offset, pages.status,"
    " pages.language, pages.script, pages.confidence, pages.method"
)
_BY_TEXT: Final = """(SELECT JSON_ARRAY(labels.language, text_answer.confidence) FROM predictions AS text_answer
    JOIN labels ON labels.id = text_answer.label
    WHERE text_answer.run = pages.text_run AND text_answer.page = pages.page)"""
_OWN_TEXT: Final = "SELECT title, text, main, rest FROM main.texts WHERE page = ? AND text <> ''"
_EARLIER_TEXT: Final = "SELECT title, text, main, rest FROM main.history WHERE id = ? AND text <> ''"


def _drop_repeated(rows: Iterator[tuple[Any, ...]], counts: TextCounts) -> Iterator[tuple[Any, ...]]:
    """Yield the first row of each main content in a language, or of each text without main content; 80 bytes a text."""
    place, main, text = (COLUMNS.index(name) for name in ("language", "main", "text"))
    digests: set[bytes] = set()
    for row in rows:
        content = f"{row[place]}\n{row[main] or row[text]}".encode("utf-8", "replace")
        digest = blake2b(content, digest_size=12).digest()
        if digest in digests:
            counts.repeated += 1
            continue
        digests.add(digest)
        yield row


def _drop_near(rows: Iterator[tuple[Any, ...]], share: float, counts: TextCounts) -> Iterator[tuple[Any, ...]]:
    """Return the rows whose main content is not nearly that of an earlier one in the language."""
    earlier = NearDuplicates(share)
    place, main, text = (COLUMNS.index(name) for name in ("language", "main", "text"))

    def iterate_distinct() -> Iterator[tuple[Any, ...]]:
        for row in rows:
            if earlier.add(row[place], row[main] or row[text]):
                yield row
            else:
                counts.repeated += 1

    return iterate_distinct()


def _read_rows(
    connection: sqlite3.Connection, selection: Selection, counts: TextCounts, *, by_language: bool
) -> Iterator[tuple[Any, ...]]:
    """Yield all columns of `COLUMNS`, and the codes.

    The texts are looked up one by one, so that sorting the captures takes little memory.
    """
    source, values = write_captures_sql(connection, selection)
    query = (
        f"SELECT {_FACTS}, pages.length, pages.digest, {_BY_TEXT}, pages.runner_up, pages.runner_up_confidence,"
        f" {shares.write_shares_sql('pages.text_run')}, pages.page, pages.content FROM {source} AS pages"
        f" ORDER BY {'language, ' * by_language}page, date, capture"
    )
    find = connection.cursor()
    for row in connection.execute(query, values):
        facts, (length, digest, by_text, runner_up, second, parts, page, content) = row[:9], row[9:]
        cursor = find.execute(_OWN_TEXT, (page,)) if content is None else find.execute(_EARLIER_TEXT, (content,))
        text_row = cursor.fetchone()
        if text_row is None:
            continue
        title, text, main, rest = text_row
        if rest is not None:
            try:
                text += inflate_text(rest, length - len(text))
            except (TypeError, ValueError) as error:
                raise value_error("texts.rest", str(error), "a zlib stream") from error
        cut = len(text) < length
        counts.texts += 1
        counts.cut += cut
        language = facts[5]
        yield (
            *(*facts, title, text[:main], text, int(cut), digest, *(json.loads(by_text) if by_text else (None, None))),
            *shares.format_shares(shares.rank_shares(language, parts)),
            rank_codes(language, runner_up, second, parts),
        )


def write_txt(table: Table, file: IO[bytes]) -> int:
    """Write texts alone, a paragraph a line and an empty line after each page; returns the number of pages.

    The whole text if the table has it, else the main content.
    """
    column = table.columns.index("text" if "text" in table.columns else "main")
    out = io.TextIOWrapper(file, encoding="utf-8", newline="")
    written = 0
    for lines in _split_paragraphs(table, column):
        out.write("\n".join(lines) + "\n\n")
        written += 1
    out.flush()
    out.detach()
    return written


def _split_paragraphs(table: Table, column: int) -> Iterator[list[str]]:
    for row in table.rows:
        lines = [line.strip() for line in _format_text(row[column]).splitlines()]
        paragraphs = [line for line in lines if line]
        if paragraphs:
            yield paragraphs


def _format_text(value: Any) -> str:
    return str(value or "")
