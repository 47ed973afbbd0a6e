"""Content and URL methods that use the whole collection.

`classify_declared` uses the declarations of pages, a baseline (Chew, Mikami and Nagano 2011, section 1.1).
`classify_tld` is TOP-LEVEL DOMAIN, trained on the collection (Hayati 2004, section 5.1, algorithm 5.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

import graphlang
from graphlang.analysis import graph_input, graph_output
from graphlang.analysis.classify import enter_label_names
from graphlang.analysis.progress import SILENT, Progress
from graphlang.content.declared import find_declared
from graphlang.db.runs.answers import RunAnswers, write_answers
from graphlang.db.runs.lifecycle import clear_run, finish_run, reuse_run, start_run
from graphlang.db.runs.run import get_run
from graphlang.graph import baselines

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from graphlang.db.runs.run import Run

DECLARED: Final = "declared"  #: declarations of pages, see `classify_declared`
TLD: Final = "tld"  #: most frequent language of the top-level domain, see `classify_tld`
#: Share of correct lang attributes in the paper (table 1).
RIGHT: Final = 0.7249
#: Letters of a text to train on; the paper trains on pages labelled by hand.
TRUSTED: Final = 150
_BATCH: Final = 50_000


def classify_declared(connection: sqlite3.Connection, *, choose: bool = True, progress: Progress = SILENT) -> Run:
    """Give every page the language that it declares, and return the finished run.

    Pages without a known declaration get no row. All have the same confidence: the share of correct declarations in the
    paper.
    """
    run = start_run(
        connection, kind="content", method=DECLARED, parameters={"right": RIGHT}, version=graphlang.__version__
    )
    if reuse_run(connection, run, choose_it=choose):
        return run
    clear_run(connection, run.id)
    declarations: dict[int, list[tuple[str, str]]] = {}
    for page, source, value in connection.execute("SELECT page, source, value FROM declarations ORDER BY page"):
        declarations.setdefault(page, []).append((source, value))
    progress.stage("classify", len(declarations), "pages")
    label_of_page = {
        page: declaration.label
        for page, rows in declarations.items()
        if (declaration := find_declared(rows)) is not None
    }
    labels = sorted(set(label_of_page.values()))
    number = dict(zip(labels, enter_label_names(connection, labels), strict=True))
    pages = list(label_of_page)
    for start in range(0, len(pages), _BATCH):
        block = pages[start : start + _BATCH]
        label = np.array([number[label_of_page[page]] for page in block], dtype=np.int64)
        confidence = np.full(len(block), RIGHT)
        none = np.full(len(block), -1, dtype=np.int64)
        answers = RunAnswers(np.array(block), label, confidence, none, np.zeros(len(block)), np.zeros_like(none))
        write_answers(connection, run.id, answers, (label[:, None], confidence[:, None]))
        progress.advance(start + len(block))
    finish_run(connection, run.id, pages=len(pages), choose=choose)
    return get_run(connection, run.id)


def classify_tld(
    connection: sqlite3.Connection, *, seed: int | None = None, choose: bool = True, progress: Progress = SILENT
) -> Run:
    """Give every page the most frequent language of the long texts of its top-level domain; return the finished run.

    ``seed`` is the content run to learn from; default: the chosen run. Raise a StoreError if nothing is classified yet.
    """
    start = graph_input.find_seed_run(connection, seed)
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
    inputs = graph_input.load(connection, start)
    progress.stage("classify", None, "pages")
    language, _ = inputs.evidence.best()
    answer = baselines.answer_from_domain(
        _number_domains(connection, inputs.evidence.host),
        language,
        len(inputs.evidence.codes),
        inputs.evidence.long(TRUSTED),
    )
    progress.advance(inputs.graph.n)
    return graph_output.write(connection, run, inputs, answer, choose=choose)


def _number_domains(connection: sqlite3.Connection, host: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the top-level domain of each page; -1 for hosts without one, such as IP addresses."""
    numbers: dict[str, int] = {}
    domain_of_host = np.full(int(host.max(initial=0)) + 1, -1, dtype=np.int32)
    for number, tld in connection.execute("SELECT id, tld FROM hosts WHERE tld <> '' ORDER BY id"):
        if number <= len(domain_of_host):
            domain_of_host[number - 1] = numbers.setdefault(tld, len(numbers))
    return domain_of_host[host]
