"""Detect rubbish: texts that are not prose in any language, by their characters and words.

* These get no answer: repeated letters ("XXXX"), letters of several scripts chosen for their looks ("hεllσ mψ"), and
  codes, file names, formulas and single letters ("K1 K2 L1", "IMG_2001.JPG", "f(x) = ax + b").
* These lose `CODE_DOUBT` of their confidence: program code, settings of paths ("Disallow: /tmp/"), numbers with a few
  words, Lorem ipsum that looks like Latin (`doubt_filler`), and garbled text. Garbled text was encoded twice
  ("Ð¿Ñ€Ð¸Ð²ÐµÑ‚"), decoded by the wrong charset ("Â÷åðà âå÷åðîì"), or is upside down ("ǝʇxǝʇ").

A kernel counts the signs (`count_signs`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.content.native import letters as _letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Characters

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

THIRD_LETTERS = 0.2  #: minimum share of letters that repeat the two before them
CODE = 0.03  #: minimum share of braces, semicolons and paths (`PATH_WEIGHT` each) in program code
FEWEST_SIGNS = 3  #: minimum number of these in program code
PATH_WEIGHT = _letters.LETTERS_PATH_WEIGHT  #: of ": /", in signs of code
MIXED = 0.1  #: minimum share of letters next to one of another script, in a text of letters chosen for their looks
FEWEST_MIXED = 3  #: minimum number of these
CODE_DOUBT = 0.6  #: P(no language) of program code, garbled text and numbers
CODES_DOUBT = 0.8  #: P(no language) of a page of codes
#: Words of Lorem ipsum that are not Latin; "lorem ipsum" are two words.
_FILLER: Final = re.compile(
    r"\b(lorem|(?<=lorem )ipsum|adipiscing|eiusmod|incididunt|nostrud|exercitation|ullamco|aliquip|cillum|excepteur"
    r"|occaecat|cupidatat)\b",
    re.IGNORECASE,
)
#: A text is garbled if more than one character in this many was encoded twice.
GARBLED = _letters.LETTERS_GARBLED


class Signs(NamedTuple):
    """Signs of rubbish that a kernel counts in each text, (texts,) each."""

    drawn: Ints  #: letters that repeat the two before them, or end the third of three equal pairs
    code: Ints  #: braces, semicolons and paths
    garbled: Ints  #: characters that were encoded twice
    letters: Ints  #: a letter of a script without capitals counts three times
    plain: Ints  #: letters in words of two letters or more, without digits and signs of code
    digits: Ints
    mixed: Ints  #: places where a Greek or Armenian letter is next to another script with capitals


def count_signs(texts: Characters) -> Signs:
    """Count the signs of rubbish in texts."""
    signs = Signs(*(np.empty(len(texts), dtype=np.int64) for _ in Signs._fields))
    _letters.letters_rubbish(symbols=texts.symbols, begins=texts.begins, ends=texts.ends, **signs._asdict())
    return signs


class Rubbish(NamedTuple):
    """Which texts are rubbish, by kind, (texts,) each."""

    drawn: NDArray[np.bool_]  #: repeated letters
    program: NDArray[np.bool_]
    garbled: NDArray[np.bool_]  #: text that was encoded twice
    codes: NDArray[np.bool_]  #: less than half of the letters are in plain words
    numbers: NDArray[np.bool_]  #: as many digits as letters
    mixed: NDArray[np.bool_]  #: letters of several scripts in a word, chosen for their looks


def find_rubbish(texts: Characters, signs: Signs | None = None) -> Rubbish:
    """Find texts that are rubbish; `signs` are those of the texts, if already counted.

    >>> from graphlang.content.text.normalise import join_texts
    >>> texts = ["xxxx xxx", "brrr, how cold", "a{top:0;left:0}", "Ð¿Ñ€Ð¸", "K1 K2 L", "Joh 3,16; Röm 8,28", "hεllσ mψ"]
    >>> {kind: mask.tolist().index(True) for kind, mask in find_rubbish(join_texts(texts))._asdict().items()}
    {'drawn': 0, 'program': 2, 'garbled': 3, 'codes': 2, 'numbers': 5, 'mixed': 6}
    """
    signs = count_signs(texts) if signs is None else signs
    length = texts.ends - texts.begins
    return Rubbish(
        signs.drawn > THIRD_LETTERS * length,
        (signs.code >= FEWEST_SIGNS) & (signs.code > CODE * length),
        signs.garbled * GARBLED > length,
        2 * signs.plain < signs.letters,
        (signs.digits >= signs.letters) & (signs.letters > 0),
        (signs.mixed >= FEWEST_MIXED) & (signs.mixed > MIXED * signs.letters),
    )


def doubt_rubbish(
    answer: Floats,
    rows: Ints,
    texts: Characters,
    latin: NDArray[np.bool_] | None = None,
    signs: Signs | None = None,
    *,
    pages: bool = False,
) -> None:
    """Remove the answers of repeated letters, mixed scripts and codes, and doubt other rubbish, in place.

    A page of codes keeps some confidence, as its few words are evidence for the graph. Numbers are normal on `pages`.
    `answer` has probabilities, (rows, labels); `rows` (texts,) is the row of each text. `latin` (texts,) marks texts in
    Latin letters: only these can be garbled, codes or numbers, only others mixed; None checks all texts for all kinds.
    `signs` are those of the texts, if already counted.
    """
    kinds = find_rubbish(texts, signs)
    if latin is not None:
        kinds = kinds._replace(
            garbled=kinds.garbled & latin,
            codes=kinds.codes & latin,
            numbers=kinds.numbers & latin,
            mixed=kinds.mixed & ~latin,  # several African languages use Greek letters in Latin text
        )
    none, code = kinds.drawn | kinds.mixed, kinds.program | kinds.garbled
    if not pages:
        none, code = none | kinds.codes, code | kinds.numbers
    if none.any():
        answer[rows[none]] = 0
    _spread_evenly(answer, rows[code & ~kinds.codes], CODE_DOUBT)
    _spread_evenly(answer, rows[kinds.codes & ~none], CODES_DOUBT)


def is_filler(text: str) -> bool:
    """Return whether a text is Lorem ipsum: it has two of its words that are not Latin.

    >>> is_filler("Lorem ipsum dolor sit amet, consectetur adipiscing elit."), is_filler("Dolorem ipsum amat.")
    (True, False)
    """
    return len({word.lower() for word in _FILLER.findall(text)}) > 1


def doubt_filler(answer: Floats, texts: Sequence[str], latin: int) -> None:
    """Lower the confidence of Lorem ipsum whose answer is Latin (column `latin`), in place."""
    rows = [row for row in np.flatnonzero(answer[:, latin] > 1 - CODE_DOUBT).tolist() if is_filler(texts[row])]
    _spread_evenly(answer, np.array(rows, dtype=np.int64), CODE_DOUBT)


def _spread_evenly(answer: Floats, rows: Ints, share: float) -> None:
    """Spread a share of the probability of rows evenly over their labels, in place."""
    if len(rows):
        chances = answer[rows]
        even = (chances > 0) / np.maximum((chances > 0).sum(axis=1, keepdims=True), 1).astype(np.float32)
        answer[rows] = np.where(chances > 0, chances * np.float32(1 - share) + np.float32(share) * even, 0)
