"""Estimate P(no language of the model | text), and lower the confidence of the answer accordingly.

The scores compare the languages of the model with each other. A text in another language, or a hexadecimal key, still
resembles one of them most, and the longer it is, the more confident the answer. Three estimates correct that. Each
spreads its share of the probability evenly over all labels of the script: the best label remains the best, and only its
confidence falls. They are applied in this order:

1. **Fit** (`unknown_language_probability`), to every text, in the kernels that compute probabilities. The fit is the
   mean log ratio that an n-gram of the text adds to its best label. Text in the label's own language fits about as well
   as its training text, which the label's `base` predicts. A logistic function of fit, base and length is the
   probability of an unknown language. Above `MAX_UNKNOWN` there is no answer (`und`).
2. **Open set** (`OpenSet`), to texts of `FEWEST_LETTERS` letters or more. The fit alone does not separate a language
   from an unknown relative: without Afrikaans in the model, an Afrikaans text is Dutch of fair fit. More features do:
   the margin to the next label, the number of speakers, the weights of single 3-grams, 5-grams and words in the label,
   and the likelihood of the text under the label's character language model. A logistic function of these and their
   products is the probability; the greater of both doubts counts. Costly features are computed only for texts that the
   cheaper ones leave in doubt, in the stages of `STAGES`.
3. **Rubbish** (`rubbish`), to texts that are not prose: repeated letters, codes, garbled text.

Both logistic functions were fitted on development texts, with answers of the whole model and of models without the
language of the text, for about 1 % of texts in unknown languages and 1 % of rubbish.
``tests/content/make_unknown.py`` fits the second (``graphlang/data/unknown.json``),
``tests/benchmarks/honest_doubt.py`` measures both.

Other corrections move probability between languages of the model: another script (`text.other_script`), English on
pages in other languages (`text.windows.share_with_hosts`), small relatives of large languages (`relatives`), names
(`names`) and spelling (`spelling`).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from graphlang.content.native import scores as _kernels
from graphlang.content.nfc.sparse_weights import KINDS, KindSums
from graphlang.content.ngrams.keys import MAX_ORDER
from graphlang.content.text.normalise import Letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.nfc.char_lm import CharLM
    from graphlang.content.nfc.model_parts import BatchSums, ModelParts

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Stage = Literal["letters", "ngrams", "likelihood"]


#: Of the logit, for 1, fit, -base, log letters, fit * log letters, fit * -base, -base * log letters, base squared.
COEFFICIENTS = np.array([-17.393, 2.498, 3.679, 1.327, -1.406, -0.038, -0.095, -0.361], dtype=np.float32)
MAX_UNKNOWN = 0.95  #: a text of a greater probability of an unknown language has no answer
_FIT_RANGE = _kernels.SCORES_MIN_FIT, _kernels.SCORES_MAX_FIT
_BASE_RANGE = _kernels.SCORES_MIN_BASE, _kernels.SCORES_MAX_BASE
_LETTERS_RANGE = _kernels.SCORES_MIN_LETTERS, _kernels.SCORES_MAX_LETTERS

FILE: Final = Path(__file__).parents[2] / "data" / "unknown.json"
FEATURES: Final = (
    "fit",  # mean of what a feature adds to the label, its base included
    "base",
    "letters",  # log of their number
    "features",  # per letter
    "margin",  # fit of the label less that of the next label
    "prior",
    "words",  # whole words in the vocabulary, per letter
    # Of 3-grams, 5-grams and words: mean weight in the label; mean difference to the n-gram's best label; share of the
    # n-grams with a weight in the label.
    *(f"{name} {kind}" for kind in ("3", "5", "word") for name in ("own", "regret", "has")),
    "likelihood",  # log likelihood of a letter, less that of a letter of the label's own text (`find_usual_likelihood`)
)
ORDERS: Final = (3, 5)  #: lengths of the n-grams that are compared one by one, with the words
#: How many of FEATURES each stage has, from the first on.
STAGES: Final[dict[Stage, int]] = {"letters": 6, "ngrams": 7 + 3 * KINDS, "likelihood": len(FEATURES)}
FEWEST_LETTERS: Final = 16  #: a shorter text has too few n-grams for an open-set estimate
#: The n-grams are compared if the first stage gives an unknown language at least this, and the best label has `SURE`:
#: for one sentence in five of common languages, and for 80 % of the confident answers to unknown ones. With .004 long
#: texts take 2 % more time, and the share of confident answers to unknown languages falls by at most .4 points.
ASK: Final = 0.005
#: The same before the likelihood is computed, for one sentence in 14. A lower bound detects no more unknown texts.
ASK_LIKELIHOOD: Final = 0.012
SURE: Final = 0.9  #: users doubt an answer of less confidence anyway
LEAST: Final = 0.002  #: a smaller doubt is invisible in a printed confidence
MOST_MARGIN: Final = _kernels.SCORES_MAX_MARGIN
CUT: Final = _kernels.SCORES_CUT  #: maximum spreads of a feature from its mean
_NEVER: Final = 2.0  # greater than any probability
_ROUNDING: Final = 1e-4  # maximum difference between a number and its rounded form


class Coefficients(NamedTuple):
    """Coefficients of an open-set stage."""

    mean: Floats  #: of each feature, (features,)
    spread: Floats  #: of each feature, (features,)
    #: Of the logit: a constant; each feature, standardised and cut; each product of two (`append_products`).
    terms: Floats


class BestLabels(NamedTuple):
    """The most probable label of each text."""

    label: Ints  #: counted among those of its script; -1 to skip the text, (texts,)
    fit: Floats  #: mean of what a feature adds to it, (texts,)
    margin: Floats  #: that less the fit of the next label, (texts,)


def unknown_language_probability(fit: Floats, base: Floats, letters: Ints) -> Floats:
    """Estimate P(language unknown to the model) from the fit of the best label, (texts,).

    This is the definition; for short texts a kernel computes the same. Shapes: fit (texts,), the mean that a feature
    adds to the score of the best label, base included; base (texts,), of that label; letters (texts,).

    >>> fit, base = np.array([0, -2.5, -2.5], dtype=np.float32), np.array([-5, -5, -5], dtype=np.float32)
    >>> [f"{chance:.2f}" for chance in unknown_language_probability(fit, base, np.array([100, 100, 10]))]
    ['0.02', '1.00', '0.02']
    """
    r, b = np.clip(fit, *_FIT_RANGE), np.clip(-base, *_BASE_RANGE)
    n = np.log(np.clip(letters, *_LETTERS_RANGE)).astype(np.float32)
    return _logistic(COEFFICIENTS @ np.stack([np.ones_like(r), r, b, n, r * n, r * b, b * n, b * b]))


def open_set_probability(features: Floats, coefficients: Coefficients) -> Floats:
    """Estimate P(language unknown to the model) from open-set features (texts, features), (texts,).

    This is the definition; a kernel computes the same. Features beyond the coefficients do not count.

    >>> stage = Coefficients(np.zeros(16, np.float32), np.ones(16, np.float32), np.eye(153, dtype=np.float32)[1])
    >>> features = np.array([[0, *[9] * 16], [-2, *[9] * 16]], dtype=np.float32)
    >>> open_set_probability(features, stage).astype(float).round(2).tolist()
    [0.5, 0.12]
    """
    x = np.clip((features[:, : len(coefficients.mean)] - coefficients.mean) / coefficients.spread, -CUT, CUT)
    return _logistic(coefficients.terms[0] + append_products(x) @ coefficients.terms[1:])


def append_products(x: Floats) -> Floats:
    """Append the products of two columns, each pair once, (texts, terms)."""
    first, second = np.triu_indices(x.shape[1])
    return np.concatenate([x, x[:, first] * x[:, second]], axis=1)


def _logistic(logit: Floats) -> Floats:
    small = np.exp(-np.abs(logit))
    chances: Floats = (np.where(logit < 0, small, 1) / (1 + small)).astype(np.float32)
    return chances


@cache
def _read_file() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


@cache
def read_coefficients(stage: Stage) -> Coefficients:
    """Read the coefficients of a stage."""
    return Coefficients(*(np.array(_read_file()[stage][name], dtype=np.float32) for name in Coefficients._fields))


def find_usual_likelihood(labels: Sequence[str], letter: Floats) -> Floats:
    """Look up the mean log likelihood of a letter of each label's own text, (labels,).

    It was measured on held-out text for the character language models of the shipped model. Labels with another
    language model, or without one, get NaN. `letter` is `char_lm.CharLM.letter`, which identifies the language model;
    it may be longer.
    """
    measured: dict[str, list[float]] = _read_file()["usual"]
    usual = np.full(len(labels), np.nan, dtype=np.float32)
    for column, (label, constant) in enumerate(zip(labels, letter.tolist(), strict=False)):
        if label in measured and abs(measured[label][1] - constant) < _ROUNDING:
            usual[column] = measured[label][0]
    return usual


def number_kinds(sizes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Map the lengths of n-grams to their kinds: the two of `ORDERS`, then whole words; `KINDS` for all others.

    >>> number_kinds(np.array([1, 3, 4, 5, 6, 12], dtype=np.uint8)).tolist()
    [3, 0, 3, 1, 2, 2]
    """
    kinds = np.full(256, KINDS, dtype=np.uint8)
    kinds[list(ORDERS)] = np.arange(len(ORDERS))
    kinds[MAX_ORDER + 1 :] = KINDS - 1
    return np.frombuffer(sizes.tobytes().translate(kinds.tobytes()), dtype=np.uint8)


