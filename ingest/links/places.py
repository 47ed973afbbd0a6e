"""Where pages are, of many URLs at a time: a kernel takes the plain hosts apart that nearly all have.

The others are left to `graphlang.ingest.links.canonical.place`; the tests hold the one against the other.
"""

from __future__ import annotations

from array import array
from functools import cache
from typing import TYPE_CHECKING, Any

from graphlang.db.records import packed
from graphlang.ingest.links.canonical import Place, place
from graphlang.ingest.links.native import places as _kernels
from graphlang.public_suffix import rules

if TYPE_CHECKING:
    from collections.abc import Sequence


def places(urls: Sequence[str]) -> list[Place]:
    """Return what canonical URLs say of where their pages are.

    Args:
        urls: canonical.

    >>> places(["https://www.bbc.co.uk:8080/news", "http://192.0.2.1/"])[0]
    Place(host='www.bbc.co.uk', domain='bbc.co.uk', suffix='co.uk', tld='uk')
    """
    begins, ends, domains, suffixes, labels = (array("i", bytes(4 * len(urls))) for _ in range(5))
    _kernels.places_find(_table(), packed(urls), begins, ends, domains, suffixes, labels)
    return [
        Place(url[begin:end], url[domain:end] or None, url[suffix:end], url[label:end]) if end else place(url)
        for url, begin, end, domain, suffix, label in zip(urls, begins, ends, domains, suffixes, labels, strict=True)
    ]


@cache
def _table() -> Any:
    """The rules for names in ASCII, as a kernel has them: no plain host has other letters."""
    known = {name: kinds for name, kinds in rules().items() if name.isascii()}
    return _kernels.places_new(packed(known), bytes(known.values()))
