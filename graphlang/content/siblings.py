"""Languages that share most of their words: what word lists know of the others.

Bosnian, Croatian and Serbian, or Malay and Indonesian, differ in single words; the n-grams that their training texts do
not share tell subjects rather than languages. Frequency lists of one source (subtitles, here) are alike in subject, so
the ratio of a word's frequency in one language to its mean in all of the group says something of the language alone:
naive Bayes on nothing but these lists tells the three better than the discriminative weights do. So the log ratios are
added to the weights of those words that are features, within the group only. It costs nothing when classifying.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

GROUPS = (
    ("bos_Latn", "hrv", "srp_Latn"),
    ("ind", "msa"),
    ("ces", "slk"),
    ("glg", "por", "spa"),
)
_UNSEEN = 1e-5  # share of a word that a list may well lack
_MOST = 3.0  # greatest log ratio


@dataclass(frozen=True, slots=True)
class Siblings:
    """A group.

    Attributes:
        labels: Which labels these are.
        ratios: Per word the log of how much commoner it is in each language than in the mean of them; their mean is 0.
    """

    labels: NDArray[np.int64]
    ratios: dict[str, NDArray[np.float32]]

    def add(
        self, weights: NDArray[np.float32], features: Sequence[str], columns: NDArray[np.int64], times: float
    ) -> None:
        """Add so many times the log ratios to the weights of features (rows) that are words; in place.

        Args:
            weights: (features, columns).
            features: What the rows are.
            columns: The label of each column, rising.
            times: Factor on the log ratios.
        """
        own = np.searchsorted(columns, self.labels)
        rows, ratios = [], []
        for row, feature in enumerate(features):
            ratio = self.ratios.get(feature[1:-1]) if feature[0] == feature[-1] == " " else None
            if ratio is not None:
                rows.append(row)
                ratios.append(ratio)
        if rows:
            weights[np.array(rows)[:, None], own] += np.float32(times) * np.stack(ratios)


def find(labels: Sequence[str], lists: Mapping[str, Mapping[str, int]]) -> list[Siblings]:
    """The groups of which every language is trained and has a list.

    >>> few = {"ind": {"bahwa": 1, "saya": 9}, "msa": {"bahawa": 1, "saya": 9}}
    >>> [group] = find(["eng", "ind", "msa"], few)
    >>> group.labels.tolist(), [round(x, 1) for x in group.ratios["bahawa"].tolist()], group.ratios["saya"].tolist()
    ([1, 2], [-1.8, 1.8], [0.0, 0.0])
    """
    found = []
    for group in GROUPS:
        if not all(label in lists and label in labels for label in group):
            continue
        totals = np.array([sum(lists[label].values()) for label in group], dtype=np.float64)
        words = sorted({word for label in group for word in lists[label] if word.isalpha()})
        share = np.array([[lists[label].get(word, 0) for label in group] for word in words]) / totals
        logs = np.log((share + _UNSEEN) / (share.mean(axis=1, keepdims=True) + _UNSEEN))
        logs = np.clip(logs, -_MOST, _MOST)
        logs = (logs - logs.mean(axis=1, keepdims=True)).astype(np.float32)
        indices = np.array([labels.index(label) for label in group])
        found.append(Siblings(indices, dict(zip(words, logs, strict=True))))
    return found
