"""What the definition of main content needs of the kernel of markup, and the package does not."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KERNELS = Kernels("graphlang.ingest.html.native._html")


def _flag(name: str) -> int:
    return KERNELS.constant(f"GRAPHLANG_{name}")


#: Flags of an element; `native/html.h` has their meaning.
IN_CONTENT, IS_CONTENT, IS_MAIN = _flag("IN_CONTENT"), _flag("IS_CONTENT"), _flag("IS_MAIN")
HOLDS_MAIN, HOLDS_ARTICLE = _flag("HOLDS_MAIN"), _flag("HOLDS_ARTICLE")
HAS_ROLE, IS_NAVIGATION, ASKS_CONSENT = _flag("HAS_ROLE"), _flag("IS_NAVIGATION"), _flag("ASKS_CONSENT")
IS_OUTER, IS_NAV, IS_NAMED, NAMES_LINKS = _flag("IS_OUTER"), _flag("IS_NAV"), _flag("IS_NAMED"), _flag("NAMES_LINKS")
IS_HIDDEN, IS_SURE, IS_TITLE, IS_UNCLOSED = (
    _flag("IS_HIDDEN"),
    _flag("IS_SURE"),
    _flag("IS_TITLE"),
    _flag("IS_UNCLOSED"),
)
#: Bounds of the text around the main content.
CONTENT_LEFT, OUTER_SIZE = _flag("CONTENT_LEFT"), _flag("OUTER_SIZE")


class Element(NamedTuple):
    """An element that marks content, or text around it."""

    flags: int
    begin: int  # of its text, in bytes
    end: int


def read_elements(packed: bytes) -> Iterator[Element]:
    """The elements of ``ParsedMarkup.records``."""
    words = array("I", packed)
    return map(Element._make, zip(words[::3], words[1::3], words[2::3], strict=True))


def move_spans(text: bytes, spans: Sequence[tuple[int, int]]) -> tuple[bytes, int]:
    """A text with some spans behind all others, and the size in bytes of what comes before them."""
    begins, ends = array("I", [begin for begin, _ in spans]), array("I", [end for _, end in spans])
    out, main = bytearray(len(text) + 2 * len(spans) + 2), array("Q", (0,))
    size = KERNELS.html_cut(text, begins, ends, array("I", begins), array("I", begins), out, main)
    return bytes(memoryview(out)[:size]), main[0]
