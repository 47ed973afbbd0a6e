"""``profiles``: those of a byte model, one by one."""

from __future__ import annotations

from pathlib import Path

import click

from graphlang import modelfile
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.tables.output import table_options, write_line, write_rows
from graphlang.content import registry
from graphlang.content.published.bytes import profiles as byte_profiles
from graphlang.content.published.bytes.edit_profiles import METHODS, amended
from graphlang.printing.counted import counted
from graphlang.visible import visible


@click.command()
@click.argument("name", metavar="MODEL")
@click.option(
    "--add",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Make profiles of the languages in this folder (as for 'train'); they replace those that MODEL has of them.",
)
@click.option(
    "--remove",
    multiple=True,
    metavar="LABEL[:ENCODING]",
    help="Drop a language, or one encoding of it; may be repeated.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the changed model; MODEL itself, if that is a file.",
)
@table_options
def profiles(name: str, folder: Path | None, remove: tuple[str, ...], output: Path | None, format_: str) -> None:
    """List the profiles of MODEL, or change some of them.

    MODEL is a file, or a method with a model; the other profiles stay as they are.
    Models of quadgrams and byte-trigrams hold a profile for each language and encoding.

    \b
    Examples:
      graphlang profiles byte-trigrams
      graphlang profiles my.npz --add klingon-corpus/ --remove rus:koi8-r
      graphlang profiles byte-trigrams --add corpus/ -o mine.npz
    """
    path = registry.path(name)
    found, _ = modelfile.read(path)
    if found.method not in METHODS:
        raise click.BadParameter(
            f"{visible(name)} has none: only models of {' and '.join(METHODS)} hold profiles that stand alone",
            param_hint="MODEL",
        )
    if folder is None and not remove:
        if output is not None:
            raise click.UsageError("--output without --add or --remove")
        rows = [(one.label, one.encoding, len(one.grams)) for one in byte_profiles.unpack(found, str(path))]
        write_rows(("label", "encoding", "ngrams"), rows, format_=format_)
        return
    if output is None and str(path) != name:
        raise click.UsageError(f"{name} comes with graphlang: say with --output where the changed model goes")
    done = amended(found, folder=folder, remove=remove)
    digest = done.model.save(output or path)
    added = {one.key for one in done.made}
    for one in done.removed:
        if one.key not in added:
            write_line(f"removed {one.label} in {one.encoding}")
    before = {one.key for one in done.removed}
    for one in done.made:
        write_line(f"{'replaced' if one.key in before else 'added'} {one.label} in {one.encoding}")
    say(f"{output or path}: {counted(len(done.model.labels), 'label')}, sha256 {digest}")
