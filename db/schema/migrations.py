"""Tables and views of a collection, made and brought up to date by migrations; ``column_docs`` documents them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphlang.db.errors import StoreError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from sqlite_utils import Migrations

#: "grla" in ASCII: tells our files from other SQLite files.
APPLICATION_ID = 0x67726C61
#: The newest schema that this code reads and writes; grows with each migration.
VERSION = 12


def _digits(place: int) -> str:
    """SQL for the number that stands in two bytes of a page's cell; NULL where they are zeros."""
    at = f"((pages.id - 1) % 64) * 8 + {place + 1}"
    high, low = (f"UNICODE(SUBSTR(linked_answers.cells, {at}{more}, 1))" for more in ("", " + 1"))
    return f"({high} * 127 + {low} - 128)"


_CELL = {
    "label": _digits(0),
    "confidence": f"({_digits(2)} / 10000.0)",
    "runner_up": _digits(4),
    "runner_up_confidence": f"({_digits(6)} / 10000.0)",
}


_FIRST = """
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    position INTEGER NOT NULL DEFAULT 0,
    finished INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE hosts (
    id INTEGER PRIMARY KEY,
    host TEXT NOT NULL UNIQUE,
    domain TEXT NOT NULL,
    suffix TEXT NOT NULL,
    tld TEXT NOT NULL
) STRICT;
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    host INTEGER NOT NULL REFERENCES hosts (id)
) STRICT;
CREATE TABLE captures (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
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
    revisit_of TEXT,
    captures INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE TABLE texts (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    title TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE declarations (
    page INTEGER NOT NULL REFERENCES pages (id),
    source TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (page, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE link_kinds (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE links (
    source INTEGER NOT NULL REFERENCES pages (id),
    target INTEGER NOT NULL REFERENCES pages (id),
    kind INTEGER NOT NULL REFERENCES link_kinds (id),
    nofollow INTEGER NOT NULL,
    hreflang TEXT,
    PRIMARY KEY (source, target)
) STRICT, WITHOUT ROWID;
CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES sources (id),
    offset INTEGER,
    url TEXT,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL
) STRICT;
CREATE TABLE labels (
    id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    language TEXT NOT NULL,
    script TEXT
) STRICT;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    method TEXT NOT NULL,
    model TEXT,
    model_hash TEXT,
    parameters TEXT NOT NULL,
    seeds TEXT NOT NULL,
    collection TEXT NOT NULL,
    version TEXT NOT NULL,
    started TEXT NOT NULL,
    finished TEXT,
    pages INTEGER,
    rounds INTEGER,
    converged INTEGER
) STRICT;
CREATE TABLE predictions (
    run INTEGER NOT NULL REFERENCES runs (id),
    page INTEGER NOT NULL REFERENCES pages (id),
    label INTEGER NOT NULL REFERENCES labels (id),
    confidence REAL NOT NULL,
    runner_up INTEGER REFERENCES labels (id),
    runner_up_confidence REAL,
    characters INTEGER NOT NULL,
    PRIMARY KEY (run, page)
) STRICT, WITHOUT ROWID;
CREATE TABLE scores (
    run INTEGER NOT NULL REFERENCES runs (id),
    page INTEGER NOT NULL REFERENCES pages (id),
    rank INTEGER NOT NULL,
    label INTEGER NOT NULL REFERENCES labels (id),
    score REAL NOT NULL,
    PRIMARY KEY (run, page, rank)
) STRICT, WITHOUT ROWID;
CREATE TABLE chosen (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    run INTEGER NOT NULL REFERENCES runs (id)
) STRICT;
INSERT INTO link_kinds VALUES
    (1, 'redirect'), (2, 'refresh'), (3, 'canonical'), (4, 'frame'),
    (5, 'iframe'), (6, 'alternate'), (7, 'anchor'), (8, 'area');
CREATE VIEW page_languages AS
SELECT
    pages.id AS page,
    pages.url,
    hosts.host,
    hosts.domain,
    hosts.suffix,
    hosts.tld,
    COALESCE(best.language, 'und') AS language,
    best.script,
    COALESCE(predictions.confidence, 0.0) AS confidence,
    second.language AS runner_up,
    predictions.runner_up_confidence,
    runs.method,
    runs.id AS run,
    captures.page IS NOT NULL AS fetched,
    captures.status,
    captures.mime,
    captures.charset,
    captures.charset_from,
    captures.date,
    captures.length,
    predictions.characters
FROM pages
JOIN hosts ON hosts.id = pages.host
LEFT JOIN captures ON captures.page = pages.id
LEFT JOIN chosen ON chosen.id = 1
LEFT JOIN runs ON runs.id = chosen.run
LEFT JOIN predictions ON predictions.run = chosen.run AND predictions.page = pages.id
LEFT JOIN labels AS best ON best.id = predictions.label
LEFT JOIN labels AS second ON second.id = predictions.runner_up;
CREATE VIEW site_languages AS
SELECT
    host,
    domain,
    suffix,
    tld,
    language,
    SUM(fetched) AS pages,
    COUNT(*) - SUM(fetched) AS unfetched,
    AVG(confidence) AS confidence,
    SUM(COALESCE(length, 0)) AS length
FROM page_languages
GROUP BY host, language;
CREATE VIEW link_details AS
SELECT
    links.source,
    links.target,
    origin.url AS source_url,
    destination.url AS target_url,
    link_kinds.name AS kind,
    links.nofollow,
    links.hreflang
FROM links
JOIN link_kinds ON link_kinds.id = links.kind
JOIN pages AS origin ON origin.id = links.source
JOIN pages AS destination ON destination.id = links.target;
CREATE VIEW page_scores AS
SELECT
    scores.run,
    scores.page,
    scores.rank,
    labels.label,
    labels.language,
    labels.script,
    scores.score
FROM scores
JOIN labels ON labels.id = scores.label;
"""


