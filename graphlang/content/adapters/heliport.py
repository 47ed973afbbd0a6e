"""HeLI-OTS through heliport, its port to Rust: frequencies of words, and of n-grams where words are unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.content.adapters.adapter import Adapter, imported

if TYPE_CHECKING:
    from collections.abc import Iterable

_NOTHING = ("und", "zxx")  # below the threshold of its language; no letters


class Heliport(Adapter):
    """heliport with its thresholds: one answer, or none; it has no probabilities.

    Raises:
        ModelError: heliport is not installed.
    """

    def __init__(self) -> None:
        module: Any = imported("heliport", "heliport")
        self._identifier: Any = module.Identifier()
        codes = sorted(set(map(str, self._identifier.get_confidence_all())).difference(_NOTHING))
        super().__init__(name="heliport", package="heliport", codes=codes)

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """All to its answer; nothing where it has none."""
        code = str(self._identifier.identify(text))
        return [] if code in _NOTHING else [(code, 1.0)]
