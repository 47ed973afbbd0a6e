"""Pages and their languages, by the chosen run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.maps import shares
from graphlang.maps.selection import COLUMNS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from graphlang.maps.selection import Selection


#: Orders of pages, and SQL for each: as they were found; least sure first; shortest first; by URL.
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


def page_rows(
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
    share_columns, bound = shares.share_columns(connection)
    source, values = selection.source(of=f"(SELECT *, language AS answer FROM {selection.view})", columns=_COLUMNS)
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
