"""Pages and their languages by the chosen run, and captures of pages with their languages at that time.

Captures are the main ones, those nearest to a moment, or all. The language of a capture that is not the main one comes
from the run of its time (`propagate --at`, `--each year`). Without such a run it comes from a content run that read the
same text, else it is ``und``: the language of a page today is no evidence of its language then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.db import snapshot
from graphlang.db.runs.run import find_run_at
from graphlang.maps import shares
from graphlang.maps.selection import COLUMNS, find_content_run
from graphlang.printing import quantity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from graphlang.maps.selection import Selection

#: Orders of pages with their SQL: in order of ids, lowest confidence first, shortest first, by URL.
ORDERS: Final = {"found": "page", "confidence": "confidence, page", "length": "length, page", "url": "url"}
_DECLARED: Final = (
    "(SELECT GROUP_CONCAT(value, ',') FROM declarations WHERE declarations.page = pages.page AND source <> 'robots')"
)


#: SQL: the answer of a page whose confidence is too low for it.
GUESS: Final = "CASE WHEN language = 'und' AND answer <> 'und' THEN answer END"
#: Columns that a list of pages reads.
_COLUMNS: Final = (*COLUMNS, "answer")


class PageRow(NamedTuple):
    """A page, fetched or only linked to, with the answer of the chosen run."""

    url: str  #: of the page
    language: str  #: ISO 639-3; ``und`` where it is undetermined
    script: str | None  #: ISO 15924
    confidence: float  #: probability of the language
    runner_up: str | None  #: the second language
    runner_up_confidence: float | None  #: its probability
    method: str | None  #: of the run
    fetched: int  #: 1 where the page was read, 0 where it was only linked to
    status: int | None  #: of the HTTP response
    length: int | None  #: characters of visible text; 0: URL, site and links alone decide
    languages: str  #: up to three codes with commas between: the page's language, then the others by share
    shares: str  #: the part of the letters that each of them has
    guess: str | None  #: the language of an answer below --min-confidence, for which ``language`` is ``und``


def list_pages(
    connection: sqlite3.Connection,
    selection: Selection,
    *,
    host: str | None = None,
    declared_unlike: bool = False,
    sort: str = "found",
    after: int = 0,
    until: int | None = None,
) -> Iterator[tuple[Any, ...]]:
    """Yield pages as tuples of the fields of `PageRow`, in order of their ids unless sorted.

    ``host`` is as in the database, ``after`` and ``until`` are page ids, ``sort`` is one of `ORDERS`.
    """
    if sort not in ORDERS:
        raise ValueError(f"cannot sort by {sort}; there are {', '.join(ORDERS)}")
    share_columns, bound = shares.write_share_columns(connection)
    source, values = selection.write_source(
        table=f"(SELECT *, language AS answer FROM {selection.view})", columns=_COLUMNS
    )
    values |= bound
    conditions: list[str] = []
    if after:
        conditions.append("page > :after")
        values["after"] = after
    if until is not None:
        conditions.append("page <= :until")
        values["until"] = until
    if host is not None:
        conditions.append("host = :host")
        values["host"] = host
    if declared_unlike:
        connection.create_function("declares_another", 2, declares_another, deterministic=True)
        conditions.append(f"declares_another({_DECLARED}, language)")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    columns = ", ".join(PageRow._fields[:-3])
    query = f"SELECT {columns}, {share_columns}, {GUESS} FROM {source} AS pages{where} ORDER BY {ORDERS[sort]}"
    yield from connection.execute(query, values)


def declares_another(declared: str | None, answer: str) -> bool:
    """Return whether a page declares languages, none of which is the answer.

    >>> declares_another("en-GB, de", "fra"), declares_another("en", "eng"), declares_another("x-default", "fra")
    (True, False, False)
    """
    if not declared or answer in (languages.UND, languages.ZXX):
        return False
    codes = {code for tag in declared.split(",") if (code := languages.code(tag.strip())) is not None}
    return bool(codes) and answer not in codes


#: Which captures count: the main capture of each page, or all.
OWN, ALL = "own", "all"
CHOICES: Final = (OWN, ALL)
#: What `source` has besides `COLUMNS`. ``capture`` is the row of ``history``, NULL for the page's own; ``content`` that
#: which holds the text, NULL for the page's own; ``text_run`` the content run that read the text.
RECORD: Final = ("capture", "source", "offset", "digest", "revisit", "content", "text_run")

#: SQL: the content run that a run started from.
_CONTENT_RUN: Final = "(SELECT IIF(kind = 'content', id, JSON_EXTRACT(seeds, '$[0]')) FROM runs WHERE id = {0})"
_TEXT_RUN: Final = (
    f"COALESCE({_CONTENT_RUN.format('COALESCE(:moment, held.run, same.run)')}, IIF(held.content IS NULL, :own, NULL))"
)
#: Captures with stored content, and the content run of their text: that of the newest run of an equal content.
_HELD: Final = f"""
    WITH same AS MATERIALIZED (
        SELECT page, content, MAX(run) AS run FROM main.history_captures WHERE run IS NOT NULL GROUP BY page, content
    ), each_held AS MATERIALIZED (
        SELECT held.*, {_TEXT_RUN} AS text_run, all_of.offset AS at_byte,
            all_of.size = 0 AND NOT all_of.whole AS revisit
        FROM main.history_captures AS held CROSS JOIN main.history AS all_of ON all_of.id = held.id
        LEFT JOIN same ON same.page = held.page AND same.content IS held.content
    ) SELECT * FROM each_held
