"""Requests to stop: Ctrl-C, SIGTERM, and SIGHUP from a terminal that ends.

They raise a KeyboardInterrupt, so that half-written files are removed and finished work is kept.

A KeyboardInterrupt inside a function that SQLite calls (its progress handler, or a function of SQL) never reaches
Python: the query ends with "interrupted", or "user-defined function raised exception". Check `interrupted`
before you blame a file for an error of SQLite.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

_KILLS: Final = (signal.SIGTERM, signal.SIGHUP)
_received: Final[list[int]] = []  #: numbers of the signals so far


def watch_signals() -> None:
    """Record SIGINT, SIGTERM and SIGHUP from now on; call it in the main thread of a program.

    An ignored signal (``nohup``) stays ignored. A killed program ends by that signal, as its parent expects.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle)
    for number in _KILLS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _handle)
    atexit.register(_end_by_signal)  # before all others, so that it is called after them


def interrupted() -> bool:
    """Return True if a signal to stop has arrived since `watch_signals`."""
    return bool(_received)


def reraise_interrupt() -> None:
    """Raise the KeyboardInterrupt that SQLite has hidden, if there was one."""
    if _received:
        raise KeyboardInterrupt


def _handle(number: int, _: FrameType | None) -> None:
    _received.append(number)
    raise KeyboardInterrupt


def _end_by_signal() -> None:
    for number in _received:
        if number in _KILLS:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):  # it is closed, or has no reader
                    stream.flush()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
