"""Common Crawl's model over bytes: about a second a text, whatever its length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.content.adapters.adapter import Adapter, imported

if TYPE_CHECKING:
    from collections.abc import Iterable


class CommonLingua(Adapter):
    """common_lingua with its softmax over all languages; what is none to us (LaTeX) goes to `und`.

    Raises:
        ModelError: common_lingua is not installed.
    """

    def __init__(self) -> None:
        module: Any = imported("common_lingua", "common-lingua")
        self._detect: Any = module.detect
        # It lists its languages nowhere but in an answer, which has them all.
        super().__init__(name="common-lingua", package="common-lingua", codes=sorted(map(str, self._detect("a"))))

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """The model's softmax."""
        return [(str(code), float(score)) for code, score in self._detect(text).items()]
