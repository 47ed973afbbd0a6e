"""What the adapters share: a peer's own codes become our labels, its scores one row of probabilities."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.codes import languages
from graphlang.content.text.normalise import normalise, sample
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_LONGEST = 10_000  # characters of a text that a peer is given, from all over it


def imported(module: str, package: str) -> Any:
    """A module of a peer.

    Args:
        module: Its full name.
        package: What pip calls it.

    Raises:
        ModelError: it is not installed; with the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ModelError(f"{package} is not installed ({error}): pip install {package}") from error


class Adapter(ABC):
    """A peer behind the interface of our own methods.

    What the peer leaves open, because it gives only a few candidates or gives up, goes to the label `und`, so that
    rows sum to 1 and the peer's own confidence stays what it was.

    Args:
        name: Our name of the method.
        package: The distribution that has to be installed.
        codes: All codes that the peer can answer.
    """

    def __init__(self, *, name: str, package: str, codes: Iterable[str]) -> None:
        self.name = name
        known = {code: self.label(code) for code in codes}
        self.labels = (*sorted({label for label in known.values() if label is not None}), languages.UND)
        place = {label: index for index, label in enumerate(self.labels)}
        self._columns = {code: place[label] for code, label in known.items() if label is not None}
        self._about = {"method": name, "package": package, "version": importlib.metadata.version(package)}
        self.hash = hashlib.sha256(" ".join((*self._about.values(), *self.labels)).encode()).hexdigest()

    @staticmethod
    def label(code: str) -> str | None:
        """Our label of the peer's code; None where it names no language."""
        return languages.label(code)

    def describe(self) -> dict[str, Any]:
        """Name and version of the peer, and how many labels it has."""
        return {**self._about, "labels": len(self.labels), "model": self.hash}

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The peer's own confidence, float32 (texts, labels). Rows sum to 1, or are all 0 where there is no letter.

        The peers are asked one text after the other: that is how they are built.
        """
        answer = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        letters = normalise(texts, limit=_LONGEST).lengths
        for row in np.flatnonzero(letters).tolist():
            for code, score in self.scores(_sound(sample(texts[row], _LONGEST))):
                # A code that is not on the peer's own list is kept apart, not dropped.
                answer[row, self._columns.get(code, -1)] += max(score, 0.0)
        sums = answer.sum(axis=1)
        answer[letters > 0, -1] += np.maximum(1 - sums, 0)[letters > 0]
        answer /= np.maximum(sums, 1)[:, None]
        return answer

    @abstractmethod
    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """The peer's codes and scores, from 0 to 1, for a text that holds letters."""


def _sound(text: str) -> str:
    """The text without what peers fail on: lone surrogates, NUL and other controls, line ends."""
    kept = text.encode("utf-8", "replace").decode()
    return "".join([character if character >= " " and not "\x7f" <= character < "\xa0" else " " for character in kept])
