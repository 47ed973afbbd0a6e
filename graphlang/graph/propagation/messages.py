"""Messages: evidence that a page's belief sends through a link, by Bayes' rule with ``compatibility``.

A belief b(a) of the sender, divided by its prior q(a), is the evidence for a that the sender has collected. The
message to the receiver is the likelihood of that evidence under each language x of the receiver, relative to no
evidence:

    along the link:    m(x) = sum over a of b(a)/q(a) P(s = a | t = x)
    against the link:  m(x) = sum over a of b(a)/q(a) P(t = a | s = x)

A sender without evidence (b = q) sends 1 for every language through any link. The compatibility is a diagonal plus a
matrix of rank one, so both sums cost O(L), not O(L^2). A share ``NOISE`` of every link is uninformative, which bounds
the evidence of a single neighbour against a language.

A message depends on the sender's belief, the link's coupling and the tables of its group, not on the receiver.
Couplings are rounded to ``LEVELS``, and clamped pages with the same prior group and language send the same message. So
a round computes one message per class of equal messages (`MessageClasses`), far fewer than links, and adds each to the
sums of its receivers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.native import log_messages as _kernels
from graphlang.graph.native import message_classes as _class_kernels
from graphlang.graph.propagation.link_regressions import HIGHEST
from graphlang.native.threads import cores, run_blocks, run_parts, run_side_by_side, split_evenly

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.propagation.compatibility import EdgeCompatibility


_ROOM = _kernels.MESSAGE_ROOM

NOISE = 0.02  #: share of every link that is uninformative
SINGLE_CORE = 1 << 12  #: up to this many messages are added by one core


class Messages:
    """Tables of all groups and priors of all pages, to turn beliefs into messages.

    L languages, G groups of links. Shapes: prior of each group of pages (P, L); unsure_belief of clamped pages without
    a one-hot belief (d, L); candidates (f, K), columns of each latent page, receivers first. Raise a ValueError for
    arrays of different languages.
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
        #: number of senders with constant beliefs: a one-hot belief for each language, then the unsure pages
        self.fixed = self.size + len(unsure_belief)
        if not 0 < candidates.shape[1] <= self.size:
            raise ValueError(f"candidates has shape {candidates.shape}, expected (f, 1..{self.size})")

    def drop_unsure(self) -> None:
        """Free the beliefs of unsure pages; latent senders are numbered from L now."""
        self._tables[-1] = np.zeros((0, self.size), np.float32)
        self.fixed = self.size

    def logs(  # noqa: PLR0917  internal
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
        """Return log messages for each language and for those the sender does not name, shape (m, L + 1).

        Shapes: group of links (m,), coupling (m,), sender (m,) and prior_group of the sender (m,) of each message. The
        sender is the language of a one-hot belief, L + i for unsure page i, ``fixed`` + i for latent page i. belief (b,
        K + 1) is that of latent pages about their candidates and all other languages together, row (m,) that of
        ``belief`` for each latent sender. Messages go from sources to targets with `to_target`, else back.

        Raise a ValueError for an index outside its range, or a number that is not finite.
        """
        result = np.empty((len(group), self.size + 1), np.float32)
        scratch = np.empty(_ROOM * self.size, np.float32)  # per thread
        arrays = (group, coupling, sender, prior_group, belief, row)
        marginal, switch, exclusion, odds, prior, unsure = self._tables
        tables = (marginal, switch, exclusion, odds, prior, unsure, self._candidates)
        _kernels.messages(*tables, NOISE, HIGHEST, to_target, *arrays, scratch, result)
        return np.log(result, out=result)

    def accumulate(
        self,
        classes: MessageClasses,
        blocks: Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]],
        incoming: NDArray[np.float64],
        touched: NDArray[np.uint8],
    ) -> None:
        """Add log messages of some classes to the sums of their receivers.

        Each core adds the messages of its own receivers in order, so that sums do not depend on the number of cores.

        `classes` has the receivers and weights of each class. Each of `blocks` is numbers of classes (p,) and their log
        messages (p, L + 1). incoming (r, K + 1) is the weighted sum of the log messages to each receiver, touched (r,)
        becomes 1 for receivers of messages; both are modified. Raise a ValueError for a class or receiver outside its
        range, or a message that is not finite.
        """
        arrays = (classes.start, classes.receiver, classes.weight, self._candidates[: len(incoming)])
        stripes = cores() if sum(len(numbers) for numbers, _ in blocks) > SINGLE_CORE else 1

        def add(stripe: int) -> None:
            for numbers, logs in blocks:
                sizes = (self.size, len(classes.sender), stripe, stripes)
                _kernels.accumulate(*sizes, *arrays, numbers, logs, incoming, touched)

        for _ in run_side_by_side(add, range(stripes), stripes):
            pass


