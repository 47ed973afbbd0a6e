"""What a page at the border believes, as its neighbours in other partitions are told it.

A message depends on how much likelier each language is than before anything was known: belief over prior. Most
languages share one such ratio, so that only those with another are told, ``MOST`` at most, and how probable they are.
The others have what is left, by the prior, which the neighbours know.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE, FixedBeliefs
from graphlang.graph.partitioned.records import BELIEF, Records, pack, ragged, unpack

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 32  #: languages of a page that are told
LEAST = np.float32(1e-6)  #: a share of the prior that is as good as none
ALIKE = 1e-4  #: ratios that differ by less are told as one: a message never depends on less than 0.02
BLOCK = 1 << 14  #: pages whose tables are held at once

_HEADER = np.dtype([("entries", "u1"), ("damping", "u1"), ("direction", "<i2")])
QUICK, STEADY = 0.2, 0.97  #: a page creeps if it moves so much less in two supersteps than in the two before
FAR = 5  #: times its last step is as far as a page leaps: where steps hardly shrink, the end of their series is a guess
STRAIGHT = 0.95  #: and if it moves in one direction: the cosine between the two moves
SLOWER, FASTER, SLOWEST = 3, 2, 9  #: damping of a page, in tenths, and how it changes (see ``propagation.rounds``)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What b pages believe of L languages, and what they believed before anything was known."""

    belief: NDArray[np.float32]  #: shape (b, L)
    prior: NDArray[np.float32]  #: shape (b, L)
    others: NDArray[np.float32]  #: belief over prior of the languages that have nothing of their own, shape (b,)
    known: NDArray[np.bool_]  #: whether anything is known of the page at all, shape (b,)
    damping: NDArray[np.uint8]  #: tenths that it is held back by, for it moved to and fro, shape (b,)
    #: 1 + the column of the language that moved most when it was told, less than 0 if it fell; 0 none; shape (b,)
    direction: NDArray[np.int16]

    def moved_from(self, last: Table) -> tuple[Table, NDArray[np.float32]]:
        """What is told after the last table of the same pages, and by how much the pages would like to move.

        A page whose language that moved most turns back is held back.
        """
        step = self.belief - last.belief
        moves = np.abs(step).max(axis=1)
        moves[self.known != last.known] = 1
        rows = np.arange(len(step))
        before = step[rows, np.abs(last.direction) - 1] * np.sign(last.direction)  # 0 if it never moved
        tenths = last.damping.astype(np.int64) + np.where(before < 0, SLOWER, -FASTER)
        damping = np.clip(tenths, 0, SLOWEST).astype(np.uint8)
        damping[~last.known] = 0
        part = (np.float32(1) - damping.astype(np.float32) / np.float32(10))[:, None]
        most = np.abs(step).argmax(axis=1)
        direction = ((most + 1) * np.sign(step[rows, most])).astype(np.int16)
        others = last.others + part[:, 0] * (self.others - last.others)
        return Table(last.belief + part * step, self.prior, others, self.known, damping, direction), moves

    def leapt(self, later: Table, earlier: Table, least: float) -> Table:
        """The same, but for pages that creep: these are put where steps that shrink as theirs do would end.

        Where that is more than ``FAR`` steps away they go as far as these. Two pages in different partitions that lean
        on each other come to rest like a geometric series. What one says comes back from the other two supersteps
        later, so that every second of them is looked at.

        Args:
            later: what the pages told two supersteps ago.
            earlier: what they told four supersteps ago.
            least: a page that moved by less stays where it is.
        """
        first, second = later.belief - earlier.belief, self.belief - later.belief
        length = np.einsum("ij,ij->i", first, first)
        ratio = np.einsum("ij,ij->i", first, second) / np.maximum(length, LEAST**2)
        straight = ratio * np.sqrt(length / np.maximum(np.einsum("ij,ij->i", second, second), LEAST**2))
        creeps = (ratio > QUICK) & (ratio < STEADY) & (straight > STRAIGHT) & (np.abs(second).max(axis=1) > least)
        creeps &= self.known & later.known & earlier.known & (self.damping == 0)
        part = np.where(creeps, np.minimum(ratio / np.where(creeps, 1 - ratio, 1), FAR), 0).astype(np.float32)
        falls = second < 0  # nothing may fall below none: a tenth stays at least
        most = np.where(falls, np.float32(0.9) * self.belief / np.where(falls, -second, 1), np.float32(np.inf))
        part = np.minimum(part, most.min(axis=1))
        belief = self.belief + part[:, None] * second
        others = self.others + part * (self.others - later.others)
        return replace(self, belief=belief, others=others)


