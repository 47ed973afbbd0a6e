"""Joining many references to their base URLs, and bringing those to one target together.

Nearly all references are plain: a kernel in C (`_join.c`) resolves them as the WHATWG's standard has it, in a
twentieth of the time that the library takes for each alone. Whatever is unusual (hosts beyond ASCII, addresses, user
names, control characters) it leaves to the library. The tests hold the one against the other.
"""

from __future__ import annotations

import ctypes
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db.records import packed

from .compiled import load
from .urls import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

_LEFT = "\1"  # before a reference that the kernel leaves to us
_SCHEME = re.compile(r"https?://[^\0]*\Z", re.IGNORECASE)
_MAX_KNOWN = 300  # characters of a reference worth remembering


class _Joined(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_uint64),
        ("count", ctypes.c_uint32),
        ("left", ctypes.c_uint32),
    )


class _Merged(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("targets", "hits")),
        *((name, ctypes.c_uint64) for name in ("targets_size", "hits_size")),
        *((name, ctypes.c_uint32) for name in ("count", "too_long", "skipped")),
    )


class Merged(NamedTuple):
    """The distinct targets of many references."""

    targets: bytes  #: canonical URLs that are none of the seeds, a zero behind each
    count: int  #: of them
    hits: bytes  #: for each seed a byte, 1 if a reference leads there
    too_long: int  #: references left out
    skipped: int  #: references beyond the limit


class Joiner:
    """Joins references to base URLs, and remembers those that took long: pages of one site repeat their menus.

    Memory is bounded by the number of references remembered; when it is reached, all are forgotten.
    """

    def __init__(self, size: int = 50_000) -> None:
        self._size = size
        self._known: dict[tuple[str, str], str | None] = {}
        library = load("_join")
        library.graphlang_join_new.restype = ctypes.c_void_p
        library.graphlang_join_new.argtypes = (ctypes.c_uint32,)
        library.graphlang_join_free.restype = None
        library.graphlang_join_free.argtypes = (ctypes.c_void_p,)
        library.graphlang_join.argtypes = (
            *(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_uint64),
            ctypes.POINTER(_Joined),
        )
        library.graphlang_join_merge.argtypes = (
            *(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_uint64),
            *(ctypes.c_uint64, ctypes.c_uint64, ctypes.POINTER(_Merged)),
        )
        self._library = library
        # A key that a page cannot know, so that its references cannot be made to collide.
        self._joiner = library.graphlang_join_new(int.from_bytes(os.urandom(4), "little"))
        if not self._joiner:
            raise MemoryError
        self._joined, self._merged = _Joined(), _Merged()

    def __del__(self) -> None:
        if getattr(self, "_joiner", None):
            self._library.graphlang_join_free(self._joiner)

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
        self._resolve(packed(given), base)
        found = self._strings()
        return [
            (self._left(written, base) if url[:1] == _LEFT or "\0" in written else url or None)
            for written, url in zip(given, found, strict=True)
        ]

    def absolute(self, written: str) -> str | None:
        """Return the canonical form of an absolute URL, as `graphlang.ingest.urls.canonical` does.

        >>> Joiner().absolute("HTTP://A.example/x#y"), Joiner().absolute("https:b.example")
        ('http://a.example/x', 'https://b.example/')
        """
        data = written.encode("utf-8", "surrogatepass")
        self._resolve(data, "http://a.example/")
        url = ctypes.string_at(self._joined.data, self._joined.size)
        if self._joined.left or not _SCHEME.match(written):
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
        self._resolve(references, base)
        data, size = self._joined.data, self._joined.size
        if self._joined.left:
            resolved = packed((self._left(url[1:], base) or "") if url[:1] == _LEFT else url for url in self._strings())
            data, size = ctypes.cast(resolved, ctypes.c_void_p).value, len(resolved)
        merged = self._merged
        if not self._library.graphlang_join_merge(
            self._joiner, data, size, seeds, len(seeds), longest, most, ctypes.byref(merged)
        ):
            raise MemoryError
        at = ctypes.string_at
        return Merged(
            at(merged.targets, merged.targets_size) if merged.targets_size else b"",
            merged.count,
            at(merged.hits, merged.hits_size) if merged.hits_size else b"",
            merged.too_long,
            merged.skipped,
        )

    def _resolve(self, references: bytes, base: str) -> None:
        url = base.encode("utf-8", "surrogatepass")
        if not self._library.graphlang_join(
            self._joiner, references, len(references), url, len(url), ctypes.byref(self._joined)
        ):
            raise MemoryError

    def _strings(self) -> list[str]:
        data = ctypes.string_at(self._joined.data, self._joined.size) if self._joined.size else b""
        try:
            found = data.decode("utf-8", "surrogatepass").split("\0")
        except UnicodeDecodeError:
            found = data.decode("utf-8", "replace").split("\0")
        found.pop()  # behind the last zero is nothing
        return found

    def _left(self, written: str, base: str) -> str | None:
        """Join a reference that is not plain."""
        reference = written.strip()
        if "#" in reference:
            reference = reference[: reference.index("#")]
        if not reference:
            return None
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
