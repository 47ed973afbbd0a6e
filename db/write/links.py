"""Write the links and anchor texts of a batch of pages."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.db import statements
from graphlang.db.native import link_rows as _kernels
from graphlang.db.records import NOFOLLOW, LinkKind

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from graphlang.db.records import Links

_PLAIN: Final = _kernels.LINK_PLAIN  # numbers of a plain anchor, as nearly all are
_WIDTH: Final = _kernels.LINK_WIDTH  # of the others
_HREFLANG: Final = 4
_USUAL: Final = int(LinkKind.ANCHOR)


class LinkBatch(NamedTuple):
    """The links of the pages of a batch, with their ids."""

    links: Sequence[Links]  #: of each page
    ids: array[int]  #: of each page, followed by the targets of its links
    counts: array[int]  #: links of each page
    starts: Sequence[int]  #: index of each page in ``ids``

    def iterate_rows(self, place: int) -> Iterator[tuple[int, int, int, str | None, int]]:
        """Yield target, kind, nofollow, hreflang and place of each link of a page, except links to itself."""
        page, start, links = self.ids[self.starts[place]], self.starts[place] + 1, self.links[place]
        hreflangs, number = dict(links.hreflangs), 0
        for at, (target, kind) in enumerate(zip(self.ids[start : start + len(links)], links.kinds, strict=True)):
            if target != page:
                yield target, kind & ~NOFOLLOW, int(kind >= NOFOLLOW), hreflangs.get(at), number
                number += 1

    def write(self, connection: sqlite3.Connection, place: int) -> int:
        """Write the links of one page, given by its index in the batch; see `write_links`."""
        start = self.starts[place]
        ids = self.ids[start : start + self.counts[place] + 1]
        return write_links(connection, [self.links[place]], ids, self.counts[place : place + 1], b"\1")


def write_links(
    connection: sqlite3.Connection,
    links: Sequence[Links],
    ids: array[int],
    counts: array[int],
    chosen: bytes | bytearray,
) -> int:
    """Write the links of pages whose byte in ``chosen`` is 1, without links of a page to itself.

    ``ids`` and ``counts`` are those of `LinkBatch`. Returns how many links were added.
    """
    count = sum(counts)
    marked = bytearray(count)
    for columns, first in zip(links, accumulate(counts, initial=0), strict=False):
        for place, _ in columns.hreflangs:
            marked[first + place] = 1
    plain, rows, row_of = (array("q", (0,)) * (width * count) for width in (_PLAIN, _WIDTH, 1))
    sizes = array("q", (0, 0))
    # The kernel returns rows in key order, so that the tree grows at its end instead of in the middle.
    _kernels.link_rows(
        ids=ids,
        counts=counts,
        chosen=chosen,
        kinds=b"".join([columns.kinds for columns in links]),
        marked=marked,
        usual=_USUAL,
        plain=plain,
        rows=rows,
        row_of=row_of,
        made=sizes,
    )
    into = "INSERT OR IGNORE INTO links"
    added = statements.insert_values(
        connection, into, plain[: _PLAIN * sizes[0]].tolist(), _PLAIN, row=f"(?, ?, {_USUAL}, 0, NULL, ?)"
    )
    values: list[Any] = rows[: _WIDTH * sizes[1]].tolist()
    values[_HREFLANG::_WIDTH] = [None] * sizes[1]
    texts: list[tuple[int, int, str]] = []
    for number, (columns, first) in enumerate(zip(links, accumulate(counts, initial=0), strict=False)):
        for place, hreflang in columns.hreflangs:
            if (row := row_of[first + place]) >= 0:
                values[_WIDTH * row + _HREFLANG] = hreflang
        if columns.texts and chosen[number]:
            start = first + number  # index of the page in ``ids``, after earlier pages and their links
            for place, text in columns.texts:
                if (target := ids[start + 1 + place]) != ids[start]:
                    texts.append((target, ids[start], text))
    added += statements.insert_values(connection, into, values, _WIDTH)
    statements.insert_rows(connection, "INSERT OR IGNORE INTO anchor_texts", sorted(texts))
    return added
