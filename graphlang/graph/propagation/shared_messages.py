"""Message classes: identical messages are computed once.

A message depends on the sender's belief, the link's coupling and the tables of its group, not on the receiver.
Couplings are rounded to ``LEVELS``, and clamped pages of one prior group and language all send the same. So a round has
as many messages as there are classes of them, far fewer than links, and each is added to the sums of those who receive
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.native.kernels import Kernels
from graphlang.native.threads import in_blocks, over_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

_kernels = Kernels("graphlang.graph.native._message_classes")

#: What a coupling may be: none, or evenly spaced log-odds from 0.005 to 0.98.
LEVELS = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-5.3, 3.9, 32)))]).astype(np.float32)
BLOCK = 1 << 16  #: links worked on at once


def level(coupling: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Number of the nearest of ``LEVELS``."""
    middle = (LEVELS[1:] + LEVELS[:-1]) / 2
    found = np.empty(len(coupling), np.uint8)

    def fill(block: slice) -> None:
        found[block] = np.searchsorted(middle, coupling[block])

    list(in_blocks(len(coupling), BLOCK, fill))
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
    words = below // 64 + 1
    numbers = np.empty(len(keys), np.int32)
    bits, ranks = np.zeros(words, np.uint64), np.empty(words, np.int32)
    return numbers, int(_kernels.number_keys(keys, bits, ranks, numbers))


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

    def of(self, senders: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The classes that some latent pages send, and by which of them each is sent.

        Args:
            senders: numbers of latent pages, shape (p,).

        Returns:
            classes, in the order of the senders, and positions in ``senders``; shape (q,) each.
        """
        first = self.latent_start[senders]
        count = self.latent_start[senders + 1] - first
        skipped = np.repeat(first - (np.cumsum(count) - count), count)
        whose = np.repeat(np.arange(len(senders), dtype=np.int32), count)
        return self.of_latent[np.arange(len(skipped)) + skipped], whose


def message_classes(  # noqa: PLR0917  all that a message depends on
    numbers: NDArray[np.int32],
    receiver: NDArray[np.int32],
    sender: NDArray[np.int32],
    weight: NDArray[np.float32],
    group: NDArray[np.int32],
    levels: NDArray[np.uint8],
    sender_class: NDArray[np.int32],
    host: NDArray[np.int32],
    latent_number: NDArray[np.int32],
) -> MessageClasses:
    """Group the messages of some links by class.

    Args:
        numbers: of the links that count, those to a page side by side, shape (l,).
        receiver: page that receives each link's message, shape (w,).
        sender: page that sends it, shape (w,).
        weight: what each log message is multiplied by, shape (w,).
        group: of each link: the host of both ends, or that of all links between hosts, shape (w,).
        levels: coupling of each link as a number of ``LEVELS``, shape (w,).
        sender_class: number, from 0, of each page's class of pages that all send the same, shape (n,).
        host: of each page, shape (n,).
        latent_number: of each page among the latent ones (all receivers, and senders that move), in ascending order, -1
            for the others, shape (n,).

    Raises:
        ValueError: a link or page outside its range, a weight that is not finite.
    """
    given = (receiver, sender, weight, group, levels, latent_number, sender_class, host)
    to, key, link_weight = _of_links(numbers, *given)
    class_of, classes = numbered(key, (int(sender_class.max(initial=-1)) + 1) * 2 * len(LEVELS))
    del key
    example = np.empty(classes, np.int32)
    _kernels.first_of_class(class_of, numbers, example)
    links = [to, class_of, link_weight]
    del to, class_of, link_weight
    start, receivers, weights = _joined(links, classes)
    who = sender[example]
    latent = int(latent_number.max(initial=-1)) + 1
    of_latent = np.flatnonzero(latent_number[who] >= 0)
    of_latent = of_latent[np.argsort(who[of_latent], kind="stable")]
    latent_start = np.zeros(latent + 1, np.int64)
    np.cumsum(np.bincount(latent_number[who[of_latent]], minlength=latent), out=latent_start[1:])
    return MessageClasses(
        who, group[example], LEVELS[levels[example]], start, receivers, weights, of_latent, latent_start
    )


def _of_links(
    numbers: NDArray[np.int32], *given: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float32]]:
    """Receiver, key of the class, and weight of each link's message."""
    count = len(numbers)
    to, key, weight = np.empty(count, np.int32), np.empty(count, np.int64), np.empty(count, np.float32)

    def fill(part: slice) -> None:
        _kernels.link_messages(len(LEVELS), numbers[part], *given, to[part], key[part], weight[part])

    over_parts(count, fill)
    return to, key, weight


def _joined(
    links: list[NDArray[Any]], classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Who receives each class: bounds of each class's part of the others, receivers, weights.

    ``links`` holds receiver, class and weight of each link; it is emptied, for there is no room for them twice.
    """
    weight, column, row = (links.pop() for _ in range(3))
    data = np.empty(len(row))
    start, last = np.zeros(classes + 1, np.int64), np.full(classes, -1, np.int64)
    entries = _kernels.join_links(row, column, weight, last, start[1:], data)
    del weight, last
    np.cumsum(start, out=start)
    rows, values = np.empty(entries, np.int32), np.empty(entries, np.float32)
    _kernels.sort_by_class(row[:entries], column[:entries], data[:entries], start[:-1].copy(), rows, values)
    return start, rows, values
