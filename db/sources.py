"""The files of a collection: the same bytes are read once, and a file that was cut off goes on where it stopped."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path


class Source(NamedTuple):
    """A file of the collection."""

    id: int
    position: int  #: raw records taken so far
    finished: bool


def register(connection: sqlite3.Connection, path: Path) -> Source:
    """Enter a file, known by the SHA-256 of its bytes, unless it is there already.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.tell()
    row = connection.execute("SELECT id, position, finished FROM sources WHERE sha256 = ?", (digest,)).fetchone()
    if row is None:
        cursor = connection.execute(
            "INSERT INTO sources (name, sha256, bytes) VALUES (?, ?, ?)", (str(path), digest, size)
        )
        return Source(int(cursor.lastrowid or 0), 0, finished=False)
    return Source(row[0], row[1], bool(row[2]))


def state(connection: sqlite3.Connection) -> str:
    """A short digest of what has been read: it changes when, and only when, the collection grows."""
    rows = connection.execute("SELECT sha256, position FROM sources ORDER BY id").fetchall()
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]
