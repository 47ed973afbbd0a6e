"""Canonical URLs, and their hosts, registered domains, public suffixes and TLDs.

The canonical form is the serialisation of the WHATWG URL standard: lower-case scheme and host, IDNA, no default port,
no dot segments, percent-encoding where needed. Fragment, user name and password are dropped: they do not identify a
page. Registered domains follow the public suffix list, see `graphlang.public_suffix`.

On request (``Limits.plain_urls``), session ids and tracking parameters are dropped, so that one page is one node. They
identify a visit and not a page: servers write session ids into path or query, advertisers add parameters. Only the
server knows which parameters decide what a page shows, so this is an option. Other parameters keep their order and
their spelling.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ada_url import join_url, normalize_url

from graphlang.db.records import Link, pack_texts
from graphlang.public_suffix import find_domain, find_suffix, has_suffix_of_parent, parse_domain_name, read_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from graphlang.db.records import Page

_MAX_WRITTEN = 65_536  # characters of a URL as written that is parsed: percent-encoding only makes it longer
_HTTP = ("http://", "https://")
#: Browsers drop them from URLs: so a name and the next column of a table would become one other name.
_DROPPED: Final = frozenset("\t\r\n")
_AUTHORITY = re.compile(rb"\s*[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_BEYOND = re.compile(rb"[\x80-\xff]")
#: A URL whose host has at least three labels, and is no address: the first label, and the others.
_BELOW_ANOTHER = re.compile(r"https?://([a-z0-9_-]+)\.((?:[a-z0-9_-]+\.)+[a-z]+)/")


def canonical_url(url: str, base: str | None = None) -> str | None:
    """Return the canonical form of an absolute URL, or of one relative to ``base``; None if it is not an http(s) URL.

    White space around the URL and lone surrogates in it do no harm.

    >>> canonical_url("HTTP://Bücher.Example:80/a/../b c?q=ä#top")
    'http://xn--bcher-kva.example/b%20c?q=%C3%A4'
    >>> canonical_url("../img/?x", "https://a.example/b/c/d")
    'https://a.example/b/img/?x'
    >>> canonical_url("mailto:a@b.example") is None
    True
    """
    if len(url) > _MAX_WRITTEN:
        return None
    try:
        href = _parse(url, base)
    except ValueError:
        sound = re.sub(r"[\ud800-\udfff]", "\ufffd", url)  # a lone surrogate is no reason to lose a page
        if sound == url:
            return None
        try:
            href = _parse(sound, base)
        except ValueError:
            return None
    if not href.startswith(_HTTP):
        return None
    if "#" in href:
        href = href[: href.index("#")]
    if "@" in href:
        place = href.split("/", 3)[2]
        if "@" in place:
            href = href.replace(place, place.rpartition("@")[2], 1)
    return href


def _parse(url: str, base: str | None) -> str:
    return str(normalize_url(url) if base is None else join_url(base, url))


def decode_uri(written: bytes) -> str:
    r"""Decode a URI that may hold raw bytes: UTF-8 to characters, other bytes after the host to percent-encoding.

    So a browser has sent them, and so the query of a link is encoded in the charset of its page.

    >>> decode_uri("http://a.example/é".encode()), decode_uri(b"http://a.example/?\xe9cole")
    ('http://a.example/é', 'http://a.example/?%E9cole')
    """
    try:
        return written.decode()
    except UnicodeDecodeError:
        authority = _AUTHORITY.match(written)
        begin = authority.end() if authority else 0
        path = _BEYOND.sub(lambda byte: b"%%%02X" % byte[0][0], written[begin:])
        return written[:begin].decode("latin-1") + path.decode("ascii")


def host(url: str) -> str:
    """Return the host of a canonical URL, without port; an IPv6 address keeps its brackets.

    >>> host("http://www.a.example:8080/x"), host("http://[2001:db8::1]/")
    ('www.a.example', '[2001:db8::1]')
    """
    parts = url.split("/", 3)
    place = parts[2] if len(parts) > 2 else ""  # noqa: PLR2004 - scheme, nothing, host
    place = place.partition("?")[0].rpartition("@")[2]
    if place.startswith("["):
        return place[: place.find("]") + 1]
    return place.partition(":")[0]


def parse_url(name: str) -> str:
    """Return the canonical form of a URL that a user names; raise ValueError if it is not an http(s) URL.

    >>> parse_url("HTTP://www.Example.org/#top")
    'http://www.example.org/'
    """
    url = None if _DROPPED.intersection(name.strip()) else canonical_url(name)
    if url is None:
        raise ValueError(f"{name[:200]!r} is not an http(s) URL")
    return url


def parse_host(name: str) -> str:
    """Return a host that a user names in lower case, in ASCII; raise ValueError if it is none.

    >>> parse_host("Bücher.example")
    'xn--bcher-kva.example'
    """
    # In a URL the part before "@" is a user name, so that a mail address would become a host.
    url = None if _DROPPED.intersection(name) or "@" in name else canonical_url(f"http://{name}/")
    parsed = "" if url is None else host(url)
    if name.startswith(("*", ".")) or parsed.startswith(("*", ".")):  # which can be written in several ways
        raise ValueError(f"{name[:200]!r} is not a host: those below a host are named one by one")
    if url is None or url != f"http://{parsed}/":
        raise ValueError(f"{name[:200]!r} is not a host")
    return parsed


class HostNames(NamedTuple):
    """The host of a page, and the names that it is below."""

    host: str
    domain: str | None  #: registered domain
    suffix: str | None  #: see `public_suffix`
    tld: str | None  #: see `tld`


def split_host(url: str) -> HostNames:
    """Return the host of a canonical URL, its registered domain, public suffix and TLD.

    >>> split_host("http://www.bbc.co.uk/news")
    HostNames(host='www.bbc.co.uk', domain='bbc.co.uk', suffix='co.uk', tld='uk')
    """
    match = _BELOW_ANOTHER.match(url)
    if match and (parent := _parent(match[2])).domain and has_suffix_of_parent(match[1], match[2]):
        return HostNames(url[match.start(1) : match.end(2)], *parent[1:])
    return _split_host_name(host(url))


def _split_host_name(host: str) -> HostNames:
    name = parse_domain_name(host)
    if name is None:
        return HostNames(host, None, None, None)
    suffix = find_suffix(name)
    return HostNames(host, find_domain(name, suffix), suffix, name.rpartition(".")[2])


_parent = lru_cache(maxsize=1 << 14)(_split_host_name)  # many hosts have the same parent


def split_hosts(urls: Sequence[str]) -> list[HostNames]:
    """Return the `split_host` of many canonical URLs: a kernel splits the plain hosts that nearly all have.

    >>> split_hosts(["https://www.bbc.co.uk:8080/news", "http://192.0.2.1/"])[0]
    HostNames(host='www.bbc.co.uk', domain='bbc.co.uk', suffix='co.uk', tld='uk')
    """
    kernels, table = _make_suffix_table()
    begins, ends, domains, suffixes, labels = (array("i", bytes(4 * len(urls))) for _ in range(5))
    kernels.places_find(table, pack_texts(urls), begins, ends, domains, suffixes, labels)
    return [
        HostNames(url[begin:end], url[domain:end] or None, url[suffix:end], url[label:end]) if end else split_host(url)
        for url, begin, end, domain, suffix, label in zip(urls, begins, ends, domains, suffixes, labels, strict=True)
    ]


@cache
def _make_suffix_table() -> tuple[ModuleType, Any]:
    """Return the kernels, and the rules in ASCII as they take them: plain hosts have no other letters."""
    from graphlang.ingest.links.native import places as kernels  # noqa: PLC0415  few programs need it

    ascii_rules = {name: kinds for name, kinds in read_rules().items() if name.isascii()}
    return kernels, kernels.places_new(pack_texts(ascii_rules), bytes(ascii_rules.values()))


def public_suffix(host: str) -> str | None:
    """Return the suffix under which the host's domain is registered; None for addresses and single labels.

    >>> public_suffix("www.bbc.co.uk"), public_suffix("localhost")
    ('co.uk', None)
    """
    name = parse_domain_name(host)
    return find_suffix(name) if name else None


def tld(host: str) -> str | None:
    """Return the last label of the host, in ASCII; None for addresses and single labels.

    >>> tld("www.bbc.co.uk")
    'uk'
    """
    name = parse_domain_name(host)
    return name.rpartition(".")[2] if name else None


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