class OpenSet:
    """The open-set estimate for one model."""

    def __init__(self, parts: ModelParts) -> None:
        self._parts = parts
        self._columns = parts.weights.list_columns()
        self._base_in_steps = parts.scores.base / parts.scores.step
        #: Whether the vocabulary has words and the n-grams of `ORDERS`.
        self.applies = parts.vocabulary.has_words and set(ORDERS).issubset(parts.vocabulary.orders)
        self._kinds = number_kinds(parts.vocabulary.sizes)
        self._greatest = np.zeros(len(self._kinds), dtype=np.int32)  # a cache that the kernel fills
        lm = parts.char_lm
        self._usual = np.zeros(0, np.float32) if lm is None else find_usual_likelihood(parts.labels, lm.letter)
        self._lm = lm if np.isfinite(self._usual).any() else None

    def discount(
        self, best: BestLabels, sums: BatchSums, offsets: Ints, *, lengths: Ints, to: Ints, answer: Floats
    ) -> Floats:
        """Lower the confidence of texts that may be in an unknown language, in place; return the doubts, (texts,).

        Text t has the windows `offsets[t] : offsets[t + 1]`, at least one; `sums` are those of the windows. `best`,
        `lengths` (letters) and `to` (row of `answer`) are by text; `answer` has probabilities, (rows, labels).
        """
        doubt = np.zeros(len(to), dtype=np.float32)
        if not (best.label >= 0).any():
            return doubt
        parts = self._parts
        ends = sums.offsets[offsets]
        scripts = parts.script[sums.letters.scripts[offsets[:-1]]].astype(np.int64)
        arguments: dict[str, Any] = {
            "script": scripts,
            "columns": self._columns,
            "letters": lengths,
            "features": np.diff(ends),
            "base": parts.scores.base,
            "prior": parts.scores.prior,
            "to": to,
            "answer": answer,
        }
        *_, undecided = discount(best, None, **arguments)
        if not undecided.any():
            return doubt
        labels_asked = np.where(undecided, best.label, -1)
        best = best._replace(label=labels_asked)
        ngrams = parts.weights.compare_features(
            sums.features,
            ends,
            scripts,
            labels_asked,
            columns=self._columns,
            base=self._base_in_steps,
            kinds=self._kinds,
            greatest=self._greatest,
        ).scale(parts.scores.step)
        _, doubt, undecided = discount(best, ngrams, has_next_stage=self._lm is not None, **arguments)
        if self._lm is not None and undecided.any():
            rows = np.flatnonzero(undecided)
            labels = self._columns[scripts[rows], 0] + labels_asked[rows]
            likelihood = np.zeros(len(to), dtype=np.float32)
            likelihood[rows] = self._compute_likelihood(self._lm, sums.letters, offsets, rows, labels)
            best = best._replace(label=np.where(undecided, labels_asked, -1))
            _, last, _ = discount(best, ngrams, likelihood=likelihood, **arguments)
            doubt = np.where(undecided, last, doubt)
        return doubt

    def _compute_likelihood(self, lm: CharLM, letters: Letters, offsets: Ints, rows: Ints, labels: Ints) -> Floats:
        """Compute the last of `FEATURES` for the texts in `rows`, each under its label, (rows,)."""
        windows = np.diff(offsets)[rows]
        ends = np.cumsum(windows)
        members = np.repeat(offsets[rows] + windows - ends, windows) + np.arange(ends[-1])
        lengths = letters.lengths[members]
        texts = Letters(letters.symbols, letters.starts[members], lengths, letters.margin)
        logs = np.add.reduceat(lm.estimate_likelihood(texts, np.repeat(labels, windows)), ends - windows)
        means: Floats = np.nan_to_num(logs / np.add.reduceat(lengths, ends - windows) - self._usual[labels])
        return means.astype(np.float32)


