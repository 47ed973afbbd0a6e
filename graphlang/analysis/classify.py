"""Run a content method over all texts of the collection, or a URL method over all URLs, in batches."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import graphlang
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.templates import Bodies, HostTemplates, digest_pages
from graphlang.codes import languages
from graphlang.content.page_input import ENOUGH, Answers, Material, ask
from graphlang.content.score_lists import KEPT, LEAST, count_letters, make_score_lists
from graphlang.content.segments.page_shares import LabelShare, compute_page_shares, doubt_minorities
from graphlang.content.segments.readers import ReadsParts
from graphlang.content.template_lines import GENERAL, REPEATED
from graphlang.db import collection
from graphlang.db.runs.answers import (
    PageShare,
    RunAnswers,
    enter_labels,
    find_last_page,
    read_answered_pages,
    read_digests,
    write_answers,
)
from graphlang.db.runs.host_states import find_unchanged_pages, read_host_states, write_host_states
from graphlang.db.runs.lifecycle import finish_run, reuse_run, start_run
from graphlang.db.runs.run import find_earlier_run, get_run
from graphlang.native.threads import run_side_by_side

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier
    from graphlang.db.runs.run import Run
    from graphlang.urls.url_methods import UrlIdentifier

_TOGETHER = 1024  # pages
_COPIED = 1 << 14  # pages whose answers are copied at a time


class MethodDescription(NamedTuple):
    """Description of a content method that is stored with a run; plain values."""

    name: str
    labels: tuple[str, ...]
    hash: str
    parameters: dict[str, Any]  #: of training and of the model
    reads_parts: bool  #: whether its answers about a few words are good enough for shares
    concurrent: bool  #: whether threads can use it at the same time

    @classmethod
    def from_identifier(cls, identifier: Identifier) -> MethodDescription:
        """Describe a loaded method."""
        return cls(
            identifier.name,
            tuple(identifier.labels),
            identifier.hash,
            identifier.describe(),
            isinstance(identifier, ReadsParts),
            bool(getattr(identifier, "concurrent", False)),
        )


class PageAnswers(NamedTuple):
    """Answers of a method for some pages."""

    pages: list[int]
    label: NDArray[np.int64]  #: indices of the method's labels, best first, -1 padding; see `score_lists`; (pages, k)
    score: NDArray[np.float32]  #: (pages, k)
    characters: NDArray[np.int64]
    encodings: list[str | None] | None  #: by a method over bytes
    digests: list[int]  #: of the text read, for each page
    shares: list[list[LabelShare]]  #: for each page; empty if not requested


class _Batch(NamedTuple):
    answered: PageAnswers
    unchanged: list[int]  #: pages whose answers are copied from an earlier run


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
    """Classify the text of every page with text, and return the finished run.

    ``graphlang.content.page_input`` defines the input of a method: title and main content, or stored bytes for a method
    over bytes. A text without letters is ``zxx``, and a text in a script of no language of the method is ``und``. Pages
    without text (never fetched, images, redirects) get no row: the views show them as ``und``.

    An interrupted run is resumed by the next call with the same method; an unchanged collection returns the finished
    run. In a collection that has grown, unchanged texts get the answers of the last run with the same method, and texts
    of hosts without a new capture are not read.

    With ``anchors`` stored anchor texts count as text of target pages with little text or none. ``shares`` stores the
    languages of multilingual pages, with the share of letters of each (``page_shares``); None: if answers of the method
    about a few words are good enough. With ``choose`` the views show the run. ``workers`` threads identify, if the
    method allows several; the result does not depend on their number.
    """
    return classify_texts(
        connection,
        MethodDescription.from_identifier(identifier),
        lambda: identifier,
        title=title,
        anchors=anchors,
        shares=shares,
        choose=choose,
        workers=workers,
        progress=progress,
    )


def classify_texts(
    connection: sqlite3.Connection,
    described: MethodDescription,
    load: Callable[[], Identifier],
    *,
    title: bool = True,
    anchors: bool = False,
    shares: bool | None = None,
    choose: bool = True,
    workers: int = 1,
    progress: Progress = SILENT,
) -> Run:
    """Classify like `classify`, but call ``load`` for the method only if pages have to be read."""

    def classify_batch(drawn: tuple[Identifier, HostTemplates, collection.StoredTexts, dict[int, int]]) -> _Batch:
        identifier, templates, batch, stored = drawn
        bodies = templates.make_bodies(batch)
        numbers = digest_pages(*bodies.material)
        new, unchanged = _split_unchanged(batch.pages, numbers, stored)
        if unchanged:
            columns: list[Any] = [[column[place] for place in new] for column in bodies.material]
            bodies = Bodies(Material(*columns), bodies.framed[new])
            numbers = [numbers[place] for place in new]
        pages = [batch.pages[place] for place in new]
        return _Batch(answer_pages(identifier, pages, bodies, numbers, title=title, shares=with_shares), unchanged)

    def iterate_batches(after: int, before: Run | None) -> Iterator[_Batch]:
        remaining = (
            np.setdiff1d(collection.find_pages_with_text(connection), read_answered_pages(connection, run.id))
            if after
            else None
        )
        changed = None  # pages of hosts with new captures; None: all pages
        if anchors or run.at is not None:
            hosts = collection.read_hosts(connection)
        else:
            states = read_host_states(connection)
            hosts = np.full(collection.count_pages(connection), -1, dtype=np.int32)  # of pages without a capture
            hosts[states.pages - 1] = states.host - 1
            write_host_states(connection, run.id, states)
            if before is not None and before.at is None:
                is_unchanged = find_unchanged_pages(connection, before, states)
                join = partial(np.intersect1d, assume_unique=True)
                copied = join(read_answered_pages(connection, before.id), states.pages[is_unchanged])
                copied = copied if remaining is None else join(copied, remaining)
                changed = states.pages[~is_unchanged]
                remaining = changed if remaining is None else join(remaining, changed)
                for at in range(0, len(copied), _COPIED):
                    yield _Batch(_make_empty_answers(), copied[at : at + _COPIED].tolist())
        if anchors:
            rows = collection.read_texts_and_anchors(connection, after=after, batch=_TOGETHER)
        elif remaining is not None:
            rows = collection.read_page_texts(connection, remaining, batch=_TOGETHER)
        else:
            rows = collection.read_texts(connection, batch=_TOGETHER)
        # The thread that iterates has the connection, so it loads the method and learns the templates.
        loaded = cache(load)
        templates = HostTemplates(connection, hosts, pages=changed)
        stored_digests = partial(read_digests, connection, 0 if before is None else before.id)
        drawn = ((loaded(), templates, batch, stored_digests(batch.pages)) for batch in rows)
        yield from run_side_by_side(classify_batch, drawn, workers if described.concurrent else 1)

    with_shares = described.reads_parts if shares is None else shares
    parameters = _make_parameters(title=title, anchors=anchors, shares=with_shares)
    run = _start_run(connection, described, "content", parameters)
    return _fill_run(connection, run, described.labels, "texts", iterate_batches, choose=choose, progress=progress)


def answer_pages(
    identifier: Identifier,
    pages: list[int],
    bodies: Bodies,
    numbers: list[int],
    *,
    title: bool = True,
    shares: bool,
) -> PageAnswers:
    """Return the answers of a method for some pages.

    ``bodies`` are their texts, ``numbers`` digests of these. ``title`` includes the title, ``shares`` the languages of
    multilingual pages.
    """
    answers = (
        ask(identifier, bodies.material, title=title) if pages else Answers(_make_empty_scores(identifier), None, [])
    )
    characters = count_letters(answers.texts)
    parts = compute_page_shares(identifier, answers.texts, answers.probabilities) if shares else []
    doubt_minorities(answers.probabilities, parts)
    label, score = make_score_lists(answers.probabilities, characters, framed=bodies.framed)
    return PageAnswers(pages, label, score, characters, answers.encodings, numbers, parts)


def _make_parameters(*, title: bool, anchors: bool, shares: bool) -> dict[str, Any]:
    parameters: dict[str, Any] = {"title": title, "main": ENOUGH, "repeated": REPEATED, "general": GENERAL}
    return parameters | {name: True for name, enabled in (("anchors", anchors), ("shares", shares)) if enabled}


def classify_urls(
    connection: sqlite3.Connection, identifier: UrlIdentifier, *, choose: bool = True, progress: Progress = SILENT
) -> Run:
    """Classify every page, fetched or only linked to, by its URL alone; see ``classify``. Return the finished run."""

    def iterate_batches(after: int, before: Run | None) -> Iterator[_Batch]:
        for pages, urls in collection.read_urls(connection, after=after):
            numbers = digest_pages(urls)
            new, unchanged = _split_unchanged(
                pages, numbers, read_digests(connection, before.id if before else 0, pages)
            )
            answers = (
                identifier.probabilities([urls[place] for place in new]) if new else _make_empty_scores(identifier)
            )
            new_pages, digests = [pages[place] for place in new], [numbers[place] for place in new]
            characters = np.zeros(len(new), dtype=np.int64)
            yield _Batch(
                PageAnswers(new_pages, *make_score_lists(answers, characters), characters, None, digests, []), unchanged
            )

    described = MethodDescription(
        identifier.name,
        tuple(identifier.labels),
        identifier.hash,
        identifier.describe(),
        reads_parts=False,
        concurrent=False,
    )
    run = _start_run(connection, described, "url", {})
    return _fill_run(connection, run, identifier.labels, "pages", iterate_batches, choose=choose, progress=progress)


def _start_run(
    connection: sqlite3.Connection,
    described: MethodDescription,
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


def _fill_run(
    connection: sqlite3.Connection,
    run: Run,
    labels: tuple[str, ...],
    table: str,
    batches: Callable[[int, Run | None], Iterator[_Batch]],
    *,
    choose: bool,
    progress: Progress,
) -> Run:
    """Write the answers that the run lacks, and finish it."""
    if reuse_run(connection, run, choose_it=choose):
        return run
    after = find_last_page(connection, run.id)
    total = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    done = connection.execute("SELECT COUNT(*) FROM predictions WHERE run = ?", (run.id,)).fetchone()[0]
    progress.stage("classify", total, "pages")
    ids = enter_method_labels(connection, labels)
    before = find_earlier_run(connection, run, any_time=True)
    for batch in batches(after, before):
        copied = (before.id, batch.unchanged) if before is not None and batch.unchanged else None
        write_page_answers(connection, run, batch.answered, ids, copied=copied)
        done += len(batch.answered.pages) + len(batch.unchanged)
        progress.advance(done)
    finish_run(connection, run.id, pages=done, choose=choose)
    return get_run(connection, run.id)


def enter_method_labels(connection: sqlite3.Connection, labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the ids of a method's labels, then of ``und`` and ``zxx``, in the order of `score_lists`."""
    return np.array(enter_label_names(connection, (*labels, languages.UND, languages.ZXX)), dtype=np.int64)