_SECOND = """
ALTER TABLE sources ADD COLUMN keep TEXT NOT NULL DEFAULT 'best';
ALTER TABLE captures ADD COLUMN revisit_date TEXT NOT NULL DEFAULT '';
ALTER TABLE captures ADD COLUMN original INTEGER REFERENCES pages (id);
ALTER TABLE captures ADD COLUMN parts TEXT NOT NULL DEFAULT 'both';
ALTER TABLE texts ADD COLUMN main INTEGER NOT NULL DEFAULT 0;
UPDATE texts SET main = LENGTH(text);
ALTER TABLE predictions ADD COLUMN encoding TEXT;
CREATE TABLE visible_bytes (
    page INTEGER PRIMARY KEY REFERENCES pages (id),
    bytes BLOB NOT NULL
) STRICT;
DROP VIEW site_languages;
DROP VIEW page_languages;
CREATE VIEW page_languages AS
SELECT
    pages.id AS page,
    pages.url,
    hosts.host,
    hosts.domain,
    hosts.suffix,
    hosts.tld,
    COALESCE(best.language, 'und') AS language,
    best.script,
    COALESCE(predictions.confidence, 0.0) AS confidence,
    second.language AS runner_up,
    predictions.runner_up_confidence,
    runs.method,
    runs.id AS run,
    captures.page IS NOT NULL AS fetched,
    captures.status,
    captures.mime,
    captures.charset,
    captures.charset_from,
    captures.date,
    captures.length,
    predictions.characters,
    predictions.encoding
FROM pages
JOIN hosts ON hosts.id = pages.host
LEFT JOIN captures ON captures.page = pages.id
LEFT JOIN chosen ON chosen.id = 1
LEFT JOIN runs ON runs.id = chosen.run
LEFT JOIN predictions ON predictions.run = chosen.run AND predictions.page = pages.id
LEFT JOIN labels AS best ON best.id = predictions.label
LEFT JOIN labels AS second ON second.id = predictions.runner_up;
CREATE VIEW site_languages AS
SELECT
    host,
    domain,
    suffix,
    tld,
    language,
    SUM(fetched) AS pages,
    COUNT(*) - SUM(fetched) AS unfetched,
    AVG(confidence) AS confidence,
    SUM(COALESCE(length, 0)) AS length
FROM page_languages
GROUP BY host, language;
"""


