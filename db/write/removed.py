"""URLs and hosts that were removed: what they are known by, and that no later reading brings them back."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from graphlang.db.records import Links, Page, unpacked

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from graphlang.db.records import Problem

Kind = Literal["url", "host"]
_HOSTS = 100_000  # whose digests are remembered


def digest(kind: Kind, name: str) -> str:
    """What a URL in canonical form, or a host, is known by once it is removed.

    Args:
        kind: whether the name is that of a URL or of a host.
        name: the URL in canonical form, or the host in lower case.

    Returns:
        The SHA-256 of both, in hexadecimal.

    >>> digest("host", "a.example")[:16]
    '01dc8327fa4cfc0a'
    """
    return hashlib.sha256(f"{kind}:{name}".encode("utf-8", "surrogatepass")).hexdigest()


class Removed:
    """Tells what was removed.

    Args:
        connection: the collection; what it says when this is made counts.
        host: from a URL to its host.
    """

    def __init__(self, connection: sqlite3.Connection, host: Callable[[str], str]) -> None:
        self._digests: dict[str, set[str]] = {"url": set(), "host": set()}
        for known, kind in connection.execute("SELECT digest, kind FROM removed"):
            self._digests.setdefault(kind, set()).add(known)
        self._host = host
        self._gone = lru_cache(_HOSTS)(lambda name: digest("host", name) in self._digests["host"])

    def __contains__(self, url: str) -> bool:
        if self._digests["url"] and digest("url", url) in self._digests["url"]:
            return True
        return bool(self._digests["host"]) and self._gone(self._host(url))

    def kept(self, items: Sequence[Page | Problem]) -> Sequence[Page | Problem]:
        """Leave out pages and problems of what was removed, and in the other pages links to it."""
        if not any(self._digests.values()):
            return items
        return [
            self._without(item) if isinstance(item, Page) else item
            for item in items
            if item.url is None or item.url not in self
        ]

    def _without(self, page: Page) -> Page:
        links = Links.of(page.links)
        if any(url in self for url in unpacked(links.urls)):
            page = replace(page, links=Links.of([link for link in links if link.url not in self]))
        if page.revisit_of is not None and page.revisit_of in self:
            page = replace(page, revisit_of="")
        return page
