"""Take the word of somebody who looked: languages of pages by hand, checked and in our codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphlang.analysis import linked
from graphlang.analysis.classify import label_ids
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.read_ahead import CachedLoader
from graphlang.codes import languages
from graphlang.codes.languages import LanguageChoice, parse_choice
from graphlang.db import InputError, collection, corrections
from graphlang.db.remove import Removed
from graphlang.db.runs.lifecycle import state_seen
from graphlang.db.runs.run import all_runs, get_run, latest_run
from graphlang.ingest.links.canonical import canonical, host
from graphlang.labelled_table import labelled_rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from graphlang.db.runs.run import Run

_SHOWN = 200  # characters of what was wrong that stand in a message


class Said(NamedTuple):
    """What somebody says of a page."""

    url: str
    language: str  #: any usual code or name, ``und`` or ``zxx``
    note: str = ""


class Corrected(NamedTuple):
    """What came of corrections."""

    pages: int  #: that the collection has
    unknown: int  #: URLs that it does not have (yet)


def correct(connection: sqlite3.Connection, said: Iterable[Said], *, by: str, progress: Progress = SILENT) -> Corrected:
    """Correct pages: the views show it at once, and the next vote or propagation learns from it.

    The script is the one that is said; else that of the page's own text in this language, else the usual one. Either
    all is taken or, where anything is wrong, nothing.

    Args:
        connection: a collection opened for writing.
        said: in the order in which it was said; of one URL the last counts.
        by: who says so.
        progress: told of URLs that were only linked to, where nothing has asked for their answers yet.

    Raises:
        InputError: a URL that is none or was removed, an unknown language, or nobody who says so.
    """
    if not by.strip():
        raise InputError("nobody says who corrects")
    gone, found, rows = Removed(connection, host), latest_run(connection, "content"), []
    for one in said:
        url = _url(one.url)
        if url in gone:
            raise InputError(f"{url[:_SHOWN]} was removed, and nothing is kept of it: see 'graphlang remove --forget'")
        try:
            language = parse_choice(one.language)
        except ValueError as error:
            raise InputError(f"{error}, said of {url[:_SHOWN]}") from error
        rows.append((url, _label(connection, found, url, language), one.note.strip()))
    labels = sorted({label for _, label, _ in rows})
    numbers = dict(zip(labels, label_ids(connection, labels), strict=True))
    _answer_open(connection, progress)
    pages = corrections.add(connection, [(url, numbers[label], note) for url, label, note in rows], by.strip())
    return Corrected(pages, len(rows) - pages)


def undo(connection: sqlite3.Connection, urls: Iterable[str], *, hosts: Sequence[str] = (), by: str = "") -> int:
    """Undo the correction that is in force of each page; the one before it is in force again.

    Args:
        connection: a collection opened for writing.
        urls: of pages.
        hosts: all corrected pages of these.
        by: who undoes it.

    Returns:
        How many corrections were undone.

    Raises:
        InputError: a URL that is none.
    """
    named = dict.fromkeys(map(_url, urls))
    if hosts:
        named |= dict.fromkeys(one.url for one in corrections.rows(connection) if host(one.url) in hosts)
    _answer_open(connection, SILENT)
    return corrections.undo(connection, list(named), by.strip() or None)


def _answer_open(connection: sqlite3.Connection, progress: Progress) -> None:
    """Answer for the URLs that were only linked to: once pages are corrected nobody knows any more what a run saw."""
    load = CachedLoader()
    for run in all_runs(connection):
        if run.linked is False and run.collection == state_seen(connection, run.seeds):
            linked.answer(
                connection, run, loaded=load(connection, get_run(connection, run.seeds[0])), progress=progress
            )


def of_hosts(connection: sqlite3.Connection, hosts: Sequence[str], language: str, note: str = "") -> list[Said]:
    """The same said of every page of some hosts, fetched or only linked to, that the collection has now.

    Args:
        connection: the collection.
        hosts: in lower case, in ASCII.
        language: see `Said`.
        note: see `Said`.

    Raises:
        InputError: the collection has no page of a host.
    """
    said = []
    for one in hosts:
        urls = collection.urls_of_host(connection, one)
        if not urls:
            raise InputError(f"the collection has no page of {one[:_SHOWN]}")
        said += [Said(url, language, note) for url in urls]
    return said


def _url(written: str) -> str:
    found = canonical(written)
    if found is None:
        raise InputError(f"{written[:_SHOWN]!r} is no http(s) URL")
    return found


def _label(connection: sqlite3.Connection, run: Run | None, url: str, language: LanguageChoice) -> str:
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


def read_review(path: str | Path) -> list[Said]:
    """What a table says of pages: rows whose column ``language`` is empty say nothing.

    Args:
        path: CSV with a header line and the columns ``url`` and ``language``, and perhaps ``note``; separated by
            commas, semicolons or tabs, in UTF-8.

    Raises:
        InputError: the file cannot be read, lacks a column, or has a row of another length.
    """
    return [
        Said(row["url"].strip(), row["language"].strip(), row.get("note", "").strip())
        for row in labelled_rows(path, ("url", "language"))
        if row["language"].strip()
    ]
