"""From the answers of a graph kernel back to labels, and into a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.analysis.page_scripts import HostLabels, Scripts
from graphlang.codes import languages
from graphlang.db import collection
from graphlang.db.runs.answers import RunAnswers, all_labels, enter_labels, write_answers
from graphlang.db.runs.lifecycle import clear_run, finish_run
from graphlang.db.runs.linked_answers import LinkedAnswers, write_part
from graphlang.db.runs.run import get_run

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from graphlang.analysis.graph_input import GraphInput
    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Answer

#: Probabilities below this are not kept.
LEAST = 0.001
_STEP = 100_000


def write(
    connection: sqlite3.Connection,
    run: Run,
    given: GraphInput,
    answer: Answer,
    *,
    choose: bool,
    inputs: str | None = None,
    linked: tuple[LinkedAnswers, bool] | None = None,
) -> Run:
    """Write what a graph kernel answered, as the answers of ``run``, and close it.

    The script comes from the page's own text where that has a label in the answer's language, else see
    `graphlang.analysis.page_scripts`. A page whose text has no letters stays ``zxx``: there
    is nothing whose language the links could tell. Two kinds of pages get no row, which the views show as ``und``:
    those with a long text in a script of none of the method's languages, since their language is none of their
    neighbours', and those of which neither text nor links say anything. A page that somebody corrected has what they
    found, with a confidence of 1.

    Args:
        connection: a collection opened for writing.
        run: not finished; what it had written before it was stopped is dropped.
        given: what the kernel was given.
        answer: what it said, one row for each row of ``given``.
        choose: whether the views show the run from now on.
        inputs: digest of all that the run read; None where none was taken.
        linked: answers for URLs that were only linked to, among the first pages, and whether these are all; unless
            None, only the pages have a row that `GraphInput.stored` names.

    Returns:
        The run, finished.

    Raises:
        StoreError: the run does not belong to this connection.
    """
    columns = [answer.language, answer.runner_up, *answer.languages.T]
    chosen = labels(connection, given, columns)
    (zxx,) = enter_labels(connection, [(languages.ZXX, languages.ZXX, None)])
    best = np.where(given.no_letters, zxx, chosen[0])
    confidence = np.where(given.no_letters, 1.0, answer.confidence).astype(np.float64)
    runner_up = np.where(given.no_letters, -1, chosen[1])
    top, probabilities = np.stack(chosen[2:], axis=1), answer.probabilities.copy()
    top[:, 1:][answer.probabilities[:, 1:] < LEAST] = -1
    top[given.no_letters] = -1
    best[given.unknown] = -1
    known = given.corrected >= 0
    best[known], confidence[known], runner_up[known] = given.corrected[known], 1, -1
    top[known], probabilities[known] = -1, 0
    top[known, 0], probabilities[known, 0] = given.corrected[known], 1
    best[np.isin(given.pages, given.removed)] = -1
    answered = np.flatnonzero((best >= 0) & (given.stored if linked is not None else True))
    clear_run(connection, run.id)
    for start in range(0, len(answered), _STEP):
        part = answered[start : start + _STEP]
        write_answers(
            connection,
            run.id,
            RunAnswers(
                given.pages[part],
                best[part],
                confidence[part],
                runner_up[part],
                answer.runner_up_confidence[part].astype(np.float64),
                given.evidence.length[part].astype(np.int64),
            ),
            (top[part], probabilities[part]),
        )
    also = 0 if linked is None else write_part(connection, run.id, 0, linked[0])
    finish_run(
        connection,
        run.id,
        pages=len(answered) + also,
        rounds=answer.rounds,
        converged=answer.converged,
        inputs=inputs,
        linked=None if linked is None else linked[1],
        choose=choose,
    )
    return get_run(connection, run.id)


def of_linked(
    connection: sqlite3.Connection, given: GraphInput, answer: Answer, first: int, count: int
) -> LinkedAnswers:
    """What a graph kernel answered for the URLs that were only linked to, among some pages one after the other.

    Args:
        connection: the collection.
        given: what the kernel was given.
        answer: what it said, one row for each row of ``given``.
        first: pages before these.
        count: of these pages.

    Returns:
        No answer for pages that were fetched, or that ``given`` leaves out.
    """
    label, runner_up = np.full(count, -1, dtype=np.int64), np.full(count, -1, dtype=np.int64)
    confidence, second = np.zeros(count), np.zeros(count)
    rows = np.flatnonzero(~given.stored & (given.pages > first) & (given.pages <= first + count))
    best, other = labels(connection, given, [answer.language[rows], answer.runner_up[rows]], rows)
    places = given.pages[rows] - 1 - first
    label[places], confidence[places] = best, answer.confidence[rows]
    runner_up[places], second[places] = other, answer.runner_up_confidence[rows]
    known = given.corrected[rows] >= 0
    label[places[known]], confidence[places[known]] = given.corrected[rows][known], 1
    runner_up[places[known]], second[places[known]] = -1, 0
    removed = given.removed
    label[removed[(removed > first) & (removed <= first + count)] - 1 - first] = -1
    return LinkedAnswers(label, confidence, np.where(label < 0, -1, runner_up), second)


def labels(
    connection: sqlite3.Connection,
    given: GraphInput,
    columns: list[NDArray[np.int16]],
    rows: NDArray[np.int64] | None = None,
) -> list[NDArray[np.int64]]:
    """Return the ids in ``labels`` of columns of languages, -1 where there is none.

    Args:
        connection: the collection.
        given: the input of the graph kernel.
        columns: indices of languages, each of shape (rows,), -1 none.
        rows: of ``given``, those that the columns have; all if not given.

    Returns:
        For each column one of the same shape. The label is that of the page's own text, else see `page_scripts`.
    """
    best = given.labels[:, 0].astype(np.int64)
    names = {label: name for label, (name, _, _) in all_labels(connection).items()}
    scripts = Scripts.of(given.language_of, names, np.bincount(best[best >= 0]))
    best[best >= len(scripts.rank)] = -1  # und and zxx
    host = given.evidence.host.astype(np.int64)
    counts = HostLabels.count(scripts, host, best)
    every = np.arange(len(given.pages)) if rows is None else rows
    results = [np.empty(len(every), dtype=np.int64) for _ in columns]
    for at in range(0, len(every), _STEP):
        part = every[at : at + _STEP]
        text = np.minimum(given.labels[part], len(scripts.language) - 1)
        asked = np.zeros(len(part), dtype=np.bool_)
        for column in columns:
            language = column[at : at + _STEP]
            asked |= (scripts.column[language] >= 0) & ~(scripts.language[text] == language[:, None]).any(axis=1)
        url_label = np.full(len(part), -1, dtype=np.int64)
        places = np.flatnonzero(asked)
        for found, urls in collection.urls_of(connection, given.pages[part[places]]):
            url_label[places[found]] = scripts.labels_in_urls(urls)
        default = scripts.default_labels(host[part], counts, url_label)
        for column, result in zip(columns, results, strict=True):
            result[at : at + _STEP] = scripts.choose_labels(column[at : at + _STEP], text, default)
    return results
