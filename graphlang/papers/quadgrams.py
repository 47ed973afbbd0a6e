"""Quad-gram profiles of languages and encodings, vector distance (Zavarsky, Mikami & Wada 2005, section 2.2).

"A quad-gram profile is build for each valid web page ... and a vector distance measure between the input profile and
the built-in profile is calculated. The best match has the shortest distance." The quad-grams are of bytes, because a
profile is of one encoding.

The paper specifies neither the measure nor the size of a profile (its program was a product). Here a profile is the
vector of the counts of the `features` commonest quad-grams. Vectors have unit length, and the distance is Euclidean,
sqrt(2 - 2 cos), from 0 to sqrt 2. The paper has no probabilities: here they are a calibrated softmax over
1 - distance / sqrt 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.papers import byte_profiles
from graphlang.papers.byte_profiles import ByteIdentifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.ngrams.count_all import Tally
    from graphlang.papers.byte_profiles import ByteProfile, ProfileIndex


ORDER = 4
SIZE = 2_000


def build(
    labels: Sequence[str], lines: Sequence[Sequence[str]], *, features: int = SIZE
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Build the arrays and parameters of a model from the lines of each label."""
    profiles = byte_profiles.make_profiles(labels, lines, order=ORDER, size=features, edges=True)
    _, arrays = byte_profiles.pack_profiles(profiles, counts=True)
    return arrays, {"features": features, "closed": True}


class Quadgrams(ByteIdentifier):
    """The method with its model."""

    order = ORDER
    edges = True

    def make_values(self, profiles: Sequence[ByteProfile]) -> list[NDArray[np.float32]]:
        """Make vectors of unit length."""
        counts = [profile.counts.astype(np.float64) for profile in profiles]
        return [(vector / max(float(np.sqrt((vector**2).sum())), 1.0)).astype(np.float32) for vector in counts]

    def measure_closeness(self, counted: Tally, index: ProfileIndex) -> NDArray[np.float32]:
        """Compute 1 - distance / sqrt 2."""
        squares = np.bincount(counted.row, weights=counted.count.astype(np.float64) ** 2, minlength=len(counted.totals))
        norms = np.sqrt(np.maximum(squares, 1)).astype(np.float32)
        cosines = index.multiply(counted.to_matrix(index.table, index.features)) / norms[:, None]
        close: NDArray[np.float32] = (1 - np.sqrt(np.maximum(1 - cosines, 0))).astype(np.float32)
        return close
