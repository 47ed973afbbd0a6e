"""Rounds: compute beliefs and messages in turn until no belief changes.

Classes of equal messages and their receivers are computed once. After the first round only messages of changed beliefs
are computed again, and only the differences are added.

Neighbours that exclude each other's languages oscillate: a belief that reverses its direction is damped.

Neighbours are not independent: the links of a menu are right or wrong together, and some pages differ from all their
neighbours. So all neighbours together contribute at most ``MOST`` against a language. What a page receives comes back
to its senders. So it passes on its own evidence in full, but messages with the exponent ``RELAY``: undecided pages
that repeat each other do not become certain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.adjacency import find_reached
from graphlang.graph.native import belief_steps as _kernels
from graphlang.graph.propagation import messages
from graphlang.graph.propagation.group_tables import group_of
from graphlang.graph.propagation.messages import Messages
from graphlang.graph.tables import softmax
from graphlang.native.threads import run_blocks, run_both

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
    """State of the latent pages between two rounds; f latent pages, K candidates."""

    belief: NDArray[np.float32]  #: of the candidates, and of all other languages together, shape (f, K + 1)
    step: NDArray[np.float32]  #: last change of the belief, shape (f, K + 1)
    damping: NDArray[np.float32]  #: share of a change that is not applied, shape (f, 1)

    def copy(self) -> Motion:
        """Return a deep copy."""
        return Motion(self.belief.copy(), self.step.copy(), self.damping.copy())


@dataclass(frozen=True, slots=True, eq=False)
class GhostBeliefs:
    """Beliefs of g latent pages of other partitions: they send messages as latent pages do, and receive none."""

    rows: NDArray[np.int64]  #: ascending, shape (g,)
    candidates: NDArray[np.int16]  #: columns of each page, ascending, shape (g, K)
    belief: NDArray[np.float32]  #: of the candidates, and of all other languages together, shape (g, K + 1)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Result of the rounds; f latent pages, K candidates."""

    incoming: NDArray[np.float64]  #: sum of the log messages to each page, unscaled, shape (f, K + 1)
    rounds: int
    converged: bool  #: False if the cap on rounds was reached
    path: Mapping[
        int, Sequence[tuple[int, float]]
    ]  #: best column and probability of some rows, at the start and after each round
    largest: float  #: largest difference between a belief and its messages in the last round


START, SLOWER, FASTER, SLOWEST = 0.0, 0.3, -0.2, 0.9  #: damping of a page, and its changes
#: Largest evidence of all neighbours against a language, in log-odds to the language that they support most. It is
#: about the evidence of a doubtful text against a language without a score. With less, neighbours cannot outvote a
#: template that was read as the text of a page. Without a bound, pages of sites with switching links are wrong and
#: certain.
MOST = 10.0
#: Exponent of received messages in the belief that a page sends; its answer uses them in full. With 1, undecided pages
#: echo each other. With 0, evidence travels one link only, which is not enough for chains of pages without text.
RELAY = 0.2
BLOCK = 1 << 13  #: pages or messages that one core handles at a time; their tables fit its cache
AT_ONCE = 8  #: blocks of messages that are added together, while the next ones are computed


