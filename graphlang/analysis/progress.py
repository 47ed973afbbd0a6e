"""Progress of long jobs: the command line draws bars from it."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from graphlang.printing import quantity

if TYPE_CHECKING:
    from typing import TextIO

_MEGABYTE = 1_000_000
_DRAWN = 0.2  #: seconds from one drawing of a bar to the next
_BLOCKS, _PLAIN_BLOCKS = ("━", "─"), ("#", "-")  #: of a bar: done, and not done
_NARROW = 110  #: columns of a terminal without room for all details of a bar


class Progress(Protocol):
    """Receives the stages of a job one after the other."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """Begin a stage.

        Args:
            name: one word, such as ``classify``.
            total: units of work; None if unknown.
            unit: what is counted, in the plural: ``pages``, ``bytes``.
        """

    def advance(self, done: float, **counts: int) -> None:
        """Report how much of the stage is done.

        Args:
            done: units of the stage that are done in all, from 0 to its total.
            counts: other counts so far, such as pages and links.
        """


class Silent(Progress):
    """Ignores progress."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """Ignore it."""

    def advance(self, done: float, **counts: int) -> None:
        """Ignore it."""


SILENT = Silent()


class State(NamedTuple):
    """The state of a stage."""

    stage: str
    done: float
    total: float | None
    unit: str
    seconds: float  #: since it began
    counts: dict[str, int]

    @property
    def rate(self) -> tuple[float, str]:
        """Units a second, and the unit: pages instead of bytes if pages are counted."""
        done, unit = self.done, self.unit
        if unit == "bytes":
            done, unit = (self.counts["pages"], "pages") if "pages" in self.counts else (done / _MEGABYTE, "MB")
        return done / max(self.seconds, 1e-9), unit

    @property
    def pace(self) -> list[str]:
        """The rate as text; empty for units that take more than two seconds each.

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

    def format_line(self) -> str:
        """Format the state as a line of text.

        >>> State("classify", 3000, 4000, "pages", 60, {}).format_line()
        'classify: 3,000 of 4,000 pages (75 %), 50 pages/s, 0:20 left'
        >>> State("ingest", 30e6, 40e6, "bytes", 60, {"pages": 6000, "problems": 2}).format_line()
        'ingest: 30.0 of 40.0 MB (75 %), 6,000 pages, 2 problems, 100 pages/s, 0:20 left'
        """
        parts = [f"{self._format_amount(self.done)} {'MB' if self.unit == 'bytes' else self.unit}"]
        if self.total:
            parts[0] = f"{self._format_amount(self.done)} of {self._format_amount(self.total)} {parts[0].split()[-1]}"
            parts[0] += f" ({self.done / self.total:.0%})".replace("%", " %")
        parts += [quantity(count, name.removesuffix("s")) for name, count in self.counts.items() if count]
        parts += self.pace
        if self.seconds_left is not None:
            parts.append(f"{format_duration(self.seconds_left)} left")
        return f"{self.stage}: {', '.join(parts)}"

    def _format_amount(self, number: float) -> str:
        return f"{number / _MEGABYTE:,.1f}" if self.unit == "bytes" else f"{int(number):,}"

    def to_dict(self) -> dict[str, Any]:
        """Return the state as fields for programs.

        >>> State("classify", 3000, 4000, "pages", 60, {}).to_dict()["seconds_left"]
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


def format_duration(seconds: float) -> str:
    """Format a duration.

    >>> format_duration(59.6), format_duration(3725)
    ('1:00', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def draw_bar(state: State, width: int, blocks: tuple[str, str] = _PLAIN_BLOCKS) -> str:
    """Return one line of a terminal with a bar; a narrow one has fewer details.

    >>> draw_bar(State("classify", 3000, 4000, "pages", 60, {}), 80)
    'classify   #########---  50 pages/s  1:00  left 0:20'
    >>> draw_bar(State("ingest", 30e6, 40e6, "bytes", 60, {"pages": 6000}), 120)
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
    details.append(format_duration(state.seconds))
    if state.seconds_left is not None and share < 1:
        details.append(f"left {format_duration(state.seconds_left)}")
    bar = blocks[0] * full + blocks[1] * (size - full)
    return "  ".join([f"{state.stage:<9}", bar, *details])[:width]


def draw(state: State, out: TextIO) -> str:
    """Return the line of a bar for a terminal or a notebook."""
    return draw_bar(state, shutil.get_terminal_size().columns - 1, _BLOCKS if _is_drawable(out) else _PLAIN_BLOCKS)


def _is_drawable(out: TextIO) -> bool:
    try:
        "".join(_BLOCKS).encode(out.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class Bar(Progress):
    """Draw one line for each stage on standard error: used for ``progress=True``."""

    def __init__(self) -> None:
        self._state: State | None = None
        self._started = self._drawn = 0.0

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """End the line of the previous stage, and start a new one."""
        self._end()
        self._started = time.perf_counter()
        self._state = State(name, 0, total, unit, 0.0, {})
        self._draw()

    def advance(self, done: float, **counts: int) -> None:
        """Draw the line again, at most five times a second."""
        if self._state is not None:
            self._state = self._state._replace(done=done, counts=counts)
            if time.perf_counter() - self._drawn > _DRAWN:
                self._draw()

    def __del__(self) -> None:
        self._end()

    def _end(self) -> None:
        if self._state is not None:
            self._draw("\n")
        self._state = None

    def _draw(self, end: str = "") -> None:
        self._drawn = time.perf_counter()
        if self._state is not None:
            line = draw(self._state._replace(seconds=self._drawn - self._started), sys.stderr)
            with suppress(OSError, ValueError):  # standard error is closed
                sys.stderr.write(f"\r{line}{end}")
                sys.stderr.flush()


def make_progress(progress: Progress | bool) -> Progress:
    """Return the receiver of progress: a bar for True, `SILENT` for False, else the object itself."""
    if isinstance(progress, bool):
        return Bar() if progress else SILENT
    return progress
