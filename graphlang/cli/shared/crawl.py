"""The collection that a verb works on, and messages about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from graphlang.cli.shared.log import log, remember, say
from graphlang.cli.shared.progress import bars
from graphlang.printing import quantity, visible

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.collection import Collection
    from graphlang.db.lock import Holder
    from graphlang.db.runs.run import Run
    from graphlang.evaluation.evaluate import Gold

_WAIT = "graphlang.wait"
_UNKNOWN_CODES: Final = 10  # shown: a column of something else has as many as the file has lines
_UPDATE: Final = {"propagation": "propagate DB --update", "vote": "vote DB"}

#: The option of all verbs that write.
waits = click.option(
    "--wait",
    is_flag=True,
    expose_value=False,
    callback=remember(_WAIT),
    envvar="GRAPHLANG_WAIT",
    help="Wait for another process that is writing to the database [env: GRAPHLANG_WAIT].",
)


def open_crawl(db: Path) -> Collection:
    """Open the collection; with --wait, methods that write wait for other processes."""
    from graphlang.collection import Collection  # noqa: PLC0415 - `identify` does without

    return Collection(db, wait=bool(click.get_current_context().meta.get(_WAIT)), on_wait=_say_waiting)


def _say_waiting(holder: Holder | None) -> None:
    say(f"waiting for {holder or 'another process'}", "waiting")


def open_answered(db: Path, *runs: int | None) -> Collection:
    """Open the collection, and infer the languages of URLs that were only linked to, with a progress bar.

    The runs are those that the verb reads: None, and no run at all, is the one that the views show.
    """
    crawl = open_crawl(db)
    with bars() as progress:
        crawl.answer_unfetched(*runs, progress=progress)
    if not runs or None in runs:
        say_outdated(crawl)
    return crawl


def say_outdated(crawl: Collection, *, unfetched: bool = True) -> None:
    """Print where ``und`` means that the chosen run has no answer, and which verb gives one."""
    reason = crawl.outdated(unfetched=unfetched)
    run = None if reason is None else crawl.chosen()
    if run is None:
        return
    if reason == "read-only":
        message = (
            f"most unfetched URLs are und: run {run.id} has no answers for them, and {crawl.path} is"
            " read-only; use a copy that can be written, or list them once before you copy the database"
        )
    else:
        message = f"Results are out of date (run {run.id})"
        if reason == "corrected":
            message += ": pages were corrected since, and most unfetched URLs are und"
        message += f". Update them: graphlang {_UPDATE.get(run.kind, 'classify DB')}"
    say(message, "unseen", run=run.id)


def say_unclassified(crawl: Collection) -> None:
    """Print which verb gives languages to a collection that was only read."""
    if crawl.chosen() is None:
        path = visible(str(crawl.path))
        say(f"nothing is classified yet, so pages are und: graphlang classify {path}", "unclassified")


def say_unanswered(pages: int) -> None:
    """Print how many pages of other years have no language yet."""
    if pages:
        have = "has" if pages == 1 else "have"
        message = f"{quantity(pages, 'page')} of other years {have} no language yet: graphlang propagate DB --each year"
        say(message, "unanswered", pages=pages)


def say_run(run: Run, *, note: str = "") -> None:
    """Print the method of a run, and how it ended."""
    message = f"run {run.id}: {run.title}, {quantity(run.pages or 0, 'page')}"
    if run.converged is not None and run.kind == "propagation":
        message += f", {describe_end(run)}"
    if run.seeds:
        message += f", from run {run.seeds[0]}"
    if run.at is not None:
        message += f", at {run.at}"
    names = ("id", "kind", "method", "pages", "rounds", "converged", "seeds", "at")
    say(message + note, "run", **{name: getattr(run, name) for name in names})


def say_years(runs: list[Run]) -> None:
    """Print one line about the runs of all years; for programs one event each."""
    if log().json:
        for run in runs:
            say_run(run)
        return
    end = [f"{run.at} stopped at the limit" for run in runs if run.converged is False] or ["all converged"]
    what = f"{quantity(len(runs), 'year')}, {runs[0].at} to {runs[-1].at}"
    say(f"{what}: runs {runs[0].id} to {runs[-1].id}, {', '.join(end)}")


def describe_end(run: Run) -> str:
    """Return how the rounds of a run ended."""
    end = "converged" if run.converged else "stopped at the limit"
    return f"{end} after {quantity(run.rounds or 0, 'round')}"


def say_unused_gold(gold: Gold) -> None:
    """Print which lines of a gold file do not count, and why."""
    if gold.empty:
        say(f"{quantity(gold.empty, 'line')} of the gold file without a language, skipped")
    if gold.missing:
        say(f"{quantity(gold.missing, 'gold page')} {'is' if gold.missing == 1 else 'are'} not in the database")
    if gold.repeated:
        verb = "repeats" if gold.repeated == 1 else "repeat"
        say(f"{quantity(gold.repeated, 'line')} of the gold file {verb} a page")
    if gold.contradicted:
        say(f"{quantity(gold.contradicted, 'gold page')} skipped: lines with different languages for one page")
    for tag, count in gold.unknown.most_common(_UNKNOWN_CODES):
        say(f"unknown language code in the gold file: {visible(tag)} ({quantity(count, 'line')}, skipped)")
    if rest := gold.unknown.most_common()[_UNKNOWN_CODES:]:
        lines = sum(count for _, count in rest)
        say(f"and {quantity(len(rest), 'other unknown code')} ({quantity(lines, 'line')}, skipped)")
