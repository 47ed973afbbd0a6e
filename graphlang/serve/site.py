"""A Datasette of a collection: read-only, on this machine alone, with the queries that one would have to write."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from graphlang.db import open_existing
from graphlang.db.runs.run import AT
from graphlang.db.schema import read_documentation

#: Queries by name: title, SQL. Names after a colon are asked for.
QUERIES: Final = {
    "changed": (
        "Pages that the graph changed",
        (
            "SELECT pages.url, own.language AS by_text, own_answer.confidence AS by_text_confidence, pages.language,"
            " pages.confidence FROM page_languages AS pages"
            " JOIN predictions AS own_answer ON own_answer.page = pages.page"
            f" AND own_answer.run = (SELECT MAX(id) FROM runs WHERE kind = 'content' AND finished IS NOT NULL AND {AT}"
            " IS NULL)"
            " JOIN labels AS own ON own.id = own_answer.label WHERE pages.fetched AND own.language <> pages.language"
            " AND pages.method IS NOT 'correction'"
            " ORDER BY pages.confidence DESC LIMIT 500"
        ),
    ),
    "doubtful_sites": (
        "Sites whose languages are doubtful",
        (
            "SELECT host, language, pages, confidence FROM site_languages WHERE pages > 0 AND confidence < 0.8"
            " ORDER BY pages DESC LIMIT 500"
        ),
    ),
    "unfetched": (
        "URLs that were never fetched, in a language",
        (
            "SELECT url, language, confidence FROM page_languages WHERE NOT fetched AND language = :language"
            " ORDER BY confidence DESC LIMIT 500"
        ),
    ),
    "links_between": (
        "Links from one language to another",
        (
            "SELECT links.source_url, links.target_url, links.kind FROM link_details AS links"
            " JOIN page_languages AS one ON one.page = links.source AND one.language = :from_language"
            " JOIN page_languages AS other ON other.page = links.target AND other.language = :to_language LIMIT 500"
        ),
    ),
    "declared_otherwise": (
        "Pages that declare another language than was found",
        (
            "SELECT url, GROUP_CONCAT(value, ',') AS declared, language, confidence FROM declarations"
            " JOIN page_languages USING (page) WHERE declarations.source <> 'robots' GROUP BY page"
            " HAVING declares_another(declared, language) ORDER BY confidence DESC, url LIMIT 500"
        ),
    ),
}
#: Name of the database with the full-text index, and characters that it needs to find anything.
INDEX: Final = "search"
MATCH: Final = 3
SEARCH: Final = (
    "SELECT listed.page, listed.url, listed.title, listed.language FROM words JOIN listed ON listed.page = words.rowid"
    " WHERE words MATCH '\"' || replace(:words, '\"', '\"\"') || '\"' ORDER BY words.rank LIMIT 100"
)
#: Tables and views for people, the first ones first; Datasette hides the others.
LISTS: Final = (
    *("page_languages", "site_languages", "language_shares", "link_details", "capture_languages"),
    *("problems", "corrections", "runs"),
)
#: Pages from which on lists show facets only if the user asks for one: each counts the whole view, in a second or more.
_MOST_FACETED: Final = 10_000
_BATCH: Final = 2_000
_HERE: Final = Path(__file__).parent


def describe_database(db: Path) -> dict[str, Any]:
    """Describe the database to Datasette: titles, facets, meaning of columns, queries."""
    tables: dict[str, dict[str, Any]] = {
        name: {"description": table.purpose, "columns": dict(table.columns)}
        for name, table in read_documentation().items()
    }
    for name in tables.keys() - set(LISTS):
        tables[name]["hidden"] = True
    tables["page_languages"] |= {"label_column": "url", "size": 50}
    with closing(open_existing(db)) as connection:
        (pages,) = connection.execute("SELECT COUNT(*) FROM (SELECT 1 FROM pages LIMIT ?)", (_MOST_FACETED,)).fetchone()
    if pages < _MOST_FACETED:
        # A facet of "fetched" would find nothing: Datasette compares with text, and a column of a view has no type.
        tables["page_languages"]["facets"] = ["language", "tld", "status"]
        tables["site_languages"]["facets"] = ["language", "tld"]
    tables["problems"] |= {"facets": ["kind"]}
    queries = {name: {"title": title, "sql": sql} for name, (title, sql) in QUERIES.items()}
    return {
        "title": f"Languages of {db.stem}",
        "description": "Every page of a crawled collection and its language, by graphlang.",
        "databases": {
            db.stem: {"tables": tables, "queries": queries},
            INDEX: {"queries": {"search": {"title": "Search in titles and texts", "sql": SEARCH}}},
        },
    }


def make_index(db: Path, target: Path) -> int:
    """Make the full-text index of a collection in a new file; return the number of pages.

    The tokens are trigrams, so that words are found in scripts without blanks between them: Japanese, Thai, Chinese.
    A query has three characters at least.
    """
    written = 0
    with closing(sqlite3.connect(target)) as out, closing(open_existing(db)) as connection:
        out.execute("CREATE TABLE listed (page INTEGER PRIMARY KEY, url TEXT, title TEXT, language TEXT)")
        out.execute("CREATE VIRTUAL TABLE words USING fts5 (title, text, content='', tokenize='trigram')")
        rows = connection.execute(
            "SELECT page, url, title, text, language FROM texts JOIN page_languages USING (page) ORDER BY page"
        )
        while batch := rows.fetchmany(_BATCH):
            out.executemany("INSERT INTO listed VALUES (?, ?, ?, ?)", [(r[0], r[1], r[2], r[4]) for r in batch])
            out.executemany("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", [r[:1] + r[2:4] for r in batch])
            written += len(batch)
        out.commit()
    return written


def make_datasette(db: Path, search: Path | None) -> Any:
    """Make a Datasette that serves a collection, with its full-text index if there is one."""
    if find_spec("datasette") is None:
        raise ImportError("'graphlang serve' needs Datasette: pip install 'graphlang[serve]'")
    from datasette.app import Datasette  # noqa: PLC0415 - an extra
    from datasette.plugins import pm  # noqa: PLC0415

    from graphlang.serve import pages  # noqa: PLC0415

    if not pm.is_registered(pages):
        pm.register(pages)

    log = db.with_name(f"{db.name}-wal")
    settled = not (log.exists() and log.stat().st_size)  # no process is writing: then it is not even locked
    return Datasette(
        [] if settled else [str(db)],
        immutables=[*([str(db)] if settled else []), *([str(search)] if search else [])],
        metadata=describe_database(db),
        template_dir=str(_HERE / "templates"),
        settings={
            "default_page_size": 50,
            "sql_time_limit_ms": 10_000,
            "facet_time_limit_ms": 5_000,  # a view is not counted in the fifth of a second that is usual
            "default_facet_size": 8,  # on a phone the rows are below all of them
            "suggest_facets": False,  # each list would be counted by every column
            "allow_download": False,
        },
    )
