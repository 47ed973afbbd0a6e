"""``cluster``: the same work on Spark, and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from graphlang.cli.failures import PROBLEMS
from graphlang.cli.shared import options
from graphlang.cli.shared.files import reading
from graphlang.cli.shared.messages.log import logs, say
from graphlang.cli.shared.tables.output import write_line
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.cli.verbs.cluster.maps import language_graph, languages, report, sites
from graphlang.cli.verbs.cluster.with_spark import needed, session, spark_options
from graphlang.db.write.choose_capture import Keep
from graphlang.printing.counted import counted
from graphlang.visible import visible


@click.group()
def cluster() -> None:
    """Do the same on Spark; tables are written as Parquet.

    For collections that do not fit one machine. The same readers, models and kernels run in Spark's executors, and the
    tables have the columns of the database's views. Needs graphlang[spark] and Java 17.

    \b
    Examples:
      graphlang cluster run archive-folder/ -o tables
      graphlang import tables --db crawl.db
      graphlang cluster load crawl.db -o tables
    """


@cluster.command()
@click.argument("paths", nargs=-1)
@click.option(
    "--from",
    "from_",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    metavar="LIST",
    help="Read the paths that LIST names as well, one a line (# begins a comment); - is standard input.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FOLDER",
    help="Where the tables are written to: a folder that every executor sees, or an address.",
)
@click.option("--overwrite", is_flag=True, help="Replace FOLDER when all tables are complete.")
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with the tables that a job of the same archives and options left beside FOLDER when it died.",
)
@spark_options
@click.option("--method", default="nfc", show_default=True, help="Content method, or a model file.")
@click.option(
    "--keep",
    type=click.Choice([one.value for one in Keep]),
    default=Keep.BEST.value,
    show_default=True,
    help="Which of several captures of a URL is the page's own: best is the newest with status 200, longest the one"
    " with the most text; others are only counted. all is as best, and keeps the others in the table history.",
)
@click.option(
    "--partitions",
    type=WholeNumber(1),
    metavar="N",
    help="Partitions of the inference; by default one up to 250,000 pages, else one for each core, or more where these"
    " would have more.",
)
@click.option(
    "--host-pages",
    type=WholeNumber(1),
    default=250_000,
    show_default=True,
    metavar="N",
    help="A host with more pages is cut by directory.",
)
@click.option(
    "--most-links",
    type=WholeNumber(1),
    default=100_000_000,
    show_default=True,
    metavar="N",
    help="Give up where a partition has more links: it would not fit an executor's memory.",
)
@click.option(
    "--linked/--no-linked",
    default=True,
    show_default=True,
    help="Answer for the URLs that were only linked to, most of a crawl. If not, they are pending in the tables;"
    " a database that is made of these works them out when it is asked for them.",
)
@reading.bounds
@logs
def run(
    paths: tuple[str, ...],
    from_: Path | None,
    output: str,
    *,
    overwrite: bool,
    resume: bool,
    master: str | None,
    settings: dict[str, str],
    method: str,
    keep: str,
    partitions: int | None,
    host_pages: int,
    most_links: int,
    linked: bool,
    **bounds: Unpack[reading.Bounds],
) -> None:
    """Find the language of every page of PATHS, and write tables to FOLDER.

    PATHS are files, folders and patterns that every executor sees under the same path, or addresses that Arrow opens
    (hdfs://, s3a://). Archives are read as by 'graphlang ingest'; large ones are cut, so that several executors read
    them. The inference works on partitions of the pages by host, until no belief across their borders moves. FOLDER
    gets its name when all is complete; one that exists is refused without --overwrite. A job that dies leaves its
    tables beside it: the same command with --resume goes on from the last one that is complete.

    \b
    pages, captures, links     every URL; what was read of it; who links to whom
    answers                    what each run answers, with the best few labels
    languages, sites           what the database's views page_languages and site_languages show
    problems, sources, runs    what could not be read; the archives; how everything was computed

    \b
    Examples:
      graphlang cluster run archive-folder/ -o tables --master local[8]
      graphlang cluster run --from archives.txt -o hdfs:///tables --master yarn --set spark.executor.memory=4g
    """
    named = [*paths, *(reading.listed_in(from_) if from_ is not None else ())]
    if not named:
        raise click.UsageError("no files: name some, or a list of them with --from")
    with session(master, settings, late=True, method=method) as spark:
        job, propagating = needed("graphlang.cluster.job"), needed("graphlang.cluster.partitions")
        done = job.run(
            spark,
            named,
            output,
            method=method,
            keep=Keep(keep),
            limits=reading.limits_of(bounds),
            overwrite=overwrite,
            resume=resume,
            sizes=propagating.Sizes(partitions, host_pages, most_links),
            linked=linked,
            progress=lambda stage: say(stage, "stage", stage=stage),
        )
    say(
        f"{counted(done.archives, 'archive')}: {counted(done.fetched, 'page')} read, {done.pages - done.fetched:,} only"
        f" linked to, {counted(done.links, 'link')}, {counted(done.problems, 'problem')}",
        "done",
        archives=done.archives,
        pages=done.pages,
        fetched=done.fetched,
        links=done.links,
        problems=done.problems,
        supersteps=done.supersteps,
        converged=done.converged,
    )
    for warning in done.warnings:
        say(f"Warning: {warning}", "warning")
    if done.supersteps:
        state = "came to rest" if done.converged else "was stopped"
        say(f"inference {state} after {counted(done.supersteps, 'superstep')}")
    write_line(f"tables: {visible(output)}")
    if done.problems:
        click.get_current_context().exit(PROBLEMS)


@cluster.command()
@options.database
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Where the tables are written to, on this machine.",
)
@click.option("--overwrite", is_flag=True, help="Replace FOLDER when all tables are complete.")
@logs
def load(db: Path, output: Path, *, overwrite: bool) -> None:
    """Write the tables of DB as 'cluster run' would.

    All runs are written, other captures of a page, the words of links, corrections and removals. Ids are hashes of
    URLs, as on a cluster, so that tables of several collections fit together. Needs graphlang[parquet], and neither
    Spark nor Java.

    \b
    Examples:
      graphlang cluster load crawl.db -o tables
    """
    done = needed("graphlang.cluster.load").from_database(db, output, overwrite=overwrite)
    words = f"{counted(done.fetched, 'page')} read, {done.pages - done.fetched:,} only linked to"
    words += f", {counted(done.links, 'link')}"
    say(f"{words}, {counted(done.runs, 'run')}", "loaded", **done._asdict())
    write_line(f"tables: {visible(str(output))}")


for _verb in (sites, languages, language_graph, report):
    cluster.add_command(_verb)
