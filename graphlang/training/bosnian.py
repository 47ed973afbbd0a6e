"""Separate Bosnian from Croatian and Serbian by comparable text.

`close_languages` reduces the differences of the three vectors, because the Bosnian training text is program messages
and the others are news: most differences that training finds are of genre. This module makes comparable text: the
Serbian text, the same text spelt with the vowels of Bosnian and Croatian, and Croatian text of the same genres. The log
ratios of naive Bayes on these three, every n-gram against the mean of the three, are added to the weights. A part of
the Croatian text counts as Bosnian too, because the two share much of their vocabulary. This happens after training and
rounding, in whole steps, so that nothing else changes.

The vowel is *yat*: Serbian `vreme` and `mesto` are `vrijeme` and `mjesto` in the other two. Word counts show which
words have it: an `e` that becomes `je` or `ije` makes another word, the first is commoner in Serbian, and the second is
common in Bosnian and Croatian. Other words with the same stem follow.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

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
_COMMONER_FACTOR = 2.0  # a spelling belongs to a side if it is commoner there by this factor
_COMMON_SPELLING = 0.3  # with this factor or more it belongs to the other side too
_SHORTEST_STEM = 4  # letters of a stem that other words share
_LETTERS_AFTER_YAT = (2, 3, 4)  # of a stem


class YatSpelling:
    """Spell the yat in text of one language as another language does.

    >>> yat = YatSpelling({"vreme": 0.02, "reka": 0.01}, {"vrijeme": 0.02, "rijeka": 0.01})
    >>> yat.spell("Vreme je da reka raste, sa rekama oko nje.")
    'Vrijeme je da rijeka raste, sa rijekama oko nje.'
    """

    def __init__(self, plain: Mapping[str, float], marked: Mapping[str, float]) -> None:
        self._plain, self._marked = plain, marked
        self._words: dict[str, str] = {}
        stems: dict[str, Counter[str]] = defaultdict(Counter)
        for word in sorted(marked):
            for match in _YAT.finditer(word):
                other = f"{word[: match.start()]}e{word[match.end() :]}"
                if not self._is_yat_pair(other, word):
                    continue
                self._words[other] = word
                for length in _LETTERS_AFTER_YAT:
                    end = match.start() + 1 + length
                    if _SHORTEST_STEM <= end <= len(other):
                        stems[other[:end]][word[: end + len(word) - len(other)]] += 1
        self._stems = {stem: max(sorted(counts), key=counts.__getitem__) for stem, counts in stems.items()}
        self._longest = max(map(len, self._stems), default=0)

    def _is_yat_pair(self, plain: str, marked: str) -> bool:
        """Return True for one word in two spellings, with `e` in the first and `je` or `ije` in the second."""
        is_plain = self._plain.get(plain, 0.0) > _COMMONER_FACTOR * self._plain.get(marked, 0.0)
        return is_plain and self._marked[marked] > _COMMON_SPELLING * self._marked.get(plain, 0.0)

    def spell(self, text: str) -> str:
        """Spell each yat of the text `je` or `ije`."""
        return _WORD.sub(lambda match: self._spell_word(match[0]), text)

    def _spell_word(self, word: str) -> str:
        small = word.lower()
        spelling = self._words.get(small)
        if spelling is None:
            if self._marked.get(small, 0.0) > _COMMON_SPELLING * self._plain.get(small, 0.0):
                return word
            for end in range(min(len(small), self._longest), _SHORTEST_STEM - 1, -1):
                if small[:end] in self._stems:
                    spelling = self._stems[small[:end]] + small[end:]
                    break
            else:
                return word
        return spelling.capitalize() if word[0].isupper() else spelling


def sum_word_shares(texts: Iterable[Sequence[str]], lists: Iterable[Mapping[str, int]]) -> dict[str, float]:
    """Sum the shares of each word in texts (lines) and word lists (counts).

    >>> sum_word_shares([["Da, da", "ne"]], [{"ne": 1, "to": 3}])
    {'da': 0.6666666666666666, 'ne': 0.5833333333333333, 'to': 0.75}
    """
    total: dict[str, float] = {}
    text_counts = [Counter(word for line in lines for word in _WORD.findall(line.lower())) for lines in texts]
    for counts in (*text_counts, *lists):
        size = max(1, sum(counts.values()))
        for word, count in counts.items():
            total[word] = total.get(word, 0.0) + count / size
    return total


LABELS: Final = ("bos_Latn", "hrv", "srp_Latn")  #: Bosnian text has the words of the third, the vowels of the second
GENRES: Final = ("UD", "tatoeba", "udhr")  #: genres that both Croatian and Serbian have
_DERIVED = (derived_text.WORDS, derived_text.BARE)
# The next four were chosen on development lines.
_CROATIAN_SHARE = 0.35  # share of the Croatian counts that is added to the Bosnian ones
_SMOOTHING = 300_000.0  # n-grams of the mean that are added to the counts of each
_MAX_LOG_RATIO = 2.5
_FACTOR = 1.5  # on the log ratios


def make_comparable_lines(
    texts: Texts, lists: Mapping[str, Mapping[str, int]]
) -> tuple[list[str], list[str], list[str]]:
    """Make comparable lines of the three languages; none if the corpus lacks one of them."""
    if any(label not in texts for label in LABELS):
        return [], [], []
    bosnian, croatian, serbian = LABELS
    lines = [[line for genre in GENRES for line in texts[label].get(genre, ())] for label in (croatian, serbian)]
    if not all(lines):
        return [], [], []
    plain, marked = (_sum_real_shares(texts, lists, labels) for labels in ((serbian,), (croatian, bosnian)))
    spelling = YatSpelling(plain, marked)
    return [spelling.spell(line) for line in lines[1]], lines[0], lines[1]


def _sum_real_shares(texts: Texts, lists: Mapping[str, Mapping[str, int]], labels: Sequence[str]) -> dict[str, float]:
    real = [lines for label in labels for genre, lines in texts[label].items() if genre not in _DERIVED]
    return sum_word_shares(real, [lists[label] for label in labels if label in lists])


def compute_log_ratios(counts: Sequence[Counts]) -> Counts:
    """Compute the log ratio of each feature's share in each text to its mean share, (texts, features).

    Shapes: counts (features,).

    >>> compute_log_ratios([np.array([0.0, 9e5, 1.0]), np.array([9e5, 0.0, 1.0])]).round(2).tolist()
    [[-0.97, 0.97, 0.0], [0.97, -0.97, 0.0]]
    """
    mean = sum(count / max(count.sum(), 1.0) for count in counts) / len(counts)
    shares = np.stack([(count + _SMOOTHING * mean) / (count.sum() + _SMOOTHING) for count in counts])
    logs = np.log(np.where(mean > 0, shares, 1.0))
    ratios: Counts = np.clip(logs - logs.mean(axis=0), -_MAX_LOG_RATIO, _MAX_LOG_RATIO)
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
    ratios = compute_log_ratios([counts[0] + _CROATIAN_SHARE * counts[1], *counts[1:]])
    script = int(model.arrays["script"][model.labels.index(LABELS[0])])
    ends = np.cumsum(model.arrays["features"][: script + 1, 1])
    script_ratios = ratios[:, ends[-1] - model.arrays["features"][script, 1] : ends[-1]]
    steps = np.rint(_FACTOR * script_ratios / model.parameters["step"]).astype(np.int64)
    return model_columns.add_label_steps(model, LABELS, steps)
