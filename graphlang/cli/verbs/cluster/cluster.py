"""``cluster``: the same work on Spark, and its tables."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, Unpack

import click

from graphlang.cli.failures import PROBLEMS, USAGE, Failure
from graphlang.cli.shared import options
from graphlang.cli.shared.files import reading
from graphlang.cli.shared.messages.log import logs, say
from graphlang.cli.shared.tables.output import write_line
from graphlang.db.write.choose_capture import Keep
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


def _pair(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    del ctx, param
    pairs = [one.partition("=") for one in given]
    if bad := next((name for name, sign, _ in pairs if not sign or not name), None):
        raise click.BadParameter(f"{bad}: give a setting as NAME=VALUE")
    return {name: value for name, _, value in pairs}


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
    help="Where the tables are written to, as Spark names it.",
)
@click.option("--overwrite", is_flag=True, help="Replace FOLDER when all tables are complete.")
@click.option(
    "--master",
    metavar="URL",
    help="Where Spark runs: local[N], local-cluster[N,CORES,MB], yarn, spark://HOST:PORT; by default what spark-submit"
    " says, else local[*].",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_pair,
    help="A setting of Spark, such as spark.executor.memory=4g; may be repeated.",
)
@click.option("--method", default="nfc", show_default=True, help="Content method, or a model file.")
@click.option(
    "--keep",
    type=click.Choice([one.value for one in Keep if one is not Keep.ALL]),
    default=Keep.BEST.value,
    show_default=True,
    help="Which of several captures of a URL is the page's own: best is the newest with status 200, longest the one"
    " with the most text. Others are only counted.",
)
@click.option(
    "--partitions",
    type=click.IntRange(min=1),
    metavar="N",
    help="Partitions of the inference; by default one for each core, or more where these would have more than 250,000"
    " pages each.",
)
@click.option(
    "--host-pages",
    type=click.IntRange(min=1),
    default=250_000,
    show_default=True,
    metavar="N",
    help="A host with more pages is cut by directory.",
)
@click.option(
    "--most-links",
    type=click.IntRange(min=1),
    default=100_000_000,
    show_default=True,
    metavar="N",
    help="Give up where a partition has more links: it would not fit an executor's memory.",
)
@reading.bounds
@logs
def run(
    paths: tuple[str, ...],
    from_: Path | None,
    output: str,
    *,
    overwrite: bool,
    master: str | None,
    settings: dict[str, str],
    method: str,
    keep: str,
    partitions: int | None,
    host_pages: int,
    most_links: int,
    **bounds: Unpack[reading.Bounds],
) -> None:
    """Find the language of every page of PATHS, and write tables to FOLDER.

    PATHS are files, folders and patterns that every executor sees under the same path, or addresses that Spark reads
    (hdfs://, s3a://). Archives are read as by 'graphlang ingest'; large ones are cut, so that several executors read
    them. The inference works on partitions of the pages by host, until no belief across their borders moves. FOLDER
    gets its name when all is complete; one that exists is refused without --overwrite.

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
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # it repeats errors with pages of Java's
    job, spark_session = _needed("graphlang.cluster.job"), _needed("graphlang.cluster.spark_session")
    propagating = _needed("graphlang.cluster.inference.propagate")
    spark = spark_session.session(master, settings)
    try:
        done = job.run(
            spark,
            named,
            output,
            method=method,
            keep=Keep(keep),
            limits=reading.limits_of(bounds),
            overwrite=overwrite,
            sizes=propagating.Sizes(partitions, host_pages, most_links),
            progress=lambda stage: say(stage, "stage", stage=stage),
        )
    finally:
        spark.stop()
    say(
        f"{done.archives:,} archives: {done.fetched:,} pages read, {done.pages - done.fetched:,} only linked to,"
        f" {done.links:,} links, {done.problems:,} problems",
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
    state = "came to rest" if done.converged else "was stopped"
    say(f"inference {state} after {done.supersteps} supersteps")
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

    The run that the views show is written, with those that it started from. Ids are hashes of URLs, as on a cluster,
    so that tables of several collections fit together. Captures besides the pages' own, the words of links and
    corrections stay in DB. Needs graphlang[parquet], and neither Spark nor Java.

    \b
    Examples:
      graphlang cluster load crawl.db -o tables
    """
    done = _needed("graphlang.cluster.from_database").from_database(db, output, overwrite=overwrite)
    words = f"{done.fetched:,} pages read, {done.pages - done.fetched:,} only linked to, {done.links:,} links"
    say(f"{words}, {done.runs:,} runs", "loaded", **done._asdict())
    write_line(f"tables: {visible(str(output))}")


def _needed(module: str) -> Any:
    from importlib import import_module  # noqa: PLC0415 - for this alone

    try:
        return import_module(module)
    except ImportError as error:
        raise Failure(f"this needs {error.name}: pip install 'graphlang[spark]'", USAGE) from error
