"""Arguments and options that several verbs share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.db.snapshot import moment_of
from graphlang.plugins import VARIABLE, use_plugins

if TYPE_CHECKING:
    from collections.abc import Callable


class Finite(click.FloatRange):
    """A number in a range: `nan` is in none, though no comparison says so, and compares with nothing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; a usage error names what is none.

        Args:
            value: as written.
            param: for the error.
            ctx: for the error.
        """
        try:
            number = float(super().convert(value, param, ctx))
        except OverflowError:  # a whole number in a file of weights
            number = math.inf
        if not math.isfinite(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


#: Where a command's context keeps the path of its database.
DATABASE = "graphlang.database"


def remember_database(ctx: click.Context, param: click.Parameter, value: Path) -> Path:
    """Callback of the argument or option that names the database: an error may have come of what it holds.

    Args:
        ctx: of the verb.
        param: the argument or option.
        value: the path.
    """
    del param
    ctx.meta[DATABASE] = value
    return value


database = click.argument("db", type=click.Path(dir_okay=False, path_type=Path), callback=remember_database)

seed = click.option(
    "--seed", type=WholeNumber(1), metavar="RUN", help="Content run to start from; by default the newest."
)

keep_chosen = click.option(
    "--keep-chosen", is_flag=True, help="Leave the run that the views show as it is, instead of showing this one."
)

min_confidence = click.option(
    "--min-confidence",
    type=Finite(0, 1),
    default=0.0,
    show_default=True,
    help="Pages below count as und.",
)

shares = click.option(
    "--shares/--no-shares",
    default=None,
    help="Find the pages in several languages, with the part of the letters that each has (the table page_shares). By"
    " default with nfc and models of its kind, whose answers about a few words can be relied on.",
)

choose_run = click.option(
    "--run", "run_id", type=WholeNumber(1), metavar="RUN", help="Run to use; by default the chosen one."
)


def moment(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """A moment in its usual form.

    Args:
        ctx: not looked at.
        param: not looked at.
        value: as written; None where none was named.

    Raises:
        click.BadParameter: it is none.
    """
    del ctx, param
    try:
        return None if value is None else moment_of(value).text
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


at = click.option(
    "--at",
    callback=moment,
    metavar="MOMENT",
    help="Take of each page the capture nearest to MOMENT: 2012, 2012-05, 2012-05-03 or 2012-05-03T12:00:00Z. The run"
    " that the views show stays the same.",
)


def _use_plugins(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del ctx, param
    if value:
        use_plugins()


def plugins(function: Callable[..., None]) -> Callable[..., None]:
    """The option of verbs that read archives or identify texts; eager, since others name what a plug-in adds."""
    return click.option(
        "--plugins",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_use_plugins,
        envvar=VARIABLE,
        help=f"Load the readers and methods that other installed packages add: their code is run [env: {VARIABLE}].",
    )(function)
