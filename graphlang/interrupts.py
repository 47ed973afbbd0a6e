"""Whether the program was asked to stop: by Ctrl-C, by a kill, or by the end of its terminal.

All of them raise a KeyboardInterrupt: what is half written is removed before the end, and what was done is kept.

A KeyboardInterrupt that falls into a function which SQLite calls (the one that counts its steps, or one of SQL) never
reaches Python: the query ends with "interrupted", or "user-defined function raised exception". Whoever takes an error
of SQLite for what is the matter with a file asks here first.
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
_came: Final[list[int]] = []  #: numbers of the signals that came


def note() -> None:
    """Remember Ctrl-C, SIGTERM and SIGHUP from now on; for a program, in its main thread.

    What is ignored (``nohup``) stays so. A program that was killed ends by that signal, as its parent expects.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle)
    for number in _KILLS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _handle)
    atexit.register(_end_as_asked)  # before all others, so that it is called after them


def noted() -> bool:
    """Tell whether the program was asked to stop since `note`."""
    return bool(_came)


def pass_on() -> None:
    """Raise the KeyboardInterrupt that was hidden, if there was one.

    Raises:
        KeyboardInterrupt: the program was asked to stop since `note`.
    """
    if _came:
        raise KeyboardInterrupt


def _handle(number: int, _: FrameType | None) -> None:
    _came.append(number)
    raise KeyboardInterrupt


def _end_as_asked() -> None:
    for number in _came:
        if number in _KILLS:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):  # nobody reads it, or it is closed
                    stream.flush()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
