"""One run of a content method over all texts of the collection, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import graphlang
from graphlang import languages
from graphlang.analysis.progress import SILENT, Progress
from graphlang.content.answers import top
from graphlang.content.normalise import normalise
from graphlang.db import collection, runs

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

#: Labels kept for each page: the graph lives on the whole list, which is long only where the text is short.
KEPT = 12
#: Scores below this are not kept.
LEAST = 0.001
#: Letters are counted in so many characters of a text; beyond, one text is as long as another.
COUNTED = 2000


def classify(
    connection: sqlite3.Connection,
    identifier: Identifier,
    *,
    title: bool = True,
    choose: bool = True,
    progress: Progress = SILENT,
) -> runs.Run:
    """Classify the text of every page that has any.

    A page whose text holds no letters is ``zxx``. Pages without text (never fetched, images, redirects) get no row:
    the views show them as ``und``. Stopped halfway, the next call with the same method goes on; called again on an
    unchanged collection, it finds the run done.

    Args:
        connection: a collection opened for writing.
        identifier: a content method.
        title: whether the title counts as part of the text.
        choose: whether the run becomes the one that the views show.
        progress: told of pages.

    Returns:
        The run, finished.
    """
    run = runs.start(
        connection,
        kind="content",
        method=identifier.name,
        model=identifier.name,
        model_hash=identifier.hash,
        parameters={"title": title, "kept": KEPT, "least": LEAST, **identifier.describe()},
        version=graphlang.__version__,
    )
    if run.finished is not None:
        if choose:
            runs.choose(connection, run.id)
        return run
    after = runs.last_page(connection, run.id)
    total = connection.execute("SELECT COUNT(*) FROM texts").fetchone()[0]
    done = connection.execute("SELECT COUNT(*) FROM texts WHERE page <= ?", (after,)).fetchone()[0]
    progress.stage("classify", total, "pages")
    ids = np.array(label_ids(connection, (*identifier.labels, languages.ZXX)), dtype=np.int64)
    for batch in collection.texts(connection, after=after):
        texts = batch.texts
        if title:
            texts = [f"{head}\n{text}" if head else text for head, text in zip(batch.titles, texts, strict=True)]
        answers, scores = _answers(identifier, texts, np.array(batch.pages), ids)
        runs.write(connection, run.id, answers, scores)
        done += len(texts)
        progress.advance(done)
    runs.finish(connection, run.id, pages=done, choose=choose)
    return runs.get(connection, run.id)


def label_ids(connection: sqlite3.Connection, labels: Sequence[str]) -> list[int]:
    """Ids of labels in the collection, with language and script split by the code system."""
    special = (languages.UND, languages.ZXX)
    return runs.label_ids(
        connection,
        [(label, label, None) if label in special else (label, *languages.split(label)) for label in labels],
    )


def _answers(
    identifier: Identifier, texts: list[str], pages: NDArray[np.int64], ids: NDArray[np.int64]
) -> tuple[runs.Answers, tuple[NDArray[np.int64], NDArray[np.float32]]]:
    best, score = top(identifier.probabilities(texts), KEPT)
    label = np.where(score >= LEAST, ids[best], -1)
    label[:, 0] = ids[best[:, 0]]  # the best is kept however low it is
    nothing = score[:, 0] <= 0
    label[nothing] = -1
    label[nothing, 0] = ids[-1]
    score[nothing] = 0
    score[nothing, 0] = 1.0
    chance = score.astype(np.float64)
    return (
        runs.Answers(pages, label[:, 0], chance[:, 0], label[:, 1], chance[:, 1], _letters(texts)),
        (label, score),
    )


def _letters(texts: list[str]) -> NDArray[np.int64]:
    """Characters of the normalised texts: letters, and single spaces between words."""
    return np.maximum(normalise(texts, limit=COUNTED).lengths - 1, 0)
