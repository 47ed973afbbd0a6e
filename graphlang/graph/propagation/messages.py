"""Messages: what a page's belief tells its neighbour through a link, by Bayes' rule over ``compatibility``.

A belief b(a) of the sender, divided by the prior q(a) it started from, is the evidence for a that the sender gathered.
The message to the receiver is the probability of that evidence under each language x of the receiver, relative to
knowing nothing:

    along the link:    m(x) = sum over a of b(a)/q(a) P(s = a | t = x)
    against the link:  m(x) = sum over a of b(a)/q(a) P(t = a | s = x)

A sender that knows nothing (b = q) says 1 of every language, whatever the link. With the model's diagonal plus rank one
both sums cost a few operations for each language, not L. ``NOISE`` of every link is taken to say nothing, which bounds
how strongly a single neighbour can speak against a language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.native import log_messages as _kernels
from graphlang.graph.propagation.edges.link_regressions import HIGHEST
from graphlang.native.threads import cores, side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.propagation.edges.compatibility import EdgeCompatibility
    from graphlang.graph.propagation.shared_messages import MessageClasses


_ROOM = _kernels.MESSAGE_ROOM

NOISE = 0.02
ALONE = 1 << 12  #: messages that one core adds up alone


class Messages:
    """The tables of all groups and the priors of all pages, ready to turn beliefs into messages.

    Args:
        edges: L languages, G groups of links.
        prior: of each group of pages, shape (P, L).
        unsure_belief: of clamped pages that are not sure of one language, shape (d, L).
        candidates: the columns that each latent page keeps, those that receive messages first, shape (f, K).

    Raises:
        ValueError: arrays of different languages.
    """

    def __init__(
        self,
        edges: EdgeCompatibility,
        prior: NDArray[np.float32],
        unsure_belief: NDArray[np.float32],
        candidates: NDArray[np.int16],
    ) -> None:
        tables = (edges.source_marginal, edges.switch_to, edges.exclusion, np.exp(edges.lean), prior, unsure_belief)
        self._tables = [np.ascontiguousarray(table, np.float32) for table in tables]
        self._candidates = np.ascontiguousarray(candidates, np.int16)
        self.size = edges.source_marginal.shape[1]
        #: senders that never change their mind: for each language the pages that are sure of it, then the unsure ones
        self.fixed = self.size + len(unsure_belief)
        if not 0 < candidates.shape[1] <= self.size:
            raise ValueError(f"candidates has shape {candidates.shape}, expected (f, 1..{self.size})")

    def forget_unsure(self) -> None:
        """Let go of what unsure pages believe: the numbers of latent senders begin behind the languages from now on."""
        self._tables[-1] = np.zeros((0, self.size), np.float32)
        self.fixed = self.size

    def logs(  # noqa: PLR0917  one array for each thing a message depends on
        self,
        group: NDArray[np.int32],
        coupling: NDArray[np.float32],
        sender: NDArray[np.int32],
        prior_group: NDArray[np.int32],
        belief: NDArray[np.float32],
        row: NDArray[np.int32],
        *,
        to_target: bool,
    ) -> NDArray[np.float32]:
        """Logarithms of messages: of each language, and of all that the sender does not name; shape (m, L + 1).

        Args:
            group: of links, whose tables hold for each message, shape (m,).
            coupling: k of each, shape (m,).
            sender: of each message: a language, L + i for unsure page i, ``fixed`` + i for latent page i, shape (m,).
            prior_group: of each sender, shape (m,).
            belief: of latent pages: of their candidates, and of all other languages together, shape (b, K + 1).
            row: of ``belief``, for each latent sender, shape (m,).
            to_target: along the links, from sources to targets; else back.

        Raises:
            ValueError: a group, sender, prior group or row outside its range; a number that is not finite.
        """
        found = np.empty((len(group), self.size + 1), np.float32)
        room = np.empty(_ROOM * self.size, np.float32)  # of this thread
        given = (group, coupling, sender, prior_group, belief, row)
        marginal, switch, exclusion, odds, prior, unsure = self._tables
        tables = (marginal, switch, exclusion, odds, prior, unsure, self._candidates)
        _kernels.messages(*tables, NOISE, HIGHEST, to_target, *given, room, found)
        return np.log(found, out=found)

    def accumulate(
        self,
        classes: MessageClasses,
        said: Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]],
        incoming: NDArray[np.float64],
        touched: NDArray[np.uint8],
    ) -> None:
        """Add log messages of some classes to the sums of those who receive them.

        Each core adds up for its own receivers, and for each of them in the order given: the sums do not depend on how
        many cores there are.

        Args:
            classes: who receives which class, with what weight.
            said: numbers of classes, shape (p,), and their log messages, shape (p, L + 1), block by block.
            incoming: weighted sum of the log messages to each page that receives some, shape (r, K + 1), changed.
            touched: set to 1 where something was added, shape (r,).

        Raises:
            ValueError: a class or receiver outside its range, a message that is not finite.
        """
        given = (classes.start, classes.receiver, classes.weight, self._candidates[: len(incoming)])
        stripes = cores() if sum(len(numbers) for numbers, _ in said) > ALONE else 1

        def add(stripe: int) -> None:
            for numbers, logs in said:
                sizes = (self.size, len(classes.sender), stripe, stripes)
                _kernels.accumulate(*sizes, *given, numbers, logs, incoming, touched)

        for _ in side_by_side(add, range(stripes), stripes):
            pass
