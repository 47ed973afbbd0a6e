"""``evaluate``: accuracy against gold labels."""

from __future__ import annotations

import math
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.messages.say_left_out import say_left_out
from graphlang.cli.shared.tables.output import wide, write_json, write_line, write_rows
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.db import StoreError, open_existing
from graphlang.db.runs.run import all_runs, chosen_run, get_run
from graphlang.evaluation import evaluate as evaluation
from graphlang.printing.counted import counted

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs.run import Run


@click.command()
@options.database
@click.option(
    "--gold",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Table (tabs, commas or semicolons) with a header line and the columns url and language.",
)
@click.option("--by", metavar="COLUMN", help="Group by this column of the gold file, too.")
@options.choose_run
@click.option("--all-runs", is_flag=True, help="Every finished run, one after the other.")
@click.option("--confusion", type=WholeNumber(0), default=10, show_default=True, help="Commonest confusions shown.")
@click.option("--by-language", is_flag=True, help="Precision and recall of each language, too.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("table", "json")),
    default="table",
    show_default=True,
    help="Table for people, json for programs.",
)
@wide
def evaluate(
    db: Path,
    gold: Path,
    by: str | None,
    run_id: int | None,
    confusion: int,
    format_: str,
    *,
    all_runs: bool,
    by_language: bool,
) -> None:
    """Compare the languages of DB with gold labels.

    It prints the accuracy of all pages, by length, and by a column of the file. If the pages were drawn at random
    ('graphlang review --random'), the accuracy of the whole collection lies between 'low' and 'high' with 95 %.
    'linked' counts the pages with at least one inlink. 'calibration_error' is the mean distance between confidence and
    accuracy.
    A page counts once, and not at all where lines of the file say different languages of it.
    Pages that somebody corrected by hand are a group of their own, 'corrected', and in no other.
    The precision of a language is the share of right pages among those that are taken for it, its recall the share that
    is found of the pages in it. JSON has them always.

    \b
    Examples:
      graphlang evaluate crawl.db --gold gold.tsv --by bucket
      graphlang evaluate crawl.db --gold gold.csv --by-language
      graphlang evaluate crawl.db --gold gold.tsv --all-runs --format json
    """
    if all_runs and run_id is not None:
        raise click.UsageError("--run and --all-runs: choose one")
    with closing(open_existing(db)) as connection:
        chosen = _runs(connection, run_id, every=all_runs)
    with answered(db, *(run.id for run in chosen)) as connection:
        answers = evaluation.read_gold(connection, gold, by)
        if not answers.pages:
            raise StoreError(_why_none(gold, answers))
        results = [evaluation.evaluate(connection, answers, run, by) for run in chosen]
    if format_ == "json":
        write_json({"gold": _gold(answers), "runs": [_json(result) for result in results]}, indent=2)
    else:
        for result in results:
            _print(result, confusion, by_language=by_language)
        say_left_out(answers)


def _why_none(path: Path, gold: evaluation.Gold) -> str:
    unknown = sum(gold.unknown.values())
    if gold.empty and not (gold.missing or unknown or gold.contradicted):
        return f"{path} names no language: the column 'language' is empty in {counted(gold.empty, 'line')}"
    of_codes = f", and {counted(unknown, 'line')} with an unknown language code" if unknown else ""
    if gold.contradicted:
        of_codes += f", and {counted(gold.contradicted, 'page')} of which lines say different languages"
    missing = counted(gold.missing, "URL")
    return f"none of the pages of {path} is in this database: {missing} that it does not have{of_codes}"


def _runs(connection: sqlite3.Connection, run_id: int | None, *, every: bool) -> list[Run]:
    if every:
        return [run for run in all_runs(connection) if run.finished is not None]
    run = chosen_run(connection) if run_id is None else get_run(connection, run_id)
    if run is None:
        raise StoreError("nothing is classified yet: run 'graphlang classify' first")
    return [run]


def _print(result: evaluation.Evaluation, confusion: int, *, by_language: bool) -> None:
    write_line(f"run {result.run.id}: {result.run.kind} by {result.run.method}")
    write_rows(evaluation.Group._fields, result.groups, format_="table")
    if by_language:
        write_rows(evaluation.OfLanguage._fields, result.languages, format_="table")
    if confusion and result.confusion:
        write_rows(("gold", "answer", "pages"), result.confusion, format_="table", limit=confusion)


def _gold(gold: evaluation.Gold) -> dict[str, Any]:
    return {
        "pages": len(gold.pages),
        "empty": gold.empty,
        "missing": gold.missing,
        "repeated": gold.repeated,
        "contradicted": gold.contradicted,
        "unknown_codes": dict(gold.unknown),
    }


def _json(result: evaluation.Evaluation) -> dict[str, Any]:
    return {
        "run": {"id": result.run.id, "kind": result.run.kind, "method": result.run.method},
        "groups": [{name: _number(value) for name, value in group._asdict().items()} for group in result.groups],
        "languages": [{name: _number(value) for name, value in one._asdict().items()} for one in result.languages],
        "confusion": [{"gold": gold, "answer": answer, "pages": count} for gold, answer, count in result.confusion],
    }


def _number(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 6)
    return value
