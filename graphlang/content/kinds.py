"""Training text by kind: what pieces are drawn from, and how much a kind alone says of the language.

A corpus has sentences read aloud for one language, newspapers for another, and for a third nothing but the messages of
a program. A classifier that is left alone learns the kind instead of the language: it takes all newspapers for the
language whose newspapers it has seen. So each piece is drawn together with its kind, and training is told beforehand
how likely each language is among the pieces of that kind (a product of experts with a fixed one: Clark, Yatskar &
Zettlemoyer 2019, "Don't Take the Easy Way Out"). What the kind explains, the n-grams need not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.cuts import Cuts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

LEAST = -4.0  # log of the chance of a language, beside the likeliest, that has no text of a kind


class Kinds:
    """Draws pieces of lines for every language, and says of which kind each is.

    Args:
        texts: Per language its lines by kind.
        numbers: Pieces of each language in one draw.
        shares: The part of a language's pieces that are of some kinds, wherever it has them; of the other kinds they
            are in proportion to their text.
        shortest: Characters of the shortest piece.
        longest: Characters of the longest piece.
        random: The source of chance.

    Attributes:
        offsets: Log of the chance of each language beside the likeliest one, (kinds, languages).
    """

    def __init__(
        self,
        texts: Sequence[Mapping[str, Sequence[str]]],
        numbers: NDArray[np.int64],
        *,
        shares: Mapping[str, float],
        shortest: int,
        longest: int,
        random: np.random.Generator,
    ) -> None:
        names = sorted({kind for own in texts for kind in own})
        size = np.array([[sum(map(len, own.get(kind, ()))) for kind in names] for own in texts], dtype=np.float64)
        for kind, share in shares.items():
            if kind in names:
                column = names.index(kind)
                rest = size.sum(axis=1) - size[:, column]
                has = (size[:, column] > 0) & (rest > 0)
                size[has, column] = rest[has] * share / (1 - share)
        part = size / np.maximum(size.sum(axis=1, keepdims=True), 1)
        self._numbers = np.rint(part * numbers[:, None]).astype(np.int64)
        most = (np.arange(len(part)), part.argmax(axis=1))
        self._numbers[most] = np.maximum(self._numbers[most], numbers > 0)
        self._cuts = [
            Cuts([own.get(kind, ()) for own in texts], shortest=shortest, longest=longest, random=random)
            for kind in names
        ]
        self._random = random
        logs = np.log(np.maximum(self._numbers, 1e-9))
        logs = np.maximum(logs - logs.max(axis=0), LEAST)
        self.offsets = np.ascontiguousarray(logs.T, dtype=np.float32)

    def draw(self) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
        """Pieces in mixed order, the language of each and the kind of each."""
        texts: list[str] = []
        truths, kinds = [], []
        for kind, cuts in enumerate(self._cuts):
            some, truth = cuts.draw(self._numbers[:, kind])
            texts += some
            truths.append(truth)
            kinds.append(np.full(len(truth), kind))
        truth, kind_of = np.concatenate(truths), np.concatenate(kinds)
        order = self._random.permutation(len(truth))
        return [texts[i] for i in order.tolist()], truth[order], kind_of[order]
