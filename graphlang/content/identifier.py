"""The interface of content methods: texts in, calibrated probabilities out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from graphlang.content import calibration
from graphlang.content.text.normalise import cut_blocks
from graphlang.modelfile import ModelError, take_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.modelfile import Model


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
        """Describe the training and the model, for the record of a run."""

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute probabilities, (texts, labels): each row sums to 1, or is all 0 when the text holds no letter."""


class Calibrated(ABC):
    """A method that measures the similarity to every label and calibrates it (`calibration`).

    `digest` is the SHA-256 of the model file in hexadecimal, `source` its path, for messages. `name` is that of the
    method in runs, by default that in the model; `labels` are those of the columns, by default those of the model.
    Raise a ModelError if the arrays of the model are not those of this method.
    """

    concurrent = True  # safe in several threads; other programs may not be
    each_script: ClassVar[bool] = False  #: whether the model has an inverse temperature for each script
    most_log: ClassVar[float] = 40.0  #: of the inverse temperature, enough for certainty with any two similarities

    def __init__(
        self,
        model: Model,
        digest: str,
        source: str,
        *,
        name: str = "",
        labels: tuple[str, ...] | None = None,
    ) -> None:
        self.name = name or model.method
        self.labels = model.labels if labels is None else labels
        self.hash = digest
        #: Characters of a text that are read (of longer ones a sample), and whether a space follows the last word.
        self.limit, self.closed = _read_settings(model, source)
        self._parameters = dict(model.parameters)
        shape = (None, len(calibration.KNOTS)) if self.each_script else (len(calibration.KNOTS),)
        self._inverse_temperature = take_array(model, "sharpness", "f", shape, source, maximum=self.most_log)

    def describe(self) -> dict[str, Any]:
        """Describe the training and the model, for the record of a run."""
        return {"method": self.name, "labels": len(self.labels), "model": self.hash, **self._parameters}

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute calibrated probabilities, (texts, labels). Rows sum to 1, or are all 0 without letters.

        A row depends on its text only, not on the batch.
        """
        answer = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        for start, stop in cut_blocks(texts, limit=self.limit):
            scores, letters = self.similarities(texts[start:stop])
            scores *= calibration.interpolate_inverse_temperature(self._inverse_temperature, letters)[:, None]
            answer[start:stop] = calibration.compute_probabilities(scores)
            answer[start:stop][letters == 0] = 0
        return answer

    @abstractmethod
    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Measure the similarity to each label, (texts, labels), and count letters and spaces, (texts,)."""


def _read_settings(model: Model, source: str) -> tuple[int, bool]:
    """Read the parameters `limit` and `closed`."""
    limit: Any = model.parameters.get("limit")
    closed: Any = model.parameters.get("closed")
    if type(limit) is not int or not 1 <= limit <= 1_000_000 or type(closed) is not bool:  # noqa: PLR2004
        raise ModelError(f"{source}: its parameters limit and closed are missing or wrong")
    return limit, closed
