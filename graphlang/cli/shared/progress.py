"""Progress on standard error: bars on a terminal, else lines, which become rarer."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from graphlang.analysis.progress import Progress, State, draw, format_duration
from graphlang.cli.shared.log import call_before_lines, log, put

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_EVERY = 5.0  #: seconds from one line to the next, in the first minute of a stage; then a tenth of its time
_RAREST = 60.0  #: seconds from one line to the next, at most
_DRAWN = 0.2  #: seconds from one drawing of a bar to the next


class Timed(Progress):
    """Show nothing, but record how long each stage takes."""

    def __init__(self) -> None:
        self._state: State | None = None
        self._started = 0.0
        self.seconds: dict[str, float] = {}

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """Begin a stage."""
        self.end()
        self._started = time.perf_counter()
        self._state = State(name, 0, total, unit, 0.0, {})

    def advance(self, done: float, **counts: int) -> None:
        """Record how much of the stage is done."""
        if self._state is not None:
            self._state = self._state._replace(done=done, counts=counts)

    def end(self) -> None:
        """End the stage."""
        if self._state is not None:
            self.seconds[self._state.stage] = self._seconds()
        self._state = None

    def close(self) -> None:
        """Show no more."""

    def _seconds(self) -> float:
        return time.perf_counter() - self._started


class Lines(Timed):
    """Write a line every few seconds, later every minute, also while nothing advances; one more ends such a stage."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._json = as_json
        self._reported: set[str] = set()
        self._over = threading.Event()
        self._clock: threading.Thread | None = None

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """Begin a stage."""
        super().stage(name, total, unit)
        if self._clock is None:
            self._clock = threading.Thread(target=self._tick, name="graphlang-progress", daemon=True)
            self._clock.start()

    def end(self) -> None:
        """End the stage."""
        state = self._state
        super().end()
        if state is not None and state.stage in self._reported:
            seconds = self.seconds[state.stage]
            facts = {"stage": state.stage, "seconds": round(seconds, 1)}
            put(f"{state.stage}: done in {format_duration(seconds)}", "stage done", facts, as_json=self._json)

    def close(self) -> None:
        """Write no more."""
        self._over.set()
        if self._clock is not None:
            self._clock.join()

    def _tick(self) -> None:
        written = time.perf_counter()
        while not self._over.wait(_EVERY):
            state, seconds, now = self._state, self._seconds(), time.perf_counter()
            if state is None or seconds < _EVERY or now - written < min(seconds / 10, _RAREST):
                continue
            written = now
            state = state._replace(seconds=seconds)
            self._reported.add(state.stage)
            with suppress(OSError, ValueError):  # the reader has gone
                put(state.format_line(), "progress", state.to_dict(), as_json=self._json)


class Bars(Timed):
    """Draw one line for each stage on a terminal, several times a second; other lines appear above it."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out
        self._turn = threading.RLock()
        self._over = threading.Event()
        self._clock = threading.Thread(target=self._tick, name="graphlang-progress", daemon=True)
        self._clock.start()

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """Begin a stage."""
        super().stage(name, total, unit)
        self._draw()

    def end(self) -> None:
        """End the stage."""
        with self._turn:
            if self._state is not None:
                done = self._state.total or self._state.done
                self._state = self._state._replace(done=done, total=done or None)
                self._draw(end="\n")
            super().end()

    def clear(self) -> None:
        """Clear the line, for another one to be written."""
        with self._turn:
            self._write("\r\x1b[K")

    def close(self) -> None:
        """Draw no more, and leave the line where a stage was interrupted."""
        self._over.set()
        self._clock.join()
        if self._state is not None:
            self._write("\n")

    def _tick(self) -> None:
        while not self._over.wait(_DRAWN):
            self._draw()

    def _draw(self, end: str = "") -> None:
        with self._turn:
            if self._state is not None:
                line = draw(self._state._replace(seconds=self._seconds()), self._out)
                self._write(f"\r\x1b[K{line}{end}")

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # the terminal is closed
            self._out.write(text)
            self._out.flush()


def _to_file() -> bool:
    from graphlang.cli.shared.output import to_regular_file  # noqa: PLC0415 - few verbs have rows

    return to_regular_file()


@contextmanager
def bars(*, beside_rows: bool = False) -> Iterator[Timed]:
    """Show the progress of a verb: bars, lines, or nothing.

    With ``beside_rows``, rows go to standard output meanwhile: no bar is drawn where these may be on the screen.
    """
    settings = log()
    progress: Timed
    if settings.quiet:
        progress = Timed()
    elif settings.json or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        progress = Lines(as_json=settings.json)
    elif beside_rows and not _to_file():
        progress = Timed()
    else:
        progress = Bars(sys.stderr)
        call_before_lines(progress.clear)
    try:
        yield progress
        progress.end()
    finally:
        call_before_lines(None)
        progress.close()
