"""The rounds: beliefs and messages are worked out in turn until nothing moves.

What does not change between rounds is computed once: which messages are identical, and who receives them. After the
first round only the messages of beliefs that moved are worked out again, and only their differences are added.

A page's neighbours that exclude each other's languages swing to and fro: a belief that turns back is damped.

Neighbours are no independent witnesses: the links of one menu are right or wrong together, and some pages are unlike
all that they are linked with. So however many there are, together they say no more than ``MOST`` against a language.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.propagation import shared_messages
from graphlang.graph.propagation.messages import Messages
from graphlang.numerics import softmax

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.propagation.edges.compatibility import EdgeCompatibility
    from graphlang.graph.propagation.edges.degree_cap import MessageWeights
    from graphlang.graph.propagation.nodes.potentials import NodePotentials
    from graphlang.graph.propagation.shared_messages import MessageClasses

START, SLOWER, FASTER, SLOWEST = 0.0, 0.3, -0.2, 0.9  #: damping of a page, and how it changes
#: What all neighbours of a page say against a language at most, in log-odds to the one they say most for. On the
#: development sets 6 to 10 do as well, and from 8 on parts of a collection answer like the whole. Without a bound pages
#: of sites whose links switch the language are wrong, and sure of it.
MOST = 8.0
#: Power of a short page's beliefs in its answer, as ``Options.calibration`` is of a clamped page's: the outliers that
#: short texts are allowed, for the neighbours' sake, leave a page less sure than it may be. On development sets 1.1 to
#: 1.3 do about as well.
SURER = 1.2
BLOCK = 1 << 16  #: pages or messages worked on at once


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Where the rounds ended; f latent pages, K candidates."""

    incoming: NDArray[np.float64]  #: sum of the incoming log messages, unscaled, shape (f, K + 1)
    rounds: int
    converged: bool  #: False where the cap on rounds ended it
    path: Mapping[int, Sequence[tuple[int, float]]]  #: of some rows: best column, probability, at first and each round


