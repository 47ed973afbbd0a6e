"""What the tests of the database share."""

from graphlang.db.write.writer import HostParts


def site(url: str) -> HostParts:
    """Split the host of a URL as a public suffix list with one suffix would."""
    host = url.split("/")[2]
    return HostParts(host, host, "example", "example")
