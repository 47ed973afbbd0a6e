"""Verbs for corrections by hand: ``review``, ``correct`` and ``corrections``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.crawl import open_crawl, waits
from graphlang.cli.shared.log import logs, say
from graphlang.cli.shared.options import WholeNumber, is_on_command_line
from graphlang.cli.shared.output import RowOptions, output_options, to_file, wide_option, write_list, write_rows
from graphlang.cli.shared.paths import parse_named_host, parse_named_url, read_lines
from graphlang.cli.shared.progress import bars
from graphlang.maps.review import COUNT
from graphlang.printing import quantity

if TYPE_CHECKING:
    from graphlang.analysis.correct import CorrectionCounts
    from graphlang.collection.page_filter import PageFilter
    from graphlang.rows import Rows

#: What a narrow terminal shows first.
_FIRST = ("url", "answer", "confidence", "runner_up", "text", "title", "why")
_FIRST_OF_SAMPLE = ("url", "text", "title")
_NEXT = "; run 'graphlang propagate' for their neighbours"


@click.command()
@options.database
@click.option("--count", type=WholeNumber(1), default=COUNT, show_default=True, help="List at most this many pages.")
@click.option(
    "--random",
    "random_",
    is_flag=True,
    help="Draw fetched pages at random (text, status 200), without the answers: a gold file for 'evaluate'.",
)
@click.option("--draw", type=WholeNumber(0), default=1, show_default=True, help="With --random: seed of the draw.")
@options.selects
@to_file
@click.option(
    "--format",
    "format_",
    type=click.Choice(("csv", "tsv", "jsonl", "table")),
    default="csv",
    show_default=True,
    help="csv to fill in, table to read.",
)
@click.option(
    "--from",
    "from_",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Read a CSV that you filled in: rows with a language become corrections.",
)
@click.option("--by", metavar="NAME", default="", help="With --from: your name.")
@wide_option
@waits
@logs
def review(
    db: Path,
    count: int,
    draw: int,
    output: str,
    format_: str,
    from_: Path | None,
    by: str,
    pages: PageFilter,
    *,
    random_: bool,
) -> None:
    """List the pages that are most useful to check, or random ones.

    The pages that are most useful to check are uncertain, on many hosts and in many languages, with many links to
    and from short uncertain pages. Look at each page and write its language (any usual code or name; zxx for none)
    into the column 'language'; empty rows change nothing. Then read the file with --from.

    With --random every page that 'languages' counts is equally likely: fetched text with status 200 or without a
    status. The order is random, too, so the first rows are a sample as well. Write the language of each page, or
    und if it cannot be determined. 'graphlang evaluate --gold' then prints the accuracy, with an interval for all
    these pages. With --language the interval is for the pages with that answer: its precision. The other filters
    are those of 'pages'.

    \b
    Examples:
      graphlang review crawl.db --count 50 -o check.csv
      graphlang review crawl.db --from check.csv --by Asha
      graphlang review crawl.db --random --count 400 -o gold.csv
      graphlang evaluate crawl.db --gold gold.csv
    """
    _refuse_without_effect(reading=from_ is not None, random=random_, by=by)
    crawl = open_crawl(db)
    if from_ is None:
        rows: Rows[Any] = crawl.review(count=count, **pages)
        if random_:
            rows = crawl.sample(count=count, draw=draw, **pages)
        first = _FIRST_OF_SAMPLE if random_ else _FIRST
        write_rows(rows.columns, rows.tuples(), format_=format_, output=output, first=first, for_people=True)
        return
    if not by.strip():
        raise click.UsageError("--by is missing: who filled it in?")
    with bars() as progress:
        corrected = crawl.read_review(from_, by=by, progress=progress)
    _say_corrected(corrected)


def _refuse_without_effect(*, reading: bool, random: bool, by: str) -> None:
    for name in ("random_", "draw", "count", "output", "format_", *options.FILTER):
        if not is_on_command_line(name):
            continue
        option = f"--{name.rstrip('_').replace('_', '-').replace('everything', 'all')}"
        if reading:
            raise click.UsageError(f"{option} has no effect with --from")
        if name == "draw" and not random:
            raise click.UsageError(f"{option} needs --random")
    if by and not reading:
        raise click.UsageError("--by needs --from")


@click.command()
@options.database
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="All pages of this host in DB.")
@click.option(
    "--from",
    "from_",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The URLs in FILE, one a line (# begins a comment); a tab and a code after a URL set its language.",
)
@click.option(
    "--language",
    metavar="CODE",
    shell_complete=options.complete_codes,
    help="The language: any usual code or name, und or zxx; sr-Latn, zh-TW.",
)
@click.option("--by", metavar="NAME", default="", help="Your name.")
@click.option("--note", metavar="TEXT", default="", help="A reason.")
@click.option("--undo", is_flag=True, help="Undo the last correction of each page; the one before it counts again.")
@waits
@logs
def correct(
    db: Path,
    urls: tuple[str, ...],
    hosts: tuple[str, ...],
    from_: Path | None,
    language: str | None,
    by: str,
    note: str,
    *,
    undo: bool,
) -> None:
    """Set the language of pages by hand.

    The views show a correction at once, with confidence 1 and the method 'correction'; later readings and runs keep
    it. The next 'graphlang propagate' or 'vote' uses it as certain evidence for its neighbours. und: the language
    cannot be determined; zxx: the page has no language. A URL need not be in DB yet. Former answers and corrections
    stay as history, see 'graphlang corrections'. --undo does not change the chosen run until the next one.

    \b
    Examples:
      graphlang correct crawl.db https://www.example.org/menu.html --language swa --by Asha --note "read it"
      graphlang correct crawl.db --host www.example.org --language sr-Latn --by Asha
      graphlang correct crawl.db --from checked.tsv --by Asha
      graphlang correct crawl.db https://www.example.org/menu.html --undo
    """
    lines = [line.partition("\t") for line in read_lines(from_)] if from_ else []
    pairs = [(parse_named_url(url), language or "") for url in urls]
    pairs += [(parse_named_url(url), code.strip() or language or "") for url, _, code in lines]
    names = [parse_named_host(name) for name in hosts]
    if not pairs and not names:
        raise click.UsageError("nothing to correct: name a URL, --host or --from")
    crawl = open_crawl(db)
    if undo:
        if language or note:
            raise click.UsageError("--undo takes neither --language nor --note")
        count = crawl.undo_corrections(*(url for url, _ in pairs), hosts=names, by=by)
        say(f"undone: {quantity(count, 'correction')}{_NEXT if count else ''}")
        return
    if not by.strip():
        raise click.UsageError("--by is missing: who corrects?")
    if (names and not language) or not all(code for _, code in pairs):
        raise click.UsageError("--language is missing")
    with bars() as progress:
        corrected = crawl.correct(*pairs, language=language, by=by, note=note, hosts=names, progress=progress)
    _say_corrected(corrected)


def _say_corrected(corrected: CorrectionCounts) -> None:
    absent = ""
    if corrected.unknown:
        absent = f"; {quantity(corrected.unknown, 'URL')} not in the database yet"
    say(f"corrected: {quantity(corrected.pages, 'page')}{absent}{_NEXT if corrected.pages else ''}")


@click.command()
@options.database
@click.option("--all", "everything", is_flag=True, help="Also list corrections that were undone or replaced.")
@output_options
def corrections(db: Path, *, everything: bool, **target: Unpack[RowOptions]) -> None:
    """List the corrections that apply.

    Each row has the author, the date, the reason, and the answer before.

    \b
    Examples:
      graphlang corrections crawl.db
      graphlang corrections crawl.db --all --format csv -o history.csv
    """
    rows = open_crawl(db).corrections(everything=everything)
    write_list(rows, **target)
