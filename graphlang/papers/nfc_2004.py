"""NFC as published: n-grams, Fisher discriminant, cosine (Hayati 2004, section 4, algorithm 4.5).

Trigrams that wrap round, the 1000 with the greatest discriminant (0.5), one vector of unit length per language (0.6,
0.7), and the label whose vector has the greatest inner product with that of the text (0.8, section 4.3).

The paper contradicts itself: formula 0.8 divides by the length of the text's vector over all n-grams, step 2 of the
algorithm by its length over the 1000. The order of the answers is the same. Step 2 is used here, because it is a true
cosine. For the denominators of 0.5 and the choice of documents see `graphlang.training.fisher`. The paper has no
probabilities; here they are a calibrated softmax over the cosines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.identifier import Calibrated
from graphlang.content.ngrams.vocabulary import Vocabulary, read_vocabulary
from graphlang.content.text.normalise import normalise
from graphlang.content.text.scripts import registry
from graphlang.modelfile import Model, ModelError, take_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def compute_reference_vectors(counts: NDArray[np.integer]) -> NDArray[np.float32]:
    """Compute the representative vectors r_i (0.6 and 0.7) from the counts of each feature in each language.

    The sum of |d| in 0.6 cancels when 0.7 gives the vector length 1. A language without any feature has zeros.

    >>> compute_reference_vectors(np.array([[3, 4], [0, 0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    shares = counts.astype(np.float64)
    norms = np.sqrt((shares**2).sum(axis=1, keepdims=True))
    vectors: NDArray[np.float32] = (shares / np.maximum(norms, 1)).astype(np.float32)
    return vectors


def count_features(vocabulary: Vocabulary, documents: Sequence[str], *, limit: int, closed: bool) -> NDArray[np.int32]:
    """Count each feature of the vocabulary in all documents together."""
    letters = normalise(documents, limit=limit, margin=vocabulary.margin, closed=closed)
    features, _ = vocabulary.find(letters)
    counts: NDArray[np.int32] = np.bincount(features, minlength=len(vocabulary)).astype(np.int32)
    return counts


class Nfc2004(Calibrated):
    """The published method and its model."""

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "") -> None:
        super().__init__(model, digest, source, name=name)
        self.vocabulary = read_vocabulary(model, source)
        vectors = take_array(model, "vectors", "f", (len(model.labels), len(self.vocabulary)), source)
        if vectors.min(initial=0) < 0 or vectors.max(initial=0) > 1:  # shares of a vector whose length is 1
            raise ModelError(f"{source}: its vectors do not have length 1")
        self._vectors = np.ascontiguousarray(vectors.T, dtype=np.float32)
        letters = set("".join(self.vocabulary.ngrams)) - {" "}
        self._scripts = np.array(sorted({registry.restricted(ord(letter)) for letter in letters}), dtype=np.uint8)

    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Compute the cosine of each text and language, (texts, labels), and the length of each text.

        The length is 0 for a text in a script without features: its names in another script are no evidence.
        """
        letters = normalise(texts, limit=self.limit, margin=self.vocabulary.margin, closed=self.closed)
        counts = self.vocabulary.count(letters).astype(np.float32)
        norms = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float32))
        products = counts @ self._vectors
        products /= np.maximum(norms, 1)[:, None]
        if not len(self._scripts):
            return products, letters.lengths
        scripts = normalise(texts, limit=self.limit, one_script=True).scripts
        return products, np.where(np.isin(scripts, self._scripts), letters.lengths, 0)
