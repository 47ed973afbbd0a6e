"""One run of TOP-LEVEL DOMAIN, trained on the collection itself (Hayati 2004, section 5.1, algorithm 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import graphlang
from graphlang.analysis.arrays import graph_input, graph_output
from graphlang.analysis.of_collections import TLD
from graphlang.analysis.progress import SILENT, Progress
from graphlang.db.runs.lifecycle import reuse_run, start_run
from graphlang.graph import tld_majority

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from graphlang.db.runs.run import Run

#: Letters from which a page's text is trusted to train on; the paper trains on pages labelled by hand.
TRUSTED = 150


def classify_tld(
    connection: sqlite3.Connection, *, seed: int | None = None, choose: bool = True, progress: Progress = SILENT
) -> Run:
    """Give every page, fetched or not, the commonest language of the long pages of its top-level domain.

    Args:
        connection: a collection opened for writing.
        seed: the content run to learn from; the newest if not given.
        choose: whether the run becomes the one that the views show.
        progress: told of the stage.

    Returns:
        The run, finished.

    Raises:
        StoreError: nothing is classified yet.
    """
    start = graph_input.seed_run(connection, seed)
    run = start_run(
        connection,
        kind="url",
        method=TLD,
        parameters={"trusted": TRUSTED},
        seeds=[start.id],
        version=graphlang.__version__,
    )
    if reuse_run(connection, run, choose_it=choose):
        return run
    given = graph_input.load(connection, start)
    progress.stage("classify", None, "pages")
    language, _ = given.evidence.best()
    answer = tld_majority.top_level_domain(
        _domains(connection, given.evidence.host),
        language,
        len(given.evidence.codes),
        given.evidence.long(TRUSTED),
    )
    progress.advance(given.graph.n)
    return graph_output.write(connection, run, given, answer, choose=choose)


def _domains(connection: sqlite3.Connection, host: NDArray[np.int32]) -> NDArray[np.int32]:
    """A number for the top-level domain of each page; -1 for hosts without one, such as IP addresses."""
    numbers: dict[str, int] = {}
    of_host = np.full(int(host.max(initial=0)) + 1, -1, dtype=np.int32)
    for number, tld in connection.execute("SELECT id, tld FROM hosts WHERE tld <> '' ORDER BY id"):
        if number <= len(of_host):
            of_host[number - 1] = numbers.setdefault(tld, len(numbers))
    return of_host[host]
