"""Read the text of new languages, and choose the bias that protects the texts of their relatives.

The weights of a new language come from its counts alone; the other weights were trained against one another. So it wins
some texts of its relatives that it would not win after a full training. Held-out lines of both show how many: its bias
is lowered until no relative loses more than `MOST_LOST` of its texts, or until the new language loses `MOST_GIVEN_UP`
of its texts.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.codes import languages
from graphlang.content.text.normalise import normalise
from graphlang.content.text.scripts import registry
from graphlang.modelfile import Model, ModelError
from graphlang.training import corpus, derived_text
from graphlang.training.excerpts import Excerpts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphlang.content.nfc.model import Discriminative
    from graphlang.training.training_options import TrainingOptions


LEAST_TEXT = 2_000  #: characters of a label
MOST_FILES = 20  #: names of files of a label that the model keeps
#: One line in 11 is held out to compare with relatives: not in 10, as in training, because the folder may come from
#: such a split.
HELD_OUT_EVERY = 11
SECOND_SCRIPT = 0.1  #: largest share of the letters of a label in a second script


@dataclass(frozen=True, slots=True)
class NewText:
    """Text of new labels.

    `sources` has the lines of each label by genre, `genres` also the genres derived from them. `scripts` has the names
    of the scripts.
    """

    sources: dict[str, dict[str, list[str]]]
    genres: dict[str, dict[str, list[str]]]
    scripts: dict[str, str]

    @property
    def lines(self) -> dict[str, list[str]]:
        """All lines of each label."""
        return {label: _join_genres(genres) for label, genres in self.genres.items()}

    def split_held_out(self) -> tuple[NewText, dict[str, list[str]]]:
        """Hold out one line in `HELD_OUT_EVERY`; return the other text without derived genres, and the held-out lines.

        Raise a ModelError if a label has too few lines.
        """
        training, held_out = {}, {}
        for label, genres in self.sources.items():
            chosen, held_out[label] = corpus.hold_out(tuple(_join_genres(genres)), HELD_OUT_EVERY)
            if not held_out[label]:
                raise ModelError(f"{label}: too few lines to hold some out for --relatives")
            in_training = set(chosen)
            training[label] = {
                genre: [line for line in lines if line in in_training] for genre, lines in genres.items()
            }
        return NewText(training, {label: dict(genres) for label, genres in training.items()}, self.scripts), held_out

    def add_derived(self, word_folder: Path | None, options: TrainingOptions, other_scripts: Mapping[str, int]) -> None:
        """Add the derived genres, in place."""
        random = np.random.default_rng(options.seed)
        derived_text.add_derived_text(
            list(self.genres.values()), tuple(self.genres), word_folder, options, random, other_scripts=other_scripts
        )

    def describe_source(self, label: str, folders: Sequence[Path]) -> dict[str, Any]:
        """Describe the text of a label for the model: characters, digest and files, and derived characters by genre."""
        lines = _join_genres(self.sources[label])
        names = [
            str(file.relative_to(folder))
            for folder in folders
            for sub in sorted(folder.iterdir())
            if sub.is_dir() and languages.label(sub.name) == label
            for file in sorted(sub.glob("*.txt"))
        ]
        text = "\n".join(lines).encode("utf-8", "surrogatepass")
        read_lines = self.sources[label]
        derived = {
            genre: derived_size
            for genre, genre_lines in sorted(self.genres[label].items())
            if (derived_size := sum(map(len, genre_lines)) - sum(map(len, read_lines.get(genre, ()))))
        }
        facts: dict[str, Any] = {
            "characters": sum(map(len, lines)),
            "sha256": hashlib.sha256(text).hexdigest(),
            "files": names[:MOST_FILES],
            "more_files": len(names[MOST_FILES:]),
        }
        return facts | ({"made": derived} if derived else {})


def read_new_text(folder: Path, base: Model, messages: Sequence[Path], *, replace: bool) -> NewText:
    """Read the text of new labels from a folder, and from translations of programs.

    Raise a ModelError for an empty folder, or a sub-folder of no known language, with a label of the base (unless
    `replace`), with too little text, or with text in two scripts.
    """
    labels = {code for sub in folder.iterdir() if sub.is_dir() and (code := languages.label(sub.name))}
    texts = corpus.read_corpus(
        folder,
        label=languages.label,
        minimum=lambda _: LEAST_TEXT,
        maximum=base.parameters.get("maximum", 400_000),
        least_labels=1,
        messages=messages,
        only=labels,
    )
    for name, size in sorted(texts.left_out.items()):
        if size:
            raise ModelError(f"{folder}: {name} has {size:,} characters of text, and {LEAST_TEXT:,} are needed")
        if languages.label(name) is None:
            raise ModelError(f"{folder}: {name} is the code of no known language")
        raise ModelError(f"{folder}: {name} has no text")
    if not texts.lines:
        raise ModelError(f"{folder}: no sub-folders of UTF-8 .txt files")
    if not replace and (existing := sorted(set(texts.lines) & set(base.labels))):
        raise ModelError(f"{folder}: the model has {', '.join(existing)} already")
    scripts = {label: _find_script(label, lines) for label, lines in texts.lines.items()}
    genres = {label: _keep_script(texts.group_by_genre(label), script) for label, script in scripts.items()}
    read_lines = {label: dict(label_genres) for label, label_genres in genres.items()}
    return NewText(read_lines, genres, {label: registry.name(number) for label, number in scripts.items()})


def read_relatives(folder: Path, base: Model, new_text: NewText) -> dict[str, tuple[str, ...]]:
    """Read lines of labels that stay in the model.

    Raise a ModelError for a label that the model lacks, that is replaced, or without text.
    """
    texts = corpus.read_corpus(
        folder,
        label=languages.label,
        minimum=lambda _: 0,
        maximum=base.parameters.get("maximum", 400_000),
        least_labels=1,
        one_script=True,
    )
    for name in (*texts.left_out, *texts.lines):
        if name not in base.labels or name in new_text.sources:
            raise ModelError(f"{folder}: {name} is no language that the model has and keeps")
    if texts.left_out:
        raise ModelError(f"{folder}: {min(texts.left_out)} has no text")
    return texts.lines


def _join_genres(genres: Mapping[str, Sequence[str]]) -> list[str]:
    return [line for lines in genres.values() for line in lines]


def _keep_script(genres: Mapping[str, Sequence[str]], script: int) -> dict[str, list[str]]:
    in_script = {
        genre: [
            line
            for line, line_script in zip(lines, _find_line_scripts(lines)[0].tolist(), strict=True)
            if line_script == script
        ]
        for genre, lines in genres.items()
    }
    return {genre: lines for genre, lines in in_script.items() if lines}


def _find_line_scripts(lines: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    letters = normalise(lines, limit=1_000, one_script=True)
    return letters.scripts.astype(np.int64), letters.lengths


def _find_script(label: str, lines: Sequence[str]) -> int:
    """Find the registry number of the script of the lines of a label.

    Raise a ModelError if they are in two scripts or have no letters.
    """
    scripts, lengths = _find_line_scripts(lines)
    sizes = np.bincount(scripts, weights=lengths, minlength=2)
    first, second = np.argsort(-sizes, kind="stable")[:2].tolist()
    if not sizes[first]:
        raise ModelError(f"{label}: its text has no letters")
    if sizes[second] > SECOND_SCRIPT * sizes.sum():
        shares = [f"{registry.name(number)} {sizes[number] / sizes.sum():.0%}" for number in (first, second)]
        raise ModelError(f"{label}: its text is in two scripts ({', '.join(shares)}); make a label of each")
    return int(first)


MOST_LOST: Final = 0.002  #: largest share of its texts that a relative may lose
MOST_GIVEN_UP: Final = 0.01  #: largest share of its texts that a new language may lose to prevent this
BIAS_STEP: Final = 0.25
LEAST_BIAS: Final = -4.0
EXCERPTS: Final = 1_000  #: of each language
SHORTEST_EXCERPT, LONGEST_EXCERPT = 10, 180  #: characters
_BATCH = 5_000  # texts whose scores are in memory at once
NEW_LANGUAGE: Final = -1  #: number of the new language in `Contest.language`


class Contest(NamedTuple):
    """Texts that a new language and its relatives compete for, (texts,).

    `gap` is the score of the new language minus the best other score, `factor` the change of the gap per unit of bias.
    `language` is the number of the relative of each text, or `NEW_LANGUAGE`. `is_known` is True if the best other
    language is correct.
    """

    gap: NDArray[np.float64]
    factor: NDArray[np.float64]
    language: NDArray[np.int64]
    is_known: NDArray[np.bool_]


def choose_bias(texts: Contest) -> float:
    """Choose the bias of a new language, from 0 down to `LEAST_BIAS`.

    >>> contest = Contest(np.array([0.4, 2.0]), np.ones(2), np.array([0, NEW_LANGUAGE]), np.array([True, False]))
    >>> choose_bias(contest), choose_bias(contest._replace(gap=np.array([0.4, 0.4])))
    (-0.5, -0.25)
    """
    is_new = texts.language == NEW_LANGUAGE
    sizes = np.bincount(texts.language[~is_new])
    wins_at_start = int((texts.gap[is_new] > 0).sum())
    bias = 0.0
    while bias > LEAST_BIAS:
        wins = texts.gap + texts.factor * bias > 0
        losses = np.bincount(texts.language[~is_new & wins & texts.is_known], minlength=len(sizes))
        if (losses <= MOST_LOST * sizes).all():
            break
        next_wins = int((texts.gap[is_new] + texts.factor[is_new] * (bias - BIAS_STEP) > 0).sum())
        if wins_at_start - next_wins > MOST_GIVEN_UP * is_new.sum():
            break
        bias -= BIAS_STEP
    return bias


def fit_biases(
    identifier: Discriminative, new: Mapping[str, Sequence[str]], relatives: Mapping[str, Sequence[str]], *, seed: int
) -> dict[str, float]:
    """Fit the bias of each new language to held-out lines of it and lines of its relatives."""
    names = (*new, *relatives)
    excerpts = Excerpts(
        [*new.values(), *relatives.values()],
        shortest=SHORTEST_EXCERPT,
        longest=LONGEST_EXCERPT,
        random=np.random.default_rng(seed),
    )
    texts, language = excerpts.draw(np.full(len(names), EXCERPTS, dtype=np.int64))
    truth = np.array([identifier.labels.index(name) for name in names])[language]
    biases = {}
    for number, name in enumerate(new):
        contest = _contest_texts(identifier, texts, truth, identifier.labels.index(name))
        is_contender = (language == number) | (language >= len(new))
        numbers = np.where(language == number, NEW_LANGUAGE, language - len(new))
        biases[name] = choose_bias(Contest(*(values[is_contender] for values in contest._replace(language=numbers))))
    return biases


def _contest_texts(identifier: Discriminative, texts: Sequence[str], truth: NDArray[np.int64], label: int) -> Contest:
    """Compare the score of a label with the best other one in each text; in another script the label never wins."""
    gap, factor = np.full(len(texts), -np.inf), np.zeros(len(texts))
    is_known = np.zeros(len(texts), dtype=np.bool_)
    script = identifier.parts.weights.find_scripts(np.array([label]))[0]
    inverse_temperature = identifier.parts.scores.inverse_temperature[script]
    for begin in range(0, len(texts), _BATCH):
        for rows, columns, scores, lengths in identifier.measure(texts[begin : begin + _BATCH]):
            first, last, _ = columns.indices(len(identifier.labels))
            if not first <= label < last or last - first == 1 or columns == slice(None):
                continue
            other_scores = np.delete(scores, label - first, axis=1)
            best = other_scores.argmax(axis=1)
            gap[begin + rows] = scores[:, label - first] - other_scores.max(axis=1)
            factor[begin + rows] = inverse_temperature[np.minimum(lengths, len(inverse_temperature) - 1)]
            is_known[begin + rows] = best + first + (best >= label - first) == truth[begin + rows]
    return Contest(gap, factor, truth, is_known)
