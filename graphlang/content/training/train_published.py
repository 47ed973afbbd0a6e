"""Train the other papers' methods: read the corpus, let a method build its arrays, calibrate on lines held out."""

from __future__ import annotations

import inspect
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.codes import languages
from graphlang.content import calibration, speaker_prior
from graphlang.content.published import martins_silva, rank_order, textcat
from graphlang.content.published.bytes import byte_trigrams, quadgrams
from graphlang.content.training import corpus
from graphlang.content.training.excerpts import Excerpts
from graphlang.content.training.option_checks import Range, checked
from graphlang.modelfile import Model

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedOptions:
    """What all of them share.

    Attributes:
        minimum: Labels with less text (characters) are left out; half as much is enough for a language that CLDR
            lists as official or widely used in some territory.
        maximum: Characters of a label that are used at most.
        limit: Characters of a text that are looked at when classifying.
        held_out: One line in so many is kept from training, for calibration.
        doubt: Factor on the fitted inverse temperature: lines held out resemble their training text more than the web
            does.
        seed: Of all random draws.
    """

    minimum: int = 8_000
    maximum: int = 400_000
    limit: int = 10_000
    held_out: int = 10
    doubt: float = 0.85
    seed: int = 2004


@dataclass(frozen=True, slots=True)
class _Published:
    build: Callable[..., tuple[dict[str, NDArray[Any]], dict[str, Any]]]
    reader: Callable[[Model, str, str], Any]
    defaults: PublishedOptions = PublishedOptions()


TRAINERS = {
    "rank-order": _Published(rank_order.build, rank_order.RankOrder),
    "textcat": _Published(textcat.build, textcat.TextCat),
    "quadgrams": _Published(quadgrams.build, quadgrams.Quadgrams, PublishedOptions(maximum=100_000)),
    "byte-trigrams": _Published(byte_trigrams.build, byte_trigrams.ByteTrigrams, PublishedOptions(maximum=20_000)),
    "martins-silva": _Published(martins_silva.build, martins_silva.MartinsSilva),
}
_RANGES = {
    "minimum": Range(1, 2**31),
    "maximum": Range(1, 2**31),
    "limit": Range(1, 1_000_000),
    "held_out": Range(1, 2**31),
    "doubt": Range(0.01, 100, whole=False),
    "seed": Range(0, 2**63),
    "features": Range(1, 1_000_000),
    "upper": Range(0, 1, whole=False),
    "lower": Range(0, 1, whole=False),
}
_PIECES = 400  # of each label, for calibration
_ALL_PIECES = 20_000


def train(folder: Path, *, method: str, progress: Progress, options: dict[str, Any]) -> Model:
    """Train one of `TRAINERS`.

    Args:
        folder: One sub-folder per language of UTF-8 text files, one sentence or paragraph a line.
        method: Its name.
        progress: Called with the stage's name, what is done and all there is to do.
        options: Those of `PublishedOptions`, and those of the method's `build` (`features`; `upper` and `lower`).

    Raises:
        ModelError: an unknown option, a value out of range, or a corpus that cannot be used.
    """
    chosen = TRAINERS[method]
    common = {field.name for field in fields(PublishedOptions)}
    signature = inspect.signature(chosen.build).parameters
    own = {name for name in signature if name not in {"labels", "lines"}}
    checked(options, {name: _RANGES[name] for name in common | own}, method=method)
    shared = PublishedOptions(**{**asdict(chosen.defaults), **{k: v for k, v in options.items() if k in common}})
    material = corpus.read(
        folder,
        label=languages.label,
        minimum=lambda label: shared.minimum // (2 if speaker_prior.speakers(label) else 1),
        maximum=shared.maximum,
    )
    progress("read", len(material.lines), len(material.lines))
    labels = tuple(sorted(material.lines))
    parts = [corpus.held_out(material.lines[label], shared.held_out) for label in labels]
    given = {"labels": labels, "lines": [kept for kept, _ in parts]}
    arrays, parameters = chosen.build(
        **{name: value for name, value in given.items() if name in signature},
        **{name: value for name, value in options.items() if name in own},
    )
    progress("count", 1, 1)
    parameters = {**asdict(shared), **parameters, "corpus": material.digest, "left_out": material.left_out}
    arrays["sharpness"] = np.zeros(len(calibration.KNOTS), dtype=np.float32)
    model = Model(method, labels, parameters, arrays)
    # A label of so few lines that none was held out is asked about those it was trained on: better than not at all.
    probes = [out or kept for kept, out in parts]
    arrays["sharpness"] = _inverse_temperature(chosen.reader(model, "", "the new model"), probes, shared)
    progress("calibrate", 1, 1)
    return Model(method, labels, parameters, arrays)


def _inverse_temperature(reader: Any, held_out: list[list[str]], options: PublishedOptions) -> NDArray[np.float32]:
    random = np.random.default_rng(options.seed)
    excerpts = Excerpts(held_out, shortest=4, longest=400, random=random)
    most = max(1, min(_PIECES, _ALL_PIECES // len(held_out)))
    texts, truth = excerpts.draw(np.array([min(most, 4 * len(own)) for own in held_out], dtype=np.int64))
    scores, lengths = reader.similarities(texts)
    letters = lengths > 0
    logs = calibration.fit(scores[letters], lengths[letters], truth[letters])
    inverse_temperature: NDArray[np.float32] = (logs + np.log(options.doubt)).astype(np.float32)
    return inverse_temperature
