"""Step 0003: words of links."""

from __future__ import annotations

from typing import Final

# The key begins with the target, for that is what the words speak of.
STEP: Final = """
CREATE TABLE anchor_texts (
    target INTEGER NOT NULL REFERENCES pages (id),
    source INTEGER NOT NULL REFERENCES pages (id),
    text TEXT NOT NULL,
    PRIMARY KEY (target, source)
) STRICT, WITHOUT ROWID;
"""
