"""The registered domain of each URL, for grouping: URLs of one domain are not independent of each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphlang.public_suffix import registered_domain

if TYPE_CHECKING:
    from collections.abc import Sequence


_WITH_PATH = re.compile(r"(https?://[^/?#]+)[/?#]..", re.DOTALL)


def registered_domains(urls: Sequence[str]) -> list[str]:
    """One label below the public suffix of ICANN: ``epfl.ch``, ``cam.ac.uk`` (footnote 12 of Baykan et al. 2008).

    The private section of the list does not count: all of ``*.github.io`` is one domain. A host without a registered
    domain (an IP address, a bare suffix) stands for itself; a URL without a host is empty.

    >>> registered_domains(["http://ltaa.epfl.ch/algorithms.html", "http://chu.cam.ac.uk/", "http://10.0.0.1/"])
    ['epfl.ch', 'cam.ac.uk', '10.0.0.1']
    """
    seen: dict[str, str] = {}
    for host in map(_host, urls):
        if host not in seen:
            seen[host] = registered_domain(host, private=False) or host
    return [seen[_host(url)] for url in urls]


def host_alone(url: str) -> str:
    """The URL up to the end of its host and a slash; empty where no more than that is there.

    >>> host_alone("http://www.example.fr/feed"), host_alone("http://www.example.fr/")
    ('http://www.example.fr/', '')
    """
    found = _WITH_PATH.match(url)
    return f"{found[1]}/" if found else ""


def _host(url: str) -> str:
    try:
        return (urlsplit(url if "//" in url else "//" + url).hostname or "").strip(".")
    except ValueError:  # an IPv6 address that is none
        return ""
