"""What every method over the graph answers: a language for each page, how sure it is, and what came second."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Contribution:
    """How far one neighbour or one piece of evidence moved a page towards its answer."""

    source: str  #: ``text``, ``site``, ``prior``, ``inlink``, ``outlink`` or the name of a signal
    neighbour: int  #: row of the neighbour, -1 where it is none
    kind: int  #: kind of the link, -1 where there is none
    language: int  #: what the neighbour, or the evidence, most likely says; -1 nothing
    weight: float  #: how likely this link keeps the language (a vote: 1); for evidence its weight
    log_odds: float  #: added to log P(answer) - log P(runner-up)


@dataclass(frozen=True, slots=True)
class Trace:
    """Why one page has its language."""

    page: int
    contributions: tuple[Contribution, ...]  #: they sum to ``log_odds``
    log_odds: float  #: log P(answer) - log P(runner-up) before the confidence is calibrated
    rounds: tuple[tuple[int, float], ...]  #: best language and its probability, at the start and after each round


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """One method's answer for every page."""

    language: NDArray[np.int16]  #: -1 where neither text nor graph says anything, shape (n,)
    confidence: NDArray[np.float32]  #: probability that the language is right, 0 where there is none, shape (n,)
    runner_up: NDArray[np.int16]  #: -1 where there is none, shape (n,)
    runner_up_confidence: NDArray[np.float32]  #: shape (n,)
    languages: NDArray[np.int16]  #: best first, -1 padding, shape (n, k)
    probabilities: NDArray[np.float32]  #: shape (n, k)
    rounds: int  #: rounds that were needed
    converged: bool  #: False where the cap on rounds ended it
    traces: Mapping[int, Trace] = field(default_factory=dict)  #: of the pages asked for


def answer(
    languages: NDArray[np.int16],
    probabilities: NDArray[np.float32],
    *,
    rounds: int = 1,
    converged: bool = True,
    traces: Sequence[Trace] = (),
) -> Answer:
    """Make an Answer from the best few languages of each page.

    Args:
        languages: best first, -1 padding, shape (n, k).
        probabilities: of them, shape (n, k).
        rounds: that were needed.
        converged: whether the method ended by itself.
        traces: of the pages asked for.
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
