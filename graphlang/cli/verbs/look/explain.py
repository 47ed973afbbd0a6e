"""``explain``: why a page has its language."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from graphlang.analysis import explain as explaining
from graphlang.cli.shared import options
from graphlang.cli.shared.tables.output import write_json, write_line
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.codes import languages
from graphlang.db import open_existing
from graphlang.ingest.links.canonical import canonical
from graphlang.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphlang.db.corrections import Correction


@click.command()
@options.database
@click.argument("url")
@options.choose_run
@click.option(
    "--at",
    callback=options.moment,
    metavar="MOMENT",
    help="Use the run of this moment (2012, 2012-05, ...), which 'graphlang propagate --at' makes, and its captures.",
)
@click.option("--neighbours", type=WholeNumber(0), default=20, show_default=True, help="Neighbours shown.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Text for people, json for programs.",
)
def explain(db: Path, url: str, run_id: int | None, at: str | None, neighbours: int, format_: str) -> None:
    """Print why a page has its language.

    Printed are its text, declarations and URL, and every neighbour that had a say, round by round.

    \b
    Examples:
      graphlang explain crawl.db https://www.example.org/menu.html
      graphlang explain crawl.db https://www.example.org/menu.html --run 2 --format json
      graphlang explain crawl.db https://www.example.org/menu.html --at 2012
    """
    if at is not None and run_id is not None:
        raise click.UsageError("--at and --run name two runs: choose one")
    with closing(open_existing(db)) as connection:
        if at is not None:
            run_id = explaining.run_of(connection, at)
        found = explaining.explain(connection, canonical(url) or url, run=run_id)
    if format_ == "json":
        write_json(_json(found), indent=2)
    else:
        _print(found, neighbours)


def _json(found: explaining.Explanation) -> dict[str, Any]:
    return asdict(found) | {"corrections": [one._asdict() for one in found.corrections]}


def _print(found: explaining.Explanation, neighbours: int) -> None:
    write_line(visible(found.url))
    _print_answer(found)
    _print_page(found)
    _print_declarations(found)
    if found.reasons:
        _print_reasons(found, neighbours)
    if found.rounds:
        write_line(f"  rounds      {' -> '.join(_steps(found.rounds))}")


def _steps(rounds: list[explaining.Score]) -> Iterator[str]:
    """The start and each round in words; those that look the same, one after the other, once: a hundred often do."""
    for words, same in groupby(f"{step.language} {step.probability:.3f}" for step in rounds):
        times = sum(1 for _ in same)
        yield words if times == 1 else f"{words} (x {times})"


def _print_answer(found: explaining.Explanation) -> None:
    run = f"run {found.run.id}, {found.run.kind} by {found.run.method}" if found.run else "no run yet"
    if found.run and found.run.at:
        run += f", at {found.run.at}"
    if found.by_hand:
        run = "by hand"
    script = f" in {found.script}" if found.script else ""
    write_line(f"  answer      {_named(found.language)}{script}, confidence {found.confidence:.3f} ({run})")
    if found.runner_up:
        write_line(f"  runner-up   {_named(found.runner_up)}")
    for one in reversed(found.corrections):
        _print_correction(one)
    if found.stale:
        write_line("  note        pages were read or corrected since that run; the reasons below are those of today")


def _print_correction(one: Correction) -> None:
    note = f": {visible(one.note)}" if one.note else ""
    before = f"; before: {one.former}, confidence {one.former_confidence:.3f}" if one.former else "; before: no answer"
    undone = ""
    if one.undone:
        undone = f"; undone {one.undone}" + (f" by {visible(one.undone_by)}" if one.undone_by else "")
    said = f"{_named(one.language)} by {visible(one.corrected_by)}, {one.corrected}"
    write_line(f"  corrected   {said}{note}{before}{undone}")


def _print_page(found: explaining.Explanation) -> None:
    facts = found.facts
    if found.fetched:
        status = "no status" if facts["status"] is None else f"status {facts['status']}"
        mime, date = visible(str(facts["mime"])) or "no media type", facts["date"] or "no date"
        write_line(f"  page        {status}, {mime}, {date}, in {visible(str(facts['file']))}")
        if facts["charset"]:
            write_line(f"  charset     {visible(str(facts['charset']))} (on the word of: {facts['charset_from']})")
        write_line(f"  text        {facts['length']:,} characters: {visible(found.excerpt)}".rstrip())
    else:
        write_line("  page        never fetched, only linked to")
    scores = ", ".join(f"{score.language} {score.probability:.3f}" for score in found.text)
    write_line(f"  text says   {scores or 'nothing'}")


def _print_declarations(found: explaining.Explanation) -> None:
    for source, value, code in found.declared:
        write_line(f"  declared    {source}: {visible(value)} ({_named(code) if code else 'no language we know'})")
    for source, value, code in found.announced:
        write_line(
            f"  announced   hreflang {visible(value)} ({_named(code) if code else 'no language we know'})"
            f" by {visible(source)}"
        )
    if found.territory:
        write_line(f"  country     languages of its ccTLD: {', '.join(found.territory[:5])}")


def _print_reasons(found: explaining.Explanation, neighbours: int) -> None:
    best = found.rounds[-1].language if found.rounds else found.language
    if best != found.language and not found.by_hand and not found.stale:
        words = "neither it nor any page that links join it to tells a language: no answer"
        if found.unknown:
            words = (
                "its text is long and in no language that the method knows: no answer, and its links count for nothing"
            )
        write_line(f"  note        {words}, though {best} is likelier")
    # The runner-up is that of the stored answer; where pages were read or corrected since, another one may be second.
    second = f" over {found.runner_up}" if found.runner_up and best == found.language and not found.stale else ""
    write_line(f"  reasons     log-odds of {best}{second}: {found.log_odds or 0:+.2f}, the sum of")
    own = [reason for reason in found.reasons if reason.url is None]
    linked = [reason for reason in found.reasons if reason.url is not None]
    if found.run and found.run.kind == "vote" and linked and not any(reason.weight for reason in linked):
        write_line("  note        the pages that vote are in different languages: the vote abstains, its text decides")
    for reason in own + linked[:neighbours]:
        where = f"{reason.link} {visible(reason.url)}" if reason.url else ""
        write_line(
            f"    {reason.log_odds:+8.2f}  {reason.source:<8} says {reason.language or '-':<4}"
            f" weight {reason.weight:.2f}  {where}".rstrip()
        )
    if rest := linked[neighbours:]:
        write_line(f"    {sum(reason.log_odds for reason in rest):+8.2f}  {len(rest)} more neighbours")


def _named(code: str) -> str:
    return f"{code} ({languages.name(code)})"
