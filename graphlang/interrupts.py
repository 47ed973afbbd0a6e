"""Whether somebody pressed Ctrl-C, asked of where SQLite hides it.

A KeyboardInterrupt that falls into a function which SQLite calls (the one that counts its steps, or one of SQL) never
reaches Python: the query ends with "interrupted", or "user-defined function raised exception". Whoever takes an error
of SQLite for what is the matter with a file asks here first.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

_pressed: Final[list[int]] = []  #: numbers of the signals that came


def note() -> None:
    """Remember Ctrl-C from now on; for a program, in its main thread. Where it is ignored (``nohup``), it stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _handle)


def noted() -> bool:
    """Tell whether Ctrl-C was pressed since `note`."""
    return bool(_pressed)


def pass_on() -> None:
    """Raise the KeyboardInterrupt that was hidden, if there was one.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed since `note`.
    """
    if _pressed:
        raise KeyboardInterrupt


def _handle(number: int, _: FrameType | None) -> None:
    _pressed.append(number)
    raise KeyboardInterrupt
