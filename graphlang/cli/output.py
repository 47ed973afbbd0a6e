"""How listing verbs write their rows: a table for people, CSV, TSV and JSON lines for programs.

What comes from a crawl is hostile: control characters never reach the terminal, and no cell can break out of its row.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from rich.console import Console

FORMATS = ("table", "csv", "tsv", "jsonl")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
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


def visible(text: str) -> str:
    r"""Text with control and direction characters shown as escapes, so that they can do nothing to a terminal.

    >>> visible("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def write_rows(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    format_: str,
    limit: int | None = None,
    output: str | Path = "-",
) -> None:
    """Write rows in one of ``FORMATS``.

    Floats have four digits after the point; none, and what is no number, is an empty cell (null in JSON).
    """
    rows = _first(rows, limit)
    with _open(output) as file:
        if format_ == "table":
            _table(columns, rows, file)
        elif format_ == "jsonl":
            for row in rows:
                record = {name: _plain(value) for name, value in zip(columns, row, strict=True)}
                file.write(json.dumps(record, ensure_ascii=False).replace("\x7f", "\\u007f") + "\n")
        elif format_ == "csv":
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows([_cell(value) for value in row] for row in rows)
        else:
            file.write("\t".join(columns) + "\n")
            for row in rows:
                cells = [_cell(value) for value in row]
                if _CONTROL.search("".join(cells)):
                    cells = list(map(visible, cells))
                file.write("\t".join(cells) + "\n")


def _first(rows: Iterable[Sequence[Any]], limit: int | None) -> Iterator[Sequence[Any]]:
    for number, row in enumerate(rows):
        if limit is not None and number >= limit:
            return
        yield row


@contextmanager
def _open(output: str | Path) -> Iterator[IO[str]]:
    if str(output) == "-":
        yield sys.stdout
        return
    with click.open_file(str(output), "w", encoding="utf-8") as file:
        yield file


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


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: IO[str]) -> None:
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


def console(file: IO[str] | None = None) -> Console:
    """A console for tables: as wide as the terminal, or wide enough for URLs where there is none."""
    from rich.console import Console  # noqa: PLC0415

    stream = file or sys.stdout
    return Console(file=stream, width=None if stream.isatty() else _TABLE_WIDTH, highlight=False, emoji=False)
