"""The weights of the languages of each script: rows of a table for common n-grams, short lists for all the others.

An n-gram that every other text has, has a weight in most languages; adding up whole rows of a table is then the
quickest. Most n-grams are rare and belong to a few languages: as rows of a table they would fill memory with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.content.discriminative.weight_codec import LEVELS
from graphlang.content.native import ngrams as _kernels
from graphlang.modelfile import Model, ModelError, take, take_kept
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_MOST_DENSE = 1 << 27  # weights in tables
_VECTOR = _kernels.NGRAMS_VECTOR  # numbers that rows of the table are a multiple of
_LINE = 32
_HALF = 3  # in `blocks`
_BEHIND = _kernels.NGRAMS_CHUNK  # numbers after the last list
_MOST = (1 << 31) - 1  # n-grams times labels
KINDS: Final = _kernels.NGRAMS_KINDS  #: of features that `ScriptWeights.regret` tells apart
_NO_LISTS = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of weights of a batch of texts, each over the labels of its script.

    Attributes:
        flat: One text after the other, int16; each has as many numbers as its script's rows are wide.
        order: The texts, in that order: script by script.
        counts: How many texts are in each script; those in none of them come last.
    """

    flat: NDArray[np.int16]
    order: NDArray[np.int64]
    counts: NDArray[np.int64]


