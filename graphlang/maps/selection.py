"""Select which pages of a collection count for a map, an export or a report, and gather them for several queries.

The columns that a map counts are in six tables, and looking up a million pages takes longer than counting them. So
`gather` looks them up once, into a temporary table outside the database, on disk once it is large. All queries see the
collection at one moment, even while another process writes to it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.db.runs.run import AT, get_chosen_run, has_changed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from graphlang.codes.languages import LanguageChoice

#: Media types of pages; others count if text was read from them.
_MARKUP: Final = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
#: SQL: a page of a site is text that the server sent with status 200. In WET both status and type are unknown.
IS_PAGE: Final = "(status IS NULL OR status = 200)", f"(charset IS NOT NULL OR mime IN {_MARKUP})"

#: The view if only pages that were read count: SQLite scans these instead of all URLs.
_READ: Final = "(SELECT * FROM page_languages WHERE page IN (SELECT page FROM captures))"
#: Columns of the pages that a `Selection` selects: those of the view ``page_languages``.
COLUMNS: Final = (
    *("page", "url", "host", "domain", "suffix", "tld", "language", "script", "confidence", "runner_up"),
    *("runner_up_confidence", "method", "run", "fetched", "status", "mime", "charset", "charset_from", "date"),
    *("length", "characters", "encoding", "pending"),
)


#: Pages with less confidence count as ``und``: four of five such answers are wrong (confidences are calibrated), and
#: they name languages at random.
FLOOR: Final = 0.2


class GatheredPages(NamedTuple):
    """A temporary table of pages, see `graphlang.maps.selection`."""

    table: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """The pages of a collection that count, fetched or only linked to.

    Unless ``everything`` is set, only text with status 200 (or without a status) counts of fetched pages: images, style
    sheets and error pages are no pages of a site. ``status`` and ``mime`` replace these two conditions.
    """

    choices: tuple[LanguageChoice, ...] = ()  #: only these languages; all if empty
    min_confidence: float = FLOOR  #: pages below count as ``und``
    below: float | None = None  #: only pages with less confidence
    min_length: int | None = None  #: only fetched pages with this many characters of visible text or more
    max_length: int | None = None
    status: tuple[int, ...] = ()  #: only fetched pages with one of these
    mime: tuple[str, ...] = ()  #: media types; ``image/*`` is every image
    fetched: bool | None = None  #: True: only pages that were read; False: only those that were not
    everything: bool = False
    captures: str = "own"  #: ``all``: every capture of a page counts, where captures are listed
    gathered: GatheredPages | None = None  #: where the pages were gathered
    year: str | None = None  #: only pages that were gathered for this year

    def write_source(
        self, *, with_languages: bool = True, table: str = "page_languages", columns: tuple[str, ...] = COLUMNS
    ) -> tuple[str, dict[str, Any]]:
        """Write a subquery of the pages that count, with `COLUMNS` or those gathered; return it with its values."""
        values: dict[str, Any] = {"least": self.min_confidence}
        conditions: list[str] = []
        if self.gathered is not None:
            table, columns = self.gathered
        else:
            conditions = self._match_fetched(values)
        if self.year is not None:
            values["year"] = self.year
            conditions.append("year = :year")
        if self.fetched is not None:
            conditions.append(f"fetched = {int(self.fetched)}")
        if self.below is not None:
            values["below"] = self.below
            conditions.append("confidence < :below")
        languages = [write_choice_condition(self.choices, values)] if with_languages and self.choices else []
        if not self.min_confidence:
            return f"(SELECT {', '.join(columns)} FROM {table}{_join_conditions(conditions + languages)})", values
        chosen = ", ".join(columns)
        # The threshold comes before the filters, so that --language und finds the pages that it makes undetermined.
        for column, otherwise in (("language", "'und'"), ("script", "NULL")):
            masked = f"CASE WHEN confidence < :least THEN {otherwise} ELSE {column} END AS {column}"
            chosen = chosen.replace(column, masked, 1)
        pages = f"(SELECT {chosen} FROM {table}{_join_conditions(conditions)})"
        return f"(SELECT * FROM {pages}{_join_conditions(languages)})" if languages else pages, values

    @property
    def view(self) -> str:
        """SQL for the pages to count, see `source`."""
        return _READ if self.fetched else "page_languages"

    def include_all_kinds(self) -> Selection:
        """Return a selection of captures of all kinds, unless ``status`` or ``mime`` choose them."""
        return replace(self, everything=True)

    def _match_fetched(self, values: dict[str, Any]) -> list[str]:
        """Write the conditions on fetched pages; an explicit one leaves out unfetched URLs."""
        with_status, is_text = IS_PAGE
        conditions = []
        if self.status:
            conditions.append(_match_values("status", self.status, values))
        elif not self.everything:
            conditions.append(with_status)
        if self.mime:
            conditions.append(_match_types(self.mime, values))
        elif not self.everything:
            conditions.append(is_text)
        for name, sign, length in (("shortest", ">=", self.min_length), ("longest", "<=", self.max_length)):
            if length is not None:
                values[name] = length
                conditions.append(f"length {sign} :{name}")
        if not conditions:
            return []
        only_fetched = self.status or self.mime or self.min_length is not None or self.max_length is not None
        return [f"({'' if only_fetched else 'fetched = 0 OR '}({' AND '.join(conditions)}))"]

    def includes(self, language: str, script: str | None = None) -> bool:
        """Return whether a language is selected; without a script, in any script."""
        if not self.choices:
            return True
        return any(
            choice.language == language and (choice.script is None or script is None or choice.script == script)
            for choice in self.choices
        )

    def includes_label(self, label: str) -> bool:
        """Return whether a label such as ``srp`` or ``srp_Cyrl`` is selected."""
        language, _, script = label.partition("_")
        return self.includes(language, script or None)


def _join_conditions(conditions: list[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def write_choice_condition(choices: Iterable[LanguageChoice], values: dict[str, Any]) -> str:
    """Write the SQL condition that language and script are among the choices."""
    conditions = []
    for number, choice in enumerate(choices):
        values[f"language{number}"] = choice.language
        condition = f"language = :language{number}"
        if choice.script is not None:
            values[f"script{number}"] = choice.script
            condition = f"({condition} AND script = :script{number})"
        conditions.append(condition)
    return f"({' OR '.join(conditions)})"


def _match_types(types: Iterable[str], values: dict[str, Any]) -> str:
    whole = [media_type for media_type in types if not media_type.endswith("/*")]
    parts = [_match_values("mime", whole, values)] if whole else []
    for number, media_type in enumerate(media_type for media_type in types if media_type.endswith("/*")):
        values[f"kind{number}"] = media_type[:-1]
        parts.append(f"substr(mime, 1, length(:kind{number})) = :kind{number}")
    return f"({' OR '.join(parts)})"


def _match_values(column: str, allowed: Iterable[Any], values: dict[str, Any]) -> str:
    keys = []
    for number, value in enumerate(allowed):
        values[f"{column}{number}"] = value
        keys.append(f":{column}{number}")
    return f"{column} IN ({', '.join(keys)})"


def count_unanswered(connection: sqlite3.Connection) -> int:
    """Count pages with captures of a calendar year that no run has answered, once for each such year."""
    (count,) = connection.execute(
        "SELECT COUNT(*) FROM (SELECT page, SUBSTR(date, 1, 4) AS year FROM history_captures WHERE date <> ''"
        " GROUP BY 1, 2 HAVING COUNT(run) = 0) AS of_history WHERE NOT EXISTS (SELECT 1 FROM captures"
        " WHERE captures.page = of_history.page AND SUBSTR(captures.date, 1, 4) = of_history.year)"
    ).fetchone()
    return int(count)


#: Content runs that the chosen run started from, or is itself.
_OWN: Final = """
SELECT MAX(own.id) FROM chosen JOIN runs AS final ON final.id = chosen.run JOIN runs AS own ON own.kind = 'content'
WHERE own.finished IS NOT NULL AND (own.id = final.id OR own.id IN (SELECT value FROM json_each(final.seeds)))
"""


#: SQL: the content run of a capture. Of another time than the page's own it is the one that its run started from.
CONTENT_RUN: Final = f"""COALESCE((
    SELECT IIF(kind = 'content', id, JSON_EXTRACT(seeds, '$[0]')) FROM runs WHERE id = pages.run AND {AT} IS NOT NULL
), :own)"""


@singledispatch
def find_outdated(connection: Any) -> int | None:
    """Return the chosen run if files were read or pages removed since, else None."""
    run = get_chosen_run(connection)
    return run.id if run is not None and has_changed(connection, run) else None


@singledispatch
def find_content_run(connection: Any) -> int | None:
    """Return the content run that the chosen run is based on, else the newest one, else None."""
    for query in (_OWN, f"SELECT MAX(id) FROM runs WHERE kind = 'content' AND finished IS NOT NULL AND {AT} IS NULL"):
        (run,) = connection.execute(query).fetchone()
        if run is not None:
            return int(run)
    return None


def write_total(column: str, where: str | None = None) -> str:
    """Write SQL for the sum of a column of probabilities, 0.0 where there is none.

    Spark adds its partitions in any order. As decimals their sum is the same in every order; SQLite ignores the cast.

    >>> write_total("share")
    'COALESCE(SUM(CAST(share AS DECIMAL(20, 18))), 0.0)'
    >>> write_total("confidence", "fetched = 1")
    'COALESCE(SUM(CAST(confidence AS DECIMAL(20, 18))) FILTER (WHERE fetched = 1), 0.0)'
    """
    filtered = f" FILTER (WHERE {where})" if where else ""
    return f"COALESCE(SUM(CAST({column} AS DECIMAL(20, 18))){filtered}, 0.0)"


#: Columns that `select_inferred_pages` adds: letters of the text, or its characters if no run has counted letters;
#: the language that a content run read from it, and its confidence; NULL where the run has no answer for the page.
OWN_COLUMNS: Final = ("letters", "own_language", "own_confidence")
#: Columns that are always gathered.
GATHERED_COLUMNS: Final = (
    *("page", "domain", "tld", "language", "script", "confidence", "runner_up", "runner_up_confidence"),
    *("method", "run", "fetched", "charset", "date", "length"),
    *OWN_COLUMNS,
)
_SAVEPOINT: Final = "gathering"
#: A part of a date that is unknown is taken from the middle of the year.
_DAY: Final = "JULIANDAY(SUBSTR(date || SUBSTR('0000-07-02', LENGTH(date) + 1), 1, 10))"
#: Days from the middle of the year; an invalid date is the farthest, and the main capture the nearest.
#: Answers of runs of other years come last: a run of 2008 uses the first capture of a page of 2010, and infers its
#: language from the links of 2008.
_FAR: Final = f"""
IIF(
    capture IS NULL,
    -1,
    COALESCE(ABS({_DAY} - JULIANDAY(SUBSTR(date, 1, 4) || '-07-02')), 1000)
    + IIF((run, SUBSTR(date, 1, 4)) IN (SELECT JSON_EXTRACT(value, '$[0]'), JSON_EXTRACT(value, '$[1]')
        FROM JSON_EACH(:of_years)), 0, 2000)
) AS far
"""
#: Finished runs, each with the year that it was asked about.
_OF_YEARS: Final = f"""
SELECT JSON_GROUP_ARRAY(JSON_ARRAY(id, SUBSTR({AT}, 1, 4))) FROM runs WHERE finished IS NOT NULL AND {AT} IS NOT NULL
"""


@singledispatch
@contextmanager
def gather(
    connection: Any, selection: Selection, *, extra: Sequence[str] = (), yearly: bool = False
) -> Iterator[Selection]:
    """Copy the pages that count into a temporary table; until the end, writes of other processes are not seen."""
    # Languages and confidence are filters of each query.
    all_pages = replace(selection, choices=(), below=None, min_confidence=0.0, fetched=None, gathered=None)
    source, values = all_pages.write_source()
    if yearly:
        source, values = all_pages.write_source(table="capture_languages", columns=(*COLUMNS, "capture"))
    columns = tuple(dict.fromkeys((*GATHERED_COLUMNS, *extra)))
    with_text = select_inferred_pages(source, CONTENT_RUN if yearly else ":own")
    if yearly:
        columns = ("year", *columns)
        stored, keys = (*columns, "capture", "far"), "PRIMARY KEY (year, page)) WITHOUT ROWID"
        rows = f"SELECT *, SUBSTR(date, 1, 4) AS year, {_FAR} FROM {with_text}"
        nearer = f"""
            ON CONFLICT DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in stored)}
            WHERE (excluded.far, excluded.date, excluded.capture) < (far, date, capture)
        """
    else:
        stored, keys, rows, nearer = columns, "PRIMARY KEY (page))", f"SELECT * FROM {with_text}", ""
    table = "temp.gathered_captures" if yearly else "temp.gathered_pages"
    types = {"page": "INTEGER"}
    if yearly:
        (values["of_years"],) = connection.execute(_OF_YEARS).fetchone()
    connection.execute(f"SAVEPOINT {_SAVEPOINT}")
    try:
        defined = ", ".join(f"{name} {types.get(name, '')}" for name in stored)
        connection.execute(f"CREATE TABLE {table} ({defined}, {keys}")
        connection.execute(
            f"INSERT INTO {table} SELECT {', '.join(stored)} FROM ({rows}) WHERE TRUE {nearer}",
            values | {"own": find_content_run(connection)},
        )
        yield replace(selection, gathered=GatheredPages(table, columns))
    finally:
        if connection.in_transaction:  # SQLite has ended it if the disk is full
            connection.execute(f"ROLLBACK TO {_SAVEPOINT}")
            connection.execute(f"RELEASE {_SAVEPOINT}")


def has_answered_history(connection: Any) -> bool:
    """Return whether other captures than the main ones have answers."""
    return connection.execute("SELECT 1 FROM history WHERE run IS NOT NULL LIMIT 1").fetchone() is not None


def select_inferred_pages(source: str, run: str = ":own") -> str:
    """Write a subquery of pages with `OWN_COLUMNS`; ``run`` is SQL for the content run of ``pages``."""
    return (
        "(SELECT pages.*, COALESCE(own.characters, pages.characters, pages.length, 0) AS letters,"
        " own_label.language AS own_language, own.confidence AS own_confidence"
        f" FROM {source} AS pages LEFT JOIN predictions AS own ON own.run = {run} AND own.page = pages.page"
        " LEFT JOIN labels AS own_label ON own_label.id = own.label)"
    )
