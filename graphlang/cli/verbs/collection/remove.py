"""``remove``: honour takedowns."""

from __future__ import annotations

from pathlib import Path

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.files.named import host_named, lines_of, url_named
from graphlang.cli.shared.messages.log import logs, say
from graphlang.db import remove as removal
from graphlang.ingest.links import canonical as links
from graphlang.visible import visible

_TOLD = 5  # names that the database does not have


@click.command()
@options.database
@click.option("--url", "urls", multiple=True, metavar="URL", help="Remove this URL; can be given several times.")
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="Remove all URLs of this host; repeatable.")
@click.option(
    "--from",
    "from_",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Remove the URLs and hosts that FILE names, one a line (# begins a comment).",
)
@click.option("--vacuum", is_flag=True, help="Write the file anew, so that nothing is left in any unused part of it.")
@click.option("--forget", is_flag=True, help="Remove nothing, but let these URLs and hosts be read again.")
@waits
@logs
def remove(
    db: Path,
    urls: tuple[str, ...],
    hosts: tuple[str, ...],
    from_: Path | None,
    *,
    vacuum: bool,
    forget: bool,
) -> None:
    """Remove pages, and keep later readings from restoring them.

    This deletes captures, texts, links from and to the pages, words of links, problems, answers of all runs,
    corrections, and the URLs themselves; only digests of the URLs are kept. The text of other pages stays as it is. A
    HOST does not include the hosts below it. Answers for other pages stay until 'graphlang propagate' is run again.

    \b
    Examples:
      graphlang remove crawl.db --url https://www.example.org/private.html --vacuum
      graphlang remove crawl.db --host shop.example.org
      graphlang remove crawl.db --from takedowns.txt --vacuum
      graphlang remove crawl.db --forget --host shop.example.org
    """
    named = [*urls, *hosts, *(lines_of(from_) if from_ else ())]
    if not named and not vacuum:
        raise click.UsageError("nothing to remove: name it with --url, --host or --from")
    if strange := [url for url in urls if "://" not in url]:
        raise click.BadParameter(f"{strange[0]!r} is no URL (a host is named with --host)", param_hint="--url")
    wanted_hosts = [host_named(name) for name in named if name in hosts or "://" not in name]
    wanted_urls = [url_named(name) for name in named if name not in hosts and "://" in name]
    with writing(db) as connection:
        if forget:
            count = removal.forget(connection, wanted_urls, wanted_hosts)
            words = f"{count:,} of {len(named):,} can be read again"
        else:
            done = removal.remove(
                connection,
                wanted_urls,
                wanted_hosts,
                host_of=links.host,
                canonical=lambda url: links.canonical(url) or url,
            )
            words = f"removed: {done.words()}"
            if done.missing:
                words += f"; {_missing(done.missing)}"
        removal.scrub(connection, vacuum=vacuum)
    say(words)


def _missing(names: list[str]) -> str:
    were = "was" if len(names) == 1 else "were"
    more = f", and {len(names) - _TOLD:,} more" if len(names) > _TOLD else ""
    told = ", ".join(visible(name) for name in names[:_TOLD])
    return f"{len(names):,} {were} not in the database, and will not be read in future: {told}{more}"
