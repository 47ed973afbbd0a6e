"""SQL that reads the packed answers for URLs that were only linked to, for the views."""

from __future__ import annotations

from typing import Final


def _digits(place: int) -> str:
    """SQL for the number that stands in two bytes of a page's cell; NULL where they are zeros."""
    at = f"((pages.id - 1) % 64) * 8 + {place + 1}"
    high, low = (f"UNICODE(SUBSTR(linked_answers.cells, {at}{more}, 1))" for more in ("", " + 1"))
    return f"({high} * 127 + {low} - 128)"


#: Columns of a page's answer, as SQL over `linked_answers.cells`.
CELL: Final = {
    "label": _digits(0),
    "confidence": f"({_digits(2)} / 10000.0)",
    "runner_up": _digits(4),
    "runner_up_confidence": f"({_digits(6)} / 10000.0)",
}
