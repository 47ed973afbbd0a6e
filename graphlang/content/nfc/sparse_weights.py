"""Weights of the languages of each script: table rows for common n-grams, short lists for all others.

A common n-gram has a weight in most languages, so adding whole rows is fastest. Most n-grams are rare and have weights
in a few languages; as rows they would fill memory with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.content.native import ngrams as _kernels
from graphlang.content.nfc.weight_codec import LEVELS
from graphlang.modelfile import Model, ModelError, take_array, take_cached
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_MOST_DENSE = 1 << 27  # maximum weights in tables
_VECTOR = _kernels.NGRAMS_VECTOR  # row lengths are a multiple of this
_LINE = 32  # 16-bit numbers in a cache line
_HALF = 3  # column of `blocks`
_PADDING = _kernels.NGRAMS_CHUNK  # zeros after the last list: the kernel copies whole chunks
_MOST = (1 << 31) - 1  # maximum n-grams times labels
KINDS: Final = _kernels.NGRAMS_KINDS  #: of features, with separate sums in `compare_features`
_NO_LISTS = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of weights of a batch of texts, each over the labels of its script."""

    flat: NDArray[np.int16]  #: one text after the other, each as long as a row of its script
    order: NDArray[np.int64]  #: the texts in the order of `flat`, script by script
    counts: NDArray[np.int64]  #: texts in each script; texts without a script of the model come last


class KindSums(NamedTuple):
    """Terms of the features of texts for one label, by kind of feature (`doubt.number_kinds`), (texts, KINDS) each."""

    counts: NDArray[np.int64]  #: features of the text's script
    label_sums: NDArray[np.float32]  #: sum of their weights in the label, its base included
    best_sums: NDArray[np.float32]  #: sum of the greatest weight of each in any label
    nonzero: NDArray[np.int64]  #: features with a weight in the label

    @classmethod
    def make_zeros(cls, texts: int) -> KindSums:
        """Make the sums of texts without features."""
        integers, floating = np.zeros((texts, KINDS), dtype=np.int64), np.zeros((texts, KINDS), dtype=np.float32)
        return cls(integers, floating, floating, integers)

    def scale(self, step: float) -> KindSums:
        """Multiply the sums by the unit of the weights."""
        unit = np.float32(step)
        return self._replace(label_sums=self.label_sums * unit, best_sums=self.best_sums * unit)


