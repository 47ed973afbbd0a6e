"""How kinds of links differ: what is usual of each, which are learned apart, and which are followed.

Kinds are the numbers of ``graphlang.db.records.LinkKind``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How often a link keeps the language before anything was seen, by kind (numbers of ``graphlang.db.records.LinkKind``).
PRIOR = {1: 0.98, 2: 0.98, 3: 0.97, 4: 0.98, 5: 0.9, 6: 0.1, 7: 0.9, 8: 0.9}
PRIOR_ELSE = 0.9
#: Link-kind classes: kinds that are learned apart, each with the number of its class, the others being class 0. That a
#: site's anchors keep the language says nothing of its canonical links (kind 3) and of those to its translations (6).
CLASSES = {3: 1, 6: 2}
#: Redirects, refreshes and frames: what a reader of the source sees is the target. That is not learned, for the sources
#: have hardly any text, and a site whose anchors switch the language says nothing of its redirects.
FOLLOWED = (1, 2, 4)


def class_of() -> NDArray[np.uint8]:
    """The link-kind class of each kind, shape (256,)."""
    found = np.zeros(256, np.uint8)
    found[list(CLASSES)] = list(CLASSES.values())
    return found


def followed(kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether links are of a kind whose target stands for the source."""
    shown = np.zeros(256, bool)
    shown[list(FOLLOWED)] = True
    return shown[kind]
