"""An error that nobody foresaw, over a database that is unsound: told as that, and not as a defect of the program."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

from graphlang.cli.failures import UNFIT, Failure
from graphlang.cli.shared.options import DATABASE

if TYPE_CHECKING:
    import click

#: What Python raises over values that are not what they should be.
_OVER_VALUES: Final = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)


def unsound(ctx: click.Context, error: BaseException) -> Failure | None:
    """What is wrong with the database of the command, if that can have caused an error; None where it is sound.

    Args:
        ctx: of the group; the command has run.
        error: that nothing else explains.
    """
    path = ctx.meta.get(DATABASE)
    if path is None or not isinstance(error, _OVER_VALUES):
        return None
    from graphlang.db import StoreError  # noqa: PLC0415 - no command but one that fails looks
    from graphlang.db.check import findings  # noqa: PLC0415
    from graphlang.db.connection import inspect  # noqa: PLC0415
    from graphlang.db.values import CHECK  # noqa: PLC0415

    try:
        with closing(inspect(path)) as connection:
            found = next(findings(connection), None)
    except (StoreError, sqlite3.Error):
        return None
    if found is None:
        return None
    return Failure(
        f"{path} is unsound: {found.table}{f' ({found.row})' if found.row else ''}: {found.what}{CHECK}", UNFIT
    )
