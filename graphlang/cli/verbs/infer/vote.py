"""``vote``: one run of the vote of neighbours, or of ClueWeb09's rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from graphlang.analysis import dated
from graphlang.analysis import vote as voting
from graphlang.cli.shared import options
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.messages.log import logs
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.messages.say_run import say_run
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.graph import clueweb09 as frontier
from graphlang.graph import vote as vote_kernel
from graphlang.native.threads import cores

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.db.runs.run import Run


@click.command()
@options.database
@click.option(
    "--outlinks", is_flag=True, help="Let the pages vote that a page links to, instead of those that link to it."
)
@click.option(
    "--min-length",
    type=WholeNumber(0),
    default=vote_kernel.MIN_LENGTH,
    show_default=True,
    metavar="CHARACTERS",
    help="A page with more characters than this keeps the language of its own text.",
)
@click.option(
    "--min-ref-length",
    type=WholeNumber(0),
    default=vote_kernel.MIN_REF_LENGTH,
    show_default=True,
    metavar="CHARACTERS",
    help="A page with fewer characters than this does not vote.",
)
@click.option(
    "--max-links",
    type=WholeNumber(0),
    default=vote_kernel.MAX_INLINKS,
    show_default=True,
    help="At most so many votes for a page.",
)
@click.option(
    "--clueweb09",
    is_flag=True,
    help="ClueWeb09's rule instead: URLs never fetched have the languages of the pages that refer to them.",
)
@click.option(
    "--min-bytes",
    type=WholeNumber(0),
    default=frontier.MIN_BYTES,
    show_default=True,
    help="With --clueweb09: a referring page with fewer bytes of text does not count.",
)
@options.seed
@options.at
@options.keep_chosen
@waits
@logs
@click.pass_context
def vote(
    ctx: click.Context,
    db: Path,
    min_length: int,
    min_ref_length: int,
    max_links: int,
    min_bytes: int,
    seed: int | None,
    at: str | None,
    *,
    outlinks: bool,
    clueweb09: bool,
    keep_chosen: bool,
) -> None:
    """Let the inlinks of short pages vote (Hayati 2004).

    A short page takes the commonest language of the pages that link to it; a long page keeps its own. The paper calls
    this INLINKS (algorithm 5.5), and the three limits MIN_LENGTH, MIN_REF_LENGTH and MAX_INLINKS.

    \b
    Examples:
      graphlang vote crawl.db
      graphlang vote crawl.db --min-length 25 --max-links 20
      graphlang vote crawl.db --outlinks --keep-chosen
      graphlang vote crawl.db --clueweb09 --keep-chosen
      graphlang vote crawl.db --at 2012
    """
    other = ("outlinks", "min_length", "min_ref_length", "max_links") if clueweb09 else ("min_bytes",)
    for name in other:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            words = "means nothing with" if clueweb09 else "needs"
            raise click.UsageError(f"--{name.replace('_', '-')} {words} --clueweb09")
    with writing(db) as connection, bars() as shown:

        def ask(seed: int | None) -> Run:
            if clueweb09:
                return voting.guess(connection, min_bytes=min_bytes, seed=seed, choose=not keep_chosen, progress=shown)
            return voting.vote(
                connection,
                outlinks=outlinks,
                min_length=min_length,
                min_ref_length=min_ref_length,
                max_links=max_links,
                seed=seed,
                choose=not keep_chosen,
                linked=False,
                progress=shown,
            )

        if at is None:
            run = ask(seed)
        else:
            run = dated.of_links(connection, at, ask, seed=seed, workers=cores(), progress=shown)
    say_run(run)
