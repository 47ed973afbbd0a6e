"""Verbs that make and keep a collection: reading files, lists of what is in it, takedowns, damage, conversion."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from graphlang.cli.shared import archives, options
from graphlang.cli.shared.crawl import open_answered, open_crawl, waits
from graphlang.cli.shared.log import log, logs, say
from graphlang.cli.shared.options import WholeNumber
from graphlang.cli.shared.output import RowOptions, output_options, table_options, write_line, write_list, write_rows
from graphlang.cli.shared.paths import parse_named_host, parse_named_url, read_lines
from graphlang.cli.shared.progress import Timed, bars
from graphlang.db.write.choose_capture import Keep
from graphlang.printing import format_json, quantity, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphlang.analysis.ingest import Ingested
    from graphlang.db.check import Finding
    from graphlang.db.runs.run import Run

_SHORT = 0.05  #: seconds; shorter stages are not printed
_NAMES = 5  #: that are not in the database, printed
_PARAMETERS = 120  #: characters of them in a table
_LISTED = 20  #: faults, or tables of the user, printed
_UNFIT = 3
_RUN_COLUMNS = (
    *("chosen", "id", "kind", "method", "at", "model_hash", "seeds", "pages", "rounds", "converged"),
    *("started", "finished", "parameters"),
)
#: What a narrow terminal shows first.
_FIRST = ("id", "chosen", "kind", "method", "at", "pages", "seeds", "finished", "converged", "rounds", "parameters")


@click.command(cls=options.WithAdvanced)
@options.database
@archives.files
@options.plugins
@archives.reading
@waits
@logs
def ingest(db: Path, files: tuple[Path, ...], **reading: Unpack[archives.ReadingOptions]) -> None:
    """Read FILES into DB.

    FILES are archives, folders of them, patterns in quotes, a folder that wget mirrored, or - for standard input.
    Archives are WARC, ARC, WACZ, WET, WAT, store files of the Language Observatory, JSON, HAR, MHTML and saved
    HTML, compressed or not; they are recognised by their content. Nothing is fetched. Symbolic links within folders
    are not followed without --follow-links (in a mirror, never).

    Files that DB has already are skipped, whatever their name. Interrupt it at any time; run the same command again
    to resume. What cannot be read is listed by 'graphlang problems', and the exit code is 1.

    \b
    Examples:
      graphlang ingest crawl.db crawl.warc.gz
      graphlang ingest crawl.db archive-folder/ 'more/*.arc.gz' --keep first
      graphlang ingest crawl.db --from paths.txt
      zstdcat crawl.warc.zst | graphlang ingest crawl.db -
    """
    with bars() as progress:
        inputs = archives.list_inputs(files, reading)
        ingested = open_crawl(db).ingest(*inputs, progress=progress, **archives.list_arguments(reading))
    say_ingested(ingested, progress, verbose=reading["verbose"])
    exit_with_problems(ingested)


def say_ingested(ingested: Ingested, progress: Timed, *, verbose: bool) -> None:
    """Print the counts of an ingest and its time."""
    _say_skipped(ingested, verbose=verbose)
    if ingested.already_read:
        say(f"already read: {_first_of(ingested.already_read)}", "already read", files=len(ingested.already_read))
    if ingested.unrecognised:
        refused = _first_of(ingested.unrecognised)
        message = f"not an archive when it was read: {refused}: --again tries the readers installed now"
        say(message, "no archive", files=len(ingested.unrecognised))
    if ingested.options_changed:
        say(_describe_changed(ingested), "options changed", files=len(ingested.options_changed))
    if ingested.unfinished:
        message = f"not read to the end: {_first_of(ingested.unfinished)}: run the same command again"
        say(message, "not read to the end", files=len(ingested.unfinished))
    rate = f" ({ingested.pages / ingested.seconds:,.0f} captures/s)" if ingested.pages else ""
    say(
        f"read {quantity(ingested.files, 'file')}: {quantity(ingested.pages, 'capture')},"
        f" {quantity(ingested.links, 'link')}, {quantity(ingested.problems, 'problem')}"
        f" in {ingested.seconds:.1f} s{rate}",
        "read",
        **list_counts(ingested),
    )
    if ingested.files and not ingested.pages and not ingested.problems:
        them = "it" if ingested.files == 1 else "them"
        say(f"no captures in {them}: only records with http and https URLs are pages", "no pages")
    if ingested.further_captures:
        repeats = quantity(ingested.further_captures, "repeat capture")
        message = f"{repeats}: {_describe_fate(ingested)} (--keep {ingested.keep})"
        say(message, "captures", captures=ingested.further_captures, kept=ingested.stored_captures)
    stages = {name: round(seconds, 1) for name, seconds in progress.seconds.items() if seconds >= _SHORT}
    if stages:
        say(f"stages: {'  '.join(f'{name} {seconds} s' for name, seconds in stages.items())}", "stages", **stages)


def _first_of(paths: Sequence[object]) -> str:
    rest = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    return f"{visible(str(paths[0]))}{rest}"


def _describe_changed(ingested: Ingested) -> str:
    """Describe in one line the files that were read with other options, and how to read them again."""
    changes = "; ".join(
        f"{archives.name_option(change.name)} {archives.format_value(change.name, change.before)},"
        f" now {archives.format_value(change.name, change.now)}"
        for change in ingested.options_changed[0][1]
    )
    names = _first_of([path for path, _ in ingested.options_changed])
    return f"read with other options: {names} ({changes}): --again reads with the options given now"


def _describe_fate(ingested: Ingested) -> str:
    """Describe what happened to further captures of a URL."""
    if ingested.keep is not Keep.ALL:
        return "one capture of each URL is kept"
    duplicates = ingested.further_captures - ingested.stored_captures
    skipped = f"{quantity(duplicates, 'duplicate')} skipped" if duplicates else ""
    stored = f"{ingested.stored_captures:,} kept" if ingested.stored_captures else ""
    return ", ".join(filter(None, (stored, skipped)))


def list_counts(ingested: Ingested) -> dict[str, Any]:
    """Return what was read in numbers, for programs."""
    return {
        "files": ingested.files,
        "already_read": len(ingested.already_read),
        "passed_over": len(ingested.skipped),
        "pages": ingested.pages,
        "further_captures": ingested.further_captures,
        "further_captures_kept": ingested.stored_captures,
        "links": ingested.links,
        "problems": ingested.problems,
        "seconds": round(ingested.seconds, 1),
    }


def _say_skipped(ingested: Ingested, *, verbose: bool) -> None:
    if verbose:
        for path, reason in ingested.skipped:
            say(f"skipped: {visible(str(path))} ({reason})", "skipped", path=str(path), reason=reason)
    elif ingested.skipped:
        by_reason = Counter(skipped.reason for skipped in ingested.skipped)
        reasons = ", ".join(f"{reason}: {count:,}" for reason, count in by_reason.items())
        message = f"skipped: {quantity(len(ingested.skipped), 'file')} ({reasons}); --verbose names them"
        say(message, "skipped", **by_reason)


def exit_with_problems(ingested: Ingested) -> None:
    """Exit with 1 where there were problems."""
    if ingested.problems:
        them = "it" if ingested.problems == 1 else "them"
        db = visible(str(click.get_current_context().meta[options.DATABASE]))
        message = f"{quantity(ingested.problems, 'problem')}: 'graphlang problems {db}' lists {them}"
        say(message, "problems", problems=ingested.problems)
        sys.exit(1)


@click.command()
@options.database
@table_options
@click.option("--encodings", is_flag=True, help="Count pages by language and encoding instead.")
def info(db: Path, format_: str, *, encodings: bool) -> None:
    """Count the files, pages, links and languages in DB.

    It also counts links by kind, charsets and problems. 'Other captures' are those besides the main capture of a
    page. A WARC revisit record is a capture without content of its own. --encodings counts the pages of each
    language by charset and by the source of the charset (server, page, detection). If a method over bytes (such as
    byte-trigrams) was run, it also counts them by the encoding that the method identified.

    \b
    Examples:
      graphlang info crawl.db
      graphlang info crawl.db --encodings --format csv
    """
    if encodings:
        pages = open_crawl(db).encodings()
        write_rows(pages.columns, pages.tuples(), format_=format_, first=("language", "charset", "pages"))
        return
    facts = open_answered(db).info()
    write_rows(facts.columns, facts.tuples(), format_=format_)


@click.command()
@options.database
@click.option("--kind", help="Only problems of this kind.")
@click.option("--count", is_flag=True, help="Count problems by kind.")
@output_options
def problems(db: Path, kind: str | None, *, count: bool, **target: Unpack[RowOptions]) -> None:
    """List what could not be read: file, offset, URL and reason.

    \b
    Examples:
      graphlang problems crawl.db
      graphlang problems crawl.db --count
    """
    crawl = open_crawl(db)
    by_kind = crawl.count_problems()
    if kind is not None and kind not in by_kind:
        hint = f"there are: {', '.join(sorted(by_kind))}" if by_kind else "there are no problems"
        say(f"no problem of kind '{visible(kind)}'; {visible(hint)}", "none of this kind")
    if count:
        chosen = [row for row in by_kind.items() if kind in (None, row[0])]
        write_rows(("kind", "problems"), chosen, **target)
    else:
        rows = crawl.problems(kind=kind)
        write_list(rows, **target)


@click.command()
@options.database
@click.option("--choose", type=WholeNumber(1), metavar="RUN", help="Show this run in the views.")
@waits
@output_options
def runs(db: Path, choose: int | None, **target: Unpack[RowOptions]) -> None:
    """List all runs, or choose the one that the views show.

    The table cuts long parameters; other formats have them in full.

    \b
    Examples:
      graphlang runs crawl.db
      graphlang runs crawl.db --choose 2
    """
    crawl = open_crawl(db)
    if choose is not None:
        crawl.choose(choose)
    chosen = crawl.chosen()
    rows = [_run_row(run, chosen) for run in crawl.runs()]
    if target["format_"] == "table":  # a trained model has pages of them
        rows = [[*row[:-1], _shorten_parameters(row[-1])] for row in rows]
    write_rows(_RUN_COLUMNS, rows, **target, first=_FIRST)


def _shorten_parameters(parameters: str) -> str:
    return parameters if len(parameters) <= _PARAMETERS else f"{parameters[:_PARAMETERS]} …"


def _run_row(run: Run, chosen: Run | None) -> list[Any]:
    return [
        "*" if chosen is not None and run.id == chosen.id else "",
        run.id,
        run.kind,
        run.method,
        run.at,
        run.model_hash[:12] if run.model_hash else None,
        " ".join(map(str, run.seeds)),
        run.pages,
        run.rounds,
        None if run.converged is None else int(run.converged),
        run.started,
        run.finished,
        format_json(run.parameters),
    ]


@click.command()
@options.database
@click.option("--url", "urls", multiple=True, metavar="URL", help="Remove this URL; repeatable.")
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="Remove all URLs of this host; repeatable.")
@click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="DOMAIN",
    help="Remove all URLs of this domain and of all hosts below it; repeatable.",
)
@click.option(
    "--from",
    "from_",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Remove the URLs and hosts in FILE, one a line (# begins a comment).",
)
@click.option("--vacuum", is_flag=True, help="Rewrite the file, so that no deleted data remain in it.")
@click.option("--forget", is_flag=True, help="Remove nothing, but allow these URLs and hosts to be read again.")
@waits
@logs
def remove(
    db: Path,
    urls: tuple[str, ...],
    hosts: tuple[str, ...],
    domains: tuple[str, ...],
    from_: Path | None,
    *,
    vacuum: bool,
    forget: bool,
) -> None:
    """Remove pages, and keep later readings from restoring them.

    This deletes the URLs with their captures, texts, problems, corrections and the answers of all runs, and the
    links from and to them with their words. Only digests of the URLs are kept. The text of other pages does not
    change. A HOST does not include its subdomains, a DOMAIN does. Answers for other pages stay until the next
    'graphlang propagate'.

    \b
    Examples:
      graphlang remove crawl.db --url https://www.example.org/private.html --vacuum
      graphlang remove crawl.db --host shop.example.org
      graphlang remove crawl.db --domain example.org
      graphlang remove crawl.db --from takedowns.txt --vacuum
      graphlang remove crawl.db --forget --host shop.example.org
    """
    names = [*urls, *hosts, *(read_lines(from_) if from_ else ())]
    if not names and not domains and not vacuum:
        raise click.UsageError("nothing to remove: name it with --url, --host, --domain or --from")
    if wrong := [url for url in urls if "://" not in url]:
        raise click.BadParameter(f"{wrong[0]!r} is not a URL (a host is named with --host)", param_hint="--url")
    host_names = [parse_named_host(name) for name in names if name in hosts or "://" not in name]
    url_names = [parse_named_url(name) for name in names if name not in hosts and "://" in name]

    domain_names = [parse_named_host(name) for name in domains]
    from graphlang.public_suffix import find_registered_domain  # noqa: PLC0415

    if wrong := [name for name in domain_names if find_registered_domain(name) is None]:
        raise click.BadParameter(f"{wrong[0]} is not a registered domain, nor below one", param_hint="--domain")
    of_hosts: dict[str, Any] = {"hosts": host_names, "domains": domain_names}
    removed = open_crawl(db).remove(*url_names, **of_hosts, vacuum=vacuum, forget=forget)
    if isinstance(removed, int):
        say(f"{removed:,} of {len(names) + len(domains):,} can be read again")
    else:
        say(f"removed: {removed.describe()}{_list_missing(removed.missing)}")


def _list_missing(names: list[str]) -> str:
    if not names:
        return ""
    were = "was" if len(names) == 1 else "were"
    rest = f", and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
    listed = ", ".join(visible(name) for name in names[:_NAMES])
    return f"; {len(names):,} {were} not in the database, and will be skipped in future: {listed}{rest}"


@click.command()
@options.database
@output_options
@click.pass_context
def check(ctx: click.Context, db: Path, **target: Unpack[RowOptions]) -> None:
    """Check DB for damage, one finding a row.

    It prints nothing for a sound database. It compares the schema with that of this program; SQLite checks the
    file; then types, texts, numbers and references of every row are checked, and the counts of the runs. If the
    schema is foreign, only that is checked. Your own tables, views and indexes are allowed: they are named on
    standard error, and not checked. The exit code is 3 if anything is wrong. 'sqlite3 crawl.db .recover' saves rows
    of a damaged file.

    \b
    Examples:
      graphlang check crawl.db
      graphlang check crawl.db --format jsonl
    """
    # A Collection refuses to open what this is about.
    from graphlang.db.check import Finding, list_findings, name_user_items  # noqa: PLC0415
    from graphlang.db.connection import inspect  # noqa: PLC0415

    total = 0

    def count(rows: Iterable[Finding]) -> Iterator[Finding]:
        nonlocal total
        for row in rows:
            total += 1
            yield row

    with closing(inspect(db)) as connection:
        rows = count(list_findings(connection))
        first = next(rows, None)
        if first is not None:
            write_rows(Finding._fields, chain((first,), rows), **target)
        if tables := name_user_items(connection):
            rest = f" and {len(tables) - _LISTED} more" * (len(tables) > _LISTED)
            say(f"tables and views of your own, not checked: {', '.join(tables[:_LISTED])}{rest}")
    if total:
        ctx.exit(_UNFIT)


@click.command(cls=options.WithAdvanced)
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@archives.max_ratio
@logs
def convert(source: Path, target: Path, *, max_ratio: int) -> None:
    """Copy all records of an archive to a store file or WARC.

    A store file is an archive of the Language Observatory. The name of TARGET chooses the format: .warc or .warc.gz
    for WARC, .store for a store file.

    SOURCE is any archive of records that 'graphlang ingest' reads. Every record is copied byte for byte; memory
    does not grow with its length. TARGET is replaced when everything is written, and never by an empty file. If
    SOURCE is damaged, the exit code is 1.

    A record from ARC gets a WARC header. Control characters in its URL could begin another header field, so they
    are percent-encoded (%0D), and a problem is printed.

    \b
    Examples:
      graphlang convert crawl.warc.gz crawl.store
      graphlang convert crawl.store crawl.warc.gz
    """
    from graphlang.files import open_regular  # noqa: PLC0415
    from graphlang.ingest.convert import convert_to_store, convert_to_warc  # noqa: PLC0415
    from graphlang.ingest.limits import Limits  # noqa: PLC0415

    name = target.name.lower()
    if name.endswith(".store"):
        write = convert_to_store
    elif name.endswith((".warc", ".warc.gz")):
        write = convert_to_warc
    else:
        raise click.BadParameter("its name must end in .store, .warc or .warc.gz", param_hint="TARGET")
    if target.exists() and target.samefile(source):
        raise click.BadParameter("it is SOURCE itself", param_hint="TARGET")
    with open_regular(source):  # names a pipe or a device, which may never end
        pass
    with bars() as progress:
        progress.stage("convert", source.stat().st_size, "bytes")
        result = write(source, target, Limits(max_ratio=max_ratio), progress=progress.advance)
    if not log().quiet:
        write_line(f"{quantity(result.records, 'record')} written to {visible(str(target))}")
    for offset, kind, reason in result.faults[:_LISTED]:
        say(f"at byte {offset:,}: {kind}: {visible(reason)}", "problem", offset=offset, kind=kind, reason=reason)
    if len(result.faults) > _LISTED:
        say(f"and {len(result.faults) - _LISTED:,} more")
    if result.faults:
        sys.exit(1)
