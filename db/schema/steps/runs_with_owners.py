"""Step 0006: who is writing a run; views by site."""

from __future__ import annotations

from typing import Final

# Ids of runs are never given out twice: a process that lost its run must not write into another's. Views that name a
# table are dropped before it is made anew.
STEP: Final = """
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
