"""Decision tree (Baykan et al. 2008, section 3.2 and figure 1): nested questions of the form "is this count above t?".

The tree is grown greedily and is meant for the handful of custom features, so that it can be read. The paper adds the
test that reduces misclassification the most. Often no single test does (two tests together would), and then such a
tree stops growing; so the reduction of the Gini impurity chooses here, which prefers the same tests and does not stop.

Only `grow` and what it calls, 70 lines, could be left to scikit-learn: that is less than a dependency for one method of
one paper costs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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

    def leaves(self, values: NDArray[np.number]) -> NDArray[np.float64]:
        """[URLs, classes] the training URLs of each class in the leaf of each URL, from values [URLs, features]."""
        answer = np.zeros((len(values), self.size))
        waiting = [(self.root, np.arange(len(values)))]
        while waiting:
            node, rows = waiting.pop()
            if node.no is None or node.yes is None:
                answer[rows] = node.counts
                continue
            above = values[rows, node.feature] > node.threshold
            waiting += [(node.no, rows[~above]), (node.yes, rows[above])]
        return answer

    def probabilities(self, values: NDArray[np.number]) -> NDArray[np.float64]:
        """[URLs, classes] share of each class among the training URLs of the leaf, from values [URLs, features]."""
        leaf = self.leaves(values)
        return np.asarray(leaf / leaf.sum(axis=1, keepdims=True))

    def classes(self, values: NDArray[np.number]) -> NDArray[np.int64]:
        """[URLs] the commonest class of the leaf; of equal ones the first."""
        return np.asarray(self.probabilities(values).argmax(axis=1))

    def pruned(self, depth: int) -> Tree:
        """The same tree with at most ``depth`` questions on a way to a leaf."""
        return Tree(_pruned(self.root, depth), self.size)

    def text(self, features: Sequence[str], classes: Sequence[str]) -> str:
        """The tree for a reader, one line for each branch.

        Args:
            features: Names of the features.
            classes: Names of the classes.

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
            counts = ", ".join(f"{round(count, 1):g} {name}" for count, name in zip(node.counts, classes, strict=True))
            yield f"{indent}{answer}{classes[int(np.argmax(node.counts))]} ({counts})"
            return
        yield f"{indent}{answer}{features[node.feature]} > {node.threshold:g}?"
        yield from self._lines(node.no, features, classes, indent + "  ", "no: ")
        yield from self._lines(node.yes, features, classes, indent + "  ", "yes: ")


def _pruned(node: Node, depth: int) -> Node:
    if node.no is None or node.yes is None or depth == 0:
        return Node(node.counts)
    return replace(node, no=_pruned(node.no, depth - 1), yes=_pruned(node.yes, depth - 1))


def grow(
    values: NDArray[np.integer],
    label: NDArray[np.int64],
    classes: int,
    *,
    weight: NDArray[np.float64] | None = None,
    depth: int = 8,
    least: int = 1,
) -> Tree:
    """A tree from values [URLs, features] and the class of each URL.

    Args:
        values: Counts or flags, not negative.
        label: [URLs] 0 to classes - 1.
        classes: How many.
        weight: [URLs] how much each counts; all the same if not given.
        depth: Most questions on a way to a leaf.
        least: Fewest training URLs in a leaf.
    """
    share = np.ones(len(label)) if weight is None else weight
    return Tree(_node(values, label, share, classes=classes, depth=depth, least=least), classes)


def _node(
    values: NDArray[np.integer],
    label: NDArray[np.int64],
    weight: NDArray[np.float64],
    *,
    classes: int,
    depth: int,
    least: int,
) -> Node:
    counts = np.bincount(label, weights=weight, minlength=classes).astype(np.float64)
    held = tuple(counts.tolist())
    if depth == 0 or counts.max() == counts.sum():
        return Node(held)
    best, feature, threshold = 1e-9, -1, 0.0
    for column in range(values.shape[1]):
        gain, where = _best_split(values[:, column].astype(np.int64), label, weight, counts, least)
        if gain > best:
            best, feature, threshold = gain, column, where
    if feature < 0:
        return Node(held)
    above = values[:, feature] > threshold
    no, yes = (
        _node(values[side], label[side], weight[side], classes=classes, depth=depth - 1, least=least)
        for side in (~above, above)
    )
    return Node(held, feature, threshold, no, yes)


def _best_split(
    value: NDArray[np.int64],
    label: NDArray[np.int64],
    weight: NDArray[np.float64],
    counts: NDArray[np.float64],
    least: int,
) -> tuple[float, float]:
    """How much the best threshold lowers the sum of Gini impurities times weight, and that threshold."""
    size = len(counts)
    urls = np.bincount(value)
    distinct = np.flatnonzero(urls)
    if len(distinct) < 2:  # noqa: PLR2004
        return 0.0, 0.0
    table = np.bincount(value * size + label, weights=weight, minlength=len(urls) * size).reshape(-1, size)[distinct]
    below = table.cumsum(axis=0)[:-1]
    above = counts - below
    urls_below = urls[distinct].cumsum()[:-1]
    purity = (below**2).sum(axis=1) / below.sum(axis=1) + (above**2).sum(axis=1) / above.sum(axis=1)
    gain = purity - (counts**2).sum() / counts.sum()
    gain[(urls_below < least) | (len(value) - urls_below < least)] = 0
    cut = int(gain.argmax())
    return float(gain[cut]), float((distinct[cut] + distinct[cut + 1]) / 2)
