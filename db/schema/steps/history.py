"""Step 0012: every capture of a URL."""

from __future__ import annotations

from typing import Final

#: SQL: whether equal digests mean equal content: of a redirect the content is its target, which is in no payload.
_TELLING: Final = "{0}.digest <> '' AND {0}.size > 0 AND ({0}.status IS NULL OR {0}.status NOT BETWEEN 300 AND 399)"
#: SQL: whether the page's own capture is a revisit that stands for the content that it was lent.
_LENT: Final = "own.revisit_of IS NOT NULL AND own.original IS NOT NULL"


def _held(column: str) -> str:
    """SQL for what the capture says that holds the content: the row itself, another one, or the page's own capture."""
    return f"IIF(history.whole, history.{column}, IIF(other.id IS NULL, own.{column}, other.{column}))"


STEP: Final = f"""
CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    page INTEGER NOT NULL REFERENCES pages (id),
    source INTEGER NOT NULL REFERENCES sources (id),
    offset INTEGER NOT NULL,
    date TEXT NOT NULL,
    status INTEGER,
    mime TEXT NOT NULL,
    charset TEXT,
    charset_from TEXT NOT NULL,
    length INTEGER NOT NULL,
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    parts TEXT NOT NULL,
    reading INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    title TEXT,
    text TEXT,
    main INTEGER,
    run INTEGER REFERENCES runs (id)
) STRICT;
CREATE INDEX history_page ON history (page, date);
CREATE TABLE history_links (
    capture INTEGER NOT NULL REFERENCES history (id),
    target INTEGER NOT NULL REFERENCES pages (id),
    kind INTEGER NOT NULL REFERENCES link_kinds (id),
    nofollow INTEGER NOT NULL,
    hreflang TEXT,
    place INTEGER,
    PRIMARY KEY (capture, target)
) STRICT, WITHOUT ROWID;
CREATE TABLE history_declarations (
    capture INTEGER NOT NULL REFERENCES history (id),
    source TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (capture, source)
) STRICT, WITHOUT ROWID;
CREATE VIEW history_captures AS
SELECT
    history.id,
    history.page,
    history.source,
    history.offset,
    history.date,
    IIF(history.status IS NULL OR history.status = 304, {_held("status")}, history.status) AS status,
    IIF(history.mime = '', {_held("mime")}, history.mime) AS mime,
    {_held("charset")} AS charset,
    {_held("charset_from")} AS charset_from,
    {_held("length")} AS length,
    {_held("size")} AS size,
    history.digest,
    {_held("parts")} AS parts,
    IIF(history.whole, history.id, other.id) AS content,
    history.run
FROM history
LEFT JOIN history AS other ON NOT history.whole AND other.page = history.page AND other.whole
    AND other.digest = history.digest AND {_TELLING.format("other")}
LEFT JOIN captures AS own ON NOT history.whole AND other.id IS NULL AND own.page = history.page
    AND own.digest = history.digest AND (({_TELLING.format("own")}) OR ({_LENT}))
WHERE history.whole OR other.id IS NOT NULL OR own.page IS NOT NULL;
"""
