"""URLs to fetch next: unfetched URLs, ranked by the probability that they are in a wanted language.

Each has the result of ClueWeb09's rule as well ("Language guessing for a URL to be crawled"). By that rule a URL may
be in the language of any page that refers to it. It is skipped if no referring page is in a wanted language. Referring
pages with fewer than 400 bytes of text do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.db import InputError, StoreError, collection, corrections
from graphlang.db.runs.answers import read_answers, read_labels
from graphlang.db.runs.run import find_latest_run, get_run
from graphlang.graph import baselines
from graphlang.graph.data import Graph

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.codes.languages import LanguageChoice
    from graphlang.db.runs.run import Run


class FrontierUrl(NamedTuple):
    """A URL that was never fetched."""

    url: str  #: of the page
    chance: float  #: probability that the page is in a wanted language (default: in none of the saturated ones)
    language: str  #: most likely language
    confidence: float  #: probability of that language
    referrers: int  #: pages that link to it
    clueweb09: str  #: possible languages by ClueWeb09's rule, in alphabetical order
    fetch: int  #: 1 if that rule would fetch it
    script: str | None  #: of the most likely language, ISO 15924


@dataclass(frozen=True, slots=True)
class _FetchLanguages:
    """Languages worth a fetch."""

    want: Sequence[LanguageChoice]
    saturated: Sequence[LanguageChoice]

    def includes(self, language: str, script: str | None) -> bool:
        """Return whether a page in this language and script is wanted."""
        if any(choice.includes(language, script) for choice in self.saturated):
            return False
        return not self.want or any(choice.includes(language, script) for choice in self.want)


def rank_frontier(
    connection: sqlite3.Connection,
    *,
    want: Sequence[LanguageChoice] = (),
    saturated: Sequence[LanguageChoice] = (),
    run: Run,
) -> list[FrontierUrl]:
    """Rank the unfetched URLs by probability, then by number of referrers, then by URL.

    ``want`` are the languages to look for, in one script or in any; default: all except the ``saturated`` ones, which
    have enough pages. ``run`` is a propagation or URL run, or one of ClueWeb09's rule. Raise a StoreError for another
    run, or one without answers for unfetched URLs yet; an InputError if a language is both wanted and saturated.
    """
    if run.kind not in ("propagation", "url") and run.method != baselines.CLUEWEB09:
        msg = f"run {run.id} ({run.kind}) has no answers for unfetched pages: run 'graphlang propagate' first"
        raise StoreError(msg)
    if run.linked is False:
        msg = (
            f"run {run.id} has no answers for URLs that were only linked to: the collection has changed since, or"
            " cannot be written; run 'graphlang propagate' first"
        )
        raise StoreError(msg)
    conflicts = [
        choice for choice in want if any(enough.includes(choice.language, choice.script) for enough in saturated)
    ]
    if conflicts:
        names = ", ".join(sorted({"-".join(filter(None, (choice.language, choice.script))) for choice in conflicts}))
        raise InputError(f"{names} cannot be wanted and saturated at once")
    selection = _FetchLanguages(want, saturated)
    names_of = read_labels(connection)
    is_wanted = {label: selection.includes(language, script) for label, (_, language, script) in names_of.items()}
    chance = _sum_chances(connection, run, is_wanted, rest=not want)
    possible, referrers = _find_referrers(connection, run, names_of)
    rows = []
    corrected = dict(zip(*(column.tolist() for column in corrections.read_corrected_labels(connection)), strict=True))
    answers = "predictions" if run.linked is None else "linked_predictions"
    for page, url, *answer in connection.execute(
        f"SELECT pages.id, url, answers.label, COALESCE(confidence, 0.0) FROM pages"
        f" LEFT JOIN {answers} AS answers ON run = ? AND answers.page = pages.id"
        " WHERE pages.id NOT IN (SELECT page FROM captures)",
        (run.id,),
    ):
        label, confidence = (corrected[page], 1.0) if page in corrected else answer
        if page in corrected:
            chance[page] = is_wanted[label]
        _, language, script = names_of.get(label, ("und", "und", None))
        languages = sorted({names_of[choice][1] for choice in possible.get(page, ())})
        rows.append(
            FrontierUrl(
                url,
                float(chance[page]),
                language,
                confidence,
                int(referrers[page]),
                " ".join(languages),
                int(any(is_wanted[choice] for choice in possible.get(page, ()))),
                script,
            )
        )
    return sorted(rows, key=lambda row: (-row.chance, -row.referrers, row.url))


def _sum_chances(
    connection: sqlite3.Connection, run: Run, is_wanted: dict[int, bool], *, rest: bool
) -> NDArray[np.float64]:
    """Return the probability of wanted labels by page id; ``rest`` adds that of labels without a stored score."""
    chance = np.zeros(collection.count_pages(connection) + 1)
    total = np.zeros(len(chance))
    for page, label, score in _read_scores(connection, run):
        total[page] += score
        if is_wanted[label]:
            chance[page] += score
    if rest:
        # The rest may be in any language, so it counts as not saturated.
        chance += np.where(total > 0, np.maximum(1 - total, 0), 0)
    return np.minimum(chance, 1)


def _read_scores(connection: sqlite3.Connection, run: Run) -> Iterator[tuple[int, int, float]]:
    if run.linked is not None:  # unfetched URLs have the best two languages only
        return connection.execute(
            "SELECT page, labels.id, confidence FROM linked_predictions"
            " JOIN labels ON labels.id = linked_predictions.label WHERE run = ?1"
            " UNION ALL SELECT page, labels.id, runner_up_confidence FROM linked_predictions"
            " JOIN labels ON labels.id = linked_predictions.runner_up WHERE run = ?1",
            (run.id,),
        )
    return connection.execute(
        "SELECT page, labels.id, score FROM scores JOIN labels ON labels.id = scores.label"
        " WHERE run = ? AND page NOT IN (SELECT page FROM captures)",
        (run.id,),
    )


def _find_referrers(
    connection: sqlite3.Connection, run: Run, names: dict[int, tuple[str, str, str | None]]
) -> tuple[dict[int, set[int]], NDArray[np.int64]]:
    """Return labels of the referring pages by the content run, by page id, and the numbers of referrers."""
    pages = collection.count_pages(connection)
    edges = collection.read_edges(connection)
    referrers = np.bincount(edges.target + 1, minlength=pages + 1)
    content = get_run(connection, run.seeds[0]) if run.seeds else find_latest_run(connection, "content")
    if content is None:
        return {}, referrers
    labels = sorted(names)
    table = np.full(max(labels, default=0) + 1, -1, dtype=np.int16)
    table[labels] = np.arange(len(labels))
    answers = read_answers(connection, content.id)
    label_of_page = np.full(pages, -1, dtype=np.int16)
    label_of_page[answers.pages - 1] = table[answers.label]
    size = collection.read_text_sizes(connection)
    graph = Graph(pages, edges.source, edges.target, edges.kind, np.full(len(edges.source), -1, dtype=np.int16))
    possible: dict[int, set[int]] = {}
    rows, columns = baselines.count_referring(graph, label_of_page, size, len(labels)).nonzero()
    for page, number in zip(rows.tolist(), columns.tolist(), strict=True):
        possible.setdefault(page + 1, set()).add(labels[number])
    return possible, referrers
