"""How often each n-gram of a model stands in its training text: what a language that is added later is weighed against.

The weights say how much commoner an n-gram is in one language than expected, and not how common it is. So a model keeps
that, too, a byte for each n-gram: eight times the binary logarithm of one more than its number. The shipped model has
them in a file beside it, which is read when a language is added and at no other time.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from graphlang import modelfile
from graphlang.modelfile import Model, ModelError, take

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

ARRAY = "occurrences"
METHOD = "nfc-occurrences"  #: of the file beside a model
_PARTS = 8
_MOST = 255


def pack(numbers: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.uint8]:
    """Numbers of occurrences for a file, (features,).

    Args:
        numbers: From 0 up, (features,).

    >>> pack(np.array([0, 1, 1000, 10**12])).tolist()
    [0, 8, 80, 255]
    """
    packed: NDArray[np.uint8] = np.minimum(np.rint(_PARTS * np.log2(numbers + 1.0)), _MOST).astype(np.uint8)
    return packed


def unpack(packed: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The numbers, right to a twentieth, (features,).

    Args:
        packed: Of a file, (features,).

    >>> unpack(np.array([0, 8, 80], dtype=np.uint8)).round(1).tolist()
    [0.0, 1.0, 1023.0]
    """
    return np.asarray(np.exp2(packed / _PARTS) - 1)


def beside(path: Path) -> Path:
    """The file beside a model's that says how often its n-grams stand in its training text."""
    return path.with_suffix(".occurrences")


def of_model(model: Model, path: Path) -> NDArray[np.float64]:
    """How often each n-gram stands in the training text of a model, (features,).

    Args:
        model: Of the default method.
        path: Of its file.

    Raises:
        ModelError: neither the model nor a file beside it says so, or that file belongs to another model.
    """
    features = int(model.arrays["features"][:, 1].sum())
    if ARRAY in model.arrays:
        return unpack(take(model, ARRAY, "u1", (features,), str(path)))
    other = beside(path)
    if not other.exists():
        raise ModelError(f"{path}: does not say how often its n-grams stand in its training text; train it anew")
    counted, _ = modelfile.read(other)
    if counted.method != METHOD or counted.parameters.get("ngrams") != digest(model):
        raise ModelError(f"{other}: belongs to another model than {path}")
    return unpack(take(counted, ARRAY, "u1", (features,), str(other)))


def digest(model: Model) -> str:
    """SHA-256 of a model's n-grams, which their numbers belong to."""
    return hashlib.sha256(model.arrays["ngrams"].tobytes()).hexdigest()
