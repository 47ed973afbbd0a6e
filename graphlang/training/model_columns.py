"""The columns of a trained `nfc` model: weights and n-gram occurrences per label, and removal of labels.

The weights of a script's labels are one table, row by row (`weight_codec.squeeze`). Removing a label moves every weight
but changes no answer among the remaining labels. Features without a remaining weight are removed too.

A weight records how much commoner an n-gram is in one language than expected, not how common it is. Adding a language
needs the latter, so a model keeps a byte for each n-gram: eight times the binary logarithm of its occurrences plus one.
The shipped model has these in a separate file, which is read only to add or remove languages.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content.nfc import char_lm, weight_codec
from graphlang.content.nfc.further import find_further, leave_out
from graphlang.content.nfc.model import Discriminative
from graphlang.modelfile import Model, ModelError, take_array

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphlang.codes.languages import LanguageChoice

    Ints = NDArray[np.int64]


LABEL_ARRAYS = ("base", "bias", "prior", "siblings")  #: arrays with a number for each label
LM_ARRAYS = tuple(char_lm.PREFIX + name for name in ("letter", "word", "text"))


@dataclass(frozen=True, slots=True)
class ColumnWeights:
    """The weights of one script that are not 0.

    The first `common` of the `features` are common. For each weight, (weights,): `row` is its feature, ascending;
    `column` its label among those of the script, ascending within a feature; `value` is in steps.
    """

    common: int
    features: int
    row: Ints
    column: Ints
    value: NDArray[np.int8]


def unpack_weights(model: Model, prefix: str = "") -> list[ColumnWeights]:
    """Unpack the weights of each script; `prefix` is that of the arrays' names."""
    widths = np.bincount(model.arrays["script"], minlength=len(model.parameters["scripts"]))
    values = model.arrays[f"{prefix}values"]
    is_nonzero = values != 0
    places = (np.cumsum(model.arrays[f"{prefix}gaps"], dtype=np.int64) - 1)[is_nonzero]
    values = values[is_nonzero]
    weights = []
    begin = 0
    for width, (common, features) in zip(widths.tolist(), model.arrays[f"{prefix}features"].tolist(), strict=True):
        first, last = np.searchsorted(places, [begin, begin + features * width])
        row, column = np.divmod(places[first:last] - begin, max(width, 1))
        weights.append(ColumnWeights(common, features, row, column, values[first:last]))
        begin += features * width
    return weights


def pack_weights(weights: Sequence[ColumnWeights], widths: Sequence[int], prefix: str = "") -> dict[str, NDArray[Any]]:
    """Pack the weights of each script, with its number of labels, as `features`, `gaps` and `values`."""
    places, begin = [np.zeros(0, dtype=np.int64)], 0
    for script_weights, width in zip(weights, widths, strict=True):
        places.append(begin + script_weights.row * width + script_weights.column)
        begin += script_weights.features * width
    values = np.concatenate([np.zeros(0, dtype=np.int8), *(script_weights.value for script_weights in weights)])
    gaps, values = weight_codec.squeeze_places(np.concatenate(places), values)
    return {
        f"{prefix}features": np.array(
            [(script_weights.common, script_weights.features) for script_weights in weights], dtype=np.int32
        ),
        f"{prefix}gaps": gaps,
        f"{prefix}values": values,
    }


def add_steps(weights: ColumnWeights, columns: Sequence[int], steps: Ints, *, limit: int) -> ColumnWeights:
    """Add steps to the weights of some labels of a script, clipped to `limit` in size; weights of 0 are dropped.

    Shapes: steps (labels, features).

    >>> weights = ColumnWeights(1, 2, np.array([0, 1]), np.array([2, 0]), np.array([3, 9], dtype=np.int8))
    >>> total = add_steps(weights, [0, 2], np.array([[0, 5], [-3, 1]]), limit=10)
    >>> total.row.tolist(), total.column.tolist(), total.value.tolist()
    ([1, 1], [0, 2], [10, 1])
    """
    unchanged = ~np.isin(weights.column, columns)
    rows, labels = [weights.row[unchanged]], [weights.column[unchanged]]
    values = [weights.value[unchanged].astype(np.int64)]
    for column, column_steps in zip(columns, steps, strict=True):
        in_column = weights.column == column
        total = column_steps.copy()
        total[weights.row[in_column]] += weights.value[in_column]
        rows.append(np.flatnonzero(total))
        values.append(np.clip(total[rows[-1]], -limit, limit))
        labels.append(np.full(len(rows[-1]), column))
    row, label, value = np.concatenate(rows), np.concatenate(labels), np.concatenate(values)
    order = np.lexsort((label, row))
    return ColumnWeights(weights.common, weights.features, row[order], label[order], value[order].astype(np.int8))


