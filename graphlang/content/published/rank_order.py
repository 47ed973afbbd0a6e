"""Rank order: Cavnar & Trenkle's method as Hayati 2004 ran it (BASE; section 3.1, formula 0.1, algorithm 3.2).

A language is the ranked list of its C = 399 commonest n-grams, n from 1 to 5; so is a text; and the language whose list
is the fewest places off wins. N-grams wrap round and may cross words. (The paper's example of the 3-grams of
"the quick" lists eight where its rule gives nine: " qu" is missing.) Letters are those of `normalise`: the paper keeps
alphabetic characters and single spaces.

What decides between equal counts: see `count_all.Tally.ranks`. On texts of a few words nearly all counts are equal, so
that there the ranks say little; the paper reports most of BASE's mistakes on them. Probabilities are ours: a calibrated
softmax over 1 - d / (the distance from a list that has nothing in common with the text).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.identifier import Calibrated
from graphlang.content.ngrams.count_all import tally
from graphlang.content.published import out_of_place
from graphlang.content.ngrams.vocabulary import pack_ngrams
from graphlang.content.text.batches import blocks
from graphlang.content.text.normalise import normalise
from graphlang.modelfile import Model, ModelError, take

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ORDERS = (1, 2, 3, 4, 5)
SIZE = 399


def build(lines: Sequence[Sequence[str]], *, features: int = SIZE) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays and parameters of a model from each language's lines.

    The lines of a language are read as one text: an n-gram may cross from one into the next.

    Args:
        lines: Of each language its lines.
        features: N-grams of a profile.
    """
    lists = []
    for own in lines:
        text = " ".join(own)
        letters = normalise([text], limit=len(text) + 1, margin=max(ORDERS) - 1, closed=False)
        lists.append(out_of_place.ranked(letters, ORDERS, features))
    vocabulary, table = out_of_place.pack(lists, features)
    return {"ngrams": pack_ngrams(vocabulary), "ranks": table}, {"features": features, "orders": list(ORDERS), "closed": False}


class RankOrder(Calibrated):
    """The method with its model."""

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "rank-order") -> None:
        super().__init__(model, digest, source, name=name)
        self.lists = rank_lists(model, source, encoding="utf-8", fixed=False)

    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """1 - distance / worst distance of each text and language, (texts, labels); and the length of each text."""
        scores = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        lengths = np.zeros(len(texts), dtype=np.int64)
        for start, stop in blocks(texts, limit=self.limit):
            letters = normalise(texts[start:stop], limit=self.limit, margin=max(ORDERS) - 1, closed=self.closed)
            scores[start:stop] = closeness(self.lists, tally(letters, ORDERS))
            lengths[start:stop] = letters.lengths
        return scores, lengths


def closeness(lists: out_of_place.RankLists, counted: Any) -> NDArray[np.float32]:
    """1 for equal lists, 0 for nothing in common; below 0 where formula 0.1 charges more for having an n-gram.

    Args:
        lists: Of the languages.
        counted: The n-grams of a batch (`Tally`).
    """
    distances, worst = lists.distances(counted)
    return (1 - distances / np.maximum(worst, 1)[:, None]).astype(np.float32)


def rank_lists(model: Model, source: str, *, encoding: str, fixed: bool) -> out_of_place.RankLists:
    """The ranked lists of a model.

    Args:
        model: What the file holds.
        source: For messages.
        encoding: Of its n-grams: ``utf-8`` or ``latin-1``.
        fixed: As `out_of_place.RankLists` has it.

    Raises:
        ModelError: they are missing or damaged.
    """
    table = take(model, "ranks", "i", (len(model.labels), None), source)
    packed = take(model, "ngrams", "u", (None,), source)
    try:
        vocabulary = packed.tobytes().decode(encoding).split("\n")
        return out_of_place.RankLists(vocabulary, table.astype(np.int32), fixed=fixed)
    except ValueError as error:
        raise ModelError(f"{source}: its ranked n-grams are damaged ({error})") from error
