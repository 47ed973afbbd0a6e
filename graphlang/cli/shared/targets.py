"""Where a verb may write: never over what it reads."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphlang.db import StoreError, open_existing
from graphlang.db.write import sources
from graphlang.whole_file import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What SQLite keeps beside a database.
_SIDE_FILES = ("-wal", "-shm", "-journal", "-lock")


def refuse_inputs(output: str | Path, *also: Path) -> None:
    """Refuse an output that is a file which the verb at hand reads: its arguments, its database, archives in it.

    Args:
        output: where the user wants to write.
        also: files that are read, besides those that the command line names.

    Raises:
        OutputError: it is one of them, under whatever name.
    """
    target = Path(output)
    for path, words in _inputs(also):
        if _same(target, path):
            raise OutputError(f"cannot write to {target}: it is {words}")


def _same(target: Path, path: Path) -> bool:
    if target.exists() and path.exists():
        return target.samefile(path)
    return target.resolve() == path.resolve()


def _inputs(also: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """Files that are read, and what each is, in words."""
    yield from ((path, "a file that is being read") for path in also)
    ctx = click.get_current_context(silent=True)
    if ctx is None:
        return
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name or "")
        if not isinstance(parameter.type, click.Path) or parameter.name in ("output", "report") or not value:
            continue
        for path in map(Path, value if isinstance(value, (list, tuple)) else [value]):
            if parameter.name != "db":
                yield path, "a file that is being read"
                continue
            yield path, "the database"
            yield from ((path.with_name(path.name + end), "a file of the database") for end in _SIDE_FILES)
            yield from ((archive, "an archive that the database was read from") for archive in _archives(path))


def _archives(db: Path) -> Iterator[Path]:
    if not db.is_file():
        return
    try:
        connection = open_existing(db)
    except StoreError:
        return  # which the verb says itself
    with closing(connection):
        names = sources.names(connection)
    for name in names:
        yield Path(name)
        yield db.parent / name
