"""Verbs that compute a run: ``classify``, ``vote`` and ``propagate``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.crawl import open_crawl, say_run, say_years, waits
from graphlang.cli.shared.log import logs, say
from graphlang.cli.shared.options import Advanced, Finite, WholeNumber, WithAdvanced, is_on_command_line
from graphlang.cli.shared.progress import bars
from graphlang.files import read_regular
from graphlang.graph import baselines
from graphlang.graph.options import LARGEST, MAX_INLINKS, MIN_LENGTH, MIN_REF_LENGTH, WEIGHTS, Options
from graphlang.native.threads import cores
from graphlang.printing import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ALGORITHMS: Final = ("couplings", "label-spreading")
_LARGEST_FILE: Final = 1 << 20  #: bytes of a file of weights
_INFERENCE: Final = {
    "rounds": "At most this many rounds.",
    "tolerance": "Stop when no probability changes by more than this in a round.",
    "neighbours": "Weight of the links; 0 switches them off.",
    "site": "Weight of the languages of the page's site.",
    "directory": "Weight of the languages of the page's directory, relative to the site's.",
    "hreflang": "Weight of the languages that links announce for their targets.",
    "link_order": "Weight of the order of links: menus of a site name its languages in one order.",
    "degree": "All links of a page together have at most this weight.",
    "clamp_length": "A page with this many letters keeps the language of its own text ...",
    "doubtful": "... unless its probability is below this: then its neighbours count as well. 0: never.",
    "calibration": "Power of the probabilities of a page that keeps its text's language, fitted so that "
    "confidence is accuracy; 1 leaves them unchanged.",
    "certain_length": "How often links keep the language is learned from pages with this many letters ...",
    "certain": "... and at least this probability of their language.",
}
_SIGNALS: Final = {
    "declared": "Weight of the language that the page declares.",
    "cctld": "Weight of the languages of the country of the page's ccTLD.",
    "url": "Weight of the language of the page's URL.",
}


@click.command()
@options.database
@click.option("--method", default="nfc", show_default=True, help="Method (see 'graphlang methods'), or a model file.")
@click.option(
    "--title/--no-title",
    default=True,
    show_default=True,
    help="Read the title as text. A title longer than the text and than 100 characters is cut. Methods over bytes"
    " always read the title.",
)
@options.identify_workers
@click.option(
    "--anchors",
    is_flag=True,
    help="Read the words of links to pages with little or no text ('graphlang ingest --anchor-texts' keeps them).",
)
@options.shares
@options.at
@options.keep_chosen
@waits
@options.plugins
@logs
def classify(
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

    URL methods (see 'graphlang methods') also answer for unfetched URLs.

    \b
    Examples:
      graphlang classify crawl.db --method nfc
      graphlang classify crawl.db --method my-model.npz --keep-chosen
      graphlang classify crawl.db --method url --keep-chosen
      graphlang classify crawl.db --at 2012
    """
    from graphlang.analysis.collection_methods import DECLARED, TLD  # noqa: PLC0415
    from graphlang.urls import url_methods  # noqa: PLC0415

    if method in (TLD, DECLARED) or url_methods.is_url_method(method):
        for name in ("title", "anchors", "shares"):
            if is_on_command_line(name):
                raise click.UsageError(f"--{name} is not supported by {method}, which reads no text")
        if at is not None and method != DECLARED:
            raise click.UsageError(f"--at is not supported by {method}, which reads no text")
    if at is not None and anchors:
        raise click.UsageError("--anchors cannot go with --at: words of links are kept for main captures only")
    crawl = open_crawl(db)
    with bars() as progress:
        if anchors and not crawl.has_anchor_texts():
            say(f"{visible(str(db))} has no words of links: 'graphlang ingest --again --anchor-texts' keeps them")
        run = crawl.classify(
            method,
            title=title,
            anchors=anchors,
            shares=shares,
            workers=workers or cores(),
            keep_chosen=keep_chosen,
            at=at,
            progress=progress,
        )
    say_run(run)


