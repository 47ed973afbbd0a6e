"""Progress on standard error: bars on a terminal, else lines, which become rarer."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.analysis.progress import Progress
from graphlang.cli.shared.log import before_lines, log, put
from graphlang.visible import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_MEGABYTE = 1_000_000
_EVERY = 5.0  #: seconds from one line to the next, in the first minute of a stage; then a tenth of its time
_RAREST = 60.0  #: seconds from one line to the next, at most
_DRAWN = 0.2  #: seconds from one drawing of a bar to the next
_BLOCKS, _PLAIN_BLOCKS = ("━", "─"), ("#", "-")  #: of a bar: what is done, and what is not
_NARROW = 110  #: columns of a terminal that has no room for all words of a bar


class State(NamedTuple):
    """How far a stage is."""

    stage: str
    done: float
    total: float | None
    unit: str
    seconds: float  #: since it began
    counts: dict[str, int]

    @property
    def rate(self) -> tuple[float, str]:
        """Units a second, and the unit: pages, where the bytes that are read have any."""
        done, unit = self.done, self.unit
        if unit == "bytes":
            done, unit = (self.counts["pages"], "pages") if "pages" in self.counts else (done / _MEGABYTE, "MB")
        return done / max(self.seconds, 1e-9), unit

    @property
    def pace(self) -> list[str]:
        """The rate for people; none for units that take more than two seconds each.

        >>> State("read", 30, 40, "pages", 60, {}).pace, State("refine", 3, 3, "steps", 2, {}).pace
        ([], ['2 steps/s'])
        >>> State("refine", 1, 3, "steps", 1, {}).pace
        ['1 step/s']
        """
        rate, unit = self.rate
        whole = round(rate)
        return [f"{whole:,} {unit.removesuffix('s') if whole == 1 else unit}/s"] if whole else []

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at this rate."""
        return self.seconds * (self.total - self.done) / self.done if self.total and self.done else None

    def line(self) -> str:
        """Return the state as a line for people.

        >>> State("classify", 3000, 4000, "pages", 60, {}).line()
        'classify: 3,000 of 4,000 pages (75 %), 50 pages/s, 0:20 left'
        >>> State("ingest", 30e6, 40e6, "bytes", 60, {"pages": 6000, "problems": 2}).line()
        'ingest: 30.0 of 40.0 MB (75 %), 6,000 pages, 2 problems, 100 pages/s, 0:20 left'
        """
        parts = [f"{self._amount(self.done)} {'MB' if self.unit == 'bytes' else self.unit}"]
        if self.total:
            parts[0] = f"{self._amount(self.done)} of {self._amount(self.total)} {parts[0].split()[-1]}"
            parts[0] += f" ({self.done / self.total:.0%})".replace("%", " %")
        parts += [quantity(count, name.removesuffix("s")) for name, count in self.counts.items() if count]
        parts += self.pace
        if self.seconds_left is not None:
            parts.append(f"{clock(self.seconds_left)} left")
        return f"{self.stage}: {', '.join(parts)}"

    def _amount(self, number: float) -> str:
        return f"{number / _MEGABYTE:,.1f}" if self.unit == "bytes" else f"{int(number):,}"

    def facts(self) -> dict[str, Any]:
        """Return the state as fields for programs.

        >>> State("classify", 3000, 4000, "pages", 60, {}).facts()["seconds_left"]
        20.0
        """
        rate, unit = self.rate
        return {
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
            "unit": self.unit,
            **self.counts,
            "rate": round(rate, 1),
            "rate_unit": f"{unit}/s",
            "seconds": round(self.seconds, 1),
            "seconds_left": None if self.seconds_left is None else round(self.seconds_left, 1),
        }


def clock(seconds: float) -> str:
    """Return a duration as people read it.

    >>> clock(59.6), clock(3725)
    ('1:00', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


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
            put(f"{state.stage}: done in {clock(seconds)}", "stage done", facts, as_json=self._json)

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
                put(state.line(), "progress", state.facts(), as_json=self._json)


class Bars(Timed):
    """Draw one line for each stage on a terminal, several times a second; other lines appear above it."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out
        self._blocks = _BLOCKS if _can_draw(out) else _PLAIN_BLOCKS
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
                columns = shutil.get_terminal_size().columns
                line = drawn(self._state._replace(seconds=self._seconds()), columns - 1, self._blocks)
                self._write(f"\r\x1b[K{line}{end}")

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # the terminal is closed
            self._out.write(text)
            self._out.flush()


def drawn(state: State, width: int, blocks: tuple[str, str] = _PLAIN_BLOCKS) -> str:
    """Return one line of a terminal with a bar; a narrow one has fewer details.

    >>> drawn(State("classify", 3000, 4000, "pages", 60, {}), 80)
    'classify   #########---  50 pages/s  1:00  left 0:20'
    >>> drawn(State("ingest", 30e6, 40e6, "bytes", 60, {"pages": 6000}), 120)
    'ingest     ##################------  30.0 MB  100 pages/s  6,000 pages  1:00  left 0:20'
    """
    narrow = width < _NARROW
    size = 12 if narrow else 24
    share = min(state.done / state.total, 1.0) if state.total else 0.0
    full = round(size * share)
    details = state.pace
    if not narrow and state.unit == "bytes":
        details.insert(0, f"{state.done / _MEGABYTE:,.1f} MB")
        details += [quantity(count, name.removesuffix("s")) for name, count in state.counts.items()]
    elif not narrow:
        details.insert(0, f"{int(state.done):,} {state.unit}")
    elif state.counts.get("problems"):
        details.append(quantity(state.counts["problems"], "problem"))
    details.append(clock(state.seconds))
    if state.seconds_left is not None and share < 1:
        details.append(f"left {clock(state.seconds_left)}")
    bar = blocks[0] * full + blocks[1] * (size - full)
    return "  ".join([f"{state.stage:<9}", bar, *details])[:width]


def _can_draw(out: TextIO) -> bool:
    try:
        "".join(_BLOCKS).encode(out.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


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
        before_lines(progress.clear)
    try:
        yield progress
        progress.end()
    finally:
        before_lines(None)
        progress.close()