def enter_label_names(connection: sqlite3.Connection, labels: Sequence[str]) -> list[int]:
    """Return the ids of labels such as ``eng``, ``srp_Cyrl``, ``und`` or ``zxx``; new labels are stored.

    Language and script are split by the code system.
    """
    special = (languages.UND, languages.ZXX)
    return enter_labels(
        connection,
        [(label, label, None) if label in special else (label, *languages.split_label(label)) for label in labels],
    )


def write_page_answers(
    connection: sqlite3.Connection,
    run: Run,
    answered: PageAnswers,
    ids: NDArray[np.int64],
    *,
    copied: tuple[int, Sequence[int]] | None = None,
) -> None:
    """Write the answers for some pages of an unfinished run.

    ``ids`` come from `enter_method_labels`; for ``copied`` see ``graphlang.db.runs.answers``. Raise a StoreError if the
    run is finished, or does not belong to this connection.
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
    shares = [  # of multilingual pages, if requested
        PageShare(page, rank, int(ids[share.label]), share.share)
        for page, parts in zip(answered.pages, answered.shares, strict=False)
        for rank, share in enumerate(parts, 1)
    ]
    write_answers(connection, run.id, answers, (label, answered.score), shares=shares, copied=copied)


def _split_unchanged(pages: list[int], numbers: list[int], stored: dict[int, int]) -> tuple[list[int], list[int]]:
    """Return the indices of pages that have to be read, and the ids of those with an unchanged digest."""
    new = [place for place, (page, number) in enumerate(zip(pages, numbers, strict=True)) if stored.get(page) != number]
    new_places = set(new)
    return new, [page for place, page in enumerate(pages) if place not in new_places]


def _make_empty_answers() -> PageAnswers:
    empty = np.zeros((0, 2), dtype=np.int64)
    return PageAnswers([], empty, empty.astype(np.float32), empty[:, 0], None, [], [])


def _make_empty_scores(identifier: Identifier | UrlIdentifier) -> NDArray[np.float32]:
    return np.zeros((0, len(identifier.labels)), dtype=np.float32)
