"""Identify languages whose only training text is a Bible, by a second model for texts that the first one doubts.

Many languages have a Bible as their only training text. In the first model they would double the sums of every text,
and win texts of other genres from languages with more text. So a second model of the same class has their labels. The
probability that a text is in one of them is estimated in two stages, by logistic functions like those of the open set
(`nfc.doubt`):

1. From the answer of the first model (`SIGNS` without the last). Texts below `ASK` keep that answer.
2. Also from the confidence of the second model. The probability `g` divides the text between both models:
   `P(x) = (1 - g) P_1(x)` for the languages of the first, `P(x) = g P_2(x)` for those of the second.

``tests/content/make_further.py`` fits both on documents that neither model was trained on, where one text in a hundred
counts as a further language. There is no test text of other genres than Bibles, so `g` is at most `MOST`.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphlang import modelfile
from graphlang.content.native import scores as _kernels
from graphlang.content.nfc.doubt import LEAST, Coefficients, open_set_probability
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.content.nfc.model import Discriminative
    from graphlang.modelfile import Model

    Floats = NDArray[np.float32]

#: The second model: beside the file of the first one, or that of the shipped model, from which others are extended.
FILE: Final = "nfc-further.npz"
_SHIPPED: Final = Path(__file__).parents[2] / "data" / FILE
PARAMETER: Final = "further"  #: of the first model: SHA-256 and labels of the second, coefficients of both stages
WITHOUT: Final = "without"  #: in the parameter: labels of the second model that are left out
SIGNS: Final = (
    "unknown",  # P(no language of the first model), as the probability of its least likely labels shows it; log odds
    "best",  # log odds of its best label
    "next",  # log odds of its second label
    "letters",  # log of the number of characters
    "further",  # log odds of the best label of the second model
)
#: Stages by name, and how many of `SIGNS` each knows.
STAGES: Final = {"ask": 4, "gate": 5}
ASK: Final = 0.005  #: probability of the first stage from which on the second model reads a text: one line in sixteen
SURE: Final = 0.97  #: confidence of the first model from which on it does not
MOST: Final = 0.89
FEWEST: Final = 20  #: characters of a text that the second model reads: shorter ones are names
_LONGEST: Final = 400  #: characters; a longer text counts as long
_LEAST: Final = 0.003  #: probability in the signs; a smaller one counts as much


class FurtherLanguages:
    """The second model of a model file. It is read when the first text needs it.

    `every_label` are those of the second model, `columns` (labels,) the numbers of those that are used, `stages` the
    coefficients of `STAGES`. `digest` is the SHA-256 of the second file, in hexadecimal; it is beside `source`, the
    file of the first model, or the shipped one.
    """

    def __init__(
        self,
        source: Path,
        digest: str,
        every_label: tuple[str, ...],
        columns: NDArray[np.int64],
        stages: Mapping[str, Coefficients],
    ) -> None:
        self.digest, self.columns, self._stages = digest, columns, stages
        self.labels = tuple(every_label[column] for column in columns.tolist())
        self._source, self._every_label = source, every_label
        self._lock = threading.Lock()
        self._identifier: Discriminative | None = None

    @property
    def identifier(self) -> Discriminative:
        """The second model; raise a ModelError if it is missing, damaged, or not that of the first model."""
        from graphlang.content.nfc.model import Discriminative  # noqa: PLC0415 - it imports this module

        with self._lock:
            if self._identifier is None:
                path = self._source.parent / FILE
                model, digest = modelfile.read(path if path.exists() else _SHIPPED)
                if digest != self.digest and path.exists():
                    model, digest = modelfile.read(_SHIPPED)
                if digest != self.digest or model.labels != self._every_label or PARAMETER in model.parameters:
                    raise ModelError(f"{self._source}: {FILE}, beside it or of graphlang, is not its second part")
                self._identifier = Discriminative(model, digest, FILE)
            return self._identifier

    def answer(self, texts: Sequence[str], answer: Floats, *, pages: bool) -> None:
        """Divide texts that may be in a further language between both models, in place.

        `answer` has the probabilities of the first model, and columns for the further labels, last, with zeros,
        (texts, labels). `pages` is as in `ShortTexts.answer`.
        """
        first = answer.shape[1] - len(self.labels)
        rows, signs = measure_signs(answer, first, texts)
        candidates = np.flatnonzero(open_set_probability(signs, self._stages["ask"]) >= ASK)
        if not len(candidates):
            return
        chosen = [texts[row] for row in rows[candidates].tolist()]
        second = self.identifier.part_probabilities(chosen, pages=pages)
        if len(self.columns) < second.shape[1]:
            second = second[:, self.columns]
        signs = np.column_stack([signs[candidates], compute_log_odds(second.max(axis=1))])
        sums = second.sum(axis=1)
        gate = sums * np.minimum(open_set_probability(signs, self._stages["gate"]), np.float32(MOST))
        second /= np.maximum(sums, LEAST)[:, None]
        changed = np.flatnonzero(gate >= LEAST)
        share_between(answer, rows[candidates[changed]], second[changed], gate[changed])


def share_between(answer: Floats, rows: NDArray[np.int64], second: Floats, gate: Floats) -> None:
    """Divide some rows of answers between both models, in place; `gate` (rows,) is the part of the second.

    If the first model has no answer, the labels of the second in the script share its part equally.

    >>> answer = np.array([[0.6, 0.4, 0, 0], [0, 0, 0, 0]], dtype=np.float32)
    >>> share_between(answer, np.arange(2), np.array([[0.5, 0.5], [1, 1e-9]], np.float32), np.float32([0.5, 0.5]))
    >>> answer.round(2).tolist()
    [[0.30000001192092896, 0.20000000298023224, 0.25, 0.25], [0.0, 0.0, 0.75, 0.25]]
    """
    first = answer.shape[1] - second.shape[1]
    first_answer, gate = answer[rows, :first], gate[:, None]
    none = ~first_answer.any(axis=1, keepdims=True) & (gate > 0)
    even = (second > 0) / np.maximum((second > 0).sum(axis=1, keepdims=True), 1).astype(np.float32)
    answer[rows, :first] = (1 - gate) * first_answer
    answer[rows, first:] = gate * second + none * (1 - gate) * even


def measure_signs(
    answer: Floats, labels: int, texts: Sequence[str], *, threshold: float = SURE
) -> tuple[NDArray[np.int64], Floats]:
    """Find the texts that the second model may read, and measure the signs of the first stage.

    `answer` has probabilities, (texts, columns), the first `labels` of them those of the first model. Return rows of
    texts of `FEWEST` characters and more in which its best label is less probable than `threshold`, (rows,), and the
    signs, (rows, signs).
    """
    best, following, lowest = (np.empty(len(texts), dtype=np.float32) for _ in range(3))
    positive = np.empty(len(texts), dtype=np.int64)
    _kernels.scores_tails(
        labels=labels,
        threshold=threshold,
        probabilities=np.ascontiguousarray(answer),
        best=best,
        next=following,
        least=lowest,
        positive=positive,
    )
    rows = np.flatnonzero(best < threshold)
    sizes = np.array([len(texts[row]) for row in rows.tolist()], dtype=np.int64)
    rows, sizes = rows[sizes >= FEWEST], sizes[sizes >= FEWEST]
    unknown = np.where(positive > 0, lowest * positive, 1)[rows]
    letters = np.log(np.minimum(sizes, _LONGEST))
    signs: Floats = np.column_stack(
        [compute_log_odds(unknown), compute_log_odds(best[rows]), compute_log_odds(following[rows]), letters]
    )
    return rows, signs.astype(np.float32)


def compute_log_odds(probabilities: Floats) -> Floats:
    """Compute log odds, of probabilities that are neither nearly 0 nor nearly 1."""
    chances = np.clip(probabilities, _LEAST, 1 - _LEAST)
    odds: Floats = np.log(chances / (1 - chances))
    return odds


def leave_out(parameters: Mapping[str, Any], labels: Collection[str] | None = None) -> dict[str, Any]:
    """Copy the parameters of a model without some labels of its second model, or without the second model.

    >>> leave_out({"a": 1, "further": {"labels": ["x", "y"]}}, ["x"])
    {'a': 1, 'further': {'labels': ['x', 'y'], 'without': ['x']}}
    >>> leave_out({"a": 1, "further": {"labels": ["x", "y"]}})
    {'a': 1}
    """
    unchanged = {name: value for name, value in parameters.items() if name != PARAMETER}
    second: Any = parameters.get(PARAMETER)
    if labels is None or second is None:
        return unchanged
    without = sorted({*labels, *second.get(WITHOUT, ())} & set(second["labels"]))
    return (
        unchanged if len(without) == len(second["labels"]) else {**unchanged, PARAMETER: {**second, WITHOUT: without}}
    )


def find_further(model: Model, source: str) -> FurtherLanguages | None:
    """Find the second model of a model file; None if it has none.

    Raise a ModelError if the parameter is damaged.
    """
    content: Any = model.parameters.get(PARAMETER)
    if content is None:
        return None
    try:
        labels, without, digest = list(content["labels"]), list(content.get(WITHOUT, ())), str(content["sha256"])
        stages = {name: _read_stage(content[name], signs) for name, signs in STAGES.items()}
        is_sound = 0 < len(set(labels)) == len(labels) and all(isinstance(label, str) for label in (*labels, *without))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{source}: its parameter {PARAMETER} is damaged") from error
    if not is_sound:
        raise ModelError(f"{source}: its parameter {PARAMETER} is damaged")
    left_out = {*model.labels, *without}
    columns = [column for column, label in enumerate(labels) if label not in left_out]
    if not columns:
        return None
    return FurtherLanguages(Path(source), digest, tuple(labels), np.array(columns, dtype=np.int64), stages)


def _read_stage(content: Mapping[str, Any], signs: int) -> Coefficients:
    stage = Coefficients(*(np.array(content[name], dtype=np.float32) for name in Coefficients._fields))
    sizes = signs, signs, 1 + signs + signs * (signs + 1) // 2
    if [array.shape for array in stage] != [(size,) for size in sizes] or not all(np.isfinite(a).all() for a in stage):
        raise ValueError
    return stage
