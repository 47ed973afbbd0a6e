"""Texts of a few words said again and again ("ok ok ok ok"): the words are read once.

Each time that a word stands in a text adds to what it says for a language, as if another word had been found that is as
common there. Of a text of nothing else that makes certain what a single word left open.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.content.native import letters as _letters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Characters

TIMES: Final = 3  #: that each word of such a text stands there, on average
_GAP: Final = re.compile("[\0-/:-@\xa0]+")


def suspects(texts: Characters, offsets: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Which texts may be a few words said again and again, as `once` tells for certain.

    The first word is one of the next two; and there are `TIMES` as many words as there are different ones in ASCII.

    Args:
        texts: Any; or windows of texts.
        offsets: Of windows: text t has those from `offsets[t]` up to `offsets[t + 1]`, (texts + 1,).

    >>> from graphlang.content.text.normalise import characters
    >>> suspects(characters(["ok ok ok", "Ha, ha! Ha", "ok ok", "one two", "so be so be so be", "là là"])).tolist()
    [0, 1, 4, 5]
    """
    if offsets is None:
        offsets = np.arange(len(texts) + 1, dtype=np.int64)
    again = np.empty(len(offsets) - 1, dtype=np.uint8)
    _letters.letters_repeats(
        symbols=texts.symbols, begins=texts.begins, ends=texts.ends, offsets=offsets, times=TIMES, again=again
    )
    return np.flatnonzero(again)


def once(text: str) -> str | None:
    """The words of a text, each once, if each stands there `TIMES` times on average; else None.

    Args:
        text: Any string; white space and punctuation of ASCII part its words.

    >>> once("Ok, ok ok."), once("home page home page home page"), once("bye bye"), once("...")
    ('ok', 'home page', None, None)
    """
    words = [word for word in _GAP.split(text.lower()) if word]
    some = dict.fromkeys(words)
    return " ".join(some) if some and len(words) >= TIMES * len(some) else None
