"""Files, URLs and hosts that the user names: lists of them, and outputs that must not overwrite an input."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphlang.files import OutputError, open_text, read_regular, refuse_unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

STANDARD_INPUT = "-"


def read_lines(path: Path) -> list[str]:
    """Return the lines of a list in UTF-8, without empty ones and those that begin with ``#``."""
    try:
        lines = read_regular(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"{path} is not UTF-8", param_hint="--from") from error
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def read_file_list(path: Path) -> list[str]:
    """Return the files that a list names; ``-`` is standard input."""
    from graphlang.ingest.files.discover import read_list  # noqa: PLC0415

    # Names of files may be any bytes; surrogates replace those that are not UTF-8, as in sys.argv.
    if str(path) == STANDARD_INPUT:
        names = read_list(io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape"))
    else:
        with open_text(path, errors="surrogateescape") as lines:
            names = read_list(lines)
    if not names:
        raise click.UsageError(f"{path} lists no files")
    return names


def parse_named_url(name: str) -> str:
    """Return the canonical form of a URL; anything else is wrong usage."""
    from graphlang.ingest.links.canonical import parse_url  # noqa: PLC0415

    try:
        return parse_url(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def parse_named_host(name: str) -> str:
    """Return a host in lower case, in ASCII; anything else is wrong usage."""
    from graphlang.ingest.links.canonical import parse_host  # noqa: PLC0415

    try:
        return parse_host(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def refuse_inputs(output: str | Path, *inputs: Path) -> None:
    """Raise `OutputError` for an output that the verb reads: an argument, its database, archives in it, ``inputs``."""
    from graphlang.db.connection import is_same_file  # noqa: PLC0415 - slow to import, and outputs are rarely files

    target = Path(output)
    for path, description in _list_inputs(inputs):
        if is_same_file(target, path):
            raise OutputError(f"cannot write to {target}: it is {description}")


def refuse_before_work(output: Path, *inputs: Path) -> None:
    """Raise before a verb spends its time, where its output could not be written in the end."""
    if str(output) == "-":
        raise click.UsageError("cannot write to standard output (-): name a file")
    refuse_inputs(output, *inputs)
    refuse_unwritable(output)


def _list_inputs(inputs: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    """Files that the verb reads, each with a description."""
    from graphlang.db.connection import list_database_files  # noqa: PLC0415 - see `refuse_inputs`

    yield from ((path, "a file that is being read") for path in inputs)
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
            yield from list_database_files(path)
