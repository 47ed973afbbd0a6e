"""A language that is not there resembles one that is: what tells them apart in more than a word or two (`unknown`).

How well a text fits its best language says less, the closer a relative of that language it is in. Three more things
say something. The margin: Dutch stands further before the next language in a Dutch text than in one that lies between
both. How many people use the language: who reads English everywhere will seldom be wrong. And the text's n-grams one by
one, short, long, and whole words: of a text in Afrikaans, which the model calls Dutch, fewer than of a Dutch one are of
Dutch text at all, more are some other language's much rather, and the longer they are the more so; a language that is
there fits its text with all of them alike.

The n-grams of a language that was never trained are seldom in the vocabulary, which tells of those alone that it has.
Last comes how likely the character language model of the best language (`char_lm`) writes the text's letters, less how
likely it writes those of that language's own text that training kept out: there every letter counts.

The logistic function of these signs, and of their products two by two, is the probability that the text is in no
language of the model. All but the n-grams are at hand and cost next to nothing; so they are asked first. Where they say
that the text is hardly in another language, and where the answer is in doubt anyway, that is all. Else each n-gram is
held against all languages, and the same function with coefficients of its own decides; or, where that leaves some
doubt, the same of all signs. The coefficients (``graphlang/data/unknown.json``) were fitted by
``tests/content/make_unknown.py`` on languages that were left out of the model, a tenth of them at a time, and on some
that were never trained. What it finds beyond the doubt of `unknown` all labels of the script share; so no answer
changes, only its confidence does.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from graphlang.content.discriminative import unknown
from graphlang.content.discriminative.sparse_weights import KINDS, Regret
from graphlang.content.native import scores as _kernels
from graphlang.content.ngrams.keys import MAX_ORDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Stage = Literal["letters", "ngrams", "likelihood"]

FILE: Final = Path(__file__).parents[2] / "data" / "unknown.json"
SIGNS: Final = (
    "fit",  # what a feature says for the language on average, its base included
    "base",
    "letters",  # the logarithm of how many there are
    "features",  # that were found, to a letter
    "margin",  # how much more a feature says for the language than for the next, on average
    "prior",
    "words",  # whole ones that are features, to a letter
    # Of n-grams of three letters, of five, and of words: what one says for the language on average; how much more it
    # says for the language that it says most for; and the share of them that have a weight in the language at all.
    *(f"{sign} {kind}" for kind in ("3", "5", "word") for sign in ("own", "regret", "has")),
    "likelihood",  # of a letter, its logarithm, less that of a letter of the language's own text (`usual`)
)
ORDERS: Final = (3, 5)  #: letters of the n-grams, besides words, that are asked
#: How many of the signs, the first ones, there are once each is asked.
STAGES: Final[dict[Stage, int]] = {"letters": 6, "ngrams": 7 + 3 * KINDS, "likelihood": len(SIGNS)}
FEWEST: Final = 16  #: letters; of a shorter text nothing is asked
#: How probable it is by the other signs, at least, that a text is in another language, for its n-grams to be asked, and
#: how probable its best language. That is one sentence in five in common languages; of those in unknown ones that
#: would be told with as much, eight in ten. With .004 long texts take a fiftieth more time, and no share of unknown
#: ones at .9 is more than .4 points less.
ASK: Final = 0.005
#: The same by n-grams too, for the likelihood to be asked: one sentence in fourteen. Less leaves as many unknown ones.
ASK_LIKELIHOOD: Final = 0.012
SURE: Final = 0.9  #: what is told with less is in doubt anyway
MOST_MARGIN: Final = _kernels.SCORES_MARGIN_MOST
_NEVER: Final = 2.0  # more than any probability
_SAME: Final = 1e-4  # between two numbers of which one was rounded
LEAST: Final = 0.002  #: what is shared at least; less would not be seen
_CUT: Final = _kernels.SCORES_CUT


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


def kinds(sizes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What kind each n-gram of a vocabulary is: the first of `ORDERS`, the second, a whole word, or `KINDS` for others.

    Args:
        sizes: Characters of each (`Vocabulary.sizes`).

    >>> kinds(np.array([1, 3, 4, 5, 6, 12], dtype=np.uint8)).tolist()
    [3, 0, 3, 1, 2, 2]
    """
    of_sizes = np.full(256, KINDS, dtype=np.uint8)
    of_sizes[list(ORDERS)] = np.arange(len(ORDERS))
    of_sizes[MAX_ORDER + 1 :] = KINDS - 1
    return np.frombuffer(sizes.tobytes().translate(of_sizes.tobytes()), dtype=np.uint8)


