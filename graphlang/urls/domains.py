"""The registered domain of each URL, for grouping: URLs of one domain are not independent of each other."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from publicsuffixlist import PublicSuffixList

if TYPE_CHECKING:
    from collections.abc import Sequence


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(only_icann=True)


def registered_domains(urls: Sequence[str]) -> list[str]:
    """One label below the public suffix: ``epfl.ch``, ``cam.ac.uk`` (footnote 12 of Baykan et al. 2008).

    A host without a registered domain (an IP address, a bare suffix) stands for itself; a URL without a host is empty.

    >>> registered_domains(["http://ltaa.epfl.ch/algorithms.html", "http://chu.cam.ac.uk/", "http://10.0.0.1/"])
    ['epfl.ch', 'cam.ac.uk', '10.0.0.1']
    """
    seen: dict[str, str] = {}
    for host in map(_host, urls):
        if host not in seen:
            seen[host] = _suffixes().privatesuffix(host) or host if not host.replace(".", "").isdigit() else host
    return [seen[_host(url)] for url in urls]


def _host(url: str) -> str:
    try:
        return (urlsplit(url if "//" in url else "//" + url).hostname or "").strip(".")
    except ValueError:  # an IPv6 address that is none
        return ""
