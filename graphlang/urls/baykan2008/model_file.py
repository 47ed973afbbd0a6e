"""`Published` classifiers to and from the content of a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.modelfile import Model, ModelError, take
from graphlang.urls.baykan2008 import word_lists
from graphlang.urls.baykan2008.count_vectors import KINDS, Vocabulary
from graphlang.urls.baykan2008.custom_features import Chosen
from graphlang.urls.baykan2008.learners.linear import STEP, Linear
from graphlang.urls.baykan2008.learners.tree_per_language import Forest
from graphlang.urls.baykan2008.lexicon import Lexicon
from graphlang.urls.baykan2008.methods import Published
from graphlang.urls.default.calibration import SHARPEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.urls.baykan2008.methods import Features, Scorer


def to_model(made: Published) -> Model:
    """What is written."""
    arrays: dict[str, NDArray[Any]] = {"prior": made.prior, "sharpness": made.temperature_coefficients}
    parameters = {**made.parameters, "binary": made.binary}
    if isinstance(made.features, Vocabulary):
        parameters["kind"] = made.features.kind
        arrays["hashes"] = made.features.hashes
    elif isinstance(made.features, Chosen):
        parameters |= {"kind": "custom", "lists": word_lists.digest()}
        trained = made.features.custom.trained
        arrays |= {"trained": trained.word, "trained_language": trained.language, "columns": made.features.columns}
    if isinstance(made.scorer, Linear):
        parameters["unit"] = made.scorer.unit
        arrays["bias"] = made.scorer.bias.astype(np.float32)
        # A language's weights are more alike than a feature's: turned, the file is smaller.
        arrays["weights"] = np.rint(made.scorer.weights.T / STEP).astype(np.int16)
    elif isinstance(made.scorer, Forest):
        arrays |= made.scorer.arrays()
    return Model(made.name, made.labels, parameters, arrays)


def from_model(content: Model, digest: str, source: str) -> Published:
    """The classifier of a file.

    Args:
        content: What the file holds.
        digest: Hash of the file.
        source: For messages.

    Raises:
        ModelError: its parts do not fit one another.
    """
    labels = content.labels
    parameters = dict(content.parameters)
    kind, binary, unit = (parameters.pop(name, None) for name in ("kind", "binary", "unit"))
    prior = take(content, "prior", "f", (len(labels),), source)
    if not labels or (prior <= 0).any():
        raise ModelError(f"{source}: its labels or its prior cannot be")
    features, size = _features(content, kind, source)
    return Published(
        name=content.method,
        labels=labels,
        features=features,
        scorer=_scorer(content, size, source, unit=bool(unit)),
        prior=prior / prior.sum(),
        binary=bool(binary),
        temperature_coefficients=take(content, "sharpness", "f", (2,), source, most=SHARPEST),
        parameters=parameters,
        digest=digest,
    )


def _features(content: Model, kind: object, source: str) -> tuple[Features, int]:
    if kind == "custom":
        if content.parameters.get("lists") != word_lists.digest():
            raise ModelError(f"{source}: trained with other dictionaries and cities than this version has; train again")
        word = take(content, "trained", "u", (None,), source)
        language = take(content, "trained_language", "i", (len(word),), source)
        columns = take(content, "columns", "i", (None,), source)
        if ((language < 0) | (language >= len(content.labels))).any() or (word[1:] < word[:-1]).any():
            raise ModelError(f"{source}: its trained dictionary cannot be")
        custom = word_lists.custom(content.labels, Lexicon(word, language))
        if ((columns < 0) | (columns >= len(custom.names))).any():
            raise ModelError(f"{source}: it asks for features that are not")
        return Chosen(custom, columns), len(columns)
    hashes = take(content, "hashes", "u", (None,), source)
    if not isinstance(kind, str) or kind not in KINDS or (hashes[1:] <= hashes[:-1]).any():
        raise ModelError(f"{source}: its vocabulary cannot be")
    return Vocabulary(kind, hashes), len(hashes)


def _scorer(content: Model, size: int, source: str, *, unit: bool) -> Scorer:
    labels = len(content.labels)
    if "feature" in content.arrays:
        nodes = take(content, "feature", "i", (None,), source)
        arrays = {
            "tree": take(content, "tree", "i", (labels + 1,), source),
            "feature": nodes,
            "threshold": take(content, "threshold", "f", (len(nodes),), source),
            "weight": take(content, "weight", "f", (len(nodes), 2), source),
        }
        try:
            return Forest.of_arrays(arrays, size)
        except ValueError as error:
            raise ModelError(f"{source}: {error}") from error
    whole = take(content, "weights", "i", (labels, size), source)
    bias = take(content, "bias", "f", (labels,), source)
    return Linear(np.ascontiguousarray(whole.T) * np.float32(STEP), bias, unit=unit)
