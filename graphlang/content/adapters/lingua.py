"""lingua (the Rust version), with all its languages and its full models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.content.adapters.adapter import Adapter, imported

if TYPE_CHECKING:
    from collections.abc import Iterable


class Lingua(Adapter):
    """lingua gives every language a confidence; they sum to 1. Its models take some GB of memory as they are used.

    Raises:
        ModelError: lingua is not installed.
    """

    def __init__(self) -> None:
        module: Any = imported("lingua", "lingua-language-detector")
        self._detector: Any = module.LanguageDetectorBuilder.from_all_languages().build()
        every = [self._code(language) for language in module.Language.all()]
        super().__init__(name="lingua", package="lingua-language-detector", codes=every)

    @staticmethod
    def _code(language: Any) -> str:
        return str(language.iso_code_639_3.name).lower()

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Confidence of every language."""
        found = self._detector.compute_language_confidence_values(text)
        return [(self._code(one.language), float(one.value)) for one in found]
