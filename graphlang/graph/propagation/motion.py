"""Where the rounds stand: between two of them, at pages that only tell, and when they have ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray


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
