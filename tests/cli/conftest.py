"""A process of its own on a terminal: what a person gets to see."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

MAIN = "from graphlang.cli import main; main()"


def _on_terminal(*arguments: object, width: int = 500) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", MAIN, *map(str, arguments)],
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        env={**inherited, "TERM": "dumb", "PAGER": "cat"},
    )
    os.close(theirs)
    parts = []
    while True:  # a read gives what has arrived, which may be one line of many: on to the end
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed, and all that it wrote was read
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.wait() == 0
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.fixture
def on_terminal() -> Callable[..., str]:
    """All that a terminal of a given width shows of a command that succeeds."""
    return _on_terminal
