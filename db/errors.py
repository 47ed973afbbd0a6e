"""Errors of a database, in words for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


class StoreError(Exception):
    """The file is not a collection, or cannot be read or written; the message is one line for the user."""


class EmptyError(StoreError):
    """The file holds no collection yet: reading archives makes one."""


class LockedError(StoreError):
    """Another process is writing to the collection; the message names it."""


class InputError(StoreError):
    """A file named by the user cannot be read or has the wrong content."""


def store_error(message: str, error: sqlite3.Error) -> StoreError:
    """Return the StoreError or LockedError for an error of SQLite.

    >>> import sqlite3
    >>> store_error("cannot read a.db", sqlite3.OperationalError("database is locked"))
    LockedError('cannot read a.db: database is locked')
    """
    kind = LockedError if "locked" in str(error) else StoreError
    return kind(f"{message}: {format_one_line(error)}")


def format_one_line(error: BaseException) -> str:
    r"""Return the message of an error, which may quote a hostile file, as one line without control characters.

    >>> format_one_line(ValueError("a\x1b[2J\nb"))
    'a\\x1b[2J\\nb'
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in str(error))
