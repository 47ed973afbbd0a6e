"""Joining many references to their base URLs, without joining the same one twice."""

from __future__ import annotations

from .urls import canonical

_MAX_CACHED = 300  # characters of a reference worth remembering


class Joiner:
    """Joins references to base URLs, and remembers: pages of one site repeat their menus.

    Memory is bounded by the number of references remembered; when it is reached, all are forgotten.
    """

    def __init__(self, size: int = 50_000) -> None:
        self._size = size
        self._count = 0
        self._known: dict[str, dict[str, str | None]] = {}

    def join(self, references: list[str], base: str) -> list[str | None]:
        """Return the canonical URL of each reference, or None where it leads to no web page.

        >>> Joiner().join(["b", "/c#d", "//x.example", "tel:1", "?q"], "http://a.example/d/e?f")
        ['http://a.example/d/b', 'http://a.example/c', 'http://x.example/', None, 'http://a.example/d/e?q']
        """
        if self._count > self._size:
            self._known.clear()
            self._count = 0
        start = base.find("/", 8)
        origin = self._known.setdefault(base[:start], {})
        path = base.partition("?")[0]
        folder = self._known.setdefault(path[: path.rfind("/") + 1], {})
        anywhere = self._known.setdefault("", {})
        joined: list[str | None] = []
        for reference in references:
            first = reference[0]
            if first == "?" or len(reference) > _MAX_CACHED:
                joined.append(canonical(reference, base))
                continue
            # A scheme-relative reference (//host) depends on no more than the origin, like a path from the root.
            known = origin if first in "/\\" else anywhere if reference.startswith(("http://", "https://")) else folder
            if reference in known:
                joined.append(known[reference])
            else:
                url = known[reference] = canonical(reference, base)
                self._count += 1
                joined.append(url)
        return joined
