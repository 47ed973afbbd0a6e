"""Bounds on the bytes of one record that are read and stored, and on the time that it takes: archives may be hostile.

A timer of the operating system bounds the processor time. It counts the time of the process, not that of the clock, so
that pages do not depend on the load of the machine. The timer interrupts Python; kernels in C are not interrupted, but
their time is linear in the size of the page.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from graphlang.arguments import flag, number, whole_number
from graphlang.db.records import READ, split_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

_HIGHEST: Final = (1 << 63) - 1  # kernels take 64 bits for a number of bytes or characters
_HIGHEST_COUNTS: Final = {
    "max_links": 1 << 29,
    "max_depth": 1 << 31,
}  # in 32 bits, a link as four strings


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one record is read and kept. What is cut is reported: in a Problem, or in ``Page.length``.

    Memory does not grow with the archive, because each bound holds for one record. Numbers may be numpy's.

    Raises:
        TypeError: one is no number, or no truth value.
        ValueError: one is negative, or higher than a kernel can count; no charset has this name.
    """

    max_payload: int = (
        32 << 20
    )  #: bytes of a record's block, and again of its payload once decoded; the rest is dropped
    max_header: int = 1 << 20  #: bytes of a WARC record header, and of an HTTP header
    text_limit: int | None = READ  #: characters of the visible text that are kept; None: all
    title_limit: int = 1_000  #: characters of the title that are kept
    max_links: int = 5_000  #: distinct targets of a page that are kept
    max_url: int = 2_048  #: characters of a canonical URL; longer ones are crawler traps or data
    max_depth: int = 500  #: nesting of elements, as in browsers (512), above which a page is flattened before parsing
    all_bytes: bool = False  #: keep the visible bytes of all pages of markup, not only if the charset is in doubt
    anchor_texts: bool = False  #: keep the texts of links
    plain_urls: bool = False  #: drop session ids and tracking parameters from URLs
    max_json: int = 8 << 20  #: bytes of a JSON line or record: parsed, it may take twenty times as much memory
    max_seconds: float = (
        60.0  #: processor time of one page, after which (or an eighth later) parsing stops; 0 for no bound
    )
    whole: bool = (
        False  #: yield what is beyond `max_payload` piece by piece (``RawRecord.remainder``) instead of dropping it
    )
    max_ratio: int = 100  #: bytes that a file may unpack to for each of its own, beyond 256 MB; 0 for no bound
    charset: str = ""  #: in which pages are read, whatever they declare; valid UTF-8 stays UTF-8; empty: as declared
    pdf: bool = False  #: read the text of PDF documents; needs the extra ``pdf``
    ignore_server_charset: bool = False  #: do not use the charset that the server declares

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if isinstance(field.default, bool):
                value = flag(name, value)
            elif name == "charset":
                value = _check_charset(value)
            elif name == "max_seconds":
                value = number(name, value)
                if not value >= 0:  # nan is not
                    raise ValueError(f"{name} is {value}; it must be from 0 to inf")
            elif name != "text_limit" or value is not None:
                value = whole_number(name, value, minimum=0, maximum=_HIGHEST_COUNTS.get(name, _HIGHEST))
            object.__setattr__(self, name, value)


def _check_charset(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"charset is of type {type(value).__name__}, expected str")
    if value:
        from graphlang.ingest.payload.charset import find_codec  # noqa: PLC0415 - few users name a charset

        if find_codec(value) is None:
            raise ValueError(f"no charset is called {value[:100]!r}")
    return value


def check_limits(limits: Limits | None) -> Limits:
    """Return the limits of a caller, or the default for None; raise TypeError for anything else."""
    if limits is not None and not isinstance(limits, Limits):
        raise TypeError(f"limits is of type {type(limits).__name__}, expected Limits")
    return limits or Limits()


class CutText(NamedTuple):
    """A text as stored in fields of `Page`."""

    text: str  #: its first `READ` characters
    rest: bytes  #: what follows, deflated
    length: int  #: characters before the text was cut
    main_length: int  #: characters at the start of what is kept that are main content


def cut_text(text: str, main_length: int, limit: int | None) -> CutText:
    """Cut a visible text at ``Limits.text_limit``; its first ``main_length`` characters are main content.

    >>> cut_text("a text", 6, 2)
    CutText(text='a ', rest=b'', length=6, main_length=2)
    """
    length = len(text)
    if length <= READ and (limit is None or length <= limit):  # nearly always
        return CutText(text, b"", length, main_length)
    size = length if limit is None else limit
    return CutText(*split_text(text[:size]), length, min(size, main_length))


_REPEAT = 0.5  # seconds until the error is raised again: within a finaliser it is lost
_LONGEST_TIME = 1e8  # three years: timers take no more seconds than the system's time holds
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
        self._seconds = min(seconds, _LONGEST_TIME)
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
