"""Step 0004: a digest of what a run read of each page, and of all together."""

from __future__ import annotations

from typing import Final

STEP: Final = """
ALTER TABLE predictions ADD COLUMN read INTEGER;
ALTER TABLE runs ADD COLUMN inputs TEXT;
"""
