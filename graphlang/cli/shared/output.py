"""How listing verbs write their rows: a table for people, CSV, TSV and JSON lines for programs.

What comes from a crawl is hostile: control characters never reach the terminal, and no cell can break out of its row.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from graphlang.cli.shared.table import write_table
from graphlang.cli.shared.targets import refuse_inputs
from graphlang.visible import CONTROL, visible
from graphlang.whole_file import refuse_empty, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

FORMATS = ("table", "csv", "tsv", "jsonl")
_WIDE = "graphlang.wide"  #: what the verb shares with its tables


def _remember(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    ctx.meta[_WIDE] = value


def table_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of every verb that writes one table."""
    function = click.option(
        "--wide",
        is_flag=True,
        expose_value=False,
        callback=_remember,
        help="All columns of a table, whole, also where the terminal is narrower.",
    )(function)
    return click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="Table for people; csv, tsv, jsonl for programs.",
    )(function)


def output_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options that all listing verbs share."""
    function = click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, writable=True, allow_dash=True),
        default="-",
        help="File to write to; '-' is standard output.",
        show_default=True,
    )(function)
    function = click.option("--limit", type=click.IntRange(min=0), help="At most so many rows.")(function)
    return table_options(function)


def write_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    format_: str,
    limit: int | None = None,
    output: str | Path = "-",
    first: Sequence[str] = (),
) -> None:
    """Write rows in one of ``FORMATS``.

    Floats have four digits after the point; none, and what is no number, is an empty cell (null in JSON). A file is
    replaced when all is written, and never by a list without rows. Where the verb has `table_options`, a table that is
    longer than the terminal goes through the user's pager.

    Args:
        columns: their names.
        rows: written as they come.
        format_: one of ``FORMATS``.
        limit: at most so many rows.
        output: a file, or ``-``.
        first: columns of a table in the order of their importance, where the terminal has no room for all.

    Args:
        columns: their names.
        rows: as many values each as there are columns.
        format_: one of ``FORMATS``.
        limit: at most so many rows; None for all.
        output: the file; ``-`` is standard output.

    Raises:
        OutputError: ``output`` is a file that the verb reads; or it exists, and there is no row.
    """
    rows = rows if limit is None else islice(rows, limit)
    if str(output) == "-":
        _write(columns, rows, format_, sys.stdout, first)
        return
    refuse_inputs(output)
    with replacing(Path(output)) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        if not _write(columns, rows, format_, text, first):
            refuse_empty(Path(output))
        text.detach()


def _write(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], format_: str, file: IO[str], first: Sequence[str]
) -> int:
    """Return how many rows there were."""
    written = 0
    if format_ == "table":
        ctx = click.get_current_context(silent=True)
        wide = None if ctx is None else ctx.meta.get(_WIDE)
        return write_table(
            columns, rows, file, cell=_cell, wide=bool(wide), first=first, pager=file is sys.stdout and wide is not None
        )
    if format_ == "jsonl":
        for row in rows:
            record = {name: _plain(value) for name, value in zip(columns, row, strict=True)}
            file.write(json.dumps(record, ensure_ascii=False).replace("\x7f", "\\u007f") + "\n")
            written += 1
    elif format_ == "csv":
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_cell(value) for value in row])
            written += 1
    else:
        file.write("\t".join(columns) + "\n")
        for row in rows:
            cells = [_cell(value) for value in row]
            if CONTROL.search("".join(cells)):
                cells = list(map(visible, cells))
            file.write("\t".join(cells) + "\n")
            written += 1
    file.flush()
    return written


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 4)
    return value


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4f}"
    return str(value)
