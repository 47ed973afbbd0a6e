"""When a page was captured, in the forms in which crawlers and their tools write it."""

from __future__ import annotations

import re

#: The profile of ISO 8601 that WARC 1.1 allows, from a year to nanoseconds; and without mark of the zone, which is UTC.
_W3C = re.compile(
    r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:(?<=-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z|[+-]00:?00)?)?",
    re.IGNORECASE,
)
#: As nearly all crawlers write it, and as it is returned.
_SECONDS = re.compile(r"[0-9]{4}-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z")
#: As in ARC files and indexes: from a day to milliseconds, which are left out.
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(?:(\d\d)(?:\d{3})?)?)?")


def date_of(written: str) -> str:
    """Return a capture time as far as it is given, in ISO 8601 in UTC; an empty string for what is none.

    >>> date_of("2024-01-02T03:04:05.678Z"), date_of("2024-01-02 03:04"), date_of("20240102030405"), date_of("2024-01")
    ('2024-01-02T03:04:05.678Z', '2024-01-02T03:04Z', '2024-01-02T03:04:05Z', '2024-01')
    >>> date_of("20240102"), date_of("202401020304"), date_of("20240102030405678")
    ('2024-01-02', '2024-01-02T03:04Z', '2024-01-02T03:04:05Z')
    >>> date_of("yesterday"), date_of("2024-01-02T03:04:05+02:00")
    ('', '')
    """
    if _SECONDS.fullmatch(written):
        return written
    found = _W3C.fullmatch(written)
    if found:
        return f"{found[1]}T{found[2]}Z" if found[2] else found[1]
    found = _DIGITS.fullmatch(written)
    if not found:
        return ""
    day, time = "-".join(found.groups()[:3]), ":".join(one for one in found.groups()[3:] if one)
    return f"{day}T{time}Z" if time else day
