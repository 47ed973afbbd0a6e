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

from graphlang.cli.shared.targets import refuse_inputs
from graphlang.visible import CONTROL, visible
from graphlang.whole_file import refuse_empty, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rich.console import Console

FORMATS = ("table", "csv", "tsv", "jsonl")
_TABLE_WIDTH = 200


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
    return click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="Table for people; csv, tsv, jsonl for programs.",
    )(function)


def write_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    format_: str,
    limit: int | None = None,
    output: str | Path = "-",
) -> None:
    """Write rows in one of ``FORMATS``.

    Floats have four digits after the point; none, and what is no number, is an empty cell (null in JSON). A file is
    replaced when all is written, and never by a list without rows.

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
        _write(columns, rows, format_, sys.stdout)
        return
    refuse_inputs(output)
    with replacing(Path(output)) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        if not _write(columns, rows, format_, text):
            refuse_empty(Path(output))
        text.detach()


def _write(columns: Sequence[str], rows: Iterable[Sequence[Any]], format_: str, file: IO[str]) -> int:
    """Return how many rows there were."""
    written = 0
    if format_ == "table":
        return _table(columns, rows, file)
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


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: IO[str]) -> int:
    # Programs that read CSV, and verbs that list nothing, do without.
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415
    from rich.markup import escape  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    listed = [list(row) for row in rows]
    for number, name in enumerate(columns):
        numeric = any(isinstance(row[number], (int, float)) for row in listed)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        table.add_row(*(escape(visible(_cell(value))) for value in row))
    console(file).print(table)
    file.flush()
    return len(listed)


def console(file: IO[str] | None = None) -> Console:
    """A console for tables: as wide as the terminal, or wide enough for URLs where there is none."""
    from rich.console import Console  # noqa: PLC0415

    stream = file or sys.stdout
    return Console(file=stream, width=None if stream.isatty() else _TABLE_WIDTH, highlight=False, emoji=False)
