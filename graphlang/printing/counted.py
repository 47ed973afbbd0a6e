"""A number and what is counted -> words for people."""

from __future__ import annotations


def counted(number: int, what: str) -> str:
    """How many there are of something.

    Args:
        number: how many.
        what: one of them, in English; more of them end in s.

    >>> counted(1, "page"), counted(1234, "page"), counted(0, "further capture")
    ('1 page', '1,234 pages', '0 further captures')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
