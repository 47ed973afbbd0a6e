"""The id of a page on a cluster: 64 bits of a digest of its canonical URL, which nobody has to hand out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

import numpy as np

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


@dataclass(frozen=True, slots=True)
class NewUrls:
    """URLs that were met, each with its id: two lists, and not one of pairs that has to be taken apart again."""

    ids: list[int] = field(default_factory=list)
    urls: list[bytes] = field(default_factory=list)  #: canonical, in UTF-8


class PageIds:
    """Ids of many URLs, of which some come again and again.

    Args:
        new: gets each URL with its id when it is met; again after many others.
    """

    def __init__(self, new: NewUrls | None = None) -> None:
        self._known: dict[bytes, int] = {}
        self._new = new

    def of(self, urls: list[bytes]) -> list[int]:
        """The ids of some pages, in their order.

        Args:
            urls: canonical, in UTF-8.

        >>> ids, new = [page_id(url) for url in (b"http://a/", b"http://b/")], NewUrls()
        >>> PageIds(new).of([b"http://a/", b"http://b/", b"http://a/"]) == [*ids, ids[0]]
        True
        >>> new == NewUrls(ids, [b"http://a/", b"http://b/"])
        True
        """
        known = self._known
        if len(known) > _REMEMBERED:
            known.clear()
        met = [url for url in dict.fromkeys(urls) if url not in known]
        if met:
            digest = b"".join([hashlib.blake2b(url, digest_size=_BYTES).digest() for url in met])
            ids = np.frombuffer(digest, "<i8").tolist()
            known.update(zip(met, ids, strict=True))
            if self._new is not None:
                self._new.ids.extend(ids)
                self._new.urls.extend(met)
        return [known[url] for url in urls]
