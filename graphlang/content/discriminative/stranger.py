"""A language that is not there resembles one that is: what tells them apart in more than a word or two (`unknown`).

How well a text fits its best language says less, the closer a relative of that language it is in. Three more things
say something. The margin: Dutch stands further before the next language in a Dutch text than in one that lies between
both. How many people use the language: who reads English everywhere will seldom be wrong. And whole words: of a text in
Afrikaans, which the model calls Dutch, fewer words than of a Dutch one are Dutch ones, and more are words that some
other language has much rather.

The logistic function of these signs, and of their products two by two, is the probability that the text is in no
language of the model. All but the words are at hand and cost next to nothing; so they are asked first. Where they say
that the text is hardly in another language, and where there are few words, that is all. Else the words are read, and
the same function of all signs, with coefficients of its own, decides. The coefficients
(``graphlang/data/unknown.json``) were fitted by ``tests/content/make_unknown.py`` on languages that were left out of
the model, a tenth of them at a time. What it finds beyond the doubt of `unknown` all labels of the script share; so no
answer changes, only its confidence does.
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
    Words = tuple[Ints, Floats, Floats]

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
OF_WORDS: Final = 3  # of the signs, the last ones
FEWEST: Final = 16  #: letters; of a shorter text nothing is asked
WORDS: Final = 64  #: letters from which words are read; in a shorter text they say too little for what it takes
#: How probable it is by the other signs, at least, that a text is in another language, for its words to be read: one
#: text in ten in known languages, and nine in ten of the others.
ASK: Final = 0.03
MOST_MARGIN: Final = _kernels.constant("GRAPHLANG_SCORES_MARGIN_MOST")
_NEVER: Final = 2.0  # more than any probability
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
def fitted(*, words: bool = True) -> Fitted:
    """The coefficients of the file: those of all signs, or those without words, which then count for nothing.

    Args:
        words: Which.
    """
    read: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))["words" if words else "letters"]
    mean, spread, terms = (np.array(read[name], dtype=np.float32) for name in Fitted._fields)
    if words:
        return Fitted(mean, spread, terms)
    _, second = np.triu_indices(len(SIGNS))
    used = np.concatenate([np.arange(len(SIGNS)) < len(mean), second < len(mean)])
    every = np.zeros(1 + len(used), dtype=np.float32)
    every[1:][used], every[0] = terms[1:], terms[0]
    none_ = np.zeros(OF_WORDS, dtype=np.float32)
    return Fitted(np.concatenate([mean, none_]), np.concatenate([spread, none_ + 1]), every)


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


def asks(part: Floats, letters: Ints) -> NDArray[np.bool_]:
    """Of which texts the words are to be read, (texts,).

    Args:
        part: What the other signs say, (texts,).
        letters: Of each, (texts,).
    """
    found: NDArray[np.bool_] = (letters >= WORDS) & (part >= np.float32(ASK))
    return found


def share(
    best: Best,
    *,
    script: Ints,
    columns: Ints,
    letters: Ints,
    found: Ints,
    words: Words | None,
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
            and the sum of what each says for the language that it says most for, (texts,) each. Without them the other
            signs are asked, and a text whose words are to be read (`asks`) is left as it is.
        base: Of the labels, (labels,).
        prior: Of the labels, (labels,).
        to: Row of `answer` of each text, (texts,).
        answer: Probabilities, (any number, labels).

    Returns:
        The signs, (texts, signs), and how probable it is that each text is in none of the languages, (texts,); 0 where
        nothing is asked.

    Raises:
        KernelError: the shapes differ, or a number is out of range.
    """
    use, part = fitted(words=words is not None), np.empty(len(to), dtype=np.float32)
    signs = np.empty((len(to), len(SIGNS)), dtype=np.float32)
    nothing = np.zeros(len(to), dtype=np.float32)
    number, own, most = words or (np.zeros(len(to), dtype=np.int64), nothing, nothing)
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
        ask_from=WORDS,
        ask=_NEVER if words else ASK,
        to=to,
        answer=answer,
        signs=signs,
        part=part,
    )
    return signs, part
