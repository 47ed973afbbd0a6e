"""What a page says of itself: its languages, and that it does not want to be found."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from graphlang.db.records import Declaration

if TYPE_CHECKING:
    from graphlang.ingest.html.document import Document

_MAX_DECLARED = 100
_LONG = 200  # characters of words that are not worth remembering
_NO_WORDS: frozenset[str] = frozenset()
_NOINDEX = frozenset({"noindex", "none"})
_WORD = re.compile(r"[\w-]+")
_MEASURED = re.compile(r"\bmax-[\w-]+\s*:\s*[\w-]+")  # "max-image-preview:none" says nothing of the page
_ADDRESSED = re.compile(r"(?:^|,)\s*(?!unavailable_after\b)[\w-]+\s*:.*", re.DOTALL)  # "otherbot: noindex, nofollow"


def declarations(document: Document | None, fields: dict[str, str]) -> tuple[Declaration, ...]:
    """Return what the page and its server claim: languages, as written, and whether the page is not to be indexed.

    Args:
        document: what was read of the markup; None where there is none.
        fields: the server's header fields; their names in lower case.
    """
    found: list[tuple[str, str | None]] = []
    noindex = not header_robots_words(fields).isdisjoint(_NOINDEX)
    if document is not None:
        found = [("html-lang", document.lang), ("xml-lang", document.xml_lang)]
        for meta in document.metas:
            if (meta.get("http-equiv") or "").strip().lower() == "content-language":
                found.append(("meta-content-language", meta.get("content")))
            elif (meta.get("name") or "").strip().lower() == "robots":
                noindex = noindex or not robots_words(meta.get("content") or "").isdisjoint(_NOINDEX)
    if "content-language" in fields:
        found.append(("http-content-language", fields["content-language"]))
    if noindex:
        found.append(("robots", "noindex"))
    # A list, for it takes half the time of a generator, and a page declares something or nothing.
    return tuple(
        [
            Declaration(source, stripped[:_MAX_DECLARED])
            for source, value in found
            if value and (stripped := value.strip())
        ]
    )


def header_robots_words(fields: dict[str, str]) -> frozenset[str]:
    r"""Return what X-Robots-Tag says to all robots, in lower case.

    Args:
        fields: the server's header fields; their names in lower case. Each line of this one is a field of its own.

    >>> sorted(header_robots_words({"x-robots-tag": "noarchive, otherbot: noindex, nosnippet\nNoFollow"}))
    ['noarchive', 'nofollow']
    """
    said = fields.get("x-robots-tag")
    if not said:
        return _NO_WORDS
    if "\n" not in said:
        return robots_words(said)
    return frozenset().union(*map(robots_words, said.split("\n")))


def robots_words(content: str) -> frozenset[str]:
    """Return the words of a robots meta element, or of one X-Robots-Tag, in lower case.

    What X-Robots-Tag says to one robot by its name is left out, and so is what follows: it is said to that robot too.

    >>> sorted(robots_words("NoIndex, follow, max-image-preview: none"))
    ['follow', 'noindex']
    >>> sorted(robots_words("noarchive, otherbot: noindex, nofollow"))
    ['noarchive']
    """
    if not content:
        return _NO_WORDS
    return _known(content) if len(content) < _LONG else _words(content)


def _words(content: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_ADDRESSED.sub("", _MEASURED.sub("", content.lower()))))


_known = lru_cache(maxsize=1024)(_words)
