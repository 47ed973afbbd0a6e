"""One run of a content method over all texts of the collection, or of a URL method over all URLs, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import graphlang
from graphlang.analysis.arrays import digests
from graphlang.analysis.progress import SILENT, Progress
from graphlang.codes import languages
from graphlang.content.page_input import ENOUGH, Answers, Material, ask
from graphlang.content.scoring.score_lists import KEPT, LEAST, letters, score_lists
from graphlang.content.segments.pages import Part, of_pages
from graphlang.content.segments.readers import ReadsParts
from graphlang.db import collection
from graphlang.db.runs.answers import PageShare, RunAnswers
from graphlang.db.runs.begin import reuse_run, start_run
from graphlang.db.runs.digests import digests_of_pages
from graphlang.db.runs.find import earlier_run, get_run
from graphlang.db.runs.finish import finish_run
from graphlang.db.runs.labels import enter_labels
from graphlang.db.runs.read_answers import last_page
from graphlang.db.runs.write_answers import write_answers
from graphlang.native.threads import side_by_side

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier
    from graphlang.db.runs.run import Run
    from graphlang.urls.identifier import UrlIdentifier

_TOGETHER = 1024  # pages


class _Batch(NamedTuple):
    """Pages of a run and what is answers of them."""

    pages: list[int]
    probabilities: NDArray[np.float32]  #: shape (pages, labels); a row of zeros: no linguistic content
    characters: NDArray[np.int64]
    encodings: list[str | None] | None  #: of a method over bytes
    digests: list[int]  #: of what was read of the pages
    shares: list[list[Part]]  #: of each page; empty where they were not asked for
    same: list[int]  #: further pages: an earlier run has read the same of them


def classify(
    connection: sqlite3.Connection,
    identifier: Identifier,
    *,
    title: bool = True,
    anchors: bool = False,
    shares: bool | None = None,
    choose: bool = True,
    workers: int = 1,
    progress: Progress = SILENT,
) -> Run:
    """Classify the text of every page that has any.

    What a method sees of a page is told in ``graphlang.content.page_input``: its title and main content, or its bytes
    where these are kept and the method reads bytes. A page whose text holds no letters is ``zxx``, one in a
    script that no language of the method is written in ``und``. Pages without text
    (never fetched, images, redirects) get no row: the views show them as ``und``. Stopped halfway, the next call with
    the same method goes on; called again on an unchanged collection, it finds the run done. Where the collection has
    grown, pages of which there is nothing new to read have the answers of the last run with the same method.

    Args:
        connection: a collection opened for writing.
        identifier: a content method.
        title: whether the title counts as part of the text.
        anchors: whether the words of links, where they were kept, count as text of the pages that they lead to: of
            those that have little text, or none, or were never fetched.
        shares: whether the languages of pages in several are told, with the part of the letters that each has
            (``page_shares``). None: where the method's answers about a few words bear that, as those of the default do.
        choose: whether the run becomes the one that the views show.
        workers: threads that identify, where the method allows more than one. The result is the same with any number.
        progress: told of pages.

    Returns:
        The run, finished.
    """

    def read(drawn: tuple[collection.Texts, dict[int, int]]) -> _Batch:
        batch, known = drawn
        numbers = digests.of_pages(*batch[1:])
        new, same = _apart(batch.pages, numbers, known)
        columns = [[column[place] for place in new] for column in batch[1:]] if same else batch[1:]
        answers = ask(identifier, Material(*columns), title=title) if new else Answers(_none(identifier), None, [])
        own = [batch.pages[place] for place in new]
        return _Batch(
            own,
            answers.probabilities,
            letters(answers.texts),
            answers.encodings,
            [numbers[place] for place in new],
            of_pages(identifier, answers.texts, answers.probabilities) if with_shares else [],
            same,
        )

    def batches(after: int, known: Callable[[list[int]], dict[int, int]]) -> Iterator[_Batch]:
        threads = workers if getattr(identifier, "concurrent", False) else 1
        drawn = ((batch, known(batch.pages)) for batch in rows(connection, after=after, batch=_TOGETHER))
        return side_by_side(read, drawn, threads)

    rows = collection.texts_and_anchors if anchors else collection.texts
    with_shares = isinstance(identifier, ReadsParts) if shares is None else shares
    parameters = {"title": title, "main": ENOUGH}
    parameters |= {name: True for name, wanted in (("anchors", anchors), ("shares", with_shares)) if wanted}
    run = _start(connection, identifier, "content", parameters)
    return _fill(connection, run, identifier.labels, "texts", batches, choose=choose, progress=progress)


def classify_urls(
    connection: sqlite3.Connection, identifier: UrlIdentifier, *, choose: bool = True, progress: Progress = SILENT
) -> Run:
    """Classify every page, fetched or only linked to, by its URL alone; see ``classify``.

    Args:
        connection: a collection opened for writing.
        identifier: a URL method.
        choose: whether the run becomes the one that the views show.
        progress: told of pages.

    Returns:
        The run, finished.
    """

    def batches(after: int, known: Callable[[list[int]], dict[int, int]]) -> Iterator[_Batch]:
        for pages, urls in collection.urls(connection, after=after):
            numbers = digests.of_pages(urls)
            new, same = _apart(pages, numbers, known(pages))
            answers = identifier.probabilities([urls[place] for place in new]) if new else _none(identifier)
            own, read = [pages[place] for place in new], [numbers[place] for place in new]
            yield _Batch(own, answers, np.zeros(len(new), dtype=np.int64), None, read, [], same)

    run = _start(connection, identifier, "url", {})
    return _fill(connection, run, identifier.labels, "pages", batches, choose=choose, progress=progress)


def _start(
    connection: sqlite3.Connection, identifier: Identifier | UrlIdentifier, kind: str, parameters: dict[str, Any]
) -> Run:
    return start_run(
        connection,
        kind=kind,
        method=identifier.name,
        model=identifier.name,
        model_hash=identifier.hash,
        parameters={**parameters, "kept": KEPT, "least": LEAST, **identifier.describe()},
        version=graphlang.__version__,
    )


def _fill(
    connection: sqlite3.Connection,
    run: Run,
    labels: tuple[str, ...],
    table: str,
    batches: Callable[[int, Callable[[list[int]], dict[int, int]]], Iterator[_Batch]],
    *,
    choose: bool,
    progress: Progress,
) -> Run:
    """Write what a method says of the pages that the run has not answered yet, and close the run."""
    if reuse_run(connection, run, choose_it=choose):
        return run
    after = last_page(connection, run.id)
    total = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    done = connection.execute("SELECT COUNT(*) FROM predictions WHERE run = ?", (run.id,)).fetchone()[0]
    progress.stage("classify", total, "pages")
    ids = np.array(label_ids(connection, (*labels, languages.UND, languages.ZXX)), dtype=np.int64)
    before = earlier_run(connection, run, any_time=True)
    source = 0 if before is None else before.id
    for batch in batches(after, lambda pages: digests_of_pages(connection, source, pages)):
        copied = (source, batch.same) if batch.same else None
        write_answers(connection, run.id, *_answers(batch, ids), shares=_shares(batch, ids), copied=copied)
        done += len(batch.pages) + len(batch.same)
        progress.advance(done)
    finish_run(connection, run.id, pages=done, choose=choose)
    return get_run(connection, run.id)


def label_ids(connection: sqlite3.Connection, labels: Sequence[str]) -> list[int]:
    """Ids of labels in the collection, with language and script split by the code system.

    Args:
        connection: a collection opened for writing.
        labels: as methods name them: ``eng``, ``srp_Cyrl``, ``und``, ``zxx``.

    Returns:
        One id for each, in the order given; labels that are new are entered.
    """
    special = (languages.UND, languages.ZXX)
    return enter_labels(
        connection,
        [(label, label, None) if label in special else (label, *languages.split(label)) for label in labels],
    )


def _answers(batch: _Batch, ids: NDArray[np.int64]) -> tuple[RunAnswers, tuple[NDArray[np.int64], NDArray[np.float32]]]:
    found, score = score_lists(batch.probabilities, batch.characters)
    label = np.where(found >= 0, ids[found], -1)
    probability = score.astype(np.float64)
    return (
        RunAnswers(
            np.array(batch.pages),
            label[:, 0],
            probability[:, 0],
            label[:, 1],
            probability[:, 1],
            batch.characters,
            batch.encodings,
            batch.digests,
        ),
        (label, score),
    )


def _shares(batch: _Batch, ids: NDArray[np.int64]) -> list[PageShare]:
    """Of the pages in several languages; where shares were not asked for there are none."""
    return [
        PageShare(page, rank, int(ids[part.label]), part.share)
        for page, own in zip(batch.pages, batch.shares, strict=False)
        for rank, part in enumerate(own, 1)
    ]


def _apart(pages: list[int], numbers: list[int], known: dict[int, int]) -> tuple[list[int], list[int]]:
    """Places of the pages that have to be read, and ids of those whose digest is known."""
    new = [place for place, (page, number) in enumerate(zip(pages, numbers, strict=True)) if known.get(page) != number]
    left = set(new)
    return new, [page for place, page in enumerate(pages) if place not in left]


def _none(identifier: Identifier | UrlIdentifier) -> NDArray[np.float32]:
    return np.zeros((0, len(identifier.labels)), dtype=np.float32)
