"""``serve``: browse a collection."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphlang.cli.failures import UNFIT
from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.tables.output import write_line
from graphlang.printing.counted import counted
from graphlang.serve.site import datasette, index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from uvicorn import Server


@click.command()
@options.database
@click.option("--port", type=click.IntRange(1, 65535), default=8001, show_default=True, help="Port on 127.0.0.1.")
@click.option("--search/--no-search", default=True, show_default=True, help="Make a full-text index first.")
def serve(db: Path, port: int, *, search: bool) -> None:
    """Browse DB with Datasette, read-only, on this machine.

    Needs graphlang[serve].
    With facets, what each column means, queries (pages that the graph changed, doubtful sites, unfetched URLs in a
    language, links between two languages, declared unlike found), why a page has its language, and full-text search by
    trigrams, in a temporary file: the database itself is never changed.

    \b
    Example:
      graphlang serve crawl.db --port 8080
    """
    with _listening(port) as held, answered(db), tempfile.TemporaryDirectory(prefix="graphlang-") as folder:
        made = Path(folder) / "search.db" if search else None
        try:
            site = datasette(db, None)
            if made is not None:
                pages = index(db, made)
                say(f"{counted(pages, 'page')} can be searched")
                site = datasette(db, made)
        except ImportError as error:
            raise click.UsageError(str(error)) from error
        import uvicorn  # noqa: PLC0415 - comes with Datasette

        write_line(f"http://127.0.0.1:{port}/ (Ctrl-C ends it)")
        server = uvicorn.Server(uvicorn.Config(site.app(), log_level="warning", lifespan="on"))
        with suppress(KeyboardInterrupt), _hanging_up(server):  # it has ended in good order, and passes Ctrl-C on
            server.run(sockets=[held])
        if not server.started:  # the server has said why
            sys.exit(UNFIT)


@contextmanager
def _hanging_up(server: Server) -> Iterator[None]:
    """Let a server end in good order where its terminal is closed, too: it hears Ctrl-C and SIGTERM alone."""
    before = signal.getsignal(signal.SIGHUP)
    if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def handle(number: int, _: FrameType | None) -> None:
        came.append(number)
        server.should_exit = True

    signal.signal(signal.SIGHUP, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)
    for number in came[:1]:
        signal.raise_signal(number)


def _listening(port: int) -> socket.socket:
    """The port, held from now on: nobody waits for an index and is then sent to another program's pages."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise click.BadParameter(f"{port}: {os.strerror(error.errno or 0)}", param_hint="--port") from error
