"""Step 0016: the row that holds a content is found at once; of a page with 10,000 captures all were looked through for each."""

from __future__ import annotations

from typing import Final

STEP: Final = "CREATE INDEX history_content ON history (page, digest) WHERE whole;"
