"""Step 0015: what is kept of long texts beyond what methods read; earlier versions did not keep lines apart."""

from __future__ import annotations

from typing import Final

STEP: Final = """
ALTER TABLE texts ADD COLUMN rest BLOB;
ALTER TABLE history ADD COLUMN rest BLOB;
UPDATE sources SET lacks = IIF(lacks = '', 'paragraphs', lacks || ', paragraphs')
    WHERE id IN (SELECT source FROM captures JOIN texts USING (page) WHERE text <> '');
"""