"""
#: Revisit records without stored content: an index lists them too.
_BARE: Final = """
    SELECT id, page, source, offset, date, status, mime, charset, charset_from, length, size, digest, parts,
        NULL AS content, run, NULL AS text_run, offset AS at_byte, 1 AS revisit
    FROM main.history AS bare WHERE NOT whole
    AND NOT EXISTS (SELECT 1 FROM main.history_captures AS kept WHERE kept.id = bare.id)
"""
_ANSWER: Final = """
    COALESCE(best.language, 'und') AS language, best.script AS script,
    COALESCE(predictions.confidence, 0.0) AS confidence, second.language AS runner_up,
    predictions.runner_up_confidence AS runner_up_confidence, runs.method AS method, runs.id AS run
"""
_LABELS: Final = """
    LEFT JOIN labels AS best ON best.id = predictions.label
    LEFT JOIN labels AS second ON second.id = predictions.runner_up
"""


def _write_history_sql(held: str) -> str:
    """Write SQL for other captures of pages, with `COLUMNS` and `RECORD`."""
    return f"""
    SELECT pages.id AS page, pages.url AS url, hosts.host AS host, hosts.domain AS domain, hosts.suffix AS suffix,
        hosts.tld AS tld, {_ANSWER}, 1 AS fetched, held.status AS status, held.mime AS mime, held.charset AS charset,
        held.charset_from AS charset_from, held.date AS date, held.length AS length,
        predictions.characters AS characters, predictions.encoding AS encoding, 0 AS pending,
        held.id AS capture, held.source AS source, held.at_byte AS offset, held.digest AS digest,
        held.revisit AS revisit, held.content AS content, held.text_run AS text_run
    FROM ({held}) AS held
    CROSS JOIN pages ON pages.id = held.page
    CROSS JOIN hosts ON hosts.id = pages.host
    LEFT JOIN runs ON runs.id = COALESCE(:moment, held.run, held.text_run)
    LEFT JOIN predictions ON predictions.run = runs.id AND predictions.page = held.page
    {_LABELS}"""


_OWN_RECORD: Final = """NULL AS capture, own.source AS source, own.offset AS offset, own.digest AS digest,
        own.revisit_of IS NOT NULL AS revisit, NULL AS content"""
_PAGES: Final = f"""
    SELECT {", ".join(f"page_languages.{name} AS {name}" for name in COLUMNS)}, {_OWN_RECORD}, :own AS text_run
    FROM page_languages CROSS JOIN main.captures AS own ON own.page = page_languages.page
