"""How much each link counts: neighbours that agree for reasons of their own share the weight of a few.

The pages of one site carry one navigation bar, and a link farm is as many pages as somebody cares to make. So the bonds
of all neighbours on one host count as at most ``degree`` together, and so do those of all hosts: a farm, however large,
weighs no more than the handful of pages on the receiver's own site.

A page that only passes its readers on (a redirect, a frame set) is what it passes them on to: that link does not share
its weight with those that merely lead to the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


FOLLOWED = 3.0  #: what the links to the pages that stand for a page weigh together


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Factors that the messages are multiplied by; w links, n pages."""

    along: NDArray[np.float32]  #: of the message to each link's target, shape (w,)
    against: NDArray[np.float32]  #: of the message back to each link's source, shape (w,)
    page: NDArray[np.float64]  #: of all that a page hears, shape (n,)


def shares(
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    bond: NDArray[np.float32],
    host: NDArray[np.int32],
    degree: float,
    *,
    followed: NDArray[np.bool_] | None = None,
) -> Shares:
    """Share out the weight among the neighbours of every page.

    Args:
        source: of each link, shape (w,).
        target: of each link, shape (w,).
        bond: k of each link (``couplings``); one that does not keep the language costs no share, shape (w,).
        host: number of each page's host, shape (n,).
        degree: bonds that count in full.
        followed: links whose target stands for the source, shape (w,). The message back from there weighs ``FOLLOWED``
            in all, whatever else the source hears.

    >>> import numpy as np
    >>> ends = np.int32([1, 2, 3, 4]), np.int32([0, 0, 0, 0])  # three pages of a farm and one of page 0's own host
    >>> shared = shares(*ends, np.ones(4, np.float32), np.int32([0, 1, 1, 1, 0]), 1.0)
    >>> [round(float(share), 2) for share in shared.along], float(shared.page[0])
    ([0.33, 0.33, 0.33, 1.0], 0.5)
    """
    n = len(host)
    home, away = host[source], host[target]
    inside = home == away
    own = np.bincount(source[inside], bond[inside], minlength=n) + np.bincount(
        target[inside], bond[inside], minlength=n
    )
    own = np.minimum(1, degree / np.maximum(own, 1e-9))
    along, against = own[target], own[source]
    abroad = np.flatnonzero(~inside)  # few: only these need sorting
    if len(abroad):
        hosts = int(host.max()) + 1
        keys = np.concatenate(
            [
                target[abroad].astype(np.int64) * hosts + home[abroad],
                source[abroad].astype(np.int64) * hosts + away[abroad],
            ]
        )
        _, group = np.unique(keys, return_inverse=True)
        bonds = np.bincount(group, np.concatenate([bond[abroad], bond[abroad]]))
        factor = np.minimum(1, degree / np.maximum(bonds, 1e-9))[group]
        along[abroad], against[abroad] = factor[: len(abroad)], factor[len(abroad) :]
    total = np.bincount(target, along * bond, minlength=n) + np.bincount(source, against * bond, minlength=n)
    page = np.minimum(1, degree / np.maximum(total, 1e-9))
    if followed is not None and followed.any():
        ends = source[followed]
        against[followed] = FOLLOWED / np.bincount(ends, minlength=n)[ends] / np.maximum(page[ends], 1e-9)
    return Shares(along.astype(np.float32), against.astype(np.float32), page)