# The key begins with the target, for that is what the words speak of.
_THIRD = """
CREATE TABLE anchor_texts (
    target INTEGER NOT NULL REFERENCES pages (id),
    source INTEGER NOT NULL REFERENCES pages (id),
    text TEXT NOT NULL,
    PRIMARY KEY (target, source)
) STRICT, WITHOUT ROWID;
"""


_FOURTH = """
ALTER TABLE predictions ADD COLUMN read INTEGER;
ALTER TABLE runs ADD COLUMN inputs TEXT;
"""


# Of links that were read before there were places, it is not known.
_FIFTH = """
ALTER TABLE links ADD COLUMN place INTEGER;
DROP VIEW link_details;
CREATE VIEW link_details AS
SELECT
    links.source,
    links.target,
    origin.url AS source_url,
    destination.url AS target_url,
    link_kinds.name AS kind,
    links.nofollow,
    links.hreflang,
    links.place
FROM links
JOIN link_kinds ON link_kinds.id = links.kind
JOIN pages AS origin ON origin.id = links.source
JOIN pages AS destination ON destination.id = links.target;
"""

# Ids of runs are never given out twice: a process that lost its run must not write into another's. Views that name a
# table are dropped before it is made anew.
_SIXTH = """
DROP VIEW site_languages;
DROP VIEW page_languages;
CREATE TABLE runs_anew (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    method TEXT NOT NULL,
    model TEXT,
    model_hash TEXT,
    parameters TEXT NOT NULL,
    seeds TEXT NOT NULL,
    collection TEXT NOT NULL,
    version TEXT NOT NULL,
    started TEXT NOT NULL,
    finished TEXT,
    pages INTEGER,
    rounds INTEGER,
    converged INTEGER,
    inputs TEXT,
    owner TEXT
) STRICT;
INSERT INTO runs_anew SELECT *, NULL FROM runs;
DROP TABLE runs;
ALTER TABLE runs_anew RENAME TO runs;
CREATE VIEW page_languages AS
SELECT
    pages.id AS page,
    pages.url,
    hosts.host,
    hosts.domain,
    hosts.suffix,
    hosts.tld,
    COALESCE(best.language, 'und') AS language,
    best.script,
    COALESCE(predictions.confidence, 0.0) AS confidence,
    second.language AS runner_up,
    predictions.runner_up_confidence,
    runs.method,
    runs.id AS run,
    captures.page IS NOT NULL AS fetched,
    captures.status,
    captures.mime,
    captures.charset,
    captures.charset_from,
    captures.date,
    captures.length,
    predictions.characters,
    predictions.encoding
FROM pages
JOIN hosts ON hosts.id = pages.host
LEFT JOIN captures ON captures.page = pages.id
LEFT JOIN chosen ON chosen.id = 1
LEFT JOIN runs ON runs.id = chosen.run
LEFT JOIN predictions ON predictions.run = chosen.run AND predictions.page = pages.id
LEFT JOIN labels AS best ON best.id = predictions.label
LEFT JOIN labels AS second ON second.id = predictions.runner_up;
CREATE VIEW site_languages AS
SELECT
    host,
    domain,
    suffix,
    tld,
    language,
    SUM(fetched) AS pages,
    COUNT(*) - SUM(fetched) AS unfetched,
    AVG(confidence) AS confidence,
    SUM(COALESCE(length, 0)) AS length
FROM page_languages
GROUP BY host, language;
"""

