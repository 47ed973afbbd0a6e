"""Enter the files of a collection: the same bytes are read once, and an interrupted reading resumes."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.db import values
from graphlang.db.errors import InputError
from graphlang.db.statements import transaction
from graphlang.db.write.choose_capture import Keep

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

#: Kinds of problems that the next reading of a file may not have.
_PASSING: Final = "('unreadable', 'changed')"
#: A byte that is not UTF-8, as `encode_path` writes it.
_BYTE: Final = re.compile(rb"\\x([89a-f][0-9a-f])")


class Source(NamedTuple):
    """A file of the collection."""

    id: int
    position: int  #: raw records read so far
    finished: bool
    size: int  #: bytes
    changed: tuple[OptionChange, ...] = ()  #: options that differ from those of its reading
    unread: bool = False  #: the system cannot read all its bytes, and its digest is not known


class OptionChange(NamedTuple):
    """An option that differs from the one of an earlier reading."""

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
    """Enter a file, known by the SHA-256 of its bytes, unless the collection has it.

    A folder (a mirror) is known by the paths and bytes of its files; links to other files are not followed. ``name`` is
    that in the collection, by default the path. ``keep`` chooses the main capture of a URL. ``options`` are limits on
    how much of a page is read; stored, so that a later call can report changes. With ``repeat`` a file that was read
    before is read again; a reading interrupted with these options resumes.

    Raise an OSError if the file cannot be read, an InputError if it was read in part with another choice of captures,
    or is a stream.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        msg = f"{path} is a stream, and a file is read twice: pass it to standard input, and name that (-)"
        raise InputError(msg)
    try:
        digest, size = digest_content(path)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        digest, size = digest_path(path), path.stat().st_size  # what can be read of it is read
    unread = digest == digest_path(path)
    options_json = json.dumps(dict(options or {}), sort_keys=True)
    row = connection.execute(
        "SELECT id, position, finished, keep, options FROM sources WHERE sha256 = ?", (digest,)
    ).fetchone()
    if row is None and (earlier := _find_unread(connection, path, digest, size)) is not None:
        restart(connection, earlier, options=options_json, keep=keep)
        return Source(earlier, 0, finished=False, size=size)
    if row is None:
        cursor = connection.execute(
            "INSERT INTO sources (name, sha256, bytes, keep, options) VALUES (?, ?, ?, ?, ?)",
            (encode_path(name or str(path)), digest, size, keep, options_json),
        )
        return Source(int(cursor.lastrowid or 0), 0, finished=False, size=size, unread=unread)
    source, position, finished, stored_keep, stored_options = row
    values.check_type("sources.position", [position], int)
    values.check_type("sources.finished", [finished], int)
    values.check_type("sources.keep", [stored_keep], str)
    if position < 0:
        raise values.value_error("sources.position", position, "0 or more")
    before = {} if stored_options is None else values.parse_json("sources.options", stored_options, dict)
    changed = _compare_options({**before, "keep": stored_keep}, {**(options or {}), "keep": str(keep)})
    if repeat and (finished or (position and changed)):
        restart(connection, source, options=options_json, keep=keep)
        return Source(source, 0, finished=False, size=size)
    if not finished:
        connection.execute(f"DELETE FROM problems WHERE source = ? AND kind IN {_PASSING}", (source,))
    if position and not finished and stored_keep != keep:
        msg = f"{path} was read in part with --keep {stored_keep}: go on with that"
        raise InputError(msg)
    return Source(source, position, bool(finished), size, changed, unread)


def _find_unread(connection: sqlite3.Connection, path: Path, digest: str, size: int) -> int | None:
    """Give a file that could not be read, or changed while it was, the digest that it has now; return its id."""
    row = connection.execute("SELECT id FROM sources WHERE sha256 = ?", (digest_path(path),)).fetchone()
    if row is None:
        return None
    connection.execute("UPDATE sources SET sha256 = ?, bytes = ? WHERE id = ?", (digest, size, row[0]))
    return int(row[0])


def digest_path(path: Path) -> str:
    """Return a digest of the path, in place of that of a file whose bytes are unknown."""
    return hashlib.sha256(b"unread:" + os.fsencode(path.absolute())).hexdigest()


