"""The learners of Baykan et al. 2008, section 3.2: Naive Bayes, Relative Entropy, Maximum Entropy, decision trees.

The first three learn a `LinearScorer`: weights times counts, plus a bias.

*Naive Bayes* is multinomial: features are independent given the language. The paper uses maximum likelihood and is
silent on the smoothing of unseen features and on the prior. Here ``smoothing`` is added to every count (Laplace's rule
with a fraction), and the prior is left out: the paper trains on as many positive as negative URLs, so it cancels.

*Relative Entropy* (after Sibun and Reynar 1996): every URL is a distribution over features (unit L1 norm), and a class
is the mean distribution of its URLs. A URL p gets the class q with the lowest D(p || q) = sum p log(p / q). The term
sum p log p is equal for all classes, so this is the class with the highest sum p log q, which is linear in p. If no URL
of a class has a feature, D is infinite, which the paper does not discuss. Here a share ``floor`` of every class is
spread evenly over all features; the caller leaves out features that no class has.

*Maximum Entropy* (after Nigam et al. 1999): the distribution of highest entropy whose expected count of each feature
and class is the observed one is a softmax of weighted features, with the weights of greatest likelihood. The paper
finds them by 40 rounds of improved iterative scaling; here L-BFGS finds the same optimum, with a Gaussian prior that
keeps the weights of rare features finite (Nigam et al. use it against overfitting).

*Decision trees* (figure 1), one per language, are nested tests "is this count above t?". They are grown greedily over
the few custom features, so people can read them. The paper adds the test that reduces misclassification most. Often no
single test does, although two would, and then such a tree stops growing. So here the reduction of the Gini impurity
decides, which prefers the same tests and does not stop. scikit-learn is not used: it breaks ties between equal splits
at random, and a new version could change the bytes of a model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
import scipy  # scipy.sparse is imported on first use: it takes a tenth of a second

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

#: weights in a model file are whole numbers of this many log-odds
WEIGHT_STEP = 1 / 256
_ROUNDS = 100  # of L-BFGS


@dataclass(frozen=True, slots=True)
class LinearScorer:
    """A linear classifier, which predicts the class with the highest score."""

    weights: NDArray[np.float64]  #: [features, classes]
    bias: NDArray[np.float64]  #: [classes]
    unit: bool = False  #: whether the counts of a URL are first divided by their sum

    def scores(self, counts: scipy.sparse.csr_matrix) -> NDArray[np.float64]:
        """Compute scores, [URLs, classes], from counts [URLs, features]."""
        return np.asarray((to_shares(counts) if self.unit else counts) @ self.weights + self.bias)

    def predict(self, counts: scipy.sparse.csr_matrix) -> NDArray[np.int64]:
        """Predict the class with the highest score, the first of equals, [URLs]."""
        return np.asarray(self.scores(counts).argmax(axis=1))


def to_shares(counts: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    """Divide each row by its sum (unit L1 norm); rows of zeros do not change."""
    total = np.asarray(counts.sum(axis=1)).ravel()
    return scipy.sparse.csr_matrix(scipy.sparse.diags_array(1 / np.where(total > 0, total, 1)) @ counts)


def sum_classes(counts: scipy.sparse.csr_matrix, label: NDArray[np.int64], classes: int) -> NDArray[np.float64]:
    """Sum counts [URLs, features] by class, [classes, features]; `label` [URLs] is the class of each row."""
    members = scipy.sparse.csr_matrix(
        (np.ones(len(label)), (label, np.arange(len(label)))), shape=(classes, len(label)), dtype=np.float64
    )
    return np.asarray((members @ counts).todense())


def fit_naive_bayes(
    counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, smoothing: float = 0.1, prior: bool = False
) -> LinearScorer:
    """Fit weights log p(feature | class), and with ``prior`` the share of each class in the training URLs as bias.

    Shapes: counts [URLs, features], label [URLs], 0 to classes - 1; every class has at least one URL. `smoothing` is
    above 0.

    >>> from scipy.sparse import csr_matrix
    >>> model = fit_naive_bayes(csr_matrix([[2, 0], [0, 1]]), np.array([0, 1]), 2, smoothing=1)
    >>> np.exp(model.weights).round(3).tolist()
    [[0.75, 0.333], [0.25, 0.667]]
    """
    class_counts = sum_classes(counts, label, classes) + smoothing
    weights = np.log(class_counts / class_counts.sum(axis=1, keepdims=True)).T
    share = np.bincount(label, minlength=classes) / len(label)
    return LinearScorer(weights, np.log(share) if prior else np.zeros(classes))


def fit_relative_entropy(
    counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, floor: float = 0.05
) -> LinearScorer:
    """Fit weights log q(feature) of each class.

    Shapes: counts [URLs, features], not negative; label [URLs]; every class has a URL with a feature. The share `floor`
    of each class, above 0 and below 1, is spread over all features.

    >>> from scipy.sparse import csr_matrix
    >>> model = fit_relative_entropy(csr_matrix([[1, 1], [3, 0], [0, 2]]), np.array([0, 0, 1]), 2, floor=0.2)
    >>> np.exp(model.weights).round(2).tolist()
    [[0.7, 0.1], [0.3, 0.9]]
    """
    average = sum_classes(to_shares(counts), label, classes)
    average /= average.sum(axis=1, keepdims=True)
    smoothed = (1 - floor) * average + floor / counts.shape[1]
    return LinearScorer(np.log(smoothed).T, np.zeros(classes), unit=True)


def fit_maximum_entropy(
    counts: scipy.sparse.csr_matrix,
    label: NDArray[np.int64],
    classes: int,
    *,
    penalty: float = 0.3,
) -> LinearScorer:
    """Fit the weights that maximise sum log p(class | URL) - penalty / 2 * sum of squared weights.

    Shapes: counts [URLs, features], label [URLs]. `penalty` is the precision of the Gaussian prior; the bias has none.

    >>> from scipy.sparse import csr_matrix
    >>> model = fit_maximum_entropy(csr_matrix([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), 2)
    >>> model.predict(csr_matrix([[5.0, 0.0], [0.0, 5.0]])).tolist()
    [0, 1]
    """
    from scipy import optimize  # noqa: PLC0415 - slow to import, and only training needs it

    size, features = counts.shape
    counts = scipy.sparse.csr_matrix(counts, dtype=np.float64)
    transposed = scipy.sparse.csr_matrix(counts.T)
    rows = np.arange(size)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        table = flat.reshape(features + 1, classes)
        scores = np.asarray(counts @ table[:-1] + table[-1])
        scores -= scores.max(axis=1, keepdims=True)
        log_sum = np.log(np.exp(scores).sum(axis=1))
        error = np.exp(scores - log_sum[:, None])
        error[rows, label] -= 1
        gradient = np.vstack([transposed @ error + penalty * table[:-1], error.sum(axis=0)])
        likelihood = (log_sum - scores[rows, label]).sum()
        return float(likelihood + penalty / 2 * (table[:-1] ** 2).sum()), gradient.ravel()

    start = np.zeros((features + 1) * classes)
    result = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
    table = result.x.reshape(features + 1, classes)
    return LinearScorer(table[:-1], table[-1])


class Learner(Protocol):
    """A function that trains a linear classifier."""

    def __call__(self, counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int) -> LinearScorer:
        """Train on counts [URLs, features] and the class of each URL, from 0 to classes - 1."""


def fit_one_against_rest(
    learner: Learner, counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, seed: int = 0
) -> LinearScorer:
    """Fit a binary classifier for each class, which accepts if its score is above 0.

    Each is trained on all URLs of its class and as many of the others, drawn at random; a feature that none of these
    has gets no weight. (All others with less weight are not the same: their many rare features would outvote those of
    the class.) `learner` trains each classifier. Shapes: counts [URLs, features], label [URLs]. There are at least two
    classes, each with a URL.
    """
    random = np.random.default_rng(seed)
    weights = np.zeros((counts.shape[1], classes))
    bias = np.zeros(classes)
    unit = False
    for number in range(classes):
        positive, negative = np.flatnonzero(label == number), np.flatnonzero(label != number)
        drawn = random.choice(negative, size=min(len(positive), len(negative)), replace=False)
        rows = np.concatenate([positive, drawn])
        row_counts = counts[rows]
        used = np.flatnonzero(np.asarray(row_counts.sum(axis=0)).ravel())
        binary = learner(row_counts[:, used], (label[rows] == number).astype(np.int64), 2)
        weights[used, number] = binary.weights[:, 1] - binary.weights[:, 0]
        bias[number] = binary.bias[1] - binary.bias[0]
        unit = binary.unit
    return LinearScorer(weights, bias, unit=unit)


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A test and its two branches, or a leaf (`feature` is -1)."""

    counts: tuple[float, ...]  #: weight of the training URLs of each class in this node
    feature: int = -1  #: column to test
    threshold: float = 0.0  #: "no" at or below it, "yes" above
    no: TreeNode | None = None
    yes: TreeNode | None = None


@dataclass(frozen=True, slots=True)
class DecisionTree:
    """A decision tree."""

    root: TreeNode
    size: int  #: classes

    def find_leaves(self, values: NDArray[np.number]) -> NDArray[np.float64]:
        """Count the training URLs of each class in the leaf of each URL, [URLs, classes]; values [URLs, features]."""
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

    def compute_shares(self, values: NDArray[np.number]) -> NDArray[np.float64]:
        """Compute the share of each class among the training URLs of the leaf, [URLs, classes]."""
        leaf = self.find_leaves(values)
        return np.asarray(leaf / leaf.sum(axis=1, keepdims=True))

    def predict(self, values: NDArray[np.number]) -> NDArray[np.int64]:
        """Predict the commonest class of the leaf, the first of equals, [URLs]."""
        return np.asarray(self.compute_shares(values).argmax(axis=1))

    def prune(self, depth: int) -> DecisionTree:
        """Prune the tree to at most `depth` tests on the way to a leaf."""
        return DecisionTree(_prune_node(self.root, depth), self.size)

    def format(self, features: Sequence[str], classes: Sequence[str]) -> str:
        """Format the tree, a line for each branch.

        >>> tree = grow_tree(np.array([[0.0], [1.0], [1.0]]), np.array([0, 1, 1]), 2)
        >>> print(tree.format(["TLD .de"], ["other", "German"]))
        TLD .de > 0.5?
          no: other (1 other, 0 German)
          yes: German (0 other, 2 German)
        """
        return "\n".join(self._format_node(self.root, features, classes, "", ""))

    def _format_node(
        self, node: TreeNode, features: Sequence[str], classes: Sequence[str], indent: str, answer: str
    ) -> Iterator[str]:
        if node.no is None or node.yes is None:
            counts = ", ".join(f"{round(count, 1):g} {name}" for count, name in zip(node.counts, classes, strict=True))
            yield f"{indent}{answer}{classes[int(np.argmax(node.counts))]} ({counts})"
            return
        yield f"{indent}{answer}{features[node.feature]} > {node.threshold:g}?"
        yield from self._format_node(node.no, features, classes, indent + "  ", "no: ")
        yield from self._format_node(node.yes, features, classes, indent + "  ", "yes: ")


def _prune_node(node: TreeNode, depth: int) -> TreeNode:
    if node.no is None or node.yes is None or depth == 0:
        return TreeNode(node.counts)
    return replace(node, no=_prune_node(node.no, depth - 1), yes=_prune_node(node.yes, depth - 1))


def grow_tree(
    values: NDArray[np.integer],
    label: NDArray[np.int64],
    classes: int,
    *,
    weight: NDArray[np.float64] | None = None,
    depth: int = 8,
    leaf_size: int = 1,
) -> DecisionTree:
    """Grow a tree from counts or flags [URLs, features] and the class of each URL.

    `weight` [URLs] is equal by default. There are at most `depth` tests on the way to a leaf, and at least `leaf_size`
    training URLs in a leaf.
    """
    share = np.ones(len(label)) if weight is None else weight
    return DecisionTree(_grow_node(values, label, share, classes=classes, depth=depth, leaf_size=leaf_size), classes)


def _grow_node(
    values: NDArray[np.integer],
    label: NDArray[np.int64],
    weight: NDArray[np.float64],
    *,
    classes: int,
    depth: int,
    leaf_size: int,
) -> TreeNode:
    counts = np.bincount(label, weights=weight, minlength=classes).astype(np.float64)
    node_counts = tuple(counts.tolist())
    if depth == 0 or counts.max() == counts.sum():
        return TreeNode(node_counts)
    best, feature, threshold = 1e-9, -1, 0.0
    for column in range(values.shape[1]):
        gain, split = _find_best_split(values[:, column].astype(np.int64), label, weight, counts, leaf_size)
        if gain > best:
            best, feature, threshold = gain, column, split
    if feature < 0:
        return TreeNode(node_counts)
    above = values[:, feature] > threshold
    no, yes = (
        _grow_node(values[side], label[side], weight[side], classes=classes, depth=depth - 1, leaf_size=leaf_size)
        for side in (~above, above)
    )
    return TreeNode(node_counts, feature, threshold, no, yes)


def _find_best_split(
    value: NDArray[np.int64],
    label: NDArray[np.int64],
    weight: NDArray[np.float64],
    counts: NDArray[np.float64],
    leaf_size: int,
) -> tuple[float, float]:
    """Find the best threshold, and by how much it reduces the weighted Gini impurity."""
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
    gain[(urls_below < leaf_size) | (len(value) - urls_below < leaf_size)] = 0
    cut = int(gain.argmax())
    return float(gain[cut]), float((distinct[cut] + distinct[cut + 1]) / 2)


#: added to the yes and the no of each leaf, so that no probability is 0 or 1
_SMOOTHING = 0.5
_MAX_COUNT = 255  # larger counts are clipped


@dataclass(frozen=True, slots=True)
class TreePerLanguage:
    """Trees with two classes, no and yes, one for each label."""

    trees: tuple[DecisionTree, ...]

    def scores(self, counts: sparse.csr_matrix) -> NDArray[np.float64]:
        """Compute the log-odds of yes in the leaf of each tree, [URLs, labels]; above 0 the tree accepts."""
        values = to_small_counts(counts)
        answer = np.empty((len(values), len(self.trees)))
        for number, tree in enumerate(self.trees):
            leaf = tree.find_leaves(values)
            answer[:, number] = np.log(leaf[:, 1] + _SMOOTHING) - np.log(leaf[:, 0] + _SMOOTHING)
        return answer

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Pack all nodes in order, the root of each tree first: feature (-1 in a leaf), threshold, counts."""
        rows = [row for tree in self.trees for row in _flatten_nodes(tree.root)]
        roots = np.cumsum([0, *(sum(1 for _ in _flatten_nodes(tree.root)) for tree in self.trees)])
        return {
            "tree": roots.astype(np.int32),
            "feature": np.array([row[0] for row in rows], dtype=np.int32),
            "threshold": np.array([row[1] for row in rows], dtype=np.float32),
            "weight": np.array([row[2] for row in rows], dtype=np.float32).reshape(-1, 2),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]], features: int) -> TreePerLanguage:
        """Read the trees from packed arrays; raise a ValueError if they form no trees or test an unknown feature."""
        rows = list(
            zip(
                arrays["feature"].tolist(), arrays["threshold"].tolist(), arrays["weight"].tolist(), strict=True
            )
        )  # fmt: skip
        bounds = arrays["tree"].tolist()
        if any(not -1 <= row[0] < features for row in rows) or bounds[:1] != [0] or bounds[-1] != len(rows):
            raise ValueError("nodes that make no tree")
        if any(min(weight) < 0 for _, _, weight in rows):
            raise ValueError("nodes with a negative number of URLs")
        trees = []
        for begin, end in pairwise(bounds):
            if not 0 <= begin < end <= len(rows):
                raise ValueError("nodes that make no tree")
            trees.append(DecisionTree(_build_nodes(rows[begin:end]), 2))
        return cls(tuple(trees))


def fit_trees(
    counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, depth: int = 8, leaf_size: int = 5
) -> TreePerLanguage:
    """Fit a tree for each class against all others, with equal total weight for both sides.

    Shapes: counts [URLs, features], label [URLs].
    """
    values = to_small_counts(counts)
    trees = []
    for number in range(classes):
        truth = label == number
        weight = np.where(truth, 1.0, truth.sum() / max((~truth).sum(), 1))
        trees.append(grow_tree(values, truth.astype(np.int64), 2, weight=weight, depth=depth, leaf_size=leaf_size))
    return TreePerLanguage(tuple(trees))


def to_small_counts(counts: sparse.csr_matrix) -> NDArray[np.uint8]:
    """Clip the counts to a dense table of bytes."""
    return np.asarray(np.minimum(counts.toarray(), _MAX_COUNT), dtype=np.uint8)


def _flatten_nodes(node: TreeNode) -> Iterator[tuple[int, float, tuple[float, ...]]]:
    yield node.feature, node.threshold, node.counts
    if node.no is not None and node.yes is not None:
        yield from _flatten_nodes(node.no)
        yield from _flatten_nodes(node.yes)


def _build_nodes(rows: Sequence[tuple[int, float, list[float]]]) -> TreeNode:
    """Build the nodes of a tree from the last to the first, so that no depth exhausts the stack; return the root."""
    waiting: list[TreeNode] = []
    for feature, threshold, weight in reversed(rows):
        if feature < 0:
            waiting.append(TreeNode(tuple(weight)))
        elif len(waiting) >= 2:  # noqa: PLR2004 two branches
            waiting.append(TreeNode(tuple(weight), feature, threshold, waiting.pop(), waiting.pop()))
        else:
            raise ValueError("nodes that make no tree")
    if len(waiting) != 1:
        raise ValueError("nodes that make no tree")
    return waiting[0]
