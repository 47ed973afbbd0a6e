"""Weights of messages: neighbours that agree for a common reason share the weight of a few.

The pages of a site carry the same navigation bar, and a link farm can have any number of pages. So the couplings of
all neighbours on one host count as at most ``degree``, and so do those of all hosts together. A farm of any size
weighs no more than a handful of pages on the receiver's own site.

Two pages that link to each other are one witness: the messages through their two links have half the weight.

A page that forwards its readers (a redirect, a frame set) has the language of its target. The weight of such a link is
not shared with links that only lead to the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import find_first_links, find_incident_links, order_by_target
from graphlang.graph.native import degree_cap as _kernels
from graphlang.native.threads import run_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray


MUTUAL = 0.5  #: factor of a message between pages that link to each other
FOLLOWED = 3.0  #: total weight of the messages back from forwarding links


@dataclass(frozen=True, slots=True, eq=False)
class MessageWeights:
    """Factors of log messages; w links, n pages."""

    to_target: NDArray[np.float32]  #: of the message to each link's target, shape (w,)
    to_source: NDArray[np.float32]  #: of the message back to each link's source, shape (w,)
    page: NDArray[np.float64]  #: of all messages to a page, shape (n,)
    order: NDArray[np.int32]  #: the links sorted by target, shape (w,)
    in_start: NDArray[np.int64]  #: index of the first inlink of each page in `order`, shape (n + 1,)
    out_start: NDArray[np.int64]  #: index of the first link of each page, shape (n + 1,)


def compute_message_weights(
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
    """Divide the weight among the neighbours of every page.

    Shapes: source (w,), ascending, and target (w,) pages of links; coupling (w,) of each (see ``compatibility``), 0
    takes no share; host number of each page (n,). A sum of couplings of `degree` counts in full. Messages back from the
    targets of `followed`, forwarding links (w,) have the total weight ``FOLLOWED``. Messages to pages outside
    `receives` (n,) have weight 0. `by_target` is the result of ``order_by_target``; computed if None.

    Raise a ValueError for unsorted links, a page or host outside its range, or a coupling that is not finite.

    >>> import numpy as np
    >>> ends = np.int32([1, 2, 3, 4]), np.int32([0, 0, 0, 0])  # three pages of a farm, and one on the host of page 0
    >>> weights = compute_message_weights(*ends, np.ones(4, np.float32), np.int32([0, 1, 1, 1, 0]), 1.0)
    >>> [round(float(weight), 2) for weight in weights.to_target], round(float(weights.page[0]), 2)
    ([0.33, 0.33, 0.33, 1.0], 0.5)
    """
    n, w, hosts = len(host), len(source), int(host.max(initial=-1)) + 1
    out_start = find_first_links(source, n)
    back = np.flatnonzero(source[1:] < source[:-1])
    if len(back):
        at = int(back[0]) + 1
        raise ValueError(f"source[{at}] = {source[at]} comes after {source[at - 1]}; links must be sorted by source")
    order, in_start = order_by_target(target, n) if by_target is None else by_target
    to_target, to_source, page = np.zeros(w, np.float32), np.zeros(w, np.float32), np.ones(n)

    def fill(pages: slice) -> None:
        arrays = (out_start, in_start, order, source, target, host, coupling)
        results = (to_target, to_source, page)
        _kernels.degree_cap(pages.start, pages.stop, degree, *arrays, receives, np.zeros(hosts), *results)

    run_parts(n, fill)
    if followed is not None and followed.any():
        followed = followed if receives is None else followed & receives[source]
        ends = source[followed]
        to_source[followed] = FOLLOWED / np.bincount(ends, minlength=n)[ends] / np.maximum(page[ends], 1e-9)
    return MessageWeights(to_target, to_source, page, order, in_start, out_start)


def mute_doubtful(  # noqa: PLR0917  internal
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
    """Let doubtful long pages receive messages from clamped neighbours only, in place.

    The clamped neighbours take over the weight of all. A doubtful neighbour mostly repeats the same error: the same
    method read a text of the same site. Two pages that are Malay or Indonesian with probability .6 would confirm each
    other and become certain.

    `weights` is the result of ``compute_message_weights`` for the same links; other arguments are as there. `latent`
    pages (n,) are not clamped, `doubtful` ones (n,) included. Messages back through `followed` links (w,) always count.

    >>> import numpy as np
    >>> ends = np.int32([1, 2, 3]), np.int32([0, 0, 0])  # two clamped pages and a doubtful one link to a doubtful page
    >>> arguments = (*ends, np.ones(3, np.float32), np.zeros(4, np.int32), 1.0)
    >>> weights = compute_message_weights(*arguments)
    >>> latent = np.array([True, False, False, True])
    >>> mute_doubtful(weights, *arguments, latent, latent, np.zeros(3, np.bool_))
    >>> weights.to_target.tolist()
    [0.5, 0.5, 0.0]
    """
    numbers = find_incident_links(source, target, doubtful)
    if not len(numbers):
        return
    sources, targets, couplings = source[numbers], target[numbers], coupling[numbers].copy()
    from_doubtful, to_doubtful = doubtful[sources], doubtful[targets]
    muted_to_target, muted_to_source = (
        to_doubtful & latent[sources],
        from_doubtful & latent[targets] & ~followed[numbers],
    )
    couplings[muted_to_target | muted_to_source] = 0
    reduced = compute_message_weights(sources, targets, couplings, host, degree, followed=followed[numbers])
    weights.to_target[numbers[to_doubtful]] = np.where(muted_to_target, 0, reduced.to_target)[to_doubtful]
    weights.to_source[numbers[from_doubtful]] = np.where(muted_to_source, 0, reduced.to_source)[from_doubtful]
    weights.page[doubtful] = reduced.page[doubtful]


def halve_mutual(weights: MessageWeights, mutual: NDArray[np.bool_]) -> None:
    """Halve the weights of messages through mutual links, a mask of shape (w,), in place.

    >>> import numpy as np
    >>> source, target = np.int32([0, 1]), np.int32([1, 0])
    >>> weights = compute_message_weights(source, target, np.ones(2, np.float32), np.int32([0, 1]), 3.0)
    >>> halve_mutual(weights, np.array([True, True]))
    >>> weights.to_target.tolist(), weights.to_source.tolist()
    ([0.5, 0.5], [0.5, 0.5])
    """
    for message in (weights.to_target, weights.to_source):
        message[mutual] *= MUTUAL
