"""Add, replace and remove single profiles of a byte model while all others keep theirs (Zavarsky et al. 2005, 2.2).

A profile is made from its own text alone, so a model of hundreds grows by one without the training text of the rest.
The calibration stays what it was: it was fitted on how near texts come to the profiles of their own languages, which
one more profile hardly moves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.codes import languages
from graphlang.content import speaker_prior
from graphlang.content.published.bytes import byte_trigrams, profiles, quadgrams
from graphlang.content.training import corpus
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphlang.codes.wanted import Wanted
    from graphlang.content.published.bytes.profiles import Profile
    from graphlang.modelfile import Model


class _Shape(NamedTuple):
    order: int
    edges: bool


_SHAPES = {
    "quadgrams": _Shape(quadgrams.ORDER, quadgrams.Quadgrams.edges),
    "byte-trigrams": _Shape(byte_trigrams.ORDER, byte_trigrams.ByteTrigrams.edges),
}
METHODS = tuple(_SHAPES)  #: whose models hold a profile for each language and encoding


class Amended(NamedTuple):
    """A model, and what became of its profiles."""

    model: Model
    made: list[Profile]
    removed: list[Profile]  #: those that were replaced included


def amended(
    model: Model, *, folder: Path | None = None, remove: Sequence[str] = (), only: Sequence[Wanted] = ()
) -> Amended:
    """A model with profiles of the languages in a folder, in the place of those it had, and without some others.

    Args:
        model: of `quadgrams` or `byte-trigrams`.
        folder: one sub-folder per language of UTF-8 text files; one language is enough.
        remove: labels, each with all its encodings, or with one as in ``rus:koi8-r``.
        only: languages of the model that stay, with those of the folder; all if empty.

    Raises:
        ModelError: another method's model; a corpus that cannot be used; nothing of that name to remove; no profile
            would be left.
    """
    shape = _SHAPES.get(model.method)
    if shape is None:
        raise ModelError(f"{model.method}: only models of {' and '.join(METHODS)} hold profiles that stand alone")
    had = profiles.unpack(model, "the model")
    gone = {own.key for own in had for name in remove if name in {own.label, f"{own.label}:{own.encoding}"}}
    for name in remove:
        if not any(name in {label, f"{label}:{encoding}"} for label, encoding in gone):
            raise ModelError(f"{name}: no profile of the model (LABEL, or LABEL:ENCODING)")
    for one in only:
        if not any(one.takes(*languages.split(own.label)) for own in had):
            raise ModelError(f"{one.language}: no profile of the model")
    if only:
        gone |= {own.key for own in had if not any(one.takes(*languages.split(own.label)) for one in only)}
    made: list[Profile] = []
    parameters: dict[str, Any] = dict(model.parameters)
    if folder is not None:
        material = _material(folder, model)
        size = model.parameters.get("features")
        if size is not None and (type(size) is not int or size < 1):
            raise ModelError("the model does not say of how many n-grams its profiles are")
        made = profiles.of_lines(
            tuple(material.lines),
            list(material.lines.values()),
            order=shape.order,
            size=size,
            edges=shape.edges,
        )
        gone |= {own.key for own in had if own.label in material.lines}
        added = model.parameters.get("added")
        parameters["added"] = [*(added if isinstance(added, list) else []), material.digest]
    kept = [own for own in had if own.key not in gone]
    if not kept and not made:
        raise ModelError("no profile would be left in the model")
    return Amended(
        replace(profiles.repacked(model, [*kept, *made]), parameters=parameters),
        made,
        [own for own in had if own.key in gone],
    )


def _material(folder: Path, model: Model) -> corpus.Corpus:
    minimum, maximum = model.parameters.get("minimum"), model.parameters.get("maximum")
    if type(minimum) is not int or type(maximum) is not int:
        raise ModelError("the model does not say how much text its profiles were made of")
    material = corpus.read(
        folder,
        label=languages.label,
        minimum=lambda label: minimum // (2 if speaker_prior.speakers(label) else 1),
        maximum=maximum,
        least=1,
    )
    if material.left_out:
        words = ", ".join(f"{name} ({size:,} characters)" for name, size in sorted(material.left_out.items()))
        raise ModelError(f"{folder}: no known language, or less than {minimum:,} characters: {words}")
    return material
