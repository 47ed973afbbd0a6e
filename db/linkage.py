"""The links of a batch of pages into their table, and the words of links into theirs."""

from __future__ import annotations

import ctypes
from array import array
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from . import bulk
from .compiled import load
from .records import LinkKind
from .url_ids import address

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from .records import Links

_PLAIN: Final = 3  # source, target, place of a link that has nothing else to say, as nearly all
_WIDTH: Final = 6  # source, target, kind, nofollow, hreflang, place of the others
_HREFLANG: Final = 4
_USUAL: Final = int(LinkKind.ANCHOR)


def write(
    connection: sqlite3.Connection, links: Sequence[Links], ids: array[int], counts: array[int], chosen: bytes
) -> int:
    """Write the links of those pages that are chosen; links of a page to itself are left out.

    Args:
        connection: within a transaction.
        links: of each page.
        ids: of each page and, behind it, of the targets of its links.
        counts: links of each page.
        chosen: for each page a byte, 1 if its links are to be written.

    Returns:
        How many links were added.
    """
    count = sum(counts)
    marked = bytearray(count)
    first = 0
    for one in links:
        for place, _ in one.hreflangs:
            marked[first + place] = 1
        first += len(one)
    plain, rows, row_of = (array("q", (0,)) * (width * count) for width in (_PLAIN, _WIDTH, 1))
    made = array("q", (0, 0))
    # In key order, as the kernel makes them, the tree grows at its end instead of in the middle.
    if not _library().graphlang_links_rows(
        address(ids),
        address(counts),
        bytes(chosen),
        len(counts),
        b"".join([one.kinds for one in links]),
        bytes(marked),
        _USUAL,
        *map(address, (plain, rows, row_of, made)),
    ):
        raise MemoryError
    into = "INSERT OR IGNORE INTO links"
    added = bulk.insert_flat(
        connection, into, plain[: _PLAIN * made[0]].tolist(), _PLAIN, row=f"(?, ?, {_USUAL}, 0, NULL, ?)"
    )
    values: list[Any] = rows[: _WIDTH * made[1]].tolist()
    values[_HREFLANG::_WIDTH] = [None] * made[1]
    texts: list[tuple[int, int, str]] = []
    first = at = 0
    for one, is_chosen in zip(links, chosen, strict=True):
        source, targets = ids[at], at + 1
        for place, hreflang in one.hreflangs:
            if (row := row_of[first + place]) >= 0:
                values[_WIDTH * row + _HREFLANG] = hreflang
        for place, text in one.texts if is_chosen else ():
            if ids[targets + place] != source:
                texts.append((ids[targets + place], source, text))
        first += len(one)
        at = targets + len(one)
    added += bulk.insert_flat(connection, into, values, _WIDTH)
    bulk.insert_rows(connection, "INSERT OR IGNORE INTO anchor_texts", sorted(texts))
    return added


@cache
def _library() -> ctypes.CDLL:
    library = load("_links")
    numbers, text = ctypes.c_void_p, ctypes.c_char_p
    library.graphlang_links_rows.argtypes = (
        *(numbers, numbers, text, ctypes.c_uint64, text, text, ctypes.c_uint8),
        *(numbers, numbers, numbers, numbers),
    )
    return library
