"""Messages: what a page's belief tells its neighbour through a link, by Bayes' rule over ``compatibility``.

A belief b(a) of the sender, divided by the prior q(a) it started from, is the evidence for a that the sender gathered.
The message to the receiver is the probability of that evidence under each language x of the receiver, relative to
knowing nothing:

    along the link:    m(x) = sum over a of b(a)/q(a) P(s = a | t = x)
    against the link:  m(x) = sum over a of b(a)/q(a) P(t = a | s = x)

A sender that knows nothing (b = q) says 1 of every language, whatever the link. With the model's diagonal plus rank one
both sums cost a few operations for each language, not L. ``NOISE`` of every link is taken to say nothing, which bounds
how strongly a single neighbour can speak against a language.

A message depends on the sender's belief, the link's coupling and the tables of its group, not on the receiver.
Couplings are rounded to ``LEVELS``, and clamped pages of one prior group and language all send the same. So a round has
as many messages as there are classes of them (`MessageClasses`), far fewer than links, and each is added to the sums of
its receivers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.native import log_messages as _kernels
from graphlang.graph.native import message_classes as _class_kernels
from graphlang.graph.propagation.link_regressions import HIGHEST
from graphlang.native.threads import cores, even_parts, in_blocks, over_parts, side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.propagation.compatibility import EdgeCompatibility


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


#: What a coupling may be: none, or evenly spaced log-odds from 0.005 to 0.98.
LEVELS = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-5.3, 3.9, 32)))]).astype(np.float32)
BLOCK = 1 << 16  #: links worked on at once


def level(coupling: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Number of the nearest of ``LEVELS``.

    Args:
        coupling: shape (m,).

    Raises:
        ValueError: a coupling that is not finite.
    """
    middle = (LEVELS[1:] + LEVELS[:-1]) / 2
    found = np.empty(len(coupling), np.uint8)
    over_parts(len(coupling), lambda part: _class_kernels.coupling_levels(coupling[part], middle, found[part]))
    return found


def numbered(keys: NDArray[np.int64], below: int) -> tuple[NDArray[np.int32], int]:
    """The number of each key among the different ones, in ascending order, and how many there are; without sorting.

    Args:
        keys: from 0 to ``below``, shape (m,).
        below: every key is smaller; a bit of memory each.

    Raises:
        ValueError: a key that is out of range.

    >>> import numpy as np
    >>> numbered(np.array([70, 3, 70, 0]), 71)
    (array([2, 1, 2, 0], dtype=int32), 3)
    """
    return _looked_up(keys, _marked(keys, below))


