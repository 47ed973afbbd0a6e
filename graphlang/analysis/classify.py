"""One run of a content method over all texts of the collection, or of a URL method over all URLs, batch by batch."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import graphlang
from graphlang.analysis import digests
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.templates import Bodies, HostTemplates
from graphlang.codes import languages
from graphlang.content.page_input import ENOUGH, Answers, Material, ask
from graphlang.content.score_lists import KEPT, LEAST, letters, score_lists
from graphlang.content.segments.page_shares import Part, compute_page_shares, doubt_minorities
from graphlang.content.segments.readers import ReadsParts
from graphlang.content.template_lines import GENERAL, REPEATED
from graphlang.db import collection
from graphlang.db.runs.answers import (
    PageShare,
    RunAnswers,
    answered_pages,
    digests_of_pages,
    enter_labels,
    last_page,
    write_answers,
)
from graphlang.db.runs.host_states import read_host_states, unchanged_pages, write_host_states
from graphlang.db.runs.lifecycle import finish_run, reuse_run, start_run
from graphlang.db.runs.run import earlier_run, get_run
from graphlang.native.threads import side_by_side

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier
    from graphlang.db.runs.run import Run
    from graphlang.urls.url_methods import UrlIdentifier

_TOGETHER = 1024  # pages
_COPIED = 1 << 14  # pages whose answers are copied at once


class Described(NamedTuple):
    """What a run needs to know of a content method besides its answers; plain values."""

    name: str
    labels: tuple[str, ...]
    hash: str
    parameters: dict[str, Any]  #: of training and of the model
    reads_parts: bool  #: whether its answers about a few words bear shares
    concurrent: bool  #: whether threads may ask it at the same time

    @classmethod
    def of(cls, identifier: Identifier) -> Described:
        """What there is to know of a method that is loaded."""
        return cls(
            identifier.name,
            tuple(identifier.labels),
            identifier.hash,
            identifier.describe(),
            isinstance(identifier, ReadsParts),
            bool(getattr(identifier, "concurrent", False)),
        )


class Answered(NamedTuple):
    """Some pages, and what a method says of them."""

    pages: list[int]
    label: NDArray[np.int64]  #: places of the method's labels, best first, -1 padding; see `score_lists`; (pages, k)
    score: NDArray[np.float32]  #: (pages, k)
    characters: NDArray[np.int64]
    encodings: list[str | None] | None  #: of a method over bytes
    digests: list[int]  #: of what was read of the pages
    shares: list[list[Part]]  #: of each page; empty where they were not asked for


class _Batch(NamedTuple):
    answered: Answered
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
    grown, pages of which there is nothing new to read have the answers of the last run with the same method; texts of
    hosts without a new capture are not read again.

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
        progress: reports the pages done.

    Returns:
        The run, finished.
    """
    return classify_rest(
        connection,
        Described.of(identifier),
        lambda: identifier,
        title=title,
        anchors=anchors,
        shares=shares,
        choose=choose,
        workers=workers,
        progress=progress,
    )


