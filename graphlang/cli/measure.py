"""Verbs that measure and compare: ``evaluate``, ``compare``, ``tune`` and ``score``."""

from __future__ import annotations

import math
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from graphlang.cli.failures import USAGE, Failure
from graphlang.cli.shared import options
from graphlang.cli.shared.crawl import open_answered, open_crawl, say_unanswered, say_unused_gold
from graphlang.cli.shared.log import log, logs, say
from graphlang.cli.shared.options import WholeNumber
from graphlang.cli.shared.output import (
    RowOptions,
    output_options,
    wide_option,
    write_json,
    write_line,
    write_list,
    write_rows,
)
from graphlang.cli.shared.paths import refuse_before_work
from graphlang.cli.shared.progress import bars
from graphlang.collection.opened_file import NOTHING_YET
from graphlang.db import StoreError
from graphlang.files import open_replacement
from graphlang.maps.changes import UNITS
from graphlang.printing import format_json, quantity
from graphlang.urls.url_methods import DEFAULT

if TYPE_CHECKING:
    from graphlang.collection import Collection
    from graphlang.db.runs.run import Run
    from graphlang.evaluation.evaluate import Evaluation, Gold
    from graphlang.rows import Rows


@click.command()
@options.database
@options.gold
@click.option("--by", metavar="COLUMN", help="Also group by this column of the gold file.")
@options.choose_run
@click.option("--all-runs", is_flag=True, help="Evaluate every finished run.")
@click.option("--confusion", type=WholeNumber(0), default=10, show_default=True, help="Number of confusions to list.")
@click.option("--by-language", is_flag=True, help="Also print precision and recall of each language.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("table", "json")),
    default="table",
    show_default=True,
    help="Table for people, json for programs.",
)
@wide_option
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
    ('graphlang review --random'), 'low' and 'high' are a 95 % interval for the whole collection. 'linked' counts
    the pages with at least one inlink. 'calibration_error' is the mean distance between confidence and accuracy.

    A page counts once, and not at all if lines of the file have different languages for it. Pages that were
    corrected by hand are only in the group 'corrected'. The precision of a language is the share of right pages
    among those with this answer, its recall the share of its pages that have this answer. JSON always has both.

    \b
    Examples:
      graphlang evaluate crawl.db --gold gold.tsv --by bucket
      graphlang evaluate crawl.db --gold gold.csv --by-language
      graphlang evaluate crawl.db --gold gold.tsv --all-runs --format json
    """
    if all_runs and run_id is not None:
        raise click.UsageError("--run and --all-runs: choose one")
    runs: list[int | None] = [run_id]
    if all_runs:
        runs = [run.id for run in open_crawl(db).runs() if run.finished is not None]
    crawl = open_answered(db, *runs)
    if run_id is None and crawl.chosen() is None:
        raise StoreError(NOTHING_YET)
    labels = crawl.read_gold(gold, by=by)
    results = [crawl.evaluate(labels, by=by, run=run) for run in runs]
    if format_ == "json":
        write_json({"gold": _list_gold_counts(labels), "runs": list(map(_list_facts, results))}, indent=2)
    else:
        for result in results:
            _print(result, confusion, by_language=by_language)
        say_unused_gold(labels)


def _print(result: Evaluation, confusion: int, *, by_language: bool) -> None:
    from graphlang.evaluation.evaluate import Group, LanguageScore  # noqa: PLC0415

    write_line(f"run {result.run.id}: {result.run.title}")
    write_rows(Group._fields, result.groups, format_="table")
    if by_language:
        write_rows(LanguageScore._fields, result.languages, format_="table")
    if confusion and result.confusion:
        write_rows(("gold", "answer", "pages"), result.confusion, format_="table", limit=confusion)


def _list_gold_counts(gold: Gold) -> dict[str, Any]:
    return {
        "pages": len(gold.pages),
        "empty": gold.empty,
        "missing": gold.missing,
        "repeated": gold.repeated,
        "contradicted": gold.contradicted,
        "unknown_codes": dict(gold.unknown),
    }


def _list_facts(result: Evaluation) -> dict[str, Any]:
    def rounded(rows: list[Any]) -> list[dict[str, Any]]:
        return [{name: _round_number(value) for name, value in row._asdict().items()} for row in rows]

    return {
        "run": {"id": result.run.id, "kind": result.run.kind, "method": result.run.method},
        "groups": rounded(result.groups),
        "languages": rounded(result.languages),
        "confusion": [{"gold": gold, "answer": answer, "pages": count} for gold, answer, count in result.confusion],
    }


def _round_number(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 6)
    return value


@click.command()
@options.database
@click.argument("others", nargs=-1, metavar="[RUN RUN | DB]")
@click.option("--years", nargs=2, type=click.IntRange(0, 9999), metavar="YEAR YEAR", help="Compare two calendar years.")
@click.option("--count", is_flag=True, help="Count the pages, instead of listing them.")
@click.option(
    "--by",
    type=click.Choice(UNITS),
    help="With --count, for years and databases: what to count by; by default the language.",
)
@click.option("--fetched", is_flag=True, help="For runs: only fetched pages; by default unfetched URLs count, too.")
@output_options
def compare(
    db: Path,
    others: tuple[str, ...],
    years: tuple[int, int] | None,
    by: str | None,
    *,
    count: bool,
    fetched: bool,
    **target: Unpack[RowOptions],
) -> None:
    """List pages that changed: between runs, years or databases.

    Years and databases: 'gained' are pages that only the later one has, 'lost' those that only the earlier one has,
    'switched' those of both that are in another language. A page counts once a year, see 'graphlang sites --by
    year'. --count has a row for each language (or host, or domain), the greatest changes first.

    Runs: a content run has no answer (und) for unfetched URLs, so all of them differ from a later run. With --count
    they are in the bucket 'unfetched'; the others are grouped by the length of their text.

    Runs by different methods are compared with a warning: they differ for reasons of their own.

    \b
    Examples:
      graphlang compare crawl.db 1 3 --fetched
      graphlang compare crawl.db --years 2024 2025 --count
      graphlang compare old.db new.db --count --by host --format csv
    """
    numbers = [name for name in others if name.isascii() and name.isdecimal() and not Path(name).exists()]
    runs = [WholeNumber(1).convert(name, None, None) for name in numbers]
    if by is not None and not count:
        raise click.UsageError("--by needs --count")
    if years is not None or len(runs) != len(others) or not others:
        if fetched:
            raise click.UsageError("--fetched is for runs: of years and databases, only fetched pages are compared")
        write_list(_compare_collections(db, others, years, by or "language" if count else None), **target)
        return
    if len(runs) != 2:  # noqa: PLR2004 - a comparison has two
        raise click.UsageError("name two runs, or another database, or --years")
    if by is not None:
        raise click.UsageError("--by is for years and databases; runs are counted by languages and length")
    crawl = open_answered(db, *runs)
    _warn_of_methods(*(run for number in runs for run in crawl.runs() if run.id == number))
    rows: Rows[Any] = crawl.compare(*runs, fetched=fetched)
    if count:
        rows = crawl.count_changes(*runs, fetched=fetched)
    write_list(rows, first=("url", "before", "after", "confidence_after"), **target)


def _compare_collections(db: Path, others: tuple[str, ...], years: tuple[int, int] | None, by: str | None) -> Rows[Any]:
    crawl = open_crawl(db)
    if years is not None:
        if others:
            raise click.UsageError("--years compares years of one database: name no runs, and no other database")
        say_unanswered(crawl.unanswered())
        return crawl.compare_years(*(f"{year:04}" for year in years), by=by)
    if len(others) != 1:
        raise click.UsageError("name two runs, or another database, or --years")
    later = open_crawl(Path(others[0]))
    _warn_of_methods(*filter(None, (crawl.chosen(), later.chosen())))
    return crawl.compare_with(later.path, by=by)


def _warn_of_methods(*runs: Run) -> None:
    """Warn if runs differ by more than the pages that they answer for."""
    names = list(dict.fromkeys(run.title for run in runs))
    if any(run.id in other.seeds for run in runs for other in runs):
        return  # one started from the other: the difference is its effect
    if len(names) > 1:
        say(f"Warning: the runs are of different kinds ({', '.join(names)}): they differ for that reason, too")
    elif len({run.model_hash for run in runs}) > 1:
        say("Warning: the runs are by different models: they differ for that reason, too")
    elif len({run.at for run in runs}) > 1:
        say("Warning: the runs are of different times: they have other captures, too")


@click.command()
@options.database
@options.gold
@click.option(
    "--also",
    "additional",
    nargs=2,
    multiple=True,
    metavar="DB GOLD",
    type=(click.Path(exists=True, dir_okay=False, path_type=Path), click.Path(dir_okay=False, path_type=Path)),
    help="Another collection and its gold file, to fit on all together; repeatable.",
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
    additional: tuple[tuple[Path, Path], ...],
    output: Path,
    seed: int | None,
    *,
    even: bool,
) -> None:
    """Fit the weights of the inference on labelled pages.

    The fit is measured on held-out sites.

    \b
    Examples:
      graphlang tune crawl.db --gold gold.tsv -o weights.json
      graphlang tune crawl.db --gold gold.tsv --also other.db other.tsv -o weights.json
      graphlang propagate crawl.db --weights weights.json
    """
    refuse_before_work(output, *chain.from_iterable(additional))
    labelled: list[tuple[Collection, Gold]] = []
    for path, labels in ((db, gold), *additional):
        crawl = open_crawl(path)
        labelled.append((crawl, crawl.read_gold(labels)))
    (crawl, answers), *rest = labelled
    with bars() as progress:
        tuned = crawl.tune(answers, also=rest, even=even, seed=seed, progress=progress)
    with open_replacement(output) as file:
        file.write(f"{format_json(tuned.weights, indent=1)}\n".encode())
    if log().quiet:
        return
    for _, answers in labelled:
        say_unused_gold(answers)
    say(f"{quantity(tuned.pages, 'gold page')} on {quantity(tuned.sites, 'site')}")
    say(f"loss on these pages: {tuned.loss_before:.4f} before, {tuned.loss:.4f} after")
    if tuned.held_out is not None:
        say(f"loss on held-out sites: {tuned.held_out_before:.4f} before, {tuned.held_out:.4f} after")
    before = crawl.start_weights(even=even)
    rows = [(name, before[name], weight) for name, weight in tuned.weights.items()]
    write_rows(("weight", "before", "after"), rows, format_="table")


def _codes(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    del context, parameter
    if value is None:
        return None
    codes = tuple(dict.fromkeys(_code(tag.strip()) for tag in value.split(",")))
    if len(codes) < 2:  # noqa: PLR2004
        raise click.BadParameter("name two languages or more")
    return codes


def _code(tag: str) -> str:
    from graphlang.codes import languages  # noqa: PLC0415

    code = languages.code(tag)
    if code is None:
        raise click.BadParameter(f"unknown language {tag!r}")
    return code


@click.command()
@click.argument("urls", type=click.Path(exists=True, path_type=Path))
@click.option("--method", default=DEFAULT, show_default=True, help="URL method, model file, or two merged.")
@click.option(
    "--languages",
    "codes",
    callback=_codes,
    metavar="CODES",
    help="Only URLs of these languages, with commas between them; otherwise all that the file and the method share.",
)
@click.option("--confusion", is_flag=True, help="Shares of yes: a row for each language, a column for each classifier.")
@output_options
def score(
    urls: Path, method: str, codes: tuple[str, ...] | None, *, confusion: bool, **target: Unpack[RowOptions]
) -> None:
    """Score a URL method on labelled URLs (Baykan et al. 2008).

    URLS is a table with the columns lang (or language) and url, or a folder with one sub-folder per language. For every
    URL and language the method answers yes or no. Precision and F are computed as if half of the URLs were in the
    language. "negative" is the share of the URLs in other languages for which the method rightly answers no. The paper
    defines these measures in section 4.2.

    \b
    Examples:
      graphlang score urls.tsv --method url --languages en,de,fr,es,it
      graphlang score urls.tsv --method 'url-words-me or url-words-re' --confusion
    """
    from graphlang.urls import url_methods  # noqa: PLC0415
    from graphlang.urls.labelled_urls import UrlMeasures, decide_urls, read_urls  # noqa: PLC0415

    identifier = url_methods.load(method)
    try:
        rows = read_urls(urls)
    except ValueError as error:
        raise Failure(f"{urls}: {error}", USAGE) from error
    try:
        decisions = decide_urls(identifier, rows, codes)
    except ValueError as error:
        raise Failure(f"languages to score: {error}", USAGE) from error
    if confusion:
        columns = ("language", *decisions.languages)
        write_rows(columns, decisions.compute_confusion(), **target)
        return
    lines = [(code, count, *measures) for code, count, measures in decisions.compute_measures()]
    write_rows(("language", "urls", *UrlMeasures._fields), lines, **target)