_REMOVED = """
CREATE TABLE removed (
    digest TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    since TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""
#: Tables whose rows are named by their ids in others.
_NAMED_BY_ID = ("sources", "hosts", "pages", "labels")


def _seventh(connection: sqlite3.Connection) -> None:
    """Ids of pages, hosts, files and labels are never given out twice, also where somebody deletes rows by hand."""
    made = "SELECT name, sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL"
    views = connection.execute(made, ("view",)).fetchall()
    for name, _ in views:
        connection.execute(f"DROP VIEW {name}")
    for table in _NAMED_BY_ID:
        (statement,) = connection.execute(f"{made} AND name = ?", ("table", table)).fetchone()[1:]
        indexes = connection.execute(f"{made} AND tbl_name = ?", ("index", table)).fetchall()
        plain, counted = "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY AUTOINCREMENT"
        columns = statement[statement.index("(") :].replace(plain, counted, 1)
        connection.execute(f"CREATE TABLE {table}_anew {columns}")
        connection.execute(f"INSERT INTO {table}_anew SELECT * FROM {table}")
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"ALTER TABLE {table}_anew RENAME TO {table}")
        for _, index in indexes:
            connection.execute(index)
    _execute(connection, _REMOVED)
    for _, view in views:
        connection.execute(view)


#: Parameters of the inference that got other names.
_RENAMED = {"listed": "link_order", "settled": "clamp_length"}


def _eighth(connection: sqlite3.Connection) -> None:
    """Runs are named as their methods are: what was called harmonic is label spreading (Zhou et al. 2004)."""
    connection.execute("UPDATE runs SET method = 'label-spreading' WHERE (kind, method) = ('propagation', 'harmonic')")
    query = "SELECT id, parameters FROM runs WHERE (kind, method) = ('propagation', 'propagation')"
    for run, parameters in connection.execute(query).fetchall():
        try:
            given = {_RENAMED.get(name, name): value for name, value in json.loads(parameters).items()}
        except (AttributeError, RecursionError, TypeError, ValueError) as error:
            msg = f"runs.parameters of run {run} is no JSON object ('graphlang check' tells more)"
            raise StoreError(msg) from error
        connection.execute("UPDATE runs SET parameters = ? WHERE id = ?", (json.dumps(given, sort_keys=True), run))


# 64 pages in a row, so that SQLite keeps each block in one place and a view looks a page up in it quickly. A cell has
# eight bytes: label, confidence, runner-up and its confidence, each as two digits of base 127, from 1 on; 0 is none.
_NINTH = """
ALTER TABLE runs ADD COLUMN linked INTEGER;
CREATE TABLE linked_answers (
    run INTEGER NOT NULL REFERENCES runs (id),
    block INTEGER NOT NULL,
    cells BLOB NOT NULL,
    PRIMARY KEY (run, block)
) STRICT, WITHOUT ROWID;
CREATE VIEW linked_predictions AS
SELECT
    linked_answers.run,
    pages.id AS page,
    {label} AS label,
    {confidence} AS confidence,
    {runner_up} AS runner_up,
    {runner_up_confidence} AS runner_up_confidence
FROM runs
CROSS JOIN pages
CROSS JOIN linked_answers ON linked_answers.run = runs.id AND linked_answers.block = (pages.id - 1) / 64
WHERE runs.linked = 1 AND {label} IS NOT NULL;
DROP VIEW site_languages;
DROP VIEW page_languages;
CREATE VIEW page_languages AS
SELECT
    pages.id AS page,
    pages.url,
    hosts.host,
    hosts.domain,
    hosts.suffix,
    hosts.tld,
    COALESCE(best.language, 'und') AS language,
    best.script,
    COALESCE(predictions.confidence, {confidence}, 0.0) AS confidence,
    second.language AS runner_up,
    COALESCE(predictions.runner_up_confidence, {runner_up_confidence}) AS runner_up_confidence,
    runs.method,
    runs.id AS run,
    captures.page IS NOT NULL AS fetched,
    captures.status,
    captures.mime,
    captures.charset,
    captures.charset_from,
    captures.date,
    captures.length,
    COALESCE(predictions.characters, {label} * 0) AS characters,
    predictions.encoding,
    captures.page IS NULL AND predictions.page IS NULL AND runs.linked IS 0 AS pending
FROM pages
JOIN hosts ON hosts.id = pages.host
LEFT JOIN captures ON captures.page = pages.id
LEFT JOIN chosen ON chosen.id = 1
LEFT JOIN runs ON runs.id = chosen.run
LEFT JOIN predictions ON predictions.run = chosen.run AND predictions.page = pages.id
LEFT JOIN linked_answers ON predictions.page IS NULL AND linked_answers.run = chosen.run
    AND linked_answers.block = (pages.id - 1) / 64
