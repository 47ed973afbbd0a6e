"""URLs and hosts as somebody names them."""

from __future__ import annotations

from graphlang.ingest.links import canonical


def named_url(name: str) -> str:
    """The canonical form of a URL.

    Args:
        name: as written.

    Raises:
        ValueError: it is no http(s) URL.

    >>> named_url("HTTP://www.Example.org/#top")
    'http://www.example.org/'
    """
    found = canonical.canonical(name)
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
    found = canonical.canonical(f"http://{name}/")
    if found is None or found != f"http://{canonical.host(found)}/":
        raise ValueError(f"{name[:200]!r} is no host")
    return canonical.host(found)
