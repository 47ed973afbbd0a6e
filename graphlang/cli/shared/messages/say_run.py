"""One line on a run that is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.cli.shared.messages.log import say
from graphlang.printing.counted import counted

if TYPE_CHECKING:
    from graphlang.db.runs.run import Run


def say_run(run: Run, *, more: str = "") -> None:
    """Say on standard error what a run was, and how it ended.

    Args:
        run: the run.
        more: words behind it.
    """
    words = f"run {run.id}: {run.kind} by {run.method}, {counted(run.pages or 0, 'page')}"
    if run.converged is not None and run.kind == "propagation":
        words += f", {'converged' if run.converged else 'stopped at the cap'} after {counted(run.rounds or 0, 'round')}"
    if run.seeds:
        words += f", from run {run.seeds[0]}"
    if run.at is not None:
        words += f", at {run.at}"
    names = ("id", "kind", "method", "pages", "rounds", "converged", "seeds", "at")
    facts = {name: getattr(run, name) for name in names}
    say(words + more, "run", **facts)
