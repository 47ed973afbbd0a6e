"""``profiles``: those of a byte model, one by one, and the languages of a model of the default method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphlang import modelfile
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.selection import languages_of
from graphlang.cli.shared.tables.output import table_options, write_line, write_rows
from graphlang.codes import languages
from graphlang.content import registry
from graphlang.content.published.bytes import profiles as byte_profiles
from graphlang.content.published.bytes.edit_profiles import METHODS, amended
from graphlang.content.training import fewer_labels as smaller
from graphlang.printing.counted import counted
from graphlang.visible import visible
from graphlang.whole_file import refuse_unwritable

if TYPE_CHECKING:
    from graphlang.codes.wanted import Wanted
    from graphlang.modelfile import Model


@click.command()
@click.argument("name", metavar="MODEL")
@click.option(
    "--only",
    multiple=True,
    metavar="CODES",
    help="Keep these languages alone: any usual codes or names, with commas between. A script counts: srp_Latn.",
)
@click.option(
    "--remove",
    multiple=True,
    metavar="LABEL[:ENCODING]",
    help="Drop a language, or one encoding of it; may be repeated.",
)
@click.option(
    "--add",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Make profiles of the languages in this folder (as for 'train'); they replace those that MODEL has of them.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the changed model; MODEL itself, if that is a file.",
)
@table_options
def profiles(
    name: str, only: tuple[str, ...], remove: tuple[str, ...], folder: Path | None, output: Path | None, format_: str
) -> None:
    """List the profiles of MODEL, or change some of them.

    MODEL is a file, or a method with a model; the other profiles stay as they are. Models of quadgrams and
    byte-trigrams hold a profile for each language and encoding, models of nfc one for each language.

    Who knows which languages a collection can hold leaves the others out, and short texts are told better. Keep those
    that come in by the way, such as English: a text in none of the languages is told in one of them more often, and all
    that is in a script of which one language is left is told in that one. Languages are added to a model of nfc by
    'graphlang train --extend'.

    \b
    Examples:
      graphlang profiles byte-trigrams
      graphlang profiles nfc --only dan,fao,isl,nob,nno,swe,fin,sme,eng,deu -o nordic.npz
      graphlang profiles my.npz --add klingon-corpus/ --remove rus:koi8-r
      graphlang profiles byte-trigrams --add corpus/ -o mine.npz
    """
    path = registry.path(name)
    found, digest = modelfile.read(path)
    if found.method not in (*METHODS, smaller.METHOD):
        raise click.BadParameter(
            f"{visible(name)} has none: only models of {', '.join(METHODS)} and {smaller.METHOD} hold profiles that"
            " stand alone",
            param_hint="MODEL",
        )
    if folder is None and not remove and not only:
        if output is not None:
            raise click.UsageError("--output without --add, --only or --remove")
        _list(found, path, format_)
        return
    if format_ != "table":
        raise click.UsageError("--format is of the list of profiles: it means nothing with --add, --only and --remove")
    if output is None and str(path) != name:
        raise click.UsageError(f"{name} comes with graphlang: say with --output where the changed model goes")
    target = output or path
    refuse_unwritable(target)
    kept = languages_of(only, option="--only")
    if found.method == smaller.METHOD:
        if folder is not None:
            raise click.UsageError(f"graphlang train --extend {name} adds languages to a model of {smaller.METHOD}")
        _fewer(found, path, digest, kept, remove, target)
    else:
        _amend(found, folder, remove, kept, target)


def _list(found: Model, path: Path, format_: str) -> None:
    if found.method == smaller.METHOD:
        rows = [(label, "", ngrams) for label, ngrams in smaller.ngrams_of(found).items()]
    else:
        rows = [(one.label, one.encoding, len(one.grams)) for one in byte_profiles.unpack(found, str(path))]
    write_rows(("label", "encoding", "ngrams"), rows, format_=format_)


def _amend(found: Model, folder: Path | None, remove: tuple[str, ...], only: tuple[Wanted, ...], target: Path) -> None:
    """Write a byte model with other profiles."""
    done = amended(found, folder=folder, remove=remove, only=only)
    written = done.model.save(target)
    added = {one.key for one in done.made}
    for one in done.removed:
        if one.key not in added:
            write_line(f"removed {one.label} in {one.encoding}")
    before = {one.key for one in done.removed}
    for one in done.made:
        write_line(f"{'replaced' if one.key in before else 'added'} {one.label} in {one.encoding}")
    say(f"{target}: {counted(len(done.model.labels), 'label')}, sha256 {written}")


def _fewer(
    found: Model, path: Path, digest: str, only: tuple[Wanted, ...], remove: tuple[str, ...], target: Path
) -> None:
    """Write a model of nfc with some of its languages."""
    done = smaller.fewer_labels(
        found, path=path, digest=digest, only=only, without=languages_of(remove, option="--remove")
    )
    written = done.model.save(target)
    for label in done.removed:
        write_line(f"removed {label}")
    for label in done.alone:
        language, script = languages.split(label)
        say(f"{languages.name(language)} is the one language left in the script {script}: all texts in it are told so")
    say(f"{target}: {counted(len(done.model.labels), 'label')}, sha256 {written}")
