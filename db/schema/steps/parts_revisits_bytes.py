"""Step 0002: what was read of a capture, revisits, main content, visible bytes."""

from __future__ import annotations

from typing import Final

STEP: Final = """
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