#: Rounded couplings: 0, or evenly spaced log-odds from 0.005 to 0.98.
LEVELS = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-5.3, 3.9, 32)))]).astype(np.float32)
BLOCK = 1 << 16  #: links handled at a time


def find_coupling_level(coupling: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the index of the nearest of ``LEVELS`` for each coupling, shape (m,)."""
    middle = (LEVELS[1:] + LEVELS[:-1]) / 2
    levels = np.empty(len(coupling), np.uint8)
    run_parts(len(coupling), lambda block: _class_kernels.coupling_levels(coupling[block], middle, levels[block]))
    return levels


def number_keys(keys: NDArray[np.int64], below: int) -> tuple[NDArray[np.int32], int]:
    """Number the distinct keys in ascending order without sorting; return each key's number, and their count.

    Keys are from 0 to ``below`` - 1, and take a bit of memory each. Raises ValueError for other keys.

    >>> import numpy as np
    >>> number_keys(np.array([70, 3, 70, 0]), 71)
    (array([2, 1, 2, 0], dtype=int32), 3)
    """
    return _rank_keys(keys, _mark_keys(keys, below))


def _mark_keys(keys: NDArray[np.int64], below: int) -> NDArray[np.uint64]:
    """Return a bit set of the keys."""
    size = below // 64 + 1

    def mark(block: slice) -> NDArray[np.uint64]:
        bits = np.zeros(size, np.uint64)
        _class_kernels.mark_keys(keys[block], bits)
        return bits

    parts = split_evenly(len(keys), most=max(1, len(keys) // size))
    bits, *rest = run_side_by_side(mark, parts, len(parts))
    for other in rest:
        bits |= other
    return bits


def _rank_keys(keys: NDArray[np.int64], bits: NDArray[np.uint64]) -> tuple[NDArray[np.int32], int]:
    """Return the rank of each key in a bit set of all keys, and the size of the set."""
    numbers, ranks = np.empty(len(keys), np.int32), np.empty(len(bits), np.int32)
    count = int(_class_kernels.rank_keys(bits, ranks))
    run_parts(len(keys), lambda block: _class_kernels.number_keys(keys[block], bits, ranks, numbers[block]))
    return numbers, count


def release_memory() -> None:
    """Return freed memory to the operating system, where the C library supports it.

    Otherwise much of it stays with the process, in gaps too small for the next arrays.
    """
    _class_kernels.give_back(0)


@dataclass(frozen=True, slots=True, eq=False)
class MessageClasses:
    """Classes of equal messages in one direction; c classes, f latent pages, n pages."""

    sender: NDArray[np.int32]  #: row of a page that sends the message, shape (c,)
    group: NDArray[np.int32]  #: group of links, shape (c,)
    coupling: NDArray[np.float32]  #: shape (c,)
    start: NDArray[np.int64]  #: class i has ``receiver[start[i]:start[i + 1]]``, shape (c + 1,)
    receiver: NDArray[np.int32]  #: numbers of latent pages, shape (e,)
    weight: NDArray[np.float32]  #: weight for each receiver, shape (e,)
    latent_classes: NDArray[np.int64]  #: classes with a latent sender, sorted by sender, shape (p,)
    #: latent page i sends ``latent_classes[latent_start[i]:latent_start[i + 1]]``, shape (f + 1,)
    latent_start: NDArray[np.int64]

    def select_by_sender(self, senders: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the classes that some latent pages (ascending, distinct) send, in their order, shape (q,)."""
        if len(senders) == len(self.latent_start) - 1:  # all of them
            return self.latent_classes
        first = self.latent_start[senders]
        count = self.latent_start[senders + 1] - first
        offset = np.repeat(first - (np.cumsum(count) - count), count)
        return np.asarray(self.latent_classes[np.arange(len(offset)) + offset])


def keep_latent_senders(classes: MessageClasses) -> MessageClasses:
    """Drop the classes whose sender is not latent.

    Raises ValueError unless classes of latent senders are the last, in the order of their senders.
    """
    first = len(classes.sender) - len(classes.latent_classes)
    if (classes.latent_classes != np.arange(first, len(classes.sender))).any():
        raise ValueError("classes of latent senders are not the last ones, in the order of these")
    start = classes.start[first:]
    return MessageClasses(
        classes.sender[first:].copy(),
        classes.group[first:].copy(),
        classes.coupling[first:].copy(),
        start - start[0],
        classes.receiver[start[0] :].copy(),
        classes.weight[start[0] :].copy(),
        classes.latent_classes - first,
        classes.latent_start,
    )


@dataclass(frozen=True, slots=True, eq=False)
class ClassifiedLinks:
    """Links of one direction with the class of their message; c classes, l links."""

    links: list[NDArray[Any]]  #: receivers, classes and weights, shape (l,) each; cleared when grouped
    sender: NDArray[np.int32]  #: see ``MessageClasses``, shape (c,)
    group: NDArray[np.int32]  #: see ``MessageClasses``, shape (c,)
    coupling: NDArray[np.float32]  #: see ``MessageClasses``, shape (c,)
    latent_number: NDArray[np.int32]  #: index of each page among the latent ones, -1 otherwise, shape (n,)


def link_messages(  # noqa: PLR0917  internal
    start: NDArray[np.int64],
    order: NDArray[np.int32] | None,
    sender: NDArray[np.int32],
    weight: NDArray[np.float32],
    levels: NDArray[np.uint8],
    latent_number: NDArray[np.int32],
    sender_class: NDArray[np.int32],
    host: NDArray[np.int32],
) -> list[NDArray[Any]]:
    """List the messages that latent pages receive, page by page: receiver, key and weight of each, shape (l,) each.

    start (n + 1,) is the index of the first link of each receiver in order (w,), the numbers of the links (None: links
    are in the order of receivers). Of each link: sender (w,), weight (w,), the factor of its log message, and levels
    (w,), its coupling as an index of ``LEVELS``. Of each page: latent_number (n,), its index among the latent ones
    (receivers, and senders whose belief changes), else -1; sender_class (n,), the class of pages that send the same
    message; host (n,).

    Raise a ValueError for a link or page outside its range, or a weight that is not finite.
    """
    receivers = np.flatnonzero(latent_number >= 0)
    ends = np.concatenate([[0], np.cumsum(start[receivers + 1] - start[receivers])])
    count = int(ends[-1])
    to, key, link_weight = np.empty(count, np.int32), np.empty(count, np.int64), np.empty(count, np.float32)
    blocks = split_evenly(count)
    bounds = [*np.searchsorted(ends, [0, *(pages.stop for pages in blocks[:-1])]).tolist(), len(receivers)]

    def fill(pages: slice) -> None:
        span = slice(int(ends[pages.start]), int(ends[pages.stop]))
        arrays = (receivers[pages], start, order, sender, weight, levels, latent_number, sender_class, host)
        _class_kernels.link_messages(len(LEVELS), *arrays, to[span], key[span], link_weight[span])

    list(run_side_by_side(fill, [slice(*span_ends) for span_ends in pairwise(bounds)], len(blocks)))
    return [to, key, link_weight]


def classify_links(
    links: list[NDArray[Any]],
    latent_number: NDArray[np.int32],
    sender_class: NDArray[np.int32],
    host: NDArray[np.int32],
    *,
    between: int,
) -> ClassifiedLinks:
    """Assign each link the class of its message.

    ``links`` is the result of ``link_messages``; it is cleared to save memory. ``between`` is the group of links
    between hosts; those within a host have its number.
    """
    # All pages of a class send the same message; the last one represents it.
    representative = np.zeros(int(sender_class.max(initial=-1)) + 1, np.int32)
    representative[sender_class] = np.arange(len(sender_class), dtype=np.int32)
    link_weight, key, to = (links.pop() for _ in range(3))
    bits = _mark_keys(key, len(representative) * 2 * len(LEVELS))
    class_of, count = _rank_keys(key, bits)
    del key
    keys = np.empty(count, np.int64)
    _class_kernels.list_keys(bits, keys)
    senders, group, coupling = np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.float32)

    def fill(block: slice) -> None:
        sender_key, level_index = np.divmod(keys[block], len(LEVELS))
        senders[block] = representative.take(sender_key >> 1)
        group[block] = np.where(sender_key & 1, between, host.take(senders[block]))
        coupling[block] = LEVELS.take(level_index)

    list(run_blocks(count, BLOCK, fill))
    return ClassifiedLinks([to, class_of, link_weight], senders, group, coupling, latent_number)


