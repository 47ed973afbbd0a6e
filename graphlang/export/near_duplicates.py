"""Leave out texts that are nearly the same as an earlier one, by MinHash with rensa, an extra.

Broder (1997): the share of equal minima of many hash functions is the Jaccard similarity of two sets, here of the runs
of five words. Bands of minima find similar texts without a comparison of all pairs.
"""

from __future__ import annotations

from collections import deque
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from graphlang.export.parquet import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable

_RUN: Final = 5  # words, or characters of a text without spaces
_PERMUTATIONS, _BANDS, _SEED = 128, 16, 42  # a text of similarity 0.9 is found with a probability of 0.99
_LONGEST_WORD: Final = 20  # characters; a text with longer ones on average has no spaces between words
#: Texts in a language that a text is compared with: the last ones. They take 2 KB each, and so 1 GB at most.
REMEMBERED: Final = 500_000


class NearDuplicates:
    """Texts in each language, and whether another one is nearly the same as one of them."""

    def __init__(self, share: float, remembered: int = REMEMBERED) -> None:
        """Take the part of their runs that similar texts share; raise MissingExtraError without rensa."""
        try:
            self._rensa: Any = import_module("rensa")
        except ImportError as error:
            raise MissingExtraError("near duplicates need rensa: pip install 'graphlang[near]'") from error
        self._share, self._remembered = share, remembered
        self._texts: dict[str, tuple[Any, deque[str]]] = {}
        self._added = 0

    def add(self, language: str, text: str) -> bool:
        """Remember a text; return False if it is nearly the same as an earlier one in the language."""
        signature = self._rensa.RMinHash(num_perm=_PERMUTATIONS, seed=_SEED)
        signature.update(list(_split_runs(text)))
        if language not in self._texts:
            seen = self._rensa.RMinHashDeduplicator(
                self._share, _PERMUTATIONS, use_lsh=True, num_bands=_BANDS, seed=_SEED
            )
            self._texts[language] = seen, deque()
        seen, names = self._texts[language]
        self._added += 1
        name = str(self._added)
        if not seen.add(name, signature):
            return False
        names.append(name)
        if len(names) > self._remembered:
            seen.remove(names.popleft())
        return True


def _split_runs(text: str) -> Iterable[str]:
    """Return the different runs of words, or of characters where words have no spaces between them.

    >>> sorted(_split_runs("One two three four five six"))
    ['one two three four five', 'two three four five six']
    >>> _split_runs("Two words"), len(_split_runs("粉屋は朝早く戸を開け、最初の袋を荷車に積みました"))
    ({'two words'}, 20)
    """
    units: list[str] | str = text.casefold().split()
    between = " "
    if len(text) > _LONGEST_WORD * len(units):
        units, between = "".join(units), ""
    return {between.join(units[at : at + _RUN]) for at in range(max(1, len(units) - _RUN + 1))}
