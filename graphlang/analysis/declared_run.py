"""One run of what the pages declare for themselves: a baseline (Chew, Mikami and Nagano 2011, section 1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import graphlang
from graphlang.analysis.classify import label_ids
from graphlang.analysis.of_collections import DECLARED
from graphlang.analysis.progress import SILENT, Progress
from graphlang.content.declared import find_declared
from graphlang.db.runs.answers import RunAnswers, write_answers
from graphlang.db.runs.lifecycle import clear_run, finish_run, reuse_run, start_run
from graphlang.db.runs.run import get_run

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs.run import Run

#: Of the paper's pages with a lang attribute, so many have the right one (table 1).
RIGHT = 0.7249
_BATCH = 50_000


def classify_declared(connection: sqlite3.Connection, *, choose: bool = True, progress: Progress = SILENT) -> Run:
    """Give every page the language that it declares; pages that declare none that is known get no row.

    The confidence is the same for all: the share that the paper found to be right.

    Args:
        connection: a collection opened for writing.
        choose: whether the run becomes the one that the views show.
        progress: told of pages.

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
