"""Step 0009: answers for URLs that were only linked to, packed."""

from __future__ import annotations

from typing import Final

from graphlang.db.schema.steps.cells import CELL

# 64 pages in a row, so that SQLite keeps each block in one place and a view looks a page up in it quickly. A cell has
# eight bytes: label, confidence, runner-up and its confidence, each as two digits of base 127, from 1 on; 0 is none.
STEP: Final = """
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
""".format(**CELL)
