"""Write the answers of a graph algorithm into a run, as labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.analysis.page_scripts import HostLabels, Scripts
from graphlang.codes import languages
from graphlang.db import collection
from graphlang.db.runs.answers import RunAnswers, enter_labels, read_labels, write_answers
from graphlang.db.runs.lifecycle import clear_run, finish_run
from graphlang.db.runs.linked_answers import LinkedAnswers, write_block_answers
from graphlang.db.runs.run import get_run

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from graphlang.analysis.graph_input import GraphInput
    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Answer

#: Smaller probabilities are not stored.
LEAST = 0.001
_STEP = 100_000


def write(
    connection: sqlite3.Connection,
    run: Run,
    graph_input: GraphInput,
    answer: Answer,
    *,
    choose: bool,
    inputs: str | None = None,
    linked: tuple[LinkedAnswers, bool] | None = None,
) -> Run:
    """Write the answers of a graph algorithm into ``run``, finish it and return it.

    The script of a language comes from the page's own text if that has a label in the language, else see
    `graphlang.analysis.page_scripts`. A page whose text has no letters stays ``zxx``. Two kinds of pages get no row,
    and the views show them as ``und``. The first have long text in an unknown language, which is not that of their
    neighbours. The others have no evidence of text and links. Corrected pages have their correction, with confidence
    1.

    The run is not finished; rows of an interrupted attempt are deleted. ``answer`` has one row for each row of
    ``graph_input``. With ``choose`` the views show the run. ``inputs`` is the digest of the input; None if not
    computed. ``linked`` has answers for the first unfetched URLs, and whether these are all; unless None, only pages of
    `GraphInput.stored` get a row. Raise a StoreError if the run does not belong to this connection.
    """
    rows = np.flatnonzero(graph_input.stored) if linked is not None else np.arange(len(graph_input.pages))
    columns = [answer.language[rows], answer.runner_up[rows], *answer.languages[rows].T]
    chosen = find_labels(connection, graph_input, columns, rows)
    (zxx,) = enter_labels(connection, [(languages.ZXX, languages.ZXX, None)])
    no_letters, correction = graph_input.no_letters[rows], graph_input.corrected[rows]
    best = np.where(no_letters, zxx, chosen[0])
    confidence = np.where(no_letters, 1.0, answer.confidence[rows]).astype(np.float64)
    runner_up = np.where(no_letters, -1, chosen[1])
    top, probabilities = np.stack(chosen[2:], axis=1), answer.probabilities[rows]
    top[:, 1:][probabilities[:, 1:] < LEAST] = -1
    top[no_letters] = -1
    best[graph_input.unknown[rows]] = -1
    corrected = correction >= 0
    best[corrected], confidence[corrected], runner_up[corrected] = correction[corrected], 1, -1
    top[corrected], probabilities[corrected] = -1, 0
    top[corrected, 0], probabilities[corrected, 0] = correction[corrected], 1
    best[np.isin(graph_input.pages[rows], graph_input.removed)] = -1
    answered = np.flatnonzero(best >= 0)
    clear_run(connection, run.id)
    for start in range(0, len(answered), _STEP):
        block = answered[start : start + _STEP]
        write_answers(
            connection,
            run.id,
            RunAnswers(
                graph_input.pages[rows[block]],
                best[block],
                confidence[block],
                runner_up[block],
                answer.runner_up_confidence[rows[block]].astype(np.float64),
                graph_input.evidence.length[rows[block]].astype(np.int64),
            ),
            (top[block], probabilities[block]),
        )
    unfetched = 0 if linked is None else write_block_answers(connection, run.id, 0, linked[0])
    finish_run(
        connection,
        run.id,
        pages=len(answered) + unfetched,
        rounds=answer.rounds,
        converged=answer.converged,
        inputs=inputs,
        linked=None if linked is None else linked[1],
        choose=choose,
    )
    return get_run(connection, run.id)


def make_unfetched_answers(
    connection: sqlite3.Connection, graph_input: GraphInput, answer: Answer, first: int, count: int
) -> LinkedAnswers:
    """Return the answers for unfetched URLs among the pages ``first + 1..first + count``.

    Fetched pages, and those that are not in the input, have no answer.
    """
    label, runner_up = np.full(count, -1, dtype=np.int64), np.full(count, -1, dtype=np.int64)
    confidence, second = np.zeros(count), np.zeros(count)
    rows = np.flatnonzero(~graph_input.stored & (graph_input.pages > first) & (graph_input.pages <= first + count))
    best, other = find_labels(connection, graph_input, [answer.language[rows], answer.runner_up[rows]], rows)
    places = graph_input.pages[rows] - 1 - first
    label[places], confidence[places] = best, answer.confidence[rows]
    runner_up[places], second[places] = other, answer.runner_up_confidence[rows]
    corrected = graph_input.corrected[rows] >= 0
    label[places[corrected]], confidence[places[corrected]] = graph_input.corrected[rows][corrected], 1
    runner_up[places[corrected]], second[places[corrected]] = -1, 0
    removed = graph_input.removed
    label[removed[(removed > first) & (removed <= first + count)] - 1 - first] = -1
    return LinkedAnswers(label, confidence, np.where(label < 0, -1, runner_up), second)


def find_labels(
    connection: sqlite3.Connection,
    graph_input: GraphInput,
    columns: list[NDArray[np.int16]],
    rows: NDArray[np.int64] | None = None,
) -> list[NDArray[np.int64]]:
    """Return the ids in ``labels`` for columns of languages, shape (rows,) each; -1 for none.

    ``rows`` are those of the input that the columns have; default: all. The label is that of the page's own text, else
    see `page_scripts`.
    """
    best = graph_input.labels[:, 0].astype(np.int64)
    names = {label: name for label, (name, _, _) in read_labels(connection).items()}
    scripts = Scripts.from_labels(graph_input.language_of, names, np.bincount(best[best >= 0]))
    best[best >= len(scripts.rank)] = -1  # und and zxx
    host = graph_input.evidence.host.astype(np.int64)
    counts = HostLabels.count(scripts, host, best)
    all_rows = np.arange(len(graph_input.pages)) if rows is None else rows
    results = [np.empty(len(all_rows), dtype=np.int64) for _ in columns]
    for at in range(0, len(all_rows), _STEP):
        block = all_rows[at : at + _STEP]
        text = np.minimum(graph_input.labels[block], len(scripts.language) - 1)
        needs_default = np.zeros(len(block), dtype=np.bool_)
        for column in columns:
            language = column[at : at + _STEP]
            several = np.flatnonzero(scripts.column[language] >= 0)
            text_language = scripts.language[text[several]]
            needs_default[several] |= ~(text_language == language[several, None]).any(axis=1)
        url_label = np.full(len(block), -1, dtype=np.int64)
        places = np.flatnonzero(needs_default)
        for batch_rows, urls in collection.read_page_urls(connection, graph_input.pages[block[places]]):
            url_label[places[batch_rows]] = scripts.find_url_labels(urls)
        default = scripts.find_default_labels(host[block], counts, url_label)
        for column, result in zip(columns, results, strict=True):
            result[at : at + _STEP] = scripts.choose_labels(column[at : at + _STEP], text, default)
    return results
