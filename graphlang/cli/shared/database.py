"""How verbs open the database: for reading at any time, for writing one after the other."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from graphlang.cli.shared.log import say
from graphlang.db import create, open_existing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphlang.db.lock import Holder

_WAIT = "graphlang.wait"


def _remember(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    ctx.meta[_WAIT] = value


def waits(function: Callable[..., None]) -> Callable[..., None]:
    """The option of all verbs that write."""
    return click.option(
        "--wait",
        is_flag=True,
        expose_value=False,
        callback=_remember,
        envvar="GRAPHLANG_WAIT",
        help="Wait for another process that is writing to the database, instead of giving up [env: GRAPHLANG_WAIT].",
    )(function)


@contextmanager
def writing(db: Path, *, new: bool = False) -> Iterator[sqlite3.Connection]:
    """The database, opened for writing by the verb at hand.

    Args:
        db: its path.
        new: whether it is made where there is none.

    Raises:
        LockedError: another process is writing to it, and the user does not want to wait.
        StoreError: it cannot be opened, see `graphlang.db.create`.
    """
    ctx = click.get_current_context()
    how: dict[str, Any] = {"verb": ctx.info_name or "graphlang"}
    if ctx.meta.get(_WAIT):
        how |= {"patience": None, "told": _tell}
    connection = create(db, **how) if new else open_existing(db, write=True, **how)
    try:
        yield connection
    finally:
        connection.close()


def _tell(holder: Holder | None) -> None:
    say(f"waiting for {holder or 'another process'}", "waiting")
