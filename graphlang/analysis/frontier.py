"""Which URLs to fetch next: those never fetched, ranked by the chance that they are in a wanted language.

Beside the belief stands the rule of ClueWeb09 ("Language guessing for a URL to be crawled"): a URL may be in the
language of any page that refers to it, and is skipped when no referring page is in a language that is still wanted.
Referring pages with fewer than 400 bytes of text do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.db import InputError, StoreError, collection, corrections
from graphlang.db.runs.answers import all_labels, read_answers
from graphlang.db.runs.run import get_run, latest_run
from graphlang.graph import clueweb09 as kernel
from graphlang.graph.data import Graph

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.codes.languages import LanguageChoice
    from graphlang.db.runs.run import Run


class Candidate(NamedTuple):
    """A URL that was never fetched."""

    url: str  #: of the page
    chance: float  #: probability that the page is in a wanted language; without any: in none of the saturated ones
    language: str  #: the most likely one
    confidence: float  #: probability of that language
    referrers: int  #: pages that link to it
    clueweb09: str  #: languages that ClueWeb09's rule takes for possible, in alphabetical order
    fetch: int  #: 1 where that rule would fetch it
    script: str | None  #: of the most likely language, ISO 15924


@dataclass(frozen=True, slots=True)
class _Wish:
    """Which languages are worth a fetch."""

    want: Sequence[LanguageChoice]
    saturated: Sequence[LanguageChoice]

    def takes(self, language: str, script: str | None) -> bool:
        """Whether a page in this language and script is wanted."""
        if any(one.takes(language, script) for one in self.saturated):
            return False
        return not self.want or any(one.takes(language, script) for one in self.want)


def frontier(
    connection: sqlite3.Connection,
    *,
    want: Sequence[LanguageChoice] = (),
    saturated: Sequence[LanguageChoice] = (),
    run: Run,
) -> list[Candidate]:
    """Rank the URLs that were never fetched, the greatest chance first, then by the number of referrers, then by URL.

    Args:
        connection: a collection.
        want: languages to look for, in one script or in any; if none is given, all but the saturated ones are wanted.
        saturated: languages of which there is enough.
        run: a propagation or URL run, or one of ClueWeb09's rule: only those answer for pages that were never fetched.

    Raises:
        StoreError: the run is of another kind, or has not answered for the URLs that were only linked to.
        InputError: a language is both wanted and saturated.
    """
    if run.kind not in ("propagation", "url") and run.method != kernel.CLUEWEB09:
        msg = f"run {run.id} ({run.kind}) says nothing of unfetched pages: run 'graphlang propagate' first"
        raise StoreError(msg)
    if run.linked is False:
        msg = (
            f"run {run.id} has no answers for URLs that were only linked to: the collection has changed since, or"
            " cannot be written; run 'graphlang propagate' first"
        )
        raise StoreError(msg)
    both = [one for one in want if any(enough.takes(one.language, one.script) for enough in saturated)]
    if both:
        names = ", ".join(sorted({"-".join(filter(None, (one.language, one.script))) for one in both}))
        raise InputError(f"{names} cannot be wanted and saturated at once")
    wish = _Wish(want, saturated)
    names_of = all_labels(connection)
    taken = {label: wish.takes(language, script) for label, (_, language, script) in names_of.items()}
    chance = _chances(connection, run, taken, rest=not want)
    possible, referrers = _referring(connection, run, names_of)
    found = []
    known = dict(zip(*(column.tolist() for column in corrections.of_pages(connection)), strict=True))
    answers = "predictions" if run.linked is None else "linked_predictions"
    for page, url, *answer in connection.execute(
        f"SELECT pages.id, url, answers.label, COALESCE(confidence, 0.0) FROM pages"
        f" LEFT JOIN {answers} AS answers ON run = ? AND answers.page = pages.id"
        " WHERE pages.id NOT IN (SELECT page FROM captures)",
        (run.id,),
    ):
        label, confidence = (known[page], 1.0) if page in known else answer
        if page in known:
            chance[page] = taken[label]
        _, language, script = names_of.get(label, ("und", "und", None))
        languages = sorted({names_of[one][1] for one in possible.get(page, ())})
        found.append(
            Candidate(
                url,
                float(chance[page]),
                language,
                confidence,
                int(referrers[page]),
                " ".join(languages),
                int(any(taken[one] for one in possible.get(page, ()))),
                script,
            )
        )
    return sorted(found, key=lambda row: (-row.chance, -row.referrers, row.url))


def _chances(connection: sqlite3.Connection, run: Run, taken: dict[int, bool], *, rest: bool) -> NDArray[np.float64]:
    """By page id: the summed probability of the labels that are taken; ``rest``: and of what no score is kept of."""
    chance = np.zeros(collection.count_pages(connection) + 1)
    seen = np.zeros(len(chance))
    for page, label, score in _scores(connection, run):
        seen[page] += score
        if taken[label]:
            chance[page] += score
    if rest:
        # What the stored scores leave over may be any language, so it is not a saturated one for certain.
        chance += np.where(seen > 0, np.maximum(1 - seen, 0), 0)
    return np.minimum(chance, 1)


def _scores(connection: sqlite3.Connection, run: Run) -> Iterator[tuple[int, int, float]]:
    if run.linked is not None:  # of URLs that were only linked to, the best two are kept
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


def _referring(
    connection: sqlite3.Connection, run: Run, names: dict[int, tuple[str, str, str | None]]
) -> tuple[dict[int, set[int]], NDArray[np.int64]]:
    """By page id: the labels of its referrers by the content run, and how many referrers there are."""
    pages = collection.count_pages(connection)
    edges = collection.edges(connection)
    referrers = np.bincount(edges.target + 1, minlength=pages + 1)
    content = get_run(connection, run.seeds[0]) if run.seeds else latest_run(connection, "content")
    if content is None:
        return {}, referrers
    labels = sorted(names)
    table = np.full(max(labels, default=0) + 1, -1, dtype=np.int16)
    table[labels] = np.arange(len(labels))
    answers = read_answers(connection, content.id)
    said = np.full(pages, -1, dtype=np.int16)
    said[answers.pages - 1] = table[answers.label]
    size = collection.text_sizes(connection)
    graph = Graph(pages, edges.source, edges.target, edges.kind, np.full(len(edges.source), -1, dtype=np.int16))
    possible: dict[int, set[int]] = {}
    rows, columns = kernel.referred(graph, said, size, len(labels)).nonzero()
    for page, number in zip(rows.tolist(), columns.tolist(), strict=True):
        possible.setdefault(page + 1, set()).add(labels[number])
    return possible, referrers
