"""Parse capture times as crawlers and their tools write them."""

from __future__ import annotations

import re

#: The profile of ISO 8601 that WARC 1.1 allows, from a year to nanoseconds; without a time zone it is UTC.
_W3C = re.compile(
    r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:(?<=-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z|[+-]00:?00)?)?",
    re.IGNORECASE,
)
_YEAR = "(?!0000)[0-9]{4}"
_LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
_DAY = (
    f"(?:{_YEAR}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    f"|02-(?:0[1-9]|1[0-9]|2[0-8]))|{_LEAP}-02-29)"
)
_HOURS = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_SECOND = "(?:[0-5][0-9]|60)"
#: The form that nearly all crawlers write, and that is returned.
_SECONDS = re.compile(f"{_DAY}T{_HOURS}:{_SECOND}Z")
#: The form of ARC files and indexes: from a day to milliseconds, which are dropped.
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(?:(\d\d)(?:\d{3})?)?)?")
#: A valid time, as it is returned: an invalid month would sort after all valid ones.
_VALID = re.compile(rf"{_DAY}(?:T{_HOURS}(?::{_SECOND}(?:\.[0-9]{{1,9}})?)?Z)?|{_YEAR}(?:-(?:0[1-9]|1[0-2]))?")


def parse_date(written: str) -> str:
    """Return a capture time in ISO 8601 in UTC, as precise as written; an empty string for other text.

    An invalid part and all after it are dropped.

    >>> parse_date("2024-01-02T03:04:05.678Z"), parse_date("2024-01-02 03:04"), parse_date("20240102030405")
    ('2024-01-02T03:04:05.678Z', '2024-01-02T03:04Z', '2024-01-02T03:04:05Z')
    >>> parse_date("20240102"), parse_date("202401020304"), parse_date("20240102030405678")
    ('2024-01-02', '2024-01-02T03:04Z', '2024-01-02T03:04:05Z')
    >>> parse_date("yesterday"), parse_date("2024-01-02T03:04:05+02:00")
    ('', '')
    >>> parse_date("2015-13-45T99:00:00Z"), parse_date("20100500000000"), parse_date("2024-01-02T24:00:00Z")
    ('2015', '2010-05', '2024-01-02')
    >>> parse_date("2004-02-30T12:00:00Z"), parse_date("19000229"), parse_date("2000-02-29"), parse_date("2024-01")
    ('2004-02', '1900-02', '2000-02-29', '2024-01')
    """
    if _SECONDS.fullmatch(written):
        return written
    if match := _W3C.fullmatch(written):
        day, time = match[1], match[2]
    elif match := _DIGITS.fullmatch(written):
        day, time = "-".join(match.groups()[:3]), ":".join(filter(None, match.groups()[3:]))
    else:
        return ""
    valid = _VALID.match(f"{day}T{time}Z" if time else day)
    return valid[0] if valid else ""
