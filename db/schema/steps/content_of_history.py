"""Step 0016: an index by content, for all captures of a page were looked through for each of its captures."""

from __future__ import annotations

from typing import Final

STEP: Final = "CREATE INDEX history_content ON history (page, digest) WHERE whole;"
