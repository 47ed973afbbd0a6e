"""Pages in several languages: what of them counts for languages that are not the page's answer.

A page's shares are those of the content run behind the chosen run. They count where the answer is among them: a page
whose answer is another (by its links, by hand, or `und` for want of confidence) is whole. What no share tells of is the
answer's.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from graphlang.codes import languages
from graphlang.db.runs.run import AT
from graphlang.maps.selection import content_run

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

_TOLD: Final = 3  # codes of a page, as in Common Crawl's index
NONE: Final = "[]"  #: `SHARES` of a page in one language


def of_run(run: str) -> str:
    """SQL: the shares of a page of ``pages``, by a content run, as `ranked` reads them.

    A value that is no share (an altered file; `graphlang.db.check` reports it) is left out.

    Args:
        run: SQL for the run.
    """
    return (
        "(SELECT JSON_GROUP_ARRAY(JSON_ARRAY(labels.language, page_shares.share)) FROM page_shares"
        f" JOIN labels ON labels.id = page_shares.label WHERE page_shares.run = {run}"
        " AND page_shares.page = pages.page"
        " AND TYPEOF(page_shares.share) = 'real' AND page_shares.share BETWEEN 0 AND 1)"
    )


#: SQL: the content run of a capture. Of another time than the page's own it is the one that its run started from.
CONTENT_RUN: Final = f"""COALESCE((
    SELECT IIF(kind = 'content', id, JSON_EXTRACT(seeds, '$[0]')) FROM runs WHERE id = pages.run AND {AT} IS NOT NULL
), :own)"""
#: SQL: the shares of a page of ``pages``, by the content run ``:own``, as `ranked` reads them.
SHARES: Final = of_run(":own")


def others(source: str, *, of_captures: bool = False, scripts: bool = False) -> str:
    """SQL: ``FROM`` what of pages is in other languages than their answer: ``pages``, ``page_shares``, ``parts``.

    Args:
        source: a subquery of pages (`Selection.source`).
        of_captures: whether captures of other times are among them; ``:own`` is the content run of the others.
        scripts: whether another script of the page's language counts as another.
    """
    run = CONTENT_RUN if of_captures else ":own"
    pages = f"{source} AS pages", f"page_shares ON page_shares.page = pages.page AND page_shares.run = {run}"
    if not of_captures:  # few pages have shares
        pages = "page_shares", f"{source} AS pages ON pages.page = page_shares.page AND page_shares.run = :own"
    another = "parts.language <> pages.language"
    if scripts:
        another += " OR COALESCE(parts.script, '') <> COALESCE(pages.script, '')"
    return (
        f" FROM {pages[0]} CROSS JOIN {pages[1]} CROSS JOIN labels AS parts ON parts.id = page_shares.label"
        f" WHERE pages.fetched = 1 AND ({another})"
        " AND pages.language IN (SELECT told.language FROM page_shares AS own"
        " JOIN labels AS told ON told.id = own.label WHERE own.run = page_shares.run AND own.page = page_shares.page)"
    )


def ranked(language: str, shares: str) -> list[tuple[str, float]]:
    """Up to three languages of a page with their shares: its answer, then the others by share; none without language.

    Args:
        language: the page's answer.
        shares: as `SHARES` gives them; `NONE` for a page in one language.

    >>> ranked("cym", '[["eng",0.4],["cym",0.35],["fra",0.25]]'), ranked("und", NONE)
    ([('cym', 0.35), ('eng', 0.4), ('fra', 0.25)], [])
    >>> ranked("bre", '[["cym",0.5],["eng",0.5]]')
    [('bre', 1.0)]
    """
    if language in (languages.UND, languages.ZXX):
        return []
    if shares == NONE:
        return [(language, 1.0)]
    told: dict[str, float] = {}
    for name, share in json.loads(shares):
        told[name] = told.get(name, 0.0) + share
    if told.pop(language, None) is None:
        return [(language, 1.0)]
    rest = sorted(told.items(), key=lambda item: (-item[1], item[0]))
    return [(language, 1.0 - sum(told.values())), *rest[: _TOLD - 1]]


def in_words(found: list[tuple[str, float]]) -> tuple[str, str]:
    """The codes, and the shares, of what `ranked` found, each with commas between.

    >>> in_words([("cym", 0.524), ("eng", 0.476)])
    ('cym,eng', '0.52,0.48')
    """
    return ",".join(name for name, _ in found), ",".join(f"{share:.2f}" for _, share in found)


_SEVERAL: Final = "EXISTS (SELECT 1 FROM page_shares WHERE page_shares.run = {} AND page_shares.page = pages.page)"


def columns(connection: sqlite3.Connection, *, run: str = ":own") -> tuple[str, dict[str, int | None]]:
    """SQL for the columns ``languages`` and ``shares`` of ``pages``, as `in_words` has them, and the values to bind.

    Few pages have shares: of the others all is said in SQL, so that a list of pages is as fast as without.

    Args:
        connection: a collection; it gets two functions, for as long as it is open.
        run: SQL for the content run whose shares count.
    """
    found = []
    for place, (name, alone) in enumerate((("languages", "pages.language"), ("shares", "'1.00'"))):
        connection.create_function(f"told_{name}", 2, _told(place), deterministic=True)
        told = f"told_{name}(CAST(pages.language AS BLOB), CAST({of_run(run)} AS BLOB))"
        found.append(
            f"CASE WHEN pages.language IN ('{languages.UND}', '{languages.ZXX}') THEN ''"
            f" WHEN {_SEVERAL.format(run)} THEN {told} ELSE {alone} END AS {name}"
        )
    return ", ".join(found), {"own": content_run(connection)}


def _told(place: int) -> Callable[[bytes, bytes], str]:
    """Take bytes: a function gets no text that is not UTF-8. Where a language is not, its own column says so."""

    def told(language: bytes, parts: bytes) -> str:
        return _in_words(language, parts)[place]

    return told


@lru_cache(maxsize=4)  # both columns of a row ask for the same
def _in_words(language: bytes, parts: bytes) -> tuple[str, str]:
    return in_words(ranked(language.decode(errors="replace"), parts.decode(errors="replace")))
