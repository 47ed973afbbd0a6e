"""Verbs that work past one machine: ``cluster``, the same work on Spark, and ``import`` of its tables."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from graphlang.cli.failures import PROBLEMS, USAGE, Failure
from graphlang.cli.link_graphs import answer, graph_options, write_answer
from graphlang.cli.look import by_units
from graphlang.cli.publish import html_file
from graphlang.cli.shared import archives, options
from graphlang.cli.shared.crawl import say_unanswered
from graphlang.cli.shared.log import logs, say
from graphlang.cli.shared.options import WholeNumber, WithAdvanced, selects
from graphlang.cli.shared.output import RowOptions, output_options, write_line, write_rows, write_text
from graphlang.cli.shared.paths import read_file_list
from graphlang.collection.page_filter import make_selection
from graphlang.db.write.choose_capture import Keep
from graphlang.printing import quantity, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphlang.collection.page_filter import PageFilter


def _import(module: str) -> Any:
    """Import a module that needs an extra."""
    try:
        return import_module(module)
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "graphlang":  # an incomplete installation of graphlang
            raise
        raise Failure(f"this needs {error.name}: pip install 'graphlang[spark]'", USAGE) from error


def _pair(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    del ctx, param
    pairs = [value.partition("=") for value in values]
    if bad := next((name for name, sign, _ in pairs if not sign or not name), None):
        raise click.BadParameter(f"{bad}: give a setting as NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _spark_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb that starts Spark its options."""
    function = click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_pair,
        help="A setting of Spark, such as spark.executor.memory=4g; repeatable.",
    )(function)
    return click.option(
        "--master",
        metavar="URL",
        help="Where Spark runs: local[N], local-cluster[N,CORES,MB], yarn, spark://HOST:PORT; by default that of"
        " spark-submit, else local[*].",
    )(function)


def _is_logged(record: logging.LogRecord) -> bool:
    """Return False for a record of py4j about a lost Java process, which is an error of one line."""
    return record.msg != "Exception while sending command."


@contextmanager
def _session(
    master: str | None, settings: dict[str, str], *, late: bool = False, method: str | None = None
) -> Iterator[Any]:
    """Start Spark, and stop it in the end, unless it ran before.

    A ``late`` session starts what tables of Spark need with the first one; ``method`` is its content method.
    """
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # it repeats errors with pages of Java stack
    logging.getLogger().addFilter(_is_logged)
    sessions = _import("graphlang.cluster.spark_session")
    runs_already = sessions.is_there()
    if late:
        _import("graphlang.cluster.stages").hide_pandas()  # a verb has no series
    spark = sessions.late_session(master, settings, method=method) if late else sessions.session(master, settings)
    try:
        yield spark
    finally:
        if not runs_already:
            sessions.stop(spark)


@contextmanager
def _tables_of(folder: str, master: str | None, settings: dict[str, str]) -> Iterator[Any]:
    """Open the tables of a collection in a folder, which take the same questions as a database."""
    with _session(master, settings) as spark:
        yield _import("graphlang.cluster.maps").open_tables(spark, folder)


@click.group()
def cluster() -> None:
    """Do the main job on Spark; tables are written as Parquet.

    For collections that do not fit one machine. The same readers, models and kernels run in Spark's executors, and the
    tables have the columns of the database's views. Needs graphlang[spark] and Java 17.

    \b
    Examples:
      graphlang cluster run archive-folder/ -o tables
      graphlang import tables --db crawl.db
      graphlang cluster load crawl.db -o tables
    """


