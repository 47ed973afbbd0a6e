"""Windows of pages, read by few of their n-grams: what each is in, and what some of them are in together.

Sums of weights are sums over n-grams. So those of several windows of a text, added up, are what all that is written in
them would have, and nothing is read twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.native import scores as _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.discriminative.scores import Scores
    from graphlang.content.discriminative.sparse_weights import ScriptWeights, Sums

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PartsRead:
    """Short texts that were read (`segments.readers.Reading`).

    Attributes:
        labels: How many the model has.
        scores: Of the model.
        weights: Of the model.
        lengths: Letters and spaces of each text, (texts,).
        offsets: Text t has `offsets[t + 1] - offsets[t]` features, (texts + 1,).
        sums: Of the texts.
        outliers: The part of the probability that all labels of a script share.
    """

    labels: int
    scores: Scores
    weights: ScriptWeights
    lengths: Ints
    offsets: Ints
    sums: Sums
    outliers: float

    def probabilities(self) -> Floats:
        """Of each text, (texts, labels); a row of 0 where it has no letters, or is in no script of the model."""
        answer = np.empty((len(self.lengths), self.labels), dtype=np.float32)
        known = self.scores.probabilities(
            self.sums,
            self.weights,
            lengths=self.lengths,
            offsets=self.offsets,
            outliers=self.outliers,
            to=np.arange(len(answer)),
            answer=answer,
        )
        answer[self.sums.order[known:]] = 0
        return answer

    def together(self, groups: Ints, members: Ints, labels: Ints) -> Ints:
        """The likeliest label of some of the texts, group by group: of those that are in the script of the given one.

        Args:
            groups: Group g has the texts `members[groups[g] : groups[g + 1]]`, (groups + 1,).
            members: Numbers of texts.
            labels: That each group is believed to have, (groups,).
        """
        answer, found = labels.copy(), np.diff(self.offsets)
        group, script = np.repeat(np.arange(len(labels)), np.diff(groups)), self.weights.script_of(labels)
        for number, rows, own in self.weights.each(self.sums):
            place = np.full(len(self.lengths), -1)
            place[rows] = np.arange(len(rows))
            mine = (script[group] == number) & (place[members] >= 0)
            some, of = members[mine], group[mine]
            if not len(some):
                continue
            first = np.flatnonzero(np.diff(of, prepend=-1))
            total = added(own, place[some], np.append(first, len(some)))
            columns = self.weights.labels[number]
            score = self.scores.linear(
                total,
                number,
                columns,
                lengths=np.add.reduceat(self.lengths[some], first),
                found=np.add.reduceat(found[some], first),
                prior=True,
            )
            answer[of[first]] = columns.start + score.argmax(axis=1)
        return answer


def added(sums: NDArray[np.int16], members: Ints, offsets: Ints) -> NDArray[np.int16]:
    """Rows added up by groups, each number cut to 16 bits, (groups, columns).

    Args:
        sums: The rows, (rows, columns).
        members: Numbers of rows.
        offsets: Group g has the rows `members[offsets[g] : offsets[g + 1]]`.

    Raises:
        KernelError: an offset or a number is outside the members or rows.

    >>> added(np.array([[1, 2], [30, 40], [32_000, 0]], dtype=np.int16), np.array([1, 2, 0, 2]), np.array([0, 1, 4]))
    array([[   30,    40],
           [32767,     2]], dtype=int16)
    """
    totals = np.empty((len(offsets) - 1, sums.shape[1]), dtype=np.int16)
    _kernels.scores_add(sums=sums, members=members, offsets=offsets, totals=totals)
    return totals
