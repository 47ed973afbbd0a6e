"""Step 0008: what was called harmonic is label spreading."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from graphlang.db.errors import StoreError

if TYPE_CHECKING:
    import sqlite3

#: Parameters of the inference that got other names.
_RENAMED: Final = {"listed": "link_order", "settled": "clamp_length"}


def step(connection: sqlite3.Connection) -> None:
    """Runs are named as their methods are: what was called harmonic is label spreading (Zhou et al. 2004).

    Args:
        connection: within a transaction.

    Raises:
        StoreError: the parameters of a run are no JSON object, as no graphlang writes them.
    """
    connection.execute("UPDATE runs SET method = 'label-spreading' WHERE (kind, method) = ('propagation', 'harmonic')")
    query = "SELECT id, parameters FROM runs WHERE (kind, method) = ('propagation', 'propagation')"
    for run, parameters in connection.execute(query).fetchall():
        try:
            given = {_RENAMED.get(name, name): value for name, value in json.loads(parameters).items()}
        except (AttributeError, RecursionError, TypeError, ValueError) as error:
            msg = f"runs.parameters of run {run} is no JSON object ('graphlang check' tells more)"
            raise StoreError(msg) from error
        connection.execute("UPDATE runs SET parameters = ? WHERE id = ?", (json.dumps(given, sort_keys=True), run))
