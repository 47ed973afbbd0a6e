"""What long work tells whoever watches; the command line draws bars from it, a notebook may ignore it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the stages of a job one after the other."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """A new stage begins; ``total`` units of work are ahead, if that is known."""

    def advance(self, done: float, **counts: int) -> None:
        """``done`` units of the stage are done in all; ``counts`` are shown beside, e.g. pages and links."""


class Silent:
    """Watches nothing."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """Ignore it."""

    def advance(self, done: float, **counts: int) -> None:
        """Ignore it."""


SILENT = Silent()
