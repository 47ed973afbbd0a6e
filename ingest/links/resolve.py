"""Joining many references to their base URLs, and bringing those to one target together.

Nearly all references are plain: a kernel in C (`native/join.c`) resolves them as the WHATWG's standard has it, in a
twentieth of the time that the library takes for each alone. Whatever is unusual (hosts beyond ASCII, addresses, user
names, control characters) it leaves to the library. The tests hold the one against the other.
"""

from __future__ import annotations

import os
import re
from array import array
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db.records import NO_LINKS, Links, packed, unpacked
from graphlang.ingest.links.canonical import canonical
from graphlang.ingest.links.native import join as _kernels
from graphlang.native.kernels import copy_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

_LEFT = chr(_kernels.JOIN_LEFT)  # before a reference that the kernel leaves to us
_SCHEME = re.compile(r"https?://[^\0]*\Z", re.IGNORECASE)
#: URLs that are canonical as they stand, as far as one look tells; nearly all that crawlers write down are.
_CANONICAL = re.compile(
    r"https?://(?:[a-z0-9]++(?:-[a-z0-9]++)*+\.)++[a-z]{2,}+/(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*+/?+)*+"
    r"(?:\?[A-Za-z0-9_~.=&%/+:;,-]*+)?+"
)
_MAX_KNOWN = 300  # characters of a reference worth remembering


class Merged(NamedTuple):
    """The distinct targets of many references."""

    targets: bytes  #: canonical URLs that are none of the seeds, a zero behind each
    distinct: int  #: how many they are
    hits: bytes  #: for each seed a byte, 1 if a reference leads there
    too_long: int  #: references left out
    skipped: int  #: references beyond the limit


class Gathered(NamedTuple):
    """The links of a page."""

    links: Links
    too_long: int  #: references left out
    skipped: int  #: references beyond the limit


