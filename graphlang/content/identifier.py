"""What every content method is to the rest of the program: texts in, calibrated probabilities out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from graphlang.content.ngrams.vocabulary import blocks
from graphlang.content.scoring import calibration
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_MOST_LOG = 40  # log; from the smallest difference of two similarities to certainty it takes less


@runtime_checkable
class Identifier(Protocol):
    """A content method with its model."""

    @property
    def name(self) -> str:
        """The method's name."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the columns of `probabilities`."""

    @property
    def hash(self) -> str:
        """SHA-256 of the model file, in hexadecimal."""

    def describe(self) -> dict[str, Any]:
        """The parameters of training and of the model, for the record of a run."""

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (texts, labels): each row sums to 1, or is all 0 when the text holds no letter."""


class Calibrated(ABC):
    """A method that measures similarity to every label; `calibration.inverse_temperature` makes probabilities of it.

    Args:
        name: The method.
        labels: Names of the columns.
        digest: Hash of the model file.
        parameters: For `describe`.
        limit: Characters of a text that are looked at; longer texts are sampled (`normalise.sample`).
        inverse_temperature: Its log at `calibration.KNOTS`, (knots,).

    Raises:
        ModelError: an inverse temperature that no fit gives.
    """

    concurrent = True  # threads may ask at the same time; of other programs nobody knows

    def __init__(
        self,
        *,
        name: str,
        labels: tuple[str, ...],
        digest: str,
        parameters: dict[str, Any],
        limit: int,
        inverse_temperature: NDArray[np.floating],
    ) -> None:
        if np.abs(inverse_temperature).max(initial=0) > _MOST_LOG:
            raise ModelError(f"{name}: the inverse temperature of the model is out of range")
        self.name = name
        self.labels = labels
        self.hash = digest
        self.limit = limit
        self._parameters = parameters
        self._inverse_temperature = inverse_temperature

    def describe(self) -> dict[str, Any]:
        """The parameters of training and of the model, for the record of a run."""
        return {"method": self.name, "labels": len(self.labels), "model": self.hash, **self._parameters}

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Calibrated probabilities, float32 (texts, labels). Rows of texts without letters are all 0, others sum to 1.

        A row depends on its own text alone, not on the batch it comes in.
        """
        answer = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        for start, stop in blocks(texts, limit=self.limit):
            scores, letters = self.similarities(texts[start:stop])
            scores *= calibration.inverse_temperature(self._inverse_temperature, letters)[:, None]
            found = calibration.probabilities(scores)
            found[letters == 0] = 0
            answer[start:stop] = found
        return answer

    @abstractmethod
    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Similarity of each text to each label, (texts, labels), and the number of letters and spaces of each text."""
