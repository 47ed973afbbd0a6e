"""A folder of training text -> a model: what `graphlang train` calls.

    corpus (lines per label) -> documents -> Fisher discriminants -> vocabulary -> one vector per language
    -> for `nfc`: refined vectors, whole numbers -> probabilities calibrated on lines held out

The same corpus and options give the same bytes: every draw comes from one seeded generator.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang import languages
from graphlang.content import calibrate, corpus, nfc, priors, published, refine, refined
from graphlang.content.cuts import Cuts
from graphlang.content.errors import ModelError
from graphlang.content.model import Model
from graphlang.content.ngrams import Vocabulary
from graphlang.content.selection import Candidates

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to train. The defaults are those of the shipped `nfc`; `PAPER` has the published setting.

    Attributes:
        orders: Lengths of n-grams.
        features: Size of the vocabulary.
        minimum: Labels with less text (characters) are left out; half as much is enough for a language that CLDR
            lists as official or widely used in some territory.
        maximum: Characters of a label that are used at most.
        document: Characters of a training document (for Fisher).
        documents: Documents of a label at most (for Fisher).
        closed: Whether a space follows the last word before the text wraps round.
        limit: Characters of a text that are looked at when classifying.
        smoothing: Characters of a text of no particular language added to each language's own (`nfc` only).
        rounds: Of refinement (`nfc` only).
        draws: Pieces that the largest label gives to one round (`nfc` only).
        power: A label of size s gives draws in proportion to s ** power (`nfc` only).
        rate: Step of refinement at its beginning (`nfc` only).
        batch: Texts per step (`nfc` only).
        prior: Exponent of the number of speakers in the prior (`priors.log_prior`; `nfc` only).
        step: Weights are rounded to whole multiples of this (`nfc` only).
        doubt: Factor on the fitted sharpness at the longest texts, less and less of it at shorter ones, none at the
            shortest: lines held out resemble their training text more than the web does, and the longer a text, the
            surer that makes the model (measured on development lines).
        held_out: One line in so many is kept from training, for calibration.
        seed: Of all chance.
    """

    orders: tuple[int, ...] = (1, 2, 3, 4)
    features: int = 170_000
    minimum: int = 8_000
    maximum: int = 400_000
    document: int = 1_000
    documents: int = 150
    closed: bool = True
    limit: int = 190
    smoothing: float = 2_000.0
    rounds: int = 2
    draws: int = 4_000
    power: float = 0.7
    rate: float = 0.2
    batch: int = 512
    step: float = 0.25
    prior: float = 0.3
    doubt: float = 0.6
    held_out: int = 10
    seed: int = 2004


# The paper has eleven languages and many pages of each. Given hundreds of languages whose texts are few and much alike,
# formula 0.5 gives nearly all of its 1000 places to those, so only the labels with plenty of text take part.
PAPER = Options(orders=(3,), features=1_000, closed=False, limit=10_000, minimum=100_000, documents=100, doubt=1.0)
_ONLY_REFINED = ("smoothing", "rounds", "draws", "power", "rate", "batch", "step", "prior")
_PROBE = 400  # pieces of each label that calibration uses at most


