"""Count the content of a collection: files, pages, links, charsets, languages, problems, runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.db.corrections import IN_FORCE
from graphlang.db.runs.run import get_chosen_run
from graphlang.maps.selection import FLOOR, IS_PAGE, Selection
from graphlang.method_cards import sources

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping


class Fact(NamedTuple):
    """A count."""

    what: str  #: what is counted
    value: str | None  #: of which kind; None: of all
    #: how many
    count: int  # type: ignore[assignment]  # the name of the column shadows `tuple.count`


class Encoding(NamedTuple):
    """Pages of a language by charset."""

    language: str  #: ISO 639-3
    charset: str  #: in which the pages were read
    charset_from: str  #: what named it: the server, the page, detection
    encoding: str | None  #: what a method over bytes found, if one was run
    pages: int  #: how many


class Totals(NamedTuple):
    """Counts of a collection, as in the language map."""

    pages: int  #: read, and text with status 200
    languages: int
    undetermined: int
    only_linked_to: int
    not_counted: int  #: redirects, errors and files that are no text


#: The encoding is that of the newest run that names any.
_ENCODINGS: Final = """
SELECT language, charset, charset_from, found.encoding, COUNT(*) FROM page_languages
LEFT JOIN predictions AS found ON found.page = page_languages.page AND found.run = (
    SELECT MAX(run) FROM predictions WHERE encoding IS NOT NULL
)
WHERE charset IS NOT NULL
GROUP BY 1, 2, 3, 4 ORDER BY 1, 5 DESC, 2, 3, 4
"""

_COUNTS: Final = (
    ("files", "SELECT NULL, COUNT(*) FROM sources"),
    ("files not read to the end", "SELECT NULL, COUNT(*) FROM sources WHERE NOT finished"),
    ("hosts", "SELECT NULL, COUNT(*) FROM hosts"),
    ("pages", "SELECT NULL, COUNT(*) FROM pages"),
    ("pages read", "SELECT NULL, COUNT(*) FROM captures"),
    ("captures read", "SELECT NULL, COALESCE(SUM(captures), 0) FROM captures"),
    ("other captures kept", "SELECT NULL, COUNT(*) FROM history"),
    ("other captures with different content", "SELECT NULL, COUNT(*) FROM history WHERE whole"),
    # What has no size is whole, but for revisits. Without a digest they are only counted, among the captures.
    ("other captures that are revisits", "SELECT NULL, COUNT(*) FROM history WHERE NOT whole AND size = 0"),
    (
        "main captures by parts read",
        "SELECT parts, COUNT(*) FROM captures GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
    # A revisit gives way to any other capture of its URL.
    ("pages with revisits only, content known", "SELECT NULL, COUNT(original) FROM captures"),
    (
        "pages with revisits only, content unknown",
        "SELECT NULL, COUNT(*) FROM captures WHERE revisit_of IS NOT NULL AND original IS NULL",
    ),
    (
        "pages with the content of another page",
        (
            "SELECT NULL, COALESCE(SUM(pages - 1), 0) FROM (SELECT COUNT(*) AS pages FROM captures"
            " WHERE digest <> '' AND revisit_of IS NULL GROUP BY digest)"
        ),
    ),
    ("pages with undecoded bytes", "SELECT NULL, COUNT(*) FROM visible_bytes"),
    ("pages of text with status 200", f"SELECT NULL, COUNT(*) FROM captures WHERE {' AND '.join(IS_PAGE)}"),
    ("pages with text", "SELECT NULL, COUNT(*) FROM texts WHERE text <> ''"),
    ("characters of text", "SELECT NULL, COALESCE(SUM(length), 0) FROM captures"),
    ("links", "SELECT NULL, COUNT(*) FROM links"),
    ("links", "SELECT name, COUNT(*) FROM links JOIN link_kinds ON id = kind GROUP BY kind ORDER BY 2 DESC, 1"),
    ("status", "SELECT COALESCE(CAST(status AS TEXT), 'none'), COUNT(*) FROM captures GROUP BY 1 ORDER BY 2 DESC, 1"),
    (
        "charset",
        (
            "SELECT charset || ' from ' || charset_from, COUNT(*) FROM captures WHERE charset IS NOT NULL"
            " GROUP BY 1 ORDER BY 2 DESC, 1"
        ),
    ),
    # With a size, so that revisits and redirects do not count.
    (
        "captures without text, by media type",
        (
            "SELECT IIF(mime = '', 'none', mime), COUNT(*) FROM captures WHERE charset IS NULL AND size > 0"
            " AND length = 0 AND revisit_of IS NULL AND parts = 'both' GROUP BY 1 ORDER BY 2 DESC, 1"
        ),
    ),
    ("declared language", "SELECT source, COUNT(*) FROM declarations GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("problems", "SELECT NULL, COUNT(*) FROM problems"),
    ("problems", "SELECT kind, COUNT(*) FROM problems GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("corrections in force", f"SELECT NULL, COUNT(*) FROM corrections WHERE {IN_FORCE}"),
    (
        "corrections in force",
        (
            "SELECT language, COUNT(*) FROM corrections JOIN labels ON labels.id = corrections.label"
            f" WHERE {IN_FORCE} GROUP BY 1 ORDER BY 2 DESC, 1"
        ),
    ),
    ("corrections undone", "SELECT NULL, COUNT(*) FROM corrections WHERE undone IS NOT NULL"),
    ("runs", "SELECT NULL, COUNT(*) FROM runs WHERE finished IS NOT NULL"),
    (
        "language of pages of text",
        (
            f"SELECT IIF(confidence < {FLOOR}, 'und', language), COUNT(*) FROM page_languages"
            f" WHERE fetched AND {' AND '.join(IS_PAGE)}"
            " GROUP BY 1 ORDER BY 2 DESC, 1"
        ),
    ),
    (
        "language of pages only linked to",
        "SELECT language, COUNT(*) FROM page_languages WHERE NOT fetched GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
)


def list_facts(connection: sqlite3.Connection) -> list[Fact]:
    """Count everything in a collection, and list the methods of its runs."""
    rows = [Fact(what, value, count) for what, query in _COUNTS for value, count in connection.execute(query)]
    by_method = connection.execute(
        "SELECT method, COUNT(*) FROM runs WHERE finished IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    for method, count in by_method:
        rows.append(Fact("method of runs", sources.gloss(method), count))
    chosen = get_chosen_run(connection)
    if chosen is not None:
        rows.append(Fact("chosen run", chosen.title, chosen.id))
    return rows


def count_encodings(connection: sqlite3.Connection) -> list[Encoding]:
    """Count pages by language, charset and encoding, by the chosen run."""
    return [Encoding._make(row) for row in connection.execute(_ENCODINGS)]


def count_totals(connection: sqlite3.Connection, read: Mapping[str, int] | None = None) -> Totals:
    """Count pages, languages and URLs, by the chosen run."""
    if read is None:
        read = count_pages_by_language(connection)
    urls, captures = connection.execute(
        "SELECT (SELECT COUNT(*) FROM pages), (SELECT COUNT(*) FROM captures)"
    ).fetchone()
    pages, language_count = sum(read.values()), len(read.keys() - {languages.UND, languages.ZXX})
    return Totals(pages, language_count, read.get(languages.UND, 0), urls - captures, captures - pages)


def count_pages_by_language(connection: sqlite3.Connection) -> dict[str, int]:
    """Count fetched pages by language, the commonest first."""
    selection = Selection(fetched=True)
    source, values = selection.write_source(table=selection.view)
    rows = connection.execute(f"SELECT language, COUNT(*) FROM {source} GROUP BY 1 ORDER BY 2 DESC, 1", values)
    return dict(rows.fetchall())


class ProblemRow(NamedTuple):
    """A record that could not be read, or only in part."""

    file: str  #: name of the file in the collection
    offset: int | None  #: of the record in the file, in bytes
    url: str | None  #: target URI of the record, as far as it is known
    kind: str  #: one word, for counting
    reason: str  #: what was wrong, in words


def list_problems(connection: sqlite3.Connection, *, kind: str | None = None) -> Iterator[tuple[Any, ...]]:
    """Yield problems as tuples of the fields of `ProblemRow`, in order of reading."""
    where = " WHERE problems.kind = ?" if kind is not None else ""
    yield from connection.execute(
        "SELECT sources.name, problems.offset, problems.url, problems.kind, problems.reason FROM problems"
        f" JOIN sources ON sources.id = problems.source{where} ORDER BY problems.id",
        () if kind is None else (kind,),
    )


def count_problems(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    """Count problems by kind, the commonest first."""
    return connection.execute("SELECT kind, COUNT(*) FROM problems GROUP BY kind ORDER BY 2 DESC, 1").fetchall()
