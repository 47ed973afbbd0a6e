"""Train the methods of papers that read text or bytes, and edit the profiles of byte models.

A byte profile is made from the text of its language only, so profiles can be added or removed without the training text
of the others (Zavarsky et al. 2005, section 2.2). The calibration stays: it was fitted to the similarity of texts to
the profile of their language, which one more profile changes little.
"""

from __future__ import annotations

import inspect
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphlang.codes import languages
from graphlang.content import calibration, speaker_prior
from graphlang.modelfile import Model, ModelError
from graphlang.papers import byte_profiles, byte_trigrams, martins_silva, quadgrams, rank_order, textcat
from graphlang.training import corpus
from graphlang.training.excerpts import Excerpts
from graphlang.training.training_options import Range, check_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphlang.codes.languages import LanguageChoice
    from graphlang.papers.byte_profiles import ByteProfile

    Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedOptions:
    """The options that all methods of papers have."""

    minimum: int = 8_000  #: characters of a label; half is enough if CLDR lists it as official or widely used somewhere
    maximum: int = 400_000  #: characters of a label that are used
    limit: int = 10_000  #: characters of a text that identification reads
    held_out: int = 10  #: one line in this number is held out for calibration
    doubt: float = 0.85  #: factor on the fitted inverse temperature: held-out lines are easier than the web
    seed: int = 2004  #: of all random draws


@dataclass(frozen=True, slots=True)
class _Trainer:
    build: Callable[..., tuple[dict[str, NDArray[Any]], dict[str, Any]]]
    reader: Callable[[Model, str, str], Any]
    defaults: PublishedOptions = PublishedOptions()


