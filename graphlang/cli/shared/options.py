"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path

import click

database = click.argument("db", type=click.Path(dir_okay=False, path_type=Path))

quiet = click.option("-q", "--quiet", is_flag=True, help="No progress bars and no summary.")

seed = click.option("--seed", type=click.IntRange(min=1), metavar="RUN", help="Content run to start from; the newest.")

keep_chosen = click.option(
    "--keep-chosen", is_flag=True, help="Leave the run that the views show as it is, instead of showing this one."
)

min_confidence = click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Pages below count as und.",
)

choose_run = click.option(
    "--run", "run_id", type=click.IntRange(min=1), metavar="RUN", help="Run to use; by default the chosen one."
)
