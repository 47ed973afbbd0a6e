"""``classify``, ``vote`` and ``propagate``: one run each."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang.analysis import classify as classifying
from graphlang.analysis import declared, tld
from graphlang.analysis import propagate as propagating
from graphlang.analysis import vote as voting
from graphlang.cli import inference, options
from graphlang.cli.progress import bars
from graphlang.content import methods
from graphlang.db import open_existing, sources
from graphlang.graph import frontier
from graphlang.graph import vote as vote_kernel
from graphlang.graph.propagate import Options
from graphlang.urls import methods as url_methods

if TYPE_CHECKING:
    from graphlang.db.runs import Run


@click.command()
@options.database
@click.option("--method", default="nfc", show_default=True, help="Method (see 'graphlang methods'), or a model file.")
@click.option(
    "--title/--no-title",
    default=True,
    show_default=True,
    help="Let the page's title count as text. Where a method reads the bytes of a page, the title is among them.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Threads that identify texts, if the method is one of ours; all cores by default. The result is the same with"
    " any number.",
)
@click.option(
    "--anchors",
    is_flag=True,
    help="Read the words of links, for pages of little or no text ('graphlang ingest --anchor-texts' keeps them).",
)
@options.keep_chosen
@options.quiet
@click.pass_context
def classify(
    ctx: click.Context,
    db: Path,
    method: str,
    workers: int | None,
    *,
    title: bool,
    anchors: bool,
    keep_chosen: bool,
    quiet: bool,
) -> None:
    """Classify the pages in DB by the content of their text, or by their URLs.

    The URL methods ('graphlang methods' lists them) answer for pages that were never fetched, too.

    \b
    Examples:
      graphlang classify crawl.db --method nfc
      graphlang classify crawl.db --method my-model.npz --keep-chosen
      graphlang classify crawl.db --method url --keep-chosen
    """
    if method in (tld.NAME, declared.NAME) or url_methods.known(method):
        for name in ("title", "anchors"):
            if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
                raise click.UsageError(f"{method} reads no text: --title, --no-title and --anchors mean nothing to it")
    with closing(open_existing(db, write=True)) as connection, bars(quiet=quiet) as shown:
        choose = not keep_chosen
        if method == tld.NAME:
            run = tld.classify_tld(connection, choose=choose, progress=shown)
        elif method == declared.NAME:
            run = declared.classify_declared(connection, choose=choose, progress=shown)
        elif url_methods.known(method):
            run = classifying.classify_urls(connection, url_methods.load(method), choose=choose, progress=shown)
        else:
            run = classifying.classify(
                connection,
                methods.load(method),
                title=title,
                anchors=anchors,
                choose=choose,
                workers=workers or options.cores(),
                progress=shown,
            )
    _say(run, quiet=quiet)


@click.command()
@options.database
@click.option("--outlinks", is_flag=True, help="Let the pages vote that a page links to (section 5.3).")
@click.option(
    "--min-length",
    type=click.IntRange(min=0),
    default=vote_kernel.MIN_LENGTH,
    show_default=True,
    metavar="CHARACTERS",
    help="MIN_LENGTH: a page with more answers for itself.",
)
@click.option(
    "--min-ref-length",
    type=click.IntRange(min=0),
    default=vote_kernel.MIN_REF_LENGTH,
    show_default=True,
    metavar="CHARACTERS",
    help="MIN_REF_LENGTH: a page with fewer has no vote.",
)
@click.option(
    "--max-links",
    type=click.IntRange(min=0),
    default=vote_kernel.MAX_INLINKS,
    show_default=True,
    help="MAX_INLINKS: at most so many votes for a page.",
)
@click.option(
    "--clueweb09",
    is_flag=True,
    help="ClueWeb09's rule instead: URLs never fetched have the languages of the pages that refer to them.",
)
@click.option(
    "--min-bytes",
    type=click.IntRange(min=0),
    default=frontier.MIN_BYTES,
    show_default=True,
    help="With --clueweb09: a referring page with less text does not count.",
)
@options.seed
@options.keep_chosen
@options.quiet
@click.pass_context
def vote(
    ctx: click.Context,
    db: Path,
    min_length: int,
    min_ref_length: int,
    max_links: int,
    min_bytes: int,
    seed: int | None,
    *,
    outlinks: bool,
    clueweb09: bool,
    keep_chosen: bool,
    quiet: bool,
) -> None:
    """Let the inlinks of short pages vote (INLINKS, Hayati 2004, algorithm 5.5).

    \b
    Examples:
      graphlang vote crawl.db
      graphlang vote crawl.db --min-length 25 --max-links 20
      graphlang vote crawl.db --outlinks --keep-chosen
      graphlang vote crawl.db --clueweb09 --keep-chosen
    """
    other = ("outlinks", "min_length", "min_ref_length", "max_links") if clueweb09 else ("min_bytes",)
    for name in other:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            words = "means nothing with" if clueweb09 else "needs"
            raise click.UsageError(f"--{name.replace('_', '-')} {words} --clueweb09")
    with closing(open_existing(db, write=True)) as connection, bars(quiet=quiet) as shown:
        if clueweb09:
            run = voting.guess(connection, min_bytes=min_bytes, seed=seed, choose=not keep_chosen, progress=shown)
        else:
            run = voting.vote(
                connection,
                outlinks=outlinks,
                min_length=min_length,
                min_ref_length=min_ref_length,
                max_links=max_links,
                seed=seed,
                choose=not keep_chosen,
                progress=shown,
            )
    _say(run, quiet=quiet)


@click.command()
@options.database
@click.option(
    "--algorithm",
    type=click.Choice(propagating.ALGORITHMS),
    default=propagating.ALGORITHMS[0],
    show_default=True,
    help="couplings: learns how far links keep the language; harmonic: plain label spreading.",
)
@click.option(
    "--weights",
    type=click.Path(dir_okay=False, path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=inference.read_weights,
    help="JSON file of weights, from 'graphlang tune'; options given beside it win.",
)
@inference.weights
@options.seed
@click.option(
    "--update",
    is_flag=True,
    help="After 'graphlang ingest' of more files: identify the texts that are new, then infer; nothing is done where"
    " an earlier run with these options has read the same.",
)
@options.keep_chosen
@options.quiet
def propagate(
    db: Path,
    algorithm: str,
    seed: int | None,
    *,
    update: bool,
    keep_chosen: bool,
    quiet: bool,
    declared: float,
    cctld: float,
    url: float,
    **chosen: Any,
) -> None:
    """Infer the language of every page, fetched or only linked to, from its own text and its neighbours' languages.

    \b
    Examples:
      graphlang propagate crawl.db
      graphlang propagate crawl.db --neighbours 0.5 --cctld 0 --keep-chosen
      graphlang propagate crawl.db --weights weights.json
      graphlang propagate crawl.db --update
    """
    try:
        settings = Options(**chosen)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    with closing(open_existing(db, write=True)) as connection, bars(quiet=quiet) as shown:
        run = propagating.propagate(
            connection,
            algorithm=algorithm,
            options=settings,
            signals={"declared": declared, "cctld": cctld, "url": url},
            seed=seed,
            update=update,
            choose=not keep_chosen,
            workers=options.cores(),
            progress=shown,
        )
        as_before = update and run.collection != sources.state(connection)
    _say(run, quiet=quiet, more="; nothing that it read has changed" if as_before else "")


def _say(run: Run, *, quiet: bool, more: str = "") -> None:
    if quiet:
        return
    words = f"run {run.id}: {run.kind} by {run.method}, {run.pages:,} pages"
    if run.converged is not None and run.kind == "propagation":
        words += f", {'converged' if run.converged else 'stopped at the cap'} after {run.rounds} rounds"
    click.echo(words + more, err=True)