def discount(
    best: BestLabels,
    ngrams: KindSums | None,
    *,
    script: Ints,
    columns: Ints,
    letters: Ints,
    features: Ints,
    base: Floats,
    prior: Floats,
    to: Ints,
    answer: Floats,
    likelihood: Floats | None = None,
    has_next_stage: bool = False,
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Spread the open-set doubt of each text over the labels of its script, in place, at one stage.

    By text, (texts,): `best`; `script`, its number; `letters`; `features`, the number of n-grams and words; `to`, its
    row of `answer`; `likelihood`, the last of `FEATURES`, None before the last stage. `ngrams` has the terms of n-grams
    and words in the unit of the scores, None at the first stage. `columns` (`ScriptWeights.list_columns`) are by
    script, `base` and `prior` by label. `answer` has probabilities, (rows, labels). With `has_next_stage` a stage
    follows for texts of a doubt of `ASK_LIKELIHOOD` or more.

    Return the features, (texts, FEATURES); the doubts, (texts,), 0 where `best.label` is -1; and which texts wait for
    the next stage, (texts,). Raise a KernelError if the shapes differ or a number is out of range.
    """
    stage = read_coefficients("letters" if ngrams is None else "ngrams" if likelihood is None else "likelihood")
    texts = len(to)
    ask = ASK if ngrams is None else ASK_LIKELIHOOD if has_next_stage else _NEVER
    ngrams = KindSums.make_zeros(texts) if ngrams is None else ngrams
    doubt = np.empty(texts, dtype=np.float32)
    signs = np.empty((texts, len(FEATURES)), dtype=np.float32)
    undecided = np.empty(texts, dtype=np.uint8)
    _kernels.scores_open_set(
        script=script,
        best=best.label,
        columns=columns,
        fit=best.fit,
        margin=best.margin,
        letters=letters,
        features=features,
        **{name: array.reshape(-1) for name, array in ngrams._asdict().items()},
        likelihood=np.zeros(texts, dtype=np.float32) if likelihood is None else likelihood,
        base=base,
        prior=prior,
        unknown=COEFFICIENTS,
        mean=stage.mean,
        spread=stage.spread,
        terms=stage.terms,
        min_doubt=LEAST,
        next_doubt=ask,
        next_confidence=SURE,
        to=to,
        answer=answer,
        signs=signs,
        doubt=doubt,
        undecided=undecided,
    )
    return signs, doubt, undecided.astype(np.bool_)
