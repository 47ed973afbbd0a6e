"""Set languages of pages by hand: check corrections and convert their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphlang.analysis import linked
from graphlang.analysis.classify import enter_label_names
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.read_ahead import CachedLoader
from graphlang.codes import languages
from graphlang.codes.languages import LanguageChoice, parse_choice
from graphlang.db import InputError, collection, corrections
from graphlang.db.remove import RemovedNames
from graphlang.db.runs.lifecycle import digest_input
from graphlang.db.runs.run import find_latest_run, get_run, read_runs
from graphlang.ingest.links.canonical import canonical_url, host
from graphlang.labelled_table import read_labelled_rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from graphlang.db.runs.run import Run

_SHOWN = 200  # characters of a wrong value in a message


class PageLabel(NamedTuple):
    """The language of a page, set by hand."""

    url: str
    language: str  #: any known code or name, ``und`` or ``zxx``
    note: str = ""


class CorrectionCounts(NamedTuple):
    """Numbers of corrected pages."""

    pages: int  #: in the collection
    unknown: int  #: URLs that are not in the collection (yet)


def correct(
    connection: sqlite3.Connection, labels: Iterable[PageLabel], *, by: str, progress: Progress = SILENT
) -> CorrectionCounts:
    """Correct pages: the views show it at once, and the next vote or propagation learns from it.

    A language without script gets that of the page's own text, else the most frequent one. The last label of a URL
    counts. ``by`` is the name of the person. Answers for unfetched URLs are computed first if they are missing. If any
    label is invalid, no page is changed: raise an InputError for an invalid or removed URL, an unknown language, or no
    name.
    """
    if not by.strip():
        raise InputError("the name of the person who corrects is empty")
    removed, run, rows = RemovedNames(connection, host), find_latest_run(connection, "content"), []
    for label in labels:
        url = _parse_url(label.url)
        if url in removed:
            raise InputError(f"{url[:_SHOWN]} was removed, and nothing is kept of it: see 'graphlang remove --forget'")
        try:
            language = parse_choice(label.language)
        except ValueError as error:
            raise InputError(f"{url[:_SHOWN]}: {error}") from error
        rows.append((url, _choose_label(connection, run, url, language), label.note.strip()))
    names = sorted({name for _, name, _ in rows})
    numbers = dict(zip(names, enter_label_names(connection, names), strict=True))
    _answer_unfetched(connection, progress)
    pages = corrections.add(connection, [(url, numbers[label], note) for url, label, note in rows], by.strip())
    return CorrectionCounts(pages, len(rows) - pages)


def undo(connection: sqlite3.Connection, urls: Iterable[str], *, hosts: Sequence[str] = (), by: str = "") -> int:
    """Undo the current correction of each page, so that the one before it counts again; return the number undone.

    ``hosts`` selects all corrected pages of these hosts. Raise an InputError for an invalid URL.
    """
    selected = dict.fromkeys(map(_parse_url, urls))
    if hosts:
        selected |= dict.fromkeys(row.url for row in corrections.read_corrections(connection) if host(row.url) in hosts)
    _answer_unfetched(connection, SILENT)
    return corrections.undo(connection, list(selected), by.strip() or None)


def _answer_unfetched(connection: sqlite3.Connection, progress: Progress) -> None:
    """Store the answers for unfetched URLs: after corrections the input of a run is no longer known."""
    load = CachedLoader()
    for run in read_runs(connection):
        if run.linked is False and run.collection == digest_input(connection, run.seeds):
            linked.answer_unfetched(
                connection, run, loaded=load(connection, get_run(connection, run.seeds[0])), progress=progress
            )


def label_hosts(connection: sqlite3.Connection, hosts: Sequence[str], language: str, note: str = "") -> list[PageLabel]:
    """Label every page of some hosts that is in the collection now, fetched or only linked to.

    ``hosts`` are in lower case and ASCII. Raise an InputError if the collection has no page of a host.
    """
    labels = []
    for name in hosts:
        urls = collection.read_host_urls(connection, name)
        if not urls:
            raise InputError(f"the collection has no page of {name[:_SHOWN]}")
        labels += [PageLabel(url, language, note) for url in urls]
    return labels


def _parse_url(text: str) -> str:
    url = canonical_url(text)
    if url is None:
        raise InputError(f"{text[:_SHOWN]!r} is not an http(s) URL")
    return url


def _choose_label(connection: sqlite3.Connection, run: Run | None, url: str, language: LanguageChoice) -> str:
    if language.language in (languages.UND, languages.ZXX):
        return language.language
    if language.script is None and run is not None:
        row = connection.execute(
            "SELECT label FROM page_scores JOIN pages ON pages.id = page WHERE run = ? AND url = ? AND language = ?"
            " ORDER BY rank LIMIT 1",
            (run.id, url, language.language),
        ).fetchone()
        if row is not None:
            return str(row[0])
    tag = language.language if language.script is None else f"{language.language}-{language.script}"
    return languages.label(tag) or language.language


def read_review(path: str | Path) -> list[PageLabel]:
    """Read the labels of a table; rows with an empty column ``language`` are skipped.

    The file is CSV in UTF-8 with a header line and the columns ``url``, ``language`` and perhaps ``note``, separated by
    commas, semicolons or tabs. Raise an InputError if it cannot be read, lacks a column, or has a row of another
    length.
    """
    return [
        PageLabel(row["url"].strip(), row["language"].strip(), row.get("note", "").strip())
        for row in read_labelled_rows(path, ("url", "language"))
        if row["language"].strip()
    ]
