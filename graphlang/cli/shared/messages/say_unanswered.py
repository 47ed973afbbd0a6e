"""What a list by year lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.cli.shared.messages.log import say
from graphlang.maps.selection import unanswered
from graphlang.printing.counted import counted

if TYPE_CHECKING:
    import sqlite3


def say_unanswered(connection: sqlite3.Connection) -> None:
    """Say on standard error how many pages of other years have no language yet, and what gives them one.

    Args:
        connection: a collection.
    """
    count = unanswered(connection)
    if count:
        words = (
            f"{counted(count, 'page')} of other years {'has' if count == 1 else 'have'} no answer yet:"
            f" 'graphlang propagate DB --each year' gives {'it' if count == 1 else 'them'} one"
        )
        say(words, "unanswered", pages=count)
