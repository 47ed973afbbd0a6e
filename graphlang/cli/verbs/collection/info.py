"""``info``: what a database holds."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from graphlang.analysis import linked
from graphlang.cli.shared import options
from graphlang.cli.shared.output import table_options, write_rows
from graphlang.db import open_existing, runs
from graphlang.db.corrections import IN_FORCE
from graphlang.db.write import again
from graphlang.method_cards import sources

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path


@click.command()
@options.database
@table_options
@click.option("--encodings", is_flag=True, help="Count pages by language and encoding instead.")
def info(db: Path, format_: str, *, encodings: bool) -> None:
    """Count what DB holds: files, pages, links, languages.

    It counts links by kind, charsets and problems as well.
    With --encodings: pages of each language (by the chosen run) by charset, by what named the charset (the server,
    the page, detection), and by the encoding that a method over bytes found, if one was run.

    \b
    Examples:
      graphlang info crawl.db
      graphlang info crawl.db --encodings --format csv
    """
    with closing(open_existing(db) if encodings else linked.opened(db)) as connection:
        if encodings:
            counted = connection.execute(_ENCODINGS).fetchall()
            write_rows(("language", "charset", "charset_from", "encoding", "pages"), counted, format_=format_)
            return
        rows = _facts(connection)
    write_rows(("what", "value", "count"), rows, format_=format_)


#: The encoding is that of the newest run that names any.
_ENCODINGS = """
SELECT language, charset, charset_from, found.encoding, COUNT(*) FROM page_languages
LEFT JOIN predictions AS found ON found.page = page_languages.page AND found.run = (
    SELECT MAX(run) FROM predictions WHERE encoding IS NOT NULL
)
WHERE charset IS NOT NULL
GROUP BY 1, 2, 3, 4 ORDER BY 1, 5 DESC, 2, 3, 4
"""


_COUNTS = (
    ("files", "SELECT NULL, COUNT(*) FROM sources"),
    ("files not read to the end", "SELECT NULL, COUNT(*) FROM sources WHERE NOT finished"),
    ("hosts", "SELECT NULL, COUNT(*) FROM hosts"),
    ("pages", "SELECT NULL, COUNT(*) FROM pages"),
    ("pages read", "SELECT NULL, COUNT(*) FROM captures"),
    ("captures of them", "SELECT NULL, COALESCE(SUM(captures), 0) FROM captures"),
    (
        "captures by what was read",
        "SELECT parts, COUNT(*) FROM captures GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
    ("revisits with their original", "SELECT NULL, COUNT(original) FROM captures"),
    ("revisits without", "SELECT NULL, COUNT(*) FROM captures WHERE revisit_of IS NOT NULL AND original IS NULL"),
    (
        "pages with the payload of another",
        (
            "SELECT NULL, COALESCE(SUM(pages - 1), 0) FROM (SELECT COUNT(*) AS pages FROM captures"
            " WHERE digest <> '' AND revisit_of IS NULL GROUP BY digest)"
        ),
    ),
    ("pages with undecoded bytes", "SELECT NULL, COUNT(*) FROM visible_bytes"),
    ("pages with text", "SELECT NULL, COUNT(*) FROM texts WHERE text <> ''"),
    ("characters of text", "SELECT NULL, COALESCE(SUM(length), 0) FROM captures"),
    ("links", "SELECT NULL, COUNT(*) FROM links"),
    ("links", "SELECT name, COUNT(*) FROM links JOIN link_kinds ON id = kind GROUP BY kind ORDER BY 2 DESC, 1"),
    ("status", "SELECT COALESCE(status, 'none'), COUNT(*) FROM captures GROUP BY 1 ORDER BY 2 DESC, 1"),
    (
        "charset",
        (
            "SELECT charset || ' by ' || charset_from, COUNT(*) FROM captures WHERE charset IS NOT NULL"
            " GROUP BY 1 ORDER BY 2 DESC, 1"
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
        "language of pages read",
        "SELECT language, COUNT(*) FROM page_languages WHERE fetched GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
    (
        "language of pages only linked to",
        "SELECT language, COUNT(*) FROM page_languages WHERE NOT fetched GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
)


def _facts(connection: sqlite3.Connection) -> list[tuple[str, object, int]]:
    rows: list[tuple[str, object, int]] = []
    for what, query in _COUNTS:
        rows.extend((what, value, count) for value, count in connection.execute(query))
    for lacks, files in again.lacking(connection).items():
        rows.append(("files to read again with --again", f"{lacks}: {again.WHY.get(lacks, '')}", len(files)))
    methods = sources.names()
    by_method = connection.execute(
        "SELECT method, COUNT(*) FROM runs WHERE finished IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    for method, count in by_method:
        about = methods[method][1] if method in methods else "see 'graphlang runs'"
        rows.append(("method of runs", f"{method}: {about}", count))
    chosen = runs.chosen(connection)
    if chosen is not None:
        rows.append(("chosen run", f"{chosen.kind} by {chosen.method}", chosen.id))
    return rows