def forget_digest(connection: sqlite3.Connection, source: int, path: Path) -> None:
    """Let a file that changed while it was read be read again: its digest is that of other bytes."""
    digest = digest_path(path)
    (count,) = connection.execute("SELECT COUNT(*) FROM sources WHERE sha256 = ?", (digest,)).fetchone()
    if count:  # of an earlier state of the same path, which stays as it is
        digest = hashlib.sha256(f"{digest}:{source}".encode()).hexdigest()
    connection.execute("UPDATE sources SET sha256 = ?, finished = 0 WHERE id = ?", (digest, source))


def restart(connection: sqlite3.Connection, source: int, *, options: str, keep: str) -> None:
    """Let a file be read once more. Its rows stay until the new reading replaces them, or ends without them."""
    with transaction(connection):
        connection.execute(
            "UPDATE sources SET position = 0, finished = 0, readings = readings + 1, options = ?, keep = ?"
            " WHERE id = ?",
            (options, keep, source),
        )
        connection.execute("DELETE FROM problems WHERE source = ?", (source,))


def get_reading(connection: sqlite3.Connection, source: int) -> int:
    """Return the number of the current reading of a file; 1 is the first."""
    (number,) = connection.execute("SELECT readings FROM sources WHERE id = ?", (source,)).fetchone()
    return int(number)


def enter(
    connection: sqlite3.Connection, name: str, sha256: str, size: int, keep: str, *, options: Mapping[str, object]
) -> int:
    """Enter a file that was read completely elsewhere, and return its id; arguments as in `register`."""
    cursor = connection.execute(
        "INSERT INTO sources (name, sha256, bytes, keep, options, finished) VALUES (?, ?, ?, ?, ?, 1)",
        (name, sha256, size, str(Keep(keep)), json.dumps(dict(options), sort_keys=True)),
    )
    return int(cursor.lastrowid or 0)


def _compare_options(before: Mapping[str, object], now: Mapping[str, object]) -> tuple[OptionChange, ...]:
    """Compare options whose earlier value is known."""
    return tuple(
        OptionChange(name, before[name], now[name]) for name in now if before.get(name, now[name]) != now[name]
    )


def digest_content(path: Path) -> tuple[str, int]:
    """Return the SHA-256 of a file, or of a folder that holds a mirror, and its size in bytes."""
    return _digest_folder(path) if path.is_dir() else _digest_file(path)


def _digest_file(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()


def _digest_folder(folder: Path) -> tuple[str, int]:
    whole = hashlib.sha256()
    size = 0
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).parts):
        if not path.is_symlink() and path.is_file():
            digest, file_size = _digest_file(path)
            # No path contains a NUL, so that equal digests mean equal paths and files.
            whole.update(os.fsencode(path.relative_to(folder)) + b"\0" + digest.encode())
            size += file_size
    return whole.hexdigest(), size


def encode_path(path: str) -> str:
    r"""Return a path in the stored form: bytes that are not UTF-8 (surrogates in Python) are escaped.

    >>> encode_path("caf\udce9.warc"), encode_path("café.warc")
    ('caf\\xe9.warc', 'café.warc')
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def list_paths(name: str) -> list[Path]:
    r"""Return the paths that a stored name may mean: the name itself, and that with its escapes undone.

    >>> [os.fsencode(path) for path in list_paths(encode_path("caf\udce9.warc"))]
    [b'caf\\xe9.warc', b'caf\xe9.warc']
    >>> len(list_paths("café.warc"))
    1
    """
    unescaped = _BYTE.sub(lambda match: bytes([int(match[1], 16)]), os.fsencode(name))
    return [Path(path) for path in dict.fromkeys((name, os.fsdecode(unescaped)))]


def digest_state(connection: sqlite3.Connection) -> str:
    """Return a short digest of the files read and the pages removed: it changes exactly when the pages do."""
    rows: list[tuple[object, ...]] = connection.execute("SELECT sha256, position FROM sources ORDER BY id").fetchall()
    rows += connection.execute("SELECT sha256, readings FROM sources WHERE readings > 1 ORDER BY id").fetchall()
    rows += connection.execute("SELECT digest FROM removed WHERE pages > 0 ORDER BY digest").fetchall()
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]
