"""The reader of markup in C (`_html.c`), as Python sees it: bytes of a page in, text, strings and spans out."""

from __future__ import annotations

import ctypes
import os
from array import array
from functools import cache, cached_property
from threading import local
from typing import TYPE_CHECKING, Final, NamedTuple

from .compiled import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Flags of a record; `_page.h` has the same.
IN_CONTENT: Final = 1  #: within an article or main
HAS_ROLE: Final = 2  #: its ARIA role is navigation, banner or contentinfo
IS_NAVIGATION: Final = 4  #: ... the first of them
ASKS_CONSENT: Final = 8  #: its id or class speaks of a cookie banner
IS_OUTER: Final = 16  #: header, footer or aside
IS_NAV: Final = 32
IS_LIST: Final = 64  #: ul
IS_CONTENT: Final = 128  #: article or main itself
HOLDS_MAIN: Final = 256  #: there is a main in it
HOLDS_ARTICLE: Final = 512
IS_HIDDEN: Final = 1024  #: until a script shows it
NOTHING: Final = 0xFFFFFFFF  #: what an anchor stands in, where that is the page itself

_WORDS = "I"  # of four bytes


_BUFFERS: Final = ("text", "anchors", "references", "strings", "records", "containers", "links")


class _Page(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in _BUFFERS),
        *((f"{name}_size", ctypes.c_uint64) for name in _BUFFERS),
        *((name, ctypes.c_uint32) for name in ("signs", "skipped", "flattened")),
    )


class Record(NamedTuple):
    """An element that may stand around the content of a page, or (without flags) that anchors stand in."""

    flags: int
    begin: int  #: where its text begins, in bytes
    end: int


class Anchor(NamedTuple):
    """An element ``<a>`` that is seen."""

    begin: int  #: where its text begins, in bytes
    end: int
    container: int  #: number of what it stands in, or `NOTHING`
    target: int  #: number of its target, from 1; with the highest bit set that of a reference; 0: none


class Read:
    """What is in a page; whatever is looked at must be so before the same kernel reads another one."""

    def __init__(self, page: _Page, kernel: Kernel) -> None:
        self._page = page
        self._kernel = kernel  # whose memory it is
        self.signs: int = page.signs  #: common names of languages that links have, a bit each
        self.skipped: int = page.skipped  #: references beyond the limit
        self.flattened = bool(page.flattened)

    @cached_property
    def text(self) -> bytes:
        """The visible text, white space folded."""
        return self._bytes("text")

    @cached_property
    def anchors(self) -> bytes:
        """Distinct targets of plain anchors, a zero behind each."""
        return self._bytes("anchors")

    @cached_property
    def references(self) -> list[str]:
        """Four strings each: tag, target, rel, and hreflang behind a plus sign, or nothing."""
        return strings(self._bytes("references"))

    @cached_property
    def strings(self) -> list[str]:
        """Each with a letter before it that says what it is; see `_html.c`."""
        return strings(self._bytes("strings"))

    @cached_property
    def records(self) -> bytes:
        """Of `records`."""
        return self._bytes("records")

    @cached_property
    def containers(self) -> bytes:
        """Of `records`."""
        return self._bytes("containers")

    @cached_property
    def links(self) -> bytes:
        """Of `anchors`."""
        return self._bytes("links")

    def _bytes(self, name: str) -> bytes:
        size = getattr(self._page, f"{name}_size")
        return ctypes.string_at(getattr(self._page, name), size) if size else b""


@cache
def _library() -> ctypes.CDLL:
    library = load("_html")
    library.graphlang_html_new.restype = ctypes.c_void_p
    library.graphlang_html_new.argtypes = (ctypes.c_uint32,)
    library.graphlang_html_free.restype = None
    library.graphlang_html_free.argtypes = (ctypes.c_void_p,)
    library.graphlang_html_read.restype = ctypes.c_int
    library.graphlang_html_read.argtypes = (
        *(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint32),
        ctypes.POINTER(_Page),
    )
    library.graphlang_html_cut.restype = ctypes.c_int64
    library.graphlang_html_cut.argtypes = (
        *(ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64),
        *(ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint64)),
    )
    library.graphlang_html_is_utf8.argtypes = (ctypes.c_char_p, ctypes.c_uint64)
    return library


def is_utf8(data: bytes) -> bool:
    r"""Tell whether bytes are UTF-8 without a fault.

    >>> is_utf8("ä".encode()), is_utf8(b"\xe4"), is_utf8(b"\xed\xa0\x80"), is_utf8(b"\xc3")
    (True, False, False, False)
    """
    return bool(_library().graphlang_html_is_utf8(data, len(data)))


class Kernel:
    """One reader; what it read last is what `cut` cuts."""

    def __init__(self) -> None:
        library = _library()
        self._library = library
        # A key that a page cannot know, so that its references cannot be made to collide.
        self._reader = library.graphlang_html_new(int.from_bytes(os.urandom(4), "little"))
        if not self._reader:
            raise MemoryError
        self._page = _Page()

    def __del__(self) -> None:
        if getattr(self, "_reader", None):
            self._library.graphlang_html_free(self._reader)

    def read(self, markup: bytes, *, most: int, depth: int) -> Read:
        """Read a page in UTF-8.

        Args:
            markup: the page.
            most: references that are kept.
            depth: of elements, at most 512; deeper ones count as part of what holds them.

        Raises:
            MemoryError: there is not enough.
        """
        page = self._page
        if not self._library.graphlang_html_read(self._reader, markup, len(markup), most, depth, ctypes.byref(page)):
            raise MemoryError
        return Read(page, self)

    def cut(self, spans: Sequence[tuple[int, int]]) -> tuple[bytes, int]:
        """Return the text of the last page with some spans behind the rest of it, and the size of that rest, in bytes.

        Args:
            spans: pairs (begin, end), by begin, the longer first where two begin together; one lies within another or
                apart from it.
        """
        flat = array(_WORDS, [place for span in spans for place in span]).tobytes()
        out, main = ctypes.c_void_p(), ctypes.c_uint64()
        size = self._library.graphlang_html_cut(self._reader, flat, len(spans), ctypes.byref(out), ctypes.byref(main))
        if size < 0:
            raise MemoryError
        return ctypes.string_at(out.value, size) if size and out.value else b"", main.value


def records(packed: bytes) -> Iterator[Record]:
    """Return the records of a page."""
    return map(Record._make, zip(*columns(packed, Record), strict=True))


def anchors(packed: bytes) -> Iterator[Anchor]:
    """Return the anchors of a page."""
    return map(Anchor._make, zip(*columns(packed, Anchor), strict=True))


def columns(packed: bytes, row: type[Record | Anchor]) -> list[array[int]]:
    """Return the fields of all records or anchors, each by itself: many pages have hundreds of which few are wanted."""
    words = array(_WORDS, packed)
    width = len(row._fields)
    return [words[place::width] for place in range(width)]


def strings(packed: bytes) -> list[str]:
    """Return strings that have a zero behind each."""
    if not packed:
        return []
    found = packed.decode("utf-8", "replace").split("\0")
    found.pop()  # behind the last zero is nothing
    return found


class _Kernels(local):
    kernel: Kernel | None = None


_kernels = _Kernels()


def kernel() -> Kernel:
    """Return the reader of this thread."""
    if _kernels.kernel is None:
        _kernels.kernel = Kernel()
    return _kernels.kernel
