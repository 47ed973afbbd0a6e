"""A language that is not there resembles one that is: what tells them apart in more than a few words (`unknown`).

How well a text fits its best language says less, the closer a relative of that language it is in. Three more things
say something. Whole words: of a text in Afrikaans, which the model calls Dutch, fewer words than of a Dutch one are
Dutch ones, and more are words that some other language has much rather. The margin: Dutch stands further before the
next language in a Dutch text than in one that lies between both. And how many people use the language: who reads
English everywhere will seldom be wrong.

The logistic function of these signs, and of their products two by two, is the probability that the text is in no
language of the model. The coefficients (``graphlang/data/unknown.json``) were fitted by
``tests/content/make_unknown.py`` on languages that were left out of the model, a tenth of them at a time. What it finds
beyond the doubt of `unknown` all labels of the script share; so no answer changes, only its confidence does.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.content.discriminative import unknown
from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

_kernels = Kernels("graphlang.content.native._scores")
FILE: Final = Path(__file__).parents[2] / "data" / "unknown.json"
SIGNS: Final = (
    "fit",  # what a feature says for the language on average, its base included
    "base",
    "letters",  # the logarithm of how many there are
    "features",  # that were found, to a letter
    "margin",  # how much more a feature says for the language than for the next, on average
    "prior",
    "words",  # whole ones that are features, to a letter
    "word",  # what one of them says for the language on average
    "regret",  # how much more one of them says for the language that it says most for, on average
)
FEWEST: Final = 64  #: letters; in a shorter text words say too little for what it takes to ask them
#: A text that fits its language better than this, by more than that margin, is plainly in it, and no words are read:
#: four of five pages in other languages than English.
PLAIN_FIT: Final = 0.0
PLAIN_MARGIN: Final = 0.4
MOST_MARGIN: Final = _kernels.constant("GRAPHLANG_SCORES_MARGIN_MOST")
LEAST: Final = 0.002  #: what is shared at least; less would not be seen
_CUT: Final = _kernels.constant("GRAPHLANG_SCORES_CUT")


class Fitted(NamedTuple):
    """The coefficients.

    Attributes:
        mean: Of each sign, (signs,).
        spread: Of each, (signs,).
        terms: Of the logit: a constant; of each sign, in spreads from its mean and cut; of each product of two, the
            first with itself and all others, the second with itself and those behind it, and so on.
    """

    mean: Floats
    spread: Floats
    terms: Floats


class Best(NamedTuple):
    """The best language of each text.

    Attributes:
        label: Counted among those of its script; -1 where nothing is asked, (texts,).
        fit: What a feature says for it on average, (texts,).
        margin: How much more that is than what one says for the next language, (texts,).
    """

    label: Ints
    fit: Floats
    margin: Floats


def none(texts: int) -> Best:
    """So many texts of which nothing is asked.

    >>> none(2).label.tolist()
    [-1, -1]
    """
    zeros = np.zeros(texts, dtype=np.float32)
    return Best(np.full(texts, -1, dtype=np.int64), zeros, zeros.copy())


@cache
def fitted() -> Fitted:
    """The coefficients of the file."""
    read: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    mean, spread, terms = (np.array(read[name], dtype=np.float32) for name in Fitted._fields)
    return Fitted(mean, spread, terms)


def probability(of_texts: Floats, coefficients: Fitted | None = None) -> Floats:
    """How probable it is that texts are in no language of the model, (texts,); what the kernel does.

    Args:
        of_texts: Their signs, (texts, signs).
        coefficients: Those of the file if not given.

    >>> one = Fitted(np.zeros(9, np.float32), np.ones(9, np.float32), np.eye(55, dtype=np.float32)[1])
    >>> probability(np.array([[0, *[9] * 8], [-2, *[9] * 8]], dtype=np.float32), one).astype(float).round(2).tolist()
    [0.5, 0.12]
    """
    use = fitted() if coefficients is None else coefficients
    x = np.clip((of_texts - use.mean) / use.spread, -_CUT, _CUT)
    z = use.terms[0] + terms_of(x) @ use.terms[1:]
    small = np.exp(-np.abs(z))
    found: Floats = (np.where(z < 0, small, 1) / (1 + small)).astype(np.float32)
    return found


def terms_of(x: Floats) -> Floats:
    """Numbers and their products two by two, (texts, terms)."""
    first, second = np.triu_indices(x.shape[1])
    return np.concatenate([x, x[:, first] * x[:, second]], axis=1)


def share(
    best: Best,
    *,
    script: Ints,
    columns: Ints,
    letters: Ints,
    found: Ints,
    words: tuple[Ints, Floats, Floats],
    base: Floats,
    prior: Floats,
    to: Ints,
    answer: Floats,
) -> tuple[Floats, Floats]:
    """Share what may be in a language that is not there among the labels of each text's script, in place.

    Args:
        best: The best language of each text.
        script: Number of the script of each, (texts,).
        columns: Of each script (`sparse_weights.ScriptWeights.columns`).
        letters: Of each text, (texts,).
        found: Features of each, (texts,).
        words: Of its whole words of more than three letters: how many they are, what all of them say for the language,
            and the sum of what each says for the language that it says most for, (texts,) each.
        base: Of the labels, (labels,).
        prior: Of the labels, (labels,).
        to: Row of `answer` of each text, (texts,).
        answer: Probabilities, (any number, labels).

    Returns:
        The signs, (texts, signs), and how probable it is that each text is in none of the languages, (texts,); 0 where
        the text is left as it is.

    Raises:
        KernelError: the shapes differ, or a number is out of range.
    """
    use, part = fitted(), np.empty(len(to), dtype=np.float32)
    signs = np.empty((len(to), len(SIGNS)), dtype=np.float32)
    number, own, most = words
    _kernels.scores_stranger(
        script=script,
        best=best.label,
        columns=columns,
        fit=best.fit,
        margin=best.margin,
        letters=letters,
        found=found,
        words=number,
        own=own,
        most=most,
        base=base,
        prior=prior,
        unknown=unknown.COEFFICIENTS,
        mean=use.mean,
        spread=use.spread,
        terms=use.terms,
        least=LEAST,
        to=to,
        answer=answer,
        signs=signs,
        part=part,
    )
    return signs, part