LEFT JOIN labels AS best ON best.id = COALESCE(predictions.label, {label})
LEFT JOIN labels AS second ON second.id = IIF(predictions.page IS NULL, {runner_up}, predictions.runner_up);
CREATE VIEW site_languages AS
SELECT
    host,
    domain,
    suffix,
    tld,
    language,
    SUM(fetched) AS pages,
    COUNT(*) - SUM(fetched) AS unfetched,
    AVG(confidence) AS confidence,
    SUM(COALESCE(length, 0)) AS length
FROM page_languages
GROUP BY host, language;
""".format(**_CELL)

# A correction names its page by the URL, so that it outlives every later reading. The view looks for the one in force.
_TENTH = """
CREATE TABLE corrections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL,
    label INTEGER NOT NULL REFERENCES labels (id),
    corrected_by TEXT NOT NULL,
    note TEXT NOT NULL,
    corrected TEXT NOT NULL,
    former INTEGER REFERENCES labels (id),
    former_confidence REAL,
    undone TEXT,
    undone_by TEXT
) STRICT;
CREATE INDEX corrections_in_force ON corrections (url) WHERE undone IS NULL;
DROP VIEW site_languages;
DROP VIEW page_languages;
CREATE VIEW page_languages AS
SELECT
    pages.id AS page,
    pages.url,
    hosts.host,
    hosts.domain,
    hosts.suffix,
    hosts.tld,
    COALESCE(known.language, best.language, 'und') AS language,
    IIF(known.id IS NULL, best.script, known.script) AS script,
    IIF(known.id IS NULL, COALESCE(predictions.confidence, {confidence}, 0.0), 1.0) AS confidence,
    IIF(known.id IS NULL, second.language, NULL) AS runner_up,
    IIF(known.id IS NULL, COALESCE(predictions.runner_up_confidence, {runner_up_confidence}), NULL)
        AS runner_up_confidence,
    IIF(known.id IS NULL, runs.method, 'correction') AS method,
    runs.id AS run,
    captures.page IS NOT NULL AS fetched,
    captures.status,
    captures.mime,
    captures.charset,
    captures.charset_from,
    captures.date,
    captures.length,
    COALESCE(predictions.characters, {label} * 0) AS characters,
    predictions.encoding,
    captures.page IS NULL AND predictions.page IS NULL AND runs.linked IS 0 AND known.id IS NULL AS pending
FROM pages
JOIN hosts ON hosts.id = pages.host
LEFT JOIN captures ON captures.page = pages.id
LEFT JOIN chosen ON chosen.id = 1
LEFT JOIN runs ON runs.id = chosen.run
LEFT JOIN predictions ON predictions.run = chosen.run AND predictions.page = pages.id
LEFT JOIN linked_answers ON predictions.page IS NULL AND linked_answers.run = chosen.run
    AND linked_answers.block = (pages.id - 1) / 64
LEFT JOIN labels AS best ON best.id = COALESCE(predictions.label, {label})
LEFT JOIN labels AS second ON second.id = IIF(predictions.page IS NULL, {runner_up}, predictions.runner_up)
LEFT JOIN corrections ON corrections.id = (
    SELECT MAX(others.id) FROM corrections AS others WHERE others.url = pages.url AND others.undone IS NULL
)
LEFT JOIN labels AS known ON known.id = corrections.label;
CREATE VIEW site_languages AS
SELECT
    host,
    domain,
    suffix,
    tld,
    language,
    SUM(fetched) AS pages,
    COUNT(*) - SUM(fetched) AS unfetched,
    AVG(confidence) AS confidence,
    SUM(COALESCE(length, 0)) AS length
