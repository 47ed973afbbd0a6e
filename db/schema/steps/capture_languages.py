"""Step 0013: the languages of all captures that have an answer, as those of the pages are shown."""

from __future__ import annotations

from typing import Final

_COLUMNS: Final = (
    *("page", "url", "host", "domain", "suffix", "tld", "language", "script", "confidence", "runner_up"),
    *("runner_up_confidence", "method", "run", "fetched", "status", "mime", "charset", "charset_from", "date"),
    *("length", "characters", "encoding", "pending"),
)

STEP: Final = f"""
CREATE VIEW capture_languages AS
SELECT {", ".join(_COLUMNS)}, NULL AS capture FROM page_languages WHERE fetched
UNION ALL
SELECT
    pages.id,
    pages.url,
    hosts.host,
    hosts.domain,
    hosts.suffix,
    hosts.tld,
    COALESCE(best.language, 'und'),
    best.script,
    COALESCE(predictions.confidence, 0.0),
    second.language,
    predictions.runner_up_confidence,
    runs.method,
    runs.id,
    1,
    held.status,
    held.mime,
    held.charset,
    held.charset_from,
    held.date,
    held.length,
    predictions.characters,
    predictions.encoding,
    0,
    held.id
FROM history_captures AS held
JOIN runs ON runs.id = held.run
JOIN pages ON pages.id = held.page
JOIN hosts ON hosts.id = pages.host
LEFT JOIN predictions ON predictions.run = held.run AND predictions.page = held.page
LEFT JOIN labels AS best ON best.id = predictions.label
LEFT JOIN labels AS second ON second.id = predictions.runner_up;
"""