class Joiner:
    """Joins references to base URLs, and remembers those that took long: pages of one site repeat their menus.

    Memory is bounded by the number of references remembered; when it is reached, all are forgotten.
    """

    def __init__(self, size: int = 50_000) -> None:
        self._size = size
        self._known: dict[tuple[str, str], str | None] = {}
        # A key that a page cannot know, so that its references cannot be made to collide.
        self._joiner = _kernels.join_new(int.from_bytes(os.urandom(4), "little"))
        self._resolved, self._merged = _kernels.new_join_resolved(), _kernels.new_join_merged()
        self._links = _kernels.new_join_links()

    def join(self, references: Iterable[str], base: str) -> list[str | None]:
        """Return the canonical URL of each reference, or None where it leads to no web page, or only down the page.

        Args:
            references: as written.
            base: a canonical URL.

        >>> Joiner().join(["b", "/c#d", "//x.example", "tel:1", "?q", "#top"], "http://a.example/d/e?f")
        ['http://a.example/d/b', 'http://a.example/c', 'http://x.example/', None, 'http://a.example/d/e?q', None]
        """
        given = list(references)
        if not given:
            return []
        resolved, _ = self._resolve(packed(given), base)
        found = _strings(resolved)
        return [
            (self._left(written, base) if url[:1] == _LEFT or "\0" in written else url or None)
            for written, url in zip(given, found, strict=True)
        ]

    def absolute(self, written: str) -> str | None:
        """Return the canonical form of an absolute URL, as `graphlang.ingest.links.canonical.canonical` does.

        >>> Joiner().absolute("HTTP://A.example/x#y"), Joiner().absolute("https:b.example")
        ('http://a.example/x', 'https://b.example/')
        """
        if len(written) < _MAX_KNOWN and _CANONICAL.fullmatch(written):
            return written
        data = written.encode("utf-8", "surrogatepass")
        url, left = self._resolve(data, "http://a.example/")
        if left or not _SCHEME.match(written):
            return canonical(written)
        return url[:-1].decode("ascii") or None

    def merge(self, references: bytes, base: str, *, seeds: bytes, longest: int, most: int) -> Merged:
        """Join references and return the distinct targets.

        Args:
            references: as written, see `graphlang.db.records.packed`.
            base: a canonical URL.
            seeds: targets that are known already, packed as well.
            longest: characters of a URL that is taken.
            most: new targets that are taken.
        """
        resolved, left = self._resolve(references, base)
        if left:
            found = _strings(resolved)
            resolved = packed((self._left(url[1:], base) or "") if url[:1] == _LEFT else url for url in found)
        merged = self._merged
        _kernels.join_merge(self._joiner, resolved, seeds, longest, most, merged)
        return Merged(
            copy_bytes(merged.targets, merged.targets_size),
            merged.count,
            copy_bytes(merged.hits, merged.hits_size),
            merged.too_long,
            merged.skipped,
        )

    def gather(
        self, references: bytes, anchors: bytes, base: bytes, url: str, *, nofollow: bool, longest: int, most: int
    ) -> Gathered | None:
        r"""Join all references of a page, and return one link for each target; None where one of them is not plain.

        Of several references to one target the lowest kind stands; the link is nofollow only if all of them are, and
        its hreflang is the first of theirs.

        Args:
            references: four strings each, a zero behind each of them; see `graphlang.ingest.html.document.References`.
            anchors: targets of plain anchors, a zero behind each.
            base: that of the page as written, in UTF-8; nothing where it has none.
            url: of the page; links to it are left out.
            nofollow: whether the page says so of all its anchors.
            longest: characters of a URL that is taken.
            most: targets that are taken.

        >>> found = Joiner().gather(
        ...     b"a\0/b\0me\0+de\0", b"c\0#d\0", b"", "http://a.example/", nofollow=False, longest=99, most=9
        ... )
        >>> found.links.urls, found.links.hreflangs
        (b'http://a.example/b\x00http://a.example/c\x00', ((0, 'de'),))
        """
        links = self._links
        page = url.encode("utf-8", "surrogatepass")
        _kernels.join_gather(self._joiner, references, anchors, base, page, nofollow, longest, most, links)
        if links.left:
            return None
        kinds = copy_bytes(links.kinds, links.kinds_size)
        if not kinds:
            return Gathered(NO_LINKS, links.too_long, links.skipped)
        hreflangs: tuple[tuple[int, str], ...] = ()
        if links.places_size:
            places = array("I", copy_bytes(links.places, links.places_size))
            hreflangs = tuple(zip(places, unpacked(copy_bytes(links.hreflangs, links.hreflangs_size)), strict=True))
        return Gathered(Links(copy_bytes(links.urls, links.urls_size), kinds, hreflangs), links.too_long, links.skipped)

    def _resolve(self, references: bytes, base: str) -> tuple[bytes, int]:
        """Join packed references; returns what each became, and how many are left."""
        resolved = self._resolved
        _kernels.join_resolve(self._joiner, references, base.encode("utf-8", "surrogatepass"), resolved)
        return copy_bytes(resolved.urls, resolved.urls_size), resolved.left

    def _left(self, written: str, base: str) -> str | None:
        """Join a reference that is not plain."""
        before, hash_, _ = written.strip().partition("#")
        if not before:
            return None
        reference = before + hash_  # a blank before the fragment is part of the path, and no blank at the end
        # A reference never depends on the query of its base.
        key = ("" if reference.startswith(("http://", "https://")) else base.partition("?")[0], reference)
        if key in self._known:
            return self._known[key]
        url = canonical(reference, base)
        if len(reference) <= _MAX_KNOWN:
            if len(self._known) >= self._size:
                self._known.clear()
            self._known[key] = url
        return url


def _strings(packed_: bytes) -> list[str]:
    try:
        found = packed_.decode("utf-8", "surrogatepass").split("\0")
    except UnicodeDecodeError:
        found = packed_.decode("utf-8", "replace").split("\0")
    found.pop()  # behind the last zero is nothing
    return found
