"""Pages in several languages: what of them counts for languages that are not the page's answer.

A page's shares are those of the content run behind the chosen run. They count where the answer is among them: a page
whose answer is another (by its links, by hand, or `und` for want of confidence) is whole. What no share tells of is the
answer's.
"""

from __future__ import annotations

import json
from typing import Final

from graphlang.codes import languages
from graphlang.db.runs.run import AT

_TOLD: Final = 3  # codes of a page, as in Common Crawl's index
NONE: Final = "[]"  #: `SHARES` of a page in one language
#: SQL: the content run of a capture. Of another time than the page's own it is the one that its run started from.
CONTENT_RUN: Final = f"""COALESCE((
    SELECT IIF(kind = 'content', id, JSON_EXTRACT(seeds, '$[0]')) FROM runs WHERE id = pages.run AND {AT} IS NOT NULL
), :own)"""
#: SQL: the shares of a page of ``pages``, by the content run ``:own``, as `ranked` reads them.
SHARES: Final = (
    "(SELECT JSON_GROUP_ARRAY(JSON_ARRAY(labels.language, page_shares.share)) FROM page_shares"
    " JOIN labels ON labels.id = page_shares.label WHERE page_shares.run = :own AND page_shares.page = pages.page)"
)


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
        another += " OR parts.script IS NOT pages.script"
    return (
        f" FROM {pages[0]} CROSS JOIN {pages[1]} CROSS JOIN labels AS parts ON parts.id = page_shares.label"
        f" WHERE pages.fetched AND ({another})"
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
