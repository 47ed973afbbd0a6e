"""What a page's belief says to its neighbour through a link: Bayes' rule over the model of ``couplings``.

A belief b(a) of the sender, divided by the prior q(a) it started from, is the evidence for a that the sender gathered.
The message to the receiver is the chance of that evidence under each language x of the receiver, relative to knowing
nothing:

    along the link:    m(x) = sum over a of b(a)/q(a) P(s = a | t = x)
    against the link:  m(x) = sum over a of b(a)/q(a) P(t = a | s = x)

A sender that knows nothing (b = q) says 1 of every language, whatever the link. With the model's diagonal plus rank one
both sums cost a few operations for each language, not L. ``DOUBT`` of every link is taken to say nothing, which bounds
how strongly a single neighbour can speak against a language.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.couplings import Couplings

DOUBT = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The tables of ``Couplings`` as the messages need them, shape (H, L) each, and x of shape (H, 1)."""

    sources: NDArray[np.float32]
    different: NDArray[np.float32]
    lift: NDArray[np.float32]  #: 1 / (1 - x D)
    lifted: NDArray[np.float32]  #: sources times lift
    spread: NDArray[np.float32]  #: sum of lifted less x times lifted
    exclusive: NDArray[np.float32]


def tables(couplings: Couplings) -> Tables:
    """Work out the tables once."""
    exclusive = couplings.exclusive[:, None]
    lift = 1 / (1 - exclusive * couplings.different + 1e-9)
    lifted = couplings.sources * lift
    spread = lifted.sum(axis=1, keepdims=True) - exclusive * lifted
    single = (couplings.sources, couplings.different, lift, lifted, spread, exclusive)
    return Tables(*(np.asarray(table, np.float32) for table in single))


def along(
    table: Tables, host: NDArray[np.int32], bond: NDArray[np.float32], said: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Log messages from sources to targets.

    Args:
        table: of all hosts.
        host: host of each link, shape (w,).
        bond: k of each link, shape (w,).
        said: belief of each link's source divided by its prior, shape (w, L).
    """
    k = bond[:, None]
    sources, different, x = table.sources[host], table.different[host], table.exclusive[host]
    other = table.lifted[host] * said
    joint = k * sources * said + (1 - k) * different * (other.sum(axis=1, keepdims=True) - x * other)
    alone = k * sources + (1 - k) * different * table.spread[host]
    return np.asarray(np.log((1 - DOUBT) * joint / alone + DOUBT), np.float32)


def against(
    table: Tables, host: NDArray[np.int32], bond: NDArray[np.float32], said: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Log messages from targets back to sources; ``said`` is the targets' belief divided by their prior."""
    k = bond[:, None]
    other = table.different[host] * said
    joint = k * said + (1 - k) * table.lift[host] * (other.sum(axis=1, keepdims=True) - table.exclusive[host] * other)
    return np.asarray(np.log((1 - DOUBT) * joint + DOUBT), np.float32)
