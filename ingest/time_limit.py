"""A bound on the processor time that one page takes, kept by a timer of the operating system.

Time is that of the process, not that of the clock: a machine that is busy with other things costs no page. The timer
interrupts Python; the kernels in C are not interrupted, and take time by the size of the page.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

_AGAIN = 0.5  # seconds: an error within a finaliser is lost, so that it is raised again
_LONGEST = 1e8  # three years: timers take no number of seconds beyond what the system's time holds
_TICKS = 8  # of a timer that runs on from page to page, within the bound


class TimeLimitError(BaseException):
    """A page took too long; no Exception, so that nothing on the way takes it for its own failure."""


class _Handler:
    """What the timer's signal calls: put in place by the first who needs it, taken away by the last."""

    def __init__(self) -> None:
        self.running: TimeLimit | None = None
        self.armed: TimeLimit | None = None  # whose timer runs
        self._holders = 0
        self._before: Any = signal.SIG_DFL

    def hold(self) -> None:
        """Put it in place; on the main thread alone."""
        if not self._holders:
            self._before = signal.signal(signal.SIGVTALRM, self._end) or signal.SIG_DFL
        self._holders += 1

    def release(self) -> None:
        """Give it up; in other threads, where a generator may be ended, it stays, and does nothing."""
        self._holders -= 1
        if not self._holders and _is_main():
            signal.signal(signal.SIGVTALRM, self._before)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        if self.running is not None:
            self.running.tick()


_handler = _Handler()


class TimeLimit:
    """Raises TimeLimitError in what is done within ``with``, once it took too long.

    Signals reach the main thread of a process alone: in others there is no bound.

    Args:
        seconds: Of processor time; 0 for no bound.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = min(seconds, _LONGEST)
        self._held = 0
        self._left = 0  # ticks of the timer that the page may still see
        self._ended = False  # a page, for which the timer was set another way

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the handler in place from page to page, and the timer running.

        It ticks eight times within the bound, and a page is ended at its ninth tick: so it may take an eighth longer,
        and to set a timer for each page takes more than all else that is done here.

        Whoever hands pages on meanwhile calls `rest` before, so that no signal reaches what others do.
        """
        holds = bool(self._seconds) and _is_main()
        if holds:
            _handler.hold()
            self._held += 1
        try:
            yield
        finally:
            if holds:
                self._held -= 1
                self.rest()
                _handler.release()

    def rest(self) -> None:
        """Stop the timer that a page left running."""
        if _handler.armed is self and _handler.running is None:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            _handler.armed = None

    def tick(self) -> None:
        """Count a tick of the timer.

        Raises:
            TimeLimitError: it was one too many.
        """
        if self._left:
            self._left -= 1
            return
        self._arm(_AGAIN, _AGAIN)
        self._ended = True
        raise TimeLimitError

    def __enter__(self) -> Self:
        if self._seconds and _is_main():
            if not self._held:
                _handler.hold()
                self._arm(self._seconds, _AGAIN)
            elif _handler.armed is not self or self._ended:
                self._arm(self._seconds / _TICKS, self._seconds / _TICKS)
                self._ended = False
            self._left = _TICKS if self._held else 0
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
            if not self._held:
                self.rest()
                _handler.release()


def _is_main() -> bool:
    return threading.get_ident() == threading.main_thread().ident
