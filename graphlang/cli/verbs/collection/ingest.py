"""``ingest``: from files to a collection."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Unpack

import click

from graphlang.cli.shared import options, reading
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.progress import Bars, bars
from graphlang.visible import visible

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.analysis.ingest import Ingested


@click.command()
@options.database
@reading.files
@options.plugins
@reading.how
@waits
@options.quiet
def ingest(db: Path, files: tuple[Path, ...], *, quiet: bool, **how: Unpack[reading.How]) -> None:
    """Read FILES into DB.

    FILES are WARC, ARC, WACZ, WET, WAT, store files and JSON lines, compressed or not, told apart by their content;
    folders of them; patterns in quotes; a folder that wget mirrored; and - for standard input.
    Files that DB has already are passed over, whatever their name; a file that was cut off goes on where it stopped.
    What cannot be read is listed by 'graphlang problems', and the exit code is 1.

    \b
    Examples:
      graphlang ingest crawl.db crawl.warc.gz
      graphlang ingest crawl.db archive-folder/ 'more/*.arc.gz' --keep first
      graphlang ingest crawl.db --from paths.txt
      zstdcat crawl.warc.zst | graphlang ingest crawl.db -
    """
    with (
        reading.team(db, files, how) as team,
        writing(db, new=True) as connection,
        bars(quiet=quiet) as shown,
    ):
        done = reading.read(connection, db, files, how, shown, team=team)
        shown.end()
        if not quiet:
            summary(done, shown)
    finish(done)


def summary(done: Ingested, shown: Bars) -> None:
    """Say what was read, and how long it took.

    Args:
        done: what was read.
        shown: where the times of the stages are.
    """
    for path in done.known:
        click.echo(f"already read: {visible(str(path))}", err=True)
    rate = f" ({done.pages / done.seconds:,.0f} pages/s)" if done.pages else ""
    click.echo(
        f"read {done.files} files: {done.pages:,} pages, {done.links:,} links, {done.problems:,} problems"
        f" in {done.seconds:.1f} s{rate}",
        err=True,
    )
    stages = "  ".join(f"{name} {seconds:.1f} s" for name, seconds in shown.seconds.items())
    click.echo(f"stages: {stages}", err=True)


def finish(done: Ingested) -> None:
    """Exit with 1 where there were problems."""
    if done.problems:
        click.echo(f"{done.problems:,} problems: 'graphlang problems' lists them", err=True)
        sys.exit(1)
