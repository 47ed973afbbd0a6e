"""Numbers of scripts, and the rule by which a text has one main script.

Pages in Chinese, Russian or Hindi are full of product names, code and addresses in Latin letters; pages in English have
almost no Chinese. So the scripts of a text do not count equally: Latin wins only if there is little else. The rule
(with shares chosen on labelled web pages):

* a letter of the writing systems of East Asia counts three times, because it is a syllable or a word;
* a script other than Latin needs at least two letters, and `SHARE` of the total;
* of several scripts other than Latin, the one with the largest count wins.

Before that, a word that mixes Latin and Cyrillic letters is assigned to one of the two, if all its letters of the other
one look like letters there: texts in Serbian, Kazakh or Chuvash have many such words.

Letters of all other scripts then count as spaces (`normalise`, whose kernel counts). The script of a letter is the
first word of its name in the Unicode Character Database, which Python has. Han, kana, hangul and bopomofo are one
writing system here, because texts mix them freely. Marks that many scripts share (U+0300..) belong to none and stay.
"""

from __future__ import annotations

import sys
import threading
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARE = 0.15  #: of the counted letters that a script other than Latin needs
EAST_ASIA = "EAST ASIA"
LATIN = 1
CYRILLIC = 2
_DENSE = 3
_MOST = 256
_TRUSTED = 64  # names that are not looked up; all scripts and these together have numbers
_FIRST_MARK = 0x300
_EAST_ASIA = frozenset({"CJK", "HANGUL", "HIRAGANA", "KATAKANA", "BOPOMOFO", "IDEOGRAPHIC", "HENTAIGANA"})
_SHARED = frozenset({"COMBINING", "MODIFIER", "VARIATION", "MUSICAL", "VERTICAL", ""})
_OTHER_NAMES = {"ROMAN": "LATIN", "TURNED": "LATIN", "VIETNAMESE": "COMBINING", "VEDIC": "COMBINING"}


class Registry:
    """Numbers for scripts: 0 for none, 1 for Latin, 2 for Cyrillic, others in the order in which they appear.

    Numbers are valid only in this process; names may be stored.

    >>> scripts = Registry()
    >>> [scripts.name(n) for n in scripts(np.array([0x61, 0x20, 0x3042, 0x4E00, 0x0431], dtype=np.uint32)).tolist()]
    ['LATIN', '', 'EAST ASIA', 'EAST ASIA', 'CYRILLIC']
    """

    def __init__(self) -> None:
        self._names = ["", "LATIN", "CYRILLIC"]
        self._numbers = {"": 0, "LATIN": LATIN, "CYRILLIC": CYRILLIC}
        self._words: dict[str, int] = {}  # by the first word of a character's name
        self._lock = threading.Lock()  # a script has one number, also where threads meet it at the same time
        #: How often a letter of each script counts where scripts are weighed against each other.
        self.weights = np.ones(_MOST, dtype=np.uint8)

    def __call__(self, symbols: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """Number the script of each code point."""
        distinct, place = np.unique(symbols, return_inverse=True)
        return np.array([self.script(c) for c in distinct.tolist()], dtype=np.uint8)[place]

    def name(self, number: int) -> str:
        """Name a script: a word of the Unicode Character Database, or `EAST ASIA`; empty for 0."""
        return self._names[number]

    def number(self, name: str) -> int:
        """Number a script; raise a ValueError for an unknown name.

        Only a hostile model has many unknown names. They are refused, because each takes the number of a real script.
        """
        number = self._numbers.get(name)
        if number is not None:
            return number
        if len(self._names) > _TRUSTED and name not in _all_names():
            raise ValueError(f"{name}: no script")
        return self._add(name)

    def _add(self, name: str) -> int:
        with self._lock:
            if name not in self._numbers:
                number = len(self._names)
                if number == _MOST:
                    raise ValueError(f"{name}: more than {_MOST - 1} scripts")  # than Unicode is likely to have
                self._names.append(name)
                self.weights[number] = _DENSE if name == EAST_ASIA else 1
                self._numbers[name] = number
            return self._numbers[name]

    def script(self, code_point: int) -> int:
        """Number the script of one code point."""
        character = chr(code_point)
        return self._script_of_letter(character) if unicodedata.category(character)[0] in "LM" else 0

    def _script_of_letter(self, character: str) -> int:
        word = unicodedata.name(character, "").replace("-", " ").partition(" ")[0]
        number = self._words.get(word)
        if number is None:
            name = _OTHER_NAMES.get(word, word)
            number = 0 if name in _SHARED else self._add(EAST_ASIA if name in _EAST_ASIA else name)
            self._words[word] = number
        return number

    def restricted(self, code_point: int) -> int:
        """Number the script of a letter or mark as `normalise` uses it: all before U+0300 are Latin.

        >>> registry.restricted(0x2BB), registry(np.array([0x2BB])).tolist()
        (1, [0])
        """
        return LATIN if code_point < _FIRST_MARK else self.script(code_point)


@cache
def _all_names() -> frozenset[str]:
    """List the names of all scripts, in a fifth of a second."""
    scripts = Registry()
    return frozenset(scripts.name(number) for number in {scripts.script(c) for c in range(sys.maxunicode + 1)})


registry = Registry()
