"""Which links between pages of known languages are learned from, where there are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.propagation.edges.link_kinds import followed
from graphlang.native.threads import in_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links

BLOCK = 1 << 17  #: links, or pages, that one core works on at once
SAMPLE = 100_000  #: links that are learned from, at most


def sample(
    links: Links, label: NDArray[np.int16], host: NDArray[np.int32], length: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Links between labelled pages, but those that are followed; of more than ``SAMPLE`` as good as random ones.

    Which those are depends on the degrees, languages and lengths of the pages and of the others of their hosts, not on
    any numbers. Links that nothing tells apart are taken or left together, up to as many again.

    Args:
        links: all links of n pages, and perhaps of more that are left out.
        label: column of the language of each certain page, -1 for all others, shape (n,).
        host: number of each page's host, shape (n,).
        length: characters of each page's text, shape (n,).

    Returns:
        numbers of links, ascending, shape (m,).
    """
    inside = slice(links.inside)  # no page that is left out is labelled
    degrees = links.outdegree().astype(np.int32), links.indegree().astype(np.int32)
    own = _mixed(np.zeros(links.inside, np.uint64), *degrees, label[inside], length[inside])
    of_host = np.zeros(int(host.max(initial=-1)) + 1, np.uint64)
    np.add.at(of_host, host[inside], own)
    key = np.zeros(links.n, np.uint64)
    key[inside] = _mixed(own, of_host[host[inside]])
    del own, degrees
    labelled, shown = label >= 0, followed(np.arange(256, dtype=np.uint8))
    drawn, found = np.zeros(0, np.uint64), np.zeros(0, np.int32)
    limit = [2**64 - 1]  # a thread may see an older one: what it draws too much is left out below all the same

    def draw(part: slice) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        return links.drawn(part, labelled, shown, key, limit[0])

    for some, mixed in in_blocks(links.m, BLOCK, draw):
        drawn, found = np.concatenate([drawn, mixed]), np.concatenate([found, some])
        if len(found) > 2 * SAMPLE:
            limit[0] = int(np.partition(drawn, SAMPLE - 1)[SAMPLE - 1])
            few = np.flatnonzero(drawn <= limit[0])[: 2 * SAMPLE]
            drawn, found = drawn[few], found[few]
    if len(found) > SAMPLE:
        found = found[drawn <= np.partition(drawn, SAMPLE - 1)[SAMPLE - 1]]
    return found


def _mixed(key: NDArray[np.uint64], *columns: NDArray[Any]) -> NDArray[np.uint64]:
    """A hash of some numbers of each page."""
    mixed = key.copy()
    for at in range(0, len(mixed), BLOCK):
        part = mixed[at : at + BLOCK]
        for values in columns:
            part ^= values[at : at + BLOCK].astype(np.uint64)
            part *= np.uint64(0x9E3779B97F4A7C15)
            part ^= part >> np.uint64(29)
    return mixed
