"""The files that a database is and was made of: nothing else may be written in their place."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from graphlang.db.connection import open_existing
from graphlang.db.errors import StoreError
from graphlang.db.write import sources

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What SQLite and the lock keep beside a database.
_SIDE_FILES = ("-wal", "-shm", "-journal", "-lock")


def own_files(db: Path) -> Iterator[tuple[Path, str]]:
    """The database, the files beside it, and the archives that it was read from; each with words for what it is.

    Args:
        db: the database's path. Where it is no collection, nothing is known of archives.
    """
    yield from its_files(db)
    if not db.is_file():
        return
    try:
        connection = open_existing(db)
    except StoreError:
        return  # which whoever reads it says
    with closing(connection):
        names = sources.names(connection)
    for name in names:
        yield Path(name), "an archive that the database was read from"
        yield db.parent / name, "an archive that the database was read from"


def its_files(db: Path) -> Iterator[tuple[Path, str]]:
    """The database and the files beside it; each with words for what it is.

    Args:
        db: the database's path.
    """
    yield db, "the database"
    yield from ((db.with_name(db.name + end), "a file of the database") for end in _SIDE_FILES)


def same_file(target: Path, path: Path) -> bool:
    """Whether two paths lead to one file, under whatever names.

    Args:
        target: where somebody wants to write.
        path: another path; neither needs to exist.
    """
    if target.exists() and path.exists():
        return target.samefile(path)
    return os.path.realpath(target) == os.path.realpath(path)
