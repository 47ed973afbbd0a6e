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


class TimeLimitError(BaseException):
    """A page took too long; no Exception, so that nothing on the way takes it for its own failure."""


class _Handler:
    """What the timer's signal calls: put in place by the first who needs it, taken away by the last."""

    def __init__(self) -> None:
        self.running: TimeLimit | None = None
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
            raise TimeLimitError


_handler = _Handler()


class TimeLimit:
    """Raises TimeLimitError in what is done within ``with``, once it took too long.

    Signals reach the main thread of a process alone: in others there is no bound.

    Args:
        seconds: Of processor time; 0 for no bound.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._held = 0
        self._armed = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the handler in place from page to page, and the timer running: each page sets it anew.

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
        if self._armed and _handler.running is None:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            self._armed = False

    def __enter__(self) -> Self:
        if self._seconds and (self._held or _is_main()):  # held on the main thread alone
            if not self._held:
                _handler.hold()
            _handler.running = self
            self._armed = True
            signal.setitimer(signal.ITIMER_VIRTUAL, self._seconds, _AGAIN)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if _handler.running is self:
            _handler.running = None
            if not self._held:
                self.rest()
                _handler.release()


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()
