"""Google's Compact Language Detector 2, through pycld2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.codes import languages
from graphlang.content.adapters.adapter import Adapter, imported

if TYPE_CHECKING:
    from collections.abc import Iterable


class Cld2(Adapter):
    """CLD2 gives up to three languages with their share of the text, and none where it is not sure.

    Raises:
        ModelError: pycld2 is not installed.
    """

    def __init__(self) -> None:
        self._cld2: Any = imported("pycld2", "pycld2")
        detected = set(self._cld2.DETECTED_LANGUAGES)
        codes = [code for name, code in self._cld2.LANGUAGES if name in detected]
        super().__init__(name="cld2", package="pycld2", codes=codes)

    @staticmethod
    def label(code: str) -> str | None:
        """Our label; CLD2's codes of scripts (`xx-Cher`) and of test languages name no language."""
        return None if code.startswith(("xx", "zz")) else languages.label(code)

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Shares of the text, in hundredths as CLD2 gives them."""
        try:
            _, _, found = self._cld2.detect(text, isPlainText=True)
        except self._cld2.error:
            return []  # bytes that it takes for invalid: nothing is known
        return [(code, share / 100) for _, code, share, _ in found if code != "un"]
