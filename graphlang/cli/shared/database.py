"""How verbs open the database: for reading at any time, for writing one after the other."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import click

from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.messages.say_unseen import say_unseen
from graphlang.db import create, open_existing
from graphlang.db.connection import claim

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphlang.db.lock import Holder, Lock

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


def patience() -> float | None:
    """Seconds for which the verb at hand waits for another writer: none, or as long as it takes."""
    return None if click.get_current_context().meta.get(_WAIT) else 0.0


@contextmanager
def answered(db: Path, *runs: int | None) -> Iterator[sqlite3.Connection]:
    """The database, to be read, with answers for the URLs that were only linked to.

    They are worked out when they are asked for the first time. How far that is, is shown.

    Args:
        db: its path.
        runs: ids of the runs; None, and none at all, for the one that the views show.

    Yields:
        The connection.

    Raises:
        StoreError: there is no such file or run.
    """
    from graphlang.analysis import linked  # noqa: PLC0415 - verbs that write do without

    with bars() as shown:
        connection = linked.opened(db, *runs, progress=shown)
    with closing(connection):
        if not runs or None in runs:
            say_unseen(connection, db)
        yield connection


@contextmanager
def claimed(db: Path) -> Iterator[Lock]:
    """The right to write to a database, for a verb that has other things to do before it opens it.

    Args:
        db: its path; there need not be a file yet, and none is made.

    Yields:
        The lock, for `writing`.

    Raises:
        LockedError: another process is writing to it, and the user does not want to wait.
        StoreError: there can be no such file.
    """
    held = claim(db, **_how())
    try:
        yield held
    finally:
        held.release()


@contextmanager
def writing(db: Path, *, new: bool = False, held: Lock | None = None) -> Iterator[sqlite3.Connection]:
    """The database, opened for writing by the verb at hand.

    Args:
        db: its path.
        new: whether it is made where there is none.
        held: the right to write to it, where the verb has claimed that.

    Raises:
        LockedError: another process is writing to it, and the user does not want to wait.
        StoreError: it cannot be opened, see `graphlang.db.create`.
    """
    how = {**_how(), "held": held}
    connection = create(db, **how) if new else open_existing(db, write=True, **how)
    try:
        yield connection
    finally:
        connection.close()


def _how() -> dict[str, Any]:
    """Who asks for the lock, and how long they wait."""
    ctx = click.get_current_context()
    waiting = {"patience": None, "told": _tell} if ctx.meta.get(_WAIT) else {}
    return {"verb": ctx.info_name or "graphlang", **waiting}


def _tell(holder: Holder | None) -> None:
    say(f"waiting for {holder or 'another process'}", "waiting")
