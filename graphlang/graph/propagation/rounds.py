"""Compute beliefs and messages in turn until nothing moves.

What does not change between rounds is computed once: which messages are identical, and who receives them. After the
first round only the messages of beliefs that moved are computed again, and only their differences are added.

A page's neighbours that exclude each other's languages swing to and fro: a belief that turns back is damped.

Neighbours are no independent witnesses: the links of one menu are right or wrong together, and some pages are unlike
all their neighbours. So together they contribute no more than ``MOST`` against a language. What a page receives comes
back to its senders. So it passes on its own evidence in full, and what it received with a power of ``RELAY``: undecided
pages that repeat each other do not become certain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.adjacency import reached_by_evidence
from graphlang.graph.language_tables import softmax
from graphlang.graph.native import belief_steps as _kernels
from graphlang.graph.propagation import messages
from graphlang.graph.propagation.group_tables import group_of
from graphlang.graph.propagation.messages import Messages
from graphlang.native.threads import both, in_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.propagation.compatibility import EdgeCompatibility
    from graphlang.graph.propagation.message_weights import MessageWeights
    from graphlang.graph.propagation.messages import MessageClasses
    from graphlang.graph.propagation.potentials import NodePotentials

    _Moved = tuple[float, NDArray[np.int64]]


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Where the latent pages stand between two rounds; f latent pages, K candidates."""

    belief: NDArray[np.float32]  #: of their candidates, and of all other languages together, shape (f, K + 1)
    step: NDArray[np.float32]  #: how it moved last, shape (f, K + 1)
    damping: NDArray[np.float32]  #: part of a step that is not taken, shape (f, 1)

    def copy(self) -> Motion:
        """The same in arrays of its own."""
        return Motion(self.belief.copy(), self.step.copy(), self.damping.copy())


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Pages that are latent elsewhere: they tell what they believe as latent pages do, and hear nothing; g pages."""

    rows: NDArray[np.int64]  #: ascending, shape (g,)
    candidates: NDArray[np.int16]  #: columns that each keeps, ascending, shape (g, K)
    belief: NDArray[np.float32]  #: of these, and of all other languages together, shape (g, K + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Where the rounds ended; f latent pages, K candidates."""

    incoming: NDArray[np.float64]  #: sum of the incoming log messages, unscaled, shape (f, K + 1)
    rounds: int
    converged: bool  #: False where the cap on rounds ended it
    path: Mapping[int, Sequence[tuple[int, float]]]  #: of some rows: best column, probability, at first and each round
    largest: float  #: how far one page is at most from what it hears, in the last round


START, SLOWER, FASTER, SLOWEST = 0.0, 0.3, -0.2, 0.9  #: damping of a page, and how it changes
#: What all neighbours of a page say against a language at most, in log-odds to the one they say most for: about as much
#: as a text in doubt says against a language that its scores do not name. With less they cannot outvote a template that
#: was read as the text of a page. Without a bound pages of sites whose links switch the language are wrong, and sure.
MOST = 10.0
#: Power of what a page heard in what it tells its neighbours; its answer takes all of it. With 1 undecided pages are an
#: echo. With 0 evidence goes no further than one link; pages without text behind pages without text need more.
RELAY = 0.2
BLOCK = 1 << 13  #: pages or messages that one core works on at once: what is said of them fits its cache
AT_ONCE = 8  #: blocks of messages that are added up together, while as many more are worked out


