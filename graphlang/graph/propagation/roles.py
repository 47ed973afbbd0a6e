"""Which pages are clamped, which are latent, and which are certain enough to learn from.

A page whose text is long, or not quite so long and identified for sure, is *clamped*: it keeps what its text says, and
only sends messages. All others are *latent*: their belief moves with their neighbours'. Among them are long pages whose
text is in *doubt*, mostly between two close languages. What is learned from the collection is learned from *certain*
pages, whose text is long and sure enough to be right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE
from graphlang.numerics import numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.data import FixedBeliefs
    from graphlang.graph.language_tables import ScoreTables
    from graphlang.graph.propagation.options import Options

#: A text that is identified with so much needs only half of `Options.clamp_length`: of such pages of the development
#: sets whose answer the neighbours would change, the text is right on eight of nine. Where it is shorter or less sure,
#: the neighbours are right more often.
FIRM = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class PageRoles:
    """n pages on H hosts, f of them latent; L active languages."""

    hosts: NDArray[np.int32]  #: their numbers in the evidence, ascending, shape (H,)
    every_page: int  #: how many pages there are, those that are left out among them
    host: NDArray[np.int32]  #: of each page, 0..H-1, shape (n,)
    best: NDArray[np.int16]  #: column of the most likely language of each text, -1 none, shape (n,)
    label: NDArray[np.int16]  #: the same of the certain pages, -1 for the others, shape (n,)
    scores: NDArray[np.float64]  #: sum over all texts, shape (L,)
    latent: NDArray[np.int64]  #: rows of the latent pages, ascending, shape (f,)
    number: NDArray[np.int32]  #: of each page among the latent ones, -1 clamped, shape (n,)
    doubtful: NDArray[np.bool_]  #: latent pages whose text is long, and in doubt; shape (n,)


def firm_length(options: Options) -> int:
    """Characters from which a text may clamp its page, if it is sure enough."""
    return options.clamp_length // 2


def page_roles(
    tables: ScoreTables,
    options: Options,
    fixed: FixedBeliefs | None = None,
    pages: int | None = None,
) -> PageRoles:
    """Tell clamped, latent and certain pages apart.

    Args:
        tables: the scores of n pages.
        options: what counts as a long and as a sure text.
        fixed: pages that are clamped whatever their text.
        pages: how many there are, those that are left out among them; n if not given.
    """
    evidence = tables.evidence
    best, score, total = tables.best()
    known = best >= 0
    doubtful = (evidence.length >= options.clamp_length) & (score < options.doubtful)
    firm = (evidence.length >= firm_length(options)) & (score >= FIRM)
    clamped = known & ((evidence.length >= options.clamp_length) & ~doubtful | firm | evidence.is_labelled())
    if fixed is not None:
        clamped[fixed.rows] = True
    certain = known & evidence.long(options.certain_length) & (score >= options.certain)
    hosts, host = numbered(evidence.host)
    latent = np.flatnonzero(~clamped)
    doubtful &= known & ~clamped
    number = np.full(evidence.n, NONE, np.int32)
    number[latent] = np.arange(len(latent), dtype=np.int32)
    label = np.where(certain, best, NONE).astype(np.int16)
    every = evidence.n if pages is None else pages
    return PageRoles(hosts, every, host, best, label, total, latent, number, doubtful)
