"""The links of a batch of pages into their table, and the words of links into theirs."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.db import statements
from graphlang.db.records import NOFOLLOW, LinkKind
from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from graphlang.db.records import Links

_kernels = Kernels("graphlang.db.native._link_rows")
_PLAIN: Final = _kernels.constant("GRAPHLANG_LINK_PLAIN")  # numbers of a link with nothing else to say, as nearly all
_WIDTH: Final = _kernels.constant("GRAPHLANG_LINK_WIDTH")  # of the others
_HREFLANG: Final = 4
_USUAL: Final = int(LinkKind.ANCHOR)


class Batch(NamedTuple):
    """The links of the pages of a batch, with the ids that they were given."""

    links: Sequence[Links]  #: of each page
    ids: array[int]  #: of each page and, behind it, of the targets of its links
    counts: array[int]  #: links of each page
    starts: Sequence[int]  #: where in ``ids`` each page stands

    def rows(self, place: int) -> Iterator[tuple[int, int, int, str | None, int]]:
        """The links of one page, but for those to itself.

        Args:
            place: of the page in the batch.

        Yields:
            Target, kind, nofollow, hreflang and place of each link.
        """
        own, start, links = self.ids[self.starts[place]], self.starts[place] + 1, self.links[place]
        hreflangs, number = dict(links.hreflangs), 0
        for at, (target, kind) in enumerate(zip(self.ids[start : start + len(links)], links.kinds, strict=True)):
            if target != own:
                yield target, kind & ~NOFOLLOW, int(kind >= NOFOLLOW), hreflangs.get(at), number
                number += 1

    def write(self, connection: sqlite3.Connection, place: int) -> int:
        """Write the links of one page, see `write`.

        Args:
            connection: within a transaction.
            place: of the page in the batch.
        """
        start = self.starts[place]
        ids = self.ids[start : start + self.counts[place] + 1]
        return write(connection, [self.links[place]], ids, self.counts[place : place + 1], b"\1")


def write(
    connection: sqlite3.Connection,
    links: Sequence[Links],
    ids: array[int],
    counts: array[int],
    chosen: bytes | bytearray,
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
    for one, first in zip(links, accumulate(counts, initial=0), strict=False):
        for place, _ in one.hreflangs:
            marked[first + place] = 1
    plain, rows, row_of = (array("q", (0,)) * (width * count) for width in (_PLAIN, _WIDTH, 1))
    made = array("q", (0, 0))
    # In key order, as the kernel makes them, the tree grows at its end instead of in the middle.
    _kernels.link_rows(
        ids=ids,
        counts=counts,
        chosen=chosen,
        kinds=b"".join([one.kinds for one in links]),
        marked=marked,
        usual=_USUAL,
        plain=plain,
        rows=rows,
        row_of=row_of,
        made=made,
    )
    into = "INSERT OR IGNORE INTO links"
    added = statements.insert_values(
        connection, into, plain[: _PLAIN * made[0]].tolist(), _PLAIN, row=f"(?, ?, {_USUAL}, 0, NULL, ?)"
    )
    values: list[Any] = rows[: _WIDTH * made[1]].tolist()
    values[_HREFLANG::_WIDTH] = [None] * made[1]
    texts: list[tuple[int, int, str]] = []
    for number, (one, first) in enumerate(zip(links, accumulate(counts, initial=0), strict=False)):
        for place, hreflang in one.hreflangs:
            if (row := row_of[first + place]) >= 0:
                values[_WIDTH * row + _HREFLANG] = hreflang
        if one.texts and chosen[number]:
            own = first + number  # before its links, and behind those of the pages before it and these pages
            for place, text in one.texts:
                if (target := ids[own + 1 + place]) != ids[own]:
                    texts.append((target, ids[own], text))
    added += statements.insert_values(connection, into, values, _WIDTH)
    statements.insert_rows(connection, "INSERT OR IGNORE INTO anchor_texts", sorted(texts))
    return added
