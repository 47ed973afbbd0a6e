"""Write rows and texts to standard output or a file: tables for people, CSV, TSV and JSON lines for programs.

What comes from a crawl is hostile: control characters never reach the terminal, and no cell can break out of its row.
The formats are in `graphlang.printing`; `graphlang.cli.shared.log` writes to standard error.
"""

from __future__ import annotations

import io
import math
import os
import stat
import sys
import tempfile
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypedDict, Unpack

import click

from graphlang.cli.shared.log import remember, say
from graphlang.cli.shared.options import WholeNumber
from graphlang.cli.shared.paths import refuse_inputs
from graphlang.cli.shared.table import write_table
from graphlang.files import COMPRESSIBLE, find_promised_format, open_packed, refuse_empty, remove_compression
from graphlang.printing import (
    format_cell,
    format_json,
    quantity,
    visible,
    visible_lines,
    write_csv,
    write_jsonl,
    write_tsv,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from graphlang.rows import Rows

FORMATS = ("table", "csv", "tsv", "jsonl")
#: Where a command's context keeps how its tables are written.
_WIDE, _PAGED, _SAFE = "graphlang.wide", "graphlang.paged", "graphlang.csv-safe"

#: The option of every verb that can write CSV.
csv_safe = click.option(
    "--csv-safe/--csv-exact",
    default=None,
    expose_value=False,
    callback=remember(_SAFE),
    help="Write CSV that a spreadsheet does not run as formulas, or exactly.",
)


def wide_option(function: Callable[..., None], *, paged: bool = False) -> Callable[..., None]:
    """Give a verb that writes tables its option; ``paged`` where it writes one table, which a pager may show."""

    def keep(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        del param
        ctx.meta[_WIDE], ctx.meta[_PAGED] = value, paged

    return click.option(
        "--wide",
        is_flag=True,
        expose_value=False,
        callback=keep,
        help="Show all columns of a table in full, even if the terminal is narrower.",
    )(function)


def table_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb that writes one table its options."""
    function = csv_safe(function)
    function = wide_option(function, paged=True)
    return click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="Table for people; csv, tsv, jsonl for programs.",
    )(function)


def format_of_name(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Take the format from the ending of a file's name where --format is missing; a callback of --output.

    An ending of a format that the verb does not have is refused like that format. Options that the user names are
    processed before all others, and so before the default of --format.
    """
    del param
    kinds = (parameter.type for parameter in ctx.command.params if parameter.name == "format_")
    formats = [kind.choices for kind in kinds if isinstance(kind, click.Choice)]
    ending = remove_compression(str(value)).suffix.lower().lstrip(".")  # texts.jsonl.zst
    if not any(ending in choices and ending in COMPRESSIBLE for choices in formats):
        ending = Path(str(value)).suffix.lower().lstrip(".")
    if ending == "json" and any(parameter.name == "as_json" for parameter in ctx.command.params):
        return value  # such a verb has the flag --json
    if find_promised_format(str(value)) or any(ending in choices for choices in formats):
        ctx.default_map = {"format_": ending, **(ctx.default_map or {})}
    return value


#: Where a verb writes its rows.
to_file = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    default="-",
    callback=format_of_name,
    help="File to write to, in the format of its name; '-' is standard output.",
    show_default=True,
)


def output_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a listing verb its options."""
    limit = click.option("--limit", type=WholeNumber(0), help="At most this many rows.")
    return table_options(limit(to_file(function)))


class RowOptions(TypedDict):
    """The options of `output_options`."""

    format_: str
    limit: int | None
    output: str


def write_list(rows: Rows[Any], *, first: Sequence[str] = (), **target: Unpack[RowOptions]) -> None:
    """Write rows of a collection, see `write_rows`."""
    write_rows(rows.columns, rows.tuples(), first=first, **target)


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

    Floats have four digits after the point, in tables probabilities have two; None and nan are empty cells (null in
    JSON). A file is replaced when all is written, and never by a list without rows. A narrow terminal shows the columns
    ``first``. With `table_options`, a table that is longer than the terminal goes through the pager. With
    ``for_people``, CSV is safe for spreadsheets by default wherever it goes. A line on standard error has the number of
    rows in a file, or that there are none.
    """
    rows = rows if limit is None else islice(rows, limit)
    if str(output) == "-":
        if format_ != "table":
            _use_utf8()
        safe = _is_safe(for_people or sys.stdout.isatty())
        written = _write(columns, _start_rows(rows), format_, sys.stdout, first, safe=safe)
        sys.stdout.flush()
        if not written and limit != 0:
            say_empty()
        return
    refuse_inputs(output)
    with open_packed(Path(output)) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        safe = _is_safe(for_people or Path(output).suffix.lower() == ".csv")
        written = _write(columns, rows, format_, text, first, safe=safe)
        if not written:
            refuse_empty(Path(output))
        text.detach()
    say_written(written, output)


#: What the rows of a verb are; of the others they are rows.
_ROWS_OF: Final = {
    "pages": "page",
    "texts": "text",
    "languages": "language",
    "problems": "problem",
    "runs": "run",
    "review": "page",
    "corrections": "correction",
    "frontier": "URL",
}


def _name_row() -> str:
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.params.get("paragraphs"):
        return "paragraph"
    return _ROWS_OF.get((ctx.info_name or "") if ctx else "", "row")


def say_written(written: int, output: str | Path, unit: str | None = None) -> None:
    """Print how many rows, or other units, a file has."""
    say(f"{quantity(written, unit or _name_row())} to {visible(str(output))}", "written", rows=written)


def say_empty() -> None:
    """Print that a list has no rows."""
    say(f"no {_name_row()}s", "empty")


def _start_rows(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The rows, the first of which was read: an error at the first row comes before any output."""
    following = iter(rows)
    return chain([*islice(following, 1)], following)


def _use_utf8() -> None:
    """Write UTF-8 to pipes, as to files: the charset of a locale lacks letters."""
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")


def write_line(line: str, *, bold: bool = False) -> None:
    """Write one line for people to standard output; control characters and line feeds in it are escaped."""
    click.echo(click.style(visible(line), bold=True) if bold else visible(line))


def write_lines(text: str) -> None:
    """Write lines for people to standard output; control characters in them are escaped."""
    click.echo(visible_lines(text))


def write_json(value: Any, *, indent: int | None = None) -> None:
    """Write a value to standard output as JSON."""
    _use_utf8()
    click.echo(format_json(value, indent=indent))


def write_text(write: Callable[[IO[bytes]], object]) -> None:
    """Write text in UTF-8 to standard output; on a terminal control characters are escaped."""
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


def to_regular_file() -> bool:
    """Return whether standard output is a file on disk, which is not watched."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # not a file of the operating system
        return False


def to_terminal() -> bool:
    """Return whether standard output is a terminal, which takes no binary file."""
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
    """Write rows to a stream; return how many there were."""
    if format_ == "table":
        whole = _find_setting(_WIDE) is not False  # also where the verb has no such option
        pager = file is sys.stdout and bool(_find_setting(_PAGED))
        return write_table(columns, rows, file, cell=_format_cell, wide=whole, first=first, pager=pager)
    if format_ == "jsonl":
        written = write_jsonl(columns, rows, file)
    elif format_ == "csv":
        written = write_csv(columns, rows, file, safe=safe, for_screen=file is sys.stdout and file.isatty())
    else:
        written = write_tsv(columns, rows, file)
    file.flush()
    return written


#: Columns of probabilities, besides those with "confidence" in their name.
_PROBABILITIES: Final = ("certainty", "chance")


def _format_cell(value: Any, column: str) -> str:
    """Return a value as people read it: probabilities with two digits after the point, expected pages with one."""
    if isinstance(value, float) and not math.isnan(value):
        if "confidence" in column or column in _PROBABILITIES:
            return f"{value:.2f}"
        if column == "expected":
            return f"{value:.1f}"
    return format_cell(value)


def _is_safe(default: bool) -> bool:
    setting = find_safe_setting()
    return default if setting is None else setting


def find_safe_setting() -> bool | None:
    """Return whether CSV is to be safe for spreadsheets (`csv_safe`); None: by default."""
    return _find_setting(_SAFE)


def _find_setting(key: str) -> bool | None:
    """Return the value of an option; None where the verb has no such option, or by default."""
    ctx = click.get_current_context(silent=True)
    return None if ctx is None else ctx.meta.get(key)
