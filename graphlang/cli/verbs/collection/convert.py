"""``convert``: archives to store files and back."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from graphlang.cli.shared.files import reading
from graphlang.cli.shared.messages.log import log, logs, say
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.tables.output import write_line
from graphlang.ingest.convert import to_store, to_warc
from graphlang.ingest.limits import Limits
from graphlang.printing.counted import counted
from graphlang.regular_file import open_regular
from graphlang.visible import visible

_SHOWN = 20


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@reading.max_ratio
@logs
def convert(source: Path, target: Path, *, max_ratio: int) -> None:
    """Copy all records of an archive to a store file or WARC.

    The name of TARGET says which: .warc or .warc.gz for WARC, .store for a store file.

    SOURCE is any archive of records that 'graphlang ingest' reads. Every record is kept byte for byte, however long:
    memory does not grow with it. TARGET is replaced when everything is written, and never by an empty file. If SOURCE
    is damaged, the exit code is 1.

    A record from ARC gets a WARC header. Control characters in its URL could begin a header field of their own, so they
    are percent-encoded (%0D), and a problem is printed.

    \b
    Examples:
      graphlang convert crawl.warc.gz crawl.store
      graphlang convert crawl.store crawl.warc.gz
    """
    name = target.name.lower()
    if name.endswith(".store"):
        write = to_store
    elif name.endswith((".warc", ".warc.gz")):
        write = to_warc
    else:
        raise click.BadParameter("its name must end in .store, .warc or .warc.gz", param_hint="TARGET")
    if target.exists() and target.samefile(source):
        raise click.BadParameter("it is SOURCE itself", param_hint="TARGET")
    with open_regular(source):  # which says of a pipe or a device what it is; one of these may never end
        pass
    with bars() as shown:
        shown.stage("convert", source.stat().st_size, "bytes")
        done = write(source, target, Limits(max_ratio=max_ratio), progress=shown.advance)
    if not log().quiet:
        write_line(f"{counted(done.records, 'record')} written to {visible(str(target))}")
    for offset, kind, reason in done.faults[:_SHOWN]:
        say(f"at byte {offset:,}: {kind}: {visible(reason)}", "problem", offset=offset, kind=kind, reason=reason)
    if len(done.faults) > _SHOWN:
        say(f"and {len(done.faults) - _SHOWN:,} more")
    if done.faults:
        sys.exit(1)
