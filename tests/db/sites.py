"""What the tests of the database share."""

from graphlang.db.write.writer import Site


def site(url: str) -> Site:
    """Split the host of a URL as a public suffix list with one suffix would."""
    host = url.split("/")[2]
    return Site(host, host, "example", "example")