class Exchange:
    """Pages with their potentials, ready to exchange messages. n pages, f of them latent, w links, L languages.

    Args:
        potentials: of the pages.
        edges: the links that reach a latent page.
        weights: of the messages through them.
        host: of each page, 0..H-1, shape (n,).
        neighbours: weight of all messages.
        held: pages that neither hear nor are clamped.
    """

    def __init__(  # noqa: PLR0917  all that it depends on
        self,
        potentials: NodePotentials,
        edges: EdgeCompatibility,
        weights: MessageWeights,
        host: NDArray[np.int32],
        neighbours: float,
        held: Held | None = None,
    ) -> None:
        self.potentials, self.edges, self.weights, self._host = potentials, edges, weights, host
        #: of the sum of the messages to each page, shape (n,)
        self.neighbour_weight = (neighbours * weights.page).astype(np.float32)
        self.neighbour_weight[potentials.number < 0] = 0
        size, unsure = len(potentials.active), potentials.clamped.unsure
        prior, latent = potentials.prior.probability, len(potentials.latent)
        candidates = potentials.candidates if held is None else np.concatenate([potentials.candidates, held.candidates])
        self.messages = Messages(edges, prior, potentials.clamped.unsure_belief, candidates)
        #: number of each page as a sender (see ``Messages``), shape (n,)
        self.sender = np.where(
            potentials.clamped.one_hot, potentials.best, potentials.number + np.int32(self.messages.fixed)
        )
        self.sender[unsure] = size + np.arange(len(unsure))
        #: what latent pages tell their neighbours: of their candidates, and of all other languages together; behind
        #: them the g pages that are held; shape (f + g, K + 1)
        self.belief = np.empty((len(candidates), potentials.log_potential.shape[1]), np.float32)
        list(in_blocks(latent, BLOCK, self._begin))
        if held is not None:
            self.sender[held.rows] = self.messages.fixed + np.arange(latent, len(candidates))
            self.belief[latent:] = held.belief
        self._explained, self._is_spent = True, False
        self._carried: tuple[MessageClasses, MessageClasses] | None = None
        self._unreached: NDArray[np.bool_] | None = None

    def free_traces(self) -> None:
        """Let go of what is not needed any more as the rounds go on.

        They can be run once then, and `message` and `belief_of` cannot be asked.
        """
        self._explained = False

    def _classes(self) -> tuple[MessageClasses, MessageClasses]:
        """Of the messages to targets and of those to sources. What is not needed any more goes before more is made."""
        given, size = self.potentials, len(self.potentials.active)
        groups, one_hot = len(given.prior.probability), given.clamped.one_hot
        key = self.sender.astype(np.int64) + (groups - 1) * size
        key[one_hot] = given.prior.group[one_hot].astype(np.int64) * size + given.best[one_hot]
        sender_class, _ = messages.numbered(key, groups * size + self.messages.fixed + len(self.belief))
        del key
        level = messages.level(self.edges.coupling)
        of_pages, between = (given.number, sender_class, self._host), len(self.edges.exclusion) - 1
        nothing, none, begin = np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros(1, np.int64)
        if not self._explained:
            self.edges = replace(self.edges, coupling=nothing, kind=none.astype(np.uint8))
        source, target = self.edges.source, self.edges.target
        into, out = (self.weights.in_start, self.weights.order), (self.weights.out_start, None)
        messages.give_back()
        tell = partial(messages.through, *into, source, self.weights.to_target, level, *of_pages)
        to_targets, self._unreached = both(tell, self.unreached)
        del into, tell
        if not self._explained:
            self.weights = replace(self.weights, order=none, in_start=begin, to_target=nothing)
        messages.give_back()
        to_sources = messages.through(*out, target, self.weights.to_source, level, *of_pages)
        del out, source, target, level
        if not self._explained:
            self.edges = replace(self.edges, source=none, target=none)
            self.weights = replace(self.weights, to_source=nothing, out_start=begin)
        messages.give_back()

        def classes(links: list[NDArray[Any]]) -> MessageClasses:
            carried = messages.carried(links, *of_pages, between=between)
            messages.give_back()
            return messages.message_classes(carried)

        found = both(partial(classes, to_targets), partial(classes, to_sources))
        messages.give_back()
        return found

    def unreached(self) -> NDArray[np.bool_]:
        """Pages with no evidence but their URL that no chain of links joins to a page with evidence, shape (n,)."""
        if self._unreached is not None:
            return self._unreached
        nothing = self.potentials.no_evidence
        return nothing & ~reached_by_evidence(self.edges.source, self.edges.target, nothing)

    def at_rest(self) -> Motion:
        """Where the latent pages stand before the first round."""
        belief = self.belief[: len(self.potentials.latent)].copy()
        return Motion(belief, np.zeros_like(belief), np.full((len(belief), 1), START, np.float32))

    def run(self, rounds: int, tolerance: float, rows: Sequence[int] = (), motion: Motion | None = None) -> Outcome:
        """Exchange messages until no belief moves, or the cap on rounds is reached.

        Args:
            rounds: the cap.
            tolerance: converged when no probability moves by more in a round.
            rows: pages whose path is kept.
            motion: where earlier rounds ended, from which these go on; changed to where these end.

        Raises:
            ValueError: weights so large that probabilities overflow; they were run before, and `free_traces` was
                called.
        """
        if self._is_spent:
            raise ValueError("the rounds were run before, and what they began with was let go of")
        if self._carried is None:
            self._carried = self._classes()
        path = {int(row): [_best(self._answer_alone(row))] for row in rows}
        belief, count = self.belief, len(self.potentials.latent)
        before, (last, damping) = np.empty_like(belief), self._start(motion)
        incoming = np.zeros((count, belief.shape[1]))
        self._add(incoming, np.arange(count), None)
        if not self._explained:
            self._drop_clamped()
        active = np.arange(count)  # pages to be worked out again
        done = 0
        while True:
            done += 1
            largest, moving = 0.0, [active[:0]]

            def move(block: slice, pages: NDArray[np.int64] = active) -> _Moved:
                """How far one page of a block is from what it hears, and which of them move."""
                part = pages[block]
                moves, most = np.empty(len(part), np.uint8), np.empty(1, np.float32)
                given = (
                    float(np.float32(tolerance / 10)),
                    SLOWER,
                    FASTER,
                    SLOWEST,
                    part,
                    self._passed_on(incoming, part),
                )
                if not _kernels.move_beliefs(*given, belief, last, damping[:, 0], before, moves, most):
                    raise ValueError("the weights are so large that probabilities overflow")
                return float(most[0]), part[moves.view(np.bool_)]

            for most, moved in in_blocks(len(active), BLOCK, move):
                largest = max(largest, most)
                moving.append(moved)
            moved = np.concatenate(moving)
            self._follow(path, incoming)
            if largest <= tolerance or done >= rounds:
                if motion is not None:
                    motion.belief[:] = belief[:count]
                belief[moved] = before[moved]  # the messages are those of these beliefs
                break
            touched = self._add(incoming, moved, before)
            touched[moved] = 1
            active = np.flatnonzero(touched)
        return Outcome(incoming, done, largest <= tolerance, path, largest)

    def _start(self, motion: Motion | None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """How the latent pages moved last, and their damping; what they believe is put in its place."""
        if motion is not None:
            self.belief[: len(motion.belief)] = motion.belief
            return motion.step, motion.damping
        shape = self.potentials.log_potential.shape
        return np.zeros(shape, np.float32), np.full((shape[0], 1), START, np.float32)

    def final(self, incoming: NDArray[np.float64], part: NDArray[np.int64]) -> NDArray[np.float32]:
        """What some of the latent pages believe, of their candidates and of all other languages, shape (p, K + 1).

        Args:
            incoming: sum of the incoming log messages, shape (f, K + 1).
            part: numbers of latent pages, ascending, shape (p,).

        Returns:
            shape (p, K + 1); rows of long texts in doubt sum to less than 1: the rest is for inactive languages.
        """
        logs = self._bounded_log_odds(incoming, part, self.potentials.log_potential)
        self.potentials.add_urls(logs, part)
        belief = softmax(logs)
        belief /= 1 + self.potentials.left[part, None]
        return belief

    def _passed_on(self, incoming: NDArray[np.float64], part: NDArray[np.int64]) -> NDArray[np.float32]:
        """What they tell their neighbours: the same with less of what they heard, shape (p, K + 1)."""
        return softmax(self._bounded_log_odds(incoming, part, self.potentials.log_potential, RELAY))

    def neighbour_log_odds(self, incoming: NDArray[np.float64], part: NDArray[np.int64]) -> NDArray[np.float32]:
        """What some of the latent pages take from all their neighbours: log messages, weighed and bounded.

        Args:
            incoming: sum of the incoming log messages, shape (f, K + 1).
            part: numbers of latent pages, shape (p,).

        Returns:
            shape (p, K + 1).
        """
        return self._bounded_log_odds(incoming, part, None)

    def _bounded_log_odds(
        self,
        incoming: NDArray[np.float64],
        part: NDArray[np.int64],
        own: NDArray[np.float32] | None,
        power: float = 1.0,
    ) -> NDArray[np.float32]:
        """The same to a power, and with it what the pages say themselves, if that is given; shape (f, K + 1)."""
        weight = self.neighbour_weight[self.potentials.latent[part]] * np.float32(power)
        logs = np.empty((len(part), incoming.shape[1]), np.float32)
        _kernels.heard(power * MOST, part, incoming, weight, own, logs)
        return logs

    def full_distribution(self, row: int, belief: NDArray[np.float32]) -> NDArray[np.float32]:
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
        size = len(self.potentials.active)
        if sender < size:
            return np.asarray(np.arange(size) == sender, np.float32)
        if sender < self.messages.fixed:
            return np.asarray(self.potentials.clamped.unsure_belief[sender - size])
        return self.full_distribution(row, self.belief[sender - self.messages.fixed])

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
        coupling = messages.LEVELS[messages.level(self.edges.coupling[links])]
        ends = self.edges.source[links], self.edges.target[links]
        group = group_of(*ends, self._host, len(self.edges.exclusion) - 1)
        given = (group, coupling, sender, self.potentials.prior.group[page], self.belief)
        return self.messages.logs(*given, sender - self.messages.fixed, to_target=to_target)[:, :-1]

    def _answer_alone(self, row: int) -> NDArray[np.float32]:
        """The answer of a page before it hears from its neighbours, shape (L,)."""
        number = self.potentials.number[[row]].astype(np.int64)
        if number[0] < 0:
            return self.belief_of(row)
        logs = self.potentials.log_potential[number]
        self.potentials.add_urls(logs, number)
        return self.full_distribution(row, softmax(logs)[0] / (1 + self.potentials.left[number[0]]))

    def _follow(self, path: Mapping[int, list[tuple[int, float]]], incoming: NDArray[np.float64]) -> None:
        for row, steps in path.items():
            number = self.potentials.number[[row]].astype(np.int64)
            if number[0] < 0:
                steps.append(steps[0])
            else:
                steps.append(_best(self.full_distribution(row, self.final(incoming, number)[0])))

    def _add(
        self, incoming: NDArray[np.float64], moved: NDArray[np.int64], old: NDArray[np.float32] | None
    ) -> NDArray[np.uint8]:
        """Bring the sum of the messages to each latent page up to date.

        Args:
            incoming: the sum, shape (f, K + 1), changed.
            moved: latent pages whose belief moved, by their number, shape (p,).
            old: what all latent pages believed before, shape (f, K + 1); None: nothing was sent yet, and all send.

        Returns:
            1 for each latent page whose sum changed, shape (f,).
        """
        touched = np.zeros(len(incoming), np.uint8)
        for to_target, classes in zip((True, False), self._carried or (), strict=True):
            changed = None if old is None else classes.of(moved)
            send = partial(self._sent, classes, changed, old, to_target=to_target)
            blocks = in_blocks(len(classes.sender if changed is None else changed), BLOCK, send, AT_ONCE)
            while said := list(islice(blocks, AT_ONCE)):
                self.messages.accumulate(classes, said, incoming, touched)
        if self.potentials.candidates.shape[1] == len(self.potentials.active):
            incoming[:, -1] = incoming[:, 0]  # there are no other languages: the bound is not measured from them
        return touched

    def _drop_clamped(self) -> None:
        """Clamped pages never change their mind: what they say was said."""
        self._is_spent = True
        if self._carried is not None:
            (to_targets, to_sources), self._carried = self._carried, None
            messages.give_back()
            to_targets = messages.of_latent_senders(to_targets)  # one after the other
            messages.give_back()
            self._carried = to_targets, messages.of_latent_senders(to_sources)
            del to_sources
        self.sender -= np.int32(len(self.potentials.clamped.unsure))  # only those of latent pages are asked
        self.messages.forget_unsure()
        nothing = np.zeros((0, len(self.potentials.active)), np.float32)
        self.potentials = replace(self.potentials, clamped=replace(self.potentials.clamped, unsure_belief=nothing))
        messages.give_back()

    def _sent(
        self,
        classes: MessageClasses,
        changed: NDArray[np.int64] | None,
        old: NDArray[np.float32] | None,
        block: slice,
        *,
        to_target: bool,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Classes of a block of some of them, or of all, and by how much their log messages changed."""
        part = np.arange(block.start, block.stop) if changed is None else changed[block]
        page = classes.sender[part]
        sender = self.sender[page]
        given = (classes.group[part], classes.coupling[part], sender, self.potentials.prior.group[page])
        row = sender - self.messages.fixed
        logs = self.messages.logs(*given, self.belief, row, to_target=to_target)
        if old is not None:
            logs -= self.messages.logs(*given, old, row, to_target=to_target)
        return part, logs

    def _begin(self, block: slice) -> None:
        self.belief[block] = softmax(self.potentials.log_potential[block])


def _best(belief: NDArray[np.float32]) -> tuple[int, float]:
    return int(belief.argmax()), float(belief.max())
