"""What the run that the views show has not seen, or not answered yet."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from graphlang.cli.shared.messages.log import say
from graphlang.db.runs.lifecycle import state_seen
from graphlang.db.runs.run import chosen_run, has_changed

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

_VERBS = {"propagation": "propagate DB --update", "vote": "vote DB"}


def say_unseen(connection: sqlite3.Connection, db: Path, *, linked: bool = True) -> None:
    """Say on standard error where ``und`` means that the chosen run was not asked, and what gives languages.

    Files may have been read since, or pages removed or corrected; or the database cannot be written, so that the
    answers for URLs that were only linked to, which are worked out when they are asked for, have no place.

    Args:
        connection: a collection.
        db: its path.
        linked: whether the verb at hand tells languages of URLs that were only linked to.
    """
    run = chosen_run(connection)
    if run is None:
        return
    verb = _VERBS.get(run.kind, "classify DB")
    if has_changed(connection, run):
        words = f"the collection has changed since run {run.id}, which is shown: what it has not seen is und"
    elif not linked or run.linked is not False:
        return
    elif run.collection != state_seen(connection, run.seeds):
        words = f"pages were corrected since run {run.id}, which is shown: most URLs that were only linked to are und"
    elif not os.access(db, os.W_OK) or not os.access(db.absolute().parent, os.W_OK):
        say(
            f"most URLs that were only linked to are und: run {run.id} was never asked for them, and {db} cannot be"
            " written; ask a copy that can, or the original before it is copied",
            "unseen",
            run=run.id,
        )
        return
    else:
        return
    say(f"{words}; 'graphlang {verb}' makes another", "unseen", run=run.id)
