"""Decision tree (Baykan et al. 2008, section 3.2 and figure 1): nested questions of the form "is this count above t?".

The tree is grown greedily and is meant for the handful of custom features, so that it can be read. The paper adds the
test that reduces misclassification the most. Often no single test does (two tests together would), and then such a
tree stops growing; so the reduction of the Gini impurity chooses here, which prefers the same tests and does not stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Node:
    """A question and its two answers, or a leaf (``feature`` is -1)."""

    counts: tuple[float, ...]  #: weight of the training URLs of each class that come here
    feature: int = -1  #: column that is asked about
    threshold: float = 0.0  #: "no" at or below it, "yes" above
    no: Node | None = None
    yes: Node | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """A trained tree."""

    root: Node
    size: int  #: classes

    def chances(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """[URLs, classes] share of each class among the training URLs of the leaf, from values [URLs, features]."""
        answer = np.zeros((len(values), self.size))
        waiting = [(self.root, np.arange(len(values)))]
        while waiting:
            node, rows = waiting.pop()
            if node.no is None or node.yes is None:
                answer[rows] = np.array(node.counts) / sum(node.counts)
                continue
            above = values[rows, node.feature] > node.threshold
            waiting += [(node.no, rows[~above]), (node.yes, rows[above])]
        return answer

    def classes(self, values: NDArray[np.floating]) -> NDArray[np.int64]:
        """[URLs] the commonest class of the leaf; of equal ones the first."""
        return np.asarray(self.chances(values).argmax(axis=1))

    def text(self, features: Sequence[str], classes: Sequence[str]) -> str:
        """The tree for a reader, one line for each branch.

        >>> tree = grow(np.array([[0.0], [1.0], [1.0]]), np.array([0, 1, 1]), 2)
        >>> print(tree.text(["TLD .de"], ["other", "German"]))
        TLD .de > 0.5?
          no: other (1 other, 0 German)
          yes: German (0 other, 2 German)
        """
        return "\n".join(self._lines(self.root, features, classes, "", ""))

    def _lines(
        self, node: Node, features: Sequence[str], classes: Sequence[str], indent: str, answer: str
    ) -> Iterator[str]:
        if node.no is None or node.yes is None:
            counts = ", ".join(f"{count:g} {name}" for count, name in zip(node.counts, classes, strict=True))
            yield f"{indent}{answer}{classes[int(np.argmax(node.counts))]} ({counts})"
            return
        yield f"{indent}{answer}{features[node.feature]} > {node.threshold:g}?"
        yield from self._lines(node.no, features, classes, indent + "  ", "no: ")
        yield from self._lines(node.yes, features, classes, indent + "  ", "yes: ")


def grow(
    values: NDArray[np.floating], label: NDArray[np.int64], classes: int, *, depth: int = 8, least: int = 1
) -> Tree:
    """A tree from values [URLs, features] and the class of each URL.

    Args:
        values: Counts or flags; few distinct values per feature, as custom features have.
        label: [URLs] 0 to classes - 1.
        classes: How many.
        depth: Most questions on a way to a leaf.
        least: Fewest training URLs in a leaf.
    """
    return Tree(_node(values, label, classes, depth, least), classes)


def _node(values: NDArray[np.floating], label: NDArray[np.int64], classes: int, depth: int, least: int) -> Node:
    counts = np.bincount(label, minlength=classes).astype(np.float64)
    held = tuple(counts.tolist())
    if depth == 0 or counts.max() == counts.sum():
        return Node(held)
    best, feature, threshold = 1e-9, -1, 0.0
    for column in range(values.shape[1]):
        gain, where = _best_split(values[:, column], label, counts, least)
        if gain > best:
            best, feature, threshold = gain, column, where
    if feature < 0:
        return Node(held)
    above = values[:, feature] > threshold
    no = _node(values[~above], label[~above], classes, depth - 1, least)
    yes = _node(values[above], label[above], classes, depth - 1, least)
    return Node(held, feature, threshold, no, yes)


def _best_split(
    value: NDArray[np.floating], label: NDArray[np.int64], counts: NDArray[np.float64], least: int
) -> tuple[float, float]:
    """How much the best threshold lowers the sum of Gini impurities times URLs, and that threshold."""
    distinct, place = np.unique(value, return_inverse=True)
    if len(distinct) < 2:  # noqa: PLR2004
        return 0.0, 0.0
    table = np.zeros((len(distinct), len(counts)))
    np.add.at(table, (place, label), 1)
    below = table.cumsum(axis=0)[:-1]
    above = counts - below
    size_below, size_above = below.sum(axis=1), above.sum(axis=1)
    purity = (below**2).sum(axis=1) / size_below + (above**2).sum(axis=1) / size_above
    gain = purity - (counts**2).sum() / counts.sum()
    gain[(size_below < least) | (size_above < least)] = 0
    cut = int(gain.argmax())
    return float(gain[cut]), float((distinct[cut] + distinct[cut + 1]) / 2)
