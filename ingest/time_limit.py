"""Bound the processor time of one page with a timer of the operating system.

It counts the time of the process, not that of the clock, so that pages do not depend on the load of the machine. The
timer interrupts Python; kernels in C are not interrupted, but their time is linear in the size of the page.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

_REPEAT = 0.5  # seconds until the error is raised again: within a finaliser it is lost
_LONGEST = 1e8  # three years: timers take no more seconds than the system's time holds
_TICKS = 8  # of a timer that runs from page to page, within the bound


class TimeLimitError(BaseException):
    """A page took too long; no Exception, so that no handler of other errors catches it."""


class _Handler:
    """The handler of the timer's signal: installed by the first user, removed by the last."""

    def __init__(self) -> None:
        self.running: TimeLimit | None = None
        self.armed: TimeLimit | None = None  # its timer runs
        self._users = 0
        self._before: Any = signal.SIG_DFL

    def acquire(self) -> None:
        """Install it; on the main thread only."""
        if not self._users:
            self._before = signal.signal(signal.SIGVTALRM, self._end) or signal.SIG_DFL
        self._users += 1

    def release(self) -> None:
        """Remove it; in another thread, where a generator may be closed, it stays, and does nothing."""
        self._users -= 1
        if not self._users and _is_main():
            signal.signal(signal.SIGVTALRM, self._before)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        if self.running is not None:
            self.running.tick()


_handler = _Handler()


class TimeLimit:
    """Raise TimeLimitError within ``with`` after some seconds of processor time; 0 for no bound.

    Only the main thread of a process receives signals: in other threads there is no bound.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = min(seconds, _LONGEST)
        self._holds = 0
        self._ticks_left = 0  # of the page
        self._ended = False  # whether a page was ended, for which the timer was set another way

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep the handler installed and the timer running from page to page: to set it for each page is slow.

        The timer ticks eight times within the bound, and a page ends at its ninth tick; so it may take an eighth
        longer. Call `pause` before other code runs, so that no signal interrupts it.
        """
        is_bounded = bool(self._seconds) and _is_main()
        if is_bounded:
            _handler.acquire()
            self._holds += 1
        try:
            yield
        finally:
            if is_bounded:
                self._holds -= 1
                self.pause()
                _handler.release()

    def pause(self) -> None:
        """Stop the timer that a page left running."""
        if _handler.armed is self and _handler.running is None:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            _handler.armed = None

    def tick(self) -> None:
        """Count a tick of the timer; raise TimeLimitError if it is one too many."""
        if self._ticks_left:
            self._ticks_left -= 1
            return
        self._arm(_REPEAT, _REPEAT)
        self._ended = True
        raise TimeLimitError

    def __enter__(self) -> Self:
        if self._seconds and _is_main():
            if not self._holds:
                _handler.acquire()
                self._arm(self._seconds, _REPEAT)
            elif _handler.armed is not self or self._ended:
                self._arm(self._seconds / _TICKS, self._seconds / _TICKS)
                self._ended = False
            self._ticks_left = _TICKS if self._holds else 0
            _handler.running = self
        return self

    def _arm(self, first: float, then: float) -> None:
        _handler.armed = self
        signal.setitimer(signal.ITIMER_VIRTUAL, first, then)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if _handler.running is self:
            _handler.running = None
            if not self._holds:
                self.pause()
                _handler.release()


def _is_main() -> bool:
    return threading.get_ident() == threading.main_thread().ident