def group_by_class(links: ClassifiedLinks) -> MessageClasses:
    """Group the messages of some links by class; ``links`` are cleared to save memory."""
    senders, latent_number = links.sender, links.latent_number
    start, receivers, weights = _join_links(links.links, len(senders))
    latent = int(latent_number.max(initial=-1)) + 1
    sender_number = latent_number.take(senders)
    latent_classes = np.flatnonzero(sender_number >= 0)
    sender_number = sender_number[latent_classes]
    if (sender_number[1:] < sender_number[:-1]).any():
        order = np.argsort(sender_number, kind="stable")
        latent_classes, sender_number = latent_classes[order], sender_number[order]
    latent_start = np.zeros(latent + 1, np.int64)
    np.cumsum(np.bincount(sender_number, minlength=latent), out=latent_start[1:])
    return MessageClasses(senders, links.group, links.coupling, start, receivers, weights, latent_classes, latent_start)


def _join_links(
    links: list[NDArray[Any]], classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Return the bounds of each class, and its receivers and weights.

    ``links`` has receiver, class and weight of each link; it is cleared.
    """
    weight, message_class, receiver = (links.pop() for _ in range(3))
    blocks = _align_to_pages(receiver, split_evenly(len(receiver), most=max(1, 2 * len(receiver) // (classes + 1))))

    def join(block: slice) -> tuple[int, NDArray[np.int32]]:
        last_receiver, receiver_counts = np.full(classes, -1, np.int32), np.zeros(classes, np.int32)
        arrays = (receiver[block], message_class[block], weight[block])
        sums = np.empty(block.stop - block.start)  # mostly unused
        return int(_class_kernels.join_links(*arrays, last_receiver, receiver_counts, sums)), receiver_counts

    entries, receiver_counts = zip(*run_side_by_side(join, blocks, len(blocks)), strict=True)
    start = np.zeros(classes + 1, np.int64)
    np.cumsum(sum(receiver_counts[1:], receiver_counts[0]), out=start[1:])
    place = start[:-1].astype(np.int32)
    for counts in receiver_counts:  # from counts to the index of the first receiver
        size = counts.copy()
        counts[:] = place
        place += size
    release_memory()
    rows, values = np.empty(sum(entries), np.int32), np.empty(sum(entries), np.float32)

    def sort(number: int) -> None:
        block = slice(blocks[number].start, blocks[number].start + entries[number])
        arrays = (receiver[block], message_class[block], weight[block])
        _class_kernels.sort_by_class(*arrays, receiver_counts[number], rows, values)

    list(run_side_by_side(sort, range(len(blocks)), len(blocks)))
    return start, rows, values


def _align_to_pages(receiver: NDArray[np.int32], blocks: list[slice]) -> list[slice]:
    """Move the ends of blocks so that no page receives links of two blocks.

    >>> _align_to_pages(np.int32([4, 4, 4, 7, 7, 9]), [slice(0, 2), slice(2, 4), slice(4, 6)])
    [slice(0, 3, None), slice(3, 5, None), slice(5, 6, None)]
    """
    bounds = [0]
    for block in blocks[:-1]:
        next_page = np.flatnonzero(receiver[block.stop :] != receiver[block.stop - 1])
        bounds.append(max(bounds[-1], block.stop + int(next_page[0]) if len(next_page) else len(receiver)))
    return [slice(*ends) for ends in pairwise([*bounds, len(receiver)])]
