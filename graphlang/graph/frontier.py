"""ClueWeb09's rule for URLs not fetched yet: a URL may be in any language of the pages that refer to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.graph.matrix import canonical

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from graphlang.graph.evidence import Graph

MIN_BYTES = 400  #: shorter referring pages do not count


def referred(
    graph: Graph, language: NDArray[np.int16], size: NDArray[np.int32], languages: int, *, min_bytes: int = MIN_BYTES
) -> sparse.csr_matrix:
    """How many referring pages of each language every page has; a language with any is possible.

    Args:
        graph: the links.
        language: language of each page, -1 none, shape (n,).
        size: bytes of text of each page; those below ``min_bytes`` do not count as referring pages, shape (n,).
        languages: number of languages.
        min_bytes: 400 in ClueWeb09.

    Returns:
        counts, shape (n, languages).

    Raises:
        ValueError: ``min_bytes`` is negative.
    """
    if min_bytes < 0:
        raise ValueError("min_bytes is negative")
    links = canonical(graph)
    counts = (language[links.source] >= 0) & (size[links.source] >= min_bytes)
    pairs = (links.target[counts], language[links.source[counts]].astype(np.int32))
    return sparse.csr_matrix((np.ones(int(counts.sum()), np.int32), pairs), shape=(graph.n, languages))


def skipped(possible: sparse.csr_matrix, saturated: Collection[int]) -> NDArray[np.bool_]:
    """Pages that ClueWeb09's crawler would not fetch: no referring page is in a language still wanted; shape (n,).

    A page that nothing counted refers to is skipped too, by the letter of the rule ("the crawler skips a URL when no
    referring page is in a poorly crawled language").
    """
    wanted = np.ones(possible.shape[1], bool)
    wanted[list(saturated)] = False
    return np.equal(np.asarray(possible[:, wanted].sum(axis=1)).ravel(), 0)
