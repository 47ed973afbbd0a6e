"""``review``: the pages that somebody should look at first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang.analysis import correct as correcting
from graphlang.analysis.read_review import read_review
from graphlang.cli.shared import options
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.messages.log import logs, say
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.selection import tags_of
from graphlang.cli.shared.tables.output import format_of_name, wide, write_rows
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.collection import Collection
from graphlang.maps.review import COUNT
from graphlang.printing.counted import counted

if TYPE_CHECKING:
    from graphlang.rows import Rows

#: What a narrow terminal shows first.
_FIRST = ("url", "answer", "confidence", "runner_up", "text", "title", "why")
_FIRST_OF_SAMPLE = ("url", "text", "title")


@click.command()
@options.database
@click.option("--count", type=WholeNumber(1), default=COUNT, show_default=True, help="Pages at most.")
@click.option(
    "--random",
    "random_",
    is_flag=True,
    help="Fetched pages drawn at random (text, status 200), without the answers: a gold file for 'evaluate'.",
)
@click.option("--draw", type=WholeNumber(0), default=1, show_default=True, help="With --random: another draws others.")
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODES",
    help="With --random: only pages that are taken for these languages, as in 'pages'.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    default="-",
    callback=format_of_name,
    help="File to write to, in the format of its name; '-' is standard output.",
    show_default=True,
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(("csv", "tsv", "jsonl", "table")),
    default="csv",
    show_default=True,
    help="csv to be filled in; table for a look.",
)
@click.option(
    "--from",
    "from_",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Read a CSV that was filled in: rows with a language become corrections.",
)
@click.option("--by", metavar="NAME", default="", help="With --from: who filled it in.")
@wide
@waits
@logs
@click.pass_context
def review(
    ctx: click.Context,
    db: Path,
    count: int,
    draw: int,
    languages: tuple[str, ...],
    output: str,
    format_: str,
    from_: Path | None,
    by: str,
    *,
    random_: bool,
) -> None:
    """List the pages whose check would teach most, or random ones.

    The former are pages in doubt with many links to and from short pages in doubt, of many hosts and languages. Look at
    each page and write its language (any usual code or name; zxx for none) into the column 'language'; rows that stay
    empty change nothing. Then read the file back with --from.

    With --random every page that 'languages' counts is as likely as any other: text that was fetched with status 200,
    or without a status. The order is random, too: the first rows are a sample as well. Write the language of each page,
    und where nobody could tell, and give the file to 'evaluate --gold'; it says between what bounds the accuracy of all
    these pages lies. With --language it holds for the pages that are taken for it: its precision.

    \b
    Examples:
      graphlang review crawl.db --count 50 -o check.csv
      graphlang review crawl.db --from check.csv --by Asha
      graphlang review crawl.db --random --count 400 -o gold.csv
      graphlang evaluate crawl.db --gold gold.csv
    """
    _refuse_what_means_nothing(ctx, reading=from_ is not None, random=random_, by=by)
    if from_ is None:
        if random_:
            try:
                rows = Collection(db).sample(count=count, draw=draw, language=tags_of(languages))
            except ValueError as error:
                raise click.BadParameter(str(error), param_hint="--language") from error
            _write(rows, format_, output)
        else:
            _write(Collection(db).review(count=count), format_, output)
        return
    if not by.strip():
        raise click.UsageError("--by is missing: who filled it in?")
    said = read_review(from_)
    with writing(db) as connection, bars() as shown:
        done = correcting.correct(connection, said, by=by, progress=shown)
    words = f"corrected: {counted(done.pages, 'page')}"
    if done.unknown:
        words += f"; {counted(done.unknown, 'URL')} that the database does not have"
    say(words + ("; run 'graphlang propagate' for their neighbours" if done.pages else ""))


def _refuse_what_means_nothing(ctx: click.Context, *, reading: bool, random: bool, by: str) -> None:
    given = {
        name.rstrip("_").replace("languages", "language")
        for name in ctx.params
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    for name in ("random", "draw", "language", "count", "output", "format"):
        if reading and name in given:
            raise click.UsageError(f"--{name} means nothing with --from")
        if name in ("draw", "language") and name in given and not random:
            raise click.UsageError(f"--{name} needs --random")
    if by and not reading:
        raise click.UsageError("--by needs --from")


def _write(rows: Rows[Any], format_: str, output: str) -> None:
    first = _FIRST if "answer" in rows.columns else _FIRST_OF_SAMPLE
    write_rows(rows.columns, rows.tuples(), format_=format_, output=output, first=first, for_people=True)
