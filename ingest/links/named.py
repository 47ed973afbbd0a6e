"""URLs and hosts as somebody names them."""

from __future__ import annotations

from typing import Final

from graphlang.ingest.links import canonical

#: Browsers leave them out of URLs: a name and whatever stands behind it in a table would become one other name.
_DROPPED: Final = frozenset("\t\r\n")


def named_url(name: str) -> str:
    """The canonical form of a URL.

    Args:
        name: as written.

    Raises:
        ValueError: it is no http(s) URL.

    >>> named_url("HTTP://www.Example.org/#top")
    'http://www.example.org/'
    """
    found = None if _DROPPED.intersection(name.strip()) else canonical.canonical(name)
    if found is None:
        raise ValueError(f"{name[:200]!r} is no http(s) URL")
    return found


def named_host(name: str) -> str:
    """A host in lower case, in ASCII.

    Args:
        name: as written.

    Raises:
        ValueError: it is no host.

    >>> named_host("Bücher.example")
    'xn--bcher-kva.example'
    """
    # An address of mail is none of its host, though in a URL what stands before "@" is a user of it.
    found = None if _DROPPED.intersection(name) or "@" in name else canonical.canonical(f"http://{name}/")
    host = "" if found is None else canonical.host(found)
    if name.startswith(("*", ".")) or host.startswith(("*", ".")):  # which can be written in several ways
        raise ValueError(f"{name[:200]!r} is no host: those below a host are named one by one")
    if found is None or found != f"http://{host}/":
        raise ValueError(f"{name[:200]!r} is no host")
    return host