def train(
    folder: Path,
    *,
    method: str = "nfc",
    progress: Progress = lambda _stage, _done, _all: None,
    **options: Any,
) -> Model:
    """Train a model from one sub-folder per language of UTF-8 text files, one sentence or paragraph a line.

    Sub-folders may be named by any code that `graphlang.languages.label` understands. What was left out, and why,
    stands in the model's parameters.

    Args:
        folder: The corpus.
        method: `nfc`, `nfc-2004` for the published setting, or one of the other papers' (`published.TRAINERS`).
        progress: Called with the stage's name, what is done and all there is to do.
        options: Those of `Options`; the other methods have those of `published.train`.

    Raises:
        ModelError: an unknown method or option, or a corpus that cannot be used.
    """
    if method in published.TRAINERS:
        return published.train(folder, method=method, progress=progress, options=options)
    if method not in ("nfc", "nfc-2004"):
        known = ", ".join(("nfc", "nfc-2004", *published.TRAINERS))
        raise ModelError(f"{method}: no method that can be trained ({known})")
    base = Options() if method == "nfc" else PAPER
    unknown = set(options) - {f.name for f in fields(Options)}
    if unknown:
        raise ModelError(f"{', '.join(sorted(unknown))}: no option of training")
    chosen = Options(**{**asdict(base), **options})
    material = corpus.read(
        folder,
        label=languages.label,
        minimum=lambda label: chosen.minimum // (2 if priors.speakers(label) else 1),
        maximum=chosen.maximum,
    )
    progress("read", len(material.lines), len(material.lines))
    labels = tuple(sorted(material.lines))
    parts = [corpus.held_out(material.lines[label], chosen.held_out) for label in labels]
    lines = [kept for kept, _ in parts]
    documents = [corpus.documents(kept, chosen.document)[: chosen.documents] for kept in lines]
    random = np.random.default_rng(chosen.seed)
    candidates = Candidates(
        documents,
        orders=chosen.orders,
        closed=chosen.closed,
        progress=lambda done, every: progress("n-grams", done, every),
    )
    sizes = np.array([sum(map(len, kept)) for kept in lines], dtype=np.float64)
    if method == "nfc":
        grams = candidates.in_turn(chosen.features, np.sqrt(sizes / sizes.max()))
    else:
        grams = candidates.top(chosen.features)
    del candidates
    vocabulary = Vocabulary(sorted(grams))
    counted = lines if method == "nfc" else documents
    counts = np.stack(
        [nfc.count_features(vocabulary, own, limit=chosen.maximum, closed=chosen.closed) for own in counted]
    )
    arrays: dict[str, NDArray[Any]] = {"ngrams": nfc.pack(vocabulary.ngrams)}
    if method == "nfc":
        arrays |= _refined(
            vocabulary,
            counts,
            lines,
            sizes=sizes,
            prior=priors.log_prior(labels, chosen.prior),
            chosen=chosen,
            random=random,
            progress=progress,
        )
    else:
        arrays["vectors"] = nfc.reference_vectors(counts).astype(np.float16)
    parameters = {name: value for name, value in asdict(chosen).items() if method == "nfc" or name not in _ONLY_REFINED}
    parameters |= {"corpus": material.digest, "left_out": material.left_out, "orders": list(chosen.orders)}
    arrays["sharpness"] = np.zeros(len(calibrate.KNOTS), dtype=np.float32)
    model = Model(method, labels, parameters, arrays)
    arrays["sharpness"] = _sharpness(model, [out for _, out in parts], chosen, random)
    progress("calibrate", 1, 1)
    return Model(method, labels, parameters, arrays)


def _refined(
    vocabulary: Vocabulary,
    counts: NDArray[np.int32],
    lines: list[list[str]],
    *,
    sizes: NDArray[np.float64],
    prior: NDArray[np.float32],
    chosen: Options,
    random: np.random.Generator,
    progress: Progress,
) -> dict[str, NDArray[Any]]:
    pieces = Cuts(lines, shortest=6, longest=250, random=random)
    numbers = np.maximum(1, chosen.draws * (sizes / sizes.max()) ** chosen.power).astype(np.int64)

    def draw() -> tuple[Any, NDArray[np.int64]]:
        texts, truth = pieces.draw(numbers)
        return refine.vectorise(vocabulary, texts, limit=chosen.limit, closed=chosen.closed), truth

    vectors = refine.refine(
        refine.start(counts, sizes.astype(np.int64), chosen.smoothing),
        draw,
        rounds=chosen.rounds,
        rate=chosen.rate,
        batch=chosen.batch,
        progress=lambda done, every, _loss: progress("refine", done, every),
    )
    gaps, values = refined.squeeze(refined.quantise(vectors.weights, chosen.step))
    return {
        "gaps": gaps,
        "values": values,
        "step": np.array([chosen.step], dtype=np.float32),
        "base": vectors.base,
        "bias": vectors.bias + prior,
    }


def _sharpness(
    model: Model, held_out: list[list[str]], chosen: Options, random: np.random.Generator
) -> NDArray[np.float32]:
    pieces = Cuts(held_out, shortest=4, longest=400, random=random)
    most = max(1, min(_PROBE, 60_000 // len(held_out)))
    expected = np.exp(priors.log_prior(model.labels, chosen.prior if model.method == "nfc" else 0.0))
    wanted = most * len(held_out) * expected / expected.sum()
    numbers = np.array([min(int(n) + 1, 4 * len(own)) for n, own in zip(wanted, held_out, strict=True)], dtype=np.int64)
    texts, truth = pieces.draw(numbers)
    reader = (refined.Refined if model.method == "nfc" else nfc.Nfc)(model, "", "the new model")
    scores, lengths = reader.similarities(texts)
    letters = lengths > 0
    logs = calibrate.fit(scores[letters], lengths[letters], truth[letters])
    sharpness: NDArray[np.float32] = (logs + np.log(chosen.doubt) * np.linspace(0, 1, len(logs))).astype(np.float32)
    return sharpness
