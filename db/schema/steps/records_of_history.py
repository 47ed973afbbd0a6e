"""Step 0017: history by record, and by date and content: of undated captures all of the page were looked through."""

from __future__ import annotations

from typing import Final

STEP: Final = """
DROP INDEX history_page;
CREATE INDEX history_page ON history (page, date, digest);
CREATE INDEX history_record ON history (source, offset);
"""