def none(texts: int) -> Best:
    """So many texts of which nothing is asked.

    >>> none(2).label.tolist()
    [-1, -1]
    """
    zeros = np.zeros(texts, dtype=np.float32)
    return Best(np.full(texts, -1, dtype=np.int64), zeros, zeros.copy())


@cache
def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


@cache
def fitted(stage: Stage = "likelihood") -> Fitted:
    """The coefficients of the file.

    Args:
        stage: Which: those of so many signs (`STAGES`).
    """
    return Fitted(*(np.array(_read()[stage][name], dtype=np.float32) for name in Fitted._fields))


def usual(labels: Sequence[str], letter: Floats) -> Floats:
    """What a letter of each label's own text adds to its log-likelihood on average, (labels,).

    It was measured on text that training kept out, for the character language models of the shipped model. Of labels
    whose model is another one, trained by somebody else, or that have none, it is not a number.

    Args:
        labels: Of a model.
        letter: What every letter adds in its character language models (`char_lm.CharLM.letter`), (labels,).
    """
    measured: dict[str, list[float]] = _read()["usual"]
    found = np.full(len(labels), np.nan, dtype=np.float32)
    for place, (label, own) in enumerate(zip(labels, letter.tolist(), strict=True)):
        if label in measured and abs(measured[label][1] - own) < _SAME:
            found[place] = measured[label][0]
    return found


def probability(of_texts: Floats, coefficients: Fitted | None = None) -> Floats:
    """How probable it is that texts are in no language of the model, (texts,); what the kernel does.

    Args:
        of_texts: Their signs, (texts, signs); those beyond the coefficients do not count.
        coefficients: Those of the file if not given.

    >>> one = Fitted(np.zeros(16, np.float32), np.ones(16, np.float32), np.eye(153, dtype=np.float32)[1])
    >>> probability(np.array([[0, *[9] * 16], [-2, *[9] * 16]], dtype=np.float32), one).astype(float).round(2).tolist()
    [0.5, 0.12]
    """
    use = fitted() if coefficients is None else coefficients
    x = np.clip((of_texts[:, : len(use.mean)] - use.mean) / use.spread, -_CUT, _CUT)
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
    ngrams: Regret | None,
    likelihood: Floats | None = None,
    more: bool = False,
    base: Floats,
    prior: Floats,
    to: Ints,
    answer: Floats,
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Share what may be in a language that is not there among the labels of each text's script, in place.

    Args:
        best: The best language of each text.
        script: Number of the script of each, (texts,).
        columns: Of each script (`sparse_weights.ScriptWeights.columns`).
        letters: Of each text, (texts,).
        found: Features of each, (texts,).
        ngrams: What those of each text say, in the unit of the scores. Without them the other signs are asked, and a
            text whose n-grams are to be asked (`ASK`, `SURE`) is left as it is.
        likelihood: The last sign of each text, (texts,). Without it those before are asked.
        more: Whether a text whose likelihood is to be asked (`ASK_LIKELIHOOD`, `SURE`) is left as it is.
        base: Of the labels, (labels,).
        prior: Of the labels, (labels,).
        to: Row of `answer` of each text, (texts,).
        answer: Probabilities, (any number, labels).

    Returns:
        The signs, (texts, signs); how probable it is that each text is in none of the languages, (texts,), 0 where
        nothing is asked; and which texts were left for more signs, (texts,).

    Raises:
        KernelError: the shapes differ, or a number is out of range.
    """
    use = fitted("letters" if ngrams is None else "ngrams" if likelihood is None else "likelihood")
    part = np.empty(len(to), dtype=np.float32)
    signs = np.empty((len(to), len(SIGNS)), dtype=np.float32)
    again = np.empty(len(to), dtype=np.uint8)
    if ngrams is None:
        whole, floating = np.zeros((len(to), KINDS), dtype=np.int64), np.zeros((len(to), KINDS), dtype=np.float32)
        told = Regret(whole, floating, floating, whole)
        ask = ASK
    else:
        told, ask = ngrams, ASK_LIKELIHOOD if more else _NEVER
    _kernels.scores_stranger(
        script=script,
        best=best.label,
        columns=columns,
        fit=best.fit,
        margin=best.margin,
        letters=letters,
        found=found,
        **{name: array.reshape(-1) for name, array in told._asdict().items()},
        likelihood=np.zeros(len(to), dtype=np.float32) if likelihood is None else likelihood,
        base=base,
        prior=prior,
        unknown=unknown.COEFFICIENTS,
        mean=use.mean,
        spread=use.spread,
        terms=use.terms,
        least=LEAST,
        ask=ask,
        sure=SURE,
        to=to,
        answer=answer,
        signs=signs,
        part=part,
        again=again,
    )
    return signs, part, again.astype(np.bool_)
