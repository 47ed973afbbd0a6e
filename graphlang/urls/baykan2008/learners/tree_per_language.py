"""One decision tree for each language, as one scorer and as flat arrays for a file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.baykan2008.learners.decision_tree import Node, Tree, grow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

#: of a yes and a no, added to each leaf: its probability is never 0 or 1
_SMOOTH = 0.5
_MOST = 255  # a count; what is above says no more


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees with two classes, no and yes, one for each label."""

    trees: tuple[Tree, ...]

    def scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        """[URLs, labels] log-odds of yes in the leaf of each tree; above 0 the tree says yes."""
        values = whole(counts)
        answer = np.empty((len(values), len(self.trees)))
        for number, tree in enumerate(self.trees):
            leaf = tree.leaves(values)
            answer[:, number] = np.log(leaf[:, 1] + _SMOOTH) - np.log(leaf[:, 0] + _SMOOTH)
        return answer

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All nodes in order, each tree's root first: the feature asked (-1 in a leaf), threshold, answers, counts."""
        rows = [row for tree in self.trees for row in _rows(tree.root)]
        roots = np.cumsum([0, *(sum(1 for _ in _rows(tree.root)) for tree in self.trees)])
        return {
            "tree": roots.astype(np.int32),
            "feature": np.array([row[0] for row in rows], dtype=np.int32),
            "threshold": np.array([row[1] for row in rows], dtype=np.float32),
            "weight": np.array([row[2] for row in rows], dtype=np.float32).reshape(-1, 2),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[np.generic]], features: int) -> Forest:
        """What `arrays` wrote.

        Args:
            arrays: As `arrays` names them.
            features: How many features there are.

        Raises:
            ValueError: the nodes make no trees, or ask for features that are not there.
        """
        rows = list(
            zip(
                arrays["feature"].tolist(), arrays["threshold"].tolist(), arrays["weight"].tolist(), strict=True
            )
        )  # fmt: skip
        bounds = arrays["tree"].tolist()
        if any(not -1 <= row[0] < features for row in rows) or bounds[:1] != [0] or bounds[-1] != len(rows):
            raise ValueError("nodes that make no tree")
        if any(min(weight) < 0 for _, _, weight in rows):
            raise ValueError("nodes to which less than no URL comes")
        trees = []
        for begin, end in pairwise(bounds):
            if not 0 <= begin < end <= len(rows):
                raise ValueError("nodes that make no tree")
            trees.append(Tree(_built(rows[begin:end]), 2))
        return cls(tuple(trees))


def fit(counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, depth: int = 8, least: int = 5) -> Forest:
    """A tree for each class against all others, both sides with the same weight in all.

    Args:
        counts: [URLs, features].
        label: [URLs] each class at least once.
        classes: How many.
        depth: Most questions on a way to a leaf.
        least: Fewest training URLs in a leaf.
    """
    values = whole(counts)
    trees = []
    for number in range(classes):
        truth = label == number
        weight = np.where(truth, 1.0, truth.sum() / max((~truth).sum(), 1))
        trees.append(grow(values, truth.astype(np.int64), 2, weight=weight, depth=depth, least=least))
    return Forest(tuple(trees))


def whole(counts: sparse.csr_matrix) -> NDArray[np.uint8]:
    """The counts as a table of small whole numbers."""
    return np.asarray(np.minimum(counts.toarray(), _MOST), dtype=np.uint8)


def _rows(node: Node) -> Iterator[tuple[int, float, tuple[float, ...]]]:
    yield node.feature, node.threshold, node.counts
    if node.no is not None and node.yes is not None:
        yield from _rows(node.no)
        yield from _rows(node.yes)


def _built(rows: Sequence[tuple[int, float, list[float]]]) -> Node:
    """The root of the nodes of one tree: built from the last to the first, so that no depth exhausts the stack."""
    waiting: list[Node] = []
    for feature, threshold, weight in reversed(rows):
        if feature < 0:
            waiting.append(Node(tuple(weight)))
        elif len(waiting) >= 2:  # noqa: PLR2004 two answers
            waiting.append(Node(tuple(weight), feature, threshold, waiting.pop(), waiting.pop()))
        else:
            raise ValueError("nodes that make no tree")
    if len(waiting) != 1:
        raise ValueError("nodes that make no tree")
    return waiting[0]
