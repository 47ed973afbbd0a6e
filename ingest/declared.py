"""What a page says of itself: its languages, and that it does not want to be found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphlang.db.records import Declaration

if TYPE_CHECKING:
    from .html import Document

_MAX_DECLARED = 100
_NOINDEX = re.compile(r"\b(?:noindex|none)\b", re.IGNORECASE)


def declarations(document: Document | None, fields: dict[str, str]) -> tuple[Declaration, ...]:
    """Return what the page and its server claim: languages, as written, and whether the page is not to be indexed."""
    found: list[tuple[str, str | None]] = []
    noindex = _NOINDEX.search(fields.get("x-robots-tag", "")) is not None
    if document is not None:
        found = [("html-lang", document.lang), ("xml-lang", document.xml_lang)]
        for meta in document.metas:
            if (meta.get("http-equiv") or "").strip().lower() == "content-language":
                found.append(("meta-content-language", meta.get("content")))
            elif (meta.get("name") or "").strip().lower() == "robots":
                noindex = noindex or _NOINDEX.search(meta.get("content") or "") is not None
    found.append(("http-content-language", fields.get("content-language")))
    if noindex:
        found.append(("robots", "noindex"))
    return tuple(
        Declaration(source, value.strip()[:_MAX_DECLARED]) for source, value in found if value and value.strip()
    )
