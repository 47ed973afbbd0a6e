"""``import``: from the tables of a cluster to a database."""

from __future__ import annotations

from pathlib import Path

import click

from graphlang.cli.failures import USAGE, Failure
from graphlang.cli.shared import options
from graphlang.cli.shared.messages.log import logs, say
from graphlang.printing.counted import counted


@click.command("import")
@click.argument("folder", type=click.Path(file_okay=False, exists=True, path_type=Path))
@click.option(
    "--db",
    "db",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    callback=options.remember_database,
    help="The database; there must be none of this name.",
)
@logs
def import_(folder: Path, db: Path) -> None:
    """Make DB of the tables that 'cluster run' wrote.

    FOLDER is on this machine. All other verbs work on DB then: what Spark inferred is the run that the views show, and
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
    done = to_database(folder, db)
    words = f"{counted(done.fetched, 'page')} read, {done.pages - done.fetched:,} only linked to"
    words += f", {counted(done.links, 'link')}, {counted(done.problems, 'problem')}, {counted(done.runs, 'run')}"
    say(words, "imported", **done._asdict())
