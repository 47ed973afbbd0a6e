"""``correct``: languages of pages by hand."""

from __future__ import annotations

from pathlib import Path

import click

from graphlang.analysis import correct as correcting
from graphlang.cli.shared import options
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.files.named import host_named, lines_of, url_named
from graphlang.cli.shared.messages.log import logs, say
from graphlang.cli.shared.messages.progress import bars
from graphlang.printing.counted import counted


@click.command()
@options.database
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="Every page of this host that DB has now.")
@click.option(
    "--from",
    "from_",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The URLs that FILE names, one a line (# begins a comment); a tab and a code behind a URL say its language.",
)
@click.option("--language", metavar="CODE", help="The language: any usual code or name, und or zxx; sr-Latn, zh-TW.")
@click.option("--by", metavar="NAME", default="", help="Who says so.")
@click.option("--note", metavar="TEXT", default="", help="Why.")
@click.option("--undo", is_flag=True, help="Undo the last correction of each page; one before it counts again.")
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
    """Say what language pages are in, as somebody who looked.

    The views show a correction at once, with a confidence of 1 and the method 'correction'; every later reading and run
    keeps it. The next 'graphlang propagate' (or vote) takes it for certain, and its neighbours learn from it. und:
    nobody can tell; zxx: there is no language in it. A URL need not be in DB yet. What was said before stays as
    history, see 'graphlang corrections'. After --undo the chosen run still has what it learned, until the next one.

    \b
    Examples:
      graphlang correct crawl.db https://www.example.org/menu.html --language swa --by Asha --note "read it"
      graphlang correct crawl.db --host www.example.org --language sr-Latn --by Asha
      graphlang correct crawl.db --from checked.tsv --by Asha
      graphlang correct crawl.db https://www.example.org/menu.html --undo
    """
    listed = [line.partition("\t") for line in lines_of(from_)] if from_ else []
    named = [url_named(url) for url in (*urls, *(url for url, _, _ in listed))]
    of_hosts = [host_named(name) for name in hosts]
    if not named and not of_hosts:
        raise click.UsageError("nothing to correct: name a URL, --host or --from")
    if undo:
        if language or note:
            raise click.UsageError("--undo takes neither --language nor --note")
        with writing(db) as connection:
            count = correcting.undo(connection, named, hosts=of_hosts, by=by)
        _say(f"undone: {counted(count, 'correction')}", count)
        return
    if not by.strip():
        raise click.UsageError("--by is missing: who says so?")
    said = [correcting.Said(url, language or "", note) for url in urls]
    said += [correcting.Said(url, code.strip() or language or "", note) for url, _, code in listed]
    if (of_hosts and not language) or any(not one.language for one in said):
        raise click.UsageError("--language is missing")
    with writing(db) as connection, bars() as shown:
        said += correcting.of_hosts(connection, of_hosts, language or "", note)
        done = correcting.correct(connection, said, by=by, progress=shown)
    more = f"; {counted(done.unknown, 'URL')} that the database does not have yet" if done.unknown else ""
    _say(f"corrected: {counted(done.pages, 'page')}{more}", done.pages)


def _say(words: str, pages: int) -> None:
    say(words + ("; run 'graphlang propagate' for their neighbours" if pages else ""))