@click.command()
@options.database
@click.option(
    "--outlinks", is_flag=True, help="Count the pages that a page links to, instead of those that link to it."
)
@click.option(
    "--min-length",
    type=WholeNumber(0),
    default=MIN_LENGTH,
    show_default=True,
    metavar="CHARACTERS",
    help="A page with more characters than this keeps the language of its own text.",
)
@click.option(
    "--min-ref-length",
    type=WholeNumber(0),
    default=MIN_REF_LENGTH,
    show_default=True,
    metavar="CHARACTERS",
    help="A page with fewer characters than this does not vote.",
)
@click.option(
    "--max-links",
    type=WholeNumber(0),
    default=MAX_INLINKS,
    show_default=True,
    help="At most this many votes for a page.",
)
@click.option(
    "--rounds",
    type=WholeNumber(1),
    default=1,
    show_default=True,
    help="Repeat the vote: from the second round on, short pages vote with their answer of the round before.",
)
@click.option(
    "--clueweb09",
    is_flag=True,
    help="ClueWeb09's rule instead: unfetched URLs get the languages of the pages that link to them.",
)
@click.option(
    "--min-bytes",
    type=WholeNumber(0),
    default=baselines.MIN_BYTES,
    show_default=True,
    help="With --clueweb09: a linking page with fewer bytes of text does not count.",
)
@options.seed
@options.at
@options.keep_chosen
@waits
@logs
def vote(
    db: Path,
    min_bytes: int,
    seed: int | None,
    at: str | None,
    *,
    outlinks: bool,
    clueweb09: bool,
    keep_chosen: bool,
    **limits: int,
) -> None:
    """Let the inlinks of short pages vote (Hayati 2004).

    A short page takes the commonest language of the pages that link to it; a long page keeps its own. The paper calls
    this INLINKS (algorithm 5.5), and the three limits MIN_LENGTH, MIN_REF_LENGTH and MAX_INLINKS. With --rounds it
    becomes a recursive algorithm, which section 7 of the paper suggests.

    \b
    Examples:
      graphlang vote crawl.db
      graphlang vote crawl.db --min-length 25 --max-links 20
      graphlang vote crawl.db --outlinks --keep-chosen
      graphlang vote crawl.db --rounds 10 --keep-chosen
      graphlang vote crawl.db --clueweb09 --keep-chosen
      graphlang vote crawl.db --at 2012
    """
    for name in ("outlinks", *limits) if clueweb09 else ("min_bytes",):
        if is_on_command_line(name):
            relation = "has no effect with" if clueweb09 else "needs"
            raise click.UsageError(f"--{name.replace('_', '-')} {relation} --clueweb09")
    with bars() as progress:
        run = open_crawl(db).vote(
            outlinks=outlinks,
            clueweb09=clueweb09,
            seed=seed,
            workers=cores(),
            keep_chosen=keep_chosen,
            at=at,
            progress=progress,
            **({"min_bytes": min_bytes} if clueweb09 else limits),
        )
    say_run(run)


