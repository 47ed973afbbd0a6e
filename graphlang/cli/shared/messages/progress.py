"""Progress on standard error: bars on a terminal, a line every few seconds where there is none."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.analysis.progress import Progress
from graphlang.cli.shared.messages.log import before_words, log, put
from graphlang.printing.counted import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_MEGABYTE = 1_000_000
_EVERY = 5.0  #: seconds from one line to the next
_DRAWN = 0.2  #: seconds from one drawing of a bar to the next
_BLOCKS, _PLAIN_BLOCKS = ("━", "─"), ("#", "-")  #: of a bar: what is done, and what is not
_NARROW = 110  #: columns of a terminal that has no room for all words of a bar


class State(NamedTuple):
    """Where a stage is."""

    stage: str
    done: float
    total: float | None
    unit: str
    seconds: float  #: since it began
    counts: dict[str, int]

    @property
    def rate(self) -> tuple[float, str]:
        """How fast it is, and of what: pages, where there are any in the bytes that are read."""
        done, unit = self.done, self.unit
        if unit == "bytes":
            done, unit = (self.counts["pages"], "pages") if "pages" in self.counts else (done / _MEGABYTE, "MB")
        return done / max(self.seconds, 1e-9), unit

    @property
    def pace(self) -> list[str]:
        """How fast it is, for people; of what takes longer than two seconds a piece nothing.

        >>> State("read", 30, 40, "pages", 60, {}).pace, State("refine", 3, 3, "steps", 2, {}).pace
        ([], ['2 steps/s'])
        >>> State("refine", 1, 3, "steps", 1, {}).pace
        ['1 step/s']
        """
        rate, unit = self.rate
        whole = round(rate)
        return [f"{whole:,} {unit.removesuffix('s') if whole == 1 else unit}/s"] if whole else []

    @property
    def left(self) -> float | None:
        """Seconds that it still takes, if it goes on so."""
        return self.seconds * (self.total - self.done) / self.done if self.total and self.done else None

    def words(self) -> str:
        """For people.

        >>> State("classify", 3000, 4000, "pages", 60, {}).words()
        'classify: 3,000 of 4,000 pages (75 %), 50 pages/s, 0:20 left'
        >>> State("ingest", 30e6, 40e6, "bytes", 60, {"pages": 6000, "problems": 2}).words()
        'ingest: 30.0 of 40.0 MB (75 %), 6,000 pages, 2 problems, 100 pages/s, 0:20 left'
        """
        parts = [f"{self._amount(self.done)} {'MB' if self.unit == 'bytes' else self.unit}"]
        if self.total:
            parts[0] = f"{self._amount(self.done)} of {self._amount(self.total)} {parts[0].split()[-1]}"
            parts[0] += f" ({self.done / self.total:.0%})".replace("%", " %")
        parts += [counted(count, name.removesuffix("s")) for name, count in self.counts.items() if count]
        parts += self.pace
        if self.left is not None:
            parts.append(f"{clock(self.left)} left")
        return f"{self.stage}: {', '.join(parts)}"

    def _amount(self, number: float) -> str:
        return f"{number / _MEGABYTE:,.1f}" if self.unit == "bytes" else f"{int(number):,}"

    def facts(self) -> dict[str, Any]:
        """For programs.

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
            "seconds_left": None if self.left is None else round(self.left, 1),
        }