@dataclass(frozen=True, slots=True)
class ScriptWeights:
    """Weights of the labels of each script.

    Attributes:
        names: The scripts.
        labels: The labels of each script, a slice of those of the model.
        blocks: A row for each script, int64: index of its first feature; number of its common features, which come
            first, and of the others; length of a row of its table; where its table begins in `table`, and where its
            lists begin in `starts`.
        table: Weights of the common features, uint16, and a last row of zeros for each script. Number j of a row holds
            the weights of the labels j (low byte) and j + half (high byte), where half is the length of the row; each
            plus 40.
        starts: Where in `rest` the weights of each other feature begin, and where those of the last end, int32.
        rest: Those weights, int32: 256 times the column among the script's labels, plus the weight modulo 256.
    """

    names: tuple[str, ...]
    labels: tuple[slice, ...]
    blocks: NDArray[np.int64]
    table: NDArray[np.uint16]
    starts: NDArray[np.int32]
    rest: NDArray[np.int32]

    def sum_features(self, features: NDArray[np.int32], offsets: NDArray[np.int64], scripts: NDArray[np.uint8]) -> Sums:
        """Sum the weights of the features of each text over the labels of its script.

        Features of another script do not count: some n-grams outside the vocabulary collide with one of them.
        `features` are indices of the vocabulary; text t has `features[offsets[t] : offsets[t + 1]]`. `scripts` has the
        script of each text; a number beyond the last script if it is in none of them. Raise a KernelError if the arrays
        do not fit each other.
        """
        order = np.argsort(scripts, kind="stable")
        counts = np.bincount(scripts, minlength=len(self.names))
        flat = np.empty(int(counts[: len(self.names)] @ self.blocks[:, _HALF]) * 2, dtype=np.int16)
        _kernels.ngrams_sums(
            features=features,
            offsets=offsets,
            order=order,
            counts=counts,
            blocks=self.blocks,
            table=self.table,
            starts=self.starts,
            rest=self.rest,
            sums=flat,
        )
        return Sums(flat, order, counts)

    def sum_label(
        self, features: NDArray[np.int32], offsets: NDArray[np.int64], labels: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Sum the weights of the features of each text in one label, three times as fast as in all, (texts,).

        Raise a KernelError if the arrays do not fit each other, an IndexError for an unknown label.
        """
        script = self.find_scripts(labels)
        firsts = np.array([columns.start for columns in self.labels])
        sums = np.empty(len(labels), dtype=np.int32)
        _kernels.ngrams_column(
            features=features,
            offsets=offsets,
            script=script,
            column=labels - firsts[script],
            blocks=self.blocks,
            table=self.table,
            starts=self.starts,
            rest=self.rest,
            sums=sums,
        )
        return sums

    def compare_features(
        self,
        features: NDArray[np.int32],
        offsets: NDArray[np.int64],
        scripts: NDArray[np.int64],
        best: NDArray[np.int64],
        *,
        columns: NDArray[np.int64],
        base: NDArray[np.float32],
        kinds: NDArray[np.uint8],
        greatest: NDArray[np.int32],
    ) -> KindSums:
        """Compare the term of each feature for one label with that for its own best label, by kind.

        `features` and `offsets` are as in `sum_features`. By text, (texts,): `scripts`; `best`, the label, counted in
        those of the script, -1 for zeros. `columns` is the result of `list_columns`; `base` (labels,) is in the unit of
        the weights. By feature of the vocabulary: `kinds`, of which `KINDS` and more do not count; `greatest`, a cache
        for the same `base`, at first zeros, which several threads may fill at once. Raise a
        KernelError if the arrays do not fit each other.
        """
        shape = len(best), KINDS
        sums = KindSums(
            np.empty(shape, dtype=np.int64),
            np.empty(shape, dtype=np.float32),
            np.empty(shape, dtype=np.float32),
            np.empty(shape, dtype=np.int64),
        )
        _kernels.ngrams_regret(
            features=features,
            offsets=offsets,
            script=scripts,
            column=best,
            columns=columns,
            base=base,
            blocks=self.blocks,
            table=self.table,
            starts=self.starts,
            rest=self.rest,
            kinds=kinds,
            greatest=greatest,
            **{name: array.reshape(-1) for name, array in sums._asdict().items()},
        )
        return sums

    def find_scripts(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find the number of each label's script."""
        return np.searchsorted([columns.stop for columns in self.labels], labels, side="right")

    def list_columns(self) -> NDArray[np.int64]:
        """List for each script its first label, its number of labels, and the length of its rows of sums."""
        runs = [(columns.start, columns.stop - columns.start) for columns in self.labels]
        return np.column_stack([np.array(runs, dtype=np.int64).reshape(-1, 2), 2 * self.blocks[:, _HALF]])

    def iterate_scripts(self, sums: Sums) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int16]]]:
        """Iterate over scripts with texts: number, rows of the texts, and their sums, (texts, labels and zeros)."""
        begin = row = 0
        for script in range(len(self.labels)):
            number, width = int(sums.counts[script]), 2 * int(self.blocks[script, _HALF])
            if number:
                table = sums.flat[begin : begin + number * width].reshape(number, width)
                yield script, sums.order[row : row + number], table
                begin, row = begin + number * width, row + number


