"""Columns of a trained model: which weights each label has, labels taken out, and the file put together again.

The weights of a script's labels stand in one table, row by row (`weight_codec.squeeze`), so that a label that goes
changes where everything stands, and nothing else: what is left answers as before among what is left. Features of which
no weight is left go too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.nfc import char_lm, weight_codec
from graphlang.content.training.discriminative import occurrences
from graphlang.modelfile import Model, ModelError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

OF_LABELS = ("base", "bias", "prior", "siblings")  #: arrays with a number for each label
OF_LM = tuple(char_lm.PREFIX + name for name in ("letter", "word", "text"))


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of one script that are not 0.

    Attributes:
        common: How many of the features are common; they come first.
        features: How many there are.
        row: The feature of each weight, rising, (weights,).
        column: Its label, counted among those of the script, rising within a feature, (weights,).
        value: The weight in steps, (weights,).
    """

    common: int
    features: int
    row: Ints
    column: Ints
    value: NDArray[np.int8]


def unpack(model: Model, prefix: str = "") -> list[Weights]:
    """The weights of each script of a sound model.

    Args:
        model: Of the default method.
        prefix: Of the arrays' names: that of `char_lm`, or none.
    """
    widths = np.bincount(model.arrays["script"], minlength=len(model.parameters["scripts"]))
    values = model.arrays[f"{prefix}values"]
    kept = values != 0
    places = (np.cumsum(model.arrays[f"{prefix}gaps"], dtype=np.int64) - 1)[kept]
    values = values[kept]
    found = []
    begin = 0
    for width, (common, features) in zip(widths.tolist(), model.arrays[f"{prefix}features"].tolist(), strict=True):
        first, last = np.searchsorted(places, [begin, begin + features * width])
        row, column = np.divmod(places[first:last] - begin, max(width, 1))
        found.append(Weights(common, features, row, column, values[first:last]))
        begin += features * width
    return found


def pack(weights: Sequence[Weights], widths: Sequence[int], prefix: str = "") -> dict[str, NDArray[Any]]:
    """The arrays `features`, `gaps` and `values` of a model file.

    Args:
        weights: Of each script.
        widths: How many labels each has.
        prefix: Of the arrays' names.
    """
    places, begin = [np.zeros(0, dtype=np.int64)], 0
    for own, width in zip(weights, widths, strict=True):
        places.append(begin + own.row * width + own.column)
        begin += own.features * width
    values = np.concatenate([np.zeros(0, dtype=np.int8), *(own.value for own in weights)])
    gaps, values = weight_codec.squeeze_places(np.concatenate(places), values)
    return {
        f"{prefix}features": np.array([(own.common, own.features) for own in weights], dtype=np.int32),
        f"{prefix}gaps": gaps,
        f"{prefix}values": values,
    }


def added(own: Weights, columns: Sequence[int], steps: Ints, *, most: int) -> Weights:
    """The weights of a script with steps added to those of some labels; what becomes 0 is no weight any more.

    Args:
        own: Of the script.
        columns: The labels, counted among those of the script.
        steps: To be added, (labels, features).
        most: Greatest weight, above 0 and below; what goes beyond is cut.

    >>> own = Weights(1, 2, np.array([0, 1]), np.array([2, 0]), np.array([3, 9], dtype=np.int8))
    >>> found = added(own, [0, 2], np.array([[0, 5], [-3, 1]]), most=10)
    >>> found.row.tolist(), found.column.tolist(), found.value.tolist()
    ([1, 1], [0, 2], [10, 1])
    """
    kept = ~np.isin(own.column, columns)
    rows, values = [own.row[kept]], [own.value[kept].astype(np.int64)]
    names = [own.column[kept]]
    for column, more in zip(columns, steps, strict=True):
        mine = own.column == column
        total = more.copy()
        total[own.row[mine]] += own.value[mine]
        rows.append(np.flatnonzero(total))
        values.append(np.clip(total[rows[-1]], -most, most))
        names.append(np.full(len(rows[-1]), column))
    row, column_of, value = np.concatenate(rows), np.concatenate(names), np.concatenate(values)
    order = np.lexsort((column_of, row))
    return Weights(own.common, own.features, row[order], column_of[order], value[order].astype(np.int8))


def ngrams(model: Model) -> list[bytes]:
    """The n-grams and words of a model's vectors, in their order, in UTF-8."""
    data = model.arrays["ngrams"].tobytes()
    return data.split(b"\n") if data else []


def keys(model: Model) -> NDArray[np.uint32]:
    """The keys of the n-grams of a model's character language model, in their order."""
    return np.cumsum(model.arrays[f"{char_lm.PREFIX}keys"], dtype=np.uint32)


def take_out(model: Model, labels: Collection[str]) -> Model:
    """The model without some labels: what is left answers as before, among what is left.

    Args:
        model: Of the default method.
        labels: Those that go.

    Raises:
        ModelError: a label is none of the model's, or none would be left.
    """
    if strangers := sorted(set(labels) - set(model.labels)):
        raise ModelError(f"{strangers[0]} is no label of the model")
    keep = np.array([label not in labels for label in model.labels])
    if not keep.any():
        raise ModelError("no label would be left")
    script = model.arrays["script"].astype(np.int64)
    left = np.unique(script[keep])
    widths = np.bincount(script[keep], minlength=len(model.parameters["scripts"]))
    starts = np.searchsorted(script, np.arange(len(widths)))
    arrays = dict(model.arrays)
    for prefix in _prefixes(model):
        every = unpack(model, prefix)
        first = np.cumsum([0, *(own.features for own in every)])
        smaller, rows = [], []
        for number in left.tolist():
            mine = keep[starts[number] : starts[number] + np.count_nonzero(script == number)]
            small, used = _without(every[number], mine)
            smaller.append(small)
            rows.append(first[number] + used)
        arrays |= pack(smaller, widths[left].tolist(), prefix)
        kept = np.concatenate(rows)
        if prefix:
            arrays[f"{prefix}keys"] = char_lm.pack(keys(model)[kept])
        else:
            grams = ngrams(model)
            if occurrences.ARRAY in arrays:
                arrays[occurrences.ARRAY] = arrays[occurrences.ARRAY][kept]
            arrays["ngrams"] = np.frombuffer(b"\n".join([grams[i] for i in kept.tolist()]), dtype=np.uint8)
    for name in (*OF_LABELS, *(OF_LM if len(_prefixes(model)) > 1 else ())):
        arrays[name] = arrays[name][keep]
    arrays["script"] = np.searchsorted(left, script[keep]).astype(np.uint8)
    arrays["sharpness"] = arrays["sharpness"][left]
    parameters = {**model.parameters, "scripts": [model.parameters["scripts"][i] for i in left.tolist()]}
    return Model(model.method, tuple(np.array(model.labels)[keep].tolist()), parameters, arrays)


def _prefixes(model: Model) -> tuple[str, ...]:
    return ("", char_lm.PREFIX) if f"{char_lm.PREFIX}keys" in model.arrays else ("",)


def _without(own: Weights, keep: NDArray[np.bool_]) -> tuple[Weights, Ints]:
    """A script's weights with some of its columns, and which of its features still have any: none where one is left."""
    number = int(keep.sum())
    some = keep[own.column] if number > 1 else np.zeros(len(own.column), dtype=np.bool_)
    used = np.unique(own.row[some])
    row = np.searchsorted(used, own.row[some])
    column = (np.cumsum(keep) - 1)[own.column[some]]
    common = int(np.searchsorted(used, own.common))
    return Weights(common, len(used), row, column, own.value[some]), used
