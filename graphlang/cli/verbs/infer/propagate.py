"""``propagate``: one run of the inference over the link graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang.analysis import dated
from graphlang.analysis import propagate as propagating
from graphlang.cli.shared import inference, options
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.messages.log import logs
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.messages.say_run import say_run
from graphlang.db.runs.lifecycle import state_seen
from graphlang.graph.propagation.inference import Options
from graphlang.native.threads import cores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphlang.db.runs.run import Run


@click.command()
@options.database
@click.option(
    "--algorithm",
    type=click.Choice([*propagating.ALGORITHMS, *propagating.ALIASES]),
    metavar=f"[{'|'.join(propagating.ALGORITHMS)}]",
    default=propagating.ALGORITHMS[0],
    show_default=True,
    help="couplings: learns how far links keep the language; label-spreading: Zhou et al. 2004, to compare with.",
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
@options.at
@click.option(
    "--each",
    type=click.Choice(["year"]),
    help="As --at for each calendar year of which there is any capture, one after the other.",
)
@options.keep_chosen
@waits
@options.plugins
@logs
@click.pass_context
def propagate(
    ctx: click.Context,
    /,
    db: Path,
    algorithm: str,
    seed: int | None,
    at: str | None,
    each: str | None,
    *,
    update: bool,
    keep_chosen: bool,
    declared: float,
    cctld: float,
    url: float,
    **chosen: Any,
) -> None:
    """Infer the language of every page from its text and links.

    Pages that were only linked to get a language from their neighbours', too, when something first asks for it
    ('pages', 'frontier', 'export' and whatever else lists them).

    \b
    Examples:
      graphlang propagate crawl.db
      graphlang propagate crawl.db --neighbours 0.5 --cctld 0 --keep-chosen
      graphlang propagate crawl.db --weights weights.json
      graphlang propagate crawl.db --update
      graphlang propagate crawl.db --each year
    """
    try:
        settings = Options(**chosen)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if propagating.ALIASES.get(algorithm, algorithm) == propagating.LABEL_SPREADING:
        _refuse_weights(ctx, ("weights", "declared", "cctld", "url", *chosen))
    if at is not None and each is not None:
        raise click.UsageError("--at and --each name two sets of moments: choose one")
    if update and (at or each):
        raise click.UsageError("--update is for the pages' own captures: a run with --at or --each reads what is there")
    with writing(db) as connection, bars() as shown:

        def ask(seed: int | None) -> Run:
            return propagating.propagate(
                connection,
                algorithm=algorithm,
                options=settings,
                signals={"declared": declared, "cctld": cctld, "url": url},
                seed=seed,
                update=update,
                choose=not keep_chosen,
                workers=cores(),
                linked=False,
                progress=shown,
            )

        how: dict[str, Any] = {"seed": seed, "workers": cores(), "progress": shown}
        if each is not None:
            found = list(dated.each_year(connection, ask, **how))
        else:
            found = [ask(seed) if at is None else dated.of_links(connection, at, ask, **how)]
        as_before = update and found[-1].collection != state_seen(connection, found[-1].seeds)
    for run in found:
        say_run(run, more="; nothing that it read has changed" if as_before else "")


def _refuse_weights(ctx: click.Context, names: Iterable[str]) -> None:
    """Refuse the options of the inference where they would do nothing: label spreading has none of them."""
    for name in names:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} means nothing with label spreading")
