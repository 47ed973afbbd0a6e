"""Whole numbers as options and arguments take them: as large as a database and an index can hold, and no larger."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from typing import Any

#: The greatest integer of SQLite, and of an index in Python.
_MOST: Final = min(sys.maxsize, 2**63 - 1)


class WholeNumber(click.IntRange):
    """A whole number from a least one on.

    Args:
        least: the least that is taken.
        of: what each of them stands for: a million bytes, say.
    """

    def __init__(self, least: int, *, of: int = 1) -> None:
        super().__init__(min=least)
        self._most = _MOST // of

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; a usage error where it is too large for anything here, and could only be a slip.

        Args:
            value: as it was written.
            param: that it was given for.
            ctx: of the verb.
        """
        number = super().convert(value, param, ctx)
        if number > self._most:
            self.fail(f"{value} is too large a number.", param, ctx)
        return number
