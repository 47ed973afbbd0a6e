"""The id of a page on a cluster: 64 bits of a digest of its canonical URL, which nobody has to hand out."""

from __future__ import annotations

import hashlib
from typing import Final

_BYTES: Final = 8
_REMEMBERED: Final = 1 << 18  # URLs: the pages of a site link to the same few hundred


class CollisionError(ValueError):
    """Two URLs have the same id; the words name both."""


def page_id(url: bytes) -> int:
    """The id of a page.

    Two of n pages have one id with a probability of n^2 / 2^65: 17 % for 2.5 billion. `choosing.links.pages_of` finds
    them.

    Args:
        url: canonical, in UTF-8.

    >>> page_id(b"https://a.example/")
    4390621623597688445
    """
    return int.from_bytes(hashlib.blake2b(url, digest_size=_BYTES).digest(), "little", signed=True)


class PageIds:
    """Ids of many URLs, of which some come again and again.

    Args:
        new: gets each URL with its id when it is met; again after many others.
    """

    def __init__(self, new: list[tuple[int, bytes]] | None = None) -> None:
        self._known: dict[bytes, int] = {}
        self._new = new

    def of(self, urls: list[bytes]) -> list[int]:
        """The ids of some pages, in their order.

        Args:
            urls: canonical, in UTF-8.
        """
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        known = self._known
        found = []
        for url in urls:
            number = known.get(url)
            if number is None:
                number = known[url] = page_id(url)
                if self._new is not None:
                    self._new.append((number, url))
            found.append(number)
        return found
