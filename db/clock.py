"""The time, as it is written into a collection."""

from datetime import UTC, datetime


def now() -> str:
    """The time, ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
