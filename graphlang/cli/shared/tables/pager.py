"""The user's pager: what PAGER names, or less; none where PAGER is empty or cat."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: For less where the user has no wishes: lines longer than the terminal are not broken, and bold is bold.
_LESS = "-RS"


@contextmanager
def paged(file: IO[str], *, wanted: bool) -> Iterator[IO[str]]:
    """What to write to: the pager, or the file where none is wanted or there is none.

    A reader who leaves the pager before the end has seen enough, and Ctrl-C in it stops what is still being written:
    neither is an error.

    Args:
        file: standard output.
        wanted: whether the pager is.
    """
    process = _start(os.environ) if wanted else None
    if process is None or process.stdin is None:
        yield file
        file.flush()
        return
    file.flush()
    try:
        with suppress(BrokenPipeError, KeyboardInterrupt):
            yield process.stdin
    finally:
        with suppress(OSError):
            process.stdin.close()
        while process.poll() is None:
            with suppress(KeyboardInterrupt):  # which is for the pager
                process.wait()


def _start(environment: Mapping[str, str]) -> subprocess.Popen[str] | None:
    command = _command(environment)
    if not command:
        return None
    try:
        return subprocess.Popen(  # noqa: S603 - the program that the user names
            command,
            stdin=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
            env={"LESS": _LESS, **environment},
        )
    except OSError:
        return None


def _command(environment: Mapping[str, str]) -> list[str]:
    r"""What is called.

    >>> _command({"PAGER": "more -d"}), _command({"PAGER": "cat"}), _command({"PAGER": ""})
    (['more', '-d'], [], [])
    """
    wanted = environment.get("PAGER")
    if wanted is None:
        return next(([name] for name in ("less", "more") if shutil.which(name)), [])
    try:
        command = shlex.split(wanted)
    except ValueError:  # a quote that is not closed
        return []
    return [] if command == ["cat"] else command
