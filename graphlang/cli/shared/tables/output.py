"""How listing verbs write their rows: a table for people, CSV, TSV and JSON lines for programs.

What comes from a crawl is hostile: control characters never reach the terminal, and no cell can break out of its row.
All verbs write to standard output by what is here (and to standard error by
`graphlang.cli.shared.messages.log`); the formats are in `graphlang.printing`.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import tempfile
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from graphlang.cli.shared.files.targets import refuse_inputs
from graphlang.cli.shared.tables.table import write_table
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.printing.as_csv import write_csv
from graphlang.printing.as_json import json_text, write_jsonl
from graphlang.printing.as_tsv import write_tsv
from graphlang.printing.cells import cell
from graphlang.printing.file_names import promised
from graphlang.visible import visible, visible_lines
from graphlang.whole_file import refuse_empty, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

FORMATS = ("table", "csv", "tsv", "jsonl")
#: What the verb shares with its tables.
_WIDE, _PAGED, _SAFE = "graphlang.wide", "graphlang.paged", "graphlang.csv-safe"


def _remember(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        del param
        ctx.meta[key] = value

    return callback


def csv_safe(function: Callable[..., None]) -> Callable[..., None]:
    """The option of every verb that can write CSV."""
    return click.option(
        "--csv-safe/--csv-exact",
        default=None,
        expose_value=False,
        callback=_remember(_SAFE),
        help="For spreadsheets: an apostrophe before CSV cells that begin like a formula (= + - @). By default so on a"
        " terminal and in files named .csv, exact in pipes.",
    )(function)


def wide(function: Callable[..., None], *, paged: bool = False) -> Callable[..., None]:
    """The option of every verb that writes tables.

    Args:
        function: the verb.
        paged: whether it writes one table, which the user's pager may show.
    """

    def remember(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        del param
        ctx.meta[_WIDE], ctx.meta[_PAGED] = value, paged

    return click.option(
        "--wide",
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="All columns of a table, whole, also where the terminal is narrower.",
    )(function)


def table_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of every verb that writes one table."""
    function = csv_safe(function)
    function = wide(function, paged=True)
    return click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="Table for people; csv, tsv, jsonl for programs.",
    )(function)


def format_of_name(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Callback of an option that names a file: its name says the format where nothing else does.

    A name that promises a format which the verb does not have is refused as that format is.

    Args:
        ctx: of the verb. Options that the user names are looked at before all others, and so before `--format`.
        param: not looked at.
        value: the file.
    """
    del param
    kinds = (one.type for one in ctx.command.params if one.name == "format_")
    ending = Path(str(value)).suffix.lower().lstrip(".")
    if ending == "json" and any(one.name == "as_json" for one in ctx.command.params):
        return value  # a flag of its own says so
    if promised(str(value)) or any(isinstance(kind, click.Choice) and ending in kind.choices for kind in kinds):
        ctx.default_map = {"format_": ending, **(ctx.default_map or {})}
    return value


def output_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options that all listing verbs share."""
    function = click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, writable=True, allow_dash=True),
        default="-",
        callback=format_of_name,
        help="File to write to, in the format of its name; '-' is standard output.",
        show_default=True,
    )(function)
    function = click.option("--limit", type=WholeNumber(0), help="At most so many rows.")(function)
    return table_options(function)