def add_label_steps(model: Model, labels: Sequence[str], steps: Ints) -> dict[str, NDArray[Any]]:
    """Add steps to the weights of labels of one script; return the arrays that change.

    Shapes: steps (labels, features of the script).
    """
    script = model.arrays["script"]
    number = int(script[model.labels.index(labels[0])])
    weights = unpack_weights(model)
    columns = [model.labels.index(label) - int(np.searchsorted(script, number)) for label in labels]
    weights[number] = add_steps(weights[number], columns, steps, limit=weight_codec.LEVELS)
    return pack_weights(weights, np.bincount(script, minlength=len(weights)).tolist())


def list_ngrams(model: Model) -> list[bytes]:
    """List the n-grams and words of a model in UTF-8, in order."""
    data = model.arrays["ngrams"].tobytes()
    return data.split(b"\n") if data else []


def list_lm_keys(model: Model) -> NDArray[np.uint32]:
    """List the keys of the n-grams of the character language model, in order."""
    return np.cumsum(model.arrays[f"{char_lm.PREFIX}keys"], dtype=np.uint32)


def remove_labels(model: Model, labels: Collection[str]) -> Model:
    """Remove labels from a model; answers among the remaining labels do not change.

    Raise a ModelError for an unknown label, or if no label would remain.
    """
    if unknown := sorted(set(labels) - set(model.labels)):
        raise ModelError(f"{unknown[0]} is not a label of the model")
    keep = np.array([label not in labels for label in model.labels])
    if not keep.any():
        raise ModelError("no label would be left")
    script = model.arrays["script"].astype(np.int64)
    scripts_left = np.unique(script[keep])
    widths = np.bincount(script[keep], minlength=len(model.parameters["scripts"]))
    starts = np.searchsorted(script, np.arange(len(widths)))
    arrays = dict(model.arrays)
    for prefix in _list_prefixes(model):
        weights = unpack_weights(model, prefix)
        first = np.cumsum([0, *(script_weights.features for script_weights in weights)])
        smaller, rows = [], []
        for number in scripts_left.tolist():
            keep_columns = keep[starts[number] : starts[number] + np.count_nonzero(script == number)]
            small, used = _drop_columns(weights[number], keep_columns)
            smaller.append(small)
            rows.append(first[number] + used)
        arrays |= pack_weights(smaller, widths[scripts_left].tolist(), prefix)
        used_rows = np.concatenate(rows)
        if prefix:
            arrays[f"{prefix}keys"] = char_lm.pack(list_lm_keys(model)[used_rows])
        else:
            grams = list_ngrams(model)
            if OCCURRENCES in arrays:
                arrays[OCCURRENCES] = arrays[OCCURRENCES][used_rows]
            arrays["ngrams"] = np.frombuffer(b"\n".join([grams[i] for i in used_rows.tolist()]), dtype=np.uint8)
    for name in (*LABEL_ARRAYS, *(LM_ARRAYS if len(_list_prefixes(model)) > 1 else ())):
        arrays[name] = arrays[name][keep]
    arrays["script"] = np.searchsorted(scripts_left, script[keep]).astype(np.uint8)
    arrays["sharpness"] = arrays["sharpness"][scripts_left]
    parameters = leave_out(model.parameters)
    parameters["scripts"] = [model.parameters["scripts"][i] for i in scripts_left.tolist()]
    return Model(model.method, tuple(np.array(model.labels)[keep].tolist()), parameters, arrays)


def _list_prefixes(model: Model) -> tuple[str, ...]:
    return ("", char_lm.PREFIX) if f"{char_lm.PREFIX}keys" in model.arrays else ("",)


def _drop_columns(weights: ColumnWeights, keep: NDArray[np.bool_]) -> tuple[ColumnWeights, Ints]:
    """Select columns of a script's weights; also return the features that still have weights, none if one is left."""
    number = int(keep.sum())
    has_column = keep[weights.column] if number > 1 else np.zeros(len(weights.column), dtype=np.bool_)
    used = np.unique(weights.row[has_column])
    row = np.searchsorted(used, weights.row[has_column])
    column = (np.cumsum(keep) - 1)[weights.column[has_column]]
    common = int(np.searchsorted(used, weights.common))
    return ColumnWeights(common, len(used), row, column, weights.value[has_column]), used


OCCURRENCES = "occurrences"
OCCURRENCES_METHOD = "nfc-occurrences"  #: of the file beside a model
_STEPS_PER_DOUBLING = 8
_MOST_STEPS = 255


def pack_occurrences(numbers: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.uint8]:
    """Pack numbers of occurrences for a file.

    Shapes: numbers (features,).

    >>> pack_occurrences(np.array([0, 1, 1000, 10**12])).tolist()
    [0, 8, 80, 255]
    """
    packed: NDArray[np.uint8] = np.minimum(np.rint(_STEPS_PER_DOUBLING * np.log2(numbers + 1.0)), _MOST_STEPS).astype(
        np.uint8
    )
    return packed


