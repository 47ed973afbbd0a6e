"""What a page says of itself: its languages, and that it does not want to be found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphlang.db.records import Declaration

if TYPE_CHECKING:
    from graphlang.ingest.html.document import Document

_MAX_DECLARED = 100
_NOINDEX = frozenset({"noindex", "none"})
_WORD = re.compile(r"[\w-]+")
_MEASURED = re.compile(r"\bmax-[\w-]+\s*:\s*[\w-]+")  # "max-image-preview:none" says nothing of the page


def declarations(document: Document | None, fields: dict[str, str]) -> tuple[Declaration, ...]:
    """Return what the page and its server claim: languages, as written, and whether the page is not to be indexed.

    Args:
        document: what was read of the markup; None where there is none.
        fields: the server's header fields; their names in lower case.
    """
    found: list[tuple[str, str | None]] = []
    noindex = not robots_words(fields.get("x-robots-tag", "")).isdisjoint(_NOINDEX)
    if document is not None:
        found = [("html-lang", document.lang), ("xml-lang", document.xml_lang)]
        for meta in document.metas:
            if (meta.get("http-equiv") or "").strip().lower() == "content-language":
                found.append(("meta-content-language", meta.get("content")))
            elif (meta.get("name") or "").strip().lower() == "robots":
                noindex = noindex or not robots_words(meta.get("content") or "").isdisjoint(_NOINDEX)
    found.append(("http-content-language", fields.get("content-language")))
    if noindex:
        found.append(("robots", "noindex"))
    return tuple(
        Declaration(source, value.strip()[:_MAX_DECLARED]) for source, value in found if value and value.strip()
    )


def robots_words(content: str) -> set[str]:
    """Return the words of a robots meta element, or of X-Robots-Tag, in lower case.

    >>> sorted(robots_words("NoIndex, follow, max-image-preview: none"))
    ['follow', 'noindex']
    """
    return set(_WORD.findall(_MEASURED.sub("", content.lower()))) if content else set()