def write_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    format_: str,
    limit: int | None = None,
    output: str | Path = "-",
    first: Sequence[str] = (),
    for_people: bool = False,
) -> None:
    """Write rows in one of ``FORMATS``.

    Floats have four digits after the point; none, and what is no number, is an empty cell (null in JSON). A file is
    replaced when all is written, and never by a list without rows. Where the verb has `table_options`, a table that is
    longer than the terminal goes through the user's pager.

    Args:
        columns: their names.
        rows: as many values each as there are columns.
        format_: one of ``FORMATS``.
        limit: at most so many rows; None for all.
        output: the file; ``-`` is standard output.
        first: columns of a table in the order of their importance, where the terminal has no room for all.
        for_people: CSV is safe for spreadsheets wherever it goes, unless the user asks for something else.

    Raises:
        OutputError: ``output`` is a file that the verb reads; or it exists, and there is no row.
    """
    rows = rows if limit is None else islice(rows, limit)
    if str(output) == "-":
        if format_ != "table":
            _use_utf8()
        _write(columns, _begun(rows), format_, sys.stdout, first, safe=_is_safe(for_people or sys.stdout.isatty()))
        sys.stdout.flush()
        return
    refuse_inputs(output)
    with replacing(Path(output)) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        safe = _is_safe(for_people or Path(output).suffix.lower() == ".csv")
        if not _write(columns, rows, format_, text, first, safe=safe):
            refuse_empty(Path(output))
        text.detach()


def _begun(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The rows, of which one is there already: where there can be none, nothing is written before that is said."""
    following = iter(rows)
    return chain([*islice(following, 1)], following)


def _use_utf8() -> None:
    """Let programs that read from a pipe have UTF-8, as in files: another locale's charset has not all letters."""
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")


def write_line(words: str, *, bold: bool = False) -> None:
    """Write one line for people to standard output; what could steer a terminal, or begin another line, is an escape.

    Args:
        words: what is written, without the line feed at its end.
        bold: whether a terminal shows it so.
    """
    click.echo(click.style(visible(words), bold=True) if bold else visible(words))


def write_lines(text: str) -> None:
    """Write lines for people to standard output, see `write_line`.

    Args:
        text: the lines, without the line feed at the end of the last one.
    """
    click.echo(visible_lines(text))


def write_json(value: Any, *, indent: int | None = None) -> None:
    """Write a value to standard output as JSON.

    Args:
        value: what JSON can hold.
        indent: spaces for each level; None for one line.
    """
    _use_utf8()
    click.echo(json_text(value, indent=indent))


def write_text(write: Callable[[IO[bytes]], object]) -> None:
    """Write text to standard output; as it is, but on a terminal what could steer it is an escape.

    Args:
        write: writes it, in UTF-8, to the file that it is given.
    """
    if not sys.stdout.isatty():
        sys.stdout.flush()
        write(sys.stdout.buffer)
        return
    with tempfile.TemporaryFile() as file:
        write(file)
        file.seek(0)
        for line in io.TextIOWrapper(file, encoding="utf-8", newline="\n"):
            sys.stdout.write(visible_lines(line))
        sys.stdout.flush()


def to_terminal() -> bool:
    """Whether standard output is a terminal, which takes no binary file."""
    return sys.stdout.isatty()


def _write(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    format_: str,
    file: IO[str],
    first: Sequence[str],
    *,
    safe: bool,
) -> int:
    """Return how many rows there were."""
    if format_ == "table":
        whole = _asked(_WIDE) is not False  # also where the verb has no such option
        pager = file is sys.stdout and bool(_asked(_PAGED))
        return write_table(columns, rows, file, cell=cell, wide=whole, first=first, pager=pager)
    if format_ == "jsonl":
        written = write_jsonl(columns, rows, file)
    elif format_ == "csv":
        written = write_csv(columns, rows, file, safe=safe, shown=file is sys.stdout and file.isatty())
    else:
        written = write_tsv(columns, rows, file)
    file.flush()
    return written


def _is_safe(default: bool) -> bool:
    asked = safe_asked()
    return default if asked is None else asked


def rows_are_kept() -> bool:
    """Whether standard output is a file, which is looked at later."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # it is none of the system's files
        return False


def safe_asked() -> bool | None:
    """Whether the user asked for CSV that is safe for spreadsheets (`csv_safe`); None: he left it open."""
    return _asked(_SAFE)


def _asked(key: str) -> bool | None:
    """What the user asked for; None where the verb has no such option, or the user left it open."""
    ctx = click.get_current_context(silent=True)
    return None if ctx is None else ctx.meta.get(key)