def unpack_occurrences(packed: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Unpack numbers of occurrences, exact to a twentieth.

    Shapes: packed (features,).

    >>> unpack_occurrences(np.array([0, 8, 80], dtype=np.uint8)).round(1).tolist()
    [0.0, 1.0, 1023.0]
    """
    return np.asarray(np.exp2(packed / _STEPS_PER_DOUBLING) - 1)


def locate_occurrences(path: Path) -> Path:
    """Return the path of the n-gram occurrences of a model file."""
    return path.with_suffix(".occurrences")


def read_occurrences(model: Model, path: Path) -> NDArray[np.float64]:
    """Read the occurrences of each n-gram in the training text of a model, (features,).

    Raise a ModelError if neither the model nor its separate file has them, or if the file belongs to another model.
    """
    features = int(model.arrays["features"][:, 1].sum())
    if OCCURRENCES in model.arrays:
        return unpack_occurrences(take_array(model, OCCURRENCES, "u1", (features,), str(path)))
    file = locate_occurrences(path)
    if not file.exists():
        raise ModelError(f"{path}: lacks the counts of its n-grams in the training text; train it again")
    content, _ = modelfile.read(file)
    if content.method != OCCURRENCES_METHOD or content.parameters.get("ngrams") != digest_ngrams(model):
        raise ModelError(f"{file}: belongs to another model than {path}")
    return unpack_occurrences(take_array(content, OCCURRENCES, "u1", (features,), str(file)))


def digest_ngrams(model: Model) -> str:
    """Compute the SHA-256 of the n-grams of a model, which links the file of occurrences to it."""
    return hashlib.sha256(model.arrays["ngrams"].tobytes()).hexdigest()


EDITABLE_METHOD = "nfc"  #: models of this method can be extended and made smaller


class SmallerModel(NamedTuple):
    """A model with fewer labels."""

    model: Model
    removed: tuple[str, ...]  #: in the order of the model
    single: tuple[str, ...]  #: labels that are now the only ones in their script, and win every text in it


def count_label_ngrams(model: Model) -> dict[str, int]:
    """Count the n-grams and words with a weight for each label."""
    script = model.arrays["script"].astype(np.int64)
    count = np.zeros(len(model.labels), dtype=np.int64)
    start = 0
    for weights, width in zip(unpack_weights(model), np.bincount(script).tolist(), strict=True):
        count[start : start + width] = np.bincount(weights.column, minlength=width)
        start += width
    return dict(zip(model.labels, count.tolist(), strict=True))


def select_labels(
    model: Model,
    *,
    path: Path,
    digest: str,
    only: Sequence[LanguageChoice] = (),
    without: Sequence[LanguageChoice] = (),
) -> SmallerModel:
    """Select labels of a model of `nfc`; answers among them do not change.

    The languages in `only` stay (all if empty), except those in `without`. `path` is the file of the model, whose
    SHA-256 `digest` goes into the parameters. Raise a ModelError for a model of another method, an unknown language,
    or if no label would remain or be removed.
    """
    if model.method != EDITABLE_METHOD:
        raise ModelError(
            f"{path}: made for the method {model.method}; only models of {EDITABLE_METHOD} can be made smaller"
        )
    second = find_further(model, str(path))
    further = second.labels if second else ()
    for choice in (*only, *without):
        if not any(choice.includes(*languages.split_label(label)) for label in (*model.labels, *further)):
            raise ModelError(f"{path}: the model has no {'_'.join(filter(None, (choice.language, choice.script)))}")
    remaining = [
        label for label in model.labels if (not only or _is_chosen(only, label)) and not _is_chosen(without, label)
    ]
    removed_further = [
        label for label in further if (only and not _is_chosen(only, label)) or _is_chosen(without, label)
    ]
    removed_first = tuple(label for label in model.labels if label not in set(remaining))
    removed = (*removed_first, *removed_further)
    if not remaining or not removed:
        raise ModelError(f"{path}: no label would be {'removed' if remaining else 'left'}")
    occurrences = pack_occurrences(read_occurrences(model, path))  # so that languages can still be added
    smaller = remove_labels(replace(model, arrays={**model.arrays, OCCURRENCES: occurrences}), removed_first)
    history = [*model.parameters.get("extended", []), {"base": digest, "removed": len(removed), "labels": {}}]
    parameters = leave_out({**model.parameters, **smaller.parameters, "extended": history}, removed_further)
    smaller = replace(smaller, parameters=parameters)
    Discriminative(smaller, "", "the new model")  # raises for a model that could not be loaded
    before, after = _find_single_labels(model), _find_single_labels(smaller)
    return SmallerModel(smaller, removed, tuple(label for label in after if label not in before))


def _is_chosen(choices: Sequence[LanguageChoice], label: str) -> bool:
    return any(choice.includes(*languages.split_label(label)) for choice in choices)


def _find_single_labels(model: Model) -> list[str]:
    """Find the labels that are the only ones in their script."""
    scripts = model.arrays["script"].tolist()
    count = Counter(scripts)
    return [label for label, script in zip(model.labels, scripts, strict=True) if count[script] == 1]