TRAINERS = {
    "rank-order": _Trainer(rank_order.build, rank_order.RankOrder),
    "textcat": _Trainer(textcat.build, textcat.TextCat),
    "quadgrams": _Trainer(quadgrams.build, quadgrams.Quadgrams, PublishedOptions(maximum=100_000)),
    "byte-trigrams": _Trainer(byte_trigrams.build, byte_trigrams.ByteTrigrams, PublishedOptions(maximum=20_000)),
    "martins-silva": _Trainer(martins_silva.build, martins_silva.MartinsSilva),
}
_RULES = {
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
_MOST_EXCERPTS = 400  # of each label, for calibration
_MOST_EXCERPTS_TOTAL = 20_000


def train_paper(folder: Path, *, method: str, progress: Progress, options: dict[str, Any]) -> Model:
    """Train one of `TRAINERS`.

    Raise a ModelError for an unknown option, a value out of range, or a corpus that cannot be used.
    """
    chosen = TRAINERS[method]
    common = {field.name for field in fields(PublishedOptions)}
    signature = inspect.signature(chosen.build).parameters
    method_options = {name for name in signature if name not in {"labels", "lines"}}
    check_options(options, {name: _RULES[name] for name in common | method_options}, method=method)
    shared = PublishedOptions(**{**asdict(chosen.defaults), **{k: v for k, v in options.items() if k in common}})
    material = corpus.read_corpus(
        folder,
        label=languages.label,
        minimum=lambda label: shared.minimum // (2 if speaker_prior.count_speakers(label) else 1),
        maximum=shared.maximum,
    )
    progress("read", len(material.lines), len(material.lines))
    labels = tuple(sorted(material.lines))
    parts = [corpus.hold_out(material.lines[label], shared.held_out) for label in labels]
    arguments = {"labels": labels, "lines": [training_lines for training_lines, _ in parts]}
    arrays, parameters = chosen.build(
        **{name: value for name, value in arguments.items() if name in signature},
        **{name: value for name, value in options.items() if name in method_options},
    )
    progress("count", 1, 1)
    parameters = {**asdict(shared), **parameters, "corpus": material.digest, "left_out": material.left_out}
    arrays["sharpness"] = np.zeros(len(calibration.KNOTS), dtype=np.float32)
    model = Model(method, labels, parameters, arrays)
    # A label with too few lines to hold one out is calibrated on its training lines.
    probes = [out or training_lines for training_lines, out in parts]
    arrays["sharpness"] = _calibrate(chosen.reader(model, "", "the new model"), probes, shared)
    progress("calibrate", 1, 1)
    return Model(method, labels, parameters, arrays)


def _calibrate(reader: Any, held_out: list[list[str]], options: PublishedOptions) -> NDArray[np.float32]:
    random = np.random.default_rng(options.seed)
    excerpts = Excerpts(held_out, shortest=4, longest=400, random=random)
    limit = max(1, min(_MOST_EXCERPTS, _MOST_EXCERPTS_TOTAL // len(held_out)))
    texts, truth = excerpts.draw(np.array([min(limit, 4 * len(lines)) for lines in held_out], dtype=np.int64))
    scores, lengths = reader.similarities(texts)
    letters = lengths > 0
    logs = calibration.fit_inverse_temperature(scores[letters], lengths[letters], truth[letters])
    inverse_temperature: NDArray[np.float32] = (logs + np.log(options.doubt)).astype(np.float32)
    return inverse_temperature


class _Shape(NamedTuple):
    order: int
    edges: bool


_SHAPES = {
    "quadgrams": _Shape(quadgrams.ORDER, quadgrams.Quadgrams.edges),
    "byte-trigrams": _Shape(byte_trigrams.ORDER, byte_trigrams.ByteTrigrams.edges),
}
PROFILE_METHODS = tuple(_SHAPES)  #: whose models hold a profile for each language and encoding


class EditedModel(NamedTuple):
    """A model with its profiles edited."""

    model: Model
    added: list[ByteProfile]
    removed: list[ByteProfile]  #: replaced ones included


def edit_profiles(
    model: Model, *, folder: Path | None = None, remove: Sequence[str] = (), only: Sequence[LanguageChoice] = ()
) -> EditedModel:
    """Add or replace profiles of a model of `quadgrams` or `byte-trigrams`, and remove others.

    The folder has one sub-folder of UTF-8 text files per new language. `remove` has labels, which mean all their
    encodings, or single profiles such as ``rus:koi8-r``. Of the languages of the model, those in `only` stay (all if
    empty). Raise a ModelError for a model of another method, a corpus that cannot be used, an unknown name to remove,
    or if no profile would remain.
    """
    shape = _SHAPES.get(model.method)
    if shape is None:
        raise ModelError(
            f"{model.method}: only models of {' and '.join(PROFILE_METHODS)} hold profiles that stand alone"
        )
    profiles = byte_profiles.unpack_profiles(model, "the model")
    dropped = {
        profile.key
        for profile in profiles
        for name in remove
        if name in {profile.label, f"{profile.label}:{profile.encoding}"}
    }
    for name in remove:
        if not any(name in {label, f"{label}:{encoding}"} for label, encoding in dropped):
            raise ModelError(f"{name}: no profile of the model (LABEL, or LABEL:ENCODING)")
    for choice in only:
        if not any(choice.includes(*languages.split_label(profile.label)) for profile in profiles):
            raise ModelError(f"{choice.language}: no profile of the model")
    if only:
        dropped |= {
            profile.key
            for profile in profiles
            if not any(choice.includes(*languages.split_label(profile.label)) for choice in only)
        }
    new_profiles: list[ByteProfile] = []
    parameters: dict[str, Any] = dict(model.parameters)
    if folder is not None:
        material = _read_corpus(folder, model)
        size = model.parameters.get("features")
        if size is not None and (type(size) is not int or size < 1):
            raise ModelError("the model lacks the number of n-grams of a profile (features)")
        new_profiles = byte_profiles.make_profiles(
            tuple(material.lines),
            list(material.lines.values()),
            order=shape.order,
            size=size,
            edges=shape.edges,
        )
        dropped |= {profile.key for profile in profiles if profile.label in material.lines}
        added = model.parameters.get("added")
        parameters["added"] = [*(added if isinstance(added, list) else []), material.digest]
    unchanged = [profile for profile in profiles if profile.key not in dropped]
    if not unchanged and not new_profiles:
        raise ModelError("no profile would be left in the model")
    return EditedModel(
        replace(byte_profiles.replace_profiles(model, [*unchanged, *new_profiles]), parameters=parameters),
        new_profiles,
        [profile for profile in profiles if profile.key in dropped],
    )


def _read_corpus(folder: Path, model: Model) -> corpus.Corpus:
    minimum, maximum = model.parameters.get("minimum"), model.parameters.get("maximum")
    if type(minimum) is not int or type(maximum) is not int:
        raise ModelError("the model lacks the amount of text of a profile (minimum, maximum)")
    material = corpus.read_corpus(
        folder,
        label=languages.label,
        minimum=lambda label: minimum // (2 if speaker_prior.count_speakers(label) else 1),
        maximum=maximum,
        least_labels=1,
    )
    if material.left_out:
        rejected = ", ".join(f"{name} ({size:,} characters)" for name, size in sorted(material.left_out.items()))
        raise ModelError(f"{folder}: no known language, or less than {minimum:,} characters: {rejected}")
    return material
