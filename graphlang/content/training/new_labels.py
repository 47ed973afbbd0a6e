"""The text of labels that are added to a model (`extend`): read, refused where it must be, parted, and told of."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.codes import languages
from graphlang.content.text.normalise import normalise
from graphlang.content.text.scripts import registry
from graphlang.content.training import corpus, made_genres
from graphlang.modelfile import Model, ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphlang.content.training.options import TrainingOptions

MINIMUM = 2_000  #: characters of a label, at least
FILES = 20  #: of a label, whose names are kept
#: Of so many lines one is held out where relatives are given: not of ten, as in training, by which the lines of a
#: folder may have been parted before.
HELD_OUT = 11
MIXED = 0.1  #: share of a label's letters in a second script from which on the folder is refused


@dataclass(frozen=True, slots=True)
class NewLabels:
    """Text of new labels.

    Attributes:
        given: Lines of each label by genre, as they were read.
        genres: These, and what is made of them.
        scripts: The name of each label's script.
    """

    given: dict[str, dict[str, list[str]]]
    genres: dict[str, dict[str, list[str]]]
    scripts: dict[str, str]

    @property
    def lines(self) -> dict[str, list[str]]:
        """All lines of each label."""
        return {label: _joined(own) for label, own in self.genres.items()}

    def parted(self) -> tuple[NewLabels, dict[str, list[str]]]:
        """The same without one line in `HELD_OUT`, before anything is made of them; and these lines, by label.

        Raises:
            ModelError: a label has too few lines.
        """
        kept, out = {}, {}
        for label, genres in self.given.items():
            stays, out[label] = corpus.held_out(tuple(_joined(genres)), HELD_OUT)
            if not out[label]:
                raise ModelError(f"{label}: too few lines to hold some of them back, as relatives need it")
            chosen = set(stays)
            kept[label] = {genre: [line for line in lines if line in chosen] for genre, lines in genres.items()}
        return NewLabels(kept, {label: dict(genres) for label, genres in kept.items()}, self.scripts), out

    def add(self, words: Path | None, options: TrainingOptions, others: Mapping[str, int]) -> None:
        """Add the genres that are made.

        Args:
            words: a folder of word lists, or none.
            options: how much of each there is to be.
            others: the script of each label that the model has already.
        """
        random = np.random.default_rng(options.seed)
        made_genres.add(list(self.genres.values()), tuple(self.genres), words, options, random, others=others)

    def source(self, label: str, folders: Sequence[Path]) -> dict[str, Any]:
        """What the model keeps of the text of a label: how much, its digest, the names of its files.

        The digest is that of what was read; how much was made of it, and of lists of words, is told by genre.

        Args:
            label: one of them.
            folders: those that the text was read from.
        """
        lines = _joined(self.given[label])
        names = [
            str(file.relative_to(folder))
            for folder in folders
            for sub in sorted(folder.iterdir())
            if sub.is_dir() and languages.label(sub.name) == label
            for file in sorted(sub.glob("*.txt"))
        ]
        text = "\n".join(lines).encode("utf-8", "surrogatepass")
        given = self.given[label]
        made = {
            genre: more
            for genre, own in sorted(self.genres[label].items())
            if (more := sum(map(len, own)) - sum(map(len, given.get(genre, ()))))
        }
        told: dict[str, Any] = {
            "characters": sum(map(len, lines)),
            "sha256": hashlib.sha256(text).hexdigest(),
            "files": names[:FILES],
            "more_files": len(names[FILES:]),
        }
        return told | ({"made": made} if made else {})


def read(folder: Path, base: Model, messages: Sequence[Path], *, replace: bool) -> NewLabels:
    """The text of the labels of a folder.

    Args:
        folder: As `extend.extend` takes it.
        base: The model that they are added to.
        messages: As `extend.extend` takes them.
        replace: Whether labels that the base has may be among them.

    Raises:
        ModelError: a folder that is empty, or has a sub-folder of no known language, of a label that the base has
            (unless `replace`), of too little text, or of text in two scripts.
    """
    wanted = {known for sub in folder.iterdir() if sub.is_dir() and (known := languages.label(sub.name))}
    found = corpus.read(
        folder,
        label=languages.label,
        minimum=lambda _: MINIMUM,
        maximum=base.parameters.get("maximum", 400_000),
        least=1,
        messages=messages,
        only=wanted,
    )
    for name, size in sorted(found.left_out.items()):
        if size:
            raise ModelError(f"{folder}: {name} has {size:,} characters of text, and {MINIMUM:,} are needed")
        if languages.label(name) is None:
            raise ModelError(f"{folder}: {name} is the code of no known language")
        raise ModelError(f"{folder}: {name} has no text")
    if not found.lines:
        raise ModelError(f"{folder}: no sub-folders of UTF-8 .txt files")
    if not replace and (taken := sorted(set(found.lines) & set(base.labels))):
        raise ModelError(f"{folder}: the model has {', '.join(taken)} already")
    scripts = {label: _script(label, lines) for label, lines in found.lines.items()}
    genres = {label: _in_script(found.by_genre(label), script) for label, script in scripts.items()}
    given = {label: dict(own) for label, own in genres.items()}
    return NewLabels(given, genres, {label: registry.name(number) for label, number in scripts.items()})


def beside_them(folder: Path, base: Model, given: NewLabels) -> dict[str, tuple[str, ...]]:
    """Lines of labels that a model has and that stay.

    Args:
        folder: As `extend.extend` takes `relatives`.
        base: The model.
        given: The new labels.

    Raises:
        ModelError: a label that the model does not have, that is new, or without text.
    """
    found = corpus.read(
        folder,
        label=languages.label,
        minimum=lambda _: 0,
        maximum=base.parameters.get("maximum", 400_000),
        least=1,
        one_script=True,
    )
    for name in (*found.left_out, *found.lines):
        if name not in base.labels or name in given.given:
            raise ModelError(f"{folder}: {name} is no language that the model has and keeps")
    if found.left_out:
        raise ModelError(f"{folder}: {min(found.left_out)} has no text")
    return found.lines


def _joined(genres: Mapping[str, Sequence[str]]) -> list[str]:
    return [line for own in genres.values() for line in own]


def _in_script(genres: Mapping[str, Sequence[str]], script: int) -> dict[str, list[str]]:
    kept = {
        genre: [line for line, own in zip(lines, _scripts(lines)[0].tolist(), strict=True) if own == script]
        for genre, lines in genres.items()
    }
    return {genre: lines for genre, lines in kept.items() if lines}


def _scripts(lines: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    letters = normalise(lines, limit=1_000, one_script=True)
    return letters.scripts.astype(np.int64), letters.lengths


def _script(label: str, lines: Sequence[str]) -> int:
    """The number of the script that a label's lines are in.

    Raises:
        ModelError: they are in two, or have no letters.
    """
    scripts, lengths = _scripts(lines)
    sizes = np.bincount(scripts, weights=lengths, minlength=2)
    first, second = np.argsort(-sizes, kind="stable")[:2].tolist()
    if not sizes[first]:
        raise ModelError(f"{label}: its text has no letters")
    if sizes[second] > MIXED * sizes.sum():
        shares = [f"{registry.name(own)} {sizes[own] / sizes.sum():.0%}" for own in (first, second)]
        raise ModelError(f"{label}: its text is in two scripts ({', '.join(shares)}); make a label of each")
    return int(first)
