"""Join many references to their base URL, and merge those to one target.

Nearly all references are plain: a kernel in C (`native/join.c`) resolves them as the WHATWG's standard does, in a
twentieth of the library's time. Unusual ones (hosts beyond ASCII, addresses, user names, control characters) are left
to the library. The tests compare the two.
"""

from __future__ import annotations

import os
import re
from array import array
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db.records import NO_LINKS, Links, pack_texts, unpack_texts
from graphlang.ingest.links.canonical import canonical_url
from graphlang.ingest.links.native import join as _kernels
from graphlang.native.kernels import copy_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNUSUAL = chr(_kernels.JOIN_LEFT)  # before a reference that is left to the library
_SCHEME = re.compile(r"https?://[^\0]*\Z", re.IGNORECASE)
#: URLs that one match shows to be canonical; nearly all target URIs of crawlers are.
_CANONICAL = re.compile(
    r"https?://(?:[a-z0-9]++(?:-[a-z0-9]++)*+\.)++[a-z]{2,}+/(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*+/?+)*+"
    r"(?:\?[A-Za-z0-9_~.=&%/+:;,-]*+)?+"
)
_MAX_CACHED = 300  # characters of a reference in the cache
_CACHE_SIZE = 50_000  # references


class Merged(NamedTuple):
    """The distinct targets of many references."""

    targets: bytes  #: canonical URLs without the seeds, each followed by a zero
    distinct: int  #: their number
    hits: bytes  #: for each seed a byte, 1 if a reference leads there
    too_long: int  #: references dropped
    skipped: int  #: references beyond the limit


class PageLinks(NamedTuple):
    """The links of a page."""

    links: Links
    too_long: int  #: references dropped
    skipped: int  #: references beyond the limit


class Joiner:
    """Join references to base URLs, with a cache for those of the library: pages of one site repeat their menus.

    The cache is emptied when it holds `_CACHE_SIZE` references.
    """

    def __init__(self) -> None:
        self._cache: dict[tuple[str, str], str | None] = {}
        # A random key, so that no page can make its references collide.
        self._joiner = _kernels.join_new(int.from_bytes(os.urandom(4), "little"))
        self._resolved, self._merged = _kernels.new_join_resolved(), _kernels.new_join_merged()
        self._links = _kernels.new_join_links()

    def join(self, references: Iterable[str], base: str) -> list[str | None]:
        """Return the canonical URL of each reference, or None if it leads to no web page, or to a part of its page.

        >>> Joiner().join(["b", "/c#d", "//x.example", "tel:1", "?q", "#top"], "http://a.example/d/e?f")
        ['http://a.example/d/b', 'http://a.example/c', 'http://x.example/', None, 'http://a.example/d/e?q', None]
        """
        references = list(references)
        if not references:
            return []
        resolved, _ = self._resolve(pack_texts(references), base)
        return [
            (self._join_unusual(written, base) if url[:1] == _UNUSUAL or "\0" in written else url or None)
            for written, url in zip(references, _split_strings(resolved), strict=True)
        ]

    def make_absolute(self, written: str) -> str | None:
        """Return the canonical form of an absolute URL, as `graphlang.ingest.links.canonical.canonical_url` does.

        >>> Joiner().make_absolute("HTTP://A.example/x#y"), Joiner().make_absolute("https:b.example")
        ('http://a.example/x', 'https://b.example/')
        """
        if len(written) < _MAX_CACHED and _CANONICAL.fullmatch(written):
            return written
        data = written.encode("utf-8", "surrogatepass")
        url, unusual = self._resolve(data, "http://a.example/")
        if unusual or not _SCHEME.match(written):
            return canonical_url(written)
        return url[:-1].decode("ascii") or None

    def merge(self, references: bytes, base: str, *, seeds: bytes, max_url: int, max_links: int) -> Merged:
        """Join references to a canonical base URL and return the distinct targets.

        ``references`` and ``seeds``, targets that are not returned, are packed as by `graphlang.db.records.pack_texts`.
        At most ``max_links`` targets of at most ``max_url`` characters are kept.
        """
        resolved, unusual = self._resolve(references, base)
        if unusual:
            urls = _split_strings(resolved)
            resolved = pack_texts(
                (self._join_unusual(url[1:], base) or "") if url[:1] == _UNUSUAL else url for url in urls
            )
        merged = self._merged
        _kernels.join_merge(self._joiner, resolved, seeds, max_url, max_links, merged)
        return Merged(
            copy_bytes(merged.targets, merged.targets_size),
            merged.count,
            copy_bytes(merged.hits, merged.hits_size),
            merged.too_long,
            merged.skipped,
        )

    def gather(
        self, references: bytes, anchors: bytes, base: bytes, url: str, *, nofollow: bool, max_url: int, max_links: int
    ) -> PageLinks | None:
        r"""Join all references of a page, and return one link for each target; None if one of them is unusual.

        Of several references to one target the lowest kind counts; the link is nofollow only if all of them are, and
        its hreflang is the first one of theirs.

        ``references`` are four strings each (`graphlang.ingest.html.document.References`), ``anchors`` the targets of
        plain anchors, each string followed by a zero. ``base`` is that of the page as written, in UTF-8, or empty.
        Links to the page's ``url`` are dropped. ``nofollow`` is that of all anchors. At most ``max_links`` targets of
        at most ``max_url`` characters are kept.

        >>> gathered = Joiner().gather(
        ...     b"a\0/b\0me\0+de\0", b"c\0#d\0", b"", "http://a.example/", nofollow=False, max_url=99, max_links=9
        ... )
        >>> gathered.links.urls, gathered.links.hreflangs
        (b'http://a.example/b\x00http://a.example/c\x00', ((0, 'de'),))
        """
        links = self._links
        page = url.encode("utf-8", "surrogatepass")
        _kernels.join_gather(self._joiner, references, anchors, base, page, nofollow, max_url, max_links, links)
        if links.left:
            return None
        kinds = copy_bytes(links.kinds, links.kinds_size)
        if not kinds:
            return PageLinks(NO_LINKS, links.too_long, links.skipped)
        hreflangs: tuple[tuple[int, str], ...] = ()
        if links.places_size:
            places = array("I", copy_bytes(links.places, links.places_size))
            hreflangs = tuple(zip(places, unpack_texts(copy_bytes(links.hreflangs, links.hreflangs_size)), strict=True))
        return PageLinks(
            Links(copy_bytes(links.urls, links.urls_size), kinds, hreflangs), links.too_long, links.skipped
        )

    def _resolve(self, references: bytes, base: str) -> tuple[bytes, int]:
        """Join packed references; return the URLs, and how many are left to the library."""
        resolved = self._resolved
        _kernels.join_resolve(self._joiner, references, base.encode("utf-8", "surrogatepass"), resolved)
        return copy_bytes(resolved.urls, resolved.urls_size), resolved.left

    def _join_unusual(self, written: str, base: str) -> str | None:
        """Join a reference that the kernel leaves to the library."""
        before, hash_, _ = written.strip().partition("#")
        if not before:
            return None
        reference = before + hash_  # a blank before the fragment is part of the path, and no blank at the end
        # A reference never depends on the query of its base.
        key = ("" if reference.startswith(("http://", "https://")) else base.partition("?")[0], reference)
        if key in self._cache:
            return self._cache[key]
        url = canonical_url(reference, base)
        if len(reference) <= _MAX_CACHED:
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            self._cache[key] = url
        return url


def _split_strings(strings: bytes) -> list[str]:
    try:
        return unpack_texts(strings)
    except UnicodeDecodeError:
        return strings.decode("utf-8", "replace").split("\0")[:-1]