def clock(seconds: float) -> str:
    """A time as people read it.

    >>> clock(59.6), clock(3725)
    ('1:00', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Shown(Progress):
    """Shows nothing, but remembers how long each stage took."""

    def __init__(self) -> None:
        self._state: State | None = None
        self._started = 0.0
        self.seconds: dict[str, float] = {}

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """A new stage begins."""
        self.end()
        self._started = time.perf_counter()
        self._state = State(name, 0, total, unit, 0.0, {})

    def advance(self, done: float, **counts: int) -> None:
        """So much of the stage is done."""
        if self._state is not None:
            self._state = self._state._replace(done=done, counts=counts)

    def end(self) -> None:
        """The stage is over."""
        if self._state is not None:
            self.seconds[self._state.stage] = self._seconds()
        self._state = None

    def close(self) -> None:
        """Show no more."""

    def _seconds(self) -> float:
        return time.perf_counter() - self._started


class Lines(Shown):
    """Writes a line every few seconds, also while nothing advances; and one at the end of each stage that had any.

    Args:
        as_json: whether for programs.
    """

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._json = as_json
        self._told: set[str] = set()
        self._over = threading.Event()
        self._clock: threading.Thread | None = None

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """A new stage begins."""
        super().stage(name, total, unit)
        if self._clock is None:
            self._clock = threading.Thread(target=self._tick, name="graphlang-progress", daemon=True)
            self._clock.start()

    def end(self) -> None:
        """The stage is over."""
        state = self._state
        super().end()
        if state is not None and state.stage in self._told:
            seconds = self.seconds[state.stage]
            facts = {"stage": state.stage, "seconds": round(seconds, 1)}
            put(f"{state.stage}: done in {clock(seconds)}", "stage done", facts, as_json=self._json)

    def close(self) -> None:
        """Write no more."""
        self._over.set()
        if self._clock is not None:
            self._clock.join()

    def _tick(self) -> None:
        while not self._over.wait(_EVERY):
            state = self._state
            if state is None:
                continue
            state = state._replace(seconds=self._seconds())
            self._told.add(state.stage)
            with suppress(OSError, ValueError):  # nobody reads it any more
                put(state.words(), "progress", state.facts(), as_json=self._json)


class Bars(Shown):
    """Draws one line for each stage, again and again: how much is done, how fast, how long it still takes.

    What else is said meanwhile stands above it.

    Args:
        out: the terminal.
    """

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out
        self._blocks = _BLOCKS if _can_draw(out) else _PLAIN_BLOCKS
        self._turn = threading.RLock()
        self._over = threading.Event()
        self._clock = threading.Thread(target=self._tick, name="graphlang-progress", daemon=True)
        self._clock.start()

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """A new stage begins."""
        super().stage(name, total, unit)
        self._draw()

    def end(self) -> None:
        """The stage is over."""
        with self._turn:
            if self._state is not None:
                done = self._state.total or self._state.done
                self._state = self._state._replace(done=done, total=done or None)
                self._draw(end="\n")
            super().end()

    def clear(self) -> None:
        """Make room for a line of other words."""
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
        with suppress(OSError, ValueError):  # nobody looks any more
            self._out.write(text)
            self._out.flush()


def drawn(state: State, width: int, blocks: tuple[str, str] = _PLAIN_BLOCKS) -> str:
    """One line of a terminal with a bar.

    Args:
        state: where the stage is.
        width: columns; in a narrow line some words are left out.
        blocks: what is drawn for what is done, and for what is not.

    >>> drawn(State("classify", 3000, 4000, "pages", 60, {}), 80)
    'classify   #########---  50 pages/s  1:00  left 0:20'
    >>> drawn(State("ingest", 30e6, 40e6, "bytes", 60, {"pages": 6000}), 120)
    'ingest     ##################------  30.0 MB  100 pages/s  6,000 pages  1:00  left 0:20'
    """
    narrow = width < _NARROW
    size = 12 if narrow else 24
    share = min(state.done / state.total, 1.0) if state.total else 0.0
    full = round(size * share)
    words = state.pace
    if not narrow and state.unit == "bytes":
        words.insert(0, f"{state.done / _MEGABYTE:,.1f} MB")
        words += [counted(count, name.removesuffix("s")) for name, count in state.counts.items()]
    elif not narrow:
        words.insert(0, f"{int(state.done):,} {state.unit}")
    elif state.counts.get("problems"):
        words.append(counted(state.counts["problems"], "problem"))
    words.append(clock(state.seconds))
    if state.left is not None and share < 1:
        words.append(f"left {clock(state.left)}")
    bar = blocks[0] * full + blocks[1] * (size - full)
    return "  ".join([f"{state.stage:<9}", bar, *words])[:width]


def _can_draw(out: TextIO) -> bool:
    try:
        "".join(_BLOCKS).encode(out.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _rows_are_kept() -> bool:
    from graphlang.cli.shared.tables.output import rows_are_kept  # noqa: PLC0415 - few verbs have rows

    return rows_are_kept()


@contextmanager
def bars(*, beside_rows: bool = False) -> Iterator[Shown]:
    """What shows the progress of a verb, as the user wants it: bars, lines, or nothing.

    Args:
        beside_rows: whether rows go to standard output meanwhile: no bar is drawn where somebody may look at these, on
            the terminal or in a pager.
    """
    how = log()
    if how.quiet:
        silent = Shown()
        yield silent
        silent.end()
        return
    shown: Shown
    if how.json or not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        shown = Lines(as_json=how.json)
    elif beside_rows and not _rows_are_kept():
        shown = Shown()
    else:
        shown = Bars(sys.stderr)
        before_words(shown.clear)
    try:
        yield shown
        shown.end()
    finally:
        before_words(None)
        shown.close()
