"""The shapes of what runs answer: arrays with a row for each page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


ROWS_AT_ONCE = 100_000  #: that are read from the database


class RunAnswers(NamedTuple):
    """Answers for some pages, as arrays of equal length; -1 in a label column means none."""

    pages: NDArray[np.int64]  #: page ids
    label: NDArray[np.int64]  #: ``labels.id``
    confidence: NDArray[np.float64]
    runner_up: NDArray[np.int64]
    runner_up_confidence: NDArray[np.float64]
    characters: NDArray[np.int64]
    encodings: Sequence[str | None] | None = None  #: of methods over bytes; not read back by `read_answers`
    read: Sequence[int] | None = None  #: digests of what was read of the pages; not read back by `read_answers`


class PageShare(NamedTuple):
    """What a page in several languages has of one of them."""

    page: int
    rank: int  #: 1 for the greatest share
    label: int  #: ``labels.id``
    share: float  #: of its letters


class Scores(NamedTuple):
    """Score lists of some pages, one behind the other; s scores in all."""

    count: NDArray[np.int32]  #: scores of each page, shape (pages,)
    label: NDArray[np.int32]  #: ``labels.id``, of each page best first, shape (s,)
    score: NDArray[np.float32]  #: shape (s,)


class LinkedAnswers(NamedTuple):
    """Answers for pages one after the other by id, as arrays of equal length; -1 in a label column means none."""

    label: NDArray[np.integer[Any]]  #: ``labels.id``
    confidence: NDArray[np.floating[Any]]
    runner_up: NDArray[np.integer[Any]]
    runner_up_confidence: NDArray[np.floating[Any]]