class Regret(NamedTuple):
    """What features of texts say for one language, kind by kind.

    Attributes:
        number: How many of the features are of the text's script, int64 (texts, kinds).
        own: Sum of what they say for the language, its base included, (texts, kinds).
        most: Sum of the greatest that each of them says for any language, (texts, kinds).
        has: How many of them have a weight in the language, int64 (texts, kinds).
    """

    number: NDArray[np.int64]
    own: NDArray[np.float32]
    most: NDArray[np.float32]
    has: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScriptWeights:
    """Languages and features of each script.

    Attributes:
        names: The scripts.
        labels: Of each script: columns of the model's labels, a run of them.
        blocks: A line for each script, int64: number of its first feature; how many are common, which come first; how
            many are not; numbers in a row of its table; where its table begins in `table`, and where its lists begin
            in `starts`.
        table: Weights of the common features, uint16, and a last row of zeros for each script. Number j of a row holds
            the weights of the labels j (in its low byte) and j + half, where half is how long the row is; each plus 40.
        starts: Where in `rest` the weights of each of the other features begin, and where those of the last end, int32.
        rest: Those weights: 256 times the column among the script's labels, plus the weight, below 0 plus 256; int32.
            Zeros follow, since the kernel copies more than it needs.
    """

    names: tuple[str, ...]
    labels: tuple[slice, ...]
    blocks: NDArray[np.int64]
    table: NDArray[np.uint16]
    starts: NDArray[np.int32]
    rest: NDArray[np.int32]

    def sums(self, features: NDArray[np.int32], offsets: NDArray[np.int64], scripts: NDArray[np.uint8]) -> Sums:
        """Sums of the weights of the features of each text over the labels of its script.

        Args:
            features: Those of all texts, as the vocabulary counts them. Those that are of another script do not count:
                of the n-grams that are no feature, a few are taken for one (`ngrams`).
            offsets: Text t has `features[offsets[t] : offsets[t + 1]]`.
            scripts: Which of the scripts each text is in; their number, or more, where it is in none of them.

        Raises:
            KernelError: arrays that do not fit one another.
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

    def of_label(
        self, features: NDArray[np.int32], offsets: NDArray[np.int64], labels: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Sums of the weights that the features of each text have in one label, which takes a third of the time.

        Args:
            features: As `sums` takes them.
            offsets: As `sums` takes them.
            labels: Of each text, (texts,).

        Raises:
            KernelError: arrays that do not fit one another.
            IndexError: a label that is none.
        """
        script = self.script_of(labels)
        firsts = np.array([own.start for own in self.labels])
        found = np.empty(len(labels), dtype=np.int32)
        _kernels.ngrams_column(
            features=features,
            offsets=offsets,
            script=script,
            column=labels - firsts[script],
            blocks=self.blocks,
            table=self.table,
            starts=self.starts,
            rest=self.rest,
            sums=found,
        )
        return found

    def regret(
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
    ) -> Regret:
        """What features of texts say for one language, beside what each says for the one that it says most for.

        Args:
            features: As `sums` takes them.
            offsets: As `sums` takes them.
            scripts: Which of the scripts each text is in, (texts,).
            best: The language, counted among those of the script; -1 for a text that is not asked about, (texts,).
            columns: As the method of that name has them.
            base: Of each label, in the unit of the weights, (labels,).
            kinds: Of each feature of the vocabulary; those of `KINDS` and more are left out, (vocabulary,).
            greatest: What earlier calls with the same `base` found of common features; zeros for the first one, and
                filled in place, (vocabulary,). Several threads may share it.

        Returns:
            What they say, kind by kind; 0 where nothing is asked.

        Raises:
            KernelError: arrays that do not fit one another.
        """
        shape = len(best), KINDS
        found = Regret(
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
            **{name: array.reshape(-1) for name, array in found._asdict().items()},
        )
        return found

    def script_of(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Which of the scripts each label is in."""
        return np.searchsorted([own.stop for own in self.labels], labels, side="right")

    def columns(self) -> NDArray[np.int64]:
        """Of each script its first label, how many it has, and how many numbers its sums have."""
        own = [(labels.start, labels.stop - labels.start) for labels in self.labels]
        return np.column_stack([np.array(own, dtype=np.int64).reshape(-1, 2), 2 * self.blocks[:, _HALF]])

    def each(self, sums: Sums) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int16]]]:
        """Script by script: its number, the texts that are in it, and their sums: (texts, labels and zeros behind)."""
        begin = row = 0
        for script in range(len(self.labels)):
            number, width = int(sums.counts[script]), 2 * int(self.blocks[script, _HALF])
            if number:
                table = sums.flat[begin : begin + number * width].reshape(number, width)
                yield script, sums.order[row : row + number], table
                begin, row = begin + number * width, row + number


def unpack(model: Model, features: int, source: str, *, prefix: str = "") -> ScriptWeights:
    """The weights of a model.

    Args:
        model: With the parameter `scripts` (their names), and the arrays `script` (that of each label), `features` (of
            each script: how many are common, how many there are), `gaps` and `values` (`weight_codec.squeeze`).
        features: Size of the vocabulary.
        source: For messages.
        prefix: Of the names of `features`, `gaps` and `values`.

    Raises:
        ModelError: they are missing or do not fit one another.
    """
    labels = len(model.labels)
    names: Any = model.parameters.get("scripts")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ModelError(f"{source}: its parameters lack the scripts")
    script = take(model, "script", "u1", (labels,), source)
    numbers = take(model, f"{prefix}features", "i", (len(names), 2), source).astype(np.int64)
    common, every = numbers[:, 0], numbers[:, 1]
    if not names or not labels or script.max() >= len(names) or (common < 0).any() or (common > every).any():
        raise ModelError(f"{source}: its scripts do not fit its labels")
    if (np.diff(script.astype(np.int64)) < 0).any():
        raise ModelError(f"{source}: its labels are not in the order of their scripts")
    widths = np.bincount(script, minlength=len(names))
    if widths.min() < 1:
        raise ModelError(f"{source}: one of its scripts has no labels")
    stops = np.cumsum(widths)
    members = [slice(stop - width, stop) for stop, width in zip(stops.tolist(), widths.tolist(), strict=True)]
    if every.max() > features or every.sum() != features:
        raise ModelError(f"{source}: its scripts do not fit its n-grams")
    if (common * widths).sum() > _MOST_DENSE or (every * widths).sum() > _MOST:
        raise ModelError(f"{source}: more n-grams and labels than any model of this program")
    half = -(-widths // (2 * _VECTOR)) * _VECTOR
    sizes = -(-(common + 1) * half // _LINE) * _LINE
    lists = every - common + 1
    first, begin, start = (np.cumsum(own) - own for own in (every, sizes, lists))
    blocks = np.stack([first, common, every - common, half, begin, start], axis=1)
    known = (tuple(names), tuple(members), blocks)
    table = take_kept(model, f"{prefix}table", "u2", int(sizes.sum()), source)
    starts = take_kept(model, f"{prefix}starts", "i4", int(lists.sum()), source)
    kept = take_kept(model, f"{prefix}rest", "i4", None, source)
    if table is not None and starts is not None and kept is not None:
        return ScriptWeights(*known, table, starts, kept)
    gaps = take(model, f"{prefix}gaps", "u1", (None,), source)
    values = take(model, f"{prefix}values", "i1", (None,), source)
    made = ScriptWeights(*known, _aligned(int(sizes.sum())), np.empty(int(lists.sum()), np.int32), _NO_LISTS)
    try:
        rest = _fill(made, gaps, values)
    except KernelError as error:
        raise ModelError(f"{source}: weights that do not fit the vocabulary and the labels") from error
    return replace(made, rest=rest)


def _fill(made: ScriptWeights, gaps: NDArray[np.uint8], values: NDArray[np.int8]) -> NDArray[np.int32]:
    """Fill in the tables and starts from the weights of a model file (`weight_codec.squeeze`); the lists.

    Raises:
        KernelError: they do not fit the scripts.
    """
    rest = np.empty(len(gaps) + _BEHIND, dtype=np.int32)  # what is not needed is never touched
    state = np.array([0, -1, 0], dtype=np.int64)
    cell = 0
    for labels, (_, common, rare, half, begin, start) in zip(made.labels, made.blocks.tolist(), strict=True):
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
            most=LEVELS,
            table=made.table[begin:],
            starts=made.starts[start:],
            rest=rest,
        )
        cell += (common + rare) * width
    if int(state[0]) != len(gaps):
        raise KernelError("weights beyond the last script")
    used = int(state[2])
    rest[used : used + _BEHIND] = 0
    rest.resize(used + _BEHIND, refcheck=False)
    return rest


def _aligned(size: int) -> NDArray[np.uint16]:
    """Room that begins where a line of the cache does."""
    room = np.empty(size + _LINE, dtype=np.uint16)
    begin = -room.ctypes.data % (_LINE * room.itemsize) // room.itemsize
    return room[begin : begin + size]
