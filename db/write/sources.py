"""The files of a collection: the same bytes are read once, and a file that was cut off goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.db import values
from graphlang.db.errors import InputError
from graphlang.db.write import again
from graphlang.db.write.choose_capture import Keep

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

#: How a byte that is not UTF-8 stands in a name.
_BYTE: Final = re.compile(rb"\\x([89a-f][0-9a-f])")


class Source(NamedTuple):
    """A file of the collection."""

    id: int
    position: int  #: raw records taken so far
    finished: bool
    size: int  #: bytes
    changed: tuple[Change, ...] = ()  #: options with which it was read, where they are others than now


class Change(NamedTuple):
    """An option that is another now than when the file was read."""

    name: str
    before: object
    now: object


def register(
    connection: sqlite3.Connection,
    path: Path,
    *,
    name: str | None = None,
    keep: Keep = Keep.BEST,
    options: Mapping[str, object] | None = None,
    repeat: bool = False,
) -> Source:
    """Enter a file, known by the SHA-256 of its bytes, unless it is there already.

    A folder (a mirror) is known by the paths and the bytes of its files; links to other files are not followed.

    Args:
        connection: a collection opened for writing.
        path: where the file is.
        name: what it is called in the collection; the path unless given.
        keep: which of several captures of a URL is kept.
        options: how much of a page is read; kept, so that a later call can be told what has changed.
        repeat: let a file be read again that was read before; one that was read in part, with these options, goes on.

    Raises:
        OSError: the file cannot be read.
        InputError: it was read in part with another choice of captures; or it is a stream.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        msg = f"{path} is a stream, and a file is read twice: pass it to standard input, and name that (-)"
        raise InputError(msg)
    digest, size = digest_of(path)
    called = as_text(name or str(path))
    written = json.dumps(dict(options or {}), sort_keys=True)
    row = connection.execute(
        "SELECT id, position, finished, keep, options FROM sources WHERE sha256 = ?", (digest,)
    ).fetchone()
    if row is None:
        cursor = connection.execute(
            "INSERT INTO sources (name, sha256, bytes, keep, options) VALUES (?, ?, ?, ?, ?)",
            (called, digest, size, keep, written),
        )
        return Source(int(cursor.lastrowid or 0), 0, finished=False, size=size)
    source, position, finished, kept, earlier = row
    values.check_type("sources.position", [position], int)
    values.check_type("sources.finished", [finished], int)
    values.check_type("sources.keep", [kept], str)
    if position < 0:
        raise values.refused("sources.position", position, "0 or more")
    before = {} if earlier is None else values.parse_json("sources.options", earlier, dict)
    changed = _changes({**before, "keep": kept}, {**(options or {}), "keep": str(keep)})
    if repeat and (finished or (position and changed)):
        again.begin(connection, source, options=written, keep=keep)
        return Source(source, 0, finished=False, size=size)
    if position and not finished and kept != keep:
        msg = f"{path} was read in part with --keep {kept}: go on with that"
        raise InputError(msg)
    return Source(source, position, bool(finished), size, changed)


def enter(
    connection: sqlite3.Connection, name: str, sha256: str, size: int, keep: str, *, options: Mapping[str, object]
) -> int:
    """Enter a file that was read elsewhere, to its end; returns its id.

    Args:
        connection: within a transaction.
        name: what it is called.
        sha256: of its bytes.
        size: in bytes.
        keep: which of several captures of a URL was kept.
        options: how much of a page was read.
    """
    cursor = connection.execute(
        "INSERT INTO sources (name, sha256, bytes, keep, options, finished) VALUES (?, ?, ?, ?, ?, 1)",
        (name, sha256, size, str(Keep(keep)), json.dumps(dict(options), sort_keys=True)),
    )
    return int(cursor.lastrowid or 0)


def _changes(before: Mapping[str, object], now: Mapping[str, object]) -> tuple[Change, ...]:
    """Of options whose earlier value is known."""
    return tuple(Change(name, before[name], now[name]) for name in now if before.get(name, now[name]) != now[name])


def digest_of(path: Path) -> tuple[str, int]:
    """The SHA-256 by which a file, or a folder that holds a mirror, is known, and its bytes.

    Args:
        path: where it is.

    Raises:
        OSError: it cannot be read.
    """
    return _of_folder(path) if path.is_dir() else _of_file(path)


def _of_file(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()


def _of_folder(folder: Path) -> tuple[str, int]:
    whole = hashlib.sha256()
    size = 0
    for path in sorted(folder.rglob("*"), key=lambda one: one.relative_to(folder).parts):
        if not path.is_symlink() and path.is_file():
            digest, own = _of_file(path)
            # Hexadecimal digits and a NUL, which no path has: what two folders have in common cannot shift.
            whole.update(os.fsencode(path.relative_to(folder)) + b"\0" + digest.encode())
            size += own
    return whole.hexdigest(), size


def as_text(path: str) -> str:
    r"""A path as a collection keeps it: paths may be any bytes, names in a database are text.

    Args:
        path: as Python has it, with surrogates for bytes that are not UTF-8.

    >>> as_text("caf\udce9.warc"), as_text("café.warc")
    ('caf\\xe9.warc', 'café.warc')
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def paths_of(name: str) -> list[Path]:
    r"""The paths that a name in a collection may stand for: the name itself, and that of the bytes it spells.

    >>> [os.fsencode(path) for path in paths_of(as_text("caf\udce9.warc"))]
    [b'caf\\xe9.warc', b'caf\xe9.warc']
    >>> len(paths_of("café.warc"))
    1
    """
    spelt = _BYTE.sub(lambda found: bytes([int(found[1], 16)]), os.fsencode(name))
    return [Path(one) for one in dict.fromkeys((name, os.fsdecode(spelt)))]


def names(connection: sqlite3.Connection) -> list[str]:
    """What the files are called, as they were given."""
    return [str(name) for (name,) in connection.execute("SELECT name FROM sources ORDER BY id")]


def state(connection: sqlite3.Connection) -> str:
    """A short digest of what has been read: it changes when, and only when, the collection grows, or loses pages."""
    rows: list[tuple[object, ...]] = connection.execute("SELECT sha256, position FROM sources ORDER BY id").fetchall()
    rows += connection.execute("SELECT sha256, readings FROM sources WHERE readings > 1 ORDER BY id").fetchall()
    rows += connection.execute("SELECT digest FROM removed ORDER BY digest").fetchall()
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]
