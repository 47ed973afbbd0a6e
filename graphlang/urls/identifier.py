"""What every URL method is to the rest of the program: URLs in, probabilities and decisions out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class UrlIdentifier(Protocol):
    """A URL method with its model."""

    @property
    def name(self) -> str:
        """The method's name."""

    @property
    def labels(self) -> tuple[str, ...]:
        """ISO 639-3 codes, in the order of the columns of `probabilities`; a merged method has ``und`` at the end."""

    @property
    def hash(self) -> str:
        """SHA-256 of the model file, in hexadecimal; empty for a method without a model."""

    def describe(self) -> dict[str, Any]:
        """The parameters of training and of the model, for the record of a run."""

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Shape (urls, labels); each row sums to 1, whatever the string holds."""

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Shape (urls, labels): yes or no for each language, as the paper decides."""