def classify_rest(
    connection: sqlite3.Connection,
    described: Described,
    load: Callable[[], Identifier],
    *,
    title: bool = True,
    anchors: bool = False,
    shares: bool | None = None,
    choose: bool = True,
    workers: int = 1,
    progress: Progress = SILENT,
) -> Run:
    """As `classify`, for a method that is loaded only if there is a page left to be read.

    Args:
        connection: a collection opened for writing.
        described: the method.
        load: loads it.
        title: see `classify`.
        anchors: see `classify`.
        shares: see `classify`.
        choose: see `classify`.
        workers: see `classify`.
        progress: reports the pages done.

    Returns:
        The run, finished.
    """

    def read(drawn: tuple[Identifier, HostTemplates, collection.Texts, dict[int, int]]) -> _Batch:
        identifier, templates, batch, known = drawn
        bodies = templates.bodies(batch)
        numbers = digests.of_pages(*bodies.material)
        new, same = _apart(batch.pages, numbers, known)
        if same:
            columns: list[Any] = [[column[place] for place in new] for column in bodies.material]
            bodies = Bodies(Material(*columns), bodies.framed[new])
            numbers = [numbers[place] for place in new]
        pages = [batch.pages[place] for place in new]
        return _Batch(answer(identifier, pages, bodies, numbers, title=title, shares=with_shares), same)

    def batches(after: int, before: Run | None) -> Iterator[_Batch]:
        left = (
            np.setdiff1d(collection.pages_with_text(connection), answered_pages(connection, run.id)) if after else None
        )
        changed = None  # pages of hosts with new captures; None: all pages
        if not anchors and run.at is None:
            states = read_host_states(connection)
            write_host_states(connection, run.id, states)
            if before is not None and before.at is None:
                unchanged = unchanged_pages(connection, before, states)
                copied = np.intersect1d(answered_pages(connection, before.id), states.pages[unchanged])
                copied = copied if left is None else np.intersect1d(copied, left)
                changed = states.pages[~unchanged]
                left = changed if left is None else np.intersect1d(left, changed)
                for at in range(0, len(copied), _COPIED):
                    yield _Batch(_no_answers(), copied[at : at + _COPIED].tolist())
        if anchors:
            rows = collection.texts_and_anchors(connection, after=after, batch=_TOGETHER)
        elif left is not None:
            rows = collection.texts_of_all(connection, left, batch=_TOGETHER)
        else:
            rows = collection.texts(connection, batch=_TOGETHER)
        # The thread that draws has the connection, so it loads the method and learns the templates.
        loaded = cache(load)
        templates = HostTemplates(connection, pages=changed)
        known = partial(digests_of_pages, connection, 0 if before is None else before.id)
        drawn = ((loaded(), templates, batch, known(batch.pages)) for batch in rows)
        yield from side_by_side(read, drawn, workers if described.concurrent else 1)

    with_shares = described.reads_parts if shares is None else shares
    parameters = _parameters(title=title, anchors=anchors, shares=with_shares)
    run = _start(connection, described, "content", parameters)
    return _fill(connection, run, described.labels, "texts", batches, choose=choose, progress=progress)


def answer(
    identifier: Identifier,
    pages: list[int],
    bodies: Bodies,
    numbers: list[int],
    *,
    title: bool = True,
    shares: bool,
) -> Answered:
    """What a method says of some pages.

    Args:
        identifier: the method.
        pages: their ids.
        bodies: what is read of them.
        numbers: a digest of what is read of each (``analysis.digests``).
        title: whether the title counts as part of the text.
        shares: whether the languages of pages in several are told.
    """
    answers = ask(identifier, bodies.material, title=title) if pages else Answers(_none(identifier), None, [])
    characters = letters(answers.texts)
    parts = compute_page_shares(identifier, answers.texts, answers.probabilities) if shares else []
    doubt_minorities(answers.probabilities, parts)
    label, score = score_lists(answers.probabilities, characters, framed=bodies.framed)
    return Answered(pages, label, score, characters, answers.encodings, numbers, parts)


def _parameters(*, title: bool, anchors: bool, shares: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"title": title, "main": ENOUGH, "repeated": REPEATED, "general": GENERAL}
    return found | {name: True for name, wanted in (("anchors", anchors), ("shares", shares)) if wanted}


def classify_urls(
    connection: sqlite3.Connection, identifier: UrlIdentifier, *, choose: bool = True, progress: Progress = SILENT
) -> Run:
    """Classify every page, fetched or only linked to, by its URL alone; see ``classify``.

    Args:
        connection: a collection opened for writing.
        identifier: a URL method.
        choose: whether the run becomes the one that the views show.
        progress: reports the pages done.

    Returns:
        The run, finished.
    """

    def batches(after: int, before: Run | None) -> Iterator[_Batch]:
        for pages, urls in collection.urls(connection, after=after):
            numbers = digests.of_pages(urls)
            new, same = _apart(pages, numbers, digests_of_pages(connection, before.id if before else 0, pages))
            answers = identifier.probabilities([urls[place] for place in new]) if new else _none(identifier)
            own, read = [pages[place] for place in new], [numbers[place] for place in new]
            characters = np.zeros(len(new), dtype=np.int64)
            yield _Batch(Answered(own, *score_lists(answers, characters), characters, None, read, []), same)

    described = Described(
        identifier.name,
        tuple(identifier.labels),
        identifier.hash,
        identifier.describe(),
        reads_parts=False,
        concurrent=False,
    )
    run = _start(connection, described, "url", {})
    return _fill(connection, run, identifier.labels, "pages", batches, choose=choose, progress=progress)


