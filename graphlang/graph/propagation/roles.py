"""Roles of pages: clamped, latent, or certain enough to learn from.

A page with long text, or shorter text identified with high probability, is *clamped*: it keeps the answer of its text
and only sends messages. All other pages are *latent*: their beliefs depend on their neighbours. A long page is latent
too if its text is *doubtful*, mostly between two close languages. The inference learns from *certain* pages, whose
text is long and sure enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE
from graphlang.numerics import number_distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.data import FixedBeliefs
    from graphlang.graph.options import Options
    from graphlang.graph.tables import ScoreTables

#: Texts with this probability need only half of `Options.clamp_length`. On the development sets, where neighbours
#: disagree with such a text, the text is right in eight of nine cases. For shorter or less sure texts, the neighbours
#: are right more often.
FIRM = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class PageRoles:
    """Roles of n pages on H hosts, f of them latent; L active languages."""

    hosts: NDArray[np.int32]  #: numbers in the evidence, ascending, shape (H,)
    every_page: int  #: number of pages, excluded ones included
    host: NDArray[np.int32]  #: of each page, 0..H-1, shape (n,)
    best: NDArray[np.int16]  #: column of the best language of each text, -1 none, shape (n,)
    label: NDArray[np.int16]  #: `best` of certain pages, -1 for others, shape (n,)
    scores: NDArray[np.float64]  #: sum of the scores of all texts, shape (L,)
    latent: NDArray[np.int64]  #: rows of the latent pages, ascending, shape (f,)
    number: NDArray[np.int32]  #: index of each page in `latent`, -1 clamped, shape (n,)
    doubtful: NDArray[np.bool_]  #: latent pages with long, doubtful text, shape (n,)


def find_firm_length(options: Options) -> int:
    """Return the characters from which a firm text clamps its page."""
    return options.clamp_length // 2


def assign_roles(
    tables: ScoreTables,
    options: Options,
    fixed: FixedBeliefs | None = None,
    pages: int | None = None,
) -> PageRoles:
    """Assign a role to each page.

    ``fixed`` pages are clamped whatever their text. ``pages`` is the number of pages, excluded ones included; default
    n.
    """
    evidence = tables.evidence
    best, score, total = tables.best()
    has_text = best >= 0
    doubtful = (evidence.length >= options.clamp_length) & (score < options.doubtful)
    firm = (evidence.length >= find_firm_length(options)) & (score >= FIRM)
    clamped = has_text & ((evidence.length >= options.clamp_length) & ~doubtful | firm | evidence.is_labelled())
    if fixed is not None:
        clamped[fixed.rows] = True
    certain = has_text & evidence.long(options.certain_length) & (score >= options.certain)
    hosts, host = number_distinct(evidence.host)
    latent = np.flatnonzero(~clamped)
    doubtful &= has_text & ~clamped
    number = np.full(evidence.n, NONE, np.int32)
    number[latent] = np.arange(len(latent), dtype=np.int32)
    label = np.where(certain, best, NONE).astype(np.int16)
    page_count = evidence.n if pages is None else pages
    return PageRoles(hosts, page_count, host, best, label, total, latent, number, doubtful)
