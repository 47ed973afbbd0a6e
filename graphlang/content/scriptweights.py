"""The weights of the languages of one script: rows of a table for common n-grams, short lists for all the others.

An n-gram that every other text has, has a weight in most languages; adding up whole rows of a table is then the
quickest. Most n-grams are rare and belong to a few languages: as rows of a table they would fill memory with zeros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.kernel import KernelError, Library, checked, pointer
from graphlang.content.weights import LEVELS
from graphlang.modelfile import Model, ModelError, take

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_DENSE = 1 << 27  # weights in tables
_VECTOR = 16  # bytes that rows of the table are a multiple of
_LINE = 64
_MOST = (1 << 31) - 1  # n-grams times labels


_kernel = Library("graphlang.content._ngrams")
_sums = _kernel.function("ng_sums", "pippiipippiip")
_unpack = _kernel.function("ng_unpack", "ppipiiiipippii")


@dataclass(frozen=True, slots=True)
class ScriptWeights:
    """Languages of one script and the features in it.

    Attributes:
        first: Number of the first of its features; the common ones come before the others.
        labels: Columns of the model's labels, a run of them.
        table: Weights of the common features, int8 (features + 1, labels, filled up with zeros); a last row of zeros.
        starts: Where the weights of each of the other features begin, and where those of the last end, int32.
        rest: Those weights: 256 times the column among `labels`, plus the weight and 128; int32.
    """

    first: int
    labels: slice
    table: NDArray[np.int8]
    starts: NDArray[np.int32]
    rest: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.table) - 1 + len(self.starts) - 1

    def sums(
        self, features: NDArray[np.int32], offsets: NDArray[np.int64], texts: NDArray[np.int64] | None = None
    ) -> NDArray[np.int16]:
        """Sum of the weights of the features of each text, (texts, labels).

        Args:
            features: Those of all texts, as the vocabulary counts them. Those that are of another script do not count:
                of the n-grams that are no feature, a few are taken for one (`ngrams`).
            offsets: Text t has `features[offsets[t] : offsets[t + 1]]`.
            texts: Those that are wanted, where not all are.
        """
        begins, ends = offsets[:-1], offsets[1:]
        if texts is not None:
            begins, ends = begins[texts], ends[texts]
        rows, (common, width) = len(begins), self.table.shape
        total = np.empty((rows, width), dtype=np.int16)
        checked(
            _sums(
                pointer(features, np.int32),
                len(features),
                pointer(begins, np.int64),
                pointer(ends, np.int64),
                rows,
                self.first,
                pointer(self.table, np.int8),
                common - 1,
                pointer(self.starts, np.int32),
                pointer(self.rest, np.int32),
                len(self.starts) - 1,
                width,
                pointer(total, np.int16),
            )
        )
        return total[:, : self.labels.stop - self.labels.start]


def unpack(model: Model, features: int, source: str) -> dict[str, ScriptWeights]:
    """The weights of a model, by the name of the script.

    Args:
        model: With the parameter `scripts` (their names), and the arrays `script` (that of each label), `features` (of
            each script: how many are common, how many there are), `gaps` and `values` (`weights.squeeze`).
        features: Size of the vocabulary.
        source: For messages.

    Raises:
        ModelError: they are missing or do not fit one another.
    """
    labels = len(model.labels)
    names: Any = model.parameters.get("scripts")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ModelError(f"{source}: its parameters lack the scripts")
    script = take(model, "script", "u", (labels,), source)
    numbers = take(model, "features", "i", (len(names), 2), source).astype(np.int64)
    common, every = numbers[:, 0], numbers[:, 1]
    if not names or script.max() >= len(names) or (common < 0).any() or (common > every).any():
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
    gaps, values = take(model, "gaps", "u", (None,), source), take(model, "values", "i", (None,), source)
    packed = _Packed(gaps.astype(np.uint8), values.astype(np.int8))
    made = {}
    begin = 0
    try:
        for name, own, (dense, total) in zip(names, members, numbers.tolist(), strict=True):
            made[name] = packed.unpack(begin, own, dense, total)
            begin += total
    except KernelError as error:
        raise ModelError(f"{source}: weights that do not fit the vocabulary and the labels") from error
    if not packed.done:
        raise ModelError(f"{source}: weights that do not fit the vocabulary and the labels")
    return made


class _Packed:
    """The weights of a model file (`weights.squeeze`), script after script."""

    def __init__(self, gaps: NDArray[np.uint8], values: NDArray[np.int8]) -> None:
        self._gaps, self._values = gaps, values
        self._state = np.array([0, -1], dtype=np.int64)
        self._cells = 0

    @property
    def done(self) -> bool:
        """Whether all of them have been unpacked."""
        return len(self._gaps) == len(self._values) == int(self._state[0])

    def unpack(self, first: int, labels: slice, common: int, total: int) -> ScriptWeights:
        """Those of the next script. Raises KernelError."""
        width = labels.stop - labels.start
        table = _rows(common + 1, -(-width // _VECTOR) * _VECTOR)
        starts = np.empty(total - common + 1, dtype=np.int32)
        room = np.empty(len(self._gaps) - int(self._state[0]), dtype=np.int32)  # what is not needed is never touched
        used = checked(
            _unpack(
                pointer(self._gaps, np.uint8),
                pointer(self._values, np.int8),
                min(len(self._gaps), len(self._values)),
                pointer(self._state, np.int64),
                self._cells,
                total,
                common,
                width,
                pointer(table, np.int8),
                table.shape[1],
                pointer(starts, np.int32),
                pointer(room, np.int32),
                len(room),
                LEVELS,
            )
        )
        self._cells += total * width
        return ScriptWeights(first, labels, table, starts, room[:used].copy())


def _rows(number: int, width: int) -> NDArray[np.int8]:
    """Zeros that begin where a line of the cache does."""
    room = np.zeros(number * width + _LINE, dtype=np.int8)
    begin = -room.ctypes.data % _LINE
    return room[begin : begin + number * width].reshape(number, width)
