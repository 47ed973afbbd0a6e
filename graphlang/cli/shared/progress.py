"""Progress bars on standard error, only where that is a terminal."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID

_MEGABYTE = 1_000_000


class Bars:
    """Draws one bar for each stage: how much is done, how fast, how long it still takes.

    It also remembers how long each stage took.

    Args:
        bars: what draws them; None to draw nothing.
    """

    def __init__(self, bars: Progress | None) -> None:
        self._bars = bars
        self._task: TaskID | None = None
        self._unit = ""
        self._stage = ""
        self._started = 0.0
        self.seconds: dict[str, float] = {}

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """A new stage begins.

        Args:
            name: of the stage, in a word.
            total: units of work ahead; None where that is not known.
            unit: what is counted, in the plural: ``pages``; beside ``bytes``, megabytes and pages are shown.
        """
        self.end()
        self._stage, self._unit, self._started = name, unit, time.perf_counter()
        if self._bars is not None:
            self._task = self._bars.add_task(name, total=total, words="")

    def advance(self, done: float, **counts: int) -> None:
        """So much of the stage is done.

        Args:
            done: units of the stage that are done in all.
            counts: beside ``bytes``: ``pages``, ``links`` and ``problems`` so far.
        """
        if self._bars is None or self._task is None:
            return
        seconds = max(time.perf_counter() - self._started, 1e-9)
        if self._unit == "bytes":
            pages = counts.get("pages", 0)
            words = f"{done / _MEGABYTE:,.1f} MB  {pages:,} pages  {pages / seconds:,.0f} pages/s"
            words += f"  {counts.get('links', 0):,} links  {counts.get('problems', 0):,} problems"
        else:
            words = f"{int(done):,} {self._unit}  {done / seconds:,.0f} {self._unit}/s"
        self._bars.update(self._task, completed=done, words=words)

    def end(self) -> None:
        """The stage is over."""
        if self._stage:
            self.seconds[self._stage] = time.perf_counter() - self._started
        if self._bars is not None and self._task is not None:
            total = self._bars.tasks[self._task].total
            self._bars.update(self._task, total=total or 1, completed=total or 1)
        self._stage, self._task = "", None


@contextmanager
def bars(*, quiet: bool) -> Iterator[Bars]:
    """Bars for the time of a command; nothing is drawn with ``quiet`` or where standard error is no terminal."""
    if quiet or not sys.stderr.isatty():
        silent = Bars(None)
        yield silent
        silent.end()
        return
    # Where nobody looks on there is nothing to draw, and nothing to import for it.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<9}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[words]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=False) as drawn:
        shown = Bars(drawn)
        yield shown
        shown.end()
