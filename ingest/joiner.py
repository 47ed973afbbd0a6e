"""Joining many references to their base URLs, without joining the same one twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .urls import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_CACHED = 300  # characters of a reference worth remembering

# References that the WHATWG parser would hand back as they are: nothing to lower, encode, resolve or map. A segment
# begins with no dot, so that there are no dot segments; a host has no "--" (IDNA) and ends in letters (no address).
_SEGMENTS = r"(?:[\w~@-][\w.~@,-]*/)*(?:[\w~@-][\w.~@,-]*)?(?:\?[\w.~/=&;:@!$()*+,%-]*)?"
_RELATIVE = re.compile(_SEGMENTS, re.ASCII)
_ABSOLUTE = re.compile(r"https?://(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,}/" + _SEGMENTS, re.ASCII)


class Joiner:
    """Joins references to base URLs, and remembers: pages of one site repeat their menus.

    Memory is bounded by the number of references remembered; when it is reached, all are forgotten.
    """

    def __init__(self, size: int = 50_000) -> None:
        self._size = size
        self._count = 0
        self._known: dict[str, dict[str, str | None]] = {}

    def join(self, references: Iterable[str], base: str) -> list[str | None]:  # noqa: C901 - one clause for each form
        """Return the canonical URL of each reference, or None where it leads to no web page, or only down the page.

        Args:
            references: as written.
            base: a canonical URL.

        >>> Joiner().join(["b", "/c#d", "//x.example", "tel:1", "?q", "#top"], "http://a.example/d/e?f")
        ['http://a.example/d/b', 'http://a.example/c', 'http://x.example/', None, 'http://a.example/d/e?q', None]
        """
        if self._count > self._size:
            self._known.clear()
            self._count = 0
        start = base.find("/", 8)
        path = base.partition("?")[0]
        origin, folder = base[:start], path[: path.rfind("/") + 1]
        of_origin = self._known.setdefault(origin, {})
        of_folder = self._known.setdefault(folder, {})
        anywhere = self._known.setdefault("", {})
        joined: list[str | None] = []
        for written in references:
            reference = written.strip()
            if "#" in reference:
                reference = reference[: reference.index("#")]
            if not reference:
                joined.append(None)
                continue
            first = reference[0]
            if first == "?" or len(reference) > _MAX_CACHED:
                joined.append(None if reference[:5].lower() == "data:" else canonical(reference, base))
                continue
            # A scheme-relative reference (//host) depends on no more than the origin, like a path from the root.
            known = of_origin if first in "/\\" else anywhere if reference.startswith("http") else of_folder
            if reference in known:
                joined.append(known[reference])
                continue
            url: str | None
            if known is of_folder and _RELATIVE.fullmatch(reference):
                url = folder + reference
            elif known is of_origin and _RELATIVE.fullmatch(reference, 1) and first == "/":
                url = origin + reference
            elif known is anywhere and _ABSOLUTE.fullmatch(reference):
                url = reference
            elif known is anywhere and not reference.startswith(("http://", "https://")):
                url = canonical(reference, base)  # "https:page" and the like, and relative ones such as "http.html"
                joined.append(url)
                continue
            else:
                url = canonical(reference, base)
            known[reference] = url
            self._count += 1
            joined.append(url)
        return joined
