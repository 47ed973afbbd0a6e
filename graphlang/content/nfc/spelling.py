"""Correct answers by letters and words that a language always writes, or never.

N-grams depend on the topic, too: standard Chinese about Hong Kong resembles the Cantonese training text, most of which
is about Hong Kong. If the spelling is conclusive, a rule moves probability between labels of the model:

* One in six characters of Cantonese belongs to a particle, pronoun or verb that standard Chinese does not write. The
  probability that a Cantonese text of n characters has none of them is ``exp(-n / CANTONESE_SPACING)``.
* Chinese has no kana. A text of two kana or more, and one for every ten Chinese characters, is Japanese.
* Yiddish does not write the points for short and reduced vowels that every word of pointed Hebrew has.
* Moroccan is the only variety of Arabic with training text in Latin letters. A text that resembles it may be in another
  variety, so its confidence is at most `ROMANISED`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.content.text.normalise import sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

#: Mean number of characters between two signs of Cantonese in training text.
CANTONESE_SPACING: Final = 6.0
#: Maximum confidence of Arabic in Latin letters: most of its writers are not from Morocco.
ROMANISED: Final = 0.5
LEAST: Final = 0.05  #: smaller probabilities do not change
SAMPLE: Final = 400  #: characters of a text that are searched
# No regular expressions: with Chinese characters they take 7 ms to compile at each start.
_CANTONESE_LETTERS: Final = frozenset(
    "嘅係咗唔喺哋佢冇啲嚟嘢乜咁嗰畀噉攞晒啱咩㗎嘞嚿搵諗瞓攰嗌唞喎靚嬲喇噃俾呀吖吓啫嗮"
)
_CANTONESE_WORDS: Final = (
    *("鍾意", "邊度", "邊個", "屋企", "聽日", "尋日", "琴日", "聽朝", "幾多", "好多", "點解", "點樣", "家姐", "同埋"),
    *("收工", "成日", "返工", "返學", "返去", "返嚟", *(f"呢{letter}" for letter in "度個條頂兩啲隻件")),
)
_HEBREW_POINTS: Final = frozenset("\u05b0\u05b1\u05b2\u05b3\u05b5\u05b6\u05b9\u05bb")  # sheva, tsere, holam and others
_CHINESE: Final = ("zho_Hans", "zho_Hant", "yue", "nan", "hak", "wuu")


def is_japanese(text: str) -> bool:
    """Return whether a text in Chinese characters is Japanese by its kana.

    >>> is_japanese("組織再編に伴う事業所移転"), is_japanese("優の良品")
    (True, False)
    """
    kana = sum("\u3041" <= letter <= "\u30fa" for letter in text)
    return kana > 1 and 10 * kana >= _count_chinese(text)


def is_pointed_hebrew(text: str) -> bool:
    """Return whether a text has Hebrew points that Yiddish does not write, at least one per ten letters.

    >>> is_pointed_hebrew("הַיֶּלֶד הָלַךְ"), is_pointed_hebrew("אַ שײנער טאָג")
    (True, False)
    """
    points = sum(letter in _HEBREW_POINTS for letter in text)
    return points > 1 and 10 * points >= sum("\u05d0" <= letter <= "\u05ea" for letter in text)


def other_chinese_share(text: str) -> float:
    """Compute the share of P(Cantonese) to move to standard Chinese: 0 if the text has a sign of Cantonese.

    >>> [round(other_chinese_share(text), 2) for text in ("唔該晒", "香港天文台預測明日天氣晴朗", "多謝")]
    [0.0, 0.89, 0.28]
    """
    if not _CANTONESE_LETTERS.isdisjoint(text) or any(word in text for word in _CANTONESE_WORDS):
        return 0.0
    return 1 - math.exp(-_count_chinese(text) / CANTONESE_SPACING)


def _count_chinese(text: str) -> int:
    """Count Chinese characters."""
    return sum("\u3400" <= letter <= "\u9fff" or "\U00020000" <= letter <= "\U0003ffff" for letter in text)


class _Rule(NamedTuple):
    source: list[int]  #: labels that lose probability
    to: list[int]  #: labels that gain it
    share: Callable[[str], float]  #: maps a text to the share of the probability of `source` to move


class Spelling:
    """The rules for the labels of a model."""

    def __init__(self, labels: Sequence[str]) -> None:
        number = {label: place for place, label in enumerate(labels)}
        rules = (
            (_CHINESE, ("jpn",), is_japanese),
            (("yue",), _CHINESE[:2], other_chinese_share),
            (("yid",), ("heb",), is_pointed_hebrew),
        )
        numbered = (
            _Rule(
                [number[label] for label in source if label in number],
                [number[label] for label in to if label in number],
                share,
            )
            for source, to, share in rules
        )
        self._rules = [rule for rule in numbered if rule.source and rule.to]
        self._romanised = number.get("ary_Latn", -1)

    def apply(self, answer: Floats, texts: Sequence[str]) -> None:
        """Move probability between labels if the spelling of a text is conclusive, in place.

        `answer` has probabilities, (texts, labels).
        """
        for rule in self._rules:
            for row in np.flatnonzero(answer[:, rule.source].sum(axis=1) > LEAST).tolist():
                if share := rule.share(sample(texts[row], SAMPLE)):
                    _move(answer[row], rule.source, rule.to, share)
        if self._romanised >= 0:
            for row in np.flatnonzero(answer[:, self._romanised] > ROMANISED).tolist():
                _cap(answer[row], self._romanised)


def _move(chances: Floats, source: Sequence[int], to: Sequence[int], share: float) -> None:
    """Move a share of the probability of labels to others, in proportion to what these have, in place."""
    moved = chances[source] * np.float32(share)
    weights = chances[to] + np.float32(1e-9)  # equal shares if all are 0
    chances[source] -= moved
    chances[to] += moved.sum() * weights / weights.sum()


def _cap(chances: Floats, label: int) -> None:
    """Lower the probability of a label to `ROMANISED`, in place, and spread the rest evenly over others."""
    other_labels = np.flatnonzero(chances)
    other_labels = other_labels[other_labels != label]
    if len(other_labels):
        chances[other_labels] += (chances[label] - np.float32(ROMANISED)) / np.float32(len(other_labels))
        chances[label] = ROMANISED
