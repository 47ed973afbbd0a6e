"""What of a gold file was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphlang.cli.shared.messages.log import say
from graphlang.printing.counted import counted
from graphlang.visible import visible

if TYPE_CHECKING:
    from graphlang.evaluation import evaluate as evaluation

_TOLD: Final = 10  # codes: a column of something else has as many as the file has lines


def say_left_out(gold: evaluation.Gold) -> None:
    """Say on standard error which lines of a gold file count for nothing, and why."""
    if gold.empty:
        say(f"{counted(gold.empty, 'line')} of the gold file without a language, left out")
    if gold.missing:
        say(f"{counted(gold.missing, 'gold page')} {'is' if gold.missing == 1 else 'are'} not in the database")
    if gold.repeated:
        verb = "names" if gold.repeated == 1 else "name"
        say(f"{counted(gold.repeated, 'line')} of the gold file {verb} a page again")
    if gold.contradicted:
        say(f"{counted(gold.contradicted, 'gold page')} left out: lines say different languages of one page")
    for tag, count in gold.unknown.most_common(_TOLD):
        say(f"unknown language code in the gold file: {visible(tag)} ({counted(count, 'line')}, left out)")
    if more := gold.unknown.most_common()[_TOLD:]:
        lines = sum(count for _, count in more)
        say(f"and {counted(len(more), 'other unknown code')} ({counted(lines, 'line')}, left out)")
