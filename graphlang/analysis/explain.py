"""Reasons for the language of a page: its text, its declarations and every neighbour, round by round.

The run is repeated with a trace of the page. It is deterministic, so these are the reasons of the stored answer. If
the collection has changed since the run, `Explanation.stale` is True.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.analysis import graph_input
from graphlang.analysis.replay import replay
from graphlang.analysis.templates import HostTemplates
from graphlang.analysis.vote import apply_rule
from graphlang.codes import languages
from graphlang.content.template_lines import PageText, extract_body
from graphlang.db import StoreError, collection, corrections, snapshot, values
from graphlang.db.records import LinkKind
from graphlang.db.runs.lifecycle import digest_input
from graphlang.db.runs.run import find_run_at, get_chosen_run, get_origin, get_run
from graphlang.graph.baselines import CLUEWEB09
from graphlang.ingest.links.canonical import canonical_url

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.corrections import Correction
    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Trace


_NEAREST: Final = 3  # URLs listed in an error
_CANDIDATES: Final = 5_000  # URLs of a host that are compared


def find_url(connection: sqlite3.Connection, text: str) -> str:
    """Return the URL in the collection that matches a URL without scheme, www or final slash.

    Raises `StoreError` with the nearest URLs if there is none.
    """
    url = canonical_url(text) or text
    address = re.sub(r"^[a-z]+://(?:www\.)?|^www\.", "", url, flags=re.IGNORECASE)
    spellings = [url]
    for scheme in ("https", "http"):
        for name in (f"{scheme}://{address}", f"{scheme}://www.{address}"):
            spellings += [canonical_url(name) or name, canonical_url(name.rstrip("/")) or name, f"{name.rstrip('/')}/"]
    for spelling in dict.fromkeys(spellings):
        if connection.execute("SELECT 1 FROM pages WHERE url = ?", (spelling,)).fetchone() is not None:
            return spelling
    host = address.partition("/")[0].lower()
    rows = connection.execute(
        "SELECT pages.url FROM hosts JOIN pages ON pages.host = hosts.id WHERE hosts.host IN (?, ?) LIMIT ?",
        (host, f"www.{host}", _CANDIDATES),
    )
    nearest = difflib.get_close_matches(url, [candidate for (candidate,) in rows], _NEAREST, cutoff=0.5)
    if not nearest:
        hosts = [name for (name,) in connection.execute("SELECT host FROM hosts LIMIT ?", (_CANDIDATES,))]
        nearest = difflib.get_close_matches(host, hosts, _NEAREST)
    hint = f"; the nearest: {', '.join(nearest)}" if nearest else ""
    raise StoreError(f"the collection has no page {text}{hint}")


@dataclass(frozen=True, slots=True)
class Score:
    """A language and its probability."""

    language: str
    probability: float


@dataclass(frozen=True, slots=True)
class Reason:
    """Evidence for or against the answer."""

    source: str  #: ``text``, ``inlink``, ``outlink``, or the name of another signal
    url: str | None  #: the neighbour, where there is one
    link: str | None  #: kind of the link
    language: str | None  #: best language of the neighbour or the evidence
    weight: float  #: probability that the link keeps the language; for other evidence its weight
    log_odds: float  #: added to log P(answer) - log P(runner-up)


@dataclass(frozen=True, slots=True)
class ReadText:
    """The part of a page's text that a content method reads."""

    text: str  #: main content without template lines
    template_lines: tuple[str, ...]  #: lines that are not read, since other pages of the host have them
    pages: int  #: pages of the host with the most frequent of these lines


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Answer and evidence for the language of a page."""

    url: str
    page: int
    run: Run | None
    language: str
    script: str | None
    confidence: float
    runner_up: str | None
    fetched: bool
    facts: dict[str, object]  #: status, media type, charset and its source, length, ...
    declared: list[tuple[str, str, str | None]]  #: source, value as written, ISO 639-3 code
    announced: list[tuple[str, str, str | None]]  #: hreflang of links to the page: source URL, value, code
    territory: list[str]  #: languages of the country of the ccTLD, most speakers first
    text: list[Score]  #: score list of the content run
    text_run: Run | None
    excerpt: str
    reading: ReadText | None  #: None without text
    stale: bool  #: the collection or its corrections have changed since the run
    reasons: list[Reason]
    log_odds: float | None  #: their sum: log P(answer) - log P(runner-up)
    rounds: list[Score]  #: best language at the start and after each round
    corrections: list[Correction]  #: corrections of the page, oldest first; the last one not undone counts
    by_hand: bool  #: the answer is that correction, not of the run
    unknown: bool  #: a long text in no language of the method: no answer, and its links are ignored

    def to_text(self, neighbours: int = 20) -> str:
        """Return the output of the verb `explain`, with this number of neighbours at most."""
        from graphlang.analysis.explain_words import format_explanation  # noqa: PLC0415 - programs do without

        return format_explanation(self, neighbours)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Explanation of {self.url}: {self.language} {self.confidence:.2f}>"


def explain(connection: sqlite3.Connection, url: str, *, run: int | None = None) -> Explanation:
    """Collect the evidence for one page, by its canonical URL.

    ``run`` is the run to explain; default: the current correction, else the chosen run. Raise a StoreError if the page
    or the run is not in the collection.
    """
    page = collection.find_page(connection, url)
    if page is None:
        msg = f"the collection has no page {url}"
        raise StoreError(msg)
    chosen = get_chosen_run(connection) if run is None else get_run(connection, run)
    with snapshot.show_moment(connection, None if chosen is None else chosen.at):
        return _collect(connection, url, page, chosen, in_force=run is None)


def _collect(connection: sqlite3.Connection, url: str, page: int, chosen: Run | None, *, in_force: bool) -> Explanation:
    content = _find_content_run(connection, chosen)
    facts = _read_facts(connection, page)
    answer = _read_answer(connection, page, chosen)
    page_corrections = list(corrections.read_corrections(connection, everything=True, url=url))
    active = [correction for correction in page_corrections if correction.undone is None]
    by_hand = in_force and bool(active)
    if by_hand:
        answer = (active[-1].language, active[-1].script, 1.0, None)
    reasons, log_odds, rounds, unknown = _find_reasons(connection, chosen, page)
    return Explanation(
        url=url,
        page=page,
        run=chosen,
        language=answer[0],
        script=answer[1],
        confidence=answer[2],
        runner_up=answer[3],
        fetched=bool(facts),
        facts=facts,
        declared=[
            (source, value, languages.code(value))
            for source, value in connection.execute(
                "SELECT source, value FROM declarations WHERE page = ? ORDER BY source", (page,)
            )
        ],
        announced=[
            (source, value, languages.code(value))
            for source, value in connection.execute(
                "SELECT url, hreflang FROM links JOIN pages ON pages.id = source"
                " WHERE target = ? AND hreflang IS NOT NULL ORDER BY source LIMIT 20",
                (page,),
            )
        ],
        territory=list(languages.list_official_languages(_read_tld(connection, page))),
        text=_read_scores(connection, content, page),
        text_run=content,
        excerpt=_read_excerpt(connection, page),
        reading=_find_read_text(connection, page),
        stale=chosen is not None and chosen.collection != digest_input(connection, chosen.seeds),
        reasons=reasons,
        log_odds=log_odds,
        rounds=rounds,
        corrections=page_corrections,
        by_hand=by_hand,
        unknown=unknown,
    )


def find_moment_run(connection: sqlite3.Connection, moment: str) -> int:
    """Return the id of the run over the captures of a moment (`graphlang.db.snapshot.parse_moment`).

    Raise a StoreError if there is no such run.
    """
    text = snapshot.parse_moment(moment).text
    run = find_run_at(connection, text)
    if run is None:
        raise StoreError(f"no run is of {text}: 'graphlang propagate DB --at {text}' makes one")
    return run.id


def _find_content_run(connection: sqlite3.Connection, run: Run | None) -> Run | None:
    if run is None or run.kind in ("content", "url"):
        return run
    return get_origin(connection, run)


def _read_answer(
    connection: sqlite3.Connection, page: int, run: Run | None
) -> tuple[str, str | None, float, str | None]:
    row = (
        run
        and connection.execute(
            "SELECT best.language, best.script, confidence, second.language FROM predictions"
            " JOIN labels AS best ON best.id = predictions.label"
            " LEFT JOIN labels AS second ON second.id = predictions.runner_up WHERE run = ?1 AND page = ?2"
            " UNION ALL SELECT best.language, best.script, confidence, second.language FROM linked_predictions"
            " JOIN labels AS best ON best.id = linked_predictions.label"
            " LEFT JOIN labels AS second ON second.id = linked_predictions.runner_up WHERE run = ?1 AND page = ?2",
            (run.id, page),
        ).fetchone()
    )
    return row or (languages.UND, None, 0.0, None)


def _read_facts(connection: sqlite3.Connection, page: int) -> dict[str, object]:
    cursor = connection.execute(
        "SELECT status, mime, charset, charset_from, length, size, date, captures, revisit_of, sources.name AS file,"
        " offset FROM captures JOIN sources ON sources.id = captures.source WHERE page = ?",
        (page,),
    )
    row = cursor.fetchone()
    return {} if row is None else dict(zip([column[0] for column in cursor.description], row, strict=True))


def _read_tld(connection: sqlite3.Connection, page: int) -> str:
    row = connection.execute(
        "SELECT tld FROM hosts JOIN pages ON pages.host = hosts.id WHERE pages.id = ?", (page,)
    ).fetchone()
    return "" if row is None else str(row[0])


def _read_scores(connection: sqlite3.Connection, run: Run | None, page: int) -> list[Score]:
    if run is None:
        return []
    return [
        Score(label, score)
        for label, score in connection.execute(
            "SELECT label, score FROM page_scores WHERE run = ? AND page = ? ORDER BY rank LIMIT 5", (run.id, page)
        )
    ]


def _read_excerpt(connection: sqlite3.Connection, page: int) -> str:
    row = connection.execute("SELECT title, SUBSTR(text, 1, 120) FROM texts WHERE page = ?", (page,)).fetchone()
    return "" if row is None else " | ".join(text.replace("\n", " ") for text in row if text)


def _find_read_text(connection: sqlite3.Connection, page: int) -> ReadText | None:
    batch = collection.fetch_texts(connection, [page])
    if batch is None:
        return None
    with values.translate_errors("pages"):
        rows = connection.execute(
            "SELECT id FROM pages WHERE host = (SELECT host FROM pages WHERE id = ?) ORDER BY id", (page,)
        ).fetchall()
        pages = np.array(rows, dtype=np.int64)[:, 0]
    templates = HostTemplates(connection, collection.read_hosts(connection), pages=pages).read_page_lines(page)
    body = extract_body(PageText(batch.titles[0], batch.texts[0], batch.mains[0]), templates)
    return ReadText(body.text, body.dropped, max((templates.counts[line] for line in body.dropped), default=0))


def _find_reasons(
    connection: sqlite3.Connection, run: Run | None, page: int
) -> tuple[list[Reason], float | None, list[Score], bool]:
    if run is None or run.kind not in ("vote", "propagation"):
        return [], None, [], False
    loaded = graph_input.LoadedRun(connection, get_origin(connection, run))
    if run.method == CLUEWEB09:
        inputs = loaded.make_input()
        with values.translate_errors("runs.parameters"):
            min_bytes = index(run.parameters["min_bytes"])
        answer = apply_rule(connection, inputs, min_bytes, trace=(inputs.find_row(page),))
    else:
        inputs, answer = replay(run, loaded, np.array([page]), trace=(page,))
    unknown = bool(inputs.unknown[inputs.find_row(page)])
    trace = answer.traces.get(inputs.find_row(page))
    if trace is None:  # label spreading has no traces
        return [], None, [], unknown
    names = {kind.value: kind.name.lower() for kind in LinkKind}
    urls = _read_urls(connection, inputs, trace)
    code = inputs.evidence.codes
    reasons = [
        Reason(
            contribution.source,
            urls.get(contribution.neighbour),
            names.get(contribution.kind),
            code[contribution.language] if contribution.language >= 0 else None,
            contribution.weight,
            contribution.log_odds,
        )
        for contribution in sorted(
            trace.contributions,
            key=lambda contribution: (-abs(contribution.log_odds), contribution.source, contribution.neighbour),
        )
        if contribution.log_odds or contribution.language >= 0  # signals without an answer are no reasons
    ]
    rounds = [
        Score(code[language] if language >= 0 else languages.UND, probability) for language, probability in trace.rounds
    ]
    return reasons, trace.log_odds, rounds, unknown


def _read_urls(connection: sqlite3.Connection, inputs: graph_input.GraphInput, trace: Trace) -> dict[int, str]:
    """Return the URL of each neighbour, by row."""
    urls = {}
    for row in sorted({contribution.neighbour for contribution in trace.contributions if contribution.neighbour >= 0}):
        page = int(inputs.pages[row])
        (urls[row],) = connection.execute("SELECT url FROM pages WHERE id = ?", (page,)).fetchone() or (f"page {page}",)
    return urls
