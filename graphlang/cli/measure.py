"""``evaluate``: accuracy against gold labels; ``compare``: what changed from run to run; ``tune`` the weights."""

from __future__ import annotations

import json
import math
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang import compare as comparing
from graphlang import evaluate as evaluation
from graphlang import tune as tuning
from graphlang.analysis import propagate as propagating
from graphlang.analysis import seeds, signals
from graphlang.cli import options
from graphlang.cli.output import output_options, visible, write_rows
from graphlang.cli.progress import bars
from graphlang.db import StoreError, open_existing, runs
from graphlang.graph.propagate import Options

if TYPE_CHECKING:
    import sqlite3


@click.command()
@options.database
@click.option(
    "--gold",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Tab-separated file with a header line and the columns url and language.",
)
@click.option("--by", metavar="COLUMN", help="Group by this column of the gold file, too.")
@options.choose_run
@click.option("--all-runs", is_flag=True, help="Every finished run, one after the other.")
@click.option(
    "--confusion", type=click.IntRange(min=0), default=10, show_default=True, help="Commonest confusions shown."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(("table", "json")),
    default="table",
    show_default=True,
    help="Table for people, json for programs.",
)
def evaluate(
    db: Path, gold: Path, by: str | None, run_id: int | None, confusion: int, format_: str, *, all_runs: bool
) -> None:
    """Compare the languages of DB with gold labels: accuracy over all pages, by length and by a column of the file.

    'linked' counts the pages with at least one inlink; 'calibration_error' is the distance of confidence and accuracy.

    \b
    Examples:
      graphlang evaluate crawl.db --gold gold.tsv --by bucket
      graphlang evaluate crawl.db --gold gold.tsv --all-runs --format json
    """
    with closing(open_existing(db)) as connection:
        chosen = _runs(connection, run_id, all_runs=all_runs)
        answers = evaluation.read_gold(connection, gold, by)
        results = [evaluation.evaluate(connection, answers, run, by) for run in chosen]
    if format_ == "json":
        click.echo(json.dumps({"gold": _gold(answers), "runs": [_json(result) for result in results]}, indent=2))
    else:
        for result in results:
            _print(result, confusion)
        _notes(answers)
    if not answers.pages:
        raise StoreError("none of the gold pages is in this database")


def _runs(connection: sqlite3.Connection, run_id: int | None, *, all_runs: bool) -> list[runs.Run]:
    if all_runs:
        return [run for run in runs.every(connection) if run.finished is not None]
    run = runs.chosen(connection) if run_id is None else runs.get(connection, run_id)
    if run is None:
        raise StoreError("nothing is classified yet: run 'graphlang classify' first")
    return [run]


def _print(result: evaluation.Evaluation, confusion: int) -> None:
    click.echo(f"run {result.run.id}: {result.run.kind} by {result.run.method}")
    write_rows(evaluation.Group._fields, result.groups, format_="table")
    if confusion and result.confusion:
        write_rows(("gold", "answer", "pages"), result.confusion, format_="table", limit=confusion)


def _notes(gold: evaluation.Gold) -> None:
    if gold.missing:
        click.echo(f"{gold.missing:,} gold pages are not in the database", err=True)
    for tag, count in gold.unknown.items():
        click.echo(f"unknown language code in the gold file: {visible(tag)} ({count} lines, left out)", err=True)


def _gold(gold: evaluation.Gold) -> dict[str, Any]:
    return {"pages": len(gold.pages), "missing": gold.missing, "unknown_codes": dict(gold.unknown)}


def _json(result: evaluation.Evaluation) -> dict[str, Any]:
    return {
        "run": {"id": result.run.id, "kind": result.run.kind, "method": result.run.method},
        "groups": [{name: _number(value) for name, value in group._asdict().items()} for group in result.groups],
        "confusion": [{"gold": gold, "answer": answer, "pages": count} for gold, answer, count in result.confusion],
    }


def _number(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 6)
    return value


@click.command()
@options.database
@click.argument("before", type=click.IntRange(min=1), metavar="RUN")
@click.argument("after", type=click.IntRange(min=1), metavar="RUN")
@click.option("--count", is_flag=True, help="Only how many pages moved, by pair of languages and length.")
@output_options
def compare(db: Path, before: int, after: int, format_: str, limit: int | None, output: str, *, count: bool) -> None:
    """List the pages whose language differs between two runs.

    \b
    Examples:
      graphlang compare crawl.db 1 3
      graphlang compare crawl.db 1 3 --count --format csv
    """
    with closing(open_existing(db)) as connection:
        one, two = runs.get(connection, before), runs.get(connection, after)
        if count:
            found = comparing.counts(connection, one, two)
            write_rows(comparing.Count._fields, found, format_=format_, limit=limit, output=output)
        else:
            rows = comparing.changes(connection, one, two)
            write_rows(comparing.Change._fields, rows, format_=format_, limit=limit, output=output)


@click.command()
@options.database
@click.option(
    "--gold",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Tab-separated file with a header line and the columns url and language.",
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
@click.option("--even", is_flag=True, help="Start from weights of 1 and not from the shipped ones, which this made.")
@options.seed
@options.quiet
def tune(
    db: Path,
    gold: Path,
    also: tuple[tuple[Path, Path], ...],
    output: Path,
    seed: int | None,
    *,
    even: bool,
    quiet: bool,
) -> None:
    """Fit the weights of the inference on labelled pages, and say what they are worth on sites that were held out.

    \b
    Examples:
      graphlang tune crawl.db --gold gold.tsv -o weights.json
      graphlang tune crawl.db --gold gold.tsv --also other.db other.tsv -o weights.json
      graphlang propagate crawl.db --weights weights.json
    """
    defaults = {**asdict(Options()), **propagating.SIGNALS}
    if even:
        defaults |= dict.fromkeys(tuning.WEIGHTS, 1.0)
    labelled = []
    for path, labels in ((db, gold), *also):
        with closing(open_existing(path)) as connection:
            answers = evaluation.read_gold(connection, labels, None)
            run = seeds.seed_run(connection, seed)
            labelled.append((seeds.load(connection, run, dict.fromkeys(signals.NAMES, 1.0)), answers))
    with bars(quiet=quiet) as shown:
        found = tuning.tune(labelled, defaults, progress=shown)
    output.write_text(json.dumps(found.weights, indent=1) + "\n", encoding="utf-8")
    if not quiet:
        for _, answers in labelled:
            _notes(answers)
        click.echo(f"{found.pages:,} gold pages on {found.sites} sites", err=True)
        click.echo(f"loss on these pages: {found.loss_before:.4f} before, {found.loss:.4f} after", err=True)
        if found.held_out is not None:
            click.echo(
                f"loss on held-out sites: {found.held_out_before:.4f} before, {found.held_out:.4f} after", err=True
            )
    write_rows(("weight", "before", "after"), [(n, defaults[n], w) for n, w in found.weights.items()], format_="table")
