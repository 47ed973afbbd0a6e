"""Where a verb may write: never over what it reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphlang.whole_file import OutputError, refuse_unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator


def refuse_inputs(output: str | Path, *also: Path) -> None:
    """Refuse an output that is a file which the verb at hand reads: its arguments, its database, archives in it.

    Args:
        output: where the user wants to write.
        also: files that are read, besides those that the command line names.

    Raises:
        OutputError: it is one of them, under whatever name.
    """
    from graphlang.db.connection import same_file  # noqa: PLC0415 - the database takes its time, and hardly an output a file

    target = Path(output)
    for path, words in _inputs(also):
        if same_file(target, path):
            raise OutputError(f"cannot write to {target}: it is {words}")


def refuse_before_work(output: Path, *also: Path) -> None:
    """Refuse an output that could not be written in the end, before a verb spends its time on what is to be written.

    Args:
        output: where the user wants to write.
        also: see `refuse_inputs`.

    Raises:
        OSError: its folder does not exist, or nothing can be written there.
        OutputError: it is a file that the verb reads, or a database.
        click.UsageError: it is standard output.
    """
    if str(output) == "-":
        raise click.UsageError("'-' is standard output, which this does not go to: name a file")
    refuse_inputs(output, *also)
    refuse_unwritable(output)


def _inputs(also: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """Files that are read, and what each is, in words."""
    from graphlang.db.connection import own_files  # noqa: PLC0415 - see `refuse_inputs`

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
            yield from own_files(path)