def told(pages: NDArray[np.int64], table: Table, active: NDArray[np.int16]) -> Records:
    """The records of some pages.

    Args:
        pages: ids, ascending, shape (b,).
        table: what they believe.
        active: languages of the columns, shape (L,).
    """
    apart = np.abs(table.belief - table.others[:, None] * table.prior)
    own = (apart > ALIKE * table.prior) & (table.belief > 0) & table.known[:, None] & (active >= 0)
    many = np.flatnonzero(own.sum(axis=1) > MOST)
    if len(many):
        least = -np.partition(-np.where(own[many], apart[many], 0), MOST - 1, axis=1)[:, MOST - 1]
        own[many] &= apart[many] >= least[:, None]
        own[many] &= np.cumsum(own[many], axis=1) <= MOST
    nothing = np.flatnonzero(
        table.known & ~own.any(axis=1)
    )  # it is known to be like its site: its best language says so
    own[nothing, table.belief[nothing].argmax(axis=1)] = True
    counts = own.sum(axis=1).astype(np.int64)
    rows, columns = np.nonzero(own)
    entries = np.empty(len(rows), BELIEF)
    entries["language"], entries["probability"] = active[columns], np.minimum(table.belief[rows, columns], 1)
    header = np.zeros(len(pages), _HEADER)
    header["entries"], header["damping"], header["direction"] = counts, table.damping, table.direction
    return pack(pages, header, [(counts, entries)])


def heard(records: Records, ids: NDArray[np.int64]) -> FixedBeliefs:
    """The beliefs of records, for the kernels.

    Args:
        records: of some of the rows.
        ids: of the rows, ascending, shape (n,).

    Returns:
        a page of which nothing is known has no language.
    """
    _, ((counts, entries),) = unpack(records, _HEADER, [("entries", BELIEF)])
    rows, rank = ragged(counts)
    languages = np.full((len(counts), max(1, int(counts.max(initial=0)))), NONE, np.int16)
    probabilities = np.zeros(languages.shape, np.float32)
    languages[rows, rank], probabilities[rows, rank] = entries["language"], entries["probability"]
    order = np.argsort(-probabilities, axis=1, kind="stable")
    found = np.take_along_axis(languages, order, 1), np.take_along_axis(probabilities, order, 1)
    return FixedBeliefs(np.searchsorted(ids, records.pages), *found)


def last_told(records: Records, pages: NDArray[np.int64], table: Table, active: NDArray[np.int16]) -> Table:
    """What was last told of some pages.

    Args:
        records: of them.
        pages: their ids, ascending, shape (b,).
        table: what they believe now.
        active: languages of the columns, shape (L,).
    """
    header, ((counts, entries),) = unpack(records, _HEADER, [("entries", BELIEF)])
    at = np.searchsorted(pages, records.pages)
    belief = np.zeros_like(table.belief)
    column = np.full(int(active.max(initial=0)) + 1, 0, np.int64)
    column[active[active >= 0]] = np.flatnonzero(active >= 0)
    belief[at[ragged(counts)[0]], column[entries["language"]]] = entries["probability"]
    unnamed = np.where(belief > 0, 0, table.prior)
    left = np.maximum(1 - belief.sum(axis=1), 0)
    others = (left / np.maximum(unnamed.sum(axis=1), LEAST)).astype(np.float32)
    known, damping = np.zeros(len(pages), np.bool_), np.zeros(len(pages), np.uint8)
    direction = np.zeros(len(pages), np.int16)
    known[at], damping[at], direction[at] = counts > 0, header["damping"], header["direction"]
    return Table(belief + unnamed * others[:, None], table.prior, others, known, damping, direction)