def unpack(model: Model, features: int, source: str, *, prefix: str = "") -> ScriptWeights:
    """Read the weights of a model with the parameter `scripts` (their names) for a vocabulary of `features`.

    The arrays are `script` (of each label), and with a prefix `features` (common and all features of each script),
    `gaps` and `values` (`weight_codec.squeeze`). Raise a ModelError that names `source` if they are missing or do not
    fit each other.
    """
    labels = len(model.labels)
    script_names: Any = model.parameters.get("scripts")
    if (
        not isinstance(script_names, list)
        or not all(isinstance(name, str) for name in script_names)
        or len(set(script_names)) < len(script_names)
    ):
        raise ModelError(f"{source}: its parameters lack the scripts")
    script = take_array(model, "script", "u1", (labels,), source)
    numbers = take_array(model, f"{prefix}features", "i", (len(script_names), 2), source).astype(np.int64)
    common, total = numbers[:, 0], numbers[:, 1]
    if (
        not script_names
        or not labels
        or script.max() >= len(script_names)
        or (common < 0).any()
        or (common > total).any()
    ):
        raise ModelError(f"{source}: its scripts do not fit its labels")
    if (np.diff(script.astype(np.int64)) < 0).any():
        raise ModelError(f"{source}: its labels are not in the order of their scripts")
    widths = np.bincount(script, minlength=len(script_names))
    if widths.min() < 1:
        raise ModelError(f"{source}: one of its scripts has no labels")
    stops = np.cumsum(widths)
    members = [slice(stop - width, stop) for stop, width in zip(stops.tolist(), widths.tolist(), strict=True)]
    if total.max() > features or total.sum() != features:
        raise ModelError(f"{source}: its scripts do not fit its n-grams")
    if (common * widths).sum() > _MOST_DENSE or (total * widths).sum() > _MOST:
        raise ModelError(f"{source}: more n-grams and labels than any model of this program")
    half = -(-widths // (2 * _VECTOR)) * _VECTOR
    sizes = -(-(common + 1) * half // _LINE) * _LINE
    lists = total - common + 1
    first, begin, start = (np.cumsum(counts) - counts for counts in (total, sizes, lists))
    blocks = np.stack([first, common, total - common, half, begin, start], axis=1)
    layout = (tuple(script_names), tuple(members), blocks)
    table = take_cached(model, f"{prefix}table", "u2", int(sizes.sum()), source)
    starts = take_cached(model, f"{prefix}starts", "i4", int(lists.sum()), source)
    lists_cached = take_cached(model, f"{prefix}rest", "i4", None, source)
    if table is not None and starts is not None and lists_cached is not None:
        return ScriptWeights(*layout, table, starts, lists_cached)
    gaps = take_array(model, f"{prefix}gaps", "u1", (None,), source)
    values = take_array(model, f"{prefix}values", "i1", (None,), source)
    weights = ScriptWeights(
        *layout, _allocate_aligned(int(sizes.sum())), np.empty(int(lists.sum()), np.int32), _NO_LISTS
    )
    try:
        rest = _fill(weights, gaps, values)
    except KernelError as error:
        raise ModelError(f"{source}: weights that do not fit the vocabulary and the labels") from error
    return replace(weights, rest=rest)


def _fill(weights: ScriptWeights, gaps: NDArray[np.uint8], values: NDArray[np.int8]) -> NDArray[np.int32]:
    """Fill the tables and starts from packed weights, and return the lists.

    Raise a KernelError if they do not fit the scripts.
    """
    lists = np.empty(len(gaps) + _PADDING, dtype=np.int32)  # untouched pages take no memory
    state = np.array([0, -1, 0], dtype=np.int64)
    cell = 0
    for labels, (_, common, rare, half, begin, start) in zip(weights.labels, weights.blocks.tolist(), strict=True):
        width = labels.stop - labels.start
        _kernels.ngrams_unpack(
            gaps=gaps,
            values=values,
            state=state,
            first=cell,
            rows=common + rare,
            common=common,
            width=width,
            half=half,
            limit=LEVELS,
            table=weights.table[begin:],
            starts=weights.starts[start:],
            rest=lists,
        )
        cell += (common + rare) * width
    if int(state[0]) != len(gaps):
        raise KernelError("weights beyond the last script")
    used = int(state[2])
    lists[used : used + _PADDING] = 0
    lists.resize(used + _PADDING, refcheck=False)
    return lists


def _allocate_aligned(size: int) -> NDArray[np.uint16]:
    """Allocate an array that begins at a cache line."""
    buffer = np.empty(size + _LINE, dtype=np.uint16)
    begin = -buffer.ctypes.data % (_LINE * buffer.itemsize) // buffer.itemsize
    return buffer[begin : begin + size]
