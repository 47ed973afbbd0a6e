"""Two URL methods merged into one (Baykan et al. 2008, section 3.3): ``A or B`` and ``A and B``.

Recall improvement (``or``): a language has a yes where either method says yes. Precision improvement (``and``): where
both do. As a method that gives probabilities, the merged one answers with the best of the languages that have a
yes, by the mean of both methods' probabilities, and with ``und`` where no language has one.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.codes.languages import UND
from graphlang.urls.baykan2008.merge import improve_precision, improve_recall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from graphlang.urls.identifier import UrlIdentifier

MERGES: dict[str, Callable[[NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.bool_]]] = {
    "or": improve_recall,
    "and": improve_precision,
}


def parts(name: str) -> tuple[str, str, str] | None:
    """Main method, ``or`` or ``and``, and helper of a merged method's name; None for any other name.

    >>> parts("url-words-me or url-words-re")
    ('url-words-me', 'or', 'url-words-re')
    """
    for how in MERGES:
        main, found, helper = name.partition(f" {how} ")
        if found and main.strip() and helper.strip():
            return main.strip(), how, helper.strip()
    return None


class Merged:
    """Two methods as one.

    Args:
        main: The one method.
        helper: The other; both are equally privileged, as footnote 9 has it.
        how: ``or`` for recall improvement, ``and`` for precision improvement.
    """

    def __init__(self, main: UrlIdentifier, helper: UrlIdentifier, how: str) -> None:
        self.name = f"{main.name} {how} {helper.name}"
        self.hash = hashlib.sha256(f"{main.hash} {how} {helper.hash}".encode()).hexdigest()
        self._languages = tuple(sorted({*main.labels, *helper.labels}))
        self.labels = (*self._languages, UND)
        self._how = MERGES[how]
        self._methods = tuple(
            (method, np.array([self._languages.index(label) for label in method.labels])) for method in (main, helper)
        )

    def describe(self) -> dict[str, Any]:
        """The parameters of both, for the record of a run."""
        main, helper = (method.describe() for method, _ in self._methods)
        return {"method": self.name, "main": main, "helper": helper}

    def decisions(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Yes or no for each language, (urls, labels); never yes for ``und``."""
        main, helper = (self._spread(method.decisions(urls), columns, bool) for method, columns in self._methods)
        return np.asarray(self._how(main, helper))

    def probabilities(self, urls: Sequence[str]) -> NDArray[np.float32]:
        """Float32 (urls, labels), each row sums to 1, and its best language is one that has a yes."""
        main, helper = (
            self._spread(method.probabilities(urls), columns, np.float32) for method, columns in self._methods
        )
        mean = (main + helper) / 2
        yes = self.decisions(urls)
        best = np.where(yes, mean, 0).max(axis=1, keepdims=True)
        # The languages without a yes keep their order, and come after the best.
        other = np.where(yes, 0, mean).max(axis=1, keepdims=True)
        mean *= np.where(yes | (other < best), 1, 0.99 * best / np.maximum(other, 1e-9))
        none = ~yes.any(axis=1)
        mean[none] = 0
        mean[none, -1] = 1
        return np.asarray(mean / mean.sum(axis=1, keepdims=True), dtype=np.float32)

    def _spread(self, found: NDArray[Any], columns: NDArray[np.int64], kind: type) -> NDArray[Any]:
        """The columns of one method as columns of this one; a language that it does not know has 0, or no."""
        answer: NDArray[Any] = np.zeros((len(found), len(self.labels)), dtype=kind)
        answer[:, columns] = found
        return answer
