"""What long work tells whoever watches; the command line draws bars from it, a notebook may ignore it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the stages of a job one after the other."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """A new stage begins.

        Args:
            name: one word, such as ``classify``.
            total: units of work ahead; None where that is not known.
            unit: what is counted, in the plural: ``pages``, ``bytes``.
        """

    def advance(self, done: float, **counts: int) -> None:
        """So much of the stage is done.

        Args:
            done: units of the stage that are done in all, from 0 to its total.
            counts: what else there is so far, e.g. pages and links.
        """


class Silent(Progress):
    """Watches nothing."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """Ignore it."""

    def advance(self, done: float, **counts: int) -> None:
        """Ignore it."""


SILENT = Silent()
