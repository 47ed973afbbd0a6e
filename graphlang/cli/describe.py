"""``explain`` a page, and ``info`` about a whole database."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from graphlang import explain as explaining
from graphlang import languages
from graphlang.cli import options
from graphlang.cli.output import FORMATS, visible, write_rows
from graphlang.db import open_existing, runs
from graphlang.ingest.urls import canonical

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path


@click.command()
@options.database
@click.argument("url")
@options.choose_run
@click.option("--neighbours", type=click.IntRange(min=0), default=20, show_default=True, help="Neighbours shown.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Text for people, json for programs.",
)
def explain(db: Path, url: str, run_id: int | None, neighbours: int, format_: str) -> None:
    """Print why a page has its language: text, declarations, URL, every neighbour that had a say, round by round.

    \b
    Examples:
      graphlang explain crawl.db https://www.example.org/menu.html
      graphlang explain crawl.db https://www.example.org/menu.html --run 2 --format json
    """
    with closing(open_existing(db)) as connection:
        found = explaining.explain(connection, canonical(url) or url, run=run_id)
    if format_ == "json":
        click.echo(json.dumps(asdict(found), indent=2, ensure_ascii=True))
    else:
        _print(found, neighbours)


def _print(found: explaining.Explanation, neighbours: int) -> None:
    click.echo(visible(found.url))
    _print_answer(found)
    _print_page(found)
    _print_declarations(found)
    if found.reasons:
        _print_reasons(found, neighbours)
    if found.rounds:
        steps = " -> ".join(f"{step.language} {step.probability:.3f}" for step in found.rounds)
        click.echo(f"  rounds      {steps}")


def _print_answer(found: explaining.Explanation) -> None:
    run = f"run {found.run.id}, {found.run.kind} by {found.run.method}" if found.run else "no run yet"
    script = f" in {found.script}" if found.script else ""
    click.echo(f"  answer      {_named(found.language)}{script}, confidence {found.confidence:.3f} ({run})")
    if found.runner_up:
        click.echo(f"  runner-up   {_named(found.runner_up)}")
    if found.stale:
        click.echo("  note        the collection has grown since that run; the reasons below are those of today")


def _print_page(found: explaining.Explanation) -> None:
    facts = found.facts
    if found.fetched:
        mime = visible(str(facts["mime"])) or "no media type"
        click.echo(f"  page        status {facts['status']}, {mime}, {facts['date']}, in {visible(str(facts['file']))}")
        if facts["charset"]:
            click.echo(f"  charset     {visible(str(facts['charset']))} (on the word of: {facts['charset_from']})")
        click.echo(f"  text        {facts['length']:,} characters: {visible(found.excerpt)}".rstrip())
    else:
        click.echo("  page        never fetched, only linked to")
    scores = ", ".join(f"{score.language} {score.probability:.3f}" for score in found.text)
    click.echo(f"  text says   {scores or 'nothing'}")


def _print_declarations(found: explaining.Explanation) -> None:
    for source, value, code in found.declared:
        click.echo(f"  declared    {source}: {visible(value)} ({_named(code) if code else 'no language we know'})")
    for source, value, code in found.announced:
        click.echo(
            f"  announced   hreflang {visible(value)} ({_named(code) if code else 'no language we know'})"
            f" by {visible(source)}"
        )
    if found.territory:
        click.echo(f"  country     languages of its ccTLD: {', '.join(found.territory[:5])}")


def _print_reasons(found: explaining.Explanation, neighbours: int) -> None:
    second = f" over {found.runner_up}" if found.runner_up else ""
    click.echo(f"  reasons     log-odds of {found.language}{second}: {found.log_odds or 0:+.2f}, the sum of")
    own = [reason for reason in found.reasons if reason.url is None]
    linked = [reason for reason in found.reasons if reason.url is not None]
    for reason in own + linked[:neighbours]:
        where = f"{reason.link} {visible(reason.url)}" if reason.url else ""
        click.echo(
            f"    {reason.log_odds:+8.2f}  {reason.source:<8} says {reason.language or '-':<4}"
            f" weight {reason.weight:.2f}  {where}".rstrip()
        )
    if rest := linked[neighbours:]:
        click.echo(f"    {sum(reason.log_odds for reason in rest):+8.2f}  {len(rest)} more neighbours")


def _named(code: str) -> str:
    return f"{code} ({languages.name(code)})"


@click.command()
@options.database
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="Table for people; csv, tsv, jsonl for programs.",
)
@click.option("--encodings", is_flag=True, help="Count pages by language and encoding instead.")
def info(db: Path, format_: str, *, encodings: bool) -> None:
    """Count what a database holds: files, pages, links by kind, charsets, languages, problems.

    With --encodings: how many pages of each language (by the chosen run) come in each charset, on whose word that is,
    and which encoding a method over bytes found in them, where one was run.

    \b
    Examples:
      graphlang info crawl.db
      graphlang info crawl.db --encodings --format csv
    """
    with closing(open_existing(db)) as connection:
        if encodings:
            counted = connection.execute(_ENCODINGS).fetchall()
            write_rows(("language", "charset", "charset_from", "encoding", "pages"), counted, format_=format_)
            return
        rows = _facts(connection)
    write_rows(("what", "value", "count"), rows, format_=format_)


#: The encoding is that of the newest run that names any.
_ENCODINGS = """
SELECT language, charset, charset_from, found.encoding, COUNT(*) FROM page_languages
LEFT JOIN predictions AS found ON found.page = page_languages.page AND found.run = (
    SELECT MAX(run) FROM predictions WHERE encoding IS NOT NULL
)
WHERE charset IS NOT NULL
GROUP BY 1, 2, 3, 4 ORDER BY 1, 5 DESC, 2, 3, 4
"""


_COUNTS = (
    ("files", "SELECT NULL, COUNT(*) FROM sources"),
    ("files not read to the end", "SELECT NULL, COUNT(*) FROM sources WHERE NOT finished"),
    ("hosts", "SELECT NULL, COUNT(*) FROM hosts"),
    ("pages", "SELECT NULL, COUNT(*) FROM pages"),
    ("pages read", "SELECT NULL, COUNT(*) FROM captures"),
    ("captures of them", "SELECT NULL, COALESCE(SUM(captures), 0) FROM captures"),
    (
        "captures by what was read",
        "SELECT parts, COUNT(*) FROM captures GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
    ("revisits with their original", "SELECT NULL, COUNT(original) FROM captures"),
    ("revisits without", "SELECT NULL, COUNT(*) FROM captures WHERE revisit_of IS NOT NULL AND original IS NULL"),
    (
        "pages with the payload of another",
        (
            "SELECT NULL, COALESCE(SUM(pages - 1), 0) FROM (SELECT COUNT(*) AS pages FROM captures"
            " WHERE digest <> '' AND revisit_of IS NULL GROUP BY digest)"
        ),
    ),
    ("pages with undecoded bytes", "SELECT NULL, COUNT(*) FROM visible_bytes"),
    ("pages with text", "SELECT NULL, COUNT(*) FROM texts WHERE text <> ''"),
    ("characters of text", "SELECT NULL, COALESCE(SUM(length), 0) FROM captures"),
    ("links", "SELECT NULL, COUNT(*) FROM links"),
    ("links", "SELECT name, COUNT(*) FROM links JOIN link_kinds ON id = kind GROUP BY kind ORDER BY 2 DESC, 1"),
    ("status", "SELECT COALESCE(status, 'none'), COUNT(*) FROM captures GROUP BY 1 ORDER BY 2 DESC, 1"),
    (
        "charset",
        (
            "SELECT charset || ' by ' || charset_from, COUNT(*) FROM captures WHERE charset IS NOT NULL"
            " GROUP BY 1 ORDER BY 2 DESC, 1"
        ),
    ),
    ("declared language", "SELECT source, COUNT(*) FROM declarations GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("problems", "SELECT NULL, COUNT(*) FROM problems"),
    ("problems", "SELECT kind, COUNT(*) FROM problems GROUP BY 1 ORDER BY 2 DESC, 1"),
    ("runs", "SELECT NULL, COUNT(*) FROM runs WHERE finished IS NOT NULL"),
    (
        "language of pages read",
        "SELECT language, COUNT(*) FROM page_languages WHERE fetched GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
    (
        "language of pages only linked to",
        "SELECT language, COUNT(*) FROM page_languages WHERE NOT fetched GROUP BY 1 ORDER BY 2 DESC, 1",
    ),
)


def _facts(connection: sqlite3.Connection) -> list[tuple[str, object, int]]:
    rows: list[tuple[str, object, int]] = []
    for what, query in _COUNTS:
        rows.extend((what, value, count) for value, count in connection.execute(query))
    chosen = runs.chosen(connection)
    if chosen is not None:
        rows.append(("chosen run", f"{chosen.kind} by {chosen.method}", chosen.id))
    return rows
