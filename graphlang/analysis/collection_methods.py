"""Content and URL methods that answer from the whole collection.

`classify_declared` takes what the pages declare, a baseline (Chew, Mikami and Nagano 2011, section 1.1). `classify_tld`
is TOP-LEVEL DOMAIN, trained on the collection (Hayati 2004, section 5.1, algorithm 5.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

import graphlang
from graphlang.analysis import graph_input, graph_output
from graphlang.analysis.classify import label_ids
from graphlang.analysis.progress import SILENT, Progress
from graphlang.content.declared import find_declared
from graphlang.db.runs.answers import RunAnswers, write_answers
from graphlang.db.runs.lifecycle import clear_run, finish_run, reuse_run, start_run
from graphlang.db.runs.run import get_run
from graphlang.graph import tld_majority

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from graphlang.db.runs.run import Run

#: Share of the paper's pages with a lang attribute whose attribute is right (table 1).
RIGHT = 0.7249
_BATCH = 50_000


def classify_declared(connection: sqlite3.Connection, *, choose: bool = True, progress: Progress = SILENT) -> Run:
    """Give every page the language that it declares; pages that declare none that is known get no row.

    The confidence is the same for all: the share that the paper found to be right.

    Args:
        connection: a collection opened for writing.
        choose: whether the run becomes the one that the views show.
        progress: reports the pages done.

    Returns:
        The run, finished.
    """
    run = start_run(
        connection, kind="content", method=DECLARED, parameters={"right": RIGHT}, version=graphlang.__version__
    )
    if reuse_run(connection, run, choose_it=choose):
        return run
    clear_run(connection, run.id)
    said: dict[int, list[tuple[str, str]]] = {}
    for page, source, value in connection.execute("SELECT page, source, value FROM declarations ORDER BY page"):
        said.setdefault(page, []).append((source, value))
    progress.stage("classify", len(said), "pages")
    found = {page: usable.label for page, rows in said.items() if (usable := find_declared(rows)) is not None}
    labels = sorted(set(found.values()))
    number = dict(zip(labels, label_ids(connection, labels), strict=True))
    pages = list(found)
    for start in range(0, len(pages), _BATCH):
        part = pages[start : start + _BATCH]
        label = np.array([number[found[page]] for page in part], dtype=np.int64)
        sure = np.full(len(part), RIGHT)
        nothing = np.full(len(part), -1, dtype=np.int64)
        answers = RunAnswers(np.array(part), label, sure, nothing, np.zeros(len(part)), np.zeros_like(nothing))
        write_answers(connection, run.id, answers, (label[:, None], sure[:, None]))
        progress.advance(start + len(part))
    finish_run(connection, run.id, pages=len(pages), choose=choose)
    return get_run(connection, run.id)


#: Letters from which a page's text is trusted to train on; the paper trains on pages labelled by hand.
TRUSTED = 150


def classify_tld(
    connection: sqlite3.Connection, *, seed: int | None = None, choose: bool = True, progress: Progress = SILENT
) -> Run:
    """Give every page, fetched or not, the commonest language of the long pages of its top-level domain.

    Args:
        connection: a collection opened for writing.
        seed: the content run to learn from; the chosen one if not given.
        choose: whether the run becomes the one that the views show.
        progress: reports the stage.

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


DECLARED: Final = "declared"  #: what the pages declare for themselves, see `classify_declared`
TLD: Final = "tld"  #: the commonest language of the collection's top-level domain, see `classify_tld`
