"""Encode the beliefs of pages at the border for their neighbours in other partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.partitioned.records import Records, pack, unpack
from graphlang.graph.propagation.motion import Held

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST = np.float32(1e-6)  #: a share of the prior that is as good as none
ALIKE = 1e-4  #: ratios that differ by less are sent as one: a message never depends on less than 0.02
BLOCK = 1 << 14  #: pages whose tables are held at once

#: ``names`` and ``marks`` count bytes of bits: of the languages which are candidates, of the candidates which are sent.
_HEADER = np.dtype([("others", "<f4"), ("known", "u1"), ("names", "<u2"), ("marks", "u1"), ("entries", "u1")])
_BYTE, _NUMBER = np.dtype("u1"), np.dtype("<f4")
_LISTS = (("names", _BYTE), ("marks", _BYTE), ("entries", _NUMBER))


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Beliefs of b pages about their K candidates, and last about all other languages together."""

    candidates: NDArray[np.int16]  #: columns, ascending, shape (b, K)
    belief: NDArray[np.float32]  #: shape (b, K + 1)
    prior: NDArray[np.float32]  #: what they believed before anything was known, shape (b, K + 1)
    known: NDArray[np.bool_]  #: whether anything is known of the page at all, shape (b,)

    def held(self, rows: NDArray[np.int64]) -> Held:
        """Return the pages as the rounds take them."""
        return Held(rows, self.candidates, self.belief)


def usual(candidates: NDArray[np.int16], prior: NDArray[np.float32], group: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return prior beliefs about the candidates, and about all other languages together.

    Args:
        candidates: columns, shape (b, K).
        prior: of each group of pages, shape (P, L).
        group: of each page, shape (b,).

    Returns:
        shape (b, K + 1).

    >>> usual(np.int16([[0, 2]]), np.float32([[0.5, 0.25, 0.125, 0.125]]), np.int32([0])).tolist()
    [[0.5, 0.125, 0.375]]
    """
    belief = np.zeros((len(candidates), candidates.shape[1] + 1), np.float32)
    for at in range(0, len(candidates), BLOCK):
        rows, columns = slice(at, at + BLOCK), candidates[at : at + BLOCK].astype(np.int64)
        priors = prior[group[rows]]
        belief[rows, :-1] = np.take_along_axis(priors, columns, 1)
        np.put_along_axis(priors, columns, 0, 1)
        belief[rows, -1] = priors.sum(axis=1)
    return belief


def encode(pages: NDArray[np.int64], table: Table, languages: int) -> Records:
    """Encode beliefs as a record for each page.

    Args:
        pages: ids, ascending, shape (b,).
        table: what they believe.
        languages: L, all that they could ask about.
    """
    ratio = table.belief[:, -1] / np.maximum(table.prior[:, -1], LEAST)
    ratio_of_others = np.where(
        table.prior[:, -1] > LEAST, ratio, ~table.known
    )  # where there are none, what most candidates have
    alike = ratio_of_others[:, None] * table.prior[:, :-1]
    own_ratio = np.abs(table.belief[:, :-1] - alike) > ALIKE * table.prior[:, :-1]
    names = np.zeros((len(pages), languages), np.bool_)
    np.put_along_axis(names, table.candidates.astype(np.int64), True, 1)  # noqa: FBT003 - the value
    named, marked = np.packbits(names, axis=1), np.packbits(own_ratio, axis=1)
    header = np.zeros(len(pages), _HEADER)
    header["others"], header["known"] = ratio_of_others, table.known
    header["names"], header["marks"], header["entries"] = named.shape[1], marked.shape[1], own_ratio.sum(axis=1)
    lists: list[tuple[NDArray[np.int64], NDArray[Any]]] = [
        (np.full(len(pages), bits.shape[1], np.int64), bits.reshape(-1)) for bits in (named, marked)
    ]
    return pack(pages, header, [*lists, (own_ratio.sum(axis=1), table.belief[:, :-1][own_ratio].astype(_NUMBER))])


def decode(records: Records, candidate_count: int, prior: NDArray[np.float32], group: NDArray[np.int32]) -> Table:
    """Decode records of `encode`.

    Args:
        records: b pages.
        candidate_count: K, of each page.
        prior: of each group of pages, shape (P, L).
        group: of each page, shape (b,).

    Raises:
        ValueError: records of other languages, or of more or fewer candidates.
    """
    head, lists = unpack(records, _HEADER, _LISTS)
    names, marks, entries = (entry_bytes.view(kind) for (_, entry_bytes), (_, kind) in zip(lists, _LISTS, strict=True))
    many, size = len(head), prior.shape[1]
    wide, marked = -(-size // 8), -(-candidate_count // 8)
    if (head["names"] != wide).any() or (head["marks"] != marked).any():
        raise ValueError(f"records have other languages than {candidate_count} of {size}")
    candidates = np.empty((many, candidate_count), np.int16)
    for at in range(0, many, BLOCK):
        named = np.unpackbits(names.reshape(many, wide)[at : at + BLOCK], axis=1, count=size)
        if (named.sum(axis=1) != candidate_count).any():
            raise ValueError(f"a record has more or fewer candidates than {candidate_count}")
        candidates[at : at + BLOCK] = np.nonzero(named)[1].reshape(-1, candidate_count)
    own_ratio = np.unpackbits(marks.reshape(many, marked), axis=1, count=candidate_count).view(np.bool_)
    before = usual(candidates, prior, group)
    belief = head["others"][:, None] * before
    belief[:, :-1][own_ratio] = entries
    return Table(candidates, belief, before, head["known"] > 0)
