"""What the verbs that start Spark share: its options, and the session for as long as the verb works."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from graphlang.cli.failures import USAGE, Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def needed(module: str) -> Any:
    """A module that needs an extra.

    Args:
        module: its full name.

    Raises:
        Failure: the extra is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "graphlang":  # an installation of ours that is not whole
            raise
        raise Failure(f"this needs {error.name}: pip install 'graphlang[spark]'", USAGE) from error


def _pair(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    del ctx, param
    pairs = [one.partition("=") for one in given]
    if bad := next((name for name, sign, _ in pairs if not sign or not name), None):
        raise click.BadParameter(f"{bad}: give a setting as NAME=VALUE")
    return {name: value for name, _, value in pairs}


def spark_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of every verb that starts Spark."""
    function = click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_pair,
        help="A setting of Spark, such as spark.executor.memory=4g; may be repeated.",
    )(function)
    return click.option(
        "--master",
        metavar="URL",
        help="Where Spark runs: local[N], local-cluster[N,CORES,MB], yarn, spark://HOST:PORT; by default what"
        " spark-submit says, else local[*].",
    )(function)


def _is_told(record: logging.LogRecord) -> bool:
    """Whether a record is none of py4j's about a Java that is gone, which is told in a line."""
    return record.msg != "Exception while sending command."


@contextmanager
def session(
    master: str | None, settings: dict[str, str], *, late: bool = False, method: str | None = None
) -> Iterator[Any]:
    """Spark, which is stopped in the end, unless it was there before.

    Args:
        master: as `spark_options` gives it.
        settings: as `spark_options` gives them.
        late: whether what tables of Spark need is started only when there is one.
        method: of a late session, the content method that will be asked.

    Raises:
        Failure: pyspark is not installed.
        SparkError: Spark does not start.
    """
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # it repeats errors with pages of Java's
    logging.getLogger().addFilter(_is_told)
    sessions = needed("graphlang.cluster.spark_session")
    there = sessions.is_there()
    if late:
        needed("graphlang.cluster.stages").hide_pandas()  # this process is a verb's, and has no series
    spark = sessions.late_session(master, settings, method=method) if late else sessions.session(master, settings)
    try:
        yield spark
    finally:
        if not there:
            sessions.stop(spark)


@contextmanager
def tables_of(folder: str, master: str | None, settings: dict[str, str]) -> Iterator[Any]:
    """The tables of a collection, to be asked as its database is.

    Args:
        folder: as Spark names it.
        master: as `spark_options` gives it.
        settings: as `spark_options` gives them.

    Raises:
        Failure: pyspark is not installed.
        SparkError: Spark does not start.
        InputError: the folder does not hold what a job writes.
    """
    with session(master, settings) as spark:
        yield needed("graphlang.cluster.maps").opened(spark, folder)
