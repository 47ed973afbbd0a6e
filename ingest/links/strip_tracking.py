"""URLs without session ids and tracking parameters, by option: so that one page is one node, however it was reached.

What is dropped names a visit and not a page: session ids as servers write them into path or query, and the parameters
that advertisers add. Which parameter decides what a page shows is known to its server alone, so this is never done
unless it is asked for. The other parameters keep their order and their spelling.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from graphlang.db.records import Link

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.db.records import Page

_IN_PATH = re.compile(
    r";jsessionid=[\w.!-]*|/\(S\([a-z0-9]{24}\)\)(?=/)|;(?:php|asp)sess(?:ion)?id\w*=[\w.-]*", re.IGNORECASE
)
#: Of a name by itself, and of one that means a session only if its value looks like one.
_TRACKS = re.compile(
    r"(?:utm_\w+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|_hsenc|_hsmi|_ga|_gl"
    r"|mkt_tok|jsessionid|phpsessid|aspsessionid\w*|cfid|cftoken)(?:=.*)?"
    r"|(?:sid|s|session|sessionid|session_id|sess|osCsid|zenid)=[0-9a-f]{20,128}",
    re.IGNORECASE | re.DOTALL,
)


def plain_url(url: str) -> str:
    """Return a canonical URL without what names a visit.

    >>> plain_url("http://a.example/b;jsessionid=1F?x=1&utm_source=mail&sid=0123456789abcdef0123&y")
    'http://a.example/b?x=1&y'
    >>> plain_url("http://a.example/?sid=7"), plain_url("http://a.example/?fbclid=1")
    ('http://a.example/?sid=7', 'http://a.example/')
    """
    before, mark, query = url.partition("?")
    if ";" in before or "(" in before:
        start = before.find("/", 8)
        before = before[:start] + (_IN_PATH.sub("", before[start:]) or "/")
    if not mark:
        return before
    kept = [one for one in query.split("&") if not _TRACKS.fullmatch(one)]
    return f"{before}?{'&'.join(kept)}" if kept else before


def plain_page(page: Page) -> Page:
    """Return a page whose own URL and targets are plain; of links that now lead to one target one is left, as ever."""
    return renamed(page, plain_url)


def renamed(page: Page, rename: Callable[[str], str]) -> Page:
    """Return a page whose own URL and targets have other names.

    Args:
        page: what was read.
        rename: from a canonical URL to another one; also asked of the URL that a revisit refers to.
    """
    url = rename(page.url)
    links: dict[str, Link] = {}
    for link in page.links:
        target = rename(link.url)
        known = links.get(target)
        if target == url:
            continue
        if known is None:
            links[target] = link._replace(url=target)
        else:
            kind, nofollow = min(known.kind, link.kind), known.nofollow and link.nofollow
            links[target] = Link(target, kind, nofollow, known.hreflang or link.hreflang, known.text or link.text)
    revisit_of = rename(page.revisit_of) if page.revisit_of is not None else None
    return replace(page, url=url, links=tuple(links.values()), revisit_of=revisit_of)