class Exchange:
    """Pages with their potentials, ready to exchange messages. n pages, f of them latent, w links, L languages.

    Args:
        potentials: of the pages.
        edges: the links that reach a latent page.
        weights: of the messages through them.
        host: of each page, 0..H-1, shape (n,).
        neighbours: weight of all messages.
    """

    def __init__(
        self,
        potentials: NodePotentials,
        edges: EdgeCompatibility,
        weights: MessageWeights,
        host: NDArray[np.int32],
        neighbours: float,
    ) -> None:
        self.potentials, self.edges, self.weights, self._host = potentials, edges, weights, host
        #: of the sum of the messages to each page, shape (n,)
        self.neighbour_weight = (neighbours * potentials.neighbour_weight * weights.page).astype(np.float32)
        self.neighbour_weight[potentials.number < 0] = 0
        # senders that never change their mind: a row for each language, then for each clamped page that is unsure
        size = len(potentials.active)
        self.fixed_belief = np.concatenate([np.eye(size, dtype=np.float32), potentials.clamped.unsure_belief])
        prior = potentials.prior.probability
        self.messages = Messages(edges, prior, self.fixed_belief, potentials.candidates)
        #: number of each page as a sender: its row of ``fixed_belief``, or of ``belief`` behind those; shape (n,)
        self.sender = np.where(
            potentials.clamped.one_hot, potentials.best, potentials.number + np.int32(len(self.fixed_belief))
        )
        self.sender[potentials.clamped.unsure] = size + np.arange(len(potentials.clamped.unsure))
        #: of the latent pages: their candidates, and all other languages together; shape (f, K + 1)
        self.belief = np.empty_like(potentials.log_potential)
        for at in range(0, len(self.belief), BLOCK):
            self.belief[at : at + BLOCK] = softmax(potentials.log_potential[at : at + BLOCK])
        self._level = shared_messages.level(edges.coupling)
        self._to_targets, self._to_sources = self._classes()

    def _classes(self) -> tuple[MessageClasses, MessageClasses]:
        """Of the messages to targets and of those to sources."""
        given, edges, size = self.potentials, self.edges, len(self.potentials.active)
        groups, one_hot = len(given.prior.probability), given.clamped.one_hot
        key = self.sender.astype(np.int64) + (groups - 1) * size
        key[one_hot] = given.prior.group[one_hot].astype(np.int64) * size + given.best[one_hot]
        sender_class, _ = shared_messages.numbered(key, groups * size + len(self.fixed_belief) + len(self.belief))
        of_links, of_pages = (edges.group, self._level), (sender_class, self._host, given.number)
        make = shared_messages.message_classes
        order = self.weights.order
        inlinks = order[given.number[edges.target[order]] >= 0]  # side by side for each page
        to_targets = make(inlinks, edges.target, edges.source, self.weights.to_target, *of_links, *of_pages)
        del inlinks
        outlinks = np.flatnonzero(given.number[edges.source] >= 0).astype(np.int32)
        return to_targets, make(outlinks, edges.source, edges.target, self.weights.to_source, *of_links, *of_pages)

    def forget(self) -> None:
        """Give back the memory of what only explanations need: a fifth of it. `message` cannot be asked any more."""
        none, nothing = np.zeros(0, np.int32), np.zeros(0, np.float32)
        self.edges = replace(self.edges, coupling=nothing, group=none)
        self.weights = replace(self.weights, to_target=nothing, to_source=nothing, order=none)
        self._level = self._level[:0]

    def run(self, rounds: int, tolerance: float, rows: Sequence[int] = ()) -> Outcome:
        """Exchange messages until no belief moves, or the cap on rounds is reached.

        Args:
            rounds: the cap.
            tolerance: converged when no probability moves by more in a round.
            rows: pages whose path is kept.

        Raises:
            ValueError: weights so large that nothing can be told any more.
        """
        path = {int(row): [_best(self._told_of(row))] for row in rows}
        belief, count = self.belief, len(self.belief)
        incoming, last = np.zeros(belief.shape), np.zeros_like(belief)
        damping = np.full((count, 1), START, np.float32)
        self._add(incoming, np.arange(count), None)
        active = np.arange(count)  # pages to be worked out again
        done = 0
        while True:
            done += 1
            largest, moving, before = 0.0, [active[:0]], [belief[:0]]
            for at in range(0, len(active), BLOCK):
                part = active[at : at + BLOCK]
                final = self.final(incoming, part)
                if not np.isfinite(final).all():
                    raise ValueError("the weights are so large that nothing can be told any more")
                step = final - belief[part]
                most = np.abs(step).max(axis=1)
                largest = max(largest, float(most.max()))
                turned = (step * last[part]).sum(axis=1, keepdims=True) < 0
                damping[part] = np.clip(damping[part] + np.where(turned, SLOWER, FASTER), 0, SLOWEST)
                step *= 1 - damping[part]
                moves = np.abs(step).max(axis=1) > tolerance / 10
                step[~moves] = 0
                last[part] = step
                moving.append(part[moves])
                before.append(belief[part[moves]])
                belief[part] += step
            moved, old = np.concatenate(moving), np.concatenate(before)
            self._follow(path, incoming)
            if largest <= tolerance or done >= rounds:
                belief[moved] = old  # the messages are those of these beliefs
                break
            touched = self._add(incoming, moved, old)
            touched[moved] = 1
            active = np.flatnonzero(touched)
        return Outcome(incoming, done, largest <= tolerance, path)

    def final(self, incoming: NDArray[np.float64], part: NDArray[np.int64]) -> NDArray[np.float32]:
        """What some of the latent pages believe, of their candidates and of all other languages, shape (p, K + 1).

        Args:
            incoming: sum of the incoming log messages, shape (f, K + 1).
            part: numbers of latent pages, shape (p,).
        """
        logs = self.heard(incoming, part)
        logs += self.potentials.log_potential[part]
        return softmax(logs)

    def told(self, part: NDArray[np.int64], belief: NDArray[np.float32]) -> NDArray[np.float32]:
        """How sure some of the latent pages are told to be of what they believe.

        Args:
            part: numbers of latent pages, shape (p,).
            belief: of their candidates and of all other languages, shape (p, K + 1).

        Returns:
            shape (p, K + 1).
        """
        power = np.where(self.potentials.doubtful[self.potentials.latent[part]], 1, SURER).astype(np.float32)
        found: NDArray[np.float32] = belief ** power[:, None]
        found /= found.sum(axis=1, keepdims=True)
        return found

    def heard(self, incoming: NDArray[np.float64], part: NDArray[np.int64]) -> NDArray[np.float32]:
        """What some of the latent pages take from all their neighbours: log messages, weighed and bounded.

        Args:
            incoming: sum of the incoming log messages, shape (f, K + 1).
            part: numbers of latent pages, shape (p,).

        Returns:
            shape (p, K + 1).
        """
        logs = (incoming[part] * self.neighbour_weight[self.potentials.latent[part], None]).astype(np.float32)
        np.maximum(logs, logs.max(axis=1, keepdims=True) - np.float32(MOST), out=logs)
        return logs

    def spread_out(self, row: int, belief: NDArray[np.float32]) -> NDArray[np.float32]:
        """A latent page's belief with a column for each language: the others share what they have by the prior.

        Args:
            row: of the page.
            belief: of its candidates and of all other languages, shape (K + 1,).

        Returns:
            shape (L,).
        """
        given = self.potentials
        columns = given.candidates[given.number[row]]
        found: NDArray[np.float32] = given.prior.probability[given.prior.group[row]].copy()
        found[columns] = 0
        found *= belief[-1] / max(float(found.sum()), 1e-9)
        found[columns] = belief[:-1]
        return found

    def belief_of(self, row: int) -> NDArray[np.float32]:
        """What a page believes now, shape (L,)."""
        sender = int(self.sender[row])
        if sender < len(self.fixed_belief):
            return np.asarray(self.fixed_belief[sender])
        return self.spread_out(row, self.belief[sender - len(self.fixed_belief)])

    def message(self, links: NDArray[np.int64], *, to_target: bool) -> NDArray[np.float32]:
        """Log messages through some of the links.

        Args:
            links: numbers of the links, shape (l,).
            to_target: to their targets; else back to their sources.

        Returns:
            shape (l, L).
        """
        page = (self.edges.source if to_target else self.edges.target)[links]
        sender = self.sender[page]
        coupling = shared_messages.LEVELS[self._level[links]]
        given = (self.edges.group[links], coupling, sender, self.potentials.prior.group[page], self.belief)
        return self.messages.logs(*given, sender - len(self.fixed_belief), to_target=to_target)[:, :-1]

    def _told_of(self, row: int) -> NDArray[np.float32]:
        """How sure a page is told to be of what it believes now, shape (L,)."""
        number = self.potentials.number[[row]].astype(np.int64)
        if number[0] < 0:
            return self.belief_of(row)
        return self.spread_out(row, self.told(number, self.belief[number])[0])

    def _follow(self, path: Mapping[int, list[tuple[int, float]]], incoming: NDArray[np.float64]) -> None:
        for row, steps in path.items():
            number = self.potentials.number[[row]].astype(np.int64)
            if number[0] < 0:
                steps.append(steps[0])
            else:
                steps.append(_best(self.spread_out(row, self.told(number, self.final(incoming, number))[0])))

    def _add(
        self, incoming: NDArray[np.float64], moved: NDArray[np.int64], old: NDArray[np.float32] | None
    ) -> NDArray[np.uint8]:
        """Bring the sum of the messages to each latent page up to date.

        Args:
            incoming: the sum, shape (f, K + 1), changed.
            moved: latent pages whose belief moved, by their number, shape (p,).
            old: what they believed before, shape (p, K + 1); None: nothing was sent yet, and all pages send.

        Returns:
            1 for each latent page whose sum changed, shape (f,).
        """
        touched = np.zeros(len(incoming), np.uint8)
        for to_target, classes in ((True, self._to_targets), (False, self._to_sources)):
            changed, whose = (np.arange(len(classes.sender)), None) if old is None else classes.of(moved)
            for at in range(0, len(changed), BLOCK):
                part = changed[at : at + BLOCK]
                page = classes.sender[part]
                sender = self.sender[page]
                given = (classes.group[part], classes.coupling[part], sender, self.potentials.prior.group[page])
                fixed = len(self.fixed_belief)
                logs = self.messages.logs(*given, self.belief, sender - fixed, to_target=to_target)
                if old is not None and whose is not None:
                    logs -= self.messages.logs(*given, old, whose[at : at + BLOCK], to_target=to_target)
                self.messages.accumulate(classes, part, logs, incoming, touched)
        return touched


def _best(belief: NDArray[np.float32]) -> tuple[int, float]:
    return int(belief.argmax()), float(belief.max())