FROM page_languages
GROUP BY host, language;
""".format(**_CELL)

_READINGS = """
ALTER TABLE sources ADD COLUMN options TEXT;
ALTER TABLE sources ADD COLUMN readings INTEGER NOT NULL DEFAULT 1;
ALTER TABLE sources ADD COLUMN lacks TEXT NOT NULL DEFAULT '';
ALTER TABLE captures ADD COLUMN reading INTEGER NOT NULL DEFAULT 1;
"""


def _eleventh(connection: sqlite3.Connection) -> None:
    """How each file was read; and, of files that earlier versions read, what only another reading can bring."""
    _execute(connection, _READINGS)
    ledger = "SELECT name, applied_at FROM _sqlite_migrations WHERE migration_set = ?"
    since = dict(connection.execute(ledger, (SET,)).fetchall())
    if since.get("0005_places_of_links") == since.get("0001_first"):
        return  # the file was made by a version that reads all that this one reads
    lacks = ["link positions"]
    if since.get("0002_parts_revisits_bytes") != since.get("0001_first"):
        lacks.append("main content")
    connection.execute(
        "UPDATE sources SET lacks = ? WHERE id IN (SELECT DISTINCT captures.source FROM links"
        " JOIN captures ON captures.page = links.source WHERE links.place IS NULL)",
        (", ".join(lacks),),
    )


#: SQL: whether equal digests mean equal content: of a redirect the content is its target, which is in no payload.
_TELLING = "{0}.digest <> '' AND {0}.size > 0 AND ({0}.status IS NULL OR {0}.status NOT BETWEEN 300 AND 399)"
#: SQL: whether the page's own capture is a revisit that stands for the content that it was lent.
_LENT = "own.revisit_of IS NOT NULL AND own.original IS NOT NULL"


def _held(column: str) -> str:
    """SQL for what the capture says that holds the content: the row itself, another one, or the page's own capture."""
    return f"IIF(history.whole, history.{column}, IIF(other.id IS NULL, own.{column}, other.{column}))"


_TWELFTH = f"""
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

#: What each migration executes, in their order. Files out there were made by them: they are never changed.
STEPS: dict[str, str | Callable[[sqlite3.Connection], None]] = {
    "0001_first": _FIRST,
    "0002_parts_revisits_bytes": _SECOND,
    "0003_anchor_texts": _THIRD,
    "0004_what_runs_read": _FOURTH,
    "0005_places_of_links": _FIFTH,
    "0006_runs_with_owners": _SIXTH,
    "0007_ids_given_once": _seventh,
    "0008_label_spreading": _eighth,
    "0009_linked_answers": _NINTH,
    "0010_corrections": _TENTH,
    "0011_how_files_were_read": _eleventh,
    "0012_history": _TWELFTH,
}
#: Made when all pages are in, because keeping it up to date takes several times longer; dropped before many come.
URL_INDEX = "CREATE UNIQUE INDEX IF NOT EXISTS pages_url ON pages (url)"
SET = "graphlang"
#: Which steps a file has had, as sqlite-utils notes it.
LEDGER = """
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
"""


def make(connection: sqlite3.Connection) -> bool:
    """Make all tables in one transaction; tells whether it did, which it does only where there are none at all.

    What comes out is what `migrations` would make of it. But importing sqlite-utils, which brings numpy along, takes as
    long as reading two hundred pages.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        blank = not connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]
        if blank:
            for step in (LEDGER, *STEPS.values()):
                apply_step(connection, step)
            now = str(datetime.now(UTC))
            connection.executemany(
                "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)",
                [(SET, name, now) for name in STEPS],
            )
            connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return blank


def migrations() -> Migrations:
    """The steps, for sqlite-utils to make those that an older file has not had yet."""
    from sqlite_utils import Migrations  # noqa: PLC0415 - see `make`

    found = Migrations(SET)
    for name, step in STEPS.items():
        found(name=name)(lambda database, step=step: apply_step(database.conn, step))
    return found


def apply_step(connection: sqlite3.Connection, step: str | Callable[[sqlite3.Connection], None]) -> None:
    """Execute one of `STEPS`.

    Args:
        connection: within a transaction, or to a file of nobody else.
        step: statements, or what executes some.
    """
    if callable(step):
        step(connection)
    else:
        _execute(connection, step)


def _execute(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";\n"):
        if statement.strip():
            connection.execute(statement)