class Exchange:
    """Pages with their potentials, ready to exchange messages. n pages, f of them latent, w links, L languages.

    `edges` are the links that reach a latent page, `weights` those of the messages through them. `host` is the number
    of each page's host, 0..H-1, shape (n,). `neighbours` is the weight of all messages, `ghosts` are latent pages of
    other partitions.
    """

    def __init__(  # noqa: PLR0917  internal
        self,
        potentials: NodePotentials,
        edges: EdgeCompatibility,
        weights: MessageWeights,
        host: NDArray[np.int32],
        neighbours: float,
        ghosts: GhostBeliefs | None = None,
    ) -> None:
        self.potentials, self.edges, self.weights, self._host = potentials, edges, weights, host
        #: weight of the sum of the messages to each page, shape (n,)
        self.neighbour_weight = (neighbours * weights.page).astype(np.float32)
        self.neighbour_weight[potentials.number < 0] = 0
        size, unsure = len(potentials.active), potentials.clamped.unsure
        prior, latent = potentials.prior.probability, len(potentials.latent)
        candidates = (
            potentials.candidates if ghosts is None else np.concatenate([potentials.candidates, ghosts.candidates])
        )
        self.messages = Messages(edges, prior, potentials.clamped.unsure_belief, candidates)
        #: each page as a sender (see ``Messages``), shape (n,)
        self.sender = np.where(
            potentials.clamped.one_hot, potentials.best, potentials.number + np.int32(self.messages.fixed)
        )
        self.sender[unsure] = size + np.arange(len(unsure))
        #: belief that latent pages send, for their candidates and all other languages together; then the g ghosts;
        #: shape (f + g, K + 1)
        self.belief = np.empty((len(candidates), potentials.log_potential.shape[1]), np.float32)
        list(run_blocks(latent, BLOCK, self._init_belief))
        if ghosts is not None:
            self.sender[ghosts.rows] = self.messages.fixed + np.arange(latent, len(candidates))
            self.belief[latent:] = ghosts.belief
        self._explained, self._is_spent = True, False
        self._message_classes: tuple[MessageClasses, MessageClasses] | None = None
        self._unreached: NDArray[np.bool_] | None = None

    def free_traces(self) -> None:
        """Free arrays used only by traces.

        Afterwards the rounds can be run once, and `message` and `belief_of` cannot be called.
        """
        self._explained = False

    def _group_messages(self) -> tuple[MessageClasses, MessageClasses]:
        """Return the message classes of both directions, freeing arrays as early as possible."""
        potentials, size = self.potentials, len(self.potentials.active)
        groups, one_hot = len(potentials.prior.probability), potentials.clamped.one_hot
        key = self.sender.astype(np.int64) + (groups - 1) * size
        key[one_hot] = potentials.prior.group[one_hot].astype(np.int64) * size + potentials.best[one_hot]
        sender_class, _ = messages.number_keys(key, groups * size + self.messages.fixed + len(self.belief))
        del key
        levels = messages.find_coupling_level(self.edges.coupling)
        page_arrays, between = (potentials.number, sender_class, self._host), len(self.edges.exclusion) - 1
        no_floats, no_numbers, no_bounds = np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros(1, np.int64)
        if not self._explained:
            self.edges = replace(self.edges, coupling=no_floats, kind=no_numbers.astype(np.uint8))
        source, target = self.edges.source, self.edges.target
        by_target, by_source = (self.weights.in_start, self.weights.order), (self.weights.out_start, None)
        messages.release_memory()
        list_messages = partial(
            messages.link_messages, *by_target, source, self.weights.to_target, levels, *page_arrays
        )
        to_targets, self._unreached = run_both(list_messages, self.find_unreached)
        del by_target, list_messages
        if not self._explained:
            self.weights = replace(self.weights, order=no_numbers, in_start=no_bounds, to_target=no_floats)
        messages.release_memory()
        to_sources = messages.link_messages(*by_source, target, self.weights.to_source, levels, *page_arrays)
        del by_source, source, target, levels
        if not self._explained:
            self.edges = replace(self.edges, source=no_numbers, target=no_numbers)
            self.weights = replace(self.weights, to_source=no_floats, out_start=no_bounds)
        messages.release_memory()

        def group(links: list[NDArray[Any]]) -> MessageClasses:
            classified = messages.classify_links(links, *page_arrays, between=between)
            messages.release_memory()
            return messages.group_by_class(classified)

        result = run_both(partial(group, to_targets), partial(group, to_sources))
        messages.release_memory()
        return result

    def find_unreached(self) -> NDArray[np.bool_]:
        """Return pages without evidence (but their URL) that no chain of links joins to evidence, shape (n,)."""
        if self._unreached is not None:
            return self._unreached
        no_evidence = self.potentials.no_evidence
        return no_evidence & ~find_reached(self.edges.source, self.edges.target, no_evidence)

    def initial_state(self) -> Motion:
        """Return the state of the latent pages before the first round."""
        belief = self.belief[: len(self.potentials.latent)].copy()
        return Motion(belief, np.zeros_like(belief), np.full((len(belief), 1), START, np.float32))

    def run(self, rounds: int, tolerance: float, rows: Sequence[int] = (), motion: Motion | None = None) -> Outcome:
        """Exchange messages until no probability changes by more than `tolerance`, for at most `rounds` rounds.

        The paths of the pages `rows` are recorded. `motion` is the state to continue from, and is updated to the final
        one. Raise a ValueError for weights so large that probabilities overflow, or a second run after `free_traces`.
        """
        if self._is_spent:
            raise ValueError("the rounds have been run, and their arrays were freed")
        if self._message_classes is None:
            self._message_classes = self._group_messages()
        path = {int(row): [_find_best(self._answer_alone(row))] for row in rows}
        belief, count = self.belief, len(self.potentials.latent)
        previous, (last, damping) = np.empty_like(belief), self._start(motion)
        incoming = np.zeros((count, belief.shape[1]))
        self._add(incoming, np.arange(count), None)
        if not self._explained:
            self._drop_clamped()
        active = np.arange(count)  # pages to update
        round_count = 0
        while True:
            round_count += 1
            largest, moving = 0.0, [active[:0]]

            def move(block: slice, pages: NDArray[np.int64] = active) -> _Moved:
                """Update a block of pages; return the largest difference, and the pages whose belief changed."""
                block_pages = pages[block]
                moves, largest_of_block = np.empty(len(block_pages), np.uint8), np.empty(1, np.float32)
                arguments = (
                    float(np.float32(tolerance / 10)),
                    SLOWER,
                    FASTER,
                    SLOWEST,
                    block_pages,
                    self._outgoing_belief(incoming, block_pages),
                )
                if not _kernels.move_beliefs(
                    *arguments, belief, last, damping[:, 0], previous, moves, largest_of_block
                ):
                    raise ValueError("the weights are so large that probabilities overflow")
                return float(largest_of_block[0]), block_pages[moves.view(np.bool_)]

            for largest_of_block, moved in run_blocks(len(active), BLOCK, move):
                largest = max(largest, largest_of_block)
                moving.append(moved)
            moved = np.concatenate(moving)
            self._record_path(path, incoming)
            if largest <= tolerance or round_count >= rounds:
                if motion is not None:
                    motion.belief[:] = belief[:count]
                belief[moved] = previous[moved]  # the beliefs that the last messages came from
                break
            touched = self._add(incoming, moved, previous)
            touched[moved] = 1
            active = np.flatnonzero(touched)
        return Outcome(incoming, round_count, largest <= tolerance, path, largest)

    def _start(self, motion: Motion | None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return last change and damping of the latent pages; restore their beliefs."""
        if motion is not None:
            self.belief[: len(motion.belief)] = motion.belief
            return motion.step, motion.damping
        shape = self.potentials.log_potential.shape
        return np.zeros(shape, np.float32), np.full((shape[0], 1), START, np.float32)

    def final_belief(self, incoming: NDArray[np.float64], pages: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the final belief of some latent pages, from all evidence; shape (p, K + 1).

        ``incoming`` is the sum of log messages, shape (f, K + 1); ``pages`` has numbers of latent pages, ascending.
        Rows of doubtful long texts sum to less than 1: the rest is for inactive languages.
        """
        logs = self._bounded_log_odds(incoming, pages, self.potentials.log_potential)
        self.potentials.add_urls(logs, pages)
        belief = softmax(logs)
        belief /= 1 + self.potentials.inactive_odds[pages, None]
        return belief

    def _outgoing_belief(self, incoming: NDArray[np.float64], pages: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the belief that some latent pages send: messages count with the exponent ``RELAY``."""
        return softmax(self._bounded_log_odds(incoming, pages, self.potentials.log_potential, RELAY))

    def neighbour_log_odds(self, incoming: NDArray[np.float64], pages: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the weighted and bounded log messages from all neighbours of some latent pages, shape (p, K + 1).

        ``incoming`` is the sum of log messages, shape (f, K + 1).
        """
        return self._bounded_log_odds(incoming, pages, None)

    def _bounded_log_odds(
        self,
        incoming: NDArray[np.float64],
        pages: NDArray[np.int64],
        potential: NDArray[np.float32] | None,
        power: float = 1.0,
    ) -> NDArray[np.float32]:
        """Return `neighbour_log_odds` times an exponent, plus ``potential`` if not None; shape (p, K + 1)."""
        weight = self.neighbour_weight[self.potentials.latent[pages]] * np.float32(power)
        logs = np.empty((len(pages), incoming.shape[1]), np.float32)
        _kernels.neighbour_log_odds(power * MOST, pages, incoming, weight, potential, logs)
        return logs

    def full_distribution(self, row: int, belief: NDArray[np.float32]) -> NDArray[np.float32]:
        """Expand a latent page's belief, shape (K + 1,), to all languages, shape (L,).

        Languages that are not candidates divide their sum by the prior.
        """
        potentials = self.potentials
        columns = potentials.candidates[potentials.number[row]]
        distribution: NDArray[np.float32] = potentials.prior.probability[potentials.prior.group[row]].copy()
        distribution[columns] = 0
        distribution *= belief[-1] / max(float(distribution.sum()), 1e-9)
        distribution[columns] = belief[:-1]
        return distribution

    def belief_of(self, row: int) -> NDArray[np.float32]:
        """Return the belief that a page sends now, shape (L,)."""
        sender = int(self.sender[row])
        size = len(self.potentials.active)
        if sender < size:
            return np.asarray(np.arange(size) == sender, np.float32)
        if sender < self.messages.fixed:
            return np.asarray(self.potentials.clamped.unsure_belief[sender - size])
        return self.full_distribution(row, self.belief[sender - self.messages.fixed])

    def message(self, links: NDArray[np.int64], *, to_target: bool) -> NDArray[np.float32]:
        """Return log messages through some links, to their targets or back to their sources, shape (l, L)."""
        page = (self.edges.source if to_target else self.edges.target)[links]
        sender = self.sender[page]
        coupling = messages.LEVELS[messages.find_coupling_level(self.edges.coupling[links])]
        ends = self.edges.source[links], self.edges.target[links]
        group = group_of(*ends, self._host, len(self.edges.exclusion) - 1)
        arguments = (group, coupling, sender, self.potentials.prior.group[page], self.belief)
        return self.messages.logs(*arguments, sender - self.messages.fixed, to_target=to_target)[:, :-1]

    def _answer_alone(self, row: int) -> NDArray[np.float32]:
        """Return the answer of a page without messages, shape (L,)."""
        number = self.potentials.number[[row]].astype(np.int64)
        if number[0] < 0:
            return self.belief_of(row)
        logs = self.potentials.log_potential[number]
        self.potentials.add_urls(logs, number)
        return self.full_distribution(row, softmax(logs)[0] / (1 + self.potentials.inactive_odds[number[0]]))

    def _record_path(self, path: Mapping[int, list[tuple[int, float]]], incoming: NDArray[np.float64]) -> None:
        for row, steps in path.items():
            number = self.potentials.number[[row]].astype(np.int64)
            if number[0] < 0:
                steps.append(steps[0])
            else:
                steps.append(_find_best(self.full_distribution(row, self.final_belief(incoming, number)[0])))

    def _add(
        self, incoming: NDArray[np.float64], moved: NDArray[np.int64], old: NDArray[np.float32] | None
    ) -> NDArray[np.uint8]:
        """Update the sums of messages to latent pages.

        ``incoming`` has shape (f, K + 1) and is modified. ``moved`` are latent pages with a new belief, ``old`` the
        previous beliefs, shape (f, K + 1); None for the first round, where all pages send. Return 1 for pages whose
        sum changed, shape (f,).
        """
        touched = np.zeros(len(incoming), np.uint8)
        for to_target, classes in zip((True, False), self._message_classes or (), strict=True):
            changed = None if old is None else classes.select_by_sender(moved)
            send = partial(self._changed_messages, classes, changed, old, to_target=to_target)
            blocks = run_blocks(len(classes.sender if changed is None else changed), BLOCK, send, AT_ONCE)
            while sent := list(islice(blocks, AT_ONCE)):
                self.messages.accumulate(classes, sent, incoming, touched)
        if self.potentials.candidates.shape[1] == len(self.potentials.active):
            incoming[:, -1] = incoming[:, 0]  # without other languages the bound ignores this column
        return touched

    def _drop_clamped(self) -> None:
        """Free the messages of clamped pages: they are constant and have been added."""
        self._is_spent = True
        if self._message_classes is not None:
            (to_targets, to_sources), self._message_classes = self._message_classes, None
            messages.release_memory()
            to_targets = messages.keep_latent_senders(to_targets)  # in turn, to save memory
            messages.release_memory()
            self._message_classes = to_targets, messages.keep_latent_senders(to_sources)
            del to_sources
        self.sender -= np.int32(len(self.potentials.clamped.unsure))  # only latent senders are used from now on
        self.messages.drop_unsure()
        no_beliefs = np.zeros((0, len(self.potentials.active)), np.float32)
        self.potentials = replace(self.potentials, clamped=replace(self.potentials.clamped, unsure_belief=no_beliefs))
        messages.release_memory()

    def _changed_messages(
        self,
        classes: MessageClasses,
        changed: NDArray[np.int64] | None,
        old: NDArray[np.float32] | None,
        block: slice,
        *,
        to_target: bool,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return classes of a block (of some or all), and the change of their log messages."""
        block_classes = np.arange(block.start, block.stop) if changed is None else changed[block]
        page = classes.sender[block_classes]
        sender = self.sender[page]
        arguments = (
            classes.group[block_classes],
            classes.coupling[block_classes],
            sender,
            self.potentials.prior.group[page],
        )
        row = sender - self.messages.fixed
        logs = self.messages.logs(*arguments, self.belief, row, to_target=to_target)
        if old is not None:
            logs -= self.messages.logs(*arguments, old, row, to_target=to_target)
        return block_classes, logs

    def _init_belief(self, block: slice) -> None:
        self.belief[block] = softmax(self.potentials.log_potential[block])


def _find_best(belief: NDArray[np.float32]) -> tuple[int, float]:
    return int(belief.argmax()), float(belief.max())