@cluster.command(cls=WithAdvanced)
@click.argument("paths", nargs=-1)
@archives.from_list
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FOLDER",
    help="Output: a folder that every executor sees, or an address.",
)
@click.option("--overwrite", is_flag=True, help="Replace FOLDER when all tables are complete.")
@click.option(
    "--resume",
    is_flag=True,
    help="Resume from the tables that an earlier job of the same archives and options left next to FOLDER.",
)
@_spark_options
@click.option("--method", default="nfc", show_default=True, help="Content method, or a model file.")
@click.option(
    "--keep",
    type=click.Choice([choice.value for choice in Keep]),
    default=Keep.BEST.value,
    show_default=True,
    help="Main capture of a URL with several: best is the newest with status 200, longest the one with the most "
    "text; others are only counted. all is like best, and keeps the others in the table history.",
)
@click.option(
    "--partitions",
    type=WholeNumber(1),
    metavar="N",
    help="Partitions of the inference; by default one up to 250,000 pages, else at least one for each core.",
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
    help="Stop if a partition has more links: it would not fit an executor's memory.",
)
@click.option(
    "--linked/--no-linked",
    "answer_unfetched",
    default=True,
    show_default=True,
    help="Infer the languages of unfetched URLs, most of a crawl. With --no-linked they are pending in the "
    "tables, and an imported database infers them when it needs them.",
)
@archives.bounds
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
    answer_unfetched: bool,
    **bounds: Unpack[archives.Bounds],
) -> None:
    """Find the language of every page of PATHS, and write tables to FOLDER.

    PATHS are files, folders and patterns that every executor sees under the same path, or addresses that Arrow opens
    (hdfs://, s3a://). Archives are read as by 'graphlang ingest'; large ones are cut, so that several executors read
    them. The inference works on partitions of the pages by host, until the beliefs across their borders are stable.
    FOLDER gets its name when all is complete; one that exists is refused without --overwrite. A job that fails leaves
    its tables next to it: the same command with --resume continues from the last complete one.

    \b
    pages, captures, links     every URL; what was read of it; who links to whom
    answers                    answers of each run, with the best few labels
    languages, sites           as the views page_languages and site_languages of the database
    problems, sources, runs    what could not be read; the archives; how everything was computed

    \b
    Examples:
      graphlang cluster run archive-folder/ -o tables --master local[8]
      graphlang cluster run --from archives.txt -o hdfs:///tables --master yarn --set spark.executor.memory=4g
    """
    names = [*paths, *(read_file_list(from_) if from_ is not None else ())]
    if not names:
        raise click.UsageError("no files: name some, or a list of them with --from")
    with _session(master, settings, late=True, method=method) as spark:
        job, propagating = _import("graphlang.cluster.job"), _import("graphlang.cluster.partitions")
        result = job.run(
            spark,
            names,
            output,
            method=method,
            keep=Keep(keep),
            limits=archives.make_limits(bounds),
            overwrite=overwrite,
            resume=resume,
            sizes=propagating.Sizes(partitions, host_pages, most_links),
            linked=answer_unfetched,
            progress=lambda stage: say(stage, "stage", stage=stage),
        )
    say(
        f"{quantity(result.archives, 'archive')}: {_list_counts(result)}, {quantity(result.problems, 'problem')}",
        "done",
        archives=result.archives,
        pages=result.pages,
        fetched=result.fetched,
        links=result.links,
        problems=result.problems,
        supersteps=result.supersteps,
        converged=result.converged,
    )
    for warning in result.warnings:
        say(f"Warning: {warning}", "warning")
    if result.supersteps:
        end = "converged" if result.converged else "stopped"
        say(f"inference {end} after {quantity(result.supersteps, 'superstep')}")
    write_line(f"tables: {visible(output)}")
    if result.problems:
        click.get_current_context().exit(PROBLEMS)


@cluster.command()
@options.database
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Output folder on this machine.",
)
@click.option("--overwrite", is_flag=True, help="Replace FOLDER when all tables are complete.")
@logs
def load(db: Path, output: Path, *, overwrite: bool) -> None:
    """Write the tables of DB as 'cluster run' would.

    It writes all runs, other captures of pages, the words of links, corrections and removals. Ids are hashes of
    URLs, as on a cluster, so that tables of several collections can be combined. Needs graphlang[parquet], but
    neither Spark nor Java.

    \b
    Examples:
      graphlang cluster load crawl.db -o tables
    """
    result = _import("graphlang.cluster.load").export_database(db, output, overwrite=overwrite)
    say(f"{_list_counts(result)}, {quantity(result.runs, 'run')}", "loaded", **result._asdict())
    write_line(f"tables: {visible(str(output))}")


def _list_counts(result: Any) -> str:
    unfetched = result.pages - result.fetched
    return f"{quantity(result.fetched, 'page')} read, {unfetched:,} only linked to, {quantity(result.links, 'link')}"


@cluster.command()
@click.argument("tables")
@by_units
@click.option("--scripts", is_flag=True, help="Count the scripts of a language separately.")
@selects
@_spark_options
@output_options
@logs
def sites(
    tables: str,
    by: str,
    pages: PageFilter,
    master: str | None,
    settings: dict[str, str],
    *,
    scripts: bool,
    **target: Unpack[RowOptions],
) -> None:
    """The language map of TABLES: pages by site and language.

    The result equals 'graphlang sites' on the database that 'graphlang import' makes of TABLES. Spark counts; no
    page is sent to this machine.

    \b
    Examples:
      graphlang cluster sites tables --by domain
      graphlang cluster sites hdfs:///tables --by country --master yarn --format csv -o countries.csv
    """
    from graphlang.maps.selection import count_unanswered  # noqa: PLC0415
    from graphlang.maps.sites import read_site_map  # noqa: PLC0415

    units, chosen = by.split(","), make_selection(pages)
    with _tables_of(tables, master, settings) as opened:
        if "year" in units:
            say_unanswered(count_unanswered(opened))
            _import("graphlang.cluster.maps").refuse_other_years(opened)
        language_map = read_site_map(
            opened, units, chosen, scripts=scripts or any(tag.script for tag in chosen.choices)
        )
    write_rows(language_map.columns, language_map.rows, **target)


