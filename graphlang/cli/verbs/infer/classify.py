"""``classify``: one run of a content or URL method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from graphlang.analysis import classify as classifying
from graphlang.analysis import dated, declared_run, tld_run
from graphlang.analysis.of_collections import DECLARED, TLD
from graphlang.cli.shared import options
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.messages.log import logs, say
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.messages.say_run import say_run
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.content import registry
from graphlang.native.threads import cores
from graphlang.urls import registry as url_methods
from graphlang.visible import visible

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from graphlang.db.runs.run import Run


@click.command()
@options.database
@click.option("--method", default="nfc", show_default=True, help="Method (see 'graphlang methods'), or a model file.")
@click.option(
    "--title/--no-title",
    default=True,
    show_default=True,
    help="Let the page's title count as text: of a long one no more than there is below it, or 100 characters. Where a"
    " method reads the bytes of a page, the title is among them.",
)
@click.option(
    "--workers",
    type=WholeNumber(1),
    help="Threads that identify texts, if the method is one of ours, at most eight; all cores by default. URLs need"
    " but one. The result is the same with any number.",
)
@click.option(
    "--anchors",
    is_flag=True,
    help="Read the words of links, for pages of little or no text ('graphlang ingest --anchor-texts' keeps them).",
)
@options.shares
@options.at
@options.keep_chosen
@waits
@options.plugins
@logs
@click.pass_context
def classify(
    ctx: click.Context,
    db: Path,
    method: str,
    workers: int | None,
    at: str | None,
    *,
    shares: bool | None,
    title: bool,
    anchors: bool,
    keep_chosen: bool,
) -> None:
    """Classify the pages in DB by their text, or by their URLs.

    The URL methods ('graphlang methods' lists them) answer for pages that were never fetched, too.

    \b
    Examples:
      graphlang classify crawl.db --method nfc
      graphlang classify crawl.db --method my-model.npz --keep-chosen
      graphlang classify crawl.db --method url --keep-chosen
      graphlang classify crawl.db --at 2012
    """
    if method in (TLD, DECLARED) or url_methods.known(method):
        for name in ("title", "anchors", "shares"):
            if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
                raise click.UsageError(f"{method} reads no text: --title, --anchors and --shares mean nothing to it")
    if at is not None and anchors:
        raise click.UsageError("--anchors cannot go with --at: words of links are kept of the own captures alone")
    if at is not None and method != DECLARED and (method == TLD or url_methods.known(method)):
        raise click.UsageError(f"{method} reads no text: --at means nothing to it")
    with writing(db) as connection, bars() as shown:
        _say_without_words(connection, db, wanted=anchors)

        def ask() -> Run:
            choose = not keep_chosen
            if method == TLD:
                return tld_run.classify_tld(connection, choose=choose, progress=shown)
            if method == DECLARED:
                return declared_run.classify_declared(connection, choose=choose, progress=shown)
            if url_methods.known(method):
                return classifying.classify_urls(connection, url_methods.load(method), choose=choose, progress=shown)
            return classifying.classify(
                connection,
                registry.load(method),
                title=title,
                anchors=anchors,
                shares=shares,
                choose=choose,
                workers=workers or cores(),
                progress=shown,
            )

        run = ask() if at is None else dated.of_texts(connection, at, ask)
    say_run(run)


def _say_without_words(connection: sqlite3.Connection, db: Path, *, wanted: bool) -> None:
    if wanted and connection.execute("SELECT 1 FROM anchor_texts LIMIT 1").fetchone() is None:
        say(f"{visible(str(db))} has no words of links: 'graphlang ingest --again --anchor-texts' keeps them")
