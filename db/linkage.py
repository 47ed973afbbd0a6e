"""The links of a batch of pages into their table, and the words of links into theirs."""

from __future__ import annotations

import ctypes
from array import array
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from . import bulk
from .compiled import load
from .url_ids import address

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from .records import Links

_WIDTH: Final = 6  # source, target, kind, nofollow, hreflang, place
_HREFLANG: Final = 4


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
    rows, row_of = array("q", (0,)) * (_WIDTH * sum(counts)), array("q", (0,)) * sum(counts)
    # In key order, as the kernel makes them, the tree grows at its end instead of in the middle.
    count = _library().graphlang_links_rows(
        address(ids),
        address(counts),
        bytes(chosen),
        len(counts),
        b"".join([one.kinds for one in links]),
        address(rows),
        address(row_of),
    )
    if count < 0:
        raise MemoryError
    values: list[Any] = rows[: _WIDTH * count].tolist()
    values[_HREFLANG::_WIDTH] = [None] * count
    texts: list[tuple[int, int, str]] = []
    first = 0
    for one in links:
        for place, hreflang in one.hreflangs:
            if (row := row_of[first + place]) >= 0:
                values[_WIDTH * row + _HREFLANG] = hreflang
        for place, text in one.texts:
            if (row := row_of[first + place]) >= 0:
                texts.append((rows[_WIDTH * row + 1], rows[_WIDTH * row], text))
        first += len(one)
    added = bulk.insert_flat(connection, "INSERT OR IGNORE INTO links", values, _WIDTH)
    bulk.insert_rows(connection, "INSERT OR IGNORE INTO anchor_texts", sorted(texts))
    return added


@cache
def _library() -> ctypes.CDLL:
    library = load("_links")
    numbers, text = ctypes.c_void_p, ctypes.c_char_p
    library.graphlang_links_rows.argtypes = (numbers, numbers, text, ctypes.c_uint64, text, numbers, numbers)
    library.graphlang_links_rows.restype = ctypes.c_int64
    return library