def _marked(keys: NDArray[np.int64], below: int) -> NDArray[np.uint64]:
    """A bit for each number from 0 to ``below``: whether it is one of the keys."""
    words = below // 64 + 1

    def mark(part: slice) -> NDArray[np.uint64]:
        bits = np.zeros(words, np.uint64)
        _class_kernels.mark_keys(keys[part], bits)
        return bits

    parts = even_parts(len(keys), most=max(1, len(keys) // words))
    bits, *others = side_by_side(mark, parts, len(parts))
    for other in others:
        bits |= other
    return bits


def _looked_up(keys: NDArray[np.int64], bits: NDArray[np.uint64]) -> tuple[NDArray[np.int32], int]:
    """The number of each key, all of which have a bit, and how many different ones there are."""
    numbers, ranks = np.empty(len(keys), np.int32), np.empty(len(bits), np.int32)
    many = int(_class_kernels.rank_keys(bits, ranks))
    over_parts(len(keys), lambda part: _class_kernels.number_keys(keys[part], bits, ranks, numbers[part]))
    return numbers, many


def give_back() -> None:
    """Give memory that was freed back to the system, where it can be asked to.

    Much of what arrays had stays with the process else: it lies between others and is too small for the next ones.
    """
    _class_kernels.give_back(0)


@dataclass(frozen=True, slots=True, eq=False)
class MessageClasses:
    """Different messages of one direction; c classes, f latent pages, n pages."""

    sender: NDArray[np.int32]  #: row of a page that sends it, shape (c,)
    group: NDArray[np.int32]  #: of links, whose tables hold for it, shape (c,)
    coupling: NDArray[np.float32]  #: shape (c,)
    start: NDArray[np.int64]  #: class i goes to ``receiver[start[i]:start[i + 1]]``, shape (c + 1,)
    receiver: NDArray[np.int32]  #: numbers of latent pages, shape (e,)
    weight: NDArray[np.float32]  #: what it weighs for each of them, shape (e,)
    of_latent: NDArray[np.int64]  #: classes whose sender is latent, sorted by sender, shape (p,)
    latent_start: NDArray[np.int64]  #: latent page i's are ``of_latent[latent_start[i]:latent_start[i + 1]]``, (f + 1,)

    def of(self, senders: NDArray[np.int64]) -> NDArray[np.int64]:
        """The classes that some latent pages send, in the order of the senders, shape (q,).

        Args:
            senders: numbers of latent pages, ascending, each once, shape (p,).
        """
        if len(senders) == len(self.latent_start) - 1:  # all of them
            return self.of_latent
        first = self.latent_start[senders]
        count = self.latent_start[senders + 1] - first
        skipped = np.repeat(first - (np.cumsum(count) - count), count)
        return np.asarray(self.of_latent[np.arange(len(skipped)) + skipped])


def of_latent_senders(classes: MessageClasses) -> MessageClasses:
    """Only the classes whose sender is latent.

    Args:
        classes: of all senders, those of latent ones last, in the order of these, as ``carried`` numbers them.

    Raises:
        ValueError: they come in another order.
    """
    first = len(classes.sender) - len(classes.of_latent)
    if (classes.of_latent != np.arange(first, len(classes.sender))).any():
        raise ValueError("classes of latent senders are not the last ones, in the order of these")
    start = classes.start[first:]
    return MessageClasses(
        classes.sender[first:].copy(),
        classes.group[first:].copy(),
        classes.coupling[first:].copy(),
        start - start[0],
        classes.receiver[start[0] :].copy(),
        classes.weight[start[0] :].copy(),
        classes.of_latent - first,
        classes.latent_start,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """What the links of one direction carry: c classes of messages, l links."""

    links: list[NDArray[Any]]  #: receivers, classes and weights of the links, shape (l,) each; emptied when joined
    sender: NDArray[np.int32]  #: as in ``MessageClasses``, shape (c,)
    group: NDArray[np.int32]  #: the same, shape (c,)
    coupling: NDArray[np.float32]  #: the same, shape (c,)
    latent_number: NDArray[np.int32]  #: of each page among the latent ones, -1 for the others, shape (n,)


def through(  # noqa: PLR0917  all that a message depends on
    start: NDArray[np.int64],
    order: NDArray[np.int32] | None,
    sender: NDArray[np.int32],
    weight: NDArray[np.float32],
    levels: NDArray[np.uint8],
    latent_number: NDArray[np.int32],
    sender_class: NDArray[np.int32],
    host: NDArray[np.int32],
) -> list[NDArray[Any]]:
    """Tell the messages that latent pages receive, page by page: whose each is, and what it weighs.

    Args:
        start: where the links of each page that receives begin in `order`, shape (n + 1,).
        order: their numbers, shape (w,); None where the links themselves are in the order of the receivers.
        sender: page that sends each link's message, shape (w,).
        weight: what each log message is multiplied by, shape (w,).
        levels: coupling of each link as a number of ``LEVELS``, shape (w,).
        latent_number: of each page among the latent ones (all receivers, and senders that move), in ascending order, -1
            for the others, shape (n,).
        sender_class: number, from 0, of each page's class of pages that all send the same, shape (n,).
        host: of each page, shape (n,).

    Returns:
        Of the l links to latent pages: number of the receiver among these, a key of the message, the same where that
        is, and what it weighs, shape (l,) each.

    Raises:
        ValueError: a link or page outside its range, a weight that is not finite.
    """
    receivers = np.flatnonzero(latent_number >= 0)
    ends = np.concatenate([[0], np.cumsum(start[receivers + 1] - start[receivers])])
    count = int(ends[-1])
    to, key, link_weight = np.empty(count, np.int32), np.empty(count, np.int64), np.empty(count, np.float32)
    parts = even_parts(count)
    edges = [*np.searchsorted(ends, [0, *(part.stop for part in parts[:-1])]).tolist(), len(receivers)]

    def fill(part: slice) -> None:
        found = slice(int(ends[part.start]), int(ends[part.stop]))
        given = (receivers[part], start, order, sender, weight, levels, latent_number, sender_class, host)
        _class_kernels.link_messages(len(LEVELS), *given, to[found], key[found], link_weight[found])

    list(side_by_side(fill, [slice(*both) for both in pairwise(edges)], len(parts)))
    return [to, key, link_weight]


def carried(
    links: list[NDArray[Any]],
    latent_number: NDArray[np.int32],
    sender_class: NDArray[np.int32],
    host: NDArray[np.int32],
    *,
    between: int,
) -> Carried:
    """Tell the class of the message that each of some links carries.

    Args:
        links: what ``through`` tells of them; the list is emptied, for there is no room for all of it twice.
        latent_number: as in ``through``.
        sender_class: as in ``through``.
        host: as in ``through``.
        between: group of links between hosts; those within one have its number.
    """
    # All pages of a class send the same, and so the last of them stands for it.
    stands = np.zeros(int(sender_class.max(initial=-1)) + 1, np.int32)
    stands[sender_class] = np.arange(len(sender_class), dtype=np.int32)
    link_weight, key, to = (links.pop() for _ in range(3))
    bits = _marked(key, len(stands) * 2 * len(LEVELS))
    class_of, many = _looked_up(key, bits)
    del key
    keys = np.empty(many, np.int64)
    _class_kernels.list_keys(bits, keys)
    who, group, coupling = np.empty(many, np.int32), np.empty(many, np.int32), np.empty(many, np.float32)

    def tell(part: slice) -> None:
        of_sender, coupled = np.divmod(keys[part], len(LEVELS))
        who[part] = stands.take(of_sender >> 1)
        group[part] = np.where(of_sender & 1, between, host.take(who[part]))
        coupling[part] = LEVELS.take(coupled)

    list(in_blocks(many, BLOCK, tell))
    return Carried([to, class_of, link_weight], who, group, coupling, latent_number)


def message_classes(links: Carried) -> MessageClasses:
    """Group the messages of some links by class.

    Args:
        links: what they carry; the list in it is emptied, for there is no room for all of it twice.
    """
    who, number = links.sender, links.latent_number
    start, receivers, weights = _joined(links.links, len(who))
    latent = int(number.max(initial=-1)) + 1
    sent_by = number.take(who)
    of_latent = np.flatnonzero(sent_by >= 0)
    sent_by = sent_by[of_latent]
    if (sent_by[1:] < sent_by[:-1]).any():
        order = np.argsort(sent_by, kind="stable")
        of_latent, sent_by = of_latent[order], sent_by[order]
    latent_start = np.zeros(latent + 1, np.int64)
    np.cumsum(np.bincount(sent_by, minlength=latent), out=latent_start[1:])
    return MessageClasses(who, links.group, links.coupling, start, receivers, weights, of_latent, latent_start)


def _joined(
    links: list[NDArray[Any]], classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Who receives each class: bounds of each class's part of the others, receivers, weights.

    ``links`` holds receiver, class and weight of each link; it is emptied.
    """
    weight, message_class, receiver = (links.pop() for _ in range(3))
    parts = _whole_pages(receiver, even_parts(len(receiver), most=max(1, 2 * len(receiver) // (classes + 1))))

    def join(part: slice) -> tuple[int, NDArray[np.int32]]:
        last, counted = np.full(classes, -1, np.int32), np.zeros(classes, np.int32)
        given = (receiver[part], message_class[part], weight[part])
        sums = np.empty(part.stop - part.start)  # most of it is not used
        return int(_class_kernels.join_links(*given, last, counted, sums)), counted

    entries, counted = zip(*side_by_side(join, parts, len(parts)), strict=True)
    start = np.zeros(classes + 1, np.int64)
    np.cumsum(sum(counted[1:], counted[0]), out=start[1:])
    place = start[:-1].astype(np.int32)
    for one in counted:  # from how many receivers a part has to where the first of them comes
        many = one.copy()
        one[:] = place
        place += many
    give_back()
    rows, values = np.empty(sum(entries), np.int32), np.empty(sum(entries), np.float32)

    def sort(number: int) -> None:
        part = slice(parts[number].start, parts[number].start + entries[number])
        given = (receiver[part], message_class[part], weight[part])
        _class_kernels.sort_by_class(*given, counted[number], rows, values)

    list(side_by_side(sort, range(len(parts)), len(parts)))
    return start, rows, values


def _whole_pages(receiver: NDArray[np.int32], parts: list[slice]) -> list[slice]:
    """Parts whose ends are moved on until no page receives links of two of them.

    >>> _whole_pages(np.int32([4, 4, 4, 7, 7, 9]), [slice(0, 2), slice(2, 4), slice(4, 6)])
    [slice(0, 3, None), slice(3, 5, None), slice(5, 6, None)]
    """
    edges = [0]
    for part in parts[:-1]:
        other = np.flatnonzero(receiver[part.stop :] != receiver[part.stop - 1])
        edges.append(max(edges[-1], part.stop + int(other[0]) if len(other) else len(receiver)))
    return [slice(*ends) for ends in pairwise([*edges, len(receiver)])]
