"""py3langid, langid.py's naive Bayes over byte n-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.content.adapters.adapter import Adapter, imported

if TYPE_CHECKING:
    from collections.abc import Iterable


class Py3langid(Adapter):
    """py3langid with normalised probabilities over all its languages.

    Raises:
        ModelError: py3langid is not installed.
    """

    def __init__(self) -> None:
        module: Any = imported("py3langid.langid", "py3langid")
        self._identifier: Any = module.LanguageIdentifier.from_model_file(module.MODEL_FILE, norm_probs=True)
        super().__init__(name="py3langid", package="py3langid", codes=[str(code) for code in self._identifier.labels])

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Posterior of every language."""
        return [(str(code), float(score)) for code, score in self._identifier.rank(text)]