def _start(
    connection: sqlite3.Connection,
    described: Described,
    kind: str,
    parameters: dict[str, Any],
) -> Run:
    return start_run(
        connection,
        kind=kind,
        method=described.name,
        model=described.name,
        model_hash=described.hash,
        parameters={**parameters, "kept": KEPT, "least": LEAST, **described.parameters},
        version=graphlang.__version__,
    )


def _fill(
    connection: sqlite3.Connection,
    run: Run,
    labels: tuple[str, ...],
    table: str,
    batches: Callable[[int, Run | None], Iterator[_Batch]],
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
    ids = ids_of(connection, labels)
    before = earlier_run(connection, run, any_time=True)
    for batch in batches(after, before):
        copied = (before.id, batch.same) if before is not None and batch.same else None
        write(connection, run, batch.answered, ids, copied=copied)
        done += len(batch.answered.pages) + len(batch.same)
        progress.advance(done)
    finish_run(connection, run.id, pages=done, choose=choose)
    return get_run(connection, run.id)


def ids_of(connection: sqlite3.Connection, labels: Sequence[str]) -> NDArray[np.int64]:
    """Ids in the collection of a method's labels, and of ``und`` and ``zxx`` after them, as `score_lists` counts them.

    Args:
        connection: a collection opened for writing.
        labels: of the method.
    """
    return np.array(label_ids(connection, (*labels, languages.UND, languages.ZXX)), dtype=np.int64)


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


def write(
    connection: sqlite3.Connection,
    run: Run,
    answered: Answered,
    ids: NDArray[np.int64],
    *,
    copied: tuple[int, Sequence[int]] | None = None,
) -> None:
    """Write what a method says of some pages.

    Args:
        connection: a collection opened for writing.
        run: not finished.
        answered: the pages, which the run has not answered yet.
        ids: of the method's labels, see `ids_of`.
        copied: see ``graphlang.db.runs.answers``.

    Raises:
        StoreError: the run is finished, or does not belong to this connection.
    """
    label = np.where(answered.label >= 0, ids[answered.label], -1)
    probability = answered.score.astype(np.float64)
    answers = RunAnswers(
        np.array(answered.pages),
        label[:, 0],
        probability[:, 0],
        label[:, 1],
        probability[:, 1],
        answered.characters,
        answered.encodings,
        answered.digests,
    )
    shares = [  # of the pages in several languages; where shares were not asked for there are none
        PageShare(page, rank, int(ids[part.label]), part.share)
        for page, own in zip(answered.pages, answered.shares, strict=False)
        for rank, part in enumerate(own, 1)
    ]
    write_answers(connection, run.id, answers, (label, answered.score), shares=shares, copied=copied)


def _apart(pages: list[int], numbers: list[int], known: dict[int, int]) -> tuple[list[int], list[int]]:
    """Places of the pages that have to be read, and ids of those whose digest is known."""
    new = [place for place, (page, number) in enumerate(zip(pages, numbers, strict=True)) if known.get(page) != number]
    left = set(new)
    return new, [page for place, page in enumerate(pages) if place not in left]


def _no_answers() -> Answered:
    nothing = np.zeros((0, 2), dtype=np.int64)
    return Answered([], nothing, nothing.astype(np.float32), nothing[:, 0], None, [], [])


def _none(identifier: Identifier | UrlIdentifier) -> NDArray[np.float32]:
    return np.zeros((0, len(identifier.labels)), dtype=np.float32)
