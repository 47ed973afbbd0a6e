"""The id of a page on a cluster: 64 bits of a digest of its canonical URL, under a key of the job.

Without a key, an attacker finds two URLs with one id in minutes, and a page that links to both merges two pages of
other sites. The key comes from the digests of the archives: the author of a page does not know it, and a resumed job
computes the same key.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

_BYTES: Final = 8
#: Keys that a job tries, since chance alone gives two of 2.5 billion URLs one id in one job of six.
ATTEMPTS: Final = 3
_REMEMBERED: Final = 1 << 18  # URLs: the pages of a site link to the same few hundred


class CollisionError(ValueError):
    """Two URLs have the same id; the message names both."""


def compute_page_id(url: bytes, key: bytes = b"") -> int:
    """Return the id of a canonical URL under a key of at most 64 bytes.

    Two of n pages have one id with a probability of n^2 / 2^65: 17 % for 2.5 billion.
    `read_archives.distinct_urls` reports them.

    >>> compute_page_id(b"https://a.example/")
    4390621623597688445
    >>> compute_page_id(b"https://a.example/", key=b"k") == compute_page_id(b"https://a.example/")
    False
    """
    return int.from_bytes(hashlib.blake2b(url, digest_size=_BYTES, key=key).digest(), "little", signed=True)


def derive_key(digests: Iterable[str], attempt: int = 0) -> bytes:
    """Return the key of a job: 16 bytes that depend on the SHA-256 of its archives, in any order, and on the attempt.

    >>> derive_key(["ab", "cd"]) == derive_key(["cd", "ab"]) != derive_key(["ab", "cd"], attempt=1)
    True
    """
    listed = "\n".join([str(attempt), *sorted(digests)])
    return hashlib.blake2b(listed.encode(), digest_size=16, person=b"page ids").digest()


@dataclass(frozen=True, slots=True)
class NewUrls:
    """URLs with their ids, as two lists."""

    ids: list[int] = field(default_factory=list)
    urls: list[bytes] = field(default_factory=list)  #: canonical, in UTF-8


class PageIds:
    """Ids of many URLs, of which some repeat; ``new`` gets each URL with its id when it is first met."""

    def __init__(self, new: NewUrls | None = None, key: bytes = b"") -> None:
        self.key = key
        self._known: dict[bytes, int] = {}
        self._new = new

    def of(self, urls: list[bytes]) -> list[int]:
        """The ids of some pages, in their order.

        >>> ids, new = [compute_page_id(url) for url in (b"http://a/", b"http://b/")], NewUrls()
        >>> PageIds(new).of([b"http://a/", b"http://b/", b"http://a/"]) == [*ids, ids[0]]
        True
        >>> new == NewUrls(ids, [b"http://a/", b"http://b/"])
        True
        """
        known = self._known
        if len(known) > _REMEMBERED:
            known.clear()
        new = [url for url in dict.fromkeys(urls) if url not in known]
        if new:
            digest = b"".join([hashlib.blake2b(url, digest_size=_BYTES, key=self.key).digest() for url in new])
            ids = np.frombuffer(digest, "<i8").tolist()
            known.update(zip(new, ids, strict=True))
            if self._new is not None:
                self._new.ids.extend(ids)
                self._new.urls.extend(new)
        return [known[url] for url in urls]
