"""Step 0001: files, hosts, pages, texts, links, runs and what they answered."""

from __future__ import annotations

from typing import Final

STEP: Final = """
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
