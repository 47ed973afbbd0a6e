"""Step 0014: pages in several languages, with the part of the letters that each has."""

from __future__ import annotations

from typing import Final

# The content run behind the chosen one tells the shares. Where somebody, or the graph, says a language that is none of
# them, the page is told whole. Two halves, so that a query for one page looks up that page.
_CONTENT_RUN: Final = """(
    SELECT MAX(own.id) FROM chosen JOIN runs AS final ON final.id = chosen.run JOIN runs AS own ON own.kind = 'content'
    WHERE own.finished IS NOT NULL AND (own.id = final.id OR own.id IN (SELECT value FROM json_each(final.seeds)))
)"""
_PAGE: Final = "answers.page, answers.url, answers.host, answers.domain, answers.suffix, answers.tld"

STEP: Final = f"""
CREATE TABLE page_shares (
    run INTEGER NOT NULL REFERENCES runs (id),
    page INTEGER NOT NULL REFERENCES pages (id),
    rank INTEGER NOT NULL,
    label INTEGER NOT NULL REFERENCES labels (id),
    share REAL NOT NULL,
    PRIMARY KEY (run, page, rank)
) STRICT, WITHOUT ROWID;
CREATE VIEW language_shares AS
SELECT
    {_PAGE},
    answers.language,
    answers.script,
    1.0 - IIF(COALESCE(MAX(parts.language = answers.language), 0),
        TOTAL(IIF(parts.language = answers.language, 0.0, page_shares.share)), 0.0) AS share,
    1 AS main
FROM page_languages AS answers
LEFT JOIN page_shares ON page_shares.run = {_CONTENT_RUN} AND page_shares.page = answers.page
LEFT JOIN labels AS parts ON parts.id = page_shares.label
WHERE answers.fetched
GROUP BY answers.page
UNION ALL
SELECT
    {_PAGE},
    parts.language,
    parts.script,
    page_shares.share,
    0
FROM page_languages AS answers
JOIN page_shares ON page_shares.run = {_CONTENT_RUN} AND page_shares.page = answers.page
JOIN labels AS parts ON parts.id = page_shares.label
WHERE answers.fetched AND parts.language <> answers.language AND answers.language IN (
    SELECT others.language FROM page_shares AS also JOIN labels AS others ON others.id = also.label
    WHERE also.run = page_shares.run AND also.page = page_shares.page
);
"""
