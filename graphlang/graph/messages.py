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

_TABLES = ("sources", "different", "lift", "lifted", "spread", "exclusive", "prior", "belief")


class _Model(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("languages", "hosts", "places", "whole", "pages", "kept")),
        *((name, ctypes.c_void_p) for name in (*_TABLES, "slots")),
        ("doubt", ctypes.c_float),
    )


@cache
def _library() -> ctypes.CDLL:
    library = native.load("_messages")
    number, small, wide, real = ctypes.c_int64, native.INT32, native.INT64, native.FLOAT
    model = ctypes.POINTER(_Model)
    library.graphlang_messages.argtypes = [
        model,
        ctypes.c_int,
        number,
        small,
        real,
        small,
        small,
        real,
        number,
        small,
        real,
    ]
    who = (wide, small, real, native.INT16)
    library.graphlang_hear.argtypes = [*[number] * 5, *who, number, wide, real, native.DOUBLES, native.UINT8]
    return library


class Messages:
    """The model of ``Couplings`` with the priors of all places, ready to turn beliefs into messages.

    Args:
        couplings: L languages, H groups of links.
        prior: what a page of each place believed at first, shape (P, L).
        belief: of senders that never change their mind, shape (w, L).
        slots: the columns that each of the others keeps, see ``slots``, shape (f, K).

    Raises:
        ValueError: arrays of different languages.
    """

    def __init__(
        self,
        couplings: Couplings,
        prior: NDArray[np.float32],
        belief: NDArray[np.float32],
        slots: NDArray[np.int16],
    ) -> None:
        exclusive = couplings.exclusive[:, None]
        lift = 1 / (1 - exclusive * couplings.different + 1e-9)
        lifted = couplings.sources * lift
        spread = lifted.sum(axis=1, keepdims=True) - exclusive * lifted
        tables = (couplings.sources, couplings.different, lift, lifted, spread, couplings.exclusive, prior, belief)
        self._arrays: list[NDArray[Any]] = [np.ascontiguousarray(table, np.float32) for table in tables]
        self._arrays.append(np.ascontiguousarray(slots, np.int16))
        hosts, self.size = couplings.sources.shape
        self.kept, self.whole = slots.shape[1], len(belief)
        if {prior.shape[1], belief.shape[1]} != {self.size} or not 0 < self.kept <= self.size:
            raise ValueError("priors, beliefs and couplings are of different languages")
        if slots.size and not (slots.min() >= 0 and slots.max() < self.size):
            raise ValueError("a slot is of a language that is not there")
        pointers = native.pointers(self._arrays, [*[np.float32] * 8, np.int16])
        self._model = _Model(self.size, hosts, len(prior), self.whole, len(slots), self.kept, *pointers, DOUBT)

    def logs(  # noqa: PLR0917  one array for each thing a message depends on
        self,
        group: NDArray[np.int32],
        bond: NDArray[np.float32],
        speaker: NDArray[np.int32],
        place: NDArray[np.int32],
        heeded: NDArray[np.float32],
        at: NDArray[np.int32],
        *,
        inward: bool,
    ) -> NDArray[np.float32]:
        """Logarithms of messages, of each language and of those that the sender does not name, shape (m, L + 1).

        Args:
            group: whose tables hold for each message, shape (m,).
            bond: k of each, shape (m,).
            speaker: row of ``belief`` of each sender, or w + i for page i of ``slots``, shape (m,).
            place: whose prior each sender had, shape (m,).
            heeded: what pages of ``slots`` believe: of their languages, and of all others together, shape (b, K + 1).
            at: row of ``heeded`` of each sender from w on, shape (m,).
            inward: along the links, from sources to targets; else back.

        Raises:
            ValueError: a group, belief or place that is not there.
        """
        if heeded.shape[1:] != (self.kept + 1,) or len({len(given) for given in (group, bond, speaker, place, at)}) > 1:
            raise ValueError("arrays that do not fit each other")
        found = np.empty((len(group), self.size + 1), np.float32)
        given = (len(group), group, bond, speaker, place, heeded, len(heeded), at, found)
        if not _library().graphlang_messages(self._model, inward, *given):
            raise ValueError("a group, belief or place that is not there")
        return np.log(found, out=found)

    def hear(
        self,
        voices: Voices,
        numbers: NDArray[np.int64],
        said: NDArray[np.float32],
        total: NDArray[np.float64],
        touched: NDArray[np.uint8],
    ) -> None:
        """Add what some voices say to the sums of those who hear them.

        Args:
            voices: who hears which voice, how loud.
            numbers: of the voices, shape (p,).
            said: logarithms of their messages, shape (p, L + 1).
            total: sum of what every page of ``slots`` hears, shape (f, K + 1), changed.
            touched: set to 1 where something was added, shape (f,).

        Raises:
            ValueError: a voice or receiver that is not there.
        """
        slots = self._arrays[-1]
        shapes = (said.shape, total.shape, touched.shape)
        if shapes != ((len(numbers), self.size + 1), (len(slots), self.kept + 1), (len(slots),)):
            raise ValueError("arrays that do not fit each other")
        sizes = (self.size, self.kept, len(slots), len(voices.sender), len(voices.receiver))
        who = (voices.begin, voices.receiver, voices.share, slots)
        if not _library().graphlang_hear(*sizes, *who, len(numbers), numbers, said, total, touched):
            raise ValueError("a voice or receiver that is not there")
