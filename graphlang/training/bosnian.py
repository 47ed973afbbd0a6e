"""Bosnian beside Croatian and Serbian: weights from comparable text.

The vectors of the three are moved closer (`close_languages`), because the Bosnian training text is program messages
and the others are news: most differences that training finds are of genre. So comparable text is made: Serbian text
spelt with the vowels that Bosnian and Croatian share, beside Croatian text of the same genres and the Serbian text
itself. Naive Bayes on these three, every n-gram against the mean of the three, is added to the weights. A part of the
Croatian text counts as Bosnian too, because much of what is written there is the same. This comes after training and
rounding, in whole steps, so that nothing else changes.

The vowel is *yat*: Serbian `vreme` and `mesto` are `vrijeme` and `mjesto` in both others. The words show which have it:
a word that becomes another when an `e` in it is written `je` or `ije`, if the one is commoner in Serbian and the other
is common in Bosnian and Croatian. Other words with the same beginning follow.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphlang.content.nfc.weight_codec import LEVELS
from graphlang.content.ngrams.vocabulary import read_vocabulary
from graphlang.content.text.scripts import LATIN
from graphlang.training import derived_text, logistic_regression, model_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.modelfile import Model

    Counts = NDArray[np.float64]
    Texts = Mapping[str, Mapping[str, Sequence[str]]]


_WORD = re.compile(r"[^\W\d_]+")
_YAT = re.compile("ije|je")
_COMMONER_FACTOR = 2.0  # a word belongs to a side if it is commoner there by this factor
_COMMON_SPELLING = 0.3  # a spelling that reaches this factor on the other side belongs to both
_SHORTEST_STEM = 4  # letters of a stem that other words share
_FOLLOWING = (2, 3, 4)  # letters of a stem after the vowel


class YatSpelling:
    """Spells words of one language with the yat of another.

    >>> yat = YatSpelling({"vreme": 0.02, "reka": 0.01}, {"vrijeme": 0.02, "rijeka": 0.01})
    >>> yat.write("Vreme je da reka raste, sa rekama oko nje.")
    'Vrijeme je da rijeka raste, sa rijekama oko nje.'
    """

    def __init__(self, plain: Mapping[str, float], marked: Mapping[str, float]) -> None:
        self._plain, self._marked = plain, marked
        self._words: dict[str, str] = {}
        beginnings: dict[str, Counter[str]] = defaultdict(Counter)
        for word in sorted(marked):
            for match in _YAT.finditer(word):
                other = f"{word[: match.start()]}e{word[match.end() :]}"
                if not self._belongs(other, word):
                    continue
                self._words[other] = word
                for length in _FOLLOWING:
                    end = match.start() + 1 + length
                    if _SHORTEST_STEM <= end <= len(other):
                        beginnings[other[:end]][word[: end + len(word) - len(other)]] += 1
        self._beginnings = {stem: max(sorted(ways), key=ways.__getitem__) for stem, ways in beginnings.items()}
        self._longest = max(map(len, self._beginnings), default=0)

    def _belongs(self, plain: str, marked: str) -> bool:
        """Return True if two words are the same, with yat `e` in the first and `je` or `ije` in the second."""
        share, marked_share = self._plain.get(plain, 0.0), self._marked[marked]
        return share > _COMMONER_FACTOR * self._plain.get(
            marked, 0.0
        ) and marked_share > _COMMON_SPELLING * self._marked.get(plain, 0.0)

    def write(self, text: str) -> str:
        """Spell each yat of the text `je` or `ije`."""
        return _WORD.sub(lambda match: self._word(match[0]), text)

    def _word(self, word: str) -> str:
        small = word.lower()
        spelling = self._words.get(small)
        if spelling is None:
            if self._marked.get(small, 0.0) > _COMMON_SPELLING * self._plain.get(small, 0.0):
                return word
            for end in range(min(len(small), self._longest), _SHORTEST_STEM - 1, -1):
                if small[:end] in self._beginnings:
                    spelling = self._beginnings[small[:end]] + small[end:]
                    break
            else:
                return word
        return spelling.capitalize() if word[0].isupper() else spelling


def word_shares(texts: Iterable[Sequence[str]], lists: Iterable[Mapping[str, int]]) -> dict[str, float]:
    """Sum the share of each word in each text (lines) and each list (word counts).

    >>> word_shares([["Da, da", "ne"]], [{"ne": 1, "to": 3}])
    {'da': 0.6666666666666666, 'ne': 0.5833333333333333, 'to': 0.75}
    """
    total: dict[str, float] = {}
    counted = [Counter(word for line in lines for word in _WORD.findall(line.lower())) for lines in texts]
    for counts in (*counted, *lists):
        size = max(1, sum(counts.values()))
        for word, count in counts.items():
            total[word] = total.get(word, 0.0) + count / size
    return total


LABELS: Final = (
    "bos_Latn",
    "hrv",
    "srp_Latn",
)  #: the language of the made text, the one with its vowels, the one with its words
GENRES: Final = ("UD", "tatoeba", "udhr")  #: of the comparable texts: the last two languages have these
_DERIVED = (derived_text.WORDS, derived_text.BARE)
_CROATIAN_SHARE = 0.35  # part of the Croatian counts that is Bosnian too; all four chosen on development lines
_SMOOTHING = 300_000.0  # n-grams of the mean that are added to the counts of each
_MOST_LOG_RATIO = 2.5  # greatest log ratio
_FACTOR = 1.5  # factor on the log ratios


def comparable_lines(texts: Texts, lists: Mapping[str, Mapping[str, int]]) -> tuple[list[str], list[str], list[str]]:
    """Comparable lines of the three languages; none where the corpus lacks one of them."""
    if any(label not in texts for label in LABELS):
        return [], [], []
    bosnian, croatian, serbian = LABELS
    lines = [[line for genre in GENRES for line in texts[label].get(genre, ())] for label in (croatian, serbian)]
    if not all(lines):
        return [], [], []
    write = YatSpelling(_real_shares(texts, lists, (serbian,)), _real_shares(texts, lists, (croatian, bosnian))).write
    return [write(line) for line in lines[1]], lines[0], lines[1]


def _real_shares(texts: Texts, lists: Mapping[str, Mapping[str, int]], labels: Sequence[str]) -> dict[str, float]:
    real = [lines for label in labels for genre, lines in texts[label].items() if genre not in _DERIVED]
    return word_shares(real, [lists[label] for label in labels if label in lists])


def log_ratios(counts: Sequence[Counts]) -> Counts:
    """Log of how much commoner each feature is in each text than in their mean, (texts, features).

    Shapes: counts (features,).

    >>> log_ratios([np.array([0.0, 9e5, 1.0]), np.array([9e5, 0.0, 1.0])]).round(2).tolist()
    [[-0.97, 0.97, 0.0], [0.97, -0.97, 0.0]]
    """
    mean = sum(count / max(count.sum(), 1.0) for count in counts) / len(counts)
    shares = np.stack([(count + _SMOOTHING * mean) / (count.sum() + _SMOOTHING) for count in counts])
    logs = np.log(np.where(mean > 0, shares, 1.0))
    ratios: Counts = np.clip(logs - logs.mean(axis=0), -_MOST_LOG_RATIO, _MOST_LOG_RATIO)
    return ratios


def separate_bosnian(model: Model, lines: Sequence[Sequence[str]]) -> dict[str, NDArray[Any]]:
    """Separate the three languages of a new, uncalibrated model by comparable lines; return the arrays that change.

    Without lines no array changes.
    """
    if not all(lines):
        return {}
    vocabulary = read_vocabulary(model, "the new model")
    limit, closed = model.parameters["maximum"], model.parameters["closed"]
    counts = [
        np.bincount(
            logistic_regression.find_features(vocabulary, texts, limit=limit, closed=closed, script=LATIN)[0],
            minlength=len(vocabulary),
        ).astype(np.float64)
        for texts in lines
    ]
    ratios = log_ratios([counts[0] + _CROATIAN_SHARE * counts[1], *counts[1:]])
    script = model.arrays["script"]
    number = int(script[model.labels.index(LABELS[0])])
    first = int(np.searchsorted(script, number))
    scripts = model_columns.unpack_weights(model)
    row = sum(script_weights.features for script_weights in scripts[:number])
    steps = np.rint(_FACTOR * ratios[:, row : row + scripts[number].features] / model.parameters["step"]).astype(
        np.int64
    )
    script_weights = [model.labels.index(label) - first for label in LABELS]
    scripts[number] = model_columns.add_steps(scripts[number], script_weights, steps, most=LEVELS)
    return model_columns.pack_weights(scripts, np.bincount(script, minlength=len(scripts)).tolist())
