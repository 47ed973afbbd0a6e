"""What the definition of main content needs of the kernel of markup, and the package does not."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from graphlang.ingest.html.native import html as kernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


#: Flags of an element; `native/html.h` has their meaning.
IN_CONTENT, IS_CONTENT, IS_MAIN = kernel.IN_CONTENT, kernel.IS_CONTENT, kernel.IS_MAIN
HOLDS_MAIN, HOLDS_ARTICLE = kernel.HOLDS_MAIN, kernel.HOLDS_ARTICLE
HAS_ROLE, IS_NAVIGATION, ASKS_CONSENT = kernel.HAS_ROLE, kernel.IS_NAVIGATION, kernel.ASKS_CONSENT
IS_OUTER, IS_NAV, IS_NAMED, NAMES_LINKS = kernel.IS_OUTER, kernel.IS_NAV, kernel.IS_NAMED, kernel.NAMES_LINKS
IS_HIDDEN, IS_SURE, IS_TITLE, IS_UNCLOSED = (
    kernel.IS_HIDDEN,
    kernel.IS_SURE,
    kernel.IS_TITLE,
    kernel.IS_UNCLOSED,
)
#: Bounds of the text around the main content.
CONTENT_LEFT, OUTER_SIZE = kernel.CONTENT_LEFT, kernel.OUTER_SIZE


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
    size = kernel.html_cut(text, begins, ends, array("I", begins), array("I", begins), out, main)
    return bytes(memoryview(out)[:size]), main[0]
