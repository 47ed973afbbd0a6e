"""What a page's belief says to its neighbour through a link: Bayes' rule over the model of ``couplings``.

A belief b(a) of the sender, divided by the prior q(a) it started from, is the evidence for a that the sender gathered.
The message to the receiver is the chance of that evidence under each language x of the receiver, relative to knowing
nothing:

    along the link:    m(x) = sum over a of b(a)/q(a) P(s = a | t = x)
    against the link:  m(x) = sum over a of b(a)/q(a) P(t = a | s = x)

A sender that knows nothing (b = q) says 1 of every language, whatever the link. With the model's diagonal plus rank one
both sums cost a few operations for each language, not L. ``DOUBT`` of every link is taken to say nothing, which bounds
how strongly a single neighbour can speak against a language.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph import native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.couplings import Couplings
    from graphlang.graph.voices import Voices

DOUBT = 0.02

_TABLES = ("sources", "different", "lift", "lifted", "spread", "exclusive", "prior")


class _Model(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("languages", "hosts", "places", "beliefs")),
        *((name, ctypes.c_void_p) for name in (*_TABLES, "belief")),
        ("doubt", ctypes.c_float),
    )


@cache
def _library() -> ctypes.CDLL:
    library = native.load("_messages")
    number, small, wide, real = ctypes.c_int64, native.INT32, native.INT64, native.FLOAT
    model = ctypes.POINTER(_Model)
    library.graphlang_messages.argtypes = [model, ctypes.c_int, number, small, real, small, small, real]
    library.graphlang_hear.argtypes = [*[number] * 4, wide, small, real, number, wide, real, real, native.UINT8]
    return library


class Messages:
    """The model of ``Couplings`` with the priors of all places, ready to turn beliefs into messages.

    Args:
        couplings: L languages, H groups of links.
        prior: what a page of each place believed at first, shape (P, L).
    """

    def __init__(self, couplings: Couplings, prior: NDArray[np.float32]) -> None:
        exclusive = couplings.exclusive[:, None]
        lift = 1 / (1 - exclusive * couplings.different + 1e-9)
        lifted = couplings.sources * lift
        spread = lifted.sum(axis=1, keepdims=True) - exclusive * lifted
        tables = (couplings.sources, couplings.different, lift, lifted, spread, couplings.exclusive, prior)
        self._tables = [np.ascontiguousarray(table, np.float32) for table in tables]
        if prior.shape[1:] != couplings.sources.shape[1:]:
            raise ValueError("priors and couplings are of different languages")

    def logs(
        self,
        group: NDArray[np.int32],
        bond: NDArray[np.float32],
        belief: NDArray[np.float32],
        row: NDArray[np.int32],
        place: NDArray[np.int32],
        *,
        inward: bool,
    ) -> NDArray[np.float32]:
        """Logarithms of messages, shape (w, L).

        Args:
            group: whose tables hold for each message, shape (w,).
            bond: k of each, shape (w,).
            belief: what senders believe, shape (b, L).
            row: of ``belief``, of each message's sender, shape (w,).
            place: whose prior each sender had, shape (w,).
            inward: along the links, from sources to targets; else back.

        Raises:
            ValueError: a group, belief or place that is not there.
        """
        hosts, size = self._tables[0].shape
        if not len(belief):
            belief = np.zeros((1, size), np.float32)
        if belief.shape[1:] != (size,) or len({len(group), len(bond), len(row), len(place)}) > 1:
            raise ValueError("arrays that do not fit each other")
        pointers = native.pointers([*self._tables, belief], [np.float32] * 8)
        model = _Model(size, hosts, len(self._tables[-1]), len(belief), *pointers, DOUBT)
        found = np.empty((len(group), size), np.float32)
        if not _library().graphlang_messages(model, inward, len(group), group, bond, row, place, found):
            raise ValueError("a group, belief or place that is not there")
        return np.log(found, out=found)


def hear(
    voices: Voices,
    numbers: NDArray[np.int64],
    said: NDArray[np.float32],
    total: NDArray[np.float32],
    touched: NDArray[np.uint8],
) -> None:
    """Add what some voices say to the sums of those who hear them.

    Args:
        voices: who hears which voice, how loud.
        numbers: of the voices, shape (p,).
        said: logarithms of their messages, shape (p, L).
        total: sum of what every receiver hears, shape (f, L), changed.
        touched: set to 1 where something was added, shape (f,).

    Raises:
        ValueError: a voice or receiver that is not there.
    """
    heard: Any = voices.heard
    if total.shape != (heard.shape[0], said.shape[1]) or touched.shape != total.shape[:1] or len(numbers) != len(said):
        raise ValueError("arrays that do not fit each other")
    start, receiver = heard.indptr.astype(np.int64, copy=False), heard.indices.astype(np.int32, copy=False)
    size, entries = said.shape[1], len(receiver)
    given = (size, len(total), heard.shape[1], entries, start, receiver, heard.data, len(numbers), numbers)
    if not _library().graphlang_hear(*given, said, total, touched):
        raise ValueError("a voice or receiver that is not there")
