"""When a page was captured, in the forms in which crawlers and their tools write it."""

from __future__ import annotations

import re

#: The profile of ISO 8601 that WARC 1.1 allows, from a year to nanoseconds; and without mark of the zone, which is UTC.
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
#: As nearly all crawlers write it, and as it is returned.
_SECONDS = re.compile(f"{_DAY}T{_HOURS}:{_SECOND}Z")
#: As in ARC files and indexes: from a day to milliseconds, which are left out.
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(?:(\d\d)(?:\d{3})?)?)?")
#: What calendar and clock know of a time as it is returned: the thirteenth month of a year would be after all others.
_KNOWN = re.compile(rf"{_DAY}(?:T{_HOURS}(?::{_SECOND}(?:\.[0-9]{{1,9}})?)?Z)?|{_YEAR}(?:-(?:0[1-9]|1[0-2]))?")


def date_of(written: str) -> str:
    """Return a capture time as far as it is given, in ISO 8601 in UTC; an empty string for what is none.

    Of what no calendar knows, that is the part before: damaged dates must not come after all sound ones.

    >>> date_of("2024-01-02T03:04:05.678Z"), date_of("2024-01-02 03:04"), date_of("20240102030405"), date_of("2024-01")
    ('2024-01-02T03:04:05.678Z', '2024-01-02T03:04Z', '2024-01-02T03:04:05Z', '2024-01')
    >>> date_of("20240102"), date_of("202401020304"), date_of("20240102030405678")
    ('2024-01-02', '2024-01-02T03:04Z', '2024-01-02T03:04:05Z')
    >>> date_of("yesterday"), date_of("2024-01-02T03:04:05+02:00")
    ('', '')
    >>> date_of("2015-13-45T99:00:00Z"), date_of("20100500000000"), date_of("2024-01-02T24:00:00Z"), date_of("00000000")
    ('2015', '2010-05', '2024-01-02', '')
    >>> date_of("2004-02-30T12:00:00Z"), date_of("19000229"), date_of("2000-02-29"), date_of("2023-04-31 01:02")
    ('2004-02', '1900-02', '2000-02-29', '2023-04')
    """
    if _SECONDS.fullmatch(written):
        return written
    if found := _W3C.fullmatch(written):
        day, time = found[1], found[2]
    elif found := _DIGITS.fullmatch(written):
        day, time = "-".join(found.groups()[:3]), ":".join(one for one in found.groups()[3:] if one)
    else:
        return ""
    known = _KNOWN.match(f"{day}T{time}Z" if time else day)
    return known[0] if known else ""
