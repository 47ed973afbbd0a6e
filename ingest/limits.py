"""The bounds within which a hostile archive is read."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from graphlang.arguments import flag, number, whole_number
from graphlang.db.records import READ

_MOST: Final = (1 << 63) - 1  # what kernels take as a number of bytes or characters
_MOST_OF: Final = {"max_links": 1 << 29, "max_depth": 1 << 31}  # what they count in 32 bits, links as four strings


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one record is read and kept. Whatever is cut is told: in a Problem, or in ``Page.length``.

    The bounds hold for one record each, so that memory does not grow with the archive.

    Numbers of numpy are taken, and kept as Python has them.

    Raises:
        TypeError: one is no number, or no truth value.
        ValueError: one is negative, or beyond all that can be counted.
    """

    max_payload: int = (
        32 << 20
    )  #: bytes of a record's block, and again of its payload once decoded; the rest is dropped
    max_header: int = 1 << 20  #: bytes of a WARC record header, and of an HTTP header
    text_limit: int | None = READ  #: characters of the visible text that are kept; None: all
    title_limit: int = 1_000  #: characters of the title that are kept
    max_links: int = 5_000  #: distinct targets of a page
    max_url: int = 2_048  #: characters of a canonical URL; longer ones are traps or data, and no index keeps them
    max_depth: int = 500  #: nesting of elements, as in browsers (512), above which a page is flattened before parsing
    all_bytes: bool = False  #: keep the visible bytes of every page of markup, not only where its charset is in doubt
    anchor_texts: bool = False  #: keep the words of links
    plain_urls: bool = False  #: drop session ids and tracking parameters from URLs
    max_json: int = 8 << 20  #: bytes of a JSON line or record: parsed, it may take twenty times as much memory
    max_seconds: float = (
        60.0  #: processor time of one page, after which (or an eighth later) it is given up; 0 for no bound
    )
    whole: bool = (
        False  #: hand out what is beyond `max_payload` piece by piece (``RawRecord.rest``) instead of dropping it
    )
    max_ratio: int = 100  #: bytes that a file may unpack to for each of its own, beyond 256 MB; 0 for no bound

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if isinstance(field.default, bool):
                value = flag(name, value)
            elif name == "max_seconds":
                value = number(name, value)
                if not value >= 0:  # nan is not
                    raise ValueError(f"{name} is {value}; it must be from 0 to inf")
            elif name != "text_limit" or value is not None:
                value = whole_number(name, value, least=0, most=_MOST_OF.get(name, _MOST))
            object.__setattr__(self, name, value)


def given(limits: Limits | None) -> Limits:
    """The bounds that a caller gave, or the usual ones.

    Args:
        limits: None for these.

    Raises:
        TypeError: they are something else.
    """
    if limits is not None and not isinstance(limits, Limits):
        raise TypeError(f"limits is of type {type(limits).__name__}, expected Limits")
    return limits or Limits()
