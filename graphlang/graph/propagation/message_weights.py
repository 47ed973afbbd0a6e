"""How much each message weighs: neighbours that agree for reasons of their own share the weight of a few.

The pages of one site carry one navigation bar, and a link farm is as many pages as somebody cares to make. So the
couplings of all neighbours on one host count as at most ``degree`` together, and so do those of all hosts: a farm,
however large, weighs no more than the handful of pages on the receiver's own site.

Two pages that link to each other are one pair, and each is one witness for the other: the messages through their two
links weigh half each.

A page that only passes its readers on (a redirect, a frame set) is what it passes them on to: that link does not share
its weight with those that merely lead to the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import find_incident_links, order_by_target, starts
from graphlang.graph.native import degree_cap as _kernels
from graphlang.native.threads import over_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray


MUTUAL = 0.5  #: of the weight of a message where its pages link to each other: two messages are one witness
FOLLOWED = 3.0  #: what the links to the pages that stand for a page weigh together


@dataclass(frozen=True, slots=True, eq=False)
class MessageWeights:
    """Factors that the log messages are multiplied by; w links, n pages."""

    to_target: NDArray[np.float32]  #: of the message to each link's target, shape (w,)
    to_source: NDArray[np.float32]  #: of the message back to each link's source, shape (w,)
    page: NDArray[np.float64]  #: of all messages to a page, shape (n,)
    order: NDArray[np.int32]  #: the links sorted by target, shape (w,)
    in_start: NDArray[np.int64]  #: where those to each page begin in `order`, shape (n + 1,)
    out_start: NDArray[np.int64]  #: where the links of each page begin, shape (n + 1,)


def message_weights(
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    coupling: NDArray[np.float32],
    host: NDArray[np.int32],
    degree: float,
    *,
    followed: NDArray[np.bool_] | None = None,
    receives: NDArray[np.bool_] | None = None,
    by_target: tuple[NDArray[np.int32], NDArray[np.int64]] | None = None,
) -> MessageWeights:
    """Share out the weight among the neighbours of every page.

    Args:
        source: of each link, ascending, shape (w,).
        target: of each link, shape (w,).
        coupling: of each link (see ``compatibility``); one that does not keep the language takes no share, shape (w,).
        host: number of each page's host, shape (n,).
        degree: couplings that count in full.
        followed: links whose target stands for the source, shape (w,). The message back from there weighs ``FOLLOWED``
            in all, whatever else the source receives.
        receives: pages that receive messages, all if not given, shape (n,). Those to others weigh 0.
        by_target: the links in the order of their targets, as ``order_by_target`` has it, which is asked if not given.

    Raises:
        ValueError: links that are not sorted, a page or host outside its range, a coupling that is not finite.

    >>> import numpy as np
    >>> ends = np.int32([1, 2, 3, 4]), np.int32([0, 0, 0, 0])  # three pages of a farm and one of page 0's own host
    >>> weights = message_weights(*ends, np.ones(4, np.float32), np.int32([0, 1, 1, 1, 0]), 1.0)
    >>> [round(float(weight), 2) for weight in weights.to_target], round(float(weights.page[0]), 2)
    ([0.33, 0.33, 0.33, 1.0], 0.5)
    """
    n, w, hosts = len(host), len(source), int(host.max(initial=-1)) + 1
    out_start = starts(source, n)
    back = np.flatnonzero(source[1:] < source[:-1])
    if len(back):
        at = int(back[0]) + 1
        raise ValueError(f"source[{at}] = {source[at]} comes after {source[at - 1]}; links must be sorted by source")
    order, in_start = order_by_target(target, n) if by_target is None else by_target
    to_target, to_source, page = np.zeros(w, np.float32), np.zeros(w, np.float32), np.ones(n)

    def fill(part: slice) -> None:
        given = (out_start, in_start, order, source, target, host, coupling)
        made = (to_target, to_source, page)
        _kernels.degree_cap(part.start, part.stop, degree, *given, receives, np.zeros(hosts), *made)

    over_parts(n, fill)
    if followed is not None and followed.any():
        followed = followed if receives is None else followed & receives[source]
        ends = source[followed]
        to_source[followed] = FOLLOWED / np.bincount(ends, minlength=n)[ends] / np.maximum(page[ends], 1e-9)
    return MessageWeights(to_target, to_source, page, order, in_start, out_start)


def hear_the_sure(  # noqa: PLR0917  all that it depends on
    weights: MessageWeights,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    coupling: NDArray[np.float32],
    host: NDArray[np.int32],
    degree: float,
    doubtful: NDArray[np.bool_],
    latent: NDArray[np.bool_],
    followed: NDArray[np.bool_],
) -> None:
    """Let long pages in doubt hear from clamped neighbours alone, which share the weight of all; changed in place.

    What a doubtful neighbour says is mostly the same mistake, made by the same method on a text of the same site, and
    perhaps but the echo of what it was told: two pages, Malay or Indonesian at .6 each, would agree, and be sure.

    Args:
        weights: of the messages through the links, as ``message_weights`` has them.
        source: of each link, ascending, shape (w,).
        target: of each link, shape (w,).
        coupling: of each link, shape (w,).
        host: number of each page's host, shape (n,).
        degree: couplings that count in full.
        doubtful: pages that hear clamped ones alone, shape (n,).
        latent: pages that are not clamped, these among them, shape (n,).
        followed: links whose target stands for the source: what comes back from there is heard, shape (w,).

    >>> import numpy as np
    >>> ends = np.int32([1, 2, 3]), np.int32([0, 0, 0])  # two sure pages and one in doubt lead to one in doubt
    >>> given = (*ends, np.ones(3, np.float32), np.zeros(4, np.int32), 1.0)
    >>> weights = message_weights(*given)
    >>> latent = np.array([True, False, False, True])
    >>> hear_the_sure(weights, *given, latent, latent, np.zeros(3, np.bool_))
    >>> weights.to_target.tolist()
    [0.5, 0.5, 0.0]
    """
    some = find_incident_links(source, target, doubtful)
    if not len(some):
        return
    begin, end, kept = source[some], target[some], coupling[some].copy()
    begins, ends = doubtful[begin], doubtful[end]
    told, answered = ends & latent[begin], begins & latent[end] & ~followed[some]
    kept[told | answered] = 0
    few = message_weights(begin, end, kept, host, degree, followed=followed[some])
    weights.to_target[some[ends]] = np.where(told, 0, few.to_target)[ends]
    weights.to_source[some[begins]] = np.where(answered, 0, few.to_source)[begins]
    weights.page[doubtful] = few.page[doubtful]


def share_mutual(weights: MessageWeights, mutual: NDArray[np.bool_]) -> None:
    """Halve the weights of the messages through links whose target links back, shape (w,); changed in place.

    >>> import numpy as np
    >>> weights = message_weights(np.int32([0, 1]), np.int32([1, 0]), np.ones(2, np.float32), np.int32([0, 1]), 3.0)
    >>> share_mutual(weights, np.array([True, True]))
    >>> weights.to_target.tolist(), weights.to_source.tolist()
    ([0.5, 0.5], [0.5, 0.5])
    """
    for message in (weights.to_target, weights.to_source):
        message[mutual] *= MUTUAL
