"""A model of the default method with fewer labels: for who knows which languages a collection can hold.

Nothing is trained: what is left answers as before, among what is left. A word that might have been in one of some
hundred languages is then in one of a few.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.codes import languages
from graphlang.content.nfc.model import Discriminative
from graphlang.content.training.discriminative import columns, occurrences
from graphlang.modelfile import Model, ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphlang.codes.wanted import Wanted

METHOD = "nfc"  #: whose models can be made smaller


class Fewer(NamedTuple):
    """A smaller model, and what became of the languages."""

    model: Model
    removed: tuple[str, ...]  #: labels that are gone, in the order of the model
    alone: tuple[str, ...]  #: labels that are the only ones of their script now: whatever is written in it is told so


def ngrams_of(model: Model) -> dict[str, int]:
    """How many n-grams and words say something for or against each label.

    Args:
        model: Of the default method.
    """
    script = model.arrays["script"].astype(np.int64)
    count = np.zeros(len(model.labels), dtype=np.int64)
    start = 0
    for own, width in zip(columns.unpack(model), np.bincount(script).tolist(), strict=True):
        count[start : start + width] = np.bincount(own.column, minlength=width)
        start += width
    return dict(zip(model.labels, count.tolist(), strict=True))


def fewer_labels(
    model: Model, *, path: Path, digest: str, only: Sequence[Wanted] = (), without: Sequence[Wanted] = ()
) -> Fewer:
    """The model with some of its labels.

    Args:
        model: Of the default method.
        path: Of its file.
        digest: SHA-256 of that file.
        only: Languages to keep, in one script or in all; every one if empty.
        without: Languages to take out of these.

    Returns:
        The model, which says in `parameters` what it was made of.

    Raises:
        ModelError: a model of another method; a language that it does not have; none would be left, or none taken out.
    """
    if model.method != METHOD:
        raise ModelError(f"{path}: made for the method {model.method}; only models of {METHOD} can be made smaller")
    for one in (*only, *without):
        if not any(one.takes(*languages.split(label)) for label in model.labels):
            raise ModelError(f"{path}: the model has no {'_'.join(filter(None, (one.language, one.script)))}")
    kept = [label for label in model.labels if (not only or _takes(only, label)) and not _takes(without, label)]
    removed = tuple(label for label in model.labels if label not in set(kept))
    if not kept or not removed:
        raise ModelError(f"{path}: no label would be {'removed' if kept else 'left'}")
    often = occurrences.pack(occurrences.of_model(model, path))  # with which languages can still be added to it
    smaller = columns.take_out(replace(model, arrays={**model.arrays, occurrences.ARRAY: often}), removed)
    history = [*model.parameters.get("extended", []), {"base": digest, "removed": len(removed), "labels": {}}]
    smaller = replace(smaller, parameters={**smaller.parameters, "extended": history})
    Discriminative(smaller, "", "the new model")  # what it refuses must not be written
    before, after = _alone(model), _alone(smaller)
    return Fewer(smaller, removed, tuple(label for label in after if label not in before))


def _takes(some: Sequence[Wanted], label: str) -> bool:
    return any(one.takes(*languages.split(label)) for one in some)


def _alone(model: Model) -> list[str]:
    """Labels that are the only ones of their script."""
    scripts = model.arrays["script"].tolist()
    count = Counter(scripts)
    return [label for label, script in zip(model.labels, scripts, strict=True) if count[script] == 1]