def _read_weights(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    """Let the weights in a JSON file be the defaults of the options that name them."""
    del param
    if path is None:
        return
    try:
        weights = json.loads(read_regular(path, max_bytes=_LARGEST_FILE))
    except OSError as error:
        raise click.BadParameter(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"{path} is not JSON: {error}") from error
    names = {*_INFERENCE, *_SIGNALS}
    if not isinstance(weights, dict) or not set(weights) <= names:
        raise click.BadParameter(f"{path} must be a JSON object whose names are among {', '.join(sorted(names))}")
    wrong = [name for name, value in weights.items() if isinstance(value, bool) or not isinstance(value, (int, float))]
    wrong += [name for name, value in weights.items() if name not in wrong and not 0 <= value < math.inf]
    if wrong:
        raise click.BadParameter(f"{path}: {', '.join(wrong)} must be numbers that are not negative")
    large = [name for name, value in weights.items() if value > (_upper_bound(name) or math.inf)]
    if large:
        raise click.BadParameter(f"{path}: {', '.join(large)} must be {LARGEST:g} at most")
    ctx.default_map = {**(ctx.default_map or {}), **weights}


def _upper_bound(name: str) -> float | None:
    """The largest value of an option: weights have one, limits have none."""
    return LARGEST if name in WEIGHTS and name != "degree" else None


def _weight_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give the verb the weights and limits of the inference, with the defaults of the kernel."""
    decorators = []
    for name, text in _INFERENCE.items():
        default = getattr(Options(), name)
        whole = isinstance(default, int)
        kind = WholeNumber(int(name == "rounds")) if whole else Finite(min=0, max=_upper_bound(name))
        spelling = f"--{name.replace('_', '-')}"
        about: dict[str, Any] = {"type": kind, "default": default, "show_default": True, "help": text}
        decorators.append(click.option(spelling, name, cls=Advanced, **about))
    for name, text in _SIGNALS.items():
        kind = Finite(min=0, max=LARGEST)
        about = {"type": kind, "default": WEIGHTS[name], "show_default": True, "help": text}
        decorators.append(click.option(f"--{name}", cls=Advanced, **about))
    return options.apply(decorators, function)


@click.command(cls=WithAdvanced)
@options.database
@click.option(
    "--algorithm",
    cls=Advanced,
    type=click.Choice(_ALGORITHMS),
    default=_ALGORITHMS[0],
    show_default=True,
    help="couplings: learns how far links keep the language; label-spreading: Zhou et al. 2004, for comparison.",
)
@click.option(
    "--weights",
    cls=Advanced,
    type=click.Path(dir_okay=False, path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=_read_weights,
    help="JSON file of weights, from 'graphlang tune'; options on the command line override it.",
)
@_weight_options
@click.option(
    "--update",
    is_flag=True,
    help="After 'graphlang ingest' of more files: identify new texts, then infer. If nothing changed since a run "
    "with these options, do nothing.",
)
@options.at
@click.option(
    "--each",
    type=click.Choice(["year"]),
    help="Repeat --at for each calendar year that has captures.",
)
@options.seed
@options.keep_chosen
@waits
@options.plugins
@logs
def propagate(
    db: Path,
    algorithm: str,
    seed: int | None,
    at: str | None,
    each: str | None,
    *,
    update: bool,
    keep_chosen: bool,
    **weights: Any,
) -> None:
    """Infer the language of every page from its text and links.

    Unfetched URLs get their languages when a verb first needs them ('pages', 'frontier', 'export' and other lists).

    \b
    Examples:
      graphlang propagate crawl.db
      graphlang propagate crawl.db --neighbours 0.5 --cctld 0 --keep-chosen
      graphlang propagate crawl.db --weights weights.json
      graphlang propagate crawl.db --update
      graphlang propagate crawl.db --each year
    """
    try:
        Options(**{name: weights[name] for name in _INFERENCE})
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if algorithm != _ALGORITHMS[0]:
        _refuse_weights(("weights", *weights))
    if at is not None and each is not None:
        raise click.UsageError("--at and --each exclude each other")
    if update and (at or each):
        raise click.UsageError("--update cannot go with --at or --each: it is for main captures")
    crawl = open_crawl(db)
    common: dict[str, Any] = {"weights": weights, "algorithm": algorithm, "seed": seed, "workers": cores()}
    with bars() as progress:
        common |= {"keep_chosen": keep_chosen, "progress": progress}
        if each is not None:
            years = crawl.propagate_each_year(**common)
        else:
            before = {run.id for run in crawl.runs()} if update else set()
            run = crawl.propagate(update=update, at=at, **common)
    if each is not None:
        say_years(years)
    else:
        say_run(run, note="; up to date" if run.id in before else "")


def _refuse_weights(names: Iterable[str]) -> None:
    """Refuse options of the inference with label spreading, which has none of them."""
    for name in names:
        if is_on_command_line(name):
            raise click.UsageError(f"--{name.replace('_', '-')} has no effect with label spreading")
