"""What goes wrong with a database, in words for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


class StoreError(Exception):
    """The file is no collection of ours, or cannot be read or written; the words are for the user, in one line."""


class LockedError(StoreError):
    """Another process is writing to the collection; the words say which."""


class InputError(StoreError):
    """A file that the user named cannot be read, or is not what it should be."""


def store_error(words: str, error: sqlite3.Error) -> StoreError:
    """What SQLite said, as an error of ours.

    Args:
        words: what could not be done.
        error: why.

    >>> import sqlite3
    >>> store_error("cannot read a.db", sqlite3.OperationalError("database is locked"))
    LockedError('cannot read a.db: database is locked')
    """
    kind = LockedError if "locked" in str(error) else StoreError
    return kind(f"{words}: {in_a_line(error)}")


def in_a_line(error: BaseException) -> str:
    r"""The words of an error, of which parts may come from a stranger's file, as one line without control characters.

    Args:
        error: that was raised.

    >>> in_a_line(ValueError("a\x1b[2J\nb"))
    'a\\x1b[2J\\nb'
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in str(error))
