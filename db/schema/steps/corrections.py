"""Step 0010: what people say by hand."""

from __future__ import annotations

from typing import Final

from graphlang.db.schema.steps.cells import CELL

# A correction names its page by the URL, so that it outlives every later reading. The view looks for the one in force.
STEP: Final = """
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
""".format(**CELL)
