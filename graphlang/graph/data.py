"""Inputs and outputs of the graph algorithms: frozen dataclasses of arrays.

Pages are rows 0..n-1, fetched or only linked to. A language is an index into ``Evidence.codes``, -1 is none (``und``
in results). Scripts belong to texts, so the graph knows only languages. `Graph` and `Evidence` are inputs, `Answer`
is the output, with a `Trace` for each page to explain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.options import LARGEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.tables import ListTable

ONE = 1.001  #: largest probability, with room for rounding
NONE = -1  #: no language, no hreflang, padding


def _check_shape(name: str, array: NDArray[np.generic] | ListTable[Any] | None, shape: tuple[int, ...]) -> None:
    if array is not None and array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}")


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The links of a collection; link i leads from ``source[i]`` to ``target[i]``.

    Self-links, duplicates and any order are allowed: ``adjacency.sort_links`` sorts and cleans them.

    Raises:
        ValueError: arrays of different lengths, or a row outside 0..n-1.
    """

    n: int  #: pages
    source: NDArray[np.int32]  #: row of the page that holds the link, shape (m,)
    target: NDArray[np.int32]  #: row of the page linked to, shape (m,)
    kind: NDArray[np.uint8]  #: link kind; duplicates keep the lowest, shape (m,)
    hreflang: NDArray[np.int16]  #: language that the link announces for its target, -1 none, shape (m,)
    nofollow: NDArray[np.bool_] | None = None  #: rel=nofollow, shape (m,)
    #: position of the link among those of its page, from 0, -1 unknown, shape (m,)
    ordinal: NDArray[np.int16] | None = None
    #: hosts of the last u rows, which are excluded: pages without evidence whose neighbours are all clamped. They count
    #: in degrees, but get no answer; evidence has only the first n - u rows. Shape (u,)
    outside: NDArray[np.int32] | None = None
    #: links of each page to leaves without a row: URLs never fetched, with a single inlink, that are in no list of a
    #: multilingual host. Shape (n - u,); None: all links have a row
    leaves: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        m = (len(self.source),)
        for name in ("source", "target", "kind", "hreflang"):
            _check_shape(name, getattr(self, name), m)
        for name in ("nofollow", "ordinal"):
            _check_shape(name, getattr(self, name), m)
        for name in ("source", "target"):
            _check_range(name, getattr(self, name), 0, self.n - 1)
        if self.leaves is not None:
            _check_shape("leaves", self.leaves, (self.inside,))
            _check_range("leaves", self.leaves, 0, np.iinfo(np.int32).max)

    @property
    def pages(self) -> int:
        """Number of pages of the collection, with leaves without a row."""
        return self.n + (0 if self.leaves is None else int(self.leaves.sum(dtype=np.int64)))

    @property
    def inside(self) -> int:
        """Number of pages that are not excluded."""
        return self.n - (0 if self.outside is None else len(self.outside))


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """Languages of every page by evidence other than its text: URL, ccTLD, declaration, hreflang of links.

    Raises:
        ValueError: a weight that is negative, above ``LARGEST`` or not a number, or shapes that differ.
    """

    languages: NDArray[np.int16] | ListTable[np.int16]  #: best first, -1 padding, shape (n, k)
    #: of those languages; a row without an answer is all -1 and 0, shape (n, k)
    probabilities: NDArray[np.float32] | ListTable[np.float32]
    weight: float = 1.0  #: 0 disables the signal, 1 trusts it according to its reliability

    def __post_init__(self) -> None:
        _check_shape("probabilities", self.probabilities, self.languages.shape)
        if not (np.isfinite(self.weight) and self.weight >= 0):
            raise ValueError(f"the weight of a signal is {self.weight}; it must be a number that is not negative")
        if self.weight > LARGEST:
            raise ValueError(f"the weight of a signal is {self.weight}; no weight can be above {LARGEST:g}")
        check_probabilities("probabilities", self.probabilities)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Evidence of every page: text, host and signals.

    A page that was never fetched, or that has no text, has length 0 and a row of -1 and 0.

    Raises:
        ValueError: shapes that do not fit each other, probabilities that are negative, above 1 or not a number,
            a language that ``codes`` does not have, a negative length or host.
    """

    codes: tuple[str, ...]  #: ISO 639-3 codes, all distinct
    languages: NDArray[np.int16] | ListTable[np.int16]  #: candidates of the text, best first, -1 padding, shape (n, k)
    probabilities: NDArray[np.float32] | ListTable[np.float32]  #: rows sum to at most 1, shape (n, k)
    length: NDArray[np.int32]  #: characters that carry language, best letters, shape (n,)
    host: NDArray[np.int32]  #: number of the host, any numbering from 0, shape (n,)
    directory: NDArray[np.int32] | None = None  #: number of the directory in the host, -1 none, shape (n,)
    signals: Mapping[str, Signal] = field(default_factory=dict)  #: by name, e.g. ``url``, ``cctld``, ``declared``
    #: pages of the host with the same text, including the page; None: 1 each, shape (n,)
    copies: NDArray[np.int32] | None = None
    #: number of the last pages, whose signals activate no language
    answer_only: int = 0
    #: pages labelled by hand: they are clamped, and count as pages with long text; shape (n,)
    labelled: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if self.languages.ndim != 2:  # noqa: PLR2004  a matrix
            raise ValueError("languages must have one row a page and one column a rank")
        n = len(self.languages)
        _check_shape("probabilities", self.probabilities, self.languages.shape)
        for name, values in (("length", self.length), ("directory", self.directory), ("copies", self.copies)):
            _check_shape(name, values, (n,))
        _check_shape("host", self.host, (n,))
        _check_shape("labelled", self.labelled, (n,))
        check_probabilities("probabilities", self.probabilities)
        if len(set(self.codes)) != len(self.codes):
            raise ValueError("the codes are not distinct")
        _check_range("languages", self.languages, NONE, len(self.codes) - 1)
        for name in ("length", "host"):
            _check_range(name, getattr(self, name), 0, np.iinfo(np.int32).max)
        for name, signal in self.signals.items():
            if len(signal.languages) != n:
                raise ValueError(f"the signal {name} has {len(signal.languages)} rows for {n} pages")
            _check_range(f"signals[{name!r}].languages", signal.languages, NONE, len(self.codes) - 1)

    @property
    def n(self) -> int:
        """Number of pages."""
        return len(self.languages)

    def is_labelled(self) -> NDArray[np.bool_]:
        """Return the pages labelled by hand; shape (n,)."""
        return np.zeros(self.n, np.bool_) if self.labelled is None else self.labelled

    def long(self, least: int) -> NDArray[np.bool_]:
        """Return the pages with at least ``least`` characters or a label set by hand; shape (n,)."""
        return (self.length >= least) | self.is_labelled()

    def best(self) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        """Return the best language of each text and its probability; -1 and 0 without text. Shape (n,) each."""
        if not self.languages.shape[1]:
            return np.full(self.n, NONE, np.int16), np.zeros(self.n, np.float32)
        language, probability = self.languages[:, 0], self.probabilities[:, 0]
        has_text = (language >= 0) & (probability > 0)
        return (
            np.where(has_text, language, NONE).astype(np.int16),
            np.where(has_text, probability, 0).astype(np.float32),
        )


@dataclass(frozen=True, slots=True, eq=False)
class FixedBeliefs:
    """Pages with a constant belief: they send messages and receive none.

    In a partitioned collection these are neighbours that belong to other partitions.

    Raises:
        ValueError: shapes that differ, rows that are not ascending, or invalid probabilities.
    """

    rows: NDArray[np.int64]  #: of the graph, ascending, shape (g,)
    languages: NDArray[np.int16]  #: best first, -1 padding, shape (g, k)
    probabilities: NDArray[np.float32]  #: rows sum to at most 1, shape (g, k)

    def __post_init__(self) -> None:
        _check_shape("rows", self.rows, (len(self.languages),))
        _check_shape("probabilities", self.probabilities, self.languages.shape)
        check_probabilities("probabilities", self.probabilities)
        back = np.flatnonzero(self.rows[1:] <= self.rows[:-1])
        if len(back):
            at = int(back[0]) + 1
            raise ValueError(f"rows[{at}] = {self.rows[at]} comes after {self.rows[at - 1]}; they must be ascending")

    def check(self, pages: int, languages: int) -> None:
        """Raise ValueError unless all rows are below ``pages`` and all languages below ``languages``."""
        _check_range("rows", self.rows, 0, pages - 1)
        _check_range("languages", self.languages, NONE, languages - 1)


def check_probabilities(name: str, values: NDArray[np.float32] | ListTable[np.float32]) -> None:
    """Raise ValueError unless every value is a probability (with room for rounding).

    The message has the name of the array, the index and the value.
    """
    if values.size and not (values.min() >= 0 and values.max() <= ONE):  # NaN fails both
        table = np.asarray(values)
        at = np.argwhere(~((table >= 0) & (table <= ONE)))[0]
        raise ValueError(f"{name}[{', '.join(map(str, at))}] = {table[tuple(at)]} is not a probability from 0 to 1")


def _check_range(name: str, values: NDArray[np.signedinteger] | ListTable[np.int16], least: int, most: int) -> None:
    """Raise ValueError unless every value is in least..most."""
    if values.size and not (values.min() >= least and values.max() <= most):
        table = np.asarray(values)
        at = np.argwhere((table < least) | (table > most))[0]
        raise ValueError(f"{name}[{', '.join(map(str, at))}] = {table[tuple(at)]} is outside {least}..{most}")


@dataclass(frozen=True, slots=True)
class Contribution:
    """The log-odds that a neighbour or a piece of evidence added to the answer."""

    source: str  #: ``text``, ``site``, ``prior``, ``inlink``, ``outlink`` or the name of a signal
    neighbour: int  #: row of the neighbour, -1 where it is none
    kind: int  #: kind of the link, -1 where there is none
    language: int  #: best language of the neighbour or the evidence; -1 none
    weight: float  #: probability that the link keeps the language (a vote: 1); for evidence its weight
    log_odds: float  #: added to log P(answer) - log P(runner-up)


@dataclass(frozen=True, slots=True)
class Trace:
    """The reasons for the language of one page."""

    page: int
    contributions: tuple[Contribution, ...]  #: they sum to ``log_odds``
    log_odds: float  #: log P(answer) - log P(runner-up)
    rounds: tuple[tuple[int, float], ...]  #: best language and its probability, at the start and after each round


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The answers of one method for every page."""

    language: NDArray[np.int16]  #: -1 without evidence, shape (n,)
    confidence: NDArray[np.float32]  #: probability that the language is right, 0 where there is none, shape (n,)
    runner_up: NDArray[np.int16]  #: -1 where there is none, shape (n,)
    runner_up_confidence: NDArray[np.float32]  #: shape (n,)
    languages: NDArray[np.int16]  #: best first, -1 padding, shape (n, k)
    probabilities: NDArray[np.float32]  #: shape (n, k)
    rounds: int  #: number of rounds
    converged: bool  #: False if the cap on rounds was reached
    traces: Mapping[int, Trace] = field(default_factory=dict)  #: by row, for the rows to explain


def make_answer(
    languages: NDArray[np.int16],
    probabilities: NDArray[np.float32],
    *,
    rounds: int = 1,
    converged: bool = True,
    traces: Sequence[Trace] = (),
) -> Answer:
    """Make an Answer from the best languages of each page.

    ``languages`` (best first, -1 padding) and ``probabilities`` have shape (n, k).
    """
    n, k = languages.shape
    if k < 2:  # noqa: PLR2004  a runner-up needs a column
        languages = np.concatenate([languages, np.full((n, 2 - k), NONE, np.int16)], axis=1)
        probabilities = np.concatenate([probabilities, np.zeros((n, 2 - k), np.float32)], axis=1)
    languages = np.where(probabilities > 0, languages, NONE).astype(np.int16, copy=False)
    probabilities = np.where(languages >= 0, probabilities, 0).astype(np.float32, copy=False)
    return Answer(
        languages[:, 0].copy(),
        probabilities[:, 0].copy(),
        languages[:, 1].copy(),
        probabilities[:, 1].copy(),
        languages,
        probabilities,
        rounds,
        converged,
        {trace.page: trace for trace in traces},
    )
