"""Drop session ids and tracking parameters from URLs, so that one page is one node.

They identify a visit and not a page: servers write session ids into path or query, advertisers add parameters. Only the
server knows which parameters decide what a page shows, so this is an option (``Limits.plain_urls``). Other parameters
keep their order and their spelling.
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
#: Parameters by their name, and others that are a session only if the value looks like an id.
_TRACKS = re.compile(
    r"(?:utm_\w+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|_hsenc|_hsmi|_ga|_gl"
    r"|mkt_tok|jsessionid|phpsessid|aspsessionid\w*|cfid|cftoken)(?:=.*)?"
    r"|(?:sid|s|session|sessionid|session_id|sess|osCsid|zenid)=[0-9a-f]{20,128}",
    re.IGNORECASE | re.DOTALL,
)


def strip_url(url: str) -> str:
    """Return a canonical URL without session ids and tracking parameters.

    >>> strip_url("http://a.example/b;jsessionid=1F?x=1&utm_source=mail&sid=0123456789abcdef0123&y")
    'http://a.example/b?x=1&y'
    >>> strip_url("http://a.example/?sid=7"), strip_url("http://a.example/?fbclid=1")
    ('http://a.example/?sid=7', 'http://a.example/')
    """
    before, mark, query = url.partition("?")
    if ";" in before or "(" in before:
        start = before.find("/", 8)
        before = before[:start] + (_IN_PATH.sub("", before[start:]) or "/")
    if not mark:
        return before
    parameters = [parameter for parameter in query.split("&") if not _TRACKS.fullmatch(parameter)]
    return f"{before}?{'&'.join(parameters)}" if parameters else before


def strip_page(page: Page) -> Page:
    """Return a page with `strip_url` applied to its URL and targets."""
    return rename_urls(page, strip_url)


def rename_urls(page: Page, rename: Callable[[str], str]) -> Page:
    """Return a page with a function applied to its URL, its targets and the URL that a revisit refers to.

    Links that lead to the same target then are merged.
    """
    url = rename(page.url)
    links: dict[str, Link] = {}
    for link in page.links:
        target = rename(link.url)
        first = links.get(target)
        if target == url:
            continue
        if first is None:
            links[target] = link._replace(url=target)
        else:
            kind, nofollow = min(first.kind, link.kind), first.nofollow and link.nofollow
            links[target] = Link(target, kind, nofollow, first.hreflang or link.hreflang, first.text or link.text)
    revisit_of = rename(page.revisit_of) if page.revisit_of is not None else None
    return replace(page, url=url, links=tuple(links.values()), revisit_of=revisit_of)