@cluster.command()
@click.argument("tables")
@click.option("--by", type=click.Choice(["year"]), help="The languages of each calendar year.")
@selects
@_spark_options
@output_options
@logs
def languages(
    tables: str,
    by: str | None,
    pages: PageFilter,
    master: str | None,
    settings: dict[str, str],
    **target: Unpack[RowOptions],
) -> None:
    """List the languages of TABLES: pages, sites, scripts, encodings.

    The result equals 'graphlang languages' on the database that 'graphlang import' makes of TABLES. Spark counts;
    no page is sent to this machine.

    \b
    Examples:
      graphlang cluster languages tables
      graphlang cluster languages tables --language swa,zul --format csv
    """
    from graphlang.maps.languages import LanguageRow, YearRow, list_languages, list_languages_by_year  # noqa: PLC0415
    from graphlang.maps.selection import count_unanswered  # noqa: PLC0415

    chosen = make_selection(pages)
    with _tables_of(tables, master, settings) as opened:
        rows: list[Any] = list_languages(opened, chosen) if by is None else list_languages_by_year(opened, chosen)
        if by is not None:
            say_unanswered(count_unanswered(opened))
    columns = LanguageRow._fields if by is None else YearRow._fields
    write_rows(columns, rows, **target)


@cluster.command("language-graph")
@click.argument("tables")
@graph_options
@selects
@_spark_options
@logs
def language_graph(
    tables: str,
    format_: str,
    what: str,
    by: str,
    output: Path,
    pages: PageFilter,
    master: str | None,
    settings: dict[str, str],
) -> None:
    """Count links between the languages, or the sites, of TABLES.

    The result equals 'graphlang language-graph' on the database that 'graphlang import' makes of TABLES. Spark
    counts the links; one row for each pair of languages, or sites, is sent to this machine. The components of a
    language, or site, are computed in one task; with more than 20,000,000 links inside, they are 0, and a warning
    names it.

    \b
    Examples:
      graphlang cluster language-graph tables
      graphlang cluster language-graph tables --what sites --by host --format csv -o sites.csv
    """
    from graphlang.maps.language_graph import read_language_graph as graph_of  # noqa: PLC0415
    from graphlang.maps.site_graph import read_site_graph  # noqa: PLC0415

    chosen = make_selection(pages)
    with _tables_of(tables, master, settings) as opened:
        result = answer(
            lambda *, by, components: graph_of(opened, chosen, unit=by, components=components),
            lambda *, by, measures: read_site_graph(opened, chosen, unit=by, measures=measures),
            format_=format_,
            what=what,
            by=by,
        )
    write_answer(result, format_, output)


@cluster.command()
@click.argument("tables")
@html_file
@click.option("--title", help="Title of the report; by default the folder's name.")
@_spark_options
@logs
def report(tables: str, output: Path, title: str | None, master: str | None, settings: dict[str, str]) -> None:
    """Write a report on TABLES: one HTML file that needs no other.

    The result equals 'graphlang report' on the database that 'graphlang import' makes of TABLES. Spark counts; only
    the pages that the report names are sent to this machine.

    \b
    Example:
      graphlang cluster report tables -o report.html
    """
    from graphlang.report.page import render_bytes, write_report  # noqa: PLC0415

    heading = title or tables.rstrip("/").rpartition("/")[2]
    with _tables_of(tables, master, settings) as opened:
        if str(output) == "-":
            page = render_bytes(opened, heading)
            write_text(lambda file: file.write(page))
            return
        write_report(opened, output, heading)
    write_line(f"report: {visible(str(output))}")


@click.command("import")
@click.argument("folder", type=click.Path(file_okay=False, exists=True, path_type=Path))
@click.option(
    "--db",
    "db",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    callback=options.remember_database,
    help="The database, which must not exist yet.",
)
@logs
def import_(folder: Path, db: Path) -> None:
    """Make DB from the tables that 'cluster run' wrote.

    FOLDER is on this machine. All other verbs then work on DB: the views show the run that Spark inferred, and
    pages have new ids, in the order in which they were read. Needs graphlang[parquet].

    \b
    Examples:
      graphlang import tables/ --db crawl.db
      graphlang sites crawl.db --by domain
    """
    try:
        from graphlang.cluster.import_tables import to_database  # noqa: PLC0415 - needs an extra
    except ImportError as error:
        raise Failure("import needs pyarrow: pip install 'graphlang[parquet]'", USAGE) from error
    result = to_database(folder, db)
    message = f"{_list_counts(result)}, {quantity(result.problems, 'problem')}, {quantity(result.runs, 'run')}"
    say(message, "imported", **result._asdict())
