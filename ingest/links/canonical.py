"""URLs: the canonical form, and the host, registered domain, public suffix and TLD that they belong to.

The canonical form is what the WHATWG URL standard serialises (lower-case scheme and host, IDNA, no default port, no dot
segments, percent-encoding of what needs it), without fragment and without user name and password, which name no page.
Registered domains follow the public suffix list, see `graphlang.public_suffix`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ada_url import join_url, normalize_url

from graphlang.public_suffix import domain_name, domain_of, is_like_its_parent, suffix_of

#: Characters of a URL as written beyond which it is not even parsed (percent-encoding only makes it longer).
_MAX_WRITTEN = 65_536
_HTTP = ("http://", "https://")
#: A URL whose host has three labels at least, and is no address: the first label, and the others.
_BELOW_ANOTHER = re.compile(r"https?://([a-z0-9_-]+)\.((?:[a-z0-9_-]+\.)+[a-z]+)/")


def canonical(url: str, base: str | None = None) -> str | None:
    """Return the canonical form of an absolute URL, or of one relative to ``base``; None where it is no http(s) URL.

    Args:
        url: as written in the page or header; white space around it and lone surrogates do no harm.
        base: an absolute URL.

    >>> canonical("HTTP://Bücher.Example:80/a/../b c?q=ä#top")
    'http://xn--bcher-kva.example/b%20c?q=%C3%A4'
    >>> canonical("../img/?x", "https://a.example/b/c/d")
    'https://a.example/b/img/?x'
    >>> canonical("mailto:a@b.example") is None
    True
    """
    if len(url) > _MAX_WRITTEN:
        return None
    try:
        href = _parsed(url, base)
    except ValueError:
        sound = re.sub(r"[\ud800-\udfff]", "\ufffd", url)  # a lone surrogate is no reason to lose a page
        if sound == url:
            return None
        try:
            href = _parsed(sound, base)
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


def _parsed(url: str, base: str | None) -> str:
    return str(normalize_url(url) if base is None else join_url(base, url))


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


class Place(NamedTuple):
    """Where a page is, by its host."""

    host: str
    domain: str | None  #: see `registered_domain`
    suffix: str | None  #: see `public_suffix`
    tld: str | None  #: see `tld`


def place(url: str) -> Place:
    """Return what a canonical URL says of where its page is.

    >>> place("http://www.bbc.co.uk/news")
    Place(host='www.bbc.co.uk', domain='bbc.co.uk', suffix='co.uk', tld='uk')
    """
    found = _BELOW_ANOTHER.match(url)
    if found and (parent := _parent(found[2])).domain and is_like_its_parent(found[1], found[2]):
        return Place(url[found.start(1) : found.end(2)], *parent[1:])
    return _place(host(url))


def _place(known: str) -> Place:
    name = domain_name(known)
    if name is None:
        return Place(known, None, None, None)
    suffix = suffix_of(name)
    return Place(known, domain_of(name, suffix), suffix, name.rpartition(".")[2])


_parent = lru_cache(maxsize=1 << 14)(_place)  # many hosts are below one


def public_suffix(host: str) -> str | None:
    """Return the suffix under which the host's domain was registered; None for addresses and single labels.

    >>> public_suffix("www.bbc.co.uk"), public_suffix("localhost")
    ('co.uk', None)
    """
    name = domain_name(host)
    return suffix_of(name) if name else None


def tld(host: str) -> str | None:
    """Return the last label of the host, in ASCII; None for addresses and single labels.

    >>> tld("www.bbc.co.uk")
    'uk'
    """
    name = domain_name(host)
    return name.rpartition(".")[2] if name else None
