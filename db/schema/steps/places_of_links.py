"""Step 0005: the place of each link on its page."""

from __future__ import annotations

from typing import Final

# Of links that were read before there were places, it is not known.
STEP: Final = """
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
