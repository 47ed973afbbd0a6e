"""A bound on the processor time that one page takes, kept by a timer of the operating system.

Time is that of the process, not that of the clock: a machine that is busy with other things costs no page. The timer
interrupts Python; the kernels in C are not interrupted, and take time by the size of the page.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_AGAIN = 0.5  # seconds: an error within a finaliser is lost, so that it is raised again


class TimeLimitError(BaseException):
    """A page took too long; no Exception, so that nothing on the way takes it for its own failure."""


class TimeLimit:
    """Raises TimeLimitError in what is done within ``with``, once it took too long.

    Signals reach the main thread of a process alone: in others there is no bound.

    Args:
        seconds: Of processor time; 0 for no bound.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._is_running = False

    def __enter__(self) -> Self:
        if self._seconds and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGVTALRM, self._end) or signal.SIG_DFL
            self._is_running = True
            signal.setitimer(signal.ITIMER_VIRTUAL, self._seconds, _AGAIN)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_running:
            self._is_running = False
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, self._before)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_running:
            raise TimeLimitError
