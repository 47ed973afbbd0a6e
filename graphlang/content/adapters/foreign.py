"""A classifier of somebody else as a content method: an object with `labels` and `probabilities(texts)`.

Another package adds one under the entry point group ``graphlang.methods`` (`graphlang.plugins`): the entry point names
a class or a function without arguments that gives the object, and its name is the method's. In Python the object itself
stands for a method: ``crawl.classify(mine)``.
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

_COUNTED = 2000  # characters of a text in which a letter is looked for
_ROOM = 1e-3  # that a row of probabilities may sum to more than 1


class Classifier(Protocol):
    """What a classifier has to have; `hash` and `describe()` are used where it has them."""

    @property
    def labels(self) -> Sequence[str]:
        """Language codes of any usual kind (``de``, ``deu``, ``sr-Latn``, ``zh_Hans``), one for each column."""

    def probabilities(self, texts: Sequence[str]) -> ArrayLike:
        """Shape (texts, labels): numbers of 0 or more; what a row lacks to 1 is doubt, and goes to ``und``."""


class Foreign:
    """A classifier behind the interface of our own methods.

    Its codes become labels of ours. Columns of one label are summed, columns of no language go to ``und``. Texts
    without letters are not asked about. Its answers are checked, for a run must not be filled with what is none.

    Args:
        name: the method's name.
        classifier: what answers.
        origin: what is known of where it comes from, for the record of a run. Where that is nothing, and the classifier
            has no `hash`, it is taken for another model than any before, and no earlier answers for its own.

    Raises:
        ModelError: it lacks `labels` or `probabilities`, or none of its labels names a language.

    >>> class Vowels:
    ...     labels = ("it", "de")
    ...     def probabilities(self, texts):
    ...         shares = [sum(letter in "aeiou" for letter in text) / len(text) for text in texts]
    ...         return [[share, 0.75 * (1 - share)] for share in shares]
    >>> method = Foreign("vowels", Vowels(), {})
    >>> method.labels
    ('deu', 'ita', 'und')
    >>> method.probabilities(["aeio", "pst!", "42"]).tolist()
    [[0.0, 1.0, 0.0], [0.75, 0.0, 0.25], [0.0, 0.0, 0.0]]
    """

    def __init__(self, name: str, classifier: Classifier, origin: dict[str, str]) -> None:
        if not callable(getattr(classifier, "probabilities", None)) or not hasattr(classifier, "labels"):
            kind = type(classifier).__name__
            raise ModelError(f"{name}: a method needs labels and probabilities(texts), which {kind} has not")
        self.name = name
        self._classifier = classifier
        codes = [str(code) for code in classifier.labels]
        known = [languages.label(code) for code in codes]
        if not any(known):
            raise ModelError(f"{name}: none of its labels is a language: {', '.join(codes[:5]) or 'there are none'}")
        self.labels = (*sorted({label for label in known if label and label != languages.UND}), languages.UND)
        place = {label: column for column, label in enumerate(self.labels)}
        self._columns = [place.get(label or languages.UND, len(self.labels) - 1) for label in known]
        describe = getattr(classifier, "describe", None)
        own: dict[str, Any] = dict(describe()) if callable(describe) else {}
        self._about = {**own, **origin, "method": name, "labels": len(self.labels)}
        # Of an object that was given in Python nothing tells whether it answers as the last one of its class did.
        told = [self._about, codes, str(getattr(classifier, "hash", "" if origin else uuid4()))]
        self.hash = hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()

    def describe(self) -> dict[str, Any]:
        """What the classifier says of itself, its package and version, and how many labels it has."""
        return {**self._about, "model": self.hash}

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The classifier's own probabilities, float32 (texts, labels). Rows sum to 1, or are all 0 without a letter.

        Raises:
            ModelError: it fails, or what it gives are no probabilities; with the first number that is none.
        """
        answer = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        rows = np.flatnonzero(normalise(texts, limit=_COUNTED).lengths)
        if not len(rows):
            return answer
        found = self._asked([texts[row] for row in rows.tolist()])
        gathered = np.zeros((len(rows), len(self.labels)))
        for own, column in zip(found.T, self._columns, strict=True):  # several of its labels may be one of ours
            gathered[:, column] += own
        sums = gathered.sum(axis=1)
        gathered[:, -1] += np.maximum(1 - sums, 0)
        answer[rows] = gathered / np.maximum(sums, 1)[:, None]
        return answer

    def _asked(self, texts: list[str]) -> NDArray[np.float64]:
        try:
            found = np.asarray(self._classifier.probabilities(texts), dtype=np.float64)
        except plugins.FAILURES as error:
            raise ModelError(f"the method {self.name} failed: {type(error).__name__}: {error}") from error
        wanted = (len(texts), len(self._columns))
        if found.shape != wanted:
            raise ModelError(f"the method {self.name} gave an array of shape {found.shape} where {wanted} was expected")
        if not np.isfinite(found).all() or found.min() < 0:
            wrong = found[~np.isfinite(found) | (found < 0)][0]
            raise ModelError(f"the method {self.name} gave {wrong}, which is no probability")
        if found.sum(axis=1).max() > 1 + _ROOM:
            raise ModelError(
                f"the method {self.name} gave probabilities of one text that sum to {found.sum(axis=1).max():.3f}"
            )
        return found


def names() -> dict[str, str]:
    """The methods that other packages add, and which package that is; none where the user did not ask for them."""
    return {name: f"added by {' '.join(plugins.package(entry))}" for name, entry in _entries().items()}


def load(name: str) -> Foreign:
    """A method that another package adds.

    Args:
        name: one of `names`.

    Raises:
        ModelError: it is no classifier.
        PluginError: it cannot be loaded.
    """
    entry = _entries()[name]
    maker = plugins.load(entry)
    try:
        made = maker()
    except plugins.FAILURES as error:
        raise ModelError(f"{plugins.told(entry)} failed: {type(error).__name__}: {error}") from error
    package, version = plugins.package(entry)
    return Foreign(name, made, {"package": package, "version": version})


def _entries() -> dict[str, EntryPoint]:
    return plugins.found(plugins.METHODS)
