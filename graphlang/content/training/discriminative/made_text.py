"""Bosnian beside Croatian and Serbian: weights from text that is alike but for the language.

The vectors of the three are drawn together (`close_languages`), since the training text of Bosnian is messages of
programs and theirs is news: what training finds between them are mostly these genres. Text that can be compared is made
(`training.yat`): the Serbian text with the vowels that Bosnian and Croatian share, beside the Croatian text of the same
genres and the Serbian text itself. Naive Bayes on these three, every n-gram against the mean of the three, is added to
the weights. A part of the Croatian text counts as Bosnian too, for much of what is written there is no different.

It comes after training and rounding, in whole steps, so that nothing else changes by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphlang.content.discriminative.weight_codec import LEVELS
from graphlang.content.ngrams.vocabulary import read_vocabulary
from graphlang.content.text.scripts import LATIN
from graphlang.content.training import strip_diacritics, word_lists, yat
from graphlang.content.training.discriminative import columns, logistic_regression

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.modelfile import Model

    Floats = NDArray[np.float64]
    Texts = Mapping[str, Mapping[str, Sequence[str]]]

LABELS: Final = ("bos_Latn", "hrv", "srp_Latn")  #: of whom text is made, who shares its vowels, who shares its words
GENRES: Final = ("UD", "tatoeba", "udhr")  #: that the latter two have both
_NOT_REAL = (word_lists.GENRE, strip_diacritics.GENRE)
_HALF_CROATIAN = 0.35  # of the Croatian counts that are Bosnian as well; these four were chosen on development lines
_SMOOTHING = 300_000.0  # n-grams of all three alike that are added to the counts of each
_MOST = 2.5  # greatest log ratio
_TIMES = 1.5  # factor on the log ratios


def lines(texts: Texts, lists: Mapping[str, Mapping[str, int]]) -> tuple[list[str], list[str], list[str]]:
    """Lines of the three languages that can be compared; none where the corpus lacks one of them.

    Args:
        texts: Training lines of each label by genre.
        lists: Of a label the words of its list, and how often each occurs.
    """
    if any(label not in texts for label in LABELS):
        return [], [], []
    made, vowels, words = LABELS
    own = [[line for genre in GENRES for line in texts[label].get(genre, ())] for label in (vowels, words)]
    if not all(own):
        return [], [], []
    write = yat.Yat(_shares(texts, lists, (words,)), _shares(texts, lists, (vowels, made))).write
    return [write(line) for line in own[1]], own[0], own[1]


def _shares(texts: Texts, lists: Mapping[str, Mapping[str, int]], labels: Sequence[str]) -> dict[str, float]:
    real = [some for label in labels for genre, some in texts[label].items() if genre not in _NOT_REAL]
    return yat.shares(real, [lists[label] for label in labels if label in lists])


def log_ratios(counts: Sequence[Floats]) -> Floats:
    """How much commoner each feature is in each text than in the mean of them, (texts, features).

    Args:
        counts: Of the features in each text, (features,) each.

    >>> log_ratios([np.array([0.0, 9e5, 1.0]), np.array([9e5, 0.0, 1.0])]).round(2).tolist()
    [[-0.97, 0.97, 0.0], [0.97, -0.97, 0.0]]
    """
    alike = sum(own / max(own.sum(), 1.0) for own in counts) / len(counts)
    shares = np.stack([(own + _SMOOTHING * alike) / (own.sum() + _SMOOTHING) for own in counts])
    logs = np.log(np.where(alike > 0, shares, 1.0))
    ratios: Floats = np.clip(logs - logs.mean(axis=0), -_MOST, _MOST)
    return ratios


def parted(model: Model, given: Sequence[Sequence[str]]) -> dict[str, NDArray[Any]]:
    """The weights with the three languages told apart by some lines of theirs; nothing where there are none.

    Args:
        model: Of the default method, freshly trained, but for its calibration.
        given: The lines of the three (`lines`).

    Returns:
        Those arrays of the model that are others.
    """
    if not all(given):
        return {}
    vocabulary = read_vocabulary(model, "the new model")
    limit, closed = model.parameters["maximum"], model.parameters["closed"]
    counts = [
        np.bincount(
            logistic_regression.find(vocabulary, some, limit=limit, closed=closed, script=LATIN)[0],
            minlength=len(vocabulary),
        ).astype(np.float64)
        for some in given
    ]
    ratios = log_ratios([counts[0] + _HALF_CROATIAN * counts[1], *counts[1:]])
    script = model.arrays["script"]
    number = int(script[model.labels.index(LABELS[0])])
    first = int(np.searchsorted(script, number))
    every = columns.unpack(model)
    row = sum(own.features for own in every[:number])
    steps = np.rint(_TIMES * ratios[:, row : row + every[number].features] / model.parameters["step"]).astype(np.int64)
    own = [model.labels.index(label) - first for label in LABELS]
    every[number] = columns.added(every[number], own, steps, most=LEVELS)
    return columns.pack(every, np.bincount(script, minlength=len(every)).tolist())
