"""Which script a text is written in, and only the letters of that one.

Pages in Chinese, Russian or Hindi are full of product names, code and addresses in Latin letters; pages in English hold
next to no Chinese. So the scripts of a text are no vote of equals: Latin wins only where hardly anything else stands
beside it. The rule (shares chosen on web pages with known languages):

* a letter of the writing systems of East Asia counts three times, since it stands for a syllable or a word;
* a script other than Latin needs two letters at least, and `SHARE` of all that is counted;
* of several scripts other than Latin the one that counts most wins.

Letters of all other scripts are then taken for spaces. Scripts are told by the first word of a character's name in the
Unicode Character Database, which Python holds. Han, kana, hangul and bopomofo are one writing system here, because
texts mix them as they please. Marks that many scripts share (U+0300..) belong to none and stay.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARE = 0.15
EAST_ASIA = "EAST ASIA"
LATIN = 1
_FEWEST = 2
_DENSE = 3
_FIRST_OTHER = 0x370  # no letter before this one is of a script other than Latin
FIRST_OTHER_LETTER = chr(_FIRST_OTHER)
_PAGE = 8
_EAST_ASIA = frozenset({"CJK", "HANGUL", "HIRAGANA", "KATAKANA", "BOPOMOFO", "IDEOGRAPHIC", "HENTAIGANA"})
_SHARED = frozenset({"COMBINING", "MODIFIER", "VARIATION", "MUSICAL", "VERTICAL", ""})
_OTHER_NAMES = {"ROMAN": "LATIN", "TURNED": "LATIN", "VIETNAMESE": "COMBINING", "VEDIC": "COMBINING"}


class Registry:
    """Numbers for scripts: 0 for what belongs to none, 1 for Latin, the others in the order in which they turn up.

    Numbers hold in this process only; `name` gives what may be written down.

    >>> scripts = Registry()
    >>> [scripts.name(n) for n in scripts(np.array([0x61, 0x20, 0x3042, 0x4E00, 0x0431], dtype=np.uint32)).tolist()]
    ['LATIN', '', 'EAST ASIA', 'EAST ASIA', 'CYRILLIC']
    """

    def __init__(self) -> None:
        self._names = ["", "LATIN"]
        self._map = np.zeros(0x110000, dtype=np.uint8)
        self._known = np.zeros(0x110000 >> _PAGE, dtype=np.bool_)

    def __call__(self, symbols: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """The script of each code point."""
        used = np.zeros(len(self._known), dtype=np.bool_)
        used[symbols >> _PAGE] = True
        for page in np.flatnonzero(used & ~self._known).tolist():
            first = page << _PAGE
            self._map[first : first + (1 << _PAGE)] = [self._script(c) for c in range(first, first + (1 << _PAGE))]
            self._known[page] = True
        return self._map[symbols]

    def __len__(self) -> int:
        return len(self._names)

    def name(self, number: int) -> str:
        """The name of a script: a word of the Unicode Character Database, or `EAST ASIA`; empty for 0."""
        return self._names[number]

    def number(self, name: str) -> int:
        """The number of a script."""
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def _script(self, code_point: int) -> int:
        character = chr(code_point)
        if unicodedata.category(character)[0] not in "LM":
            return 0
        word = unicodedata.name(character, "").split(" ")[0].split("-")[0]
        word = _OTHER_NAMES.get(word, word)
        return 0 if word in _SHARED else self.number(EAST_ASIA if word in _EAST_ASIA else word)


registry = Registry()


def restrict(
    symbols: NDArray[np.uint32],
    ends: NDArray[np.int64],
    *,
    space: int,
    wanted: NDArray[np.uint8] | None = None,
    share: float = SHARE,
) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Keep in every row the letters of one script.

    Args:
        symbols: Normalised characters of all rows, one row after the other, `space` where there is no letter.
        ends: Where each row ends.
        space: What takes the place of the other letters.
        wanted: The script of each row, where that has been decided; 0 leaves the decision to the rule.
        share: Of what is counted, that a script other than Latin needs.

    Returns:
        The symbols (the same array where nothing had to go), and the script of each row, 1 (Latin) for those without
        any letter.
    """
    rows = len(ends)
    chosen = np.full(rows, LATIN, dtype=np.uint8) if wanted is None else np.where(wanted == 0, LATIN, wanted)
    chosen = chosen.astype(np.uint8)
    places = np.flatnonzero(symbols >= _FIRST_OTHER)
    if len(places):
        script = registry(symbols[places])
        row = np.searchsorted(ends, places, side="right")
        if wanted is None or not wanted.all():
            ruled = _decide(symbols, ends, script, row, share)
            chosen = ruled if wanted is None else np.where(wanted == 0, ruled, wanted)
        foreign = places[(script != chosen[row]) & (script != 0)]
        if len(foreign):
            symbols = symbols.copy()
            symbols[foreign] = space
    if (chosen != LATIN).any():
        lengths = np.diff(ends, prepend=0)
        latin = (symbols != space) & (symbols < _FIRST_OTHER)
        latin &= ~((symbols >= 0x300) & (symbols < _FIRST_OTHER))  # noqa: PLR2004 - marks of all scripts
        latin &= np.repeat(chosen != LATIN, lengths)
        if latin.any():
            symbols = np.where(latin, np.uint32(space), symbols)
    return symbols, chosen


def _decide(
    symbols: NDArray[np.uint32],
    ends: NDArray[np.int64],
    script: NDArray[np.uint8],
    row: NDArray[np.int64],
    share: float,
) -> NDArray[np.uint8]:
    rows, scripts = len(ends), len(registry)
    counts = np.bincount(row * scripts + script, minlength=rows * scripts).reshape(rows, scripts)
    letters = np.cumsum(symbols != 0x20)  # noqa: PLR2004
    letters = np.diff(letters[ends - 1], prepend=0)
    latin = letters - counts.sum(axis=1) + counts[:, LATIN]
    counts[:, : LATIN + 1] = 0
    weights = np.ones(scripts, dtype=np.int64)
    weights[[n for n in range(scripts) if registry.name(n) == EAST_ASIA]] = _DENSE
    weighed = counts * weights
    best = weighed.argmax(axis=1)
    of_best = counts[np.arange(rows), best]
    weight = weighed.sum(axis=1)
    wins = (of_best >= _FEWEST) & (weight >= share * (weight + latin)) | ((of_best > 0) & (latin == 0))
    return np.where(wins, best, LATIN).astype(np.uint8)
