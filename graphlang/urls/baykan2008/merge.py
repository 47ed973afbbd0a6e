"""Merging two classifiers (Baykan et al. 2008, section 3.3): any two arrays of decisions for one language."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def improve_recall(main: NDArray[np.bool_], helper: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Yes where either says yes: the helper is asked for a second opinion when the main classifier says no.

    Args:
        main: Yes or no of the main classifier, [URLs, languages] or of any shape.
        helper: Of the helper, of the same shape.

    >>> import numpy as np
    >>> improve_recall(np.array([True, True, False, False]), np.array([True, False, True, False])).tolist()
    [True, True, True, False]
    """
    return main | helper


def improve_precision(main: NDArray[np.bool_], helper: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Yes only where both say yes.

    Args:
        main: Yes or no of the main classifier, [URLs, languages] or of any shape.
        helper: Of the helper, of the same shape.

    >>> import numpy as np
    >>> improve_precision(np.array([True, True, False, False]), np.array([True, False, True, False])).tolist()
    [True, False, False, False]
    """
    return main & helper
