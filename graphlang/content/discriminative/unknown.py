"""Honest doubt: how probable it is that a text is in no language of the model, rubbish included.

The probabilities compare the languages with each other. A text in a language that the model does not know, or a key in
hexadecimal, is still more like one of them than like the others, and the longer it is, the surer that makes them. What
tells it apart is the winner's own score: what an n-gram of the text speaks for the winner on average (`fit`, the
logarithm of a ratio; 0 where they are as common as in no language in particular). Text in the winner's own language
fits about as well as its training text did. There is no need to know how well that is: the `base` of a language says
how much of it was trained on, and that decides it.

The logistic function of both, and of the number of letters, is the probability of an unknown language. Its coefficients
were fitted on development lines and pages, each as the whole model answers it and as the model answers that lacks the
line's language (a tenth of them at a time), and on rubbish; of a hundred texts about one counts as unknown, and one as
rubbish
(``tests/benchmarks/honest_doubt.py`` measures it). That part of the probability all languages of the script share, so
that the best one stays the best, and is told with less confidence. Beyond `REFUSED`, nothing is answered: `und`.

Texts of more than a few words are asked for more signs (`stranger`), and the greater doubt counts.

A label may have relatives that are written in its script and that the model does not know in it (`RELATIVES`): their
text is all but its own. So a part of its probability all labels of the script share as well.

Two kinds of rubbish fit some language all the same, and are told by their characters: Latin letters that stand three
times in a row ("XXXX"), and program code, most of whose words are English, by its braces and semicolons. Settings of
paths ("Disallow: /tmp/") are code, too.

So is text in Latin letters of which a part was encoded twice ("Ð¿Ñ€Ð¸Ð²ÐµÑ‚"), which is doubted like code; what was
as a whole is mended where it is read (`graphlang.ingest`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.content.native import letters as _letters
from graphlang.content.native import scores as _kernels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Characters

    Floats = NDArray[np.float32]

#: Of the logit: 1, fit, -base, log letters, fit * log letters, fit * -base, -base * log letters, base squared.
COEFFICIENTS = np.array([-17.393, 2.498, 3.679, 1.327, -1.406, -0.038, -0.095, -0.361], dtype=np.float32)
REFUSED = 0.95  #: more probable than this to be unknown: no answer
TREBLED = 0.2  #: share of letters that are the third of their kind in a row, from which on a text is rubbish
CODE = 0.03  #: share of braces, semicolons and paths (`OF_PATH` each) from which on a text is taken for program code
OF_PATH = _letters.LETTERS_OF_PATH
FEWEST = 3  #: of these that there must be
OF_CODE = 0.6  #: how probable it then is to be in no language
#: Where more than one in so many characters stand for bytes, some was encoded twice; that is as probable as in code.
GARBLED = _letters.LETTERS_GARBLED
#: How probable it is that what looks like a label is in a relative of it. Acehnese, Banjarese and Minangkabau in Arabic
#: letters look like Malay in these, which has two labels: of 457 lines of FLORES that are told as Malay none is.
RELATIVES: Final[Mapping[str, float]] = {"msa_Arab": 0.6, "zlm_Arab": 0.6}
_FIT_LEAST, _FIT_MOST = _kernels.SCORES_FIT_LEAST, _kernels.SCORES_FIT_MOST
_BASE_LEAST, _BASE_MOST = _kernels.SCORES_BASE_LEAST, _kernels.SCORES_BASE_MOST
_FEWEST_LETTERS, _MOST_LETTERS = _kernels.SCORES_LETTERS_LEAST, _kernels.SCORES_LETTERS_MOST


def probability(fit: Floats, base: Floats, letters: NDArray[np.int64]) -> Floats:
    """How probable it is that texts are in no language of the model, (texts,); what the kernel does for short ones.

    Args:
        fit: What a feature of each text adds on average to the score of its best language, that language's base
            included, (texts,).
        base: Of the best language of each, (texts,).
        letters: Of each, (texts,).

    >>> fit, base = np.array([0, -2.5, -2.5], dtype=np.float32), np.array([-5, -5, -5], dtype=np.float32)
    >>> [f"{chance:.2f}" for chance in probability(fit, base, np.array([100, 100, 10]))]
    ['0.02', '1.00', '0.02']
    """
    r, b = np.clip(fit, _FIT_LEAST, _FIT_MOST), np.clip(-base, _BASE_LEAST, _BASE_MOST)
    n = np.log(np.clip(letters, _FEWEST_LETTERS, _MOST_LETTERS)).astype(np.float32)
    terms = np.stack([np.ones_like(r), r, b, n, r * n, r * b, b * n, b * b])
    small = np.exp(-np.abs(logit := COEFFICIENTS @ terms))
    unknown: Floats = (np.where(logit < 0, small, 1) / (1 + small)).astype(np.float32)
    return unknown


def doubt_relatives(answer: Floats, rows: NDArray[np.int64], column: int, labels: slice, share: float) -> None:
    """Share a part of the probability of one label among all labels of its script, so that the best stays the best.

    Args:
        answer: Probabilities, (texts, labels); changed in place.
        rows: Those of the texts that are meant, (rows,).
        column: The label.
        labels: Those of its script.
        share: How much of its probability (`RELATIVES`).

    >>> answer = np.array([[0.0, 0.9, 0.1], [1.0, 0.0, 0.0]], dtype=np.float32)
    >>> doubt_relatives(answer, np.arange(2), 1, slice(1, 3), 0.5)  # .45 is shared by two
    >>> answer.astype(float).round(3).tolist()
    [[0.0, 0.72, 0.28], [1.0, 0.0, 0.0]]
    """
    likely = answer[rows, column]
    some = rows[likely > 0]
    if len(some):
        own = answer[some, labels]
        shared = np.float32(share) * likely[likely > 0, None]
        answer[some, labels] = own * (1 - shared) + shared * (own.sum(axis=1, keepdims=True) / np.float32(own.shape[1]))


def rubbish(given: Characters) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """What is rubbish among some texts, (texts,) each: letters repeated and repeated, program code, and encoded twice.

    Args:
        given: A batch of texts.

    >>> from graphlang.content.text.normalise import characters
    >>> [found.tolist() for found in rubbish(characters(["xxxx xxx", "brrr, said he", "a{top:0;left:0}", "Ð¿Ñ€Ð¸"]))]
    [[True, False, False, False], [False, False, True, False], [False, False, False, True]]
    """
    trebled, code, garbled = (np.empty(len(given), dtype=np.int64) for _ in range(3))
    _letters.letters_rubbish(
        symbols=given.symbols, begins=given.begins, ends=given.ends, trebled=trebled, code=code, garbled=garbled
    )
    room = given.ends - given.begins
    return trebled > TREBLED * room, (code >= FEWEST) & (code > CODE * room), garbled * GARBLED > room


def doubt_rubbish(
    answer: Floats, rows: NDArray[np.int64], given: Characters, latin: NDArray[np.bool_] | None = None
) -> None:
    """Answer nothing where letters are repeated, and half-heartedly where there is code or the like; in place.

    Args:
        answer: Probabilities, (texts, labels).
        rows: Those of the texts that are meant, (rows,).
        given: These texts, or what was read of them.
        latin: Which of them are in Latin letters, as what was encoded twice is; all if not given.
    """
    repeated, code, garbled = rubbish(given)
    if repeated.any():
        answer[rows[repeated]] = 0
    some = rows[code | (garbled if latin is None else garbled & latin)]
    if len(some):
        likely = answer[some]
        shared = (likely > 0) / np.maximum((likely > 0).sum(axis=1, keepdims=True), 1).astype(np.float32)
        answer[some] = np.where(likely > 0, likely * np.float32(1 - OF_CODE) + np.float32(OF_CODE) * shared, 0)
