"""``runs``: what was computed, and which run is shown."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.db import open_existing
from graphlang.db.runs.run import all_runs, choose_run, chosen_run
from graphlang.printing.as_json import json_text

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.db.runs.run import Run


_SHOWN = 120  #: characters of parameters in a table


_RUN_COLUMNS = (
    "chosen",
    "id",
    "kind",
    "method",
    "model_hash",
    "seeds",
    "pages",
    "rounds",
    "converged",
    "started",
    "finished",
    "parameters",
)


#: What a narrow terminal shows first.
_FIRST = ("id", "chosen", "kind", "method", "pages", "seeds", "finished", "converged", "rounds", "parameters")


@click.command()
@options.database
@click.option("--choose", type=WholeNumber(1), metavar="RUN", help="Let the views show this run.")
@waits
@output_options
def runs(db: Path, choose: int | None, format_: str, limit: int | None, output: str) -> None:
    """List all runs, or choose the one that the views show.

    The table shows the beginning of long parameters; the other formats have them whole.

    \b
    Examples:
      graphlang runs crawl.db
      graphlang runs crawl.db --choose 2
    """
    with closing(open_existing(db)) if choose is None else writing(db) as connection:
        if choose is not None:
            choose_run(connection, choose)
        chosen = chosen_run(connection)
        rows = [_run_row(run, chosen) for run in all_runs(connection)]
    if format_ == "table":  # a trained model has pages of them
        rows = [[*row[:-1], _short(row[-1])] for row in rows]
    write_rows(_RUN_COLUMNS, rows, format_=format_, limit=limit, output=output, first=_FIRST)


def _short(words: str) -> str:
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]} …"


def _run_row(run: Run, chosen: Run | None) -> list[Any]:
    return [
        "*" if chosen is not None and run.id == chosen.id else "",
        run.id,
        run.kind,
        run.method,
        run.model_hash[:12] if run.model_hash else None,
        " ".join(map(str, run.seeds)),
        run.pages,
        run.rounds,
        None if run.converged is None else int(run.converged),
        run.started,
        run.finished,
        json_text(run.parameters),
    ]
