"""``tune``: weights of the inference, fitted on labelled pages."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import click

from graphlang.analysis import propagate as propagating
from graphlang.analysis.arrays import graph_input, signals
from graphlang.cli.shared import options
from graphlang.cli.shared.files.targets import refuse_before_work
from graphlang.cli.shared.messages.log import log, logs, say
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.messages.say_left_out import say_left_out
from graphlang.cli.shared.tables.output import write_rows
from graphlang.db import open_existing
from graphlang.evaluation import evaluate as evaluation
from graphlang.evaluation import tune as tuning
from graphlang.graph.propagation.inference import Options
from graphlang.printing.as_json import json_text
from graphlang.printing.counted import counted
from graphlang.whole_file import replacing


@click.command()
@options.database
@click.option(
    "--gold",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Table (tabs or commas) with a header line and the columns url and language.",
)
@click.option(
    "--also",
    nargs=2,
    multiple=True,
    metavar="DB GOLD",
    type=(click.Path(exists=True, dir_okay=False, path_type=Path), click.Path(dir_okay=False, path_type=Path)),
    help="Another collection with its gold file, to fit on them together; can be given several times.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="JSON file for the weights; 'graphlang propagate --weights' reads it.",
)
@click.option(
    "--even",
    is_flag=True,
    help="Start from weights of 1 instead of the shipped weights, which this command has fitted.",
)
@options.seed
@logs
def tune(
    db: Path,
    gold: Path,
    also: tuple[tuple[Path, Path], ...],
    output: Path,
    seed: int | None,
    *,
    even: bool,
) -> None:
    """Fit the weights of the inference on labelled pages.

    What they are worth is measured on sites that were held out.

    \b
    Examples:
      graphlang tune crawl.db --gold gold.tsv -o weights.json
      graphlang tune crawl.db --gold gold.tsv --also other.db other.tsv -o weights.json
      graphlang propagate crawl.db --weights weights.json
    """
    refuse_before_work(output, *chain.from_iterable(also))
    defaults = {**asdict(Options()), **propagating.SIGNALS}
    if even:
        defaults |= dict.fromkeys(tuning.WEIGHTS, 1.0)
    labelled = []
    for path, labels in ((db, gold), *also):
        with closing(open_existing(path)) as connection:
            answers = evaluation.read_gold(connection, labels, None)
            run = graph_input.seed_run(connection, seed)
            labelled.append((graph_input.load(connection, run, dict.fromkeys(signals.NAMES, 1.0)), answers))
    with bars() as shown:
        found = tuning.tune(labelled, defaults, progress=shown)
    with replacing(output) as file:
        file.write(f"{json_text(found.weights, indent=1)}\n".encode())
    if log().quiet:
        return
    for _, answers in labelled:
        say_left_out(answers)
    say(f"{counted(found.pages, 'gold page')} on {counted(found.sites, 'site')}")
    say(f"loss on these pages: {found.loss_before:.4f} before, {found.loss:.4f} after")
    if found.held_out is not None:
        say(f"loss on held-out sites: {found.held_out_before:.4f} before, {found.held_out:.4f} after")
    write_rows(("weight", "before", "after"), [(n, defaults[n], w) for n, w in found.weights.items()], format_="table")
