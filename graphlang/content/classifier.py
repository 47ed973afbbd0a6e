"""A user's classifier as a content method: an object with `labels` and `probabilities(texts)`.

Another package adds one under the entry point group ``graphlang.methods`` (`graphlang.plugins`): the entry point names
a class or a function without arguments that returns the object, and its name is the method's. In Python the object
itself can be passed as a method: ``crawl.classify(classifier)``.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

import numpy as np

from graphlang import plugins
from graphlang.codes import languages
from graphlang.content.text.normalise import normalise
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

    from numpy.typing import ArrayLike, NDArray

_READ = 2000  # characters of a text that are searched for a letter
_LISTED = 5  # labels in an error
_ROUNDING = 1e-3  # by which a row of probabilities may exceed a sum of 1


class Classifier(Protocol):
    """The interface of a classifier; `hash` and `describe()` are optional."""

    @property
    def labels(self) -> Sequence[str]:
        """Language codes of any usual kind (``de``, ``deu``, ``sr-Latn``, ``zh_Hans``), one for each column."""

    def probabilities(self, texts: Sequence[str]) -> ArrayLike:
        """Return numbers of 0 or more, (texts, labels); the rest of a row up to 1 goes to ``und``."""


class ClassifierMethod:
    """A classifier with the interface of content methods.

    Its codes become labels of graphlang, and columns of one label are summed. It gets only texts with letters, and its
    answers are checked. `origin` is package and version, for the record of a run. Without it and without a `hash` of
    the classifier, the object counts as a new model, whose earlier answers are not reused. Raise a ModelError if it
    lacks `labels` or `probabilities`, or if a label names no language.

    >>> class Vowels:
    ...     labels = ("it", "de")
    ...     def probabilities(self, texts):
    ...         shares = [sum(letter in "aeiou" for letter in text) / len(text) for text in texts]
    ...         return [[share, 0.75 * (1 - share)] for share in shares]
    >>> method = ClassifierMethod("vowels", Vowels(), {})
    >>> method.labels
    ('deu', 'ita', 'und')
    >>> method.probabilities(["aeio", "pst!", "42"]).tolist()
    [[0.0, 1.0, 0.0], [0.75, 0.0, 0.25], [0.0, 0.0, 0.0]]
    """

    def __init__(self, name: str, classifier: Classifier, origin: dict[str, str]) -> None:
        if not callable(getattr(classifier, "probabilities", None)) or not hasattr(classifier, "labels"):
            kind = type(classifier).__name__
            raise ModelError(f"{name}: a method needs labels and probabilities(texts); {kind} lacks one of them")
        self.name = name
        self._classifier = classifier
        codes = [str(code) for code in classifier.labels]
        labels = [languages.label(code) for code in codes]
        if wrong := [code for code, label in zip(codes, labels, strict=True) if label is None]:
            omitted = f" and {len(wrong) - _LISTED} more" if len(wrong) > _LISTED else ""
            is_none = "is not a language" if len(wrong) == 1 else "are not languages"
            listed = ", ".join(wrong[:_LISTED])
            raise ModelError(f"{name}: {listed}{omitted} {is_none}; name a column of no language und")
        if not codes:
            raise ModelError(f"{name}: it has no labels")
        self.labels = (*sorted({label for label in labels if label and label != languages.UND}), languages.UND)
        place = {label: column for column, label in enumerate(self.labels)}
        self._columns = [place[label] for label in labels if label is not None]
        describe = getattr(classifier, "describe", None)
        description: dict[str, Any] = dict(describe()) if callable(describe) else {}
        self._about = {**description, **origin, "method": name, "labels": len(self.labels)}
        # Two objects of a class that are passed in Python may have different answers.
        identity = [self._about, codes, str(getattr(classifier, "hash", "" if origin else uuid4()))]
        self.hash = hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()

    def describe(self) -> dict[str, Any]:
        """Return the classifier's description with its package, version and number of labels."""
        return {**self._about, "model": self.hash}

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Ask the classifier, (texts, labels). Rows sum to 1, or are all 0 without a letter.

        Raise a ModelError if it fails or returns something other than probabilities.
        """
        answer = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        rows = np.flatnonzero(normalise(texts, limit=_READ).lengths)
        if not len(rows):
            return answer
        chances = self._ask_classifier([texts[row] for row in rows.tolist()])
        summed = np.zeros((len(rows), len(self.labels)))
        for values, column in zip(chances.T, self._columns, strict=True):  # several of its labels may map to one label
            summed[:, column] += values
        sums = summed.sum(axis=1)
        summed[:, -1] += np.maximum(1 - sums, 0)
        answer[rows] = summed / np.maximum(sums, 1)[:, None]
        return answer

    def _ask_classifier(self, texts: list[str]) -> NDArray[np.float64]:
        try:
            chances = np.asarray(self._classifier.probabilities(texts), dtype=np.float64)
        except plugins.FAILURES as error:
            raise ModelError(f"the method {self.name} failed: {type(error).__name__}: {error}") from error
        shape = (len(texts), len(self._columns))
        if chances.shape != shape:
            raise ModelError(f"the method {self.name} returned an array of shape {chances.shape}, expected {shape}")
        if not np.isfinite(chances).all() or chances.min() < 0:
            wrong = chances[~np.isfinite(chances) | (chances < 0)][0]
            raise ModelError(f"the method {self.name} returned {wrong}, which is not a probability")
        if chances.sum(axis=1).max() > 1 + _ROUNDING:
            raise ModelError(
                f"the method {self.name} returned probabilities of a text that sum to {chances.sum(axis=1).max():.3f}"
            )
        return chances


def names() -> dict[str, str]:
    """List the methods of other packages, and the package of each; none unless the user asked for plug-ins."""
    return {name: f"added by {' '.join(plugins.find_package(entry))}" for name, entry in _list_entries().items()}


def load(name: str) -> ClassifierMethod:
    """Load a method of another package.

    Raise a ModelError if it is not a classifier, a PluginError if it cannot be loaded.
    """
    entry = _list_entries()[name]
    maker = plugins.load_plugin(entry)
    try:
        classifier = maker()
    except plugins.FAILURES as error:
        raise ModelError(f"{plugins.describe_plugin(entry)} failed: {type(error).__name__}: {error}") from error
    package, version = plugins.find_package(entry)
    return ClassifierMethod(name, classifier, {"package": package, "version": version})


def _list_entries() -> dict[str, EntryPoint]:
    return plugins.list_plugins(plugins.METHODS)