"""
#: Main captures with the answers of the run of a moment; corrections stay.
_PAGES_THEN: Final = f"""
    SELECT {", ".join(f"today.{name} AS {name}" for name in COLUMNS if f"AS {name}" not in _ANSWER)}, {_ANSWER},
        {_OWN_RECORD}, {_CONTENT_RUN.format(":moment")} AS text_run
    FROM page_languages AS today CROSS JOIN main.captures AS own ON own.page = today.page
    CROSS JOIN runs ON runs.id = :moment
    LEFT JOIN predictions ON predictions.run = :moment AND predictions.page = today.page {_LABELS}
    WHERE today.method IS NOT 'correction'
"""


def check_captures(captures: str, at: str | None) -> str:
    """Check that captures are one of `CHOICES`, and that ``all`` is not combined with a moment.

    >>> check_captures("all", None)
    'all'
    """
    if captures not in CHOICES:
        raise ValueError(f"cannot take {captures} captures; there are {', '.join(CHOICES)}")
    if captures != OWN and at is not None:
        raise ValueError("a moment takes one capture of each page: choose it, or all captures")
    return captures


def write_captures_sql(
    connection: sqlite3.Connection, selection: Selection, *, bare: bool = False
) -> tuple[str, dict[str, Any]]:
    """Write a subquery of the captures that count, with `COLUMNS` and `RECORD`; return it with its values."""
    moment = snapshot.get_moment(connection)
    run = None if moment is None else find_run_at(connection, moment)
    values: dict[str, Any] = {"own": find_content_run(connection)}
    legs = [_PAGES] if run is None else [_PAGES_THEN, f"{_PAGES} WHERE method = 'correction'"]
    if needs_other_captures(connection, selection):
        values["moment"] = None if run is None else run.id
        legs.append(_write_history_sql(_HELD))
    if bare and moment is None and selection.captures == ALL:
        legs.append(_write_history_sql(_BARE))
    columns = ", ".join((*COLUMNS, *RECORD))
    captures = " UNION ALL ".join(f"SELECT {columns} FROM ({leg})" for leg in legs)
    if moment is not None:
        near = "(SELECT capture FROM temp.snapshot_captures AS near WHERE near.page = candidates.page)"
        captures = f"SELECT {columns} FROM ({captures}) AS candidates WHERE capture IS {near}"
    chosen, selected_values = selection.write_source(table=f"({captures})", columns=(*COLUMNS, *RECORD))
    return chosen, values | selected_values


def needs_other_captures(connection: sqlite3.Connection, selection: Selection) -> bool:
    """Return whether captures other than the main ones count."""
    return selection.captures == ALL or snapshot.get_moment(connection) is not None


def describe_missing_answers(connection: sqlite3.Connection, selection: Selection) -> list[str]:
    """Return sentences about captures whose language no run has inferred."""
    moment, sentences = snapshot.get_moment(connection), []
    if moment is not None and find_run_at(connection, moment) is None:
        sentences.append(
            f"no run is of {moment}: languages are those of each capture's own time. 'graphlang propagate DB --at"
            f" {moment}' infers those of {moment}"
        )
    if not needs_other_captures(connection, selection):
        return sentences
    chosen, values = write_captures_sql(connection, selection)
    query = f"SELECT COUNT(*) FROM {chosen} WHERE capture IS NOT NULL AND run IS NULL"
    (count,) = connection.execute(query, values).fetchone()
    if count:
        sentences.append(
            f"{quantity(count, 'capture')} {'has' if count == 1 else 'have'} no language yet:"
            " 'graphlang propagate DB --each year' finds one for each page and year,"
            " --at MOMENT for the captures nearest to it"
        )
    return sentences
