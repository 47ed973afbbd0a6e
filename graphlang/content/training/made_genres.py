"""Genres of training text that are made: lines of the words of a list, and lines without their diacritics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.content.text.scripts import EAST_ASIA, LATIN, registry
from graphlang.content.training import strip_diacritics, word_lists
from graphlang.content.training.discriminative import fit
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from graphlang.content.training.options import TrainingOptions


def add(
    texts: Sequence[dict[str, list[str]]],
    labels: Sequence[str],
    words: Path | None,
    options: TrainingOptions,
    random: np.random.Generator,
    *,
    others: Mapping[str, int] | None = None,
) -> dict[str, dict[str, int]]:
    """Add the genres that are made of the lines and of word lists; in place.

    Args:
        texts: Training lines of each label by genre.
        labels: Their names.
        words: A folder of word lists (`word_lists.read`), or none.
        options: How much of each there is to be.
        random: Draws come from it.
        others: The script of each label that a model has already: their lists say which words are foreign.

    Returns:
        Of each label of which there are lines of words its list: the words, and how often each occurs.

    Raises:
        ModelError: there are lists, and none of these labels.
    """
    every = [[line for own in genres.values() for line in own] for genres in texts]
    scripts = [fit.main_script(own) for own in every]
    lists: dict[str, dict[str, int]] = {}
    if words is not None:
        lists = word_lists.read(words, {**(others or {}), **dict(zip(labels, scripts, strict=True))})
        if not lists.keys() & set(labels):
            raise ModelError(f"{words}: no list of words of {', '.join(labels)}")
    drawn = word_lists.lines(lists, characters=options.words_size, random=random, wanted=labels)
    mixed = {
        label: own
        for label, own, script in zip(labels, every, scripts, strict=True)
        if registry.name(script) == EAST_ASIA
    }
    drawn |= word_lists.native({label: own for label, own in drawn.items() if label in mixed}, mixed)
    for label, script, genres, own in zip(labels, scripts, texts, every, strict=True):
        made = {word_lists.GENRE: drawn.get(label, [])}
        if script == LATIN:
            made[strip_diacritics.GENRE] = strip_diacritics.lines(own, options.bare, options.bare_least, random)
        for genre, some in made.items():
            if some:  # beside what stands in files of that name
                genres[genre] = [*genres.get(genre, ()), *some]
    return {label: lists[label] for label in drawn}
