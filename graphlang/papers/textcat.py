"""TextCat on UTF-8 bytes, as the ClueWeb09 crawl used it ("Language Identification", ClueWeb09).

"A uniform UTF-8 encoding is used" for training and for the pages. The statistics are those of Cavnar & Trenkle over
bytes: the commonest n-grams of 1 to 5 bytes, and the sum of the differences of their ranks. The crawl used 600 features
per language; the default of TextCat, and of this module, is 400.

The page does not define the rest. Here digits and white space separate words, n-grams stay within a word and the spaces
around it, capitals and punctuation stay, and an n-gram that a language lacks costs a fixed maximum (see `rank_order`).
Equal counts are ordered by `count_all.Tally.rank_ngrams`; TextCat leaves them to chance. TextCat has no probabilities;
here they are a calibrated softmax.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.identifier import Calibrated
from graphlang.content.ngrams import bytes_input
from graphlang.content.ngrams.count_all import tally
from graphlang.content.text.normalise import cut_blocks, normalise
from graphlang.papers import rank_order
from graphlang.papers.byte_profiles import choose_best
from graphlang.papers.rank_order import compute_closeness, read_rank_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.modelfile import Model


ORDERS = (1, 2, 3, 4, 5)
SIZE = 400
_BLANK = bytes_input.WHITE + bytes_input.DIGITS


def build(lines: Sequence[Sequence[str]], *, features: int = SIZE) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Build the arrays and parameters of a model from the lines of each language."""
    lists = []
    for language_lines in lines:
        data = "\n".join(language_lines).encode("utf-8", "replace")
        lists.append(
            rank_order.rank_ngrams(
                bytes_input.make_rows([data], limit=len(data), blank=_BLANK), ORDERS, features, with_words=True
            )
        )
    vocabulary, table = rank_order.pack_lists(lists, features)
    arrays: dict[str, NDArray[Any]] = {
        "ngrams": np.frombuffer("\n".join(vocabulary).encode("latin-1"), dtype=np.uint8),
        "ranks": table,
    }
    return arrays, {"features": features, "orders": list(ORDERS), "closed": True}


class TextCat(Calibrated):
    """The method with its model."""

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "") -> None:
        super().__init__(model, digest, source, name=name)
        self.lists = read_rank_lists(model, source, encoding="latin-1", fixed=True)

    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Compute 1 - distance / worst distance, (texts, labels), and the letters of each text, (texts,)."""
        scores = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        lengths = np.zeros(len(texts), dtype=np.int64)
        for start, stop in cut_blocks(texts, limit=self.limit, characters=1 << 15):
            lengths[start:stop] = normalise(texts[start:stop], limit=self.limit).lengths
            scores[start:stop] = self._measure_closeness(
                [text.encode("utf-8", "replace") for text in texts[start:stop]]
            )
        return scores, lengths

    def identify_bytes(self, data: Sequence[bytes]) -> tuple[NDArray[np.int16], NDArray[np.float32], list[str | None]]:
        """Identify byte strings, read as UTF-8: label, probability and encoding.

        Strings without a letter have the label -1, the probability 0 and the encoding None.
        """
        best, score = choose_best(self.probabilities([item.decode("utf-8", "replace") for item in data]))
        return best, score, ["utf-8" if label >= 0 else None for label in best.tolist()]

    def _measure_closeness(self, data: Sequence[bytes]) -> NDArray[np.float32]:
        read = bytes_input.make_rows(data, limit=4 * self.limit, blank=_BLANK)
        return compute_closeness(self.lists, tally(read, ORDERS, within_words=True))
